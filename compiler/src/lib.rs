//! Blueprint templates to an intermediate form, and that to grammars.
//!
//! Template text is parsed, rendered and lowered to an [`Ir`](ir::Ir); emitters print the same
//! language for other engines. Knows no tokenizer, tensor or file system.

pub mod emit;
pub mod ir;

mod chars;
mod outline;
mod regex;
mod schema;

pub use chars::until::{Delimiter, Overlap, automaton as anything_until};
pub use ir::Ir;
pub use outline::Outline;
pub use regex::PatternError;
pub use schema::{SchemaError, SchemaOptions};
