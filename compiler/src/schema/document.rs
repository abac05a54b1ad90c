//! The JSON values of a schema and of the schemas it refers to, flat in one table.
//!
//! A value is a number into the table, so that what is known about it can stand in tables of its
//! own; the members or items of one value lie side by side.

use std::collections::HashMap;

use serde_json::Value;

use super::SchemaError;

/// The deepest nest of arrays and objects in a schema.
pub(super) const NEST_MAX: usize = 200;

/// A value of a [`Document`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Item(pub(super) u32);

/// A stretch of the document's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Span {
    start: u32,
    length: u32,
}

/// What a value is, its parts aside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Json<'a> {
    Null,
    Bool(bool),
    /// A number as it was spelled.
    Number(&'a str),
    String(&'a str),
    Array,
    Object,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Null,
    Bool(bool),
    Number(Span),
    String(Span),
    /// The first of the items, and how many there are.
    Array(u32, u32),
    /// The first of the members, and how many there are.
    Object(u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    /// The value that this is a part of; its own number at a root.
    parent: u32,
    /// The key that it has there, if its parent is an object.
    key: Span,
}

/// Values of one or several JSON texts.
#[derive(Debug, Default)]
pub(super) struct Document {
    entries: Vec<Entry>,
    text: String,
    /// The members of big objects by their keys.
    keys: HashMap<u32, HashMap<Box<str>, Item>>,
    /// Whether a key begins with `$id`, `$anchor`, `$dynamic`, `$recursive` or is `id`.
    named: bool,
}

/// Objects with more members find them by a table.
const SCANNED_MAX: u32 = 24;

impl Document {
    /// Adds the values of `source` and returns its root.
    ///
    /// # Errors
    /// If it nests too deep.
    pub(super) fn add(&mut self, source: &Value) -> Result<Item, SchemaError> {
        let root = self.entries.len() as u32;
        self.entries.push(Entry { kind: Kind::Null, parent: root, key: Span::default() });
        let mut level = vec![(source, root)];
        let mut depth = 0;
        while !level.is_empty() {
            if depth > NEST_MAX {
                let message = format!("the schema nests deeper than {NEST_MAX}");
                return Err(SchemaError::too_large("", message));
            }
            depth += 1;
            let mut below = Vec::new();
            for (value, at) in level {
                self.entries[at as usize].kind = self.kind(value, at, &mut below);
            }
            level = below;
        }
        Ok(Item(root))
    }

    fn kind<'v>(&mut self, value: &'v Value, at: u32, below: &mut Vec<(&'v Value, u32)>) -> Kind {
        match value {
            Value::Null => Kind::Null,
            Value::Bool(truth) => Kind::Bool(*truth),
            Value::Number(number) => Kind::Number(self.span(number.as_str())),
            Value::String(text) => Kind::String(self.span(text)),
            Value::Array(items) => {
                let first = self.entries.len() as u32;
                for item in items {
                    below.push((item, self.entries.len() as u32));
                    self.push(at, Span::default());
                }
                Kind::Array(first, items.len() as u32)
            }
            Value::Object(members) => {
                let first = self.entries.len() as u32;
                for (key, member) in members {
                    below.push((member, self.entries.len() as u32));
                    self.named |= key.starts_with('$') && is_name(key) || key == "id";
                    let key = self.span(key);
                    self.push(at, key);
                }
                let length = members.len() as u32;
                if length > SCANNED_MAX {
                    let keys = members.keys().zip(first..);
                    let keys = keys.map(|(key, at)| (key.as_str().into(), Item(at)));
                    self.keys.insert(at, keys.collect());
                }
                Kind::Object(first, length)
            }
        }
    }

    fn push(&mut self, parent: u32, key: Span) {
        self.entries.push(Entry { kind: Kind::Null, parent, key });
    }

    fn span(&mut self, text: &str) -> Span {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Span { start, length: text.len() as u32 }
    }

    fn spelled(&self, span: Span) -> &str {
        &self.text[span.start as usize..(span.start + span.length) as usize]
    }

    /// Whether anything in it may be an identifier or a dynamic reference.
    pub(super) fn is_named(&self) -> bool {
        self.named
    }

    /// What `item` is.
    pub(super) fn get(&self, item: Item) -> Json<'_> {
        match self.entries[item.0 as usize].kind {
            Kind::Null => Json::Null,
            Kind::Bool(truth) => Json::Bool(truth),
            Kind::Number(span) => Json::Number(self.spelled(span)),
            Kind::String(span) => Json::String(self.spelled(span)),
            Kind::Array(..) => Json::Array,
            Kind::Object(..) => Json::Object,
        }
    }

    pub(super) fn string(&self, item: Item) -> Option<&str> {
        match self.get(item) {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_object(&self, item: Item) -> bool {
        matches!(self.entries[item.0 as usize].kind, Kind::Object(..))
    }

    pub(super) fn is_array(&self, item: Item) -> bool {
        matches!(self.entries[item.0 as usize].kind, Kind::Array(..))
    }

    /// The parts of an array or an object; nothing for other values.
    pub(super) fn parts(&self, item: Item) -> impl DoubleEndedIterator<Item = Item> + use<> {
        let (first, length) = match self.entries[item.0 as usize].kind {
            Kind::Array(first, length) | Kind::Object(first, length) => (first, length),
            _ => (0, 0),
        };
        (first..first + length).map(Item)
    }

    /// How many parts an array or an object has.
    pub(super) fn size(&self, item: Item) -> usize {
        match self.entries[item.0 as usize].kind {
            Kind::Array(_, length) | Kind::Object(_, length) => length as usize,
            _ => 0,
        }
    }

    /// The key of a member in its object.
    pub(super) fn key(&self, member: Item) -> &str {
        self.spelled(self.entries[member.0 as usize].key)
    }

    /// The members of an object with their keys.
    pub(super) fn members(&self, object: Item) -> impl Iterator<Item = (&str, Item)> {
        let object = if self.is_object(object) { Some(object) } else { None };
        let parts = object.into_iter().flat_map(|object| self.parts(object));
        parts.map(|member| (self.key(member), member))
    }

    /// The member of an object with a key.
    ///
    /// # Complexity
    /// O(1) for big objects, O(members) for small ones.
    pub(super) fn member(&self, object: Item, key: &str) -> Option<Item> {
        if let Some(keys) = self.keys.get(&object.0) {
            return keys.get(key).copied();
        }
        self.members(object).find(|(own, _)| *own == key).map(|(_, member)| member)
    }

    /// The item of an array at a place.
    pub(super) fn item(&self, array: Item, at: usize) -> Option<Item> {
        if self.is_array(array) { self.parts(array).nth(at) } else { None }
    }

    /// The value that `item` is a part of.
    pub(super) fn parent(&self, item: Item) -> Option<Item> {
        let parent = self.entries[item.0 as usize].parent;
        (parent != item.0).then_some(Item(parent))
    }

    /// The JSON pointer of `item` in its own text.
    pub(super) fn pointer(&self, item: Item) -> String {
        let mut parts = Vec::new();
        let mut at = item;
        while let Some(parent) = self.parent(at) {
            parts.push(match self.entries[parent.0 as usize].kind {
                Kind::Array(first, _) => (at.0 - first).to_string(),
                _ => self.key(at).replace('~', "~0").replace('/', "~1"),
            });
            at = parent;
        }
        parts.iter().rev().fold(String::new(), |pointer, part| pointer + "/" + part)
    }

    /// The root of the text that `item` is in.
    pub(super) fn root(&self, item: Item) -> Item {
        let mut at = item;
        while let Some(parent) = self.parent(at) {
            at = parent;
        }
        at
    }
}

fn is_name(key: &str) -> bool {
    ["$id", "$anchor", "$dynamic", "$recursive"].iter().any(|name| key.starts_with(name))
}
