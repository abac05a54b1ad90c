//! Free text with its limits, and free text in which triggers start structure.
//!
//! Delimiters and triggers are an author's text, so a vocabulary may find special tokens in
//! them: [`Anything::bound`] and [`Dispatch::bound`] say what they then mean.

use std::sync::Arc;

use thiserror::Error;

use super::{Ir, Kind, Literal};
use crate::chars::until::{self, Free, Overlap, Started, Units};

/// Free text `T` before a delimiter `D`: right if and only if the first occurrence of `D` in
/// `T·D` is at its end. The delimiter itself is not part of it and must follow.
///
/// `body` is the meaning without a vocabulary.
#[derive(Clone, PartialEq, Debug)]
pub struct Anything {
    /// The delimiters, one of which follows; none at all runs to the end of the turn.
    pub until: Vec<Literal>,
    /// What else it is held to.
    pub limits: FreeText,
    /// The same language without the delimiters, every one of them taken as characters.
    pub body: Ir,
}

/// What free text is held to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct FreeText {
    /// Texts that do not occur in it.
    pub excludes: Vec<Literal>,
    /// The fewest characters.
    pub min_chars: u32,
    /// The most characters; `None` is no bound.
    pub max_chars: Option<u32>,
    /// A budget of the engine, which is no part of the language.
    pub max_tokens: Option<u32>,
    /// Whether special tokens may occur in it; each counts as one character.
    pub special: bool,
    /// Which of the delimiters follows, if that is certain. The others do not occur in the text
    /// either.
    pub before: Option<Literal>,
}

/// Free text in which each occurrence of a trigger starts what belongs to it. Behind that comes
/// free text again, or the end.
#[derive(Clone, PartialEq, Debug)]
pub struct Dispatch {
    /// The triggers and what else was said.
    pub triggers: Triggers,
    /// The same language as an automaton, every trigger taken as characters.
    pub body: Ir,
}

/// The parts of a [`Dispatch`].
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Triggers {
    /// Each trigger, and what follows it.
    pub rules: Vec<(Literal, Ir)>,
    /// Whether the text begins with a trigger; else free text may come first, and last.
    pub at_least_one: bool,
    /// Whether the text ends with what the first trigger starts.
    pub stop_after_first: bool,
    /// Texts that do not occur in the free text.
    pub excludes: Vec<Literal>,
    /// The delimiters, one of which follows; none at all runs to the end of the turn.
    pub until: Vec<Literal>,
    /// The name of each run of free text that is not empty, for what reads a text back.
    pub text: Option<Arc<str>>,
}

/// Why free text cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum FreeTextError {
    /// Where the text ends depends on which delimiter follows.
    #[error(transparent)]
    Overlap(#[from] Overlap),
    /// A trigger that another text always forestalls.
    #[error("the trigger `{trigger}` never starts anything, for it holds `{by}`")]
    Covered {
        /// The trigger.
        trigger: String,
        /// A trigger, delimiter or excluded text that occurs in it.
        by: String,
    },
    /// No text lies between the bounds.
    #[error("max_chars ({max}) is less than min_chars ({min})")]
    Empty {
        /// The fewest characters.
        min: u32,
        /// The most.
        max: u32,
    },
}

impl Ir {
    /// Free text up to the first occurrence of any of `until`; to the end of the turn if there
    /// is none. Empty and repeated delimiters are dropped.
    ///
    /// # Errors
    /// [`Overlap`] if where the text ends depends on which delimiter follows.
    pub fn anything(until: impl IntoIterator<Item = Literal>) -> Result<Self, Overlap> {
        let until = normal(until);
        let body = until::automaton(&free(&until, &FreeText::default(), &characters))?;
        Ok(Self::new(Kind::Anything(Anything { until, limits: FreeText::default(), body })))
    }

    /// Free text up to the first occurrence of any of `until`, held to `limits`.
    ///
    /// # Errors
    /// [`FreeTextError`] if where the text ends depends on which delimiter follows, or if no
    /// text lies within the limits.
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::Ir;
    /// use blueprints_compiler::ir::FreeText;
    /// let short = FreeText { max_chars: Some(80), ..FreeText::default() };
    /// let line = Ir::free_text(["\n".into()], short)?;
    /// assert_eq!(line.to_string(), "anything until \"\\n\" chars {0,80}");
    /// # Ok::<(), blueprints_compiler::ir::FreeTextError>(())
    /// ```
    pub fn free_text(
        until: impl IntoIterator<Item = Literal>,
        limits: FreeText,
    ) -> Result<Self, FreeTextError> {
        let until = normal(until);
        let before = limits.before.filter(|one| until.len() > 1 && until.contains(one));
        let limits = FreeText { excludes: normal(limits.excludes), before, ..limits };
        if let Some(max) = limits.max_chars.filter(|max| *max < limits.min_chars) {
            return Err(FreeTextError::Empty { min: limits.min_chars, max });
        }
        let free = free(&until, &limits, &characters);
        let body = until::automaton(&free)?;
        if body.is_never() {
            return Ok(body);
        }
        Ok(Self::new(Kind::Anything(Anything { until, limits, body })))
    }

