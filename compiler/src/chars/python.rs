//! Characters as they may be spelled inside a Python string.
//!
//! A character stands for itself unless it must be escaped, or is a short escape, `\xHH`,
//! `\uHHHH` or `\UHHHHHHHH`. A line break never stands for itself: strings are of one line.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::json::{Escapes, JsonCharacters, Ranges};
use super::spelling::Spelling;
use crate::ir::Ir;

/// The quotation mark around a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Quote {
    Single,
    Double,
}

impl Quote {
    /// The mark.
    pub(crate) fn character(self) -> char {
        match self {
            Self::Single => '\'',
            Self::Double => '"',
        }
    }
}

/// The short escapes: the character, and what follows the backslash.
const SHORT: [(char, char); 10] = [
    ('\\', '\\'),
    ('\'', '\''),
    ('"', '"'),
    ('\u{7}', 'a'),
    ('\u{8}', 'b'),
    ('\u{c}', 'f'),
    ('\n', 'n'),
    ('\r', 'r'),
    ('\t', 't'),
    ('\u{b}', 'v'),
];

/// Spells characters inside Python strings.
pub(crate) struct PythonCharacters {
    quote: Quote,
    escapes: Escapes,
    digits: JsonCharacters,
}

impl PythonCharacters {
    /// Spells characters between these quotation marks, with these escapes.
    pub(crate) fn new(quote: Quote, escapes: Escapes) -> Self {
        Self { quote, escapes, digits: JsonCharacters::new(escapes) }
    }

    fn must_be_escaped(&self) -> ClassUnicode {
        ClassUnicode::new(
            ['\0', '\\', '\n', '\r', self.quote.character()].map(|c| ClassUnicodeRange::new(c, c)),
        )
    }

    fn escaped(&mut self, set: &ClassUnicode) -> Ir {
        let holds = |c: char| set.ranges().iter().any(|r| (r.start()..=r.end()).contains(&c));
        let short = SHORT.iter().filter(|(character, _)| holds(*character));
        let short = short.map(|(_, letter)| ClassUnicodeRange::new(*letter, *letter));
        let mut long = set.clone();
        if self.escapes == Escapes::Minimal {
            let known = SHORT.map(|(character, _)| ClassUnicodeRange::new(character, character));
            long.difference(&ClassUnicode::new(known));
        }
        let within = |last: u32| -> Ranges {
            // Surrogates are no characters, though a range may lead over them.
            let parts = [(0, 0xD7FF), (0xE000, 0x10_FFFF)];
            let ranges = long.ranges().iter().flat_map(|range| {
                let clip = |(low, high): (u32, u32)| {
                    let first = u32::from(range.start()).max(low);
                    (first, u32::from(range.end()).min(high).min(last))
                };
                parts.map(clip)
            });
            ranges.filter(|(first, end)| first <= end).collect()
        };
        let mut arms = vec![Ir::class(ClassUnicode::new(short))];
        // A minimal spelling is the shortest one.
        for (prefix, digits, last) in [("x", 2, 0xFF), ("u", 4, 0xFFFF), ("U00", 6, 0x10_FFFF)] {
            let ranges = within(last);
            if !ranges.is_empty() {
                let number = self.digits.hexadecimal(&ranges, digits);
                arms.push(Ir::sequence([Ir::value(prefix), number]));
                if self.escapes == Escapes::Minimal {
                    break;
                }
            }
        }
        Ir::sequence([Ir::value("\\"), Ir::choice(arms)])
    }
}

impl Spelling for PythonCharacters {
    fn class(&mut self, set: &ClassUnicode) -> Ir {
        let must = self.must_be_escaped();
        let mut raw = set.clone();
        raw.difference(&must);
        let mut escaped = set.clone();
        if self.escapes == Escapes::Minimal {
            escaped.intersect(&must);
        }
        let raw = match raw.ranges() {
            [one] if one.start() == one.end() => Ir::value(one.start().encode_utf8(&mut [0; 4])),
            _ => Ir::class(raw),
        };
        match escaped.ranges().is_empty() {
            true => raw,
            false => Ir::choice([raw, self.escaped(&escaped)]),
        }
    }

    fn character(&mut self, character: char) -> Ir {
        self.class(&ClassUnicode::new([ClassUnicodeRange::new(character, character)]))
    }

    fn text(&mut self, text: &str) -> Ir {
        let spelled: Vec<Ir> = text.chars().map(|c| self.character(c)).collect();
        Ir::sequence(spelled)
    }
}
