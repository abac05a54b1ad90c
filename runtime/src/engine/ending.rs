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
use super::states::{LocalRef, State, StateId};
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

/// How a search goes about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// What is nearest to the end by the lower bound is followed first, the bound counting so many
    /// times.
    Nearest(u32),
    /// What was met last is followed first, and of all that follow a state what is nearest to the
    /// end. Of symbols after which just registers differ few are followed.
    Deepest,
}

/// The ways to search, one after the other where the ones before take too many steps: only the
/// first one's answer is the shortest. Where bounds tell little, as of objects that owe much, and
/// where registers have a value for each symbol, as of keys that must differ, the last one ends;
/// it may take so many times as many steps.
const MANNERS: [(Manner, usize); 3] =
    [(Manner::Nearest(1), 1), (Manner::Nearest(8), 1), (Manner::Deepest, 4)];

/// After how many searches in a row that took too many steps a manner is given up for a program.
const FAILED_MAX: u32 = 3;

/// How many symbols are followed after which just registers differ.
const ALIKE_MAX: usize = 2;

/// How many states a search may meet for each of its steps.
const MET_MAX: usize = 4;

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
        for (number, (manner, times)) in MANNERS.into_iter().enumerate() {
            let last = number + 1 == MANNERS.len();
            if !last && self.inner.failed[number] >= FAILED_MAX {
                continue;
            }
            if let Some(way) = self.search(state, manner, steps_max.saturating_mul(times))? {
                self.inner.failed[number] = 0;
                return Ok(way);
            }
            self.inner.failed[number] += 1;
        }
        self.inner.lost.insert(state);
        Err(LimitError::EndingSteps(steps_max).into())
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
        manner: Manner,
        steps_max: usize,
    ) -> Result<Option<Way>, LowerError> {
        let mut reached = FxHashMap::default();
        reached.insert(start, Reached { length: 0, from: None });
        let mut queue = BinaryHeap::new();
        let mut order = 0;
        queue.push((Reverse(0), 0, start));
        for _ in 0..steps_max {
            let Some((_, length, at)) = queue.pop() else { return Ok(None) };
            if reached.get(&at).is_none_or(|best| best.length < length) {
                continue;
            }
            let known = self.inner.ways.get(&at).copied();
            let state = self.state(at);
            let exact = manner == Manner::Nearest(1);
            if state.accepting || known.is_some_and(|way| way.shortest || !exact) {
                return Ok(Some(self.keep(&reached, at, known, exact)));
            }
            if reached.len() > steps_max.saturating_mul(MET_MAX) {
                return Ok(None);
            }
            let mut symbols = self.symbols(state, at)?;
            if manner == Manner::Deepest {
                self.thin(&mut symbols);
            }
            let mut met = Vec::with_capacity(symbols.len());
            for (symbol, next) in symbols {
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
                met.push((rest, length, next));
            }
            // Of those that are as near the first one comes last, and so is followed first.
            met.reverse();
            met.sort_by_key(|&(rest, ..)| Reverse(rest));
            for (rest, length, next) in met {
                let rank = match manner {
                    Manner::Nearest(weight) => length.saturating_add(rest.saturating_mul(weight)),
                    Manner::Deepest => u32::MAX - order,
                };
                order += 1;
                queue.push((Reverse(rank), length, next));
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

    /// Keeps a few of the symbols after which just registers differ, pleasant ones first.
    fn thin(&self, symbols: &mut Vec<(Symbol, StateId)>) {
        // Escapes spell what other bytes do, each character in several ways.
        let escape = |symbol: Symbol| matches!(symbol, Symbol::Byte(b'\\'));
        if symbols.iter().any(|&(symbol, _)| !escape(symbol)) {
            symbols.retain(|&(symbol, _)| !escape(symbol));
        }
        let pleasant = |symbol: Symbol| match symbol {
            Symbol::Byte(byte) => PLEASANT.iter().position(|&known| known == byte),
            Symbol::Marker(_) => None,
        };
        symbols.sort_by_key(|&(symbol, _)| pleasant(symbol).unwrap_or(PLEASANT.len()));
        let mut met: FxHashMap<Vec<LocalRef>, usize> = FxHashMap::default();
        symbols.retain(|&(_, next)| {
            let places = self.state(next).items.iter().map(|item| item.1);
            let count = met.entry(places.collect()).or_default();
            *count += 1;
            *count <= ALIKE_MAX
        });
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
