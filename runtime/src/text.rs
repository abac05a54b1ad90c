//! Whole texts against an outline, without a vocabulary: does it match, and if not, where and why.
//!
//! Here special tokens are their spelling. The stop token at the end of a blueprint may be left
//! out of the text, as engines return it.

use blueprints_compiler::ir::{ByteSet, Kind, Origin, Special};
use blueprints_compiler::{Ir, Outline};

use crate::bind::ToBytes;
use crate::engine::{Engine, StateId};
use crate::limits::{LimitError, Limits};
use crate::pointer::{json_start, pointer};
use crate::program::CompileError;

/// Decides whether texts fit an outline.
pub struct Recogniser {
    engine: Engine,
    /// The spellings of the stop tokens that the outline may end with.
    stops: Vec<String>,
    /// Where the JSON value of each text begins, if one does after fixed text.
    json: Option<usize>,
}

/// Whether a text fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It does.
    Matches,
    /// It does not.
    Fails(Mismatch),
}

/// Where a text leaves the language, or breaks off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The byte of the first character that does not fit; the text's length if it breaks off.
    pub at: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// The JSON pointer of the value that is being read there, where the texts are JSON, or JSON
    /// after fixed text.
    pub pointer: Option<String>,
    /// What could stand there instead, in words.
    pub expected: String,
}

impl Mismatch {
    /// The place of the character that `byte` of `text` is in, where `expected` could stand.
    #[must_use]
    pub fn new(text: &str, byte: usize, expected: String) -> Self {
        let at = (0..=byte).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |line| line + 1);
        Self {
            at,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            pointer: None,
            expected,
        }
    }
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { at, line, column, pointer, expected } = self;
        write!(f, "byte {at}, {line}:{column}")?;
        if let Some(pointer) = pointer.as_ref().filter(|pointer| !pointer.is_empty()) {
            write!(f, ", at {pointer}")?;
        }
        write!(f, ": expected {expected}")
    }
}

/// Asks an outline about texts.
pub trait MatchText {
    /// Whether `text` fits. To ask about many texts, build one [`Recogniser`].
    ///
    /// # Errors
    /// [`CompileError`] if the outline or the text crosses a limit.
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::Ir;
    /// use blueprints_runtime::MatchText;
    /// let ir = Ir::choice([Ir::text("no"), Ir::text("not sure")]);
    /// assert!(ir.is_match("not sure")?);
    /// assert!(!ir.is_match("not")?);
    /// # Ok::<(), blueprints_runtime::CompileError>(())
    /// ```
    fn is_match(&self, text: &str) -> Result<bool, CompileError> {
        Ok(self.validate(text)? == Verdict::Matches)
    }

    /// Whether `text` fits, and if not, at which byte, line, column and JSON pointer it fails,
    /// and what was expected there.
    ///
    /// # Errors
    /// As [`MatchText::is_match`].
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::{Ir, SchemaOptions};
    /// use blueprints_runtime::{MatchText, Verdict};
    /// let schema = serde_json::json!({"properties": {"days": {"type": "integer"}}});
    /// let ir = Ir::schema(std::sync::Arc::new(schema), SchemaOptions::default())?;
    /// let Verdict::Fails(mismatch) = ir.validate(r#"{"days": "2"}"#)? else { panic!() };
    /// assert_eq!((mismatch.at, mismatch.pointer.as_deref()), (9, Some("/days")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn validate(&self, text: &str) -> Result<Verdict, CompileError>;
}

impl MatchText for Ir {
    fn validate(&self, text: &str) -> Result<Verdict, CompileError> {
        Ok(Recogniser::new(self, Limits::default())?.check(text)?)
    }
}

impl MatchText for Outline {
    fn validate(&self, text: &str) -> Result<Verdict, CompileError> {
        self.ir().validate(text)
    }
}

impl Recogniser {
    /// A recogniser of the texts of `ir`.
    ///
    /// # Errors
    /// [`CompileError::Limit`] if a limit is crossed.
    pub fn new(ir: &Ir, limits: Limits) -> Result<Self, CompileError> {
        // Without tokens there are no masks, and no count is like another.
        let engine = Engine::new(ir, Box::new(ToBytes), limits, 0, None)?;
        Ok(Self { engine, stops: stop_tokens(ir), json: json_start(ir) })
    }

    /// Whether `text` fits, and if not, where it fails.
    ///
    /// # Errors
    /// [`LimitError`] if the text crosses a limit.
    ///
    /// # Complexity
    /// O(bytes of the text) for outlines whose readings stay few.
    pub fn check(&mut self, text: &str) -> Result<Verdict, LimitError> {
        let mut state = self.engine.start();
        for (at, byte) in text.bytes().enumerate() {
            let next = self.engine.step(state, byte)?;
            if next == StateId::DEAD {
                return self.fails(text, at, state);
            }
            state = next;
        }
        if self.engine.is_accepting(state) || self.accepts_with_stop(state)? {
            return Ok(Verdict::Matches);
        }
        self.fails(text, text.len(), state)
    }

