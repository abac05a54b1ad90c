//! Language claims as tables of accepted and rejected texts, against outside oracles.

mod matcher;
mod regex;
