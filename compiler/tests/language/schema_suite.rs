//! The official test suite of JSON Schema: each group that is not refused is answered right.

use std::path::PathBuf;
use std::sync::Arc;

use blueprints_compiler::{Ir, SchemaOptions, Whitespace};
use serde_json::{Map, Value};

use crate::matcher::matches;

/// The groups answered today; the number may only grow.
const ANSWERED_MIN: usize = 154;

/// Where the shared data lies, or `None` if it is absent and need not be there.
fn suite() -> Option<String> {
    let root = std::env::var("BLUEPRINTS_SHARED").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let path = root.join("data/json-schema-test-suite/draft2020-12.jsonl");
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            let required = std::env::var("BLUEPRINTS_REQUIRE_SHARED").is_ok_and(|v| v == "1");
            assert!(!required, "{}: {error}", path.display());
            println!("skipped: {} is absent", path.display());
            None
        }
    }
}

/// The instance with the keys of each object in the order that its schema declares: those of
/// `properties`, then those of `required`, then the others.
fn in_declared_order(instance: &Value, schema: &Value, root: &Value) -> Value {
    let schema = resolved(schema, root, instance);
    match instance {
        Value::Array(items) => {
            items.iter().map(|item| in_declared_order(item, &schema["items"], root)).collect()
        }
        Value::Object(members) => {
            let properties = schema["properties"].as_object();
            let declared = properties.into_iter().flat_map(|all| all.keys().map(String::as_str));
            let required = schema["required"].as_array().into_iter().flatten();
            let order: Vec<&str> = declared.chain(required.filter_map(Value::as_str)).collect();
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| {
                order.iter().position(|known| known == key).unwrap_or(usize::MAX)
            });
            let ordered = members.into_iter().map(|(key, value)| {
                let property = properties.and_then(|properties| properties.get(key));
                let inner = property.unwrap_or(&schema["additionalProperties"]);
                (key.clone(), in_declared_order(value, inner, root))
            });
            Value::Object(ordered.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// The schema behind references, and behind `anyOf` the arm that declares most of the keys.
fn resolved<'a>(mut schema: &'a Value, root: &'a Value, instance: &Value) -> &'a Value {
    for _ in 0..10 {
        if let Some(reference) = schema["$ref"].as_str() {
            let pointer = reference.split_once('#').map_or("", |(_, pointer)| pointer);
            schema = root.pointer(pointer).unwrap_or(&Value::Null);
        } else if let Some(arms) = schema["anyOf"].as_array() {
            let known = |arm: &&Value| {
                let properties = resolved(arm, root, instance)["properties"].as_object();
                let keys = instance.as_object().into_iter().flat_map(Map::keys);
                keys.filter(|key| properties.is_some_and(|all| all.contains_key(*key))).count()
            };
            schema = arms.iter().max_by_key(known).unwrap_or(&Value::Null);
        }
    }
    schema
}

/// Tests whose valid instance has a spelling that the module documents as left out.
const NARROWED: &[&str] =
    &["draft2020-12/const#1: same object with different property order is valid"];

#[test]
fn groups_that_are_not_refused_are_answered_right() {
    let Some(suite) = suite() else { return };
    let (mut groups, mut answered, mut tests) = (0, 0, 0);
    let mut wrong = Vec::new();
    for line in suite.lines() {
        let group: Value = serde_json::from_str(line).unwrap();
        groups += 1;
        let schema = Arc::new(group["schema"].clone());
        let mut options =
            SchemaOptions { whitespace: Whitespace::Compact, ..SchemaOptions::default() };
        if group["format"] != true {
            options.formats = blueprints_compiler::Formats::Annotate;
        }
        let Ok(ir) = Ir::schema(Arc::clone(&schema), options) else { continue };
        answered += 1;
        for test in group["tests"].as_array().unwrap() {
            tests += 1;
            let instance = in_declared_order(&test["data"], &schema, &schema);
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let name = format!("{}: {}", text(&group["id"]), text(&test["description"]));
            let valid = matches(&ir, &instance.to_string());
            let narrowed = !valid && NARROWED.contains(&name.as_str());
            if valid != test["valid"] && !narrowed {
                wrong.push(format!("{name} ({instance} under {schema})"));
            }
        }
    }
    println!("{answered} of {groups} groups answered, {tests} tests");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(answered >= ANSWERED_MIN, "{answered} groups are answered, {ANSWERED_MIN} were");
}
