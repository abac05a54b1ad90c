//! Says an [`Ir`] in the languages of other engines.
//!
//! Each target is exact, or says what it gave up: a [`Loss`] names the place in the [`Ir`] and
//! the reason. Knows the [`Ir`] alone, so source text that spells a special token is its bytes.

mod ebnf;
mod escape;
mod plain;
mod regex;
mod structural_tag;

use std::fmt;

pub use ebnf::Dialect;
pub use regex::RegexLimits;
use thiserror::Error;

use crate::ir::{Ir, RuleError, RuleId};

/// How deep an [`Ir`] may nest to be emitted.
const DEPTH_MAX: usize = 300;

/// Whether a target may say less than the [`Ir`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exactness {
    /// Anything that cannot be said is an error.
    Exact,
    /// What cannot be said is left out and returned as a [`Loss`].
    Lossy,
}

/// What a target reads, and what it does not say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Emitted {
    /// The text for the target.
    pub text: String,
    /// Each constraint that `text` does not hold; none if the languages are the same.
    pub losses: Vec<Loss>,
}

/// A constraint that a target cannot hold: what it was given instead allows more texts.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{lost} at {place}: {reason}")]
pub struct Loss {
    /// The constraint.
    pub lost: Lost,
    /// Where it stands in the [`Ir`].
    pub place: Place,
    /// Why the target cannot hold it.
    pub reason: String,
}

/// The kinds of constraints that a target may not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Lost {
    /// The bounds of a repeat; it may now go on for ever.
    Bounds {
        /// The fewest iterations.
        min: u32,
        /// The most iterations; `None` is no bound.
        max: Option<u32>,
    },
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounds { min, max: Some(max) } => write!(f, "the bounds {min} to {max}"),
            Self::Bounds { min, max: None } => write!(f, "the bound of at least {min}"),
        }
    }
}

/// A place in an [`Ir`], as the way to it from the top.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Place(pub Vec<Step>);

/// One step of a [`Place`]; counts begin at 0.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Step {
    /// A part of a sequence or of joined parts.
    Part(usize),
    /// An arm of a choice.
    Arm(usize),
    /// What is repeated.
    Body,
    /// What stands between iterations or parts.
    Separator,
    /// An edge of a state of an automaton.
    Edge {
        /// The state.
        state: usize,
        /// The edge among those of the state.
        edge: usize,
    },
    /// A rule of a grammar.
    Rule(String),
    /// What a regular expression means.
    Regex,
    /// What a schema means.
    Schema,
    /// What free text means.
    Anything,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the top");
        }
        for (at, step) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            match step {
                Step::Part(n) => write!(f, "part {n}"),
                Step::Arm(n) => write!(f, "arm {n}"),
                Step::Body => f.write_str("body"),
                Step::Separator => f.write_str("separator"),
                Step::Edge { state, edge } => write!(f, "edge {edge} of state {state}"),
                Step::Rule(name) => write!(f, "rule `{name}`"),
                Step::Regex => f.write_str("regex"),
                Step::Schema => f.write_str("schema"),
                Step::Anything => f.write_str("anything"),
            }?;
        }
        Ok(())
    }
}

/// Why a target cannot say an [`Ir`] at all.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum EmitError {
    /// A regular expression cannot call itself.
    #[error(
        "a regular expression has no recursion, but these rules call each other: {}",
        cycle.join(" → ")
    )]
    Recursive {
        /// The names of the rules on the cycle, the first again at the end.
        cycle: Vec<String>,
    },
    /// The text would be longer than allowed.
    #[error("the text grows beyond {bytes_max} bytes at {place}")]
    TooLong {
        /// The limit.
        bytes_max: usize,
        /// What was being said.
        place: Place,
    },
    /// No engine would compile the text.
    #[error("compiled, the expression would need about {bytes} bytes, more than {bytes_max}")]
    TooLarge {
        /// An upper estimate.
        bytes: u64,
        /// The limit.
        bytes_max: u64,
    },
    /// Parts nest deeper than the target, or this emitter, can follow.
    #[error("parts nest deeper than {depth_max}")]
    TooDeep {
        /// The limit.
        depth_max: usize,
    },
    /// A rule is called outside any grammar, so the language is not known.
    #[error("rule {} is called outside any grammar", .0.0)]
    OpenCall(RuleId),
    /// A part with a register, which the target has no words for.
    #[error("the target has no registers, which {place} needs")]
    Tracked {
        /// The part.
        place: Place,
    },
    /// A schema's rules cross a limit.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// The target would lose something, and exactness was asked for.
    #[error("this target cannot say all of it: {}", listed(.0))]
    Inexact(Vec<Loss>),
}

fn listed(losses: &[Loss]) -> String {
    losses.iter().map(Loss::to_string).collect::<Vec<_>>().join("; ")
}

fn finish(text: String, losses: Vec<Loss>, exactness: Exactness) -> Result<Emitted, EmitError> {
    match exactness {
        Exactness::Exact if !losses.is_empty() => Err(EmitError::Inexact(losses)),
        _ => Ok(Emitted { text, losses }),
    }
}

impl Ir {
    /// Says it as a regular expression that means the same to the crate `regex` and to Python's
    /// `re`, when the whole text must match. It has no anchors: put it between `\A(?:` and `)\z`.
    ///
    /// # Errors
    /// [`EmitError`] if it is recursive, if it is too large for `limits` or for those engines, and
    /// for any loss if `exactness` asks for none.
    ///
    /// # Complexity
    /// O(s³ · length) for an automaton of s states, the length bounded by `limits`.
    pub fn to_regex(
        &self,
        exactness: Exactness,
        limits: RegexLimits,
    ) -> Result<Emitted, EmitError> {
        regex::emit(self, exactness, limits)
    }

    /// Says it as an EBNF grammar whose start is the rule `root`.
    ///
    /// # Errors
    /// [`EmitError`] if it nests too deep or is too long, and for any loss if `exactness` asks
    /// for none.
    pub fn to_ebnf(&self, dialect: Dialect, exactness: Exactness) -> Result<Emitted, EmitError> {
        ebnf::emit(self, dialect, exactness)
    }

    /// Says it as a structural tag, in the JSON formats of XGrammar 0.2.9.
    ///
    /// # Errors
    /// As [`Ir::to_ebnf`].
    pub fn to_structural_tag(&self, exactness: Exactness) -> Result<Emitted, EmitError> {
        structural_tag::emit(self, exactness)
    }
}
