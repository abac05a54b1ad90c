//! The recogniser: an outline's rules as byte automata, and the states that texts lead to.
//!
//! Knows bytes and opaque markers (which stand for special tokens), and never sees a token id.
//! A state is a canonical set of items; the frames that say what a rule returns to, and how often
//! a loop has run, stand beside it and are shared.

mod frames;
mod lower;
mod nfa;
mod states;

pub(crate) use lower::{Binding, LowerError, Symbol, lower};
pub(crate) use nfa::Marker;
pub(crate) use states::{Engine, StateId};
