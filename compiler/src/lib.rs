//! Blueprint templates to an intermediate form, and that to grammars.
//!
//! Template text is parsed, rendered and lowered to an [`Ir`](ir::Ir); emitters print the same
//! language for other engines. Knows no tokenizer or tensor, and files only through a [`Loader`].

pub mod emit;
pub mod grammars;
pub mod ir;

mod chars;
mod describe;
mod diagnostic;
mod limits;
mod loader;
mod open;
mod outline;
mod regex;
mod schema;
mod template;

pub use chars::until::{Overlap, Unit, Units};
pub use diagnostic::code::Code;
pub use diagnostic::explain::Explanation;
pub use diagnostic::{Diagnostic, Diagnostics, Related, Severity};
pub use ir::Ir;
pub use limits::Limits as TemplateLimits;
pub use loader::{Folder, LoadError, Loader};
pub use outline::Outline;
pub use regex::PatternError;
pub use schema::{
    Escapes, Formats, Numbers, OptionError, Order, Remotes, SchemaError, SchemaFault,
    SchemaOptions, Style, Whitespace,
};
pub use template::blueprint::Blueprint;
pub use template::constructs::extension::{Extensions, HostCall, HostError, Made};
