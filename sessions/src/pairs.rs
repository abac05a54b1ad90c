//! JSON values as nested lists, for hosts without maps: an object is a list of `[key, value]`.

use serde_json::{Number, Value};
use thiserror::Error;

/// A value in lists alone.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// A text; null is the empty one.
    Text(String),
    /// A number, with the digits it came with.
    Number(Number),
    /// True or false.
    Boolean(bool),
    /// An array, or the pairs of an object in their order.
    List(Vec<Item>),
}

/// A key that a list has no pair of.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no key {key:?}; there are {}", shown(.keys))]
pub struct GetError {
    /// The key.
    pub key: String,
    /// The keys that there are.
    pub keys: Vec<String>,
}

fn shown(keys: &[String]) -> String {
    if keys.is_empty() { "none".to_owned() } else { keys.join(", ") }
}

/// A JSON value as nested lists.
///
/// ```
/// use blueprints_sessions::{get, pairs};
///
/// let list = pairs(&serde_json::json!({ "name": "Alice", "home": { "city": null } }));
/// assert_eq!(list.to_string(), r#"[["name","Alice"],["home",[["city",""]]]]"#);
/// let city = get(get(&list, "home")?, "city")?;
/// assert_eq!(city.as_text(), Some(""));
/// assert!(get(&list, "age").unwrap_err().to_string().contains("name, home"));
/// # Ok::<(), blueprints_sessions::GetError>(())
/// ```
#[must_use]
pub fn pairs(value: &Value) -> Item {
    // Recursion follows a value that was read from text, and so is at most 128 deep.
    match value {
        Value::Null => Item::Text(String::new()),
        Value::Bool(flag) => Item::Boolean(*flag),
        Value::Number(number) => Item::Number(number.clone()),
        Value::String(text) => Item::Text(text.clone()),
        Value::Array(items) => Item::List(items.iter().map(pairs).collect()),
        Value::Object(members) => Item::List(
            members
                .iter()
                .map(|(key, value)| Item::List(vec![Item::Text(key.clone()), pairs(value)]))
                .collect(),
        ),
    }
}

/// The value of `key` in a list of pairs; what is no pair is passed over.
///
/// # Errors
/// [`GetError`] with all keys if there is no such pair.
pub fn get<'a>(list: &'a Item, key: &str) -> Result<&'a Item, GetError> {
    let pairs = || list.items().iter().filter_map(Item::pair);
    let found = pairs().find(|(own, _)| *own == key).map(|(_, value)| value);
    found.ok_or_else(|| GetError {
        key: key.to_owned(),
        keys: pairs().map(|(own, _)| own.to_owned()).collect(),
    })
}

impl Item {
    /// The items of a list; of anything else, none.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number as floating point, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        if let Self::Number(number) = self { number.as_f64() } else { None }
    }

    /// The flag, if it is one.
    #[must_use]
    pub fn as_boolean(&self) -> Option<bool> {
        if let Self::Boolean(flag) = self { Some(*flag) } else { None }
    }

    fn pair(&self) -> Option<(&str, &Self)> {
        match self.items() {
            [Self::Text(key), value] => Some((key, value)),
            _ => None,
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Boolean(flag) => Value::Bool(*flag),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
        }
    }
}

impl std::fmt::Display for Item {
    /// The lists as JSON arrays.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.to_json().fmt(f)
    }
}
