//! All tests of the whole: one binary, cases as files and tables.

mod catalog;
mod cli;
#[cfg(feature = "decode")]
mod cli_generate;
#[cfg(not(feature = "decode"))]
mod cli_no_generate;
mod cli_tokens;
mod command;
mod masks;
mod random_ir;
mod real_vocabularies;
mod reference;
mod reference_stack;
mod schema_bench;
mod schema_oracle;
mod shared;
mod snapshots;
mod templates;
mod tidy;
mod toy;
mod tracked;
