//! Language claims as tables of accepted and rejected texts, against outside oracles.

mod matcher;
mod regex;
mod schema;
mod schema_refused;
mod schema_strings;
mod schema_suite;
