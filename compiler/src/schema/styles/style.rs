//! What a style says.

use std::collections::BTreeMap;

use super::pattern::Pattern;
use crate::ir::CaptureKind;
use crate::schema::options::{Order, Whitespace};

/// How the members of an object are written one by one; see the page on styles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Style {
    /// One entry; without it, a value is written in the notation alone.
    pub(in crate::schema) entry: Option<Pattern>,
    /// One item of an array, where arrays nest.
    pub(in crate::schema) item: Option<Pattern>,
    /// Between two entries, and between two items.
    pub(in crate::schema) separator: String,
    /// Before entries, if there are any.
    pub(in crate::schema) before: String,
    /// After entries, if there are any.
    pub(in crate::schema) after: String,
    /// How a string is written that is a value of an entry; `None` is raw text.
    pub(in crate::schema) strings: Option<Notation>,
    /// How every other value is written.
    pub(in crate::schema) values: Notation,
    /// Which words stand for booleans that are values of entries, and in Python for words.
    pub(in crate::schema) booleans: Booleans,
    /// Whether objects and arrays are entries and items again, at every depth.
    pub(in crate::schema) nested: bool,
    /// How keys are written.
    pub(in crate::schema) key: KeySpelling,
    /// Whether keys that are not declared are identifiers.
    pub(in crate::schema) plain_keys: bool,
    /// Where white space may stand.
    pub(in crate::schema) blanks: Blanks,
    /// In which order entries stand, unless the options of the schema say.
    pub(in crate::schema) order: Option<Order>,
    /// What stands around strings of Gemma's notation.
    pub(in crate::schema) quote: String,
    /// Whether a string may stand in a CDATA section as well as raw.
    pub(in crate::schema) cdata: bool,
    /// What raw text must not contain.
    pub(in crate::schema) excludes: Vec<String>,
    /// Words for JSON types other than their names.
    pub(in crate::schema) types: BTreeMap<String, String>,
}

/// A notation of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::schema) enum Notation {
    /// JSON text.
    #[default]
    Json,
    /// A Python literal.
    Python,
    /// Bare keys, and strings as raw text between quotes of a kind of its own.
    Gemma,
}

/// Which words stand for booleans.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::schema) enum Booleans {
    /// `true` and `false`.
    #[default]
    Json,
    /// `True` and `False` as well.
    Both,
}

/// Where white space may stand in a style.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::schema) enum Blanks {
    /// Nowhere.
    #[default]
    Nowhere,
    /// Around entries and items.
    Entries,
    /// Around values but strings as well.
    Values,
}

/// How keys are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::schema) enum KeySpelling {
    /// As they are.
    #[default]
    Plain,
    /// With `&`, `<`, `>` and `"` as entities.
    XmlAttribute,
    /// With `&` and `"` as entities.
    XmlQuoted,
    /// As they are, if they are identifiers.
    Identifier,
}

impl Style {
    /// What the text of a whole schema becomes.
    pub(crate) fn kind(&self) -> CaptureKind {
        match (&self.entry, self.values) {
            (Some(_), _) => CaptureKind::Entries,
            (None, Notation::Json) => CaptureKind::Json,
            (None, Notation::Python) => CaptureKind::Python,
            (None, Notation::Gemma) => CaptureKind::Gemma,
        }
    }

    /// What may stand between the tokens of values where no option says it.
    pub(in crate::schema) fn whitespace(&self) -> Whitespace {
        match self.values {
            Notation::Gemma => Whitespace::Compact,
            Notation::Json | Notation::Python => Whitespace::default(),
        }
    }
}
