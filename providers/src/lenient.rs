//! Finds the JSON in a text that no grammar held: bare, in a fence, or after other words.

use serde_json::Value;

/// How many places a value may be looked for at.
const STARTS_MAX: usize = 64;

/// The JSON value of a text that should be one: the whole, the first that a fence holds, or the
/// first object or array that can be read.
///
/// ```
/// let text = "Here it is:\n```json\n{\"a\": 1}\n```\nAnything else?";
/// assert_eq!(blueprints_providers::json_in(text).unwrap()["a"], 1);
/// assert!(blueprints_providers::json_in("no value").is_none());
/// ```
#[must_use]
pub fn json_in(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text.trim()) {
        return Some(value);
    }
    let fenced = text.split("```").skip(1).step_by(2).find_map(|inner| {
        let (_, after) = inner.split_once('\n').unwrap_or(("", inner));
        serde_json::from_str(after.trim()).or_else(|_| serde_json::from_str(inner.trim())).ok()
    });
    if fenced.is_some() {
        return fenced;
    }
    let starts = text.char_indices().filter(|(_, character)| ['{', '['].contains(character));
    starts.take(STARTS_MAX).find_map(|(at, _)| {
        serde_json::Deserializer::from_str(&text[at..]).into_iter().next()?.ok()
    })
}
