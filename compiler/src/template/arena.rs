//! The parts of one rendering, and the handles that stand for them in rendered text.
//!
//! A handle is a number between two reserved characters, in a string that is marked safe. Text
//! from anywhere else that holds a reserved character is refused at the one place where text
//! comes in, so that data never becomes a part and a torn part is found.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use crate::diagnostic::problem::Problem;
use crate::ir::{Ir, Origin};
use crate::limits::Limits;
use crate::template::parse::RESERVED;
use crate::template::part::{Kind, Part, Parts, Place};

const OPEN: char = '\u{F0000}';
const CLOSE: char = '\u{F0001}';

/// A problem and where it lies, if that is known.
pub(crate) type Placed = (Problem, Option<Place>);

/// The problems that a rendering has met and passed over.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reports(Arc<Mutex<Vec<Placed>>>);

impl Reports {
    pub(crate) fn push(&self, problem: Problem, place: Option<Place>) {
        // Nothing is half done when the lock is lost: a push is all that happens under it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((problem, place));
    }

    pub(crate) fn take(&self) -> Vec<Placed> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The parts of one rendering.
#[derive(Debug)]
pub(crate) struct Arena {
    parts: Vec<Arc<Part>>,
    size_max: usize,
    depth_max: usize,
    pub(crate) reports: Reports,
    /// The calls of macros and the includes that are being rendered, the innermost first.
    calls: Option<Arc<Place>>,
}

/// Whether `text` holds a character that stands for parts.
pub(crate) fn is_reserved(text: &str) -> bool {
    text.contains(|c| RESERVED.contains(&c))
}

/// The handle of the part of this number.
pub(crate) fn handle(number: usize) -> String {
    format!("{OPEN}{number}{CLOSE}")
}

impl Arena {
    /// An arena whose first parts are `globals`, in order.
    pub(crate) fn new(limits: &Limits, reports: Reports, globals: &[Ir]) -> Self {
        let part = |ir: &Ir| Arc::new(Part { kind: Kind::Closed(ir.clone()), ..Part::source("") });
        let (size_max, depth_max) = (limits.parts, limits.part_depth);
        Self {
            parts: globals.iter().map(part).collect(),
            size_max,
            depth_max,
            reports,
            calls: None,
        }
    }

    /// `place` with the calls that lead to it.
    pub(crate) fn located(&self, place: Place) -> Place {
        Place { caller: self.calls.clone(), ..place }
    }

    /// From here on all is called from `place`.
    pub(crate) fn enter(&mut self, place: Place) {
        let place = self.located(place);
        self.calls = Some(Arc::new(place));
    }

    /// Undoes the last [`enter`](Self::enter).
    pub(crate) fn leave(&mut self) {
        self.calls = self.calls.take().and_then(|place| place.caller.clone());
    }

    /// Takes in a part and returns its handle.
    pub(crate) fn add(&mut self, kind: Kind, place: Option<Place>) -> Result<String, Problem> {
        let (mut size, mut depth, mut counted) = (0_usize, 0, matches!(kind, Kind::Iteration(_)));
        kind.each_row(&mut |row| {
            for part in row {
                size = size.saturating_add(part.size);
                depth = depth.max(part.depth);
                counted |= part.counted;
            }
        });
        // A repeat counts its own iterations.
        counted &= !matches!(kind, Kind::Repeat { .. });
        let place = place.map(|place| self.located(place));
        let part = Part { kind, place, size: size.saturating_add(1), depth: depth + 1, counted };
        if part.size > self.size_max {
            return Err(Problem::limit("parts in an outline", self.size_max as u64));
        }
        if part.depth > self.depth_max {
            return Err(Problem::limit("parts inside one another", self.depth_max as u64));
        }
        let mut handle = String::new();
        self.write_handle(Arc::new(part), &mut handle);
        Ok(handle)
    }

    fn write_handle(&mut self, part: Arc<Part>, out: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{OPEN}{}{CLOSE}", self.parts.len());
        self.parts.push(part);
    }

    /// The handle of a text that is data: the one door through which data comes in.
    pub(crate) fn add_value(&mut self, text: &str) -> Result<String, Problem> {
        if is_reserved(text) {
            return Err(Problem::torn_part());
        }
        if text.is_empty() {
            return Ok(String::new());
        }
        self.add(Kind::Text { string: text.into(), origin: Origin::Value }, None)
    }

    /// The parts that a rendered text consists of.
    pub(crate) fn read(&self, rendered: &str) -> Result<Vec<Arc<Part>>, Problem> {
        let mut parts = Vec::new();
        let mut size = 0_usize;
        let mut rest = rendered;
        while !rest.is_empty() {
            let at = rest.find(|c| RESERVED.contains(&c)).unwrap_or(rest.len());
            let (text, after) = rest.split_at(at);
            if !text.is_empty() {
                parts.push(Arc::new(Part::source(text)));
                size += 1;
            }
            rest = after;
            if !rest.is_empty() {
                let (part, after) = self.read_handle(rest).ok_or_else(Problem::torn_part)?;
                size = size.saturating_add(part.size);
                parts.push(part);
                rest = after;
            }
            if size > self.size_max {
                return Err(Problem::limit("parts in an outline", self.size_max as u64));
            }
        }
        Ok(parts)
    }

    fn read_handle<'a>(&self, text: &'a str) -> Option<(Arc<Part>, &'a str)> {
        let (digits, rest) = text.strip_prefix(OPEN)?.split_once(CLOSE)?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: usize = digits.parse().ok().filter(|_| plain)?;
        Some((self.parts.get(number)?.clone(), rest))
    }

    /// `parts` as rendered text again.
    pub(crate) fn render(&mut self, parts: Parts) -> String {
        let mut out = String::new();
        for part in parts.iter() {
            match &part.kind {
                Kind::Text { string, origin: Origin::Source } => out.push_str(string),
                _ => self.write_handle(part.clone(), &mut out),
            }
        }
        out
    }
}
