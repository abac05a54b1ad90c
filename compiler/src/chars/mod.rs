//! Languages over characters as automata: free text, and what JSON strings are made of.

pub(crate) mod anchors;
pub(crate) mod dfa;
pub(crate) mod digits;
pub(crate) mod ecma;
mod ecma_class;
pub(crate) mod factor;
pub(crate) mod json;
pub(crate) mod length;
mod patterns;
pub(crate) mod spelling;
pub(crate) mod until;
