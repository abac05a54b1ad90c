//! Makes the tree of captures, and the events of a stream, from marks that are settled.

use std::sync::Arc;

use blueprints_compiler::ir::CaptureKind;
use serde_json::Value;

use crate::error::{Bound, ParseError};
use crate::marks::{Mark, NameId};
use crate::skeleton::{Name, Skeleton};
use crate::tree::{Captured, Left, Parsed, value_in};
use crate::values;

/// What a stream tells of the text so far. All readings of the text agree on it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A capture begins.
    Opened {
        /// Its name behind those of the captures around it, as `/tool_calls/0/name`; lists have a
        /// number.
        path: Arc<str>,
        /// Its name.
        name: Arc<str>,
        /// What its text becomes.
        kind: CaptureKind,
        /// Whether other captures may stand in it.
        holds: bool,
        /// Its first byte in the text.
        at: usize,
    },
    /// Text of the innermost open capture.
    Text(String),
    /// Text in no capture.
    Outside(String),
    /// A capture ends, and its value is known.
    Closed {
        /// As it was opened.
        path: Arc<str>,
        /// Its name.
        name: Arc<str>,
        /// What its text became.
        kind: CaptureKind,
        /// The byte behind its last one.
        at: usize,
        /// The value.
        value: Value,
    },
    /// The text left the blueprint, and is read on as text; captures that are open are none.
    Left {
        /// Where.
        left: Left,
        /// The text that belongs to no capture for that, as far as it was told already.
        text: String,
    },
}

struct Open {
    name: NameId,
    at: usize,
    /// Whether its beginning was told.
    told: bool,
    path: Arc<str>,
    parts: Level,
}

/// The captures in one other.
#[derive(Default)]
struct Level {
    captures: Vec<Captured>,
    /// How many there were of each name that is a list.
    counts: Vec<(Arc<str>, usize)>,
}

/// What was settled so far.
pub(crate) struct Teller {
    open: Vec<Open>,
    all: Level,
    /// The byte up to which the text was told.
    said: usize,
    /// The events to be told, if somebody listens.
    events: Option<Vec<Event>>,
    nesting_max: usize,
}

impl Teller {
    pub(crate) fn new(nesting_max: usize) -> Self {
        Self { open: Vec::new(), all: Level::default(), said: 0, events: None, nesting_max }
    }

    /// Begins anew; `listened` says whether events are wanted.
    pub(crate) fn restart(&mut self, listened: bool) {
        *self = Self::new(self.nesting_max);
        self.events = listened.then(Vec::new);
    }

    pub(crate) fn is_listened(&self) -> bool {
        self.events.is_some()
    }

