//! What rules are made from, and what the author's text means in symbols.

use std::sync::Arc;

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{self, Grammar, Machine, Rules};
use rustc_hash::FxHashMap;

use super::nfa::{Marker, RuleId};
use crate::limits::LimitError;

/// One symbol of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    /// A byte.
    Byte(u8),
    /// A special token.
    Marker(Marker),
}

/// Says which symbols the author's text stands for.
pub(crate) trait Binding: Send + Sync {
    /// The symbols of `text`.
    fn symbols(&self, text: &str) -> Vec<Symbol>;

    /// The language of free text that ends at the first of `until`.
    fn anything(&self, anything: &ir::Anything) -> Result<Ir, blueprints_compiler::Overlap>;

    /// The language of free text in which triggers start structure.
    fn dispatch(&self, dispatch: &ir::Dispatch) -> Result<Ir, blueprints_compiler::Overlap>;

    /// The same as an automaton of characters, for free text whose tokens are counted. `None` if
    /// it has too many states; the outer one if nothing here counts tokens.
    fn counted(
        &self,
        anything: &ir::Anything,
    ) -> Result<Option<Option<Ir>>, blueprints_compiler::Overlap>;

    /// The symbols that each token of this kind may be.
    fn special(&self, special: &ir::Special) -> Vec<Vec<Symbol>>;
}

/// Why an outline has no automaton.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum LowerError {
    #[error(transparent)]
    Limit(#[from] LimitError),
    #[error(transparent)]
    Rules(#[from] ir::RuleError),
    #[error(transparent)]
    Overlap(#[from] blueprints_compiler::Overlap),
    #[error("a budget of {0} tokens for free text of so many characters is not held")]
    Budget(u32),
}

/// Overlaps are found when a program is compiled: later only limits are crossed.
impl From<LowerError> for LimitError {
    fn from(error: LowerError) -> Self {
        match error {
            LowerError::Limit(limit) => limit,
            LowerError::Rules(error) => Self::Rules(error),
            other @ (LowerError::Overlap(_) | LowerError::Budget(_)) => {
                Self::Rules(ir::RuleError(other.to_string()))
            }
        }
    }
}

/// What the calls of a part refer to.
#[derive(Clone, Debug)]
pub enum Scope {
    /// The rules of a grammar.
    Grammar(Arc<Grammar>),
    /// The rules of a schema.
    Rules(Arc<dyn Rules>),
}

impl Scope {
    /// What `rule` means.
    ///
    /// # Errors
    /// [`RuleError`](ir::RuleError) if a limit of a schema is crossed.
    pub fn body(&self, rule: ir::RuleId) -> Result<Ir, ir::RuleError> {
        match self {
            Self::Grammar(grammar) => {
                let rule = grammar.rules().get(rule.0 as usize);
                Ok(rule.map_or_else(Ir::never, |rule| rule.body.clone()))
            }
            Self::Rules(rules) => rules.body(rule),
        }
    }

    /// A number that no other scope has as long as this one is kept.
    #[must_use]
    pub fn address(&self) -> usize {
        match self {
            Self::Grammar(grammar) => Arc::as_ptr(grammar).addr(),
            Self::Rules(rules) => Arc::as_ptr(rules).addr(),
        }
    }
}

/// What a rule is made from.
#[derive(Clone)]
pub(super) enum Source {
    /// A part.
    Part(Ir, Option<Scope>),
    /// A rule that was called.
    Called(Scope, ir::RuleId),
    /// A counted loop.
    Loop(ir::Repeat, Option<Scope>),
    /// Free text as an automaton of characters, of so many tokens.
    Budget(Ir, u32),
    /// The same once its tokens are used up.
    Closing(Ir),
}

impl Source {
    /// Whether it belongs to a schema, whose rules are made on demand.
    pub(super) fn is_lazy(&self) -> bool {
        match self {
            Self::Part(_, scope) | Self::Loop(_, scope) => {
                matches!(scope, Some(Scope::Rules(_)))
            }
            Self::Called(scope, _) => matches!(scope, Scope::Rules(_)),
            Self::Budget(..) | Self::Closing(_) => false,
        }
    }
}

/// The rules that a program knows, by what they are made from.
#[derive(Default)]
pub(super) struct Known {
    pub(super) called: FxHashMap<(usize, u32), RuleId>,
    /// New rules, numbered on from `count`.
    pub(super) new: Vec<(Source, Option<Arc<Machine>>)>,
    pub(super) count: u32,
}

impl Known {
    pub(super) fn rule(&mut self, source: Source, machine: Option<Arc<Machine>>) -> RuleId {
        self.new.push((source, machine));
        self.count += 1;
        RuleId(self.count - 1)
    }
}
