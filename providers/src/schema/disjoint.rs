//! Whether no value is valid for two schemas at once, where that is plain to see.

use serde_json::{Map, Value};

use super::{refs, walk};

/// How deep properties are compared.
const DEPTH_MAX: usize = 8;

/// How many references are followed on the way to one schema.
const ALIASES_MAX: usize = 16;

/// Whether the schemas are disjoint, two by two.
///
/// # Complexity
/// O(n²) for n schemas, each by the properties that both require.
pub(crate) fn pairwise(root: &Value, schemas: &[Value]) -> bool {
    schemas.iter().enumerate().all(|(at, one)| {
        schemas[at + 1..].iter().all(|other| disjoint(root, one, other, DEPTH_MAX))
    })
}

fn disjoint(root: &Value, a: &Value, b: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let (Some(a), Some(b)) = (plain(root, a), plain(root, b)) else {
        return a == &Value::Bool(false) || b == &Value::Bool(false);
    };
    types_apart(a, b) || values_apart(a, b) || objects_apart(root, a, b, depth)
}

/// The schema that an alias stands for.
fn plain<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Map<String, Value>> {
    let mut schema = schema;
    for _ in 0..ALIASES_MAX {
        match schema.get("$ref").and_then(Value::as_str) {
            Some(text) => schema = refs::resolve(root, text)?,
            None => return schema.as_object(),
        }
    }
    None
}

fn types_apart(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    let (Some(a), Some(b)) = (kinds(a), kinds(b)) else { return false };
    let number = |name: &str| ["integer", "number"].contains(&name);
    a.iter().all(|one| b.iter().all(|other| one != other && !(number(one) && number(other))))
}

/// The types of the instances, if the schema tells.
fn kinds(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    if let Some(types) = walk::types(schema) {
        return Some(types);
    }
    Some(constants(schema)?.into_iter().map(kind).collect())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn constants(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(vec![value]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        _ => None,
    }
}

fn values_apart(a: &Map<String, Value>, b: &Map<String, Value>) -> bool {
    let (Some(a), Some(b)) = (constants(a), constants(b)) else { return false };
    a.iter().all(|one| b.iter().all(|other| !same(one, other)))
}

/// Equality as JSON Schema has it: numbers by their value. In doubt, they are the same.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => true,
        _ => a == b,
    }
}

fn objects_apart(
    root: &Value,
    a: &Map<String, Value>,
    b: &Map<String, Value>,
    depth: usize,
) -> bool {
    let object = |schema: &Map<String, Value>| walk::types(schema) == Some(vec!["object"]);
    if !object(a) || !object(b) {
        return false;
    }
    let required = |schema: &Map<String, Value>| -> Vec<String> {
        let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let property = |schema: &Map<String, Value>, name: &str| {
        schema.get("properties").and_then(|all| all.get(name)).cloned()
    };
    // One is closed to what the other requires.
    let shut = |closed: &Map<String, Value>, name: &String| {
        closed.get("additionalProperties") == Some(&Value::Bool(false))
            && !closed.contains_key("patternProperties")
            && property(closed, name).is_none()
    };
    let (needs_a, needs_b) = (required(a), required(b));
    if needs_a.iter().any(|name| shut(b, name)) || needs_b.iter().any(|name| shut(a, name)) {
        return true;
    }
    needs_a.iter().filter(|name| needs_b.contains(name)).any(|name| {
        match (property(a, name), property(b, name)) {
            (Some(one), Some(other)) => disjoint(root, &one, &other, depth),
            _ => false,
        }
    })
}
