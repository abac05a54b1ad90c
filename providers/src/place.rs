//! Places in a response, written `choices[0].message.content` or `content[type=text].text`.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

/// The most values that one place may name.
const VALUES_MAX: usize = 10_000;

/// A place in a response, or several that one spelling names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place(Vec<Step>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    /// `name`
    Member(String),
    /// `[0]`
    Item(usize),
    /// `[*]`
    Items,
    /// `[type=text]`: the items whose member is this text.
    ItemsWith(String, String),
}

/// A spelling that names no place.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{0}` names no place in a response")]
pub struct PlaceError(String);

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let fault = || PlaceError(text.to_owned());
        let mut steps = Vec::new();
        for part in text.split('.') {
            let (name, brackets) = part.split_at(part.find('[').unwrap_or(part.len()));
            if !name.is_empty() {
                steps.push(Step::Member(name.to_owned()));
            } else if brackets.is_empty() {
                return Err(fault());
            }
            for bracket in brackets.split('[').skip(1) {
                let inner = bracket.strip_suffix(']').ok_or_else(fault)?;
                steps.push(match (inner, inner.split_once('=')) {
                    ("*", _) => Step::Items,
                    (_, Some((key, value))) => Step::ItemsWith(key.to_owned(), value.to_owned()),
                    _ => Step::Item(inner.parse().map_err(|_| fault())?),
                });
            }
        }
        Ok(Self(steps))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Member(name) if at == 0 => f.write_str(name),
                Step::Member(name) => write!(f, ".{name}"),
                Step::Item(index) => write!(f, "[{index}]"),
                Step::Items => f.write_str("[*]"),
                Step::ItemsWith(key, value) => write!(f, "[{key}={value}]"),
            }?;
        }
        Ok(())
    }
}

impl Place {
    /// The values at this place, in order; items with the member `skip` as true are passed over.
    #[must_use]
    pub fn values<'a>(&self, response: &'a Value, skip: Option<&str>) -> Vec<&'a Value> {
        let mut found = vec![response];
        for step in &self.0 {
            let mut next = Vec::new();
            for value in found {
                match step {
                    Step::Member(name) => next.extend(value.get(name)),
                    Step::Item(index) => next.extend(value.get(index)),
                    Step::Items | Step::ItemsWith(..) => {
                        let items = value.as_array().into_iter().flatten();
                        next.extend(items.filter(|item| step.takes(item, skip)));
                    }
                }
            }
            next.truncate(VALUES_MAX);
            found = next;
        }
        found
    }

    /// This place, then `other` below it.
    pub(crate) fn then(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }
}

impl Step {
    fn takes(&self, item: &Value, skip: Option<&str>) -> bool {
        let skipped = skip.is_some_and(|name| item.get(name) == Some(&Value::Bool(true)));
        !skipped
            && match self {
                Self::ItemsWith(key, text) => {
                    item.get(key).and_then(Value::as_str) == Some(text.as_str())
                }
                _ => true,
            }
    }
}
