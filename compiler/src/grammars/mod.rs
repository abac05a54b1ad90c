//! Reads grammars that were written for other engines.
//!
//! Text in XGrammar's EBNF, in GBNF or in Lark becomes an [`Ir`] that means the same; what an
//! [`Ir`] cannot say is a fault with its place. Recursion of every kind is allowed: what calls
//! itself before it reads anything is rewritten. Everything read means bytes, never a special
//! token.

mod cursor;
mod ebnf;
mod free;
mod heads;
mod lark;
mod left;
mod pattern;
mod rules;
mod spelling;
mod tag;

use std::ops::Range;

pub(crate) use heads::as_states as joined_states;
pub(crate) use left::NonEmpty;
pub(crate) use rules::AssembleError;
pub use tag::{TagFault, read_structural_tag};
use thiserror::Error;

use crate::ir::{Ir, Rule, RuleId};

/// The most bytes of a grammar.
pub(crate) const GRAMMAR_BYTES_MAX: usize = 4 << 20;
/// How deep groups may nest.
pub(crate) const NEST_MAX: usize = 100;

/// A language in which grammars are written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Syntax {
    /// XGrammar's EBNF, as of 0.2.9; the start rule is `root`.
    Ebnf,
    /// The grammars of llama.cpp; the start rule is `root`.
    Gbnf,
    /// Lark as llguidance 1.9 reads it; the start rule is `start`.
    Lark,
}

impl Syntax {
    /// The syntax of this name: `ebnf`, `gbnf` or `lark`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "ebnf" => Some(Self::Ebnf),
            "gbnf" => Some(Self::Gbnf),
            "lark" => Some(Self::Lark),
            _ => None,
        }
    }
}

/// What is wrong with a grammar, or what of it an [`Ir`] cannot say.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct GrammarFault {
    /// What is wrong.
    pub message: String,
    /// The byte range in the grammar.
    pub range: Range<usize>,
}

impl GrammarFault {
    pub(crate) fn new(message: impl Into<String>, range: Range<usize>) -> Self {
        Self { message: message.into(), range }
    }
}

/// The language of `start` among `rules`, which hold no captures and no registers; `None` if it
/// would take too much to write it without left recursion.
pub(crate) fn without_left_recursion(rules: Vec<Rule>, start: RuleId) -> Option<Ir> {
    rules::assemble(rules, start).ok()
}

/// The language of the grammar `text`.
///
/// # Errors
/// [`GrammarFault`] for the first thing that is wrong with it, and for the first thing in it that
/// an [`Ir`] cannot say.
///
/// # Complexity
/// O(bytes) without left recursion. With it, O(n²) for n rules that begin with each other.
pub fn read(syntax: Syntax, text: &str) -> Result<Ir, GrammarFault> {
    if text.len() > GRAMMAR_BYTES_MAX {
        let message = format!("the grammar has more than {GRAMMAR_BYTES_MAX} bytes");
        return Err(GrammarFault::new(message, 0..text.len()));
    }
    match syntax {
        Syntax::Ebnf | Syntax::Gbnf => ebnf::read(syntax, text),
        Syntax::Lark => lark::read(text),
    }
}
