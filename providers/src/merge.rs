//! Puts request fields into a body without overwriting what stands there.

use serde_json::{Map, Value};
use thiserror::Error;

use crate::pointer;

/// Two values that cannot both stand at one place of a request.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the body says {there} at {pointer}, the request needs {needed}")]
pub struct MergeConflict {
    /// The place in the body.
    pub pointer: String,
    /// What stands there, as JSON.
    pub there: String,
    /// What was to be put there, as JSON.
    pub needed: String,
}

/// Members that are one constraint: two that differ hold together nowhere, and mixed they would be
/// a third one.
const WHOLE: [&str; 12] = [
    "choice",
    "format",
    "grammar",
    "json",
    "json_schema",
    "regex",
    "responseFormat",
    "responseJsonSchema",
    "responseSchema",
    "response_format",
    "schema",
    "structural_tag",
];

/// Adds `fields` to `body`: objects member by member, lists by the items that they lack. A
/// constraint is put there whole, or is there already.
///
/// # Errors
/// [`MergeConflict`] if other values stand at the same place; `body` is then as it was.
pub(crate) fn merge(
    body: &mut Map<String, Value>,
    fields: &Map<String, Value>,
) -> Result<(), MergeConflict> {
    let mut merged = body.clone();
    into(&mut merged, fields, "")?;
    *body = merged;
    Ok(())
}

/// Recursion follows `fields`, whose depth is checked where they are made.
fn into(
    body: &mut Map<String, Value>,
    fields: &Map<String, Value>,
    at: &str,
) -> Result<(), MergeConflict> {
    for (key, needed) in fields {
        let pointer = pointer::join(at, key);
        let Some(there) = body.get_mut(key) else {
            body.insert(key.clone(), needed.clone());
            continue;
        };
        match (there, needed) {
            (there, needed) if there == needed => {}
            (there, needed) if WHOLE.contains(&key.as_str()) => {
                let (there, needed) = (there.to_string(), needed.to_string());
                return Err(MergeConflict { pointer, there, needed });
            }
            (Value::Object(there), Value::Object(needed)) => into(there, needed, &pointer)?,
            (Value::Array(there), Value::Array(needed)) => {
                let lacking: Vec<Value> =
                    needed.iter().filter(|item| !there.contains(item)).cloned().collect();
                there.extend(lacking);
            }
            (there, needed) => {
                let (there, needed) = (there.to_string(), needed.to_string());
                return Err(MergeConflict { pointer, there, needed });
            }
        }
    }
    Ok(())
}

/// Changes `target` as RFC 7386 says: null takes a member away, objects go member by member.
///
/// Recursion follows `patch`, which is read from text and so is at most 128 deep.
pub(crate) fn patch(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else { return };
    for (key, change) in changes {
        if change.is_null() {
            members.shift_remove(key);
        } else {
            self::patch(members.entry(key.clone()).or_insert(Value::Null), change);
        }
    }
}
