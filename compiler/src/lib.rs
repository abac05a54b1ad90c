//! Blueprint templates to an intermediate form, and that to grammars.
//!
//! Template text is parsed, rendered and lowered to an [`Ir`](ir::Ir); emitters print the same
//! language for other engines. Knows no tokenizer or tensor, and files only through a [`Loader`].

pub mod emit;
pub mod ir;

mod arena;
mod ast;
mod blame;
mod blocks;
mod blueprint;
mod chars;
mod code;
mod comparison;
mod constructs;
mod diagnostic;
mod environment;
mod expression;
mod fault;
mod filters;
mod follow;
mod limits;
mod loader;
mod lower;
mod outline;
mod parse;
mod prepare;
mod problem;
mod regex;
mod rewrite;
mod schema;
mod source;
mod suggest;
mod value;
mod whitespace;

pub use blueprint::Blueprint;
pub use chars::until::{Delimiter, Overlap, automaton as anything_until};
pub use code::Code;
pub use diagnostic::{Diagnostic, Diagnostics, Related, Severity};
pub use ir::Ir;
pub use limits::Limits as TemplateLimits;
pub use loader::{Folder, LoadError, Loader};
pub use outline::Outline;
pub use regex::PatternError;
pub use schema::{
    Formats, OptionError, Order, SchemaError, SchemaFault, SchemaOptions, Whitespace,
};