    fn accepts_with_stop(&self, state: StateId) -> Result<bool, LimitError> {
        for stop in &self.stops {
            let mut state = state;
            for byte in stop.bytes() {
                state = self.engine.step(state, byte)?;
            }
            if self.engine.is_accepting(state) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn fails(&mut self, text: &str, byte: usize, state: StateId) -> Result<Verdict, LimitError> {
        let mut mismatch = Mismatch::new(text, byte, self.expected(state)?);
        let before = &text[..mismatch.at];
        mismatch.pointer = self.json.and_then(|start| before.get(start..)).map(pointer);
        Ok(Verdict::Fails(mismatch))
    }

    /// What can stand at `state`: text that must follow, or the characters that may.
    fn expected(&mut self, state: StateId) -> Result<String, LimitError> {
        const SHOWN_MAX: usize = 12;
        if let Some(text) = forced(&self.engine, state)? {
            return Ok(text);
        }
        let mut shown = ranges(&self.engine.live(state)?);
        if shown.len() > SHOWN_MAX {
            let more = shown.len() - SHOWN_MAX;
            shown.truncate(SHOWN_MAX);
            shown.push(format!("{more} others"));
        }
        if self.engine.is_accepting(state) {
            shown.push("the end".to_owned());
        }
        Ok(shown.join(", "))
    }
}

/// The text that must follow `state`, quoted; `None` if nothing must.
pub(crate) fn forced(engine: &Engine, state: StateId) -> Result<Option<String>, LimitError> {
    let mut must = Vec::new();
    let mut at = state;
    while must.len() < 40 && !engine.is_accepting(at) {
        let live = engine.live(at)?;
        let Some(byte) = live.iter().next().filter(|_| live.len() == 1) else { break };
        must.push(byte);
        at = engine.step(at, byte)?;
    }
    let quoted = || format!("`{}`", String::from_utf8_lossy(&must).escape_debug());
    Ok((!must.is_empty()).then(quoted))
}

/// The characters that begin with a byte of `live`, as ranges in words.
pub(crate) fn ranges(live: &ByteSet) -> Vec<String> {
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for byte in live.iter() {
        match ranges.last_mut() {
            Some((_, high)) if *high + 1 == byte && byte != 0x80 => *high = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    let show = |byte: u8| format!("`{}`", char::from(byte).escape_debug());
    let mut shown: Vec<String> = Vec::new();
    for (low, high) in ranges {
        shown.push(match (low, high) {
            (0x80.., _) if shown.last().is_some_and(|last| last == NOT_ASCII) => continue,
            (0x80.., _) => NOT_ASCII.to_owned(),
            _ if low == high => show(low),
            _ => format!("{} to {}", show(low), show(high)),
        });
    }
    shown
}

impl std::fmt::Debug for Recogniser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recogniser").field("stops", &self.stops).finish_non_exhaustive()
    }
}

pub(crate) const NOT_ASCII: &str = "a character beyond ASCII";

/// The stop tokens that an outline may end with, by their look: without a vocabulary nobody can
/// say which spellings are special tokens.
#[must_use]
pub fn stop_tokens(ir: &Ir) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![ir];
    while let Some(ir) = left.pop() {
        match ir.kind() {
            Kind::Sequence(parts) => left.extend(parts.last()),
            Kind::Choice(arms) => left.extend(arms.iter()),
            Kind::Text(text) if text.origin == Origin::Source => {
                found.extend(stop_token(&text.string).filter(|stop| !found.contains(stop)));
            }
            // What is a token by name is one, whatever its look.
            Kind::Special(Special::Spelled(spelling)) => found.push(spelling.to_string()),
            _ => {}
        }
    }
    found
}

/// Stop tokens of known families that look like nothing special.
const PLAIN_STOPS: &[&str] = &[
    "</s>",
    "<eos>",
    "<end_of_turn>",
    "<turn|>",
    "[EOS]",
    "[|endofturn|]",
    "</longcat_s>",
    "<end_of_sentence>",
    "<SPECIAL_12>",
    "<seed:eos>",
    "[e~[",
];

/// The stop token at the end of `string`.
fn stop_token(string: &str) -> Option<String> {
    if let Some(stop) = PLAIN_STOPS.iter().find(|stop| string.ends_with(**stop)) {
        return Some((*stop).to_owned());
    }
    let bars = [("<|", "|>"), ("<｜", "｜>")];
    bars.iter().find_map(|(open, close)| {
        let body = string.strip_suffix(close)?;
        let begin = body.rfind(open)?;
        let name = &body[begin + open.len()..];
        let is_name = !name.is_empty() && !name.contains(['<', '>', '\n', ' ']);
        is_name.then(|| string[begin..].to_owned())
    })
}
