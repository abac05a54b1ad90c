//! Binds an outline to a vocabulary: decides where special tokens stand.
//!
//! Only the author's text can mean one. Where it spells a token that the vocabulary marks
//! special, it means that token and not its bytes; the longest spelling wins. Everything else
//! is bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use blueprints_compiler::ir::{Anything, Dispatch, Literal, Origin, Special};
use blueprints_compiler::{Ir, Overlap, Unit, Units};

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

    fn dispatch(&self, dispatch: &Dispatch) -> Result<Ir, Overlap> {
        Ok(dispatch.body.clone())
    }

    /// A budget of tokens is no part of the language.
    fn counted(&self, _: &Anything) -> Result<Option<Option<Ir>>, Overlap> {
        Ok(None)
    }

    /// Here a token is its spelling, and what ends the turn is the end of the text.
    fn special(&self, special: &Special) -> Vec<Vec<Symbol>> {
        match special {
            Special::Spelled(spelling) => vec![self.symbols(spelling)],
            Special::Stop => vec![Vec::new()],
            _ => Vec::new(),
        }
    }
}

/// The special tokens of a vocabulary.
pub(crate) struct ToVocabulary {
    vocabulary: Vocabulary,
    /// Whether a token that has bytes was named: then its id stands beside its bytes.
    named: Arc<AtomicBool>,
}

impl ToVocabulary {
    /// `named` learns whether a token that has bytes was named.
    pub(crate) fn new(vocabulary: Vocabulary, named: Arc<AtomicBool>) -> Self {
        Self { vocabulary, named }
    }

    /// The tokens of just these bytes.
    fn named(&self, spelling: &str) -> Vec<Vec<Symbol>> {
        let trie = &self.vocabulary.index().trie;
        let node = spelling.bytes().try_fold(0, |node, byte| trie.child(node, byte));
        let tokens = node.map_or(&[][..], |node| trie.own(trie.node(node)));
        if tokens.is_empty() || spelling.is_empty() {
            return vec![spelling.bytes().map(Symbol::Byte).collect()];
        }
        self.named.store(true, Ordering::Relaxed);
        tokens.iter().map(|&token| vec![Symbol::Marker(Marker(token))]).collect()
    }

    /// The characters and special tokens of a delimiter or trigger.
    fn units(&self, literal: &Literal) -> Units {
        let mut units = Units::new();
        for (string, origin) in literal.stretches() {
            let mut rest = string;
            while let Some(character) = rest.chars().next() {
                let special = self.leading(rest.as_bytes()).filter(|_| origin == Origin::Source);
                let (unit, length) = match special {
                    Some((spelling, _)) => (Unit::Token(spelling.into()), spelling.len()),
                    None => (Unit::Character(character), character.len_utf8()),
                };
                units.push(unit);
                rest = &rest[length..];
            }
        }
        units
    }

    /// The special token that `bytes` begins with; the longest spelling wins.
    fn leading(&self, bytes: &[u8]) -> Option<(&str, TokenId)> {
        let first = std::str::from_utf8(bytes.get(..1)?).ok();
        // Spellings that begin alike stand together, shorter ones first.
        let from = self.vocabulary.special_from(first.unwrap_or_default());
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
        anything.bound(&|literal| self.units(literal))
    }

    fn dispatch(&self, dispatch: &Dispatch) -> Result<Ir, Overlap> {
        dispatch.bound(&|literal| self.units(literal))
    }

    fn counted(&self, anything: &Anything) -> Result<Option<Option<Ir>>, Overlap> {
        anything.unrolled(&|literal| self.units(literal)).map(Some)
    }

    /// A token that is not marked special is meant by its id as well. One that this vocabulary
    /// lacks is its bytes; if nothing ends a turn, nothing does.
    fn special(&self, special: &Special) -> Vec<Vec<Symbol>> {
        let mut tokens = self.vocabulary.special_tokens();
        let marker = |id: TokenId| vec![Symbol::Marker(marker_of(id))];
        match special {
            Special::Spelled(spelling) => match tokens.find(|(known, _)| *known == &**spelling) {
                Some((_, id)) => vec![marker(id)],
                None => self.named(spelling),
            },
            Special::Stop if self.vocabulary.stop_tokens().is_empty() => vec![Vec::new()],
            Special::Stop => self.vocabulary.stop_tokens().iter().map(|&id| marker(id)).collect(),
            Special::Any { except } => tokens
                .filter(|(known, _)| !except.iter().any(|spelling| **spelling == **known))
                .map(|(_, id)| marker(id))
                .collect(),
            _ => Vec::new(),
        }
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
