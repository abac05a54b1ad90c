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

/// The instance with the keys of each object in the order that the schema declares somewhere.
pub(crate) fn in_declared_order(instance: &Value, order: &[&str]) -> Value {
    match instance {
        Value::Array(items) => items.iter().map(|item| in_declared_order(item, order)).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            let place = |key: &str| order.iter().position(|known| *known == key);
            members.sort_by_key(|(key, _)| place(key).unwrap_or(usize::MAX));
            let ordered = members
                .into_iter()
                .map(|(key, value)| (key.clone(), in_declared_order(value, order)));
            Value::Object(ordered.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// The keys of every `properties` in the schema, then those of every `required`.
pub(crate) fn declared<'a>(schema: &'a Value, properties: bool, order: &mut Vec<&'a str>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::Object(inner) if properties && name == "properties" => {
                        order.extend(inner.keys().map(String::as_str));
                    }
                    Value::Array(names) if !properties && name == "required" => {
                        order.extend(names.iter().filter_map(Value::as_str));
                    }
                    _ => {}
                }
                declared(value, properties, order);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| declared(item, properties, order)),
        _ => {}
    }
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
        let mut order = Vec::new();
        declared(&schema, true, &mut order);
        declared(&schema, false, &mut order);
        for test in group["tests"].as_array().unwrap() {
            tests += 1;
            let instance = in_declared_order(&test["data"], &order);
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let name = format!("{}: {}", text(&group["id"]), text(&test["description"]));
            let valid = matches(&ir, &instance.to_string());
            if valid != test["valid"] && !(NARROWED.contains(&name.as_str()) && !valid) {
                wrong.push(format!("{name} ({instance} under {schema})"));
            }
        }
    }
    println!("{answered} of {groups} groups answered, {tests} tests");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(answered >= ANSWERED_MIN, "{answered} groups are answered, {ANSWERED_MIN} were");
}
