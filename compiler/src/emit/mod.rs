//! Says an [`Ir`] in the languages of other engines.
//!
//! Each target is exact, or says what it gave up: a [`Loss`] names the place in the [`Ir`] and
//! the reason. Knows the [`Ir`] alone, so source text that spells a special token is its bytes.

mod ebnf;
mod escape;
mod expand;
mod idle;
mod json_schema;
mod plain;
mod regex;
mod structural_tag;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;

pub use ebnf::Dialect;
pub use regex::RegexLimits;
pub use structural_tag::TagFormats;
use thiserror::Error;

use crate::ir::{FreeText, Ir, Kind, RuleError, RuleId, Special, Triggers};

/// How deep an [`Ir`] may nest to be emitted.
const DEPTH_MAX: usize = 300;

/// Whether a target may say less than the [`Ir`] does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exactness {
    /// Anything that cannot be said is an error, names of parts aside: without them the language
    /// is the same.
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

/// A constraint that a target cannot hold: what it was given instead allows more texts, or, for
/// special tokens alone, fewer.
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

impl Loss {
    /// Whether only the name of a part is lost: without it the language is the same.
    #[must_use]
    pub fn is_name(&self) -> bool {
        matches!(self.lost, Lost::Capture { .. })
    }

    /// Whether every text of the target fits all the same.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.is_name() || self.lost == Lost::Exponents
    }
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
    /// A token by its id: its spelling stands for it.
    Token {
        /// The spelling.
        spelling: String,
    },
    /// Special tokens of any spelling: there are none.
    AnySpecial,
    /// A budget of free text, which is no part of the language.
    Budget {
        /// The most tokens.
        max_tokens: u32,
    },
    /// The name of a part: the language is the same without it.
    Capture {
        /// The name.
        name: String,
    },
    /// How JSON is spelled: its white space and the order of its keys.
    Spelling,
    /// Some spellings of numbers with an exponent, that only a register can follow. What is left
    /// out is never wrong, so all texts of the target fit.
    Exponents,
    /// What the machine of a part remembers: counts, and what was there before.
    Register,
}

impl Lost {
    /// Whether other texts are allowed without it; else what is lost is about tokens, values or
    /// names.
    #[must_use]
    pub fn changes_texts(&self) -> bool {
        matches!(self, Self::Bounds { .. } | Self::AnySpecial | Self::Register)
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounds { min, max: Some(max) } => write!(f, "the bounds {min} to {max}"),
            Self::Bounds { min, max: None } => write!(f, "the bound of at least {min}"),
            Self::Token { spelling } => write!(f, "that `{spelling}` is one token"),
            Self::AnySpecial => f.write_str("special tokens of any spelling"),
            Self::Budget { max_tokens } => write!(f, "the budget of {max_tokens} tokens"),
            Self::Capture { name } => write!(f, "the name `{name}`"),
            Self::Spelling => f.write_str("how the JSON is spelled"),
            Self::Exponents => f.write_str("some spellings of numbers with an exponent"),
            Self::Register => f.write_str("what a machine remembers"),
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
    /// An action, or a part that a machine hears, without a machine around it.
    #[error("{place} is for a machine, and there is none around it")]
    Stray {
        /// The part.
        place: Place,
    },
    /// Its texts are no JSON, or none that a schema can tell.
    #[error("no JSON Schema says {place}: {reason}")]
    NotJson {
        /// The part.
        place: Place,
        /// What is in the way.
        reason: &'static str,
    },
    /// Loops around parts that may be empty need too much to be said without them.
    #[error("{0}")]
    Idle(String),
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

/// What is lost where text stands for a special token.
fn special(special: &Special, place: Place) -> Option<Loss> {
    let (lost, reason) = match special {
        // A text ends where a turn does.
        Special::Stop => return None,
        Special::Spelled(spelling) => {
            let spelling = spelling.to_string();
            (
                Lost::Token { spelling },
                "the target speaks of text alone, so its spelling stands there",
            )
        }
        _ => (Lost::AnySpecial, "the target speaks of text alone, so there are none"),
    };
    Some(Loss { lost, place, reason: reason.into() })
}

/// What is lost of free text that its own language does not say.
fn budget(limits: &FreeText, place: Place) -> Option<Loss> {
    let max_tokens = limits.max_tokens?;
    let reason = "the target speaks of text alone".into();
    Some(Loss { lost: Lost::Budget { max_tokens }, place, reason })
}

/// What is lost of a part with a name.
fn capture(name: &str, place: Place) -> Loss {
    let reason = "the target names no parts".into();
    Loss { lost: Lost::Capture { name: name.into() }, place, reason }
}

/// What is lost of the numbers in the schemas of `ir`.
fn exponents(ir: &Ir) -> Result<Vec<Loss>, EmitError> {
    let (mut losses, mut seen, mut pending) = (Vec::new(), BTreeSet::new(), vec![ir]);
    while let Some(part) = pending.pop() {
        if !seen.insert(std::ptr::from_ref(part.kind())) {
            continue;
        }
        match part.kind() {
            Kind::Grammar(grammar) => pending.extend(grammar.rules().iter().map(|rule| &rule.body)),
            Kind::Schema(schema) => {
                if let Some(pointer) = schema.narrowed()? {
                    let reason = format!(
                        "numbers such as that at {pointer:?} have those alone that need no \
                         register; `numbers=\"plain\"` has none"
                    );
                    let place = Place(vec![Step::Schema]);
                    losses.push(Loss { lost: Lost::Exponents, place, reason });
                }
            }
            _ => {
                let _: ControlFlow<()> = part.each_part(|part| {
                    pending.push(part);
                    ControlFlow::Continue(())
                });
            }
        }
    }
    Ok(losses)
}

/// What is lost of free text whose runs have a name.
fn text_name(triggers: &Triggers, place: &Place) -> Option<Loss> {
    triggers.text.as_ref().map(|name| capture(name, place.clone()))
}

fn finish(text: String, losses: Vec<Loss>, exactness: Exactness) -> Result<Emitted, EmitError> {
    match exactness {
        Exactness::Exact if !losses.iter().all(Loss::is_name) => {
            let more = losses.into_iter().filter(|loss| !loss.is_name());
            Err(EmitError::Inexact(more.collect()))
        }
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

    /// Says it as a grammar of `dialect`.
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
        self.to_structural_tag_of(TagFormats::Current, exactness)
    }

    /// As [`Ir::to_structural_tag`], in formats of the given kind.
    ///
    /// # Errors
    /// As [`Ir::to_ebnf`].
    pub fn to_structural_tag_of(
        &self,
        formats: TagFormats,
        exactness: Exactness,
    ) -> Result<Emitted, EmitError> {
        structural_tag::emit(self, formats, exactness)
    }

    /// Says it as a JSON Schema, if all its texts are JSON values of which that can be said: a
    /// schema, or JSON text in which schemas and choices stand where values do.
    ///
    /// # Errors
    /// [`EmitError::NotJson`] if it is not so, and for any loss if `exactness` asks for none.
    pub fn to_json_schema(&self, exactness: Exactness) -> Result<Emitted, EmitError> {
        json_schema::emit(self, exactness)
    }
}
