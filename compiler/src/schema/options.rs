//! The options under which a schema is read.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use super::reference::Remotes;
use super::styles::Style;

/// How JSON text for a schema may be spelled, and what may be left out of the schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemaOptions {
    /// What may stand between tokens.
    pub whitespace: Whitespace,
    /// The most blanks and tabs on one line between two tokens where white space is flexible, and
    /// the longest run where it is any.
    pub blanks_max: u32,
    /// In which order keys stand.
    pub order: Order,
    /// What `format` means.
    pub formats: Formats,
    /// Which characters of strings may be written as escapes.
    pub escapes: Escapes,
    /// Which spellings numbers may have.
    pub numbers: Numbers,
    /// How the members of the object are written one by one; `None` is JSON text.
    pub style: Option<Arc<Style>>,
    /// Whether no key of an object may repeat, not even one that is not declared. Other keys are
    /// compared by their characters; a finite set of many of them is refused.
    pub unique_keys: bool,
    /// Whether what cannot be held is left out, and reported, rather than refused.
    pub lenient: bool,
    /// Schemas by their addresses, which references may lead to.
    pub remotes: Arc<Remotes>,
}

impl Default for SchemaOptions {
    fn default() -> Self {
        Self {
            whitespace: Whitespace::default(),
            blanks_max: BLANKS_MAX,
            order: Order::default(),
            formats: Formats::default(),
            escapes: Escapes::default(),
            numbers: Numbers::default(),
            style: None,
            unique_keys: false,
            lenient: false,
            remotes: Arc::default(),
        }
    }
}

/// The default of [`SchemaOptions::blanks_max`].
const BLANKS_MAX: u32 = 32;
/// The most blanks that `max` and `indent` take.
const BLANKS_LIMIT: u64 = 1_000;

/// What may stand between two tokens of JSON text; nothing ever stands around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Whitespace {
    /// At most one line break, with a bounded number of blanks and tabs on either side of it.
    #[default]
    Flexible,
    /// Any run of blanks, tabs and line breaks, of a bounded length.
    Any,
    /// Nothing.
    Compact,
    /// Exactly what Python's `json.dumps` writes: a blank after each comma and colon.
    Spaced,
    /// Exactly what Python's `json.dumps` writes with so many blanks of indentation.
    Indent(u32),
}

/// In which order the keys of an object stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Order {
    /// As `properties` declares them, then other required ones, then the rest.
    #[default]
    Declared,
    /// Required keys first, then the other declared ones, each in their order, then the rest.
    RequiredFirst,
    /// In any order.
    Any,
    /// Declared ones in the order of their letters, whatever their case, then the rest.
    Sorted,
}

/// What the keyword `format` means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Formats {
    /// The text must have the format.
    #[default]
    Assert,
    /// Nothing, it is a note to the reader.
    Annotate,
}

/// Which characters of strings may be written as escapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Escapes {
    /// Any, in every legal way.
    #[default]
    All,
    /// Only those that must be.
    Minimal,
}

/// Which spellings numbers may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Numbers {
    /// All of JSON.
    #[default]
    Json,
    /// Those without an exponent.
    Plain,
}

/// Why an argument is no option of a schema.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// No option has this name.
    #[error("`{name}` is no option of a schema; there are {}", NAMES.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// The option does not take this value.
    #[error("`{name}` takes {expected}, not `{value}`")]
    Value {
        /// The name.
        name: &'static str,
        /// The value.
        value: String,
        /// The values it takes.
        expected: &'static str,
    },
    /// The style is none.
    #[error("{0}")]
    Style(String),
}

const NAMES: [&str; 11] = [
    "`whitespace`",
    "`indent`",
    "`max`",
    "`order`",
    "`formats`",
    "`escapes`",
    "`numbers`",
    "`style`",
    "`unique_keys`",
    "`lenient`",
    "`remotes`",
];
const WHITESPACE: [(&str, Whitespace); 4] = [
    ("flexible", Whitespace::Flexible),
    ("any", Whitespace::Any),
    ("compact", Whitespace::Compact),
    ("spaced", Whitespace::Spaced),
];
pub(super) const ORDER: [(&str, Order); 4] = [
    ("declared", Order::Declared),
    ("required_first", Order::RequiredFirst),
    ("any", Order::Any),
    ("sorted", Order::Sorted),
];
const FORMATS: [(&str, Formats); 2] =
    [("assert", Formats::Assert), ("annotate", Formats::Annotate)];
const ESCAPES: [(&str, Escapes); 2] = [("all", Escapes::All), ("minimal", Escapes::Minimal)];
const NUMBERS: [(&str, Numbers); 2] = [("json", Numbers::Json), ("plain", Numbers::Plain)];

