//! Nondeterministic automata of patterns (Thompson 1968), with guards where a pattern looks
//! around.

use std::collections::HashMap;

use regex_syntax::hir::ClassUnicode;

use super::automaton::TooLarge;
use super::pattern::Pattern;

/// The most states; counts are unrolled here.
const STATES_MAX: usize = 20_000;

/// The start of every automaton.
pub(super) const START: u32 = 0;
/// Its only accepting state.
pub(super) const FINAL: u32 = 1;

/// What must hold where an edge without a character is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Guard {
    None,
    Start,
    End,
    WordBoundary {
        negated: bool,
    },
    /// The look-around of this number.
    Look(usize),
}

/// One look-around.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) behind: bool,
    pub(super) negated: bool,
    pub(super) body: Pattern,
}

/// A nondeterministic automaton whose edges are labelled with sets by their number.
#[derive(Default)]
pub(super) struct Nfa {
    pub(super) silent: Vec<Vec<(Guard, u32)>>,
    pub(super) edges: Vec<Vec<(u32, u32)>>,
    pub(super) sets: Vec<ClassUnicode>,
    pub(super) looks: Vec<Look>,
    index: HashMap<Vec<(char, char)>, u32>,
}

impl Nfa {
    /// The automaton of `pattern`.
    ///
    /// # Errors
    /// [`TooLarge`] above `STATES_MAX`.
    pub(super) fn new(pattern: &Pattern) -> Result<Self, TooLarge> {
        let mut nfa = Self::default();
        nfa.state()?;
        nfa.state()?;
        nfa.add(pattern, START, FINAL)?;
        Ok(nfa)
    }

    fn state(&mut self) -> Result<u32, TooLarge> {
        if self.silent.len() == STATES_MAX {
            return Err(TooLarge("the pattern is too large an automaton"));
        }
        self.silent.push(Vec::new());
        self.edges.push(Vec::new());
        Ok(self.silent.len() as u32 - 1)
    }

    fn link(&mut self, from: u32, guard: Guard, to: u32) {
        self.silent[from as usize].push((guard, to));
    }

    fn set(&mut self, set: &ClassUnicode) -> u32 {
        let key = set.ranges().iter().map(|range| (range.start(), range.end())).collect();
        let sets = &mut self.sets;
        *self.index.entry(key).or_insert_with(|| {
            sets.push(set.clone());
            sets.len() as u32 - 1
        })
    }

    fn add(&mut self, pattern: &Pattern, from: u32, to: u32) -> Result<(), TooLarge> {
        match pattern {
            Pattern::Set(set) => {
                let set = self.set(set);
                self.edges[from as usize].push((set, to));
            }
            Pattern::Concat(parts) => {
                let mut at = from;
                for part in parts {
                    let next = self.state()?;
                    self.add(part, at, next)?;
                    at = next;
                }
                self.link(at, Guard::None, to);
            }
            Pattern::Alternation(arms) => {
                for arm in arms {
                    // An arm that loops at its end must not reach the start of another.
                    let (begin, end) = (self.state()?, self.state()?);
                    self.link(from, Guard::None, begin);
                    self.link(end, Guard::None, to);
                    self.add(arm, begin, end)?;
                }
            }
            Pattern::Repeat { body, min, max } => self.repeat(body, (*min, *max), from, to)?,
            Pattern::Start => self.link(from, Guard::Start, to),
            Pattern::End => self.link(from, Guard::End, to),
            Pattern::WordBoundary { negated } => {
                self.link(from, Guard::WordBoundary { negated: *negated }, to);
            }
            Pattern::Look { behind, negated, body } => {
                let look = self.looks.len();
                let (behind, negated, body) = (*behind, *negated, (**body).clone());
                self.looks.push(Look { behind, negated, body });
                self.link(from, Guard::Look(look), to);
            }
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        body: &Pattern,
        (min, max): (u32, Option<u32>),
        from: u32,
        to: u32,
    ) -> Result<(), TooLarge> {
        let mut at = from;
        for _ in 0..min {
            let next = self.state()?;
            self.add(body, at, next)?;
            at = next;
        }
        let Some(max) = max else {
            let begin = self.state()?;
            self.link(at, Guard::None, begin);
            self.add(body, begin, begin)?;
            self.link(begin, Guard::None, to);
            return Ok(());
        };
        for _ in min..max {
            self.link(at, Guard::None, to);
            let next = self.state()?;
            self.add(body, at, next)?;
            at = next;
        }
        self.link(at, Guard::None, to);
        Ok(())
    }
}
