//! A value as the one member of an object, for providers that take only objects.

use serde_json::{Map, Value, json};

use super::walk;
use crate::facts::{Objects, Root};

/// The name of the member.
pub(super) const MEMBER: &str = "value";

/// Whether a schema may stand at the root.
pub(super) fn is_taken(schema: &Value, root: Root) -> bool {
    match root {
        Root::Any => true,
        Root::Object => {
            let object = schema.get("type").and_then(Value::as_str) == Some("object");
            object && schema.get("anyOf").is_none() && schema.get("oneOf").is_none()
        }
        Root::Properties => schema.get("properties").is_some_and(Value::is_object),
    }
}

/// An object with the value as its member; references to the root lead to where it is now.
pub(super) fn wrap(mut schema: Value, objects: Objects) -> Value {
    let mut definitions = Map::new();
    if let Value::Object(members) = &mut schema {
        // References were written as pointers, so the document's own name is not needed.
        members.shift_remove("$id");
        members.shift_remove("id");
        for keyword in walk::DEFINITIONS.iter().chain(&["$schema"]) {
            if let Some(own) = members.shift_remove(*keyword) {
                definitions.insert((*keyword).to_owned(), own);
            }
        }
    }
    let mut name = "root".to_owned();
    let taken = definitions.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    while taken.contains_key(&name) {
        name.push('_');
    }
    let mut recursive = false;
    let mut parts = vec![&mut schema];
    parts.extend(
        definitions.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut),
    );
    parts.into_iter().for_each(|part| recursive |= point_at(part, &name));
    if recursive {
        let own = std::mem::replace(&mut schema, json!({ "$ref": format!("#/$defs/{name}") }));
        let entry = definitions.entry("$defs").or_insert_with(|| json!({}));
        if let Value::Object(map) = entry {
            map.insert(name, own);
        }
    }
    let mut whole = Map::new();
    whole.insert("type".into(), json!("object"));
    whole.insert("properties".into(), json!({ MEMBER: schema }));
    whole.insert("required".into(), json!([MEMBER]));
    if objects == Objects::Closed {
        whole.insert("additionalProperties".into(), Value::Bool(false));
    }
    whole.extend(definitions);
    Value::Object(whole)
}

/// Points references to the root, or into it, at the definition `name`.
fn point_at(schema: &mut Value, name: &str) -> bool {
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), &*schema)];
    while let Some((at, part)) = waiting.pop() {
        let text = part.get("$ref").and_then(Value::as_str);
        let defined =
            |rest: &str| walk::DEFINITIONS.iter().any(|own| rest.starts_with(&format!("/{own}/")));
        if let Some(rest) = text.and_then(|text| text.strip_prefix('#')).filter(|r| !defined(r)) {
            found.push((at.clone(), format!("#/$defs/{name}{rest}")));
        }
        waiting.extend(walk::children(part, &at));
        waiting.extend(walk::definitions(part, &at));
    }
    for (at, text) in &found {
        if let Some(Value::Object(members)) = schema.pointer_mut(at) {
            members.insert("$ref".into(), Value::String(text.clone()));
        }
    }
    !found.is_empty()
}
