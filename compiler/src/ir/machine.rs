//! Machines: what a tracked part remembers beside its automaton.
//!
//! A [`Tracked`](super::Tracked) part carries a register. Its machine says what the register holds
//! at the beginning, which actions are allowed where, and what they make of it. The engine takes
//! equal values for one state, so a machine keeps its values canonical.

use std::fmt::{self, Display};

pub use super::counters::{Action, Condition, Counters, Effect};

/// What a register holds. Equal values behave alike.
pub type Value = Box<[u32]>;

/// The machine of a tracked part.
#[derive(Clone, PartialEq, Debug)]
pub enum Machine {
    /// Counters that stop at a bound, compared with constants.
    Counters(Counters),
}

impl Machine {
    /// The value at the beginning of the part.
    #[must_use]
    pub fn start(&self) -> Value {
        match self {
            Self::Counters(counters) => counters.start(),
        }
    }

    /// The value after `action`; `None` if it is not allowed, or if nothing that may follow it
    /// would lead to the end of the part.
    #[must_use]
    pub fn step(&self, value: &Value, action: u32) -> Option<Value> {
        match self {
            Self::Counters(counters) => counters.step(value, action),
        }
    }

    /// The value after a byte of an observed part; `None` as for [`Machine::step`].
    #[must_use]
    pub fn read(&self, value: &Value, _byte: u8) -> Option<Value> {
        match self {
            Self::Counters(_) => Some(value.clone()),
        }
    }

    /// The number of actions; they are numbered from 0.
    #[must_use]
    pub fn actions(&self) -> u32 {
        match self {
            Self::Counters(counters) => counters.actions().len() as u32,
        }
    }

    /// The one value that stands for all that no run of at most `span` actions tells from
    /// `value`: each such run is allowed from both or from neither.
    #[must_use]
    pub fn abstracted(&self, value: &Value, span: u32) -> Value {
        match self {
            Self::Counters(counters) => counters.abstracted(value, span),
        }
    }
}

impl Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counters(counters) => write!(f, "{counters}"),
        }
    }
}
