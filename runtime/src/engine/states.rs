//! States: canonical sets of items, interned, with cached steps.
//!
//! An item is a node and the frame that its rule runs in. A step moves the items that read the
//! byte and closes the result over calls and returns: first everything that returns into frames
//! that exist, then the called rules in an order that puts every caller before its callee, so
//! that all callers of a rule at one place share one frame.

use std::collections::BTreeMap;
use std::sync::Arc;

use blueprints_compiler::ir::machine::Value;
use blueprints_compiler::ir::{ByteSet, Machine};
use rustc_hash::{FxHashMap, FxHashSet};

use super::frames::{FrameId, Frames};
use super::nfa::{Marker, Nfa, NodeId, RuleId};
use crate::limits::{LimitError, Limits};

/// A state; [`StateId::DEAD`] is the one that no text leaves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StateId(u32);

impl StateId {
    pub(crate) const DEAD: Self = Self(0);
    const UNKNOWN: u32 = u32::MAX;
}

type Item = (NodeId, FrameId);

#[derive(PartialEq, Eq, Hash)]
struct Key {
    items: Box<[Item]>,
    accepting: bool,
}

struct State {
    key: Arc<Key>,
    /// The bytes that lead on.
    live: ByteSet,
    /// The next state for each byte, where it is known.
    row: Option<Box<[u32; 256]>>,
    abstracted: Option<StateId>,
}

/// The automata of one outline and all states that its matchers have reached.
pub(crate) struct Engine {
    nfa: Nfa,
    frames: Frames,
    states: Vec<State>,
    ids: FxHashMap<Arc<Key>, StateId>,
    start: StateId,
    limits: Limits,
}

impl Engine {
    /// `span` is the length of the longest token in bytes.
    pub(crate) fn new(nfa: Nfa, limits: Limits, span: u32) -> Result<Self, LimitError> {
        let mut engine = Self {
            frames: Frames::new(limits.frames_max, span),
            nfa,
            states: Vec::new(),
            ids: FxHashMap::default(),
            start: StateId::DEAD,
            limits,
        };
        engine.intern(Vec::new(), false)?;
        let mut closure = Closure { accepting: engine.nfa.nullable, ..Closure::default() };
        let entry = engine.nfa.rule(engine.nfa.root).entry;
        closure.push((entry, Frames::ROOT));
        engine.start = engine.close(closure)?;
        Ok(engine)
    }

    pub(crate) fn start(&self) -> StateId {
        self.start
    }

    pub(crate) fn is_accepting(&self, state: StateId) -> bool {
        self.state(state).key.accepting
    }

    /// The bytes that lead on from `state`.
    pub(crate) fn live(&self, state: StateId) -> ByteSet {
        self.state(state).live
    }

    /// The markers that lead on from `state`, ascending.
    pub(crate) fn markers(&self, state: StateId) -> Vec<Marker> {
        let items = &self.state(state).key.items;
        let nodes = items.iter().map(|item| self.nfa.node(item.0));
        let mut markers: Vec<Marker> =
            nodes.flat_map(|node| node.markers.iter().map(|edge| edge.0)).collect();
        markers.sort_unstable();
        markers.dedup();
        markers
    }

