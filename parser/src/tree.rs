//! What was read: the captures of a text with their places and values.

use std::ops::Range;
use std::sync::Arc;

use blueprints_compiler::ir::CaptureKind;
use blueprints_runtime::Mismatch;
use serde_json::{Map, Value};

/// A text as a blueprint reads it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Parsed {
    pub(crate) text: Arc<str>,
    pub(crate) captures: Vec<Captured>,
    pub(crate) left: Option<Left>,
}

/// A part of the text that the blueprint names.
#[derive(Clone, PartialEq, Debug)]
pub struct Captured {
    pub(crate) name: Arc<str>,
    pub(crate) kind: CaptureKind,
    pub(crate) list: bool,
    pub(crate) span: Range<usize>,
    /// The value, where the text spells it.
    pub(crate) spelled: Option<Value>,
    pub(crate) parts: Vec<Captured>,
}

/// Where a text left the blueprint's language, or broke off, and was read on as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// The byte from which on the text belongs to no capture.
    pub from: usize,
    /// Where it left, and what could have stood there.
    pub mismatch: Mismatch,
}

impl Parsed {
    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The captures that stand in no other, in the order of the text.
    #[must_use]
    pub fn captures(&self) -> &[Captured] {
        &self.captures
    }

    /// Where a lenient parser left the blueprint, if it did.
    #[must_use]
    pub fn left(&self) -> Option<&Left> {
        self.left.as_ref()
    }

    /// The captures as one object; a name that may come several times has an array.
    ///
    /// # Complexity
    /// O(text).
    #[must_use]
    pub fn value(&self) -> Value {
        Value::Object(object(&self.captures, &self.text))
    }

    /// The text of `captured`, a capture of this text.
    #[must_use]
    pub fn text_of(&self, captured: &Captured) -> &str {
        self.text.get(captured.span.clone()).unwrap_or_default()
    }

    /// The value of `captured`, a capture of this text.
    #[must_use]
    pub fn value_of(&self, captured: &Captured) -> Value {
        value_in(captured, &self.text)
    }
}

/// The value of `captured`, a capture of `text`.
pub(crate) fn value_in(captured: &Captured, text: &str) -> Value {
    if let Some(value) = &captured.spelled {
        return value.clone();
    }
    match captured.kind {
        CaptureKind::Object => Value::Object(object(&captured.parts, text)),
        CaptureKind::Entries => Value::Object(entries(&captured.parts, text)),
        CaptureKind::Items => {
            let values = captured.parts.iter().filter(|part| &*part.name == VALUE);
            Value::Array(values.map(|part| value_in(part, text)).collect())
        }
        CaptureKind::Text if !captured.parts.is_empty() => {
            Value::Object(object(&captured.parts, text))
        }
        _ => Value::String(text.get(captured.span.clone()).unwrap_or_default().to_owned()),
    }
}

fn object(parts: &[Captured], text: &str) -> Map<String, Value> {
    let mut object: Map<String, Value> = Map::new();
    for part in parts {
        let value = value_in(part, text);
        match object.get_mut(&*part.name) {
            Some(Value::Array(values)) if part.list => values.push(value),
            Some(first) => {
                // Rules that call each other may read a name twice where one was expected.
                let values = vec![first.take(), value];
                object.insert(part.name.to_string(), values.into());
            }
            None if part.list => {
                object.insert(part.name.to_string(), vec![value].into());
            }
            None => {
                object.insert(part.name.to_string(), value);
            }
        }
    }
    object
}

/// Keys with the values behind them; of equal keys the last value counts. A key without a value
/// has null.
fn entries(parts: &[Captured], text: &str) -> Map<String, Value> {
    let mut object = Map::new();
    let mut key: Option<String> = None;
    for part in parts {
        match &*part.name {
            KEY => {
                let next = match value_in(part, text) {
                    Value::String(key) => key,
                    other => other.to_string(),
                };
                if let Some(bare) = key.replace(next) {
                    object.insert(bare, Value::Null);
                }
            }
            VALUE => {
                if let Some(key) = key.take() {
                    object.insert(key, value_in(part, text));
                }
            }
            _ => {}
        }
    }
    if let Some(bare) = key {
        object.insert(bare, Value::Null);
    }
    object
}

/// The capture of an entry's key.
pub(crate) const KEY: &str = "key";
/// The capture of an entry's or an item's value.
pub(crate) const VALUE: &str = "value";

impl Captured {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its text becomes.
    #[must_use]
    pub fn kind(&self) -> CaptureKind {
        self.kind
    }

    /// Its bytes in the text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Whether the blueprint lets it come several times.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.list
    }

    /// The captures in it.
    #[must_use]
    pub fn parts(&self) -> &[Captured] {
        &self.parts
    }
}
