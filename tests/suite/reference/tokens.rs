//! What the reference takes for a special token.

use blueprints::ir::{Literal, Special};
use blueprints::{Token, TokenId, Unit, Units};

use super::Reference;
use crate::reference_stack::Symbol;

impl Reference<'_> {
    pub(super) fn special(&self, special: &Special) -> Vec<Vec<Symbol>> {
        let known = self.vocabulary.special_tokens();
        match special {
            Special::Spelled(spelling) => {
                let named = |found: &(&str, TokenId)| *found.0 == **spelling;
                if let Some((_, id)) = known.into_iter().find(named) {
                    return vec![vec![Symbol::Special(id)]];
                }
                let ids = (0..self.vocabulary.width() as u32).map(TokenId);
                let same = ids.filter(|&id| match self.vocabulary.token(id) {
                    Token::Bytes(bytes) => **bytes == *spelling.as_bytes(),
                    Token::Special(_) | Token::Absent => false,
                });
                let same: Vec<_> = same.map(|id| vec![Symbol::Special(id)]).collect();
                match same.is_empty() {
                    true => vec![spelling.bytes().map(Symbol::Byte).collect()],
                    false => same,
                }
            }
            Special::Stop => {
                let stop = self.vocabulary.stop_tokens();
                if stop.is_empty() {
                    return vec![Vec::new()];
                }
                stop.iter().map(|&id| vec![Symbol::Special(id)]).collect()
            }
            Special::Any { except } => known
                .filter(|(spelling, _)| !except.iter().any(|other| **other == **spelling))
                .map(|(_, id)| vec![Symbol::Special(id)])
                .collect(),
            _ => panic!("a token of a new kind"),
        }
    }

    pub(super) fn units(&self, literal: &Literal) -> Units {
        let name = |id: TokenId| {
            let known = self.vocabulary.special_tokens().find(|(_, known)| *known == id);
            Unit::Token(known.expect("it is special").0.into())
        };
        let mut units = Units::new();
        for (text, origin) in literal.stretches() {
            let mut bytes = Vec::new();
            for symbol in self.text(text, origin).into_iter().map(Some).chain([None]) {
                if let Some(Symbol::Byte(byte)) = symbol {
                    bytes.push(byte);
                    continue;
                }
                let text = String::from_utf8(std::mem::take(&mut bytes)).expect("characters");
                units.extend(text.chars().map(Unit::Character));
                if let Some(Symbol::Special(id)) = symbol {
                    units.push(name(id));
                }
            }
        }
        units
    }
}
