//! Languages over characters as automata: free text, and what JSON strings are made of.

pub(crate) mod anchors;
pub(crate) mod automaton;
pub(crate) mod digits;
pub(crate) mod ecma;
mod ecma_class;
pub(crate) mod factor;
pub(crate) mod idna;
pub(crate) mod json;
mod nfa;
pub(crate) mod pattern;
pub(crate) mod patterns;
pub(crate) mod python;
pub(crate) mod search;
pub(crate) mod spelling;
pub(crate) mod until;
