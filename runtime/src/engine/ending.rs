//! The shortest way from a state to the end of a text, in bytes and special tokens.
//!
//! A* over the engine's own states (Hart, Nilsson and Raphael, 1968), led by lower bounds of what
//! the rules must still read. Every way that it finds is one that the engine takes, so the text
//! is right; where it takes too many steps, a way is looked for that may not be the shortest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::lengths::Lengths;
use super::source::{LowerError, Symbol};
use super::states::{State, StateId};
use super::work::Work;
use crate::limits::LimitError;

/// The next step of a way to the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// The symbols from here to the end.
    length: u32,
    /// The next symbol, and the state after it; none at the end.
    next: Option<(Symbol, StateId)>,
    /// Whether no way is shorter.
    shortest: bool,
}

/// A way to the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ending {
    pub(crate) symbols: Vec<Symbol>,
    /// Whether no way is shorter.
    pub(crate) shortest: bool,
}

/// How much more a lower bound counts than what was read, where any way will do.
const HASTE: u32 = 8;

/// Bytes that read well where many are alike.
const PLEASANT: &[u8] = b"a0 1bcdefghijklmnopqrstuvwxyz";

/// How a state was reached.
#[derive(Clone, Copy)]
struct Reached {
    length: u32,
    from: Option<(StateId, Symbol)>,
}

impl Work<'_> {
    /// The length of [`Work::ending`].
    pub(crate) fn ending_length(&mut self, state: StateId) -> Result<u32, LowerError> {
        Ok(self.way(state)?.length)
    }

    /// A way from `state` to the end of the text.
    ///
    /// # Errors
    /// [`LimitError::EndingSteps`] if none is found within the limit.
    pub(crate) fn ending(&mut self, state: StateId) -> Result<Ending, LowerError> {
        let way = self.way(state)?;
        let mut ending = Ending { symbols: Vec::new(), shortest: way.shortest };
        let mut next = way.next;
        while let Some((symbol, state)) = next {
            ending.symbols.push(symbol);
            next = self.way(state)?.next;
        }
        Ok(ending)
    }

    fn way(&mut self, state: StateId) -> Result<Way, LowerError> {
        if let Some(known) = self.inner.ways.get(&state) {
            return Ok(*known);
        }
        let steps_max = self.inner.limits.ending_steps_max;
        if self.inner.lost.contains(&state) {
            return Err(LimitError::EndingSteps(steps_max).into());
        }
        self.measure();
        let found = match self.search(state, 1, steps_max)? {
            Some(goal) => Some(goal),
            None => self.search(state, HASTE, steps_max)?,
        };
        found.ok_or_else(|| {
            self.inner.lost.insert(state);
            LimitError::EndingSteps(steps_max).into()
        })
    }

    /// Lowers all rules, as far as the limit lets, and finds their lengths.
    fn measure(&mut self) {
        let inner = &mut *self.inner;
        if inner.measured < inner.rules.count_run() {
            inner.rules.place_all(inner.limits.ending_steps_max);
            inner.measured = inner.rules.count_run();
            inner.lengths = Lengths::new(&inner.rules);
        }
    }

    /// Looks for a way from `start`, and keeps it.
    fn search(
        &mut self,
        start: StateId,
        weight: u32,
        steps_max: usize,
    ) -> Result<Option<Way>, LowerError> {
        let mut reached = FxHashMap::default();
        reached.insert(start, Reached { length: 0, from: None });
        let mut queue = BinaryHeap::new();
        queue.push((Reverse(0), 0, start));
        for _ in 0..steps_max {
            let Some((_, length, at)) = queue.pop() else { return Ok(None) };
            if reached.get(&at).is_none_or(|best| best.length < length) {
                continue;
            }
            let known = self.inner.ways.get(&at).copied();
            let state = self.state(at);
            if state.accepting || known.is_some_and(|way| way.shortest || weight > 1) {
                return Ok(Some(self.keep(&reached, at, known, weight == 1)));
            }
            for (symbol, next) in self.symbols(state, at)? {
                let length = length + 1;
                if reached.get(&next).is_some_and(|best| best.length <= length) {
                    continue;
                }
                reached.insert(next, Reached { length, from: Some((at, symbol)) });
                let state = self.state(next);
                let rest = match self.inner.ways.get(&next) {
                    Some(way) if way.shortest => way.length,
                    _ if state.accepting => 0,
                    _ => self.inner.least(&state.items),
                };
                let all = length.saturating_add(rest.saturating_mul(weight));
                queue.push((Reverse(all), length, next));
            }
        }
        Ok(None)
    }

    /// Every symbol that leads on from a state, one byte of those that are alike.
    fn symbols(
        &mut self,
        state: &State,
        id: StateId,
    ) -> Result<Vec<(Symbol, StateId)>, LowerError> {
        let mut symbols = Vec::new();
        for &sample in state.samples() {
            let next = self.step(id, sample)?;
            if next != StateId::DEAD {
                let class = state.class(sample);
                let alike = |byte: &&u8| state.class(**byte) == class;
                let byte = PLEASANT.iter().find(alike).copied().unwrap_or(sample);
                symbols.push((Symbol::Byte(byte), next));
            }
        }
        for marker in self.markers(id) {
            let next = self.inner.step_marker(self.states, id, marker)?;
            if next != StateId::DEAD {
                symbols.push((Symbol::Marker(marker), next));
            }
        }
        Ok(symbols)
    }

    /// Keeps the way to `end`, from where `rest` is known, and answers its first step.
    fn keep(
        &mut self,
        reached: &FxHashMap<StateId, Reached>,
        end: StateId,
        rest: Option<Way>,
        shortest: bool,
    ) -> Way {
        let mut way = rest.unwrap_or(Way { length: 0, next: None, shortest: true });
        way.shortest &= shortest || rest.is_none();
        let mut at = end;
        self.inner.ways.insert(at, way);
        while let Some((before, symbol)) = reached.get(&at).and_then(|found| found.from) {
            way = Way { length: way.length + 1, next: Some((symbol, at)), shortest };
            at = before;
            self.inner.ways.insert(at, way);
        }
        way
    }
}

#[cfg(test)]
mod tests;
