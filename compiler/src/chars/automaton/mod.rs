//! The least deterministic automata over characters, as values: equal ones are equal languages.
//!
//! Every state has a number as its output; a language is an automaton with the outputs 0 and 1.
//! States are complete (there is an edge for every character), are stored as a default and the
//! letters that lead elsewhere, and are numbered in the order in which a search from the start
//! meets them, so that an automaton is the same value however it was made.

mod explore;
mod hash;
mod letters;
mod minimal;
mod reach;
mod words;

use std::sync::{Arc, LazyLock};

use regex_syntax::hir::ClassUnicode;
use thiserror::Error;

pub(crate) use explore::{Steps, explore, explore_within};
pub(crate) use hash::{Map, Set};
pub(crate) use letters::Letters;
pub(crate) use reach::LengthSet;

/// The most states of an automaton that is made by combining others.
pub(crate) const STATES_MAX: usize = 1 << 14;

/// A set is too large an automaton, or a question about it takes too many steps.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub(crate) struct TooLarge(pub(crate) &'static str);

/// A deterministic automaton in its canonical form; state 0 is the start.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Automaton {
    letters: Letters,
    rows: Vec<Row>,
    outputs: Vec<u32>,
}

/// The edges of one state: the letters of `others`, ascending, lead to a state other than
/// `default`, to which all other letters (there is at least one) lead.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Row {
    pub(crate) default: u32,
    pub(crate) others: Box<[(u32, u32)]>,
}

impl Row {
    pub(crate) fn to(&self, letter: u32) -> u32 {
        match self.others.binary_search_by_key(&letter, |edge| edge.0) {
            Ok(at) => self.others[at].1,
            Err(_) => self.default,
        }
    }

    /// The states that follow.
    pub(crate) fn targets(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.default).chain(self.others.iter().map(|edge| edge.1))
    }

    /// Whether all letters lead to `state`.
    fn stays(&self, state: u32) -> bool {
        self.default == state && self.others.is_empty()
    }
}

/// A state of a table: its output, its default, and its other edges by their letters.
pub(crate) type TableRow = (u32, u32, Vec<(u32, u32)>);

impl Automaton {
    /// The automaton that gives every text the output `output`.
    pub(crate) fn constant(output: u32) -> Self {
        let row = Row { default: 0, others: Box::new([]) };
        Self { letters: Letters::one(), rows: vec![row], outputs: vec![output] }
    }

    /// The automaton with these runs of letters and these states, each with its output, its
    /// default and its other edges; `None` if they make none, or too large a one.
    pub(crate) fn from_table(runs: Vec<(u32, u32)>, states: Vec<TableRow>) -> Option<Self> {
        let letters = Letters::from_runs(runs)?;
        let (count, size) = (states.len() as u32, letters.count());
        let fits = states.iter().all(|(_, default, others)| {
            let ascends = others.is_sorted_by(|one, two| one.0 < two.0);
            let inside = others.iter().all(|(letter, to)| *letter < size && *to < count);
            *default < count && ascends && inside && others.len() < size as usize
        });
        if !fits || states.is_empty() {
            return None;
        }
        let steps = |at: &u32| {
            let (_, default, others) = &states[*at as usize];
            Ok(Steps { default: *default, others: others.clone() })
        };
        explore(letters, 0, steps, |at| states[*at as usize].0).ok()
    }

    /// Every text.
    pub(crate) fn all() -> Arc<Self> {
        static ALL: LazyLock<Arc<Automaton>> = LazyLock::new(|| Arc::new(Automaton::constant(1)));
        Arc::clone(&ALL)
    }

    /// No text.
    pub(crate) fn never() -> Arc<Self> {
        static NEVER: LazyLock<Arc<Automaton>> = LazyLock::new(|| Arc::new(Automaton::constant(0)));
        Arc::clone(&NEVER)
    }

    pub(crate) fn letters(&self) -> &Letters {
        &self.letters
    }

