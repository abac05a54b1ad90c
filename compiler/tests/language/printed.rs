//! What is printed reads back as what it was.

use blueprints_compiler::Ir;

use crate::random::{Random, Shape};

#[test]
fn what_is_printed_reads_back() {
    let shape = Shape {
        alphabet: &[
            'a',
            'b',
            '0',
            ' ',
            '"',
            '\'',
            '\\',
            '\n',
            '\t',
            '\0',
            '[',
            ']',
            '^',
            '-',
            '/',
            '{',
            '|',
            'é',
            '\u{a0}',
            '\u{301}',
            '\u{e000}',
            '\u{d7ff}',
            '🦀',
            char::MAX,
        ],
        patterns: &["a+", "(?i)x/y", "\\d{2,3}", "\"'", "é|\n"],
        count_max: 3,
        recursion: true,
    };
    let mut random = Random::new(1);
    for round in 0..100_000 {
        let ir = shape.ir(&mut random, 1 + round % 4, 0);
        let printed = ir.to_string();
        match Ir::read(&printed) {
            Ok(read) => assert_eq!(read, ir, "{printed}"),
            Err(error) => panic!("{error}: {printed}"),
        }
    }
}
