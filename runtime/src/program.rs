//! An outline compiled for a vocabulary.
//!
//! Immutable to its users and shared by any number of matchers; what they learn about states and
//! masks is kept here, so that each mask is computed once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use blueprints_compiler::{Ir, Outline, Overlap};
use rustc_hash::FxHashMap;

use crate::bind::{ToVocabulary, token_of};
use blueprints_compiler::ir::RuleError;

use crate::engine::{Engine, LowerError, StateId, lower};
use crate::limits::{LimitError, Limits};
use crate::mask::TokenMask;
use crate::matcher::Matcher;
use crate::vocabulary::{TokenId, Vocabulary};

/// An outline compiled for a vocabulary. Cheap to clone, `Send` and `Sync`.
#[derive(Clone)]
pub struct Program(Arc<Inner>);

struct Inner {
    vocabulary: Vocabulary,
    limits: Limits,
    learned: Mutex<Learned>,
}

/// What the matchers of a program have found out.
pub(crate) struct Learned {
    pub(crate) engine: Engine,
    masks: FxHashMap<StateId, Arc<TokenMask>>,
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
            LowerError::Limit(limit) => Self::Limit(limit),
            LowerError::Overlap(overlap) => Self::Overlap(overlap),
            LowerError::Rules(error) => Self::Rules(error),
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
        let nfa = lower(ir, &ToVocabulary::new(vocabulary), &limits)?;
        let single = vocabulary.single_bytes();
        let used = nfa.alphabet();
        let missing: Vec<u8> = (0..=u8::MAX)
            .filter(|&byte| used[usize::from(byte)] && !single[usize::from(byte)])
            .collect();
        if !missing.is_empty() {
            return Err(CompileError::MissingBytes(missing));
        }
        let span = u32::try_from(vocabulary.token_bytes_max()).unwrap_or(u32::MAX);
        let engine = Engine::new(nfa, limits, span)?;
        let learned = Mutex::new(Learned { engine, masks: FxHashMap::default() });
        Ok(Self(Arc::new(Inner { vocabulary: vocabulary.clone(), limits, learned })))
    }

    /// A matcher at the beginning of the text.
    #[must_use]
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.clone())
    }

    /// The vocabulary that it was compiled for.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.0.vocabulary
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub(crate) fn learned(&self) -> MutexGuard<'_, Learned> {
        // A panic while the lock is held leaves caches that are incomplete, never wrong.
        self.0.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tokens that lead on from `state`, and the stop tokens if the text may end there.
    pub(crate) fn mask(&self, state: StateId) -> Result<Arc<TokenMask>, LimitError> {
        let mut learned = self.learned();
        let state = learned.engine.abstracted(state)?;
        if let Some(mask) = learned.masks.get(&state) {
            return Ok(mask.clone());
        }
        let mask = Arc::new(compute(&mut learned.engine, state, &self.0.vocabulary)?);
        learned.masks.insert(state, mask.clone());
        Ok(mask)
    }
}

/// Walks the trie of all tokens, leaving each subtree whose first byte does not lead on.
fn compute(
    engine: &mut Engine,
    state: StateId,
    vocabulary: &Vocabulary,
) -> Result<TokenMask, LimitError> {
    let trie = vocabulary.trie();
    let mut mask = match engine.is_accepting(state) {
        true => stop_mask(vocabulary),
        false => TokenMask::new(vocabulary.width()),
    };
    let mut path = vec![state; trie.depth() + 1];
    let nodes = trie.nodes();
    let mut at = 0;
    while let Some(node) = nodes.get(at) {
        let next = engine.step(path[node.depth as usize - 1], node.byte)?;
        if next == StateId::DEAD {
            at = node.skip as usize;
            continue;
        }
        path[node.depth as usize] = next;
        trie.tokens(node).iter().for_each(|&token| mask.insert(token));
        at += 1;
    }
    engine.markers(state).into_iter().for_each(|marker| mask.insert(token_of(marker)));
    Ok(mask)
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("width", &self.0.vocabulary.width()).finish()
    }
}

/// The stop tokens alone: what may follow a text that has ended.
pub(crate) fn stop_mask(vocabulary: &Vocabulary) -> TokenMask {
    let mut mask = TokenMask::new(vocabulary.width());
    vocabulary.stop_tokens().iter().for_each(|&token: &TokenId| mask.insert(token));
    mask
}