    /// The state after `byte`.
    ///
    /// # Complexity
    /// O(1) where it was asked before, else O(items).
    pub(crate) fn step(&mut self, state: StateId, byte: u8) -> Result<StateId, LimitError> {
        let known = &self.states[state.0 as usize];
        if !known.live.contains(byte) {
            return Ok(StateId::DEAD);
        }
        if let Some(row) = &known.row
            && row[usize::from(byte)] != StateId::UNKNOWN
        {
            return Ok(StateId(row[usize::from(byte)]));
        }
        let key = known.key.clone();
        let (mut low, mut high) = (0_u8, u8::MAX);
        let mut closure = Closure::default();
        for &(node, frame) in &key.items {
            for &(from, to, next) in &self.nfa.node(node).bytes {
                if byte < from {
                    high = high.min(from - 1);
                } else if byte > to {
                    low = low.max(to + 1);
                } else {
                    (low, high) = (low.max(from), high.min(to));
                    closure.push((next, frame));
                }
            }
            for &(from, to, next) in &self.nfa.node(node).heard.clone() {
                (low, high) = (byte, byte);
                if (from..=to).contains(&byte)
                    && let Some(frame) = self.hear(frame, byte)?
                {
                    closure.push((next, frame));
                }
            }
        }
        let next = self.close(closure)?;
        let row = self.states[state.0 as usize]
            .row
            .get_or_insert_with(|| Box::new([StateId::UNKNOWN; 256]));
        row[usize::from(low)..=usize::from(high)].fill(next.0);
        Ok(next)
    }

    /// The state after `marker`.
    pub(crate) fn step_marker(
        &mut self,
        state: StateId,
        marker: Marker,
    ) -> Result<StateId, LimitError> {
        let key = self.state(state).key.clone();
        let mut closure = Closure::default();
        for &(node, frame) in &key.items {
            for &(read, next) in &self.nfa.node(node).markers {
                if read == marker {
                    closure.push((next, frame));
                }
            }
        }
        self.close(closure)
    }

    /// The state whose mask is that of `state`: counters far from their bounds are abstracted.
    pub(crate) fn abstracted(&mut self, state: StateId) -> Result<StateId, LimitError> {
        if let Some(known) = self.state(state).abstracted {
            return Ok(known);
        }
        let key = self.state(state).key.clone();
        let mut items = Vec::with_capacity(key.items.len());
        for &(node, frame) in &key.items {
            items.push((node, self.frames.abstracted(frame, &self.nfa)?));
        }
        let abstracted = self.intern(items, key.accepting)?;
        self.states[state.0 as usize].abstracted = Some(abstracted);
        Ok(abstracted)
    }

    fn state(&self, state: StateId) -> &State {
        &self.states[state.0 as usize]
    }

    /// Follows everything that reads nothing, and interns the items that are left.
    fn close(&mut self, mut closure: Closure) -> Result<StateId, LimitError> {
        let mut calls: BTreeMap<(u32, RuleId), Vec<Item>> = BTreeMap::new();
        let mut kept = Vec::new();
        loop {
            while let Some(item) = closure.pending.pop() {
                self.expand(item, &mut closure, &mut calls, &mut kept)?;
                if kept.len() > self.limits.items_max {
                    return Err(LimitError::Items(self.limits.items_max));
                }
            }
            let Some(((_, rule), parents)) = calls.pop_first() else { break };
            let count = u32::from(self.nfa.rule(rule).counter.is_some());
            let machine = self.nfa.rule(rule).machine.as_ref();
            let value = machine.map(|machine| machine.start()).unwrap_or_default();
            let frame = self.frames.intern(rule, count, value, parents)?;
            closure.push((self.nfa.rule(rule).entry, frame));
        }
        self.intern(kept, closure.accepting)
    }

    fn expand(
        &mut self,
        (at, frame): Item,
        closure: &mut Closure,
        calls: &mut BTreeMap<(u32, RuleId), Vec<Item>>,
        kept: &mut Vec<Item>,
    ) -> Result<(), LimitError> {
        if !self.may_go_on(at, frame) {
            return Ok(());
        }
        let node = self.nfa.node(at);
        if !node.bytes.is_empty() || !node.markers.is_empty() || !node.heard.is_empty() {
            kept.push((at, frame));
        }
        for (action, to) in node.acts.clone() {
            if let Some(frame) = self.act(frame, |machine, value| machine.step(value, action))? {
                closure.push((to, frame));
            }
        }
        let node = self.nfa.node(at);
        node.epsilon.iter().for_each(|&to| closure.push((to, frame)));
        for &(rule, back) in &node.calls {
            let callers = calls.entry((self.nfa.rank[rule.0 as usize], rule)).or_default();
            let own = self.frames.get(frame);
            // A tail call returns to where its caller would: right recursion then adds no frames.
            let tail = own.rule.is_some_and(|rule| self.nfa.rule(rule).counter.is_none());
            if tail && self.nfa.node(back).only_ends() {
                callers.extend(&own.parents);
            } else {
                callers.push((back, frame));
            }
        }
        if node.ends {
            self.end(frame, closure)?;
        }
        Ok(())
    }

