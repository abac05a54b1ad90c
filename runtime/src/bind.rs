//! Binds an outline to a vocabulary: decides where special tokens stand.
//!
//! Only the author's text can mean one. Where it spells a token that the vocabulary marks
//! special, it means that token and not its bytes; the longest spelling wins. Everything else
//! is bytes.

use blueprints_compiler::ir::{Anything, Literal, Origin};
use blueprints_compiler::{Delimiter, Ir, Overlap, anything_until};

use crate::engine::{Binding, Marker, Symbol};
use crate::vocabulary::{TokenId, Vocabulary};

/// No vocabulary: text is bytes.
pub(crate) struct ToBytes;

impl Binding for ToBytes {
    fn symbols(&self, text: &str) -> Vec<Symbol> {
        text.bytes().map(Symbol::Byte).collect()
    }

    fn anything(&self, anything: &Anything) -> Result<Ir, Overlap> {
        Ok(anything.body.clone())
    }
}

/// The special tokens of a vocabulary.
pub(crate) struct ToVocabulary(pub(crate) Vocabulary);

impl ToVocabulary {
    /// What stands before the first special token of a delimiter.
    fn delimiter(&self, literal: &Literal) -> Delimiter {
        let mut text = String::new();
        for (string, origin) in literal.stretches() {
            let bytes = string.as_bytes();
            let mut places = 0..bytes.len();
            let special = places.find(|&at| self.leading(&bytes[at..]).is_some());
            match special.filter(|_| origin == Origin::Source) {
                Some(at) => {
                    text.push_str(&string[..at]);
                    return Delimiter { text, whole: false };
                }
                None => text.push_str(string),
            }
        }
        Delimiter { text, whole: true }
    }

    /// The special token that `bytes` begins with; the longest spelling wins.
    fn leading(&self, bytes: &[u8]) -> Option<(&str, TokenId)> {
        let first = std::str::from_utf8(bytes.get(..1)?).ok();
        // Spellings that begin alike stand together, shorter ones first.
        let from = self.0.special_from(first.unwrap_or_default());
        let alike = from.take_while(|(spelling, _)| {
            first.is_none() || spelling.as_bytes().first() == bytes.first()
        });
        alike.filter(|(spelling, _)| bytes.starts_with(spelling.as_bytes())).last()
    }
}

impl Binding for ToVocabulary {
    fn symbols(&self, text: &str) -> Vec<Symbol> {
        let bytes = text.as_bytes();
        let mut symbols = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while at < bytes.len() {
            if let Some((spelling, id)) = self.leading(&bytes[at..]) {
                symbols.push(Symbol::Marker(marker_of(id)));
                at += spelling.len();
            } else {
                symbols.push(Symbol::Byte(bytes[at]));
                at += 1;
            }
        }
        symbols
    }

    /// A delimiter with a special token in it never occurs inside free text, which holds none.
    fn anything(&self, anything: &Anything) -> Result<Ir, Overlap> {
        let mut delimiters: Vec<Delimiter> =
            anything.until.iter().map(|literal| self.delimiter(literal)).collect();
        delimiters.sort();
        delimiters.dedup();
        anything_until(&delimiters)
    }
}

/// The engine's marker of a special token.
pub(crate) fn marker_of(token: TokenId) -> Marker {
    Marker(token.0)
}

/// The special token of a marker.
pub(crate) fn token_of(marker: Marker) -> TokenId {
    TokenId(marker.0)
}