    /// The events since the last call.
    pub(crate) fn take(&mut self) -> Vec<Event> {
        self.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes in a mark at byte `at` of `text`.
    pub(crate) fn mark(
        &mut self,
        mark: Mark,
        at: usize,
        text: &str,
        skeleton: &Skeleton,
    ) -> Result<(), ParseError> {
        self.text_to(at, text, skeleton);
        match mark {
            Mark::Open(name) => self.opened(name, at, skeleton),
            Mark::Close => self.closed(at, text, skeleton),
        }
    }

    /// Tells the text up to byte `to`, which belongs to what is open.
    pub(crate) fn text_to(&mut self, to: usize, text: &str, skeleton: &Skeleton) {
        let from = self.said;
        self.said = from.max(to);
        if self.events.is_none() || to <= from {
            return;
        }
        let delta = text.get(from..to).unwrap_or_default().to_owned();
        self.tell_open(skeleton);
        let event = if self.open.is_empty() { Event::Outside(delta) } else { Event::Text(delta) };
        self.events.iter_mut().for_each(|events| events.push(event.clone()));
    }

    /// Tells of the innermost open capture, if nobody was told.
    fn tell_open(&mut self, skeleton: &Skeleton) {
        let Some(events) = &mut self.events else { return };
        if let Some(open) = self.open.last_mut().filter(|open| !open.told) {
            open.told = true;
            let Name { name, kind, inner: holds, .. } = skeleton.name(open.name).clone();
            let (path, at) = (open.path.clone(), open.at);
            events.push(Event::Opened { path, name, kind, holds, at });
        }
    }

    fn opened(&mut self, name: NameId, at: usize, skeleton: &Skeleton) -> Result<(), ParseError> {
        if self.open.len() >= self.nesting_max {
            return Err(Bound::Nesting(self.nesting_max).into());
        }
        let own = skeleton.name(name);
        let path = match self.is_listened() {
            true => self.path(own),
            false => Arc::default(),
        };
        self.open.push(Open { name, at, told: false, path, parts: Level::default() });
        if !own.nonempty {
            self.tell_open(skeleton);
        }
        Ok(())
    }

    fn path(&mut self, name: &Name) -> Arc<str> {
        let (around, level) = match self.open.last_mut() {
            Some(open) => (&*open.path, &mut open.parts),
            None => ("", &mut self.all),
        };
        let spelled = name.name.replace('~', "~0").replace('/', "~1");
        if !name.list {
            return format!("{around}/{spelled}").into();
        }
        let known = level.counts.iter().position(|(known, _)| *known == name.name);
        let known = known.unwrap_or_else(|| {
            level.counts.push((name.name.clone(), 0));
            level.counts.len() - 1
        });
        let number = level.counts[known].1;
        format!("{around}/{spelled}/{number}").into()
    }

    fn closed(&mut self, at: usize, text: &str, skeleton: &Skeleton) -> Result<(), ParseError> {
        let Some(open) = self.open.last() else { return Ok(()) };
        let own = skeleton.name(open.name);
        if own.nonempty && open.at == at {
            self.open.pop();
            return Ok(());
        }
        self.tell_open(skeleton);
        let Some(open) = self.open.pop() else { return Ok(()) };
        let Name { name, kind, list, .. } = own.clone();
        let span = open.at..at;
        let spelled = text.get(span.clone()).unwrap_or_default();
        let spelled = values::spelled(kind, self.nesting_max, spelled).map_err(|reason| {
            ParseError::Value { name: name.to_string(), span: span.clone(), reason: reason.0 }
        })?;
        let parts = open.parts.captures;
        let captured = Captured { name, kind, list, span, spelled, parts };
        if let Some(events) = &mut self.events {
            let value = value_in(&captured, text);
            let name = captured.name.clone();
            events.push(Event::Closed { path: open.path, name, kind, at, value });
        }
        let level = self.open.last_mut().map_or(&mut self.all, |open| &mut open.parts);
        if let Some((_, count)) = level.counts.iter_mut().find(|(name, _)| *name == captured.name) {
            *count += 1;
        }
        level.captures.push(captured);
        Ok(())
    }

    /// Ends what is open where a text left the blueprint at byte `at`: a text stays as far as it
    /// was read, anything else is none. Returns the byte from which on text is in no capture.
    pub(crate) fn leave(
        &mut self,
        at: usize,
        text: &str,
        skeleton: &Skeleton,
    ) -> Result<usize, ParseError> {
        let Some(outermost) = self.open.first() else { return Ok(at) };
        let own = skeleton.name(outermost.name);
        let is_text = matches!(own.kind, CaptureKind::Text | CaptureKind::String) && !own.inner;
        if is_text {
            self.text_to(at, text, skeleton);
            self.closed(at, text, skeleton)?;
            return Ok(at);
        }
        self.open.clear();
        Ok(self.all.captures.last().map_or(0, |last| last.span.end))
    }

    /// Tells that `text` left the blueprint.
    pub(crate) fn left(&mut self, left: &Left, text: &str) {
        let text = text.get(left.from..self.said.max(left.from)).unwrap_or_default().to_owned();
        let event = Event::Left { left: left.clone(), text };
        self.events.iter_mut().for_each(|events| events.push(event.clone()));
    }

    /// What was read of `text`.
    pub(crate) fn parsed(&mut self, text: &str, left: Option<Left>) -> Parsed {
        let captures = std::mem::take(&mut self.all.captures);
        Parsed { text: text.into(), captures, left }
    }
}
