//! Free text in which triggers start structure.
//!
//! A run of it is one piece: free text with a trigger at its end, or free text that may end here.
//! Which of the two was read is seen on the text itself.

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{self, CaptureKind, Dispatch, Literal, Origin};
use blueprints_runtime::CompileError;

use super::build::Around;
use super::{Name, Node, NodeId, Skeleton};
use crate::error::ParseError;
use crate::readings::Past;

/// What may end a run of free text.
#[derive(Debug)]
pub(crate) struct Triggers {
    rules: Vec<Trigger>,
    /// Whether one trigger ends with another, so that how long the run is makes a difference.
    pub(crate) nested: bool,
}

/// A trigger and where the reading goes on after it.
#[derive(Debug)]
struct Trigger {
    text: Literal,
    /// Where special tokens stand in it.
    specials: Vec<(usize, usize)>,
    after: NodeId,
}

impl Triggers {
    /// Where the reading may go on after the run of free text that began at byte `begun` and
    /// that a trigger ended; nowhere if none did.
    pub(crate) fn fired(&self, past: Past<'_>, begun: usize) -> Vec<NodeId> {
        let run = past.text.get(begun..).unwrap_or_default();
        let ended = self.rules.iter().filter(|rule| {
            let text = rule.text.as_str();
            let start = past.text.len().saturating_sub(text.len());
            let special = |(from, to): &(usize, usize)| {
                past.specials.binary_search(&(start + from, start + to)).is_ok()
            };
            run.ends_with(text.as_bytes()) && rule.specials.iter().all(special)
        });
        ended.map(|rule| rule.after).collect()
    }

    /// How many bytes at the end of `run` are, or may be the beginning of, a trigger.
    pub(crate) fn held_back(&self, run: &str) -> usize {
        let begun = |rule: &Trigger| {
            let text = rule.text.as_str();
            let ends = (1..=text.len().min(run.len())).rev();
            ends.filter(|&at| text.is_char_boundary(at)).find(|&at| run.ends_with(&text[..at]))
        };
        self.rules.iter().filter_map(begun).max().unwrap_or(0)
    }
}

impl Skeleton {
    pub(super) fn dispatch(
        &mut self,
        dispatch: &Dispatch,
        around: Around,
        next: NodeId,
    ) -> Result<NodeId, ParseError> {
        let triggers = &dispatch.triggers;
        let bare = ir::Triggers {
            rules: triggers.rules.iter().map(|(text, _)| (text.clone(), Ir::empty())).collect(),
            stop_after_first: true,
            excludes: triggers.excludes.clone(),
            until: triggers.until.clone(),
            ..ir::Triggers::default()
        };
        let list = around.list || !triggers.stop_after_first;
        let around = Around { list, ..around };
        let needs_run = !(triggers.at_least_one && triggers.stop_after_first);
        let mut run = next;
        if needs_run {
            run = self.add(Node::Split(Box::default()))?;
        }
        let after = if triggers.stop_after_first { next } else { run };
        let mut bodies = Vec::with_capacity(triggers.rules.len());
        for (_, body) in &triggers.rules {
            bodies.push(self.build(body, around, after)?);
        }
        if needs_run {
            let text = Ir::dispatch(bare).map_err(|_| never())?;
            let made = self.run(dispatch, &text, (&bodies, next), around)?;
            self.nodes[run.0 as usize] = Node::Split([made].into());
        }
        if !triggers.at_least_one {
            return Ok(run);
        }
        let mut ways = Vec::with_capacity(bodies.len());
        for ((trigger, _), body) in triggers.rules.iter().zip(&bodies) {
            let texts = trigger.stretches().map(|(text, origin)| Ir::literal(text, origin));
            ways.push(self.build(&Ir::sequence(texts), around, *body)?);
        }
        Ok(self.add(Node::Split(ways.into()))?)
    }

    /// A run of free text, which begins a structure of `bodies` or ends before `next`.
    fn run(
        &mut self,
        dispatch: &Dispatch,
        text: &Ir,
        (bodies, next): (&[NodeId], NodeId),
        around: Around,
    ) -> Result<NodeId, ParseError> {
        let named = dispatch.triggers.text.is_some();
        let mut rules = Vec::with_capacity(bodies.len());
        for ((text, _), &body) in dispatch.triggers.rules.iter().zip(bodies) {
            let after = match named {
                true => self.add(Node::Close(text.as_str().len(), body))?,
                false => body,
            };
            let specials = self.specials(text);
            rules.push(Trigger { text: text.clone(), specials, after });
        }
        let end = if named { self.add(Node::Close(0, next))? } else { next };
        let nested = rules.iter().enumerate().any(|(at, one)| {
            let mut others = rules.iter().enumerate().filter(|(other, _)| *other != at);
            others.any(|(_, other)| one.text.as_str().ends_with(other.text.as_str()))
        });
        let piece = self.triggered(text, Triggers { rules, nested }, end);
        let made = self.add(Node::Piece(piece))?;
        match &dispatch.triggers.text {
            Some(name) => {
                let (name, kind, list) = (name.clone(), CaptureKind::Text, around.list);
                self.open(Name { name, kind, list, nonempty: true, inner: false }, made)
            }
            None => Ok(made),
        }
    }
}

impl Skeleton {
    /// Where `literal` spells special tokens; the longest spelling wins.
    fn specials(&self, literal: &Literal) -> Vec<(usize, usize)> {
        let Some(vocabulary) = &self.vocabulary else { return Vec::new() };
        let (mut found, mut from) = (Vec::new(), 0);
        for (text, origin) in literal.stretches() {
            let mut at = 0;
            while origin == Origin::Source && at < text.len() {
                let rest = text.get(at..).unwrap_or_default();
                let known = vocabulary.special_tokens().map(|(spelling, _)| spelling);
                let longest = known.filter(|known| rest.starts_with(known)).map(str::len).max();
                match longest.filter(|length| *length > 0) {
                    Some(length) => {
                        found.push((from + at, from + at + length));
                        at += length;
                    }
                    None => at += 1,
                }
            }
            from += text.len();
        }
        found
    }
}

/// What was free text with these triggers before is so again.
fn never() -> ParseError {
    CompileError::Never.into()
}