    /// Free text in which triggers start structure.
    ///
    /// # Errors
    /// [`FreeTextError`] for a trigger that can never start anything, and for delimiters of
    /// which one decides what the other may follow.
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::Ir;
    /// use blueprints_compiler::ir::Triggers;
    /// let rules = vec![("<n>".into(), Ir::regex("[0-9]+</n>")?)];
    /// let text = Ir::dispatch(Triggers { rules, ..Triggers::default() })?;
    /// assert_eq!(text.to_string(), "dispatch { \"<n>\": regex \"[0-9]+</n>\" }");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dispatch(triggers: Triggers) -> Result<Self, FreeTextError> {
        let triggers = Triggers {
            excludes: normal(triggers.excludes),
            until: normal(triggers.until),
            ..triggers
        };
        triggers.check()?;
        let body = until::dispatch(&triggers.started(&characters))?;
        if body.is_never() {
            return Ok(body);
        }
        Ok(Self::new(Kind::Dispatch(Dispatch { triggers, body })))
    }
}

impl Anything {
    /// The language where `units` says which special tokens a literal spells.
    ///
    /// # Errors
    /// [`Overlap`] if two delimiters overlap only then.
    pub fn bound(&self, units: &dyn Fn(&Literal) -> Units) -> Result<Ir, Overlap> {
        until::automaton(&free(&self.until, &self.limits, units))
    }

    /// The same as an automaton whose edges read one character or special token each, with a
    /// state for each count; `None` if it would have more than 2,048 states.
    ///
    /// # Errors
    /// As [`Anything::bound`].
    pub fn unrolled(&self, units: &dyn Fn(&Literal) -> Units) -> Result<Option<Ir>, Overlap> {
        until::unrolled(&free(&self.until, &self.limits, units))
    }
}

impl Dispatch {
    /// The language where `units` says which special tokens a literal spells.
    ///
    /// # Errors
    /// [`Overlap`] if two delimiters overlap only then.
    pub fn bound(&self, units: &dyn Fn(&Literal) -> Units) -> Result<Ir, Overlap> {
        until::dispatch(&self.triggers.started(units))
    }
}

impl Triggers {
    fn started(&self, units: &dyn Fn(&Literal) -> Units) -> Started<'_> {
        Started {
            rules: self.rules.iter().map(|(trigger, body)| (units(trigger), body)).collect(),
            needed: self.at_least_one,
            once: self.stop_after_first,
            until: self.until.iter().map(units).collect(),
            excludes: self.excludes.iter().map(units).collect(),
        }
    }

    /// Finds a trigger that something else always forestalls. Two triggers that end together
    /// start either.
    fn check(&self) -> Result<(), FreeTextError> {
        for (trigger, _) in &self.rules {
            let trigger = trigger.as_str();
            let others = self.rules.iter().map(|(other, _)| (other.as_str(), false));
            let barring = self.until.iter().chain(&self.excludes).map(|b| (b.as_str(), true));
            let covers = |(by, bars): &(&str, bool)| match trigger.find(by) {
                Some(at) => *bars || at + by.len() < trigger.len(),
                None => false,
            };
            if let Some((by, _)) = others.chain(barring).find(covers) {
                let (trigger, by) = (trigger.to_owned(), by.to_owned());
                return Err(FreeTextError::Covered { trigger, by });
            }
        }
        Ok(())
    }
}

fn free(until: &[Literal], limits: &FreeText, units: &dyn Fn(&Literal) -> Units) -> Free {
    let mut delimiters: Vec<Units> = until.iter().map(units).collect();
    delimiters.sort();
    delimiters.dedup();
    let before = limits.before.iter().map(units).collect();
    Free {
        before: if limits.before.is_some() { before } else { delimiters.clone() },
        until: delimiters,
        excludes: limits.excludes.iter().map(units).collect(),
        min: limits.min_chars,
        max: limits.max_chars,
        special: limits.special,
    }
}

fn characters(literal: &Literal) -> Units {
    until::characters(literal.as_str())
}

/// `literals` sorted, without empty and repeated ones.
fn normal(literals: impl IntoIterator<Item = Literal>) -> Vec<Literal> {
    let mut literals: Vec<Literal> = literals.into_iter().filter(|d| !d.is_empty()).collect();
    literals.sort();
    literals.dedup();
    literals
}
