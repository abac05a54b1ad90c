//! Spells arguments in the notations that models use.

use serde_json::{Map, Value};

use super::{Arguments, Entries, Python};

/// `pattern` with each `{word}` that is known in its place.
pub(super) fn fill(pattern: &str, words: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('{') {
        text += &rest[..at];
        rest = &rest[at..];
        let word = words.iter().find(|(word, _)| {
            rest[1..].strip_prefix(word).is_some_and(|after| after.starts_with('}'))
        });
        match word {
            Some((word, value)) => {
                text += value;
                rest = &rest[word.len() + 2..];
            }
            None => {
                text.push('{');
                rest = &rest[1..];
            }
        }
    }
    text + rest
}

impl Arguments {
    pub(super) fn spell(self, arguments: &Map<String, Value>) -> String {
        match self {
            Self::Json => spaced(&Value::Object(arguments.clone())),
            Self::Indented(level) => indented(&Value::Object(arguments.clone()), level),
            Self::Python(python) => {
                let all = arguments.iter();
                joined(all.map(|(key, value)| format!("{key}={}", python.spell(value))), ", ")
            }
            Self::Entries(entries) => entries.spell(arguments),
            Self::Gemma(quote) => gemma_members(arguments, quote),
        }
    }
}

fn joined(parts: impl Iterator<Item = String>, separator: &str) -> String {
    parts.collect::<Vec<String>>().join(separator)
}

/// JSON as `json.dumps` writes it.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let spell = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), spaced(value))
            };
            format!("{{{}}}", joined(members.iter().map(spell), ", "))
        }
        Value::Array(items) => format!("[{}]", joined(items.iter().map(spaced), ", ")),
        other => other.to_string(),
    }
}

/// JSON as `json.dumps` writes it with four blanks for each level, from `level` on.
fn indented(value: &Value, level: usize) -> String {
    let blanks = |level: usize| format!("\n{}", "    ".repeat(level));
    let inner = |text: String| format!("{}{text}", blanks(level + 1));
    match value {
        Value::Object(members) if !members.is_empty() => {
            let spell = |(key, value): (&String, &Value)| {
                inner(format!("{}: {}", Value::from(key.as_str()), indented(value, level + 1)))
            };
            format!("{{{}{}}}", joined(members.iter().map(spell), ","), blanks(level))
        }
        Value::Array(items) if !items.is_empty() => {
            let spell = |value: &Value| inner(indented(value, level + 1));
            format!("[{}{}]", joined(items.iter().map(spell), ","), blanks(level))
        }
        other => other.to_string(),
    }
}

impl Python {
    fn spell(self, value: &Value) -> String {
        match (self, value) {
            (Self::DoubleQuoted, Value::String(_)) => value.to_string(),
            (_, Value::String(text)) => quoted(text),
            (Self::StringsOnly, _) => spaced(value),
            (_, Value::Null) => "None".to_owned(),
            (_, Value::Bool(true)) => "True".to_owned(),
            (_, Value::Bool(false)) => "False".to_owned(),
            (_, Value::Number(number)) => number.to_string(),
            (_, Value::Array(items)) => {
                format!("[{}]", joined(items.iter().map(|item| self.spell(item)), ", "))
            }
            (_, Value::Object(members)) => {
                let spell = |(key, value): (&String, &Value)| {
                    let key = self.spell(&Value::from(key.as_str()));
                    format!("{key}: {}", self.spell(value))
                };
                format!("{{{}}}", joined(members.iter().map(spell), ", "))
            }
        }
    }
}

/// A Python string in single quotes.
fn quoted(text: &str) -> String {
    let mut spelled = String::from("'");
    for char in text.chars() {
        match char {
            '\\' => spelled += "\\\\",
            '\'' => spelled += "\\'",
            '\n' => spelled += "\\n",
            '\t' => spelled += "\\t",
            '\r' => spelled += "\\r",
            other => spelled.push(other),
        }
    }
    spelled + "'"
}

impl Entries {
    fn spell(self, members: &Map<String, Value>) -> String {
        let entry = |(key, value): (&String, &Value)| self.fill(self.entry, key, value);
        joined(members.iter().map(entry), self.joint)
    }

    fn fill(self, pattern: &str, key: &str, value: &Value) -> String {
        let value_text = match (value, self.item) {
            (Value::String(text), _) if self.cdata && text.contains(['<', '&', '\n']) => {
                format!("<![CDATA[{text}]]>")
            }
            (Value::String(text), _) => text.clone(),
            (Value::Object(members), Some(_)) => self.spell(members),
            (Value::Array(items), Some(item)) => {
                joined(items.iter().map(|value| self.fill(item, "", value)), self.joint)
            }
            _ => spaced(value),
        };
        let words = [("key", key), ("value", value_text.as_str()), ("type", self.word(value))];
        fill(pattern, &words)
    }

    /// The word for the JSON type of `value`.
    fn word(self, value: &Value) -> &'static str {
        let own = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let known = self.words.iter().find(|(name, _)| *name == own);
        known.or(self.words.last()).map_or("", |(_, word)| word)
    }
}

fn gemma_members(members: &Map<String, Value>, quote: &str) -> String {
    let mut members: Vec<(&String, &Value)> = members.iter().collect();
    members.sort_by_key(|(key, _)| *key);
    joined(members.into_iter().map(|(key, value)| format!("{key}:{}", gemma(value, quote))), ",")
}

fn gemma(value: &Value, quote: &str) -> String {
    match value {
        Value::String(text) => format!("{quote}{text}{quote}"),
        Value::Array(items) => {
            format!("[{}]", joined(items.iter().map(|item| gemma(item, quote)), ","))
        }
        Value::Object(members) => format!("{{{}}}", gemma_members(members, quote)),
        other => other.to_string(),
    }
}
