//! The parts of one rendering, and the handles that stand for them in rendered text.
//!
//! A handle is a number between two reserved characters, in a string that is marked safe. Text
//! from anywhere else that holds a reserved character is refused at the one place where text
//! comes in, so that data never becomes a part and a torn part is found.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::problem::Problem;
use crate::ir::{Ir, Origin};
use crate::limits::Limits;
use crate::template::parse::RESERVED;
use crate::template::rewrite::TemplateId;

const OPEN: char = '\u{F0000}';
const CLOSE: char = '\u{F0001}';

/// A piece of structure made while a template renders.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    /// It and the parts in it, each as often as it is used.
    size: usize,
    depth: usize,
}

/// Parts in a row.
pub(crate) type Parts = Arc<[Arc<Part>]>;

/// The kinds of parts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    Text {
        string: Arc<str>,
        origin: Origin,
    },
    /// What a filter made, complete in itself.
    Closed(Ir),
    Repeat {
        body: Parts,
        min: u32,
        max: Option<u32>,
        separator: Parts,
    },
    Choice(Vec<Parts>),
    /// An option on its way into its choice.
    Option {
        body: Parts,
        place: Place,
    },
    Optional(Parts),
    Anything {
        until: Option<Vec<Arc<str>>>,
        place: Option<Place>,
    },
}

/// A place in one of the templates of a blueprint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) template: TemplateId,
    pub(crate) range: Range<usize>,
}

/// The parts of one rendering.
#[derive(Debug)]
pub(crate) struct Arena {
    parts: Vec<Arc<Part>>,
    size_max: usize,
    depth_max: usize,
}

/// Whether `text` holds a character that stands for parts.
pub(crate) fn is_reserved(text: &str) -> bool {
    text.contains(|c| RESERVED.contains(&c))
}

impl Arena {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { parts: Vec::new(), size_max: limits.parts, depth_max: limits.part_depth }
    }

    /// Takes in a part and returns its handle.
    pub(crate) fn add(&mut self, kind: Kind) -> Result<String, Problem> {
        let inner = |all: &[Parts]| {
            let parts = all.iter().flat_map(|parts| parts.iter());
            let size = parts.clone().fold(0_usize, |sum, part| sum.saturating_add(part.size));
            (size, parts.map(|part| part.depth).max().unwrap_or(0))
        };
        let (size, depth) = match &kind {
            Kind::Text { .. } | Kind::Closed(_) | Kind::Anything { .. } => (0, 0),
            Kind::Repeat { body, separator, .. } => inner(&[body.clone(), separator.clone()]),
            Kind::Choice(options) => inner(options),
            Kind::Option { body, .. } | Kind::Optional(body) => inner(std::slice::from_ref(body)),
        };
        let part = Part { kind, size: size.saturating_add(1), depth: depth + 1 };
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
        self.add(Kind::Text { string: text.into(), origin: Origin::Value })
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
                parts.push(Arc::new(source_text(text)));
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
    pub(crate) fn render(&mut self, parts: Vec<Arc<Part>>) -> String {
        let mut out = String::new();
        for part in parts {
            match &part.kind {
                Kind::Text { string, origin: Origin::Source } => out.push_str(string),
                _ => self.write_handle(part, &mut out),
            }
        }
        out
    }
}

/// A text of a template as a part.
pub(crate) fn source_text(text: &str) -> Part {
    let kind = Kind::Text { string: text.into(), origin: Origin::Source };
    Part { kind, size: 1, depth: 1 }
}

/// `part`, a text, with other characters.
pub(crate) fn with_text(part: &Part, text: &str) -> Part {
    let origin = match &part.kind {
        Kind::Text { origin, .. } => *origin,
        _ => Origin::Value,
    };
    Part { kind: Kind::Text { string: text.into(), origin }, ..source_text("") }
}

/// What a part is called in a message.
pub(crate) fn name_of(part: &Part) -> &'static str {
    match &part.kind {
        Kind::Text { .. } => "text",
        Kind::Closed(ir) => crate::diagnostic::problem::name_of(ir),
        Kind::Repeat { .. } => "a repeat",
        Kind::Choice(_) => "a choice",
        Kind::Option { .. } => "an option",
        Kind::Optional(_) => "an optional",
        Kind::Anything { .. } => "free text",
    }
}
