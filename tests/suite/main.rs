//! The integration tests, in one binary.

mod catalog;
mod cli;
#[cfg(feature = "decode")]
mod cli_generate;
#[cfg(not(feature = "decode"))]
mod cli_no_generate;
mod cli_tokens;
mod command;
mod shared;
