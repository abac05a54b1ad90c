//! What stands in the way of a request, and what its caller should know.

use std::fmt;

use thiserror::Error;

/// One reason why a provider cannot be asked for what was meant.
///
/// It prints as `provider.rule detail at pointer`; the pointer of the whole schema is `/`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct Problem {
    /// The family of the provider, or `schema` for what no provider could take.
    pub scope: String,
    /// The rule that is broken.
    pub rule: String,
    /// The keyword or the figures, if there are any.
    pub detail: Option<String>,
    /// The place in the schema, as a JSON pointer.
    pub pointer: Option<String>,
}

impl Problem {
    pub(crate) fn new(scope: &str, rule: &str) -> Self {
        Self { scope: scope.to_owned(), rule: rule.to_owned(), detail: None, pointer: None }
    }

    pub(crate) fn detail(self, detail: impl fmt::Display) -> Self {
        Self { detail: Some(detail.to_string()), ..self }
    }

    pub(crate) fn at(self, pointer: &str) -> Self {
        Self { pointer: Some(pointer.to_owned()), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.scope, self.rule)?;
        if let Some(detail) = &self.detail {
            write!(f, " {detail}")?;
        }
        match &self.pointer {
            Some(pointer) => write!(f, " at {}", shown(pointer)),
            None => Ok(()),
        }
    }
}

/// Why there is no request: all the problems of the intent, in the order of the schema.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}", .problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))]
pub struct RequestError {
    /// At least one.
    pub problems: Vec<Problem>,
}

impl From<Problem> for RequestError {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

/// What the caller should know about a request that can be made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Warning {
    /// A property may be absent, but the provider wants it: it may be null instead.
    OptionalMadeNullable {
        /// The property.
        pointer: String,
    },
    /// The provider wants an object at the root, so the value is a member of one.
    RootWrapped,
    /// A pattern is held by a JSON string that holds the text.
    RegexWrappedInJson,
    /// A keyword that the provider does not hold stands in the description, for the model to read.
    KeywordMovedToDescription {
        /// The keyword.
        keyword: String,
        /// The schema that had it.
        pointer: String,
    },
    /// The provider cannot constrain: the prompt asks for it.
    DegradedToPrompt {
        /// What the prompt asks for, by the name of the intent.
        feature: String,
    },
    /// The provider holds a weaker form of a blueprint.
    Weaker {
        /// What it does not hold.
        loss: String,
    },
    /// A fact of the provider's data file.
    Fact(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OptionalMadeNullable { pointer } => {
                write!(f, "optional_made_nullable:{}", shown(pointer))
            }
            Self::RootWrapped => f.write_str("root_wrapped"),
            Self::RegexWrappedInJson => f.write_str("regex_wrapped_in_json"),
            Self::KeywordMovedToDescription { keyword, pointer } => {
                write!(f, "keyword_moved_to_description:{keyword} at {}", shown(pointer))
            }
            Self::DegradedToPrompt { feature } => write!(f, "degraded_to_prompt:{feature}"),
            Self::Weaker { loss } => write!(f, "weaker:{loss}"),
            Self::Fact(name) => f.write_str(name),
        }
    }
}

/// A constraint of the intent that the provider does not hold.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{lost} at {}: {reason}", shown(.pointer))]
pub struct RequestLoss {
    /// The keyword, or the name of the intent.
    pub lost: String,
    /// The place in the schema, as a JSON pointer.
    pub pointer: String,
    /// Why the provider does not hold it.
    pub reason: String,
}

/// How messages write a pointer.
fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}
