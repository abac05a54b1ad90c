//! Lowers a JSON Schema to the JSON texts that are valid for it.
//!
//! The meaning is the standard's, read off the JSON text: each keyword is held exactly, or
//! refused with its JSON pointer and the reason. The values of one place are a Boolean formula
//! over schemas ([`formula`]). A formula is split by type ([`normal`]): scalars are sets, arrays
//! and objects Boolean formulas over facts about their parts, which become alternatives, each
//! with a machine that decides at the end what an automaton alone cannot. Rules are made when
//! they are first called ([`values`]).
//!
//! Declared keys, and sets of few keys, never repeat in an object, and no key does where
//! `minProperties` counts them; other keys may, and each counts for `maxProperties`.
//!
//! Strings hold no lone surrogates, which are no characters. `contentEncoding` and
//! `contentMediaType` are annotations in every draft: draft 7 leaves it to the implementation
//! whether they assert anything, in later ones they do not.
//!
//! Knows `ir`, `chars` and `regex`.

mod address;
mod arrays;
mod boolean;
mod document;
mod draft;
mod empty;
mod explain;
mod formula;
mod keywords;
mod layout;
mod normal;
mod numbers;
mod objects;
mod options;
mod reference;
mod regular;
mod rules;
mod schemas;
mod strings;
mod styles;
mod survey;
mod values;

use thiserror::Error;

pub use numbers::NumberMachine;
pub(crate) use numbers::canonical_number;
pub use options::{Escapes, Formats, Numbers, OptionError, Order, SchemaOptions, Whitespace};
pub use reference::Remotes;
pub(crate) use rules::{Body, Compiled, body, compile};
pub use styles::Style;

/// Why a schema is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct SchemaError {
    /// What kind of fault it is.
    pub code: SchemaFault,
    /// The JSON pointer of the place in the schema.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

/// The kinds of faults in a schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SchemaFault {
    /// It is no schema: a keyword has a value it cannot have.
    Invalid,
    /// A keyword or a combination of keywords that cannot be held exactly.
    Unsupported,
    /// A reference that leads nowhere.
    Unresolved,
    /// No JSON text is valid.
    Unsatisfiable,
    /// It is above a limit on size.
    TooLarge,
    /// It is an older spelling where no `$schema` says so, and is read as it was meant.
    Repaired,
}

impl SchemaFault {
    /// A word for it, the same for ever.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Unsupported => "unsupported",
            Self::Unresolved => "unresolved",
            Self::Unsatisfiable => "unsatisfiable",
            Self::TooLarge => "too_large",
            Self::Repaired => "repaired",
        }
    }
}

impl SchemaError {
    fn new(code: SchemaFault, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, pointer: pointer.into(), message: message.into() }
    }

    /// `{"type": 5}`: the keyword has a value it cannot have.
    fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(SchemaFault::Invalid, pointer, message)
    }

    /// `{"not": {}}`: it cannot be held exactly.
    fn unsupported(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(SchemaFault::Unsupported, pointer, message)
    }

    /// `{"$ref": "#/nowhere"}`: the reference leads nowhere.
    fn unresolved(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(SchemaFault::Unresolved, pointer, message)
    }

    /// `{"minLength": 2, "maxLength": 1}`: nothing is valid.
    fn unsatisfiable(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(SchemaFault::Unsatisfiable, pointer, message)
    }

    /// A schema above a limit.
    fn too_large(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(SchemaFault::TooLarge, pointer, message)
    }
}
