//! Free text of so many tokens: they are counted beside the bytes, and at the last one the text
//! ends as soon as it may.
//!
//! A token is counted where it begins. The count is in the register of the text's frame, so no
//! mask depends on it until the tokens are used up; then the text runs on as another rule, in
//! which each character leads nearer to an end. A character that was begun is completed.

use std::sync::Arc;

use blueprints_compiler::Ir;
use blueprints_compiler::ir::machine::Counters;
use blueprints_compiler::ir::{Anything, Automaton, Kind, Machine};

use super::lengths::Backward;
use super::lower::Lowering;
use super::slab::Slab;
use super::source::{LowerError, Source};
use super::states::{Engine, Inner, Item, State, StateId};
use super::values::ValueId;
use crate::limits::LimitError;

/// Whether the text of a rule is to end as soon as it may.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    No,
    Yes,
}

impl Lowering<'_> {
    pub(super) fn anything(&mut self, anything: &Anything, from: u32) -> Result<u32, LowerError> {
        let Some(budget) = anything.limits.max_tokens else {
            return self.part(&self.binding.anything(anything)?, from);
        };
        match self.binding.counted(anything)? {
            None => self.part(&self.binding.anything(anything)?, from),
            Some(None) => Err(LowerError::Budget(budget)),
            Some(Some(body)) => {
                let nullable = self.nullable(&body);
                // Its one counter is the engine's.
                let machine = Arc::new(Machine::Counters(Counters::new(1, Vec::new())));
                let rule = self.known.rule(Source::Budget(body, budget), Some(machine));
                self.run(rule, nullable, from)
            }
        }
    }

    /// The automaton of free text whose edges read a character each. Where it closes, those that
    /// lead no nearer to an end are left out; the nodes are the same.
    pub(super) fn characters(&mut self, body: &Ir, closing: Closing) -> Result<(), LowerError> {
        let entry = self.node()?;
        let mut end = entry;
        if let Kind::Automaton(automaton) = body.kind() {
            end = self.states(automaton, entry, closing)?;
        }
        self.fragment.ends[end as usize] = end != entry;
        self.fragment.entry = self.without_empty(self.nullable(body), 0, entry)?;
        Ok(())
    }

    fn states(
        &mut self,
        automaton: &Automaton,
        from: u32,
        closing: Closing,
    ) -> Result<u32, LowerError> {
        let distance = distances(automaton);
        let (nodes, to) = self.state_nodes(automaton, from)?;
        for (at, (state, &node)) in automaton.states.iter().zip(&nodes).enumerate() {
            for (label, target) in &state.edges {
                let before = self.fragment.edges.len();
                let end = self.part(label, node)?;
                if closing == Closing::Yes && distance[*target] >= distance[at] {
                    // Without its beginning; the rest is for who has begun already.
                    let begun = self.fragment.edges.split_off(before);
                    self.fragment.edges.extend(begun.into_iter().filter(|edge| edge.from != node));
                }
                self.epsilon(end, nodes[*target]);
            }
            if state.accepting {
                self.epsilon(node, to);
            }
        }
        Ok(to)
    }
}

/// The fewest bytes, or special tokens, from each state to one where the text may end.
fn distances(automaton: &Automaton) -> Vec<i64> {
    let mut edges = Vec::new();
    for (from, state) in (0..).zip(automaton.states.iter()) {
        for (label, to) in &state.edges {
            let special = matches!(label.kind(), Kind::Special(_) | Kind::Text(_));
            let length = label.facts().filter(|_| !special).map_or(1, |facts| facts.length_min);
            edges.push((from, *to as u32, u32::try_from(length).unwrap_or(u32::MAX)));
        }
    }
    let ends = (0..).zip(automaton.states.iter()).filter(|(_, state)| state.accepting);
    let least = Backward::new(automaton.states.len(), &edges).least(ends.map(|(at, _)| (at, 0)));
    least.into_iter().map(|length| length.unwrap_or(i64::MAX)).collect()
}

impl Engine {
    /// The state where the next token begins.
    pub(crate) fn at_token(&self, state: StateId) -> Result<StateId, LimitError> {
        match self.budgeted {
            false => Ok(state),
            true => Ok(self.work().at_token(state)?),
        }
    }
}

impl super::work::Work<'_> {
    fn at_token(&mut self, state: StateId) -> Result<StateId, LowerError> {
        if let Some(&known) = self.inner.begun.get(&state) {
            return Ok(known);
        }
        let known = self.state(state);
        let next = self.inner.begin(self.states, known)?;
        self.inner.begun.insert(state, next);
        Ok(next)
    }
}

impl Inner {
    fn begin(&mut self, states: &Slab<State>, state: &State) -> Result<StateId, LowerError> {
        let mut items: Vec<Item> = Vec::with_capacity(state.items.len());
        for &(frame, at) in &state.items {
            let own = self.frames.get(frame);
            let (rule, value) = (own.rule, own.value);
            let Some(budget) = self.rules.budget(rule) else {
                items.push((frame, at));
                continue;
            };
            if let Some(value) = self.values.count(value, budget) {
                items.push((self.frames.with(frame, value)?, at));
                continue;
            }
            let parents = self.frames.get(frame).parents.to_vec();
            let closing = self.rules.closing(rule)?;
            let (from, to) = (self.rules.place(rule)?, self.rules.place(closing)?);
            let at = self.renumbered(at, from, to)?;
            if at.local != super::locals::NOWHERE {
                items.push((self.frames.intern(closing, ValueId::NONE, parents)?, at));
            }
        }
        let items = self.grouped(items)?;
        self.intern(states, items, state.leaks.to_vec(), state.accepting)
    }
}
