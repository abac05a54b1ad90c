//! Language claims as tables of accepted and rejected texts, against outside oracles.

mod corpus;
mod corpus_foreign;
mod emitted;
mod engine;
mod engines;
mod free;
mod grammars;
mod json_schema;
mod matcher;
mod printed;
mod random;
mod regex;
mod schema;
mod schema_drafts;
mod schema_objects;
mod schema_refused;
mod schema_strings;
mod schema_suite;
mod styles;
mod styles_random;
mod tags;
