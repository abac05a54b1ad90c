//! Older drafts in the spelling of 2020-12.

use serde_json::{Map, Value};

use super::walk;

/// The schema as draft 2020-12 spells it: tuples as `prefixItems`, exclusive bounds as numbers.
///
/// Up to draft 7, what constrains beside `$ref` means nothing, and is left out. `$schema` goes
/// where it would no longer be true.
pub(super) fn modern(schema: &Value) -> Value {
    let named = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let lone_refs = ["draft-03", "draft-04", "draft-06", "draft-07"];
    let lone_refs = lone_refs.iter().any(|draft| named.contains(draft));
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), schema)];
    while let Some((at, part)) = waiting.pop() {
        waiting.extend(walk::children(part, &at));
        waiting.extend(walk::definitions(part, &at));
        found.push(at);
    }
    let mut changed = schema.clone();
    let mut different = false;
    // Parts before what holds them, since changes move the parts.
    found.sort_by_key(|at| std::cmp::Reverse(at.len()));
    for at in found {
        let Some(Value::Object(members)) = changed.pointer_mut(&at) else { continue };
        if lone_refs && members.contains_key("$ref") {
            members.retain(|keyword, _| keyword == "$ref" || !walk::constrains(keyword));
        }
        different |= tuple(members);
        different |= bound(members, "minimum", "exclusiveMinimum");
        different |= bound(members, "maximum", "exclusiveMaximum");
    }
    if let (true, Value::Object(members)) = (different || lone_refs, &mut changed) {
        members.shift_remove("$schema");
    }
    changed
}

/// `items` as a list, and `additionalItems` for what comes after.
fn tuple(members: &mut Map<String, Value>) -> bool {
    if !members.get("items").is_some_and(Value::is_array) {
        // Without a tuple it means nothing.
        return members.shift_remove("additionalItems").is_some();
    }
    let renamed = std::mem::take(members).into_iter().map(|(keyword, value)| {
        let keyword = match keyword.as_str() {
            "items" => "prefixItems".to_owned(),
            "additionalItems" => "items".to_owned(),
            _ => keyword,
        };
        (keyword, value)
    });
    *members = renamed.collect();
    true
}

/// An exclusive bound as a flag.
fn bound(members: &mut Map<String, Value>, inclusive: &str, exclusive: &str) -> bool {
    let Some(Value::Bool(flag)) = members.get(exclusive).cloned() else { return false };
    members.shift_remove(exclusive);
    if flag && let Some(value) = members.shift_remove(inclusive) {
        members.insert(exclusive.to_owned(), value);
    }
    true
}
