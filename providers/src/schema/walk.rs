//! The parts of a JSON Schema: which keywords hold schemas, and which constrain anything.

use serde_json::{Map, Value};

use crate::pointer;

/// Keywords whose value is a schema.
const ONE: &[&str] = &[
    "items",
    "additionalProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];

/// Keywords whose value is a list of schemas.
const LIST: &[&str] = &["anyOf", "oneOf", "allOf", "prefixItems", "items"];

/// Keywords whose value is an object of schemas.
const MAP: &[&str] = &["properties", "patternProperties", "dependentSchemas", "dependencies"];

/// Keywords whose value is an object of schemas that hold only where something refers to them.
pub(crate) const DEFINITIONS: &[&str] = &["$defs", "definitions"];

/// Keywords that constrain nothing by themselves.
const SILENT: &[&str] = &["$defs", "definitions", "$anchor", "$id", "$schema"];

/// Keywords that constrain, of all drafts.
const CONSTRAINTS: &[&str] = &[
    "type",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "unevaluatedItems",
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "minContains",
    "maxContains",
    "uniqueItems",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

/// Whether a keyword constrains anything.
pub(crate) fn constrains(keyword: &str) -> bool {
    CONSTRAINTS.contains(&keyword)
}

/// Whether a keyword is about the schema as a document.
pub(crate) fn is_structure(keyword: &str) -> bool {
    SILENT.contains(&keyword)
}

/// Whether a constraint with this value holds of everything.
pub(crate) fn is_vacuous(keyword: &str, value: &Value) -> bool {
    let zero = || value.as_u64() == Some(0);
    match keyword {
        "minLength" | "minItems" | "minProperties" => zero(),
        "uniqueItems" => value == &Value::Bool(false),
        "required" => value.as_array().is_some_and(Vec::is_empty),
        "patternProperties" | "dependentRequired" | "dependentSchemas" | "dependencies" => {
            value.as_object().is_some_and(Map::is_empty)
        }
        "additionalProperties"
        | "propertyNames"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "additionalItems"
        | "items" => value == &Value::Bool(true) || value.as_object().is_some_and(Map::is_empty),
        _ => false,
    }
}

/// The schemas right inside a schema that hold of its instances, with their pointers.
pub(crate) fn children<'a>(schema: &'a Value, at: &str) -> Vec<(String, &'a Value)> {
    let mut found = Vec::new();
    let Some(members) = schema.as_object() else { return found };
    for (keyword, value) in members {
        let place = pointer::join(at, keyword);
        match value {
            Value::Object(map) if MAP.contains(&keyword.as_str()) => {
                let schemas = map.iter().filter(|(_, value)| is_schema(value));
                found.extend(schemas.map(|(name, value)| (pointer::join(&place, name), value)));
            }
            Value::Array(list) if LIST.contains(&keyword.as_str()) => {
                let places = list.iter().enumerate();
                found.extend(places.map(|(n, value)| (format!("{place}/{n}"), value)));
            }
            _ if ONE.contains(&keyword.as_str()) && is_schema(value) => {
                found.push((place, value));
            }
            _ => {}
        }
    }
    found
}

/// The definitions right inside a schema, with their pointers.
pub(crate) fn definitions<'a>(schema: &'a Value, at: &str) -> Vec<(String, &'a Value)> {
    let mut found = Vec::new();
    for keyword in DEFINITIONS {
        let place = pointer::join(at, keyword);
        let map = schema.get(keyword).and_then(Value::as_object).into_iter().flatten();
        found.extend(map.map(|(name, value)| (pointer::join(&place, name), value)));
    }
    found
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// The JSON types that a schema names, if it names any.
pub(crate) fn types(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// Whether a value is of a JSON type; a number without a fraction is an integer.
pub(crate) fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        _ => false,
    }
}
