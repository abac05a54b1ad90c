//! The schema of what two schemas both allow, where one schema can say it.

use serde_json::{Map, Value, json};

use super::walk;

/// How deep two schemas are followed together.
const DEPTH_MAX: usize = 32;

type Schema = Map<String, Value>;

/// A schema for what both `a` and `b` allow; `None` if it cannot be said by joining keywords.
///
/// Annotations of `a` stand before those of `b`. References are not followed.
pub(crate) fn intersect(a: &Schema, b: &Schema) -> Option<Schema> {
    both(a, b, DEPTH_MAX)
}

fn both(a: &Schema, b: &Schema, depth: usize) -> Option<Schema> {
    let depth = depth.checked_sub(1)?;
    if a == b {
        return Some(a.clone());
    }
    let mut joined = Schema::new();
    for (keyword, own) in a.iter().chain(b.iter().filter(|(keyword, _)| !a.contains_key(*keyword)))
    {
        let value = match (a.get(keyword), b.get(keyword)) {
            (Some(own), Some(other)) if own != other => {
                if walk::constrains(keyword) || walk::DEFINITIONS.contains(&keyword.as_str()) {
                    keyword_of(keyword, own, other, depth)?
                } else {
                    own.clone()
                }
            }
            _ => own.clone(),
        };
        joined.insert(keyword.clone(), value);
    }
    objects(a, b, &mut joined, depth)?;
    arrays(a, b)?;
    values(&mut joined)?;
    Some(joined)
}

/// One keyword that both have, with different values.
fn keyword_of(keyword: &str, a: &Value, b: &Value, depth: usize) -> Option<Value> {
    match keyword {
        "type" => types(a, b),
        "enum" => {
            let (a, b) = (a.as_array()?, b.as_array()?);
            let common: Vec<Value> = a.iter().filter(|value| b.contains(value)).cloned().collect();
            (!common.is_empty()).then_some(Value::Array(common))
        }
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties"
        | "minContains" => greater(a, b),
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            if greater(a, b)? == *a { Some(b.clone()) } else { Some(a.clone()) }
        }
        "multipleOf" => common_multiple(a, b),
        "required" => {
            let (a, b) = (a.as_array()?, b.as_array()?);
            let more = b.iter().filter(|name| !a.contains(name));
            Some(Value::Array(a.iter().chain(more).cloned().collect()))
        }
        "uniqueItems" => Some(Value::Bool(true)),
        // What is not in both is decided together with `additionalProperties`.
        "properties" => Some(a.clone()),
        "additionalProperties" | "items" | "propertyNames" => schemas(a, b, depth),
        "$defs" | "definitions" => {
            let (mut joined, b) = (a.as_object()?.clone(), b.as_object()?);
            for (name, schema) in b {
                match joined.get(name) {
                    Some(own) if own != schema => return None,
                    _ => joined.insert(name.clone(), schema.clone()),
                };
            }
            Some(Value::Object(joined))
        }
        // Two constants, patterns, formats or references are more than one keyword says.
        _ => None,
    }
}

fn schemas(a: &Value, b: &Value, depth: usize) -> Option<Value> {
    match (a, b) {
        (Value::Bool(true), other) | (other, Value::Bool(true)) => Some(other.clone()),
        (Value::Bool(false), _) | (_, Value::Bool(false)) => Some(Value::Bool(false)),
        (Value::Object(a), Value::Object(b)) => both(a, b, depth).map(Value::Object),
        _ => None,
    }
}

