//! Plain parts, made when a state first meets them. In them what follows a backslash is a part of
//! its own: each character of a word may be escaped, and hardly any is.

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{self, Kind, Origin};

use super::super::nfa::{Fragment, Label, Part};
use super::super::source::{Known, LowerError, Symbol};
use super::Lowering;
use crate::limits::{LimitError, Limits};

/// The automaton of a plain part, whose one end is the node that is returned.
pub(in super::super) fn expand(
    part: &Ir,
    escaped: bool,
    limits: &Limits,
) -> Result<(Fragment, u32), LowerError> {
    let mut known = Known::default();
    let mut lowering = Lowering {
        fragment: Fragment::default(),
        scope: None,
        known: &mut known,
        binding: &crate::bind::ToBytes,
        limits,
        depth: 0,
        heard: false,
        lazy: true,
    };
    let entry = lowering.node()?;
    let end = match escaped {
        true => lowering.after_backslash(part, entry)?,
        false => lowering.part(part, entry)?,
    };
    let mut fragment = lowering.fragment;
    fragment.entry = entry;
    fragment.sort();
    Ok((fragment, end))
}

impl Lowering<'_> {
    /// The backslash that `part` begins with, and what follows it as a part.
    pub(super) fn escape(&mut self, part: &Ir, from: u32, to: u32) -> Result<(), LimitError> {
        let begin = self.node()?;
        self.bytes(from, (b'\\', b'\\'), begin);
        let number = self.fragment.parts.len() as u32;
        self.fragment.parts.push(Part { ir: part.clone(), escaped: true });
        self.fragment.edge(begin, Label::Part(number), to);
        Ok(())
    }

    /// What follows the backslash that `part` begins with.
    pub(super) fn after_backslash(&mut self, part: &Ir, from: u32) -> Result<u32, LowerError> {
        let parts = match part.kind() {
            Kind::Sequence(parts) => parts.as_slice(),
            _ => std::slice::from_ref(part),
        };
        let mut at = from;
        if let Some(Kind::Text(text)) = parts.first().map(Ir::kind) {
            at = self.symbols(text.string.bytes().skip(1).map(Symbol::Byte).collect(), at)?;
        }
        parts.iter().skip(1).try_fold(at, |at, part| self.part(part, at))
    }
}

/// Whether `part` begins with a backslash, after which more follows.
pub(super) fn is_escaped(part: &Ir) -> bool {
    let first = match part.kind() {
        Kind::Sequence(parts) => parts.first(),
        _ => Some(part),
    };
    let backslash = |text: &ir::Text| text.origin == Origin::Value && text.string.starts_with('\\');
    let begins = matches!(first.map(Ir::kind), Some(Kind::Text(text)) if backslash(text));
    let more = |facts: &ir::Facts| facts.plain && facts.productive && facts.length_min > 1;
    begins && part.facts().is_some_and(more)
}
