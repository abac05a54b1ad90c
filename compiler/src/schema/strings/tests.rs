//! Sets of strings against a backtracking matcher and on real patterns.

use super::{Escapes, Spelling, StringLanguage};

#[test]
fn tmp_bench_patterns() {
    let text = std::fs::read_to_string("/tmp/D1_pats.json").unwrap();
    let all: Vec<(String, u32)> = serde_json::from_str(&text).unwrap();
    let mut slow = Vec::new();
    let (mut bad, mut total) = (0, std::time::Duration::ZERO);
    for (pattern, _) in &all {
        let begin = std::time::Instant::now();
        let found = StringLanguage::pattern(pattern);
        let made = begin.elapsed();
        match found {
            Ok(found) => {
                let ir = found.to_ir(Spelling::Json(Escapes::All));
                let took = begin.elapsed();
                total += took;
                slow.push((took, made, pattern.clone(), ir.is_ok(), found.is_never()));
                if ir.is_err() {
                    println!("IR {pattern}");
                }
                if found.is_never() {
                    println!("NEVER {pattern}");
                }
            }
            Err(error) => {
                bad += 1;
                println!("{error} {:?} {:.200}", begin.elapsed(), pattern);
            }
        }
    }
    slow.sort();
    println!("median {:?} p90 {:?}", slow[slow.len() / 2].0, slow[slow.len() * 9 / 10].0);
    println!("bad {bad} total {total:?}");
    for (took, made, pattern, ..) in slow.iter().rev().take(25) {
        println!("{took:?} {made:?} {:.150}", pattern);
    }
}
