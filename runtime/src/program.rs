//! An outline compiled for a vocabulary.
//!
//! Immutable to its users and shared by any number of matchers; what they learn about states and
//! masks is kept here, so that each mask is computed once. Where that has grown too large, new
//! matchers begin with a new generation, and the old one goes with the last matcher that uses it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
pub struct Program {
    lineage: Arc<Lineage>,
    generation: Arc<Generation>,
}

/// What does not change, and the generation that new matchers get.
struct Lineage {
    ir: Ir,
    vocabulary: Vocabulary,
    limits: Limits,
    cancelled: Arc<AtomicBool>,
    current: Mutex<Arc<Generation>>,
    evictions: AtomicU64,
}

/// What matchers have learnt.
struct Generation {
    engine: Engine,
    masks: AtomicUsize,
    /// From how many states and masks on the memory is measured again.
    measure_at: AtomicUsize,
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
        let cancelled = Arc::default();
        let generation = Arc::new(Generation::new(ir, vocabulary, limits, &cancelled)?);
        let engine = &generation.engine;
        if !vocabulary.missing_bytes().is_empty() {
            let used = engine.alphabet()?;
            let missing = vocabulary.missing_bytes().iter().copied();
            let missing: Vec<u8> = missing.filter(|&byte| used[usize::from(byte)]).collect();
            if !missing.is_empty() {
                return Err(CompileError::MissingBytes(missing));
            }
        }
        let lineage = Lineage {
            ir: ir.clone(),
            vocabulary: vocabulary.clone(),
            limits,
            cancelled,
            current: Mutex::new(generation.clone()),
            evictions: AtomicU64::new(0),
        };
        Ok(Self { lineage: Arc::new(lineage), generation })
    }

    /// A matcher at the beginning of the text.
    #[must_use]
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.latest())
    }

    /// The program with the generation that new matchers get, which is a new one where the last
    /// takes more than [`Limits::memory_max`].
    pub(crate) fn latest(&self) -> Self {
        let lineage = self.lineage.clone();
        let mut current = lineage.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.has_grown_over(lineage.limits.memory_max) {
            let Lineage { ir, vocabulary, limits, cancelled, .. } = &*lineage;
            // What could be made once can be made again; else the old one goes on.
            if let Ok(generation) = Generation::new(ir, vocabulary, *limits, cancelled) {
                *current = Arc::new(generation);
                lineage.evictions.fetch_add(1, Ordering::Relaxed);
            }
        }
        let generation = current.clone();
        drop(current);
        Self { lineage, generation }
    }

    /// How often what was learnt has been left behind because it took too much memory.
    #[must_use]
    pub fn evictions(&self) -> u64 {
        self.lineage.evictions.load(Ordering::Relaxed)
    }

    /// Makes all calls to matchers of this program that have work to do return
    /// [`LimitError::Cancelled`], from any thread, until [`Program::resume`]. The matchers are
    /// then as they were before the call.
    pub fn cancel(&self) {
        self.lineage.cancelled.store(true, Ordering::Relaxed);
    }

    /// Lets matchers work again.
    pub fn resume(&self) {
        self.lineage.cancelled.store(false, Ordering::Relaxed);
    }

    /// Whether a token that has bytes may stand for itself, beside its bytes.
    pub(crate) fn names_tokens(&self) -> bool {
        self.generation.named
    }

    /// Where the first token begins.
    pub(crate) fn start(&self) -> StateId {
        self.generation.start
    }

    /// The vocabulary that it was compiled for.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.lineage.vocabulary
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.lineage.limits
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
        &self.generation.engine
    }

    /// Whether a stop token may stand at `state` although the outline does not spell it.
    pub(crate) fn may_stop(&self, state: StateId) -> Result<bool, LimitError> {
        let engine = self.engine();
        Ok(engine.is_accepting(state)
            && match self.lineage.vocabulary.stop_policy() {
                StopPolicy::WhereAccepting => true,
                StopPolicy::WhereComplete => self.may_stop_in(&mut engine.work(), state)?,
                StopPolicy::Caller => false,
            })
    }

    fn may_stop_in(&self, work: &mut Work<'_>, state: StateId) -> Result<bool, LimitError> {
        let accepting = work.state(state).accepting;
        Ok(accepting
            && match self.lineage.vocabulary.stop_policy() {
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
                let mut mask = masks::compute(&mut work, alike, &self.lineage.vocabulary)?;
                work.markers(alike).into_iter().for_each(|marker| mask.insert(token_of(marker).0));
                if self.may_stop_in(&mut work, alike)? {
                    let stop = self.lineage.vocabulary.stop_tokens().iter();
                    stop.for_each(|&token| mask.insert(token.0));
                }
                self.generation.masks.fetch_add(1, Ordering::Relaxed);
                engine.state(alike).mask.get_or_init(|| Arc::new(mask.finish())).clone()
            }
        };
        Ok(engine.state(state).mask.get_or_init(|| mask))
    }
}

