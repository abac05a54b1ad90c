//! Frames: what a running rule returns to, and how often a running loop has begun.
//!
//! Frames are shared by structure, so equal stacks are one id. A frame's parents are older than
//! itself, so frames form no cycle. For masks, counters far from their bounds are abstracted:
//! within one token a counter grows by at most the token's bytes, so counts that no test can tell
//! apart in that many steps share one frame.

use std::sync::Arc;

use blueprints_compiler::ir::machine::Value;
use rustc_hash::FxHashMap;

use super::nfa::{Counter, Nfa, NodeId, RuleId};
use crate::limits::LimitError;

/// A frame; 0 is that of the whole text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct FrameId(u32);

#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct Frame {
    /// The rule that runs; `None` is the whole text.
    pub(super) rule: Option<RuleId>,
    /// The iteration that runs, from 1; 0 where the rule is no counted loop.
    pub(super) count: u32,
    /// What the register of a tracked part holds; empty elsewhere.
    pub(super) value: Value,
    /// Where the rule returns to, sorted.
    pub(super) parents: Vec<(NodeId, FrameId)>,
}

/// All frames that the matchers of a program have reached.
pub(super) struct Frames {
    all: Vec<Arc<Frame>>,
    ids: FxHashMap<Arc<Frame>, FrameId>,
    abstracted: FxHashMap<FrameId, FrameId>,
    limit: usize,
    /// The longest token in bytes.
    span: u32,
}

impl Frames {
    pub(super) const ROOT: FrameId = FrameId(0);

    pub(super) fn new(limit: usize, span: u32) -> Self {
        let root =
            Arc::new(Frame { rule: None, count: 0, value: Value::default(), parents: Vec::new() });
        Self {
            all: vec![root.clone()],
            ids: [(root, Self::ROOT)].into_iter().collect(),
            abstracted: FxHashMap::default(),
            limit,
            span,
        }
    }

    pub(super) fn get(&self, frame: FrameId) -> &Arc<Frame> {
        &self.all[frame.0 as usize]
    }

    pub(super) fn intern(
        &mut self,
        rule: RuleId,
        count: u32,
        value: Value,
        mut parents: Vec<(NodeId, FrameId)>,
    ) -> Result<FrameId, LimitError> {
        parents.sort_unstable();
        parents.dedup();
        let frame = Frame { rule: Some(rule), count, value, parents };
        if let Some(&id) = self.ids.get(&frame) {
            return Ok(id);
        }
        if self.all.len() >= self.limit {
            return Err(LimitError::Frames(self.limit));
        }
        let id = FrameId(self.all.len() as u32);
        let frame = Arc::new(frame);
        self.all.push(frame.clone());
        self.ids.insert(frame, id);
        Ok(id)
    }

    /// The frame that stands for `frame` when a mask is computed.
    ///
    /// # Complexity
    /// O(1) amortised: each frame is abstracted once.
    pub(super) fn abstracted(&mut self, frame: FrameId, nfa: &Nfa) -> Result<FrameId, LimitError> {
        // Parents first, on a stack of our own: a chain may be as long as the text is nested.
        let mut pending = vec![frame];
        while let Some(&at) = pending.last() {
            if at == Self::ROOT || self.abstracted.contains_key(&at) {
                pending.pop();
                continue;
            }
            let own = self.get(at).clone();
            let before = pending.len();
            for &(_, parent) in &own.parents {
                if parent != Self::ROOT && !self.abstracted.contains_key(&parent) {
                    pending.push(parent);
                }
            }
            if pending.len() > before {
                continue;
            }
            let Some(rule) = own.rule else {
                pending.pop();
                continue;
            };
            let counter = nfa.rule(rule).counter;
            let count = counter.map_or(own.count, |c| indistinct_count(c, own.count, self.span));
            let value = match &nfa.rule(rule).machine {
                Some(machine) => machine.abstracted(&own.value, self.span),
                None => own.value.clone(),
            };
            let mut parents = Vec::with_capacity(own.parents.len());
            for &(node, parent) in &own.parents {
                parents.push((node, *self.abstracted.get(&parent).unwrap_or(&Self::ROOT)));
            }
            let abstracted = self.intern(rule, count, value, parents)?;
            self.abstracted.insert(at, abstracted);
            pending.pop();
        }
        Ok(*self.abstracted.get(&frame).unwrap_or(&Self::ROOT))
    }
}

/// The smallest count that no test can tell from `count` while at most `span` bytes are read.
///
/// An iteration reads at least one byte, so the tests `count >= min` and `count < max` see values
/// up to `count + span`.
fn indistinct_count(counter: Counter, count: u32, span: u32) -> u32 {
    let reach = count.saturating_add(span);
    if reach < counter.min {
        return 1;
    }
    let unbounded = counter.max.is_none_or(|max| reach < max);
    if count >= counter.min.max(1) && unbounded { counter.min.max(1) } else { count }
}
