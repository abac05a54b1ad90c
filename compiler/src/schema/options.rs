//! The options under which a schema is read.

use std::fmt;

use serde_json::Value;
use thiserror::Error;

/// How JSON text for a schema may be spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SchemaOptions {
    /// What may stand between tokens.
    pub whitespace: Whitespace,
    /// In which order keys stand.
    pub order: Order,
    /// What `format` means.
    pub formats: Formats,
}

/// What may stand between two tokens of JSON text; nothing ever stands around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Whitespace {
    /// At most one line break, and at most 32 blanks and tabs on either side of it.
    #[default]
    Flexible,
    /// Nothing.
    Compact,
    /// Exactly what Python's `json.dumps` writes: a blank after each comma and colon.
    Spaced,
}

/// In which order the keys of an object stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Order {
    /// As `properties` declares them, then other required ones, then the rest.
    #[default]
    Declared,
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

/// Why an argument is no option of a schema.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// No option has this name.
    #[error("`{name}` is no option of a schema; there are `whitespace`, `order` and `formats`")]
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
}

const WHITESPACE: [(&str, Whitespace); 3] = [
    ("flexible", Whitespace::Flexible),
    ("compact", Whitespace::Compact),
    ("spaced", Whitespace::Spaced),
];
const ORDER: [(&str, Order); 1] = [("declared", Order::Declared)];
const FORMATS: [(&str, Formats); 2] =
    [("assert", Formats::Assert), ("annotate", Formats::Annotate)];

impl SchemaOptions {
    /// The options that named arguments set; the rest are the defaults.
    ///
    /// # Errors
    /// [`OptionError`] for an unknown name and for a value that the option does not take.
    pub fn from_arguments(arguments: &[(String, Value)]) -> Result<Self, OptionError> {
        let mut options = Self::default();
        for (name, value) in arguments {
            match name.as_str() {
                "whitespace" => {
                    let expected = "`flexible`, `compact` or `spaced`";
                    options.whitespace = choose("whitespace", value, &WHITESPACE, expected)?;
                }
                "order" => options.order = choose("order", value, &ORDER, "`declared`")?,
                "formats" => {
                    let expected = "`assert` or `annotate`";
                    options.formats = choose("formats", value, &FORMATS, expected)?;
                }
                _ => return Err(OptionError::Unknown { name: name.clone() }),
            }
        }
        Ok(options)
    }

    /// The options that are not the defaults, as the arguments that set them.
    #[must_use]
    pub fn arguments(&self) -> Vec<(&'static str, &'static str)> {
        let mut arguments = Vec::new();
        if self.whitespace != Whitespace::default() {
            arguments.push(("whitespace", name(self.whitespace, &WHITESPACE)));
        }
        if self.order != Order::default() {
            arguments.push(("order", name(self.order, &ORDER)));
        }
        if self.formats != Formats::default() {
            arguments.push(("formats", name(self.formats, &FORMATS)));
        }
        arguments
    }
}

impl fmt::Display for SchemaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.arguments().into_iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name}=\"{value}\"")?;
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
    found.map(|(_, chosen)| *chosen).ok_or_else(|| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        OptionError::Value { name, value, expected }
    })
}

fn name<T: PartialEq>(value: T, values: &[(&'static str, T)]) -> &'static str {
    values.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}