/// Joins `properties`, `additionalProperties` and `required`.
fn objects(a: &Schema, b: &Schema, joined: &mut Schema, depth: usize) -> Option<()> {
    let patterned = |schema: &Schema| schema.contains_key("patternProperties");
    let has = |schema: &Schema| {
        schema.contains_key("properties") || schema.contains_key("additionalProperties")
    };
    if (patterned(a) && (has(b) || patterned(b))) || (patterned(b) && has(a)) {
        return None;
    }
    if !a.contains_key("properties") && !b.contains_key("properties") {
        return Some(());
    }
    let empty = Schema::new();
    let of = |schema: &'_ Schema| schema.get("properties").and_then(Value::as_object).cloned();
    let (own, other) = (of(a).unwrap_or(empty.clone()), of(b).unwrap_or(empty));
    let mut properties = Schema::new();
    let rest =
        |schema: &Schema| schema.get("additionalProperties").cloned().unwrap_or(Value::Bool(true));
    for name in own.keys().chain(other.keys().filter(|name| !own.contains_key(*name))) {
        let left = own.get(name).cloned().unwrap_or_else(|| rest(a));
        let right = other.get(name).cloned().unwrap_or_else(|| rest(b));
        let value = schemas(&left, &right, depth)?;
        let required = joined.get("required").and_then(Value::as_array);
        let required = required.is_some_and(|names| names.iter().any(|own| own == name));
        match value {
            Value::Bool(false) if required => return None,
            // Then it is undeclared, and what is undeclared is closed.
            Value::Bool(false) if rest(joined) == Value::Bool(false) => {}
            value => {
                properties.insert(name.clone(), value);
            }
        }
    }
    joined.insert("properties".into(), Value::Object(properties));
    Some(())
}

/// `items` beside `prefixItems` holds of the items after them only.
fn arrays(a: &Schema, b: &Schema) -> Option<()> {
    let tuple = |schema: &Schema| {
        schema.contains_key("prefixItems") || schema.get("items").is_some_and(Value::is_array)
    };
    let plain = |schema: &Schema| schema.contains_key("items");
    ((!tuple(a) || !plain(b)) && (!tuple(b) || !plain(a))).then_some(())
}

/// A constant and an enum say what the type says; what contradicts them leaves nothing.
fn values(joined: &mut Schema) -> Option<()> {
    let types: Option<Vec<String>> =
        walk::types(joined).map(|types| types.iter().map(|name| (*name).to_owned()).collect());
    let fits = |value: &Value| {
        types.as_ref().is_none_or(|types| types.iter().any(|name| walk::is_of(value, name)))
    };
    let constant = joined.get("const").cloned();
    if constant.as_ref().is_some_and(|value| !fits(value)) {
        return None;
    }
    if let Some(Value::Array(values)) = joined.get("enum") {
        let kept: Vec<Value> = values
            .iter()
            .filter(|value| fits(value) && constant.as_ref().is_none_or(|own| own == *value))
            .cloned()
            .collect();
        if kept.is_empty() {
            return None;
        }
        if constant.is_some() {
            joined.shift_remove("enum");
        } else {
            joined.insert("enum".into(), Value::Array(kept));
        }
    }
    Some(())
}

fn types(a: &Value, b: &Value) -> Option<Value> {
    let names = |value: &Value| -> Option<Vec<String>> {
        match value {
            Value::String(name) => Some(vec![name.clone()]),
            Value::Array(names) => {
                names.iter().map(|name| name.as_str().map(str::to_owned)).collect()
            }
            _ => None,
        }
    };
    let (a, b) = (names(a)?, names(b)?);
    let has = |names: &[String], name: &str| names.iter().any(|own| own == name);
    let mut common = Vec::new();
    for name in &a {
        if has(&b, name) || (name == "integer" && has(&b, "number")) {
            common.push(name.clone());
        } else if name == "number" && has(&b, "integer") {
            common.push("integer".to_owned());
        }
    }
    match common.as_slice() {
        [] => None,
        [one] => Some(json!(one)),
        _ => Some(json!(common)),
    }
}

/// The greater of two numbers, if floating point can tell.
fn greater(a: &Value, b: &Value) -> Option<Value> {
    let (left, right) = (a.as_f64()?, b.as_f64()?);
    if left == right {
        return None;
    }
    Some(if left > right { a.clone() } else { b.clone() })
}

fn common_multiple(a: &Value, b: &Value) -> Option<Value> {
    let (a, b) = (a.as_u64().filter(|n| *n > 0)?, b.as_u64().filter(|n| *n > 0)?);
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).checked_mul(b).map(|multiple| json!(multiple))
}
