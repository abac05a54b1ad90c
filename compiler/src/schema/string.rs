//! Strings: bounds on their length, and patterns lifted through the spellings of JSON.

use regex_syntax::hir::{Hir, HirKind};

use super::SchemaError;
use super::lower::{Key, Lowering};
use super::read::Keywords;
use super::reference::child;
use crate::chars::dfa::Dfa;
use crate::chars::length::{self, Lengths};
use crate::chars::{ecma, spelling};
use crate::ir::Ir;

/// An automaton with more states than this is not taken where counts as numbers serve as well.
const SEARCH_STATES_MAX: usize = 256;

impl Lowering<'_> {
    /// The strings that are valid for `keywords`, with their quotation marks.
    pub(super) fn string(
        &mut self,
        keywords: &Keywords<'_>,
        pointer: &str,
    ) -> Result<Ir, SchemaError> {
        let (min, max) = (keywords.min_length, keywords.max_length);
        let Some(pattern) = keywords.pattern else {
            let any = min == 0 && max.is_none();
            return Ok(if any { self.call(Key::String) } else { self.string_of(min, max) });
        };
        let place = child(pointer, "pattern");
        let found = search(pattern, &place)?;
        let lengths = Lengths { min: u64::from(min), max: max.map(u64::from) };
        let body = match length::bounded(&found, lengths) {
            Some(held) => self.pattern(&held),
            None => Dfa::new(&found)
                .and_then(|dfa| dfa.bounded(lengths))
                .map(|dfa| dfa.lower(&mut self.characters)),
        };
        let body = body.ok_or_else(|| {
            let message = "the pattern is too large an automaton beside bounds on the length";
            SchemaError::too_large(&place, message)
        })?;
        if body.is_never() {
            self.note(&place, "no string has the pattern and the length");
        }
        Ok(Ir::sequence([Ir::value("\""), body, Ir::value("\"")]))
    }

    /// A search is ambiguous where it stands, so it becomes a small automaton if there is one.
    fn pattern(&mut self, hir: &Hir) -> Option<Ir> {
        if is_search(hir)
            && let Some(dfa) = Dfa::new(hir)
            && dfa.states() <= SEARCH_STATES_MAX
        {
            return Some(dfa.lower(&mut self.characters));
        }
        spelling::lower(hir, &mut self.characters)
    }
}

/// The strings in which `pattern`, which stands at `place`, is found.
pub(super) fn search(pattern: &str, place: &str) -> Result<Hir, SchemaError> {
    ecma::search(pattern).map_err(|error| {
        let range = error.range.clone();
        let message = format!("{} (bytes {} to {})", error, range.start, range.end);
        SchemaError::unsupported(place, message)
    })
}

/// Whether a text before or after what is searched for is free.
fn is_search(hir: &Hir) -> bool {
    let loops = |hir: &Hir| match hir.kind() {
        HirKind::Repetition(repetition) => repetition.max.is_none(),
        _ => false,
    };
    match hir.kind() {
        HirKind::Concat(parts) => {
            parts.first().is_some_and(loops) || parts.last().is_some_and(loops)
        }
        HirKind::Alternation(arms) => arms.iter().any(is_search),
        _ => false,
    }
}
