//! An outline compiled for a vocabulary.
//!
//! Immutable to its users and shared by any number of matchers; what they learn about states and
//! masks is kept here, so that each mask is computed once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use blueprints_compiler::ir::RuleError;
use blueprints_compiler::{Ir, Outline, Overlap};

use crate::bind::{ToVocabulary, token_of};
use crate::engine::{Engine, LowerError, StateId, Work};
use crate::limits::{LimitError, Limits};
use crate::mask::TokenMask;
use crate::masks;
use crate::matcher::Matcher;
use crate::vocabulary::{StopPolicy, Vocabulary};

/// An outline compiled for a vocabulary. Cheap to clone, `Send` and `Sync`.
#[derive(Clone)]
pub struct Program(Arc<Inner>);

struct Inner {
    vocabulary: Vocabulary,
    limits: Limits,
    engine: Engine,
    /// Where the first token begins.
    start: StateId,
    /// Whether a token that has bytes may stand for itself.
    named: bool,
}

/// The memory of a program in bytes, about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Automata, states, frames and registers.
    pub states: usize,
    /// Masks, without the sets that they share.
    pub masks: usize,
}

/// Why an outline cannot be compiled for a vocabulary.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A limit was crossed.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// With this vocabulary's special tokens, two delimiters of a free text overlap.
    #[error(transparent)]
    Overlap(#[from] Overlap),
    /// A schema's rules cross a limit.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// Free text with a budget of so many tokens that also counts thousands of characters.
    #[error("a budget of {0} tokens for free text of so many characters is not held")]
    Budget(u32),
    /// No text at all fits the outline.
    #[error("no text fits this blueprint")]
    Never,
    /// The outline needs bytes that the vocabulary cannot spell one at a time, so a mask could
    /// lead to a place from where no token goes on.
    #[error("the vocabulary has no token for {}", bytes_list(.0))]
    MissingBytes(Vec<u8>),
}

impl From<LowerError> for CompileError {
    fn from(error: LowerError) -> Self {
        match error {
            LowerError::Limit(LimitError::Rules(error)) => Self::Rules(error),
            LowerError::Limit(limit) => Self::Limit(limit),
            LowerError::Overlap(overlap) => Self::Overlap(overlap),
            LowerError::Rules(error) => Self::Rules(error),
            LowerError::Budget(budget) => Self::Budget(budget),
        }
    }
}

fn bytes_list(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(8).map(|byte| format!("0x{byte:02X}")).collect();
    let more =
        if bytes.len() > 8 { format!(" and {} more", bytes.len() - 8) } else { String::new() };
    format!("byte {}{more}", shown.join(", "))
}

impl Program {
    /// Compiles `outline` for `vocabulary`.
    ///
    /// # Errors
    /// [`CompileError`] if a limit is crossed, if no text fits, or if the vocabulary cannot
    /// spell the outline.
    ///
    /// # Complexity
    /// O(size of the outline).
    pub fn compile(
        outline: &Outline,
        vocabulary: &Vocabulary,
        limits: Limits,
    ) -> Result<Self, CompileError> {
        Self::compile_ir(outline.ir(), vocabulary, limits)
    }

    /// Compiles a language built by hand.
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn compile_ir(
        ir: &Ir,
        vocabulary: &Vocabulary,
        limits: Limits,
    ) -> Result<Self, CompileError> {
        if ir.facts().is_none_or(|facts| !facts.productive) {
            return Err(CompileError::Never);
        }
        let span = u32::try_from(vocabulary.token_bytes_max()).unwrap_or(u32::MAX);
        let named = Arc::new(AtomicBool::new(false));
        let binding = Box::new(ToVocabulary::new(vocabulary.clone(), named.clone()));
        let shared = Some(vocabulary.shared().clone());
        let engine = Engine::new(ir, binding, limits, span, shared)?;
        if !vocabulary.missing_bytes().is_empty() {
            let used = engine.alphabet()?;
            let missing = vocabulary.missing_bytes().iter().copied();
            let missing: Vec<u8> = missing.filter(|&byte| used[usize::from(byte)]).collect();
            if !missing.is_empty() {
                return Err(CompileError::MissingBytes(missing));
            }
        }
        let start = engine.at_token(engine.start())?;
        // Only an author's text names tokens, and all rules but those of schemas are lowered.
        let named = named.load(Ordering::Relaxed);
        Ok(Self(Arc::new(Inner { vocabulary: vocabulary.clone(), limits, engine, start, named })))
    }

    /// A matcher at the beginning of the text.
    #[must_use]
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.clone())
    }

    /// Whether a token that has bytes may stand for itself, beside its bytes.
    pub(crate) fn names_tokens(&self) -> bool {
        self.0.named
    }

    /// Where the first token begins.
    pub(crate) fn start(&self) -> StateId {
        self.0.start
    }

    /// The vocabulary that it was compiled for.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.0.vocabulary
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// The memory that it takes so far, without what all programs of the vocabulary share.
    ///
    /// # Complexity
    /// O(states).
    #[must_use]
    pub fn memory(&self) -> Memory {
        let (states, masks) = self.engine().bytes();
        Memory { states, masks }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Whether a stop token may stand at `state` although the outline does not spell it.
    pub(crate) fn may_stop(&self, state: StateId) -> Result<bool, LimitError> {
        let engine = self.engine();
        Ok(engine.is_accepting(state)
            && match self.0.vocabulary.stop_policy() {
                StopPolicy::WhereAccepting => true,
                StopPolicy::WhereComplete => self.may_stop_in(&mut engine.work(), state)?,
                StopPolicy::Caller => false,
            })
    }

    fn may_stop_in(&self, work: &mut Work<'_>, state: StateId) -> Result<bool, LimitError> {
        let accepting = work.state(state).accepting;
        Ok(accepting
            && match self.0.vocabulary.stop_policy() {
                StopPolicy::WhereAccepting => true,
                StopPolicy::WhereComplete => !leads_on(work, state)?,
                StopPolicy::Caller => false,
            })
    }

    /// The tokens that lead on from `state`, and the stop tokens if the text may end there.
    pub(crate) fn mask(&self, state: StateId) -> Result<&Arc<TokenMask>, LimitError> {
        let engine = self.engine();
        if let Some(mask) = engine.state(state).mask.get() {
            return Ok(mask);
        }
        let mut work = engine.work();
        let alike = work.abstracted(state)?;
        let mask = match engine.state(alike).mask.get() {
            Some(mask) => mask.clone(),
            None => {
                let mut mask = masks::compute(&mut work, alike, &self.0.vocabulary)?;
                work.markers(alike).into_iter().for_each(|marker| mask.insert(token_of(marker).0));
                if self.may_stop_in(&mut work, alike)? {
                    let stop = self.0.vocabulary.stop_tokens().iter();
                    stop.for_each(|&token| mask.insert(token.0));
                }
                engine.state(alike).mask.get_or_init(|| Arc::new(mask.finish())).clone()
            }
        };
        Ok(engine.state(state).mask.get_or_init(|| mask))
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("width", &self.0.vocabulary.width()).finish()
    }
}

/// Whether anything can be read at `state`.
fn leads_on(work: &mut Work<'_>, state: StateId) -> Result<bool, LimitError> {
    if !work.markers(state).is_empty() {
        return Ok(true);
    }
    for &byte in work.state(state).samples() {
        if work.step(state, byte)? != StateId::DEAD {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The stop tokens alone: what may follow a text that has ended.
pub(crate) fn stop_mask(vocabulary: &Vocabulary) -> TokenMask {
    TokenMask::of(vocabulary.width(), vocabulary.stop_tokens().iter().copied())
}