    pub(crate) fn states(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn row(&self, state: u32) -> &Row {
        &self.rows[state as usize]
    }

    pub(crate) fn output(&self, state: u32) -> u32 {
        self.outputs[state as usize]
    }

    /// Whether no text has an output other than 0.
    pub(crate) fn is_never(&self) -> bool {
        self.states() == 1 && self.outputs[0] == 0
    }

    /// Whether every text has the output 1.
    pub(crate) fn is_all(&self) -> bool {
        self.states() == 1 && self.outputs[0] == 1
    }

    /// The output of all texts from `state` on, if they have the same.
    pub(crate) fn settled(&self, state: u32) -> Option<u32> {
        self.row(state).stays(state).then(|| self.output(state))
    }

    /// The output of `text`.
    pub(crate) fn run(&self, text: &str) -> u32 {
        let step = |state, character| self.row(state).to(self.letters.of(character));
        self.output(text.chars().fold(0, step))
    }

    /// The automaton with each output mapped by `rename`.
    pub(crate) fn with_outputs(&self, rename: impl Fn(u32) -> u32) -> Self {
        let outputs = self.outputs.iter().map(|&output| rename(output)).collect();
        minimal::minimal(self.letters.clone(), self.rows.clone(), outputs)
    }

    /// The automaton with each output mapped by `rename`, which tells all of them apart.
    pub(crate) fn renamed(&self, rename: impl Fn(u32) -> u32) -> Self {
        let outputs = self.outputs.iter().map(|&output| rename(output)).collect();
        Self { letters: self.letters.clone(), rows: self.rows.clone(), outputs }
    }

    /// The automaton with each output one higher, but for states from which all outputs are 0.
    pub(crate) fn with_dead_ends(&self) -> Self {
        let output = |state| match self.settled(state) {
            Some(0) => 0,
            _ => self.output(state) + 1,
        };
        let outputs = (0..self.states() as u32).map(output).collect();
        Self { letters: self.letters.clone(), rows: self.rows.clone(), outputs }
    }

    /// The texts with the output 0.
    pub(crate) fn complement(&self) -> Self {
        let outputs = self.outputs.iter().map(|&output| u32::from(output == 0)).collect();
        Self { letters: self.letters.clone(), rows: self.rows.clone(), outputs }
    }

    /// The automaton whose output is `join` of the outputs of the two.
    ///
    /// # Errors
    /// [`TooLarge`] above [`STATES_MAX`].
    pub(crate) fn product(
        &self,
        other: &Self,
        join: impl Fn(Option<u32>, Option<u32>) -> Option<u32>,
    ) -> Result<Self, TooLarge> {
        explore::product(self, other, &join)
    }

    /// The texts of both.
    pub(crate) fn intersection(&self, other: &Self) -> Result<Self, TooLarge> {
        self.product(other, |one, two| match (one, two) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(_), Some(_)) => Some(1),
            _ => None,
        })
    }

    /// The texts of either.
    pub(crate) fn union(&self, other: &Self) -> Result<Self, TooLarge> {
        self.product(other, |one, two| match (one, two) {
            (Some(0), Some(0)) => Some(0),
            (Some(0) | None, Some(0) | None) => None,
            _ => Some(1),
        })
    }

    /// The texts of the first that are not of the second.
    pub(crate) fn difference(&self, other: &Self) -> Result<Self, TooLarge> {
        self.product(other, |one, two| match (one, two) {
            (Some(0), _) => Some(0),
            (_, Some(other)) if other != 0 => Some(0),
            (Some(_), Some(_)) => Some(1),
            _ => None,
        })
    }

    /// The sets of characters that lead from `state` to each state that follows.
    pub(crate) fn edges(&self, state: u32, sets: &[ClassUnicode]) -> Vec<(u32, ClassUnicode)> {
        let row = self.row(state);
        let mut targets: std::collections::BTreeMap<u32, ClassUnicode> = Default::default();
        let mut rest = 0;
        for letter in 0..self.letters.count() {
            let to = match row.others.get(rest) {
                Some(&(other, to)) if other == letter => {
                    rest += 1;
                    to
                }
                _ => row.default,
            };
            if self.settled(to) != Some(0) {
                let set = &sets[letter as usize];
                targets.entry(to).or_insert_with(ClassUnicode::empty).union(set);
            }
        }
        targets.into_iter().collect()
    }
}
