//! The kinds of language that an [`Ir`] is made of.

use std::sync::{Arc, OnceLock};

use regex_syntax::hir::ClassUnicode;

use super::{
    Anything, Capture, Dispatch, Facts, Grammar, Ir, Machine, RuleError, RuleId, Rules, Special,
};
use crate::schema::{SchemaError, SchemaOptions};

/// What an [`Ir`] is made of, for reading only: the constructors of [`Ir`] are the one way to
/// make one.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// Exactly this text.
    Text(Text),
    /// One character of the set.
    Class(ClassUnicode),
    /// One after the other.
    Sequence(Vec<Ir>),
    /// Any one of them; none at all is the empty language.
    Choice(Vec<Ir>),
    /// One body several times.
    Repeat(Repeat),
    /// Parts in order, each required or not, with a separator between those present.
    Joined(Joined),
    /// A finite automaton whose edges are labelled with languages.
    Automaton(Automaton),
    /// A rule of the nearest enclosing [`Grammar`].
    Call(RuleId),
    /// Rules that may call each other.
    Grammar(Arc<Grammar>),
    /// A regular expression, with what it means.
    Regex(Regex),
    /// A JSON Schema, with what it means.
    Schema(Schema),
    /// Free text up to the first occurrence of a delimiter.
    Anything(Anything),
    /// Free text in which triggers start structure.
    Dispatch(Dispatch),
    /// A part with a name.
    Capture(Capture),
    /// One token by what it is.
    Special(Special),
    /// A part with a register beside it.
    Tracked(Tracked),
    /// An action of the machine of the nearest enclosing [`Tracked`] part; reads nothing. Calls
    /// do not carry the machine along: a rule's own actions need a tracked part in that rule.
    Act(u32),
    /// A part without calls whose bytes the machine of the nearest enclosing [`Tracked`] part
    /// hears one by one.
    Observed(Ir),
}

/// A part with a register beside it, which the actions in it read and change.
#[derive(Clone, PartialEq, Debug)]
pub struct Tracked {
    /// What is read. Its end is no test: one that needs a test has an action before it.
    pub body: Ir,
    /// What the register holds and what the actions do.
    pub machine: Arc<Machine>,
}

/// Exact text, and where it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The characters.
    pub string: Arc<str>,
    /// Whether a special token may stand for a part of it.
    pub origin: Origin,
}

/// Who wrote a text: only an author's text can mean a special token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// The template's source: a special token's spelling means that token.
    Source,
    /// A value, a schema or a pattern: always bytes.
    Value,
}

/// `body`, `min` to `max` times, with `separator` between two iterations.
#[derive(Clone, PartialEq, Debug)]
pub struct Repeat {
    /// One iteration.
    pub body: Ir,
    /// The fewest iterations.
    pub min: u32,
    /// The most iterations; `None` is no bound.
    pub max: Option<u32>,
    /// Between iterations, never at the ends.
    pub separator: Option<Ir>,
}

/// Parts in order; the present ones are separated.
#[derive(Clone, PartialEq, Debug)]
pub struct Joined {
    /// Between two present parts.
    pub separator: Ir,
    /// The parts in their order.
    pub parts: Vec<Part>,
}

/// One part of a [`Joined`].
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// What it is when present.
    pub body: Ir,
    /// Whether it must be present.
    pub required: bool,
}

/// A finite automaton over languages; state 0 is the start. It has no dead states.
#[derive(Clone, PartialEq, Debug)]
pub struct Automaton {
    /// The states; edges name them by index.
    pub states: Arc<[State]>,
}

/// One state of an [`Automaton`].
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// What may be read, and the state it leads to.
    pub edges: Vec<(Ir, usize)>,
    /// Whether the text may end here.
    pub accepting: bool,
}

/// A pattern in the dialect of the crate `regex-syntax`; the whole text must match.
#[derive(Clone, PartialEq, Debug)]
pub struct Regex {
    /// The pattern as it was written.
    pub pattern: Arc<str>,
    /// The same language without the pattern.
    pub body: Ir,
}

/// A JSON Schema with the options it was read under.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The schema as it was given.
    pub source: Arc<serde_json::Value>,
    /// The options.
    pub options: SchemaOptions,
    /// The same language as rules made on demand.
    pub rules: Arc<dyn Rules>,
    /// What was left out of the schema because it cannot be held; nothing unless lenience was
    /// asked for.
    pub relaxed: Arc<[SchemaError]>,
    /// What is spelled as in an older draft, though no `$schema` names one, and was read as it was
    /// meant.
    pub repaired: Arc<[SchemaError]>,
    pub(super) facts: Facts,
    body: OnceLock<Result<crate::schema::Body, RuleError>>,
}

impl Schema {
    pub(super) fn new(
        source: Arc<serde_json::Value>,
        options: SchemaOptions,
        compiled: crate::schema::Compiled,
    ) -> Self {
        let crate::schema::Compiled { rules, relaxed, repaired, facts } = compiled;
        Self { source, options, rules, relaxed, repaired, facts, body: OnceLock::new() }
    }

    /// The language without the schema, all rules made; kept once it is made. It is for targets:
    /// some spellings of numbers with an exponent are left out, so that they need no register.
    ///
    /// # Errors
    /// [`RuleError`] if a limit is crossed.
    pub fn body(&self) -> Result<&Ir, RuleError> {
        self.made().map(|body| &body.ir)
    }

    /// The JSON pointer of the first number some of whose spellings the body leaves out, if there
    /// is one.
    ///
    /// # Errors
    /// As [`Schema::body`].
    pub fn narrowed(&self) -> Result<Option<&str>, RuleError> {
        self.made().map(|body| body.narrowed.as_deref())
    }

    fn made(&self) -> Result<&crate::schema::Body, RuleError> {
        let made = self.body.get_or_init(|| crate::schema::body(&self.source, &self.options));
        made.as_ref().map_err(Clone::clone)
    }
}

/// Equal sources under equal options mean the same.
impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.options == other.options
    }
}
