//! All tests of the whole: one binary, cases as files and tables.

mod budgets;
mod catalog;
mod catalog_cases;
mod catalog_render;
mod catalog_roundtrip;
#[cfg(feature = "decode")]
mod catalog_templates;
mod catalog_tokens;
mod catalog_walks;
mod cli;
mod cli_explain;
#[cfg(feature = "decode")]
mod cli_generate;
#[cfg(not(feature = "decode"))]
mod cli_no_generate;
mod cli_request;
mod cli_schema;
mod cli_tokens;
mod command;
mod docs;
mod forced_tokens;
mod hostile;
mod masks;
mod matcher;
mod random_ir;
mod real_schemas;
mod real_vocabularies;
mod reference;
mod reference_stack;
mod schema_bench;
mod schema_oracle;
mod schema_walks;
mod shared;
mod snapshots;
mod templates;
mod tidy;
mod toy;
mod tracked;
