//! Formats against the official test suite.

use std::path::PathBuf;
use std::time::Instant;

use super::super::{Escapes, FormatMeaning, Spelling, StringLanguage};
use super::NAMED;

fn suite() -> Option<String> {
    let root = std::env::var("BLUEPRINTS_SHARED").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let path = root.join("data/json-schema-test-suite/draft2020-12.jsonl");
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        println!("skipped: {} is absent", path.display());
    }
    text
}

#[test]
fn the_suite_is_answered_right() {
    let Some(text) = suite() else { return };
    let (mut right, mut refused, mut wrong) = (0, 0, Vec::new());
    for line in text.lines() {
        let group: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(name) = group["schema"]["format"].as_str() else { continue };
        if group["format"] != true {
            continue;
        }
        let meaning = StringLanguage::format(name);
        for test in group["tests"].as_array().unwrap() {
            let Some(text) = test["data"].as_str() else { continue };
            let valid = match &meaning {
                FormatMeaning::Language(language) => language.contains(text),
                FormatMeaning::Refused(_) => {
                    refused += 1;
                    continue;
                }
                FormatMeaning::Annotation => true,
            };
            right += 1;
            if test["valid"] != valid {
                wrong.push(format!("{name}: {text:?} is {valid}: {}", test["description"]));
            }
        }
    }
    println!("{right} answered, {refused} refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right >= 488, "{right} answered");
}

#[test]
fn tmp_costs() {
    for named in NAMED.iter() {
        let begin = Instant::now();
        let states = named.automaton().map(|a| a.states());
        let made = begin.elapsed();
        let ir = named.to_ir(Spelling::Json(Escapes::All));
        println!("{} {states:?} {made:?} {:?} {}", named.name, begin.elapsed(), ir.is_ok());
    }
}