    /// The frame with the register changed, if its machine allows it.
    fn act(
        &mut self,
        frame: FrameId,
        change: impl FnOnce(&Machine, &Value) -> Option<Value>,
    ) -> Result<Option<FrameId>, LimitError> {
        let own = self.frames.get(frame).clone();
        let Some(rule) = own.rule else { return Ok(None) };
        let Some(machine) = &self.nfa.rule(rule).machine else { return Ok(None) };
        let Some(value) = change(machine, &own.value) else { return Ok(None) };
        self.frames.intern(rule, own.count, value, own.parents.clone()).map(Some)
    }

    fn hear(&mut self, frame: FrameId, byte: u8) -> Result<Option<FrameId>, LimitError> {
        self.act(frame, |machine, value| machine.read(value, byte))
    }

    /// Whether a machine allows some action that follows, or none follows.
    fn may_go_on(&self, at: NodeId, frame: FrameId) -> bool {
        let Some(asks) = self.nfa.asks.get(&at) else { return true };
        let own = self.frames.get(frame);
        let Some(machine) = own.rule.and_then(|rule| self.nfa.rule(rule).machine.as_ref()) else {
            return true;
        };
        asks.free || asks.acts.iter().any(|&action| machine.step(&own.value, action).is_some())
    }

    /// The rule of `frame` ends: it returns, and a loop may go on.
    fn end(&mut self, frame: FrameId, closure: &mut Closure) -> Result<(), LimitError> {
        let own = self.frames.get(frame).clone();
        let Some(rule) = own.rule else {
            closure.accepting = true;
            return Ok(());
        };
        let Some(counter) = self.nfa.rule(rule).counter else {
            own.parents.iter().for_each(|&parent| closure.push(parent));
            return Ok(());
        };
        if own.count >= counter.min {
            own.parents.iter().for_each(|&parent| closure.push(parent));
        }
        if counter.max.is_none_or(|max| own.count < max) {
            // Without an upper bound, all counts from the minimum on are one.
            let endless = counter.max.is_none() && own.count >= counter.min.max(1);
            let count = if endless { own.count } else { own.count + 1 };
            let next = self.frames.intern(rule, count, Value::default(), own.parents.clone())?;
            closure.push((counter.again, next));
        }
        Ok(())
    }

    fn intern(&mut self, mut items: Vec<Item>, accepting: bool) -> Result<StateId, LimitError> {
        items.sort_unstable();
        items.dedup();
        let key = Key { items: items.into(), accepting };
        if let Some(&id) = self.ids.get(&key) {
            return Ok(id);
        }
        if self.states.len() >= self.limits.states_max {
            return Err(LimitError::States(self.limits.states_max));
        }
        let mut live = ByteSet::default();
        for &(node, _) in &key.items {
            let node = self.nfa.node(node);
            for &(low, high, _) in node.bytes.iter().chain(&node.heard) {
                (low..=high).for_each(|byte| live.insert(byte));
            }
        }
        let id = StateId(self.states.len() as u32);
        let key = Arc::new(key);
        self.states.push(State { key: key.clone(), live, row: None, abstracted: None });
        self.ids.insert(key, id);
        Ok(id)
    }
}

/// Items still to follow while a state is made.
#[derive(Default)]
struct Closure {
    pending: Vec<Item>,
    seen: FxHashSet<Item>,
    accepting: bool,
}

impl Closure {
    fn push(&mut self, item: Item) {
        if self.seen.insert(item) {
            self.pending.push(item);
        }
    }
}
