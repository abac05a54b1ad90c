//! Which texts may stand as one lexeme before a lexer that never goes back.
//!
//! If no lexeme begins another, then the longest lexeme that fits is the only one, and the lexer
//! decides nothing. Single characters never begin each other, so a text that another lexeme
//! begins is spelled as single characters.

use std::collections::BTreeSet;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// The lexemes of a grammar.
#[derive(Default)]
pub(super) struct Lexemes {
    texts: BTreeSet<String>,
    /// The characters that stand alone.
    single: Vec<ClassUnicode>,
    /// The texts that are spelled as single characters.
    broken: BTreeSet<String>,
}

impl Lexemes {
    /// The lexemes that `text` becomes.
    pub(super) fn pieces(&mut self, text: &str) -> Vec<String> {
        if text.chars().nth(1).is_none() || self.broken.contains(text) {
            self.class(&set(text.chars()));
            return text.chars().map(String::from).collect();
        }
        self.texts.insert(text.into());
        vec![text.into()]
    }

    pub(super) fn class(&mut self, set: &ClassUnicode) {
        if !self.single.contains(set) {
            self.single.push(set.clone());
        }
    }

    /// The same, with the texts broken that have to be.
    pub(super) fn settled(self) -> Self {
        let mut single = ClassUnicode::empty();
        self.single.iter().for_each(|set| single.union(set));
        let (mut texts, mut broken) = (self.texts, BTreeSet::new());
        loop {
            let begun: Vec<String> = texts
                .iter()
                .filter(|text| {
                    let first = text.chars().next();
                    let begins = first.is_some_and(|first| contains(&single, first));
                    begins || prefixes(text).any(|prefix| texts.contains(prefix))
                })
                .cloned()
                .collect();
            if begun.is_empty() {
                return Self { broken, ..Self::default() };
            }
            for text in begun {
                single.union(&set(text.chars()));
                texts.remove(&text);
                broken.insert(text);
            }
        }
    }
}

/// What `text` begins with, but the empty text and itself.
fn prefixes(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().skip(1).map(|(at, _)| &text[..at])
}

fn set(characters: impl Iterator<Item = char>) -> ClassUnicode {
    ClassUnicode::new(characters.map(|c| ClassUnicodeRange::new(c, c)))
}

fn contains(set: &ClassUnicode, character: char) -> bool {
    let ranges = set.ranges();
    let after = ranges.partition_point(|range| range.start() <= character);
    after > 0 && character <= ranges[after - 1].end()
}