impl Generation {
    fn new(
        ir: &Ir,
        vocabulary: &Vocabulary,
        limits: Limits,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Self, CompileError> {
        let span = u32::try_from(vocabulary.token_bytes_max()).unwrap_or(u32::MAX);
        let named = Arc::new(AtomicBool::new(false));
        let binding = Box::new(ToVocabulary::new(vocabulary.clone(), named.clone()));
        let shared = Some(vocabulary.shared().clone());
        let engine = Engine::new(ir, binding, limits, span, shared)?;
        engine.give_up_on(cancelled);
        let start = engine.at_token(engine.start())?;
        // Only an author's text names tokens, and all rules but those of schemas are lowered.
        let named = named.load(Ordering::Relaxed);
        let (masks, measure_at) = (AtomicUsize::new(0), AtomicUsize::new(MEASURED_FROM));
        Ok(Self { engine, start, named, masks, measure_at })
    }

    /// Whether it takes more than `max` bytes; measured anew when it has grown by half, so that
    /// the cost is O(1) amortised over what grows.
    fn has_grown_over(&self, max: usize) -> bool {
        let grown = self.engine.states() + self.masks.load(Ordering::Relaxed);
        if grown < self.measure_at.load(Ordering::Relaxed) {
            return false;
        }
        self.measure_at.store(grown + grown / 2, Ordering::Relaxed);
        let (states, masks) = self.engine.bytes();
        states + masks > max
    }
}

/// So many states and masks are measured first.
const MEASURED_FROM: usize = 64;

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("width", &self.lineage.vocabulary.width()).finish()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::Rejected;
    use crate::vocabulary::Token;

    fn letters() -> Vocabulary {
        let letters = (b'a'..=b'z').map(|letter| Token::Bytes([letter].into()));
        Vocabulary::new(letters.collect()).expect("there are letters")
    }

    fn program(limits: Limits) -> Program {
        let text = Ir::text(&"abc".repeat(100));
        let ir = Ir::choice([text.clone(), Ir::sequence([text, Ir::text("z")])]);
        Program::compile_ir(&ir, &letters(), limits).expect("it is small")
    }

    #[test]
    fn what_has_grown_too_large_is_left_behind() {
        let program = program(Limits { memory_max: 1_000, ..Limits::default() });
        let mut first = program.matcher();
        first.accept_bytes("abc".repeat(90).as_bytes()).expect("it may come");
        assert_eq!(program.evictions(), 0);
        let mut second = program.matcher();
        assert_eq!(program.evictions(), 1);
        assert_eq!(second.program().memory().masks, 0);
        second.accept_bytes("abc".repeat(90).as_bytes()).expect("it may come");
        let (one, two) = (first.mask().expect("it is small"), second.mask().expect("as small"));
        assert_eq!(one.iter().collect::<Vec<_>>(), two.iter().collect::<Vec<_>>());
        first.reset();
        first.accept_bytes(b"abc").expect("it may come");
    }

    #[test]
    fn work_can_be_called_off_and_taken_up_again() {
        let program = program(Limits::default());
        let mut matcher = program.matcher();
        matcher.accept_bytes(b"ab").expect("it may come");
        program.cancel();
        assert_eq!(matcher.accept_bytes(b"ca"), Err(Rejected::Limit(LimitError::Cancelled)));
        assert_eq!(matcher.len(), 1);
        program.resume();
        matcher.accept_bytes(b"ca").expect("it may come");
    }

    #[test]
    fn one_call_has_so_many_steps() {
        let program = program(Limits { work_max: 8, ..Limits::default() });
        let mut matcher = program.matcher();
        matcher.accept_bytes(b"abcabc").expect("each byte is a call of its own");
        let limits = Limits { work_max: 0, ..Limits::default() };
        let compiled = Program::compile_ir(&Ir::text("a"), &letters(), limits);
        assert_eq!(compiled.err(), Some(CompileError::Limit(LimitError::Work(0))));
    }
}
