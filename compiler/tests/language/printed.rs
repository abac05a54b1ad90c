//! What is printed reads back as what it was.

use blueprints_compiler::Ir;

use crate::random::{Random, Shape, mutate};

/// Characters with a meaning of their own in the printed form, and hidden ones.
const ALPHABET: &str = "ab0 \"'\\\n\t\0[]^-/{|é\u{a0}\u{301}\u{e000}\u{d7ff}🦀\u{10ffff}";

fn shape(alphabet: &[char]) -> Shape<'_> {
    Shape {
        alphabet,
        patterns: &["a+", "(?i)x/y", "\\d{2,3}", "\"'", "é|\n"],
        count_max: 3,
        recursion: true,
    }
}

#[test]
fn what_is_printed_reads_back() {
    let alphabet: Vec<char> = ALPHABET.chars().collect();
    let (shape, mut random) = (shape(&alphabet), Random::new(1));
    let mut bytes = 0;
    for round in 0..100_000 {
        let depth = 1 + round % 4;
        let ir = match round % 8 {
            0 => shape.grammar(&mut random, depth),
            _ => shape.ir(&mut random, depth, 0),
        };
        let printed = ir.to_string();
        bytes += printed.len();
        match Ir::read(&printed) {
            Ok(read) => assert_eq!(read, ir, "{printed}"),
            Err(error) => panic!("{error}: {printed}"),
        }
    }
    assert!(bytes > 2_000_000, "{bytes}");
}

/// Damaged forms are read as something that prints and reads back, or refused.
#[test]
fn what_reads_at_all_reads_back() {
    let alphabet: Vec<char> = ALPHABET.chars().collect();
    let marks: Vec<char> = "(){}[]|?*+,;:=/\"'\\ 019ax-".chars().collect();
    let (shape, mut random) = (shape(&alphabet), Random::new(4));
    let (mut read, mut refused) = (0, 0);
    for round in 0..20_000 {
        let printed = shape.ir(&mut random, 1 + round % 3, 0).to_string();
        let damaged = mutate(&mut random, &printed, &marks);
        match Ir::read(&damaged) {
            Ok(ir) => {
                read += 1;
                assert_eq!(Ir::read(&ir.to_string()).as_ref(), Ok(&ir), "{damaged}");
            }
            Err(error) => {
                refused += 1;
                assert!(error.at <= damaged.len(), "{error}: {damaged}");
            }
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}
