//! Fills the gaps of request templates: `"$name"` stands for a value, or for nothing.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The values of the gaps.
pub(crate) type Gaps = BTreeMap<&'static str, Value>;

/// `template` with its gaps filled; a member or an item whose gap has no value is left out.
///
/// Recursion follows `template`, which is read from text and so is at most 128 deep.
pub(crate) fn fill(template: &Value, gaps: &Gaps) -> Option<Value> {
    match template {
        Value::String(text) => match text.strip_prefix('$') {
            Some(name) => gaps.get(name).cloned(),
            None => Some(template.clone()),
        },
        Value::Array(items) => {
            Some(Value::Array(items.iter().filter_map(|item| fill(item, gaps)).collect()))
        }
        Value::Object(members) => Some(Value::Object(fields(members, gaps))),
        _ => Some(template.clone()),
    }
}

/// As [`fill`], for an object.
pub(crate) fn fields(template: &Map<String, Value>, gaps: &Gaps) -> Map<String, Value> {
    let members = template.iter();
    members.filter_map(|(key, value)| Some((key.clone(), fill(value, gaps)?))).collect()
}