impl SchemaOptions {
    /// The options that named arguments set; the rest are the defaults.
    ///
    /// # Errors
    /// [`OptionError`] for an unknown name and for a value that the option does not take.
    pub fn from_arguments(arguments: &[(String, Value)]) -> Result<Self, OptionError> {
        let mut options = Self::default();
        for (name, value) in arguments {
            options.set(name, value)?;
        }
        let given = |names: &[&str]| arguments.iter().any(|(name, _)| names.contains(&&**name));
        if !given(&["order"]) {
            options.order = options.order_of_style();
        }
        if !given(&["whitespace", "indent"]) {
            options.whitespace = options.whitespace_of_style();
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), OptionError> {
        match name {
            "whitespace" => {
                let expected = "`flexible`, `any`, `compact` or `spaced`";
                self.whitespace = choose("whitespace", value, &WHITESPACE, expected)?;
            }
            "indent" => self.whitespace = Whitespace::Indent(count("indent", value)?),
            "max" => self.blanks_max = count("max", value)?,
            "order" => {
                let expected = "`declared`, `required_first`, `any` or `sorted`";
                self.order = choose("order", value, &ORDER, expected)?;
            }
            "formats" => {
                let expected = "`assert` or `annotate`";
                self.formats = choose("formats", value, &FORMATS, expected)?;
            }
            "escapes" => {
                self.escapes = choose("escapes", value, &ESCAPES, "`all` or `minimal`")?;
            }
            "numbers" => self.numbers = choose("numbers", value, &NUMBERS, "`json` or `plain`")?,
            "style" => self.style = Some(Arc::new(Style::from_value(value)?)),
            "unique_keys" => self.unique_keys = truth("unique_keys", value)?,
            "lenient" => self.lenient = truth("lenient", value)?,
            "remotes" => {
                let remotes = value.as_object().ok_or_else(|| {
                    refused("remotes", value, "an object of schemas by their addresses")
                })?;
                let remotes = remotes.iter().map(|(name, schema)| (name.clone(), schema.clone()));
                self.remotes = Arc::new(remotes.collect());
            }
            _ => return Err(OptionError::Unknown { name: name.to_owned() }),
        }
        Ok(())
    }

    /// The white space where no argument says any.
    fn whitespace_of_style(&self) -> Whitespace {
        self.style.as_ref().map_or_else(Whitespace::default, |style| style.whitespace())
    }

    /// The order where no argument says one.
    fn order_of_style(&self) -> Order {
        self.style.as_ref().and_then(|style| style.order).unwrap_or_default()
    }

    /// The options that are not the defaults, as the arguments that set them.
    #[must_use]
    pub fn arguments(&self) -> Vec<(&'static str, Value)> {
        let plain = Self::default();
        let mut arguments: Vec<(&'static str, Value)> = Vec::new();
        if let Whitespace::Indent(blanks) = self.whitespace {
            arguments.push(("indent", blanks.into()));
        } else if self.whitespace != self.whitespace_of_style() {
            arguments.push(("whitespace", name(self.whitespace, &WHITESPACE).into()));
        }
        if self.blanks_max != plain.blanks_max {
            arguments.push(("max", self.blanks_max.into()));
        }
        if self.order != self.order_of_style() {
            arguments.push(("order", name(self.order, &ORDER).into()));
        }
        if self.formats != plain.formats {
            arguments.push(("formats", name(self.formats, &FORMATS).into()));
        }
        if self.escapes != plain.escapes {
            arguments.push(("escapes", name(self.escapes, &ESCAPES).into()));
        }
        if self.numbers != plain.numbers {
            arguments.push(("numbers", name(self.numbers, &NUMBERS).into()));
        }
        if let Some(style) = &self.style {
            arguments.push(("style", style.to_value()));
        }
        let flags = [("unique_keys", self.unique_keys), ("lenient", self.lenient)];
        arguments.extend(flags.into_iter().filter(|flag| flag.1).map(|(n, on)| (n, on.into())));
        if !self.remotes.is_empty() {
            let remotes = self.remotes.iter().map(|(name, schema)| (name.clone(), schema.clone()));
            arguments.push(("remotes", Value::Object(remotes.collect())));
        }
        arguments
    }
}

impl fmt::Display for SchemaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.arguments().into_iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}

fn choose<T: Copy>(
    name: &'static str,
    value: &Value,
    values: &[(&str, T)],
    expected: &'static str,
) -> Result<T, OptionError> {
    let found = value.as_str().and_then(|text| values.iter().find(|(known, _)| *known == text));
    found.map(|(_, chosen)| *chosen).ok_or_else(|| refused(name, value, expected))
}

fn count(name: &'static str, value: &Value) -> Result<u32, OptionError> {
    let count = value.as_u64().filter(|count| *count <= BLANKS_LIMIT);
    let count = count.and_then(|count| u32::try_from(count).ok());
    count.ok_or_else(|| refused(name, value, "a number of blanks, at most 1000"))
}

fn truth(name: &'static str, value: &Value) -> Result<bool, OptionError> {
    value.as_bool().ok_or_else(|| refused(name, value, "`true` or `false`"))
}

fn refused(name: &'static str, value: &Value, expected: &'static str) -> OptionError {
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    OptionError::Value { name, value, expected }
}

fn name<T: PartialEq>(value: T, values: &[(&'static str, T)]) -> &'static str {
    values.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}
