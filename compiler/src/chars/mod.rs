//! Languages over characters as automata: free text, and what JSON strings are made of.

pub(crate) mod anchors;
pub(crate) mod spelling;
pub(crate) mod until;
