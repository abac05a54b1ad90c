//! One template per model family says what a language model may write.
//!
//! From that template come token masks that hold a model to it, the same language as a regular
//! expression, EBNF or XGrammar structural tag, and a decoder that follows it.
//!
//! ```
//! use blueprints::{Blueprint, MatchText};
//!
//! let blueprint = Blueprint::from_str("{% repeat min=1 max=2 %}ab{% endrepeat %}{{ end }}")?;
//! let outline = blueprint.outline(std::collections::BTreeMap::from([("end", "!")]))?;
//! assert!(outline.is_match("abab!")?);
//! assert!(!outline.is_match("!")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalog;

pub use blueprints_compiler::*;
pub use blueprints_parser::*;
pub use blueprints_providers as providers;
pub use blueprints_runtime::*;
pub use blueprints_sessions as sessions;
pub use catalog::{Catalog, Metadata, fingerprint};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
