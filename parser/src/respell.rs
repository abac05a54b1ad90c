//! Spells the value of a capture as JSON while the events of it come.

use serde_json::Value;

use crate::teller::Event;
use crate::tree::{KEY, VALUE};
use crate::values::{Found, Gemma, Lexer, Python, Respeller, escape, gemma, python};
use blueprints_compiler::ir::CaptureKind;

/// Spells one value. Of what it has spelled nothing is taken back.
pub(crate) struct Respelled {
    /// What is open, the outermost first.
    open: Vec<Open>,
    /// Whether the value has ended.
    done: bool,
}

enum Open {
    /// Text that is the value as it stands.
    Raw,
    /// A string, whose quotes are written around its text.
    String,
    /// Another notation.
    Notation(Box<dyn Lexer + Send>, Respeller),
    /// An object of keys and values by turns.
    Entries { begun: bool, key: Option<String> },
    /// An array of values.
    Items { begun: bool },
    /// What is known when it ends: numbers, objects of captures, keys.
    Whole,
    /// A part of something that is spelled by its text.
    Part,
}

/// The bound on the nesting of notations.
const DEPTH_MAX: usize = 120;

impl Respelled {
    /// Spells the value of a capture of `kind` that was just opened; `holds` says whether other
    /// captures may stand in it.
    pub(crate) fn new(kind: CaptureKind, holds: bool, json: &mut String) -> Self {
        let mut respelled = Self { open: Vec::new(), done: false };
        respelled.begin(kind, holds, json);
        respelled
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    fn begin(&mut self, kind: CaptureKind, holds: bool, json: &mut String) {
        let open = match kind {
            CaptureKind::Json => Open::Raw,
            CaptureKind::Text if holds => Open::Whole,
            CaptureKind::Text | CaptureKind::String => {
                json.push('"');
                Open::String
            }
            CaptureKind::Entries => {
                json.push('{');
                Open::Entries { begun: false, key: None }
            }
            CaptureKind::Items => {
                json.push('[');
                Open::Items { begun: false }
            }
            CaptureKind::Python => {
                Open::Notation(Box::new(Python::default()), python::respeller(DEPTH_MAX))
            }
            CaptureKind::Gemma => {
                Open::Notation(Box::new(Gemma::default()), gemma::respeller(DEPTH_MAX))
            }
            CaptureKind::Integer
            | CaptureKind::Number
            | CaptureKind::Boolean
            | CaptureKind::Object => Open::Whole,
        };
        self.open.push(open);
    }

    /// Takes in an event of the capture, and appends to `json` what it adds.
    pub(crate) fn push(&mut self, event: &Event, json: &mut String) {
        match event {
            Event::Opened { name, kind, holds, .. } => self.opened(name, *kind, *holds, json),
            Event::Text(text) => self.text(text, json),
            Event::Closed { name, value, .. } => self.closed(name, value, json),
            Event::Outside(_) | Event::Left { .. } => {}
        }
    }

    fn opened(&mut self, name: &str, kind: CaptureKind, holds: bool, json: &mut String) {
        match self.open.last_mut() {
            Some(Open::Entries { begun, key }) if name == VALUE && key.is_some() => {
                entry(begun, key.take().unwrap_or_default(), json);
                self.begin(kind, holds, json);
            }
            Some(Open::Items { begun }) if name == VALUE => {
                if std::mem::replace(begun, true) {
                    json.push(',');
                }
                self.begin(kind, holds, json);
            }
            _ => self.open.push(Open::Part),
        }
    }

    /// What is spelled by its text hears that of the captures in it too.
    fn text(&mut self, text: &str, json: &mut String) {
        let spelled = |open: &&mut Open| {
            matches!(open, Open::Raw | Open::String | Open::Notation(..) | Open::Whole)
        };
        match self.open.iter_mut().find(spelled) {
            Some(Open::Raw) => json.push_str(text),
            Some(Open::String) => escape(text, json),
            Some(Open::Notation(lexer, respeller)) => {
                // What is no value is an error of the parser when the capture ends.
                let found: &mut Found<'_> = &mut |piece| respeller.push(piece, json);
                let _ = lexer.push(text, found);
            }
            _ => {}
        }
    }

    fn closed(&mut self, name: &str, value: &Value, json: &mut String) {
        match self.open.pop() {
            Some(Open::String) => json.push('"'),
            Some(Open::Notation(mut lexer, mut respeller)) => {
                let _ = lexer.finish(&mut |piece| respeller.push(piece, json));
            }
            Some(Open::Whole) => json.push_str(&value.to_string()),
            Some(Open::Entries { mut begun, key }) => {
                if let Some(key) = key {
                    entry(&mut begun, key, json);
                    json.push_str("null");
                }
                json.push('}');
            }
            Some(Open::Items { .. }) => json.push(']'),
            Some(Open::Raw | Open::Part) | None => {}
        }
        if let Some(Open::Entries { begun, key }) = self.open.last_mut()
            && name == KEY
        {
            let next = match value {
                Value::String(key) => key.clone(),
                other => other.to_string(),
            };
            if let Some(bare) = key.replace(next) {
                entry(begun, bare, json);
                json.push_str("null");
            }
        }
        self.done = self.open.is_empty();
    }
}

/// The key of an entry.
fn entry(begun: &mut bool, key: String, json: &mut String) {
    if std::mem::replace(begun, true) {
        json.push(',');
    }
    json.push('"');
    escape(&key, json);
    json.push_str("\":");
}
