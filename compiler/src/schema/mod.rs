//! Lowers a JSON Schema to the JSON texts that are valid for it.
//!
//! The meaning is the standard's (2020-12), read off the JSON text: each keyword is held exactly
//! or refused with its JSON pointer. Some texts of valid values are left out, never is an
//! invalid one let in:
//!
//! - objects have their declared keys in declared order, then the other required ones, then the
//!   rest; objects and arrays of `enum` and `const` are spelled in their given key order;
//! - an integer may be spelled `7`, `-0`, `7.00`, `7e2`, `7.0E+2`, `7e-0`; not `1.5e1` or
//!   `10e-1`, whose value depends on how two of its parts compare;
//! - a number of `enum` or `const` may be spelled plainly, with zeros at the end of its fraction,
//!   with the exponent 0, and with its digits before the exponent as an integer or with a point
//!   after the first;
//! - strings hold no lone surrogates, which are no characters.
//!
//! Keys that are not declared may repeat. Knows `ir`, `chars` and `regex`.

mod array;
mod decimal;
mod evaluate;
mod literal;
mod lower;
mod number;
mod object;
mod options;
mod read;
mod reference;
mod shared;
mod string;

use std::sync::Arc;

use thiserror::Error;

use crate::ir::{Ir, RuleError, RuleId, Rules};

pub use options::{Formats, OptionError, Order, SchemaOptions, Whitespace};

/// The deepest nest of arrays and objects in a schema.
pub(crate) const SCHEMA_NEST_MAX: usize = 200;

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

/// The JSON texts that are valid for `source`, as rules.
pub(crate) fn rules(
    source: &serde_json::Value,
    options: &SchemaOptions,
) -> Result<Arc<dyn Rules>, SchemaError> {
    check_nest(source)?;
    Ok(Arc::new(Made(lower::lower(source, options)?)))
}

/// All of `rules` as one language.
pub(crate) fn body(rules: &dyn Rules) -> Result<Ir, RuleError> {
    rules.body(rules.start())
}

/// Rules that are made already.
#[derive(Debug)]
struct Made(Ir);

impl Rules for Made {
    fn start(&self) -> RuleId {
        RuleId(0)
    }

    fn body(&self, _rule: RuleId) -> Result<Ir, RuleError> {
        Ok(self.0.clone())
    }
}

/// Refuses a schema that nests too deep, without recursion.
fn check_nest(source: &serde_json::Value) -> Result<(), SchemaError> {
    let mut queue = vec![(source, 0)];
    while let Some((value, nest)) = queue.pop() {
        if nest > SCHEMA_NEST_MAX {
            let message = format!("the schema nests deeper than {SCHEMA_NEST_MAX}");
            return Err(SchemaError::too_large("", message));
        }
        match value {
            serde_json::Value::Array(items) => {
                queue.extend(items.iter().map(|item| (item, nest + 1)));
            }
            serde_json::Value::Object(members) => {
                queue.extend(members.values().map(|member| (member, nest + 1)));
            }
            _ => {}
        }
    }
    Ok(())
}
