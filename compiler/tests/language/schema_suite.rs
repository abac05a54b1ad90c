//! The official test suite of JSON Schema: each group that is not refused is answered right.

use std::path::PathBuf;
use std::sync::Arc;

use blueprints_compiler::{Formats, Ir, Order, Remotes, SchemaFault, SchemaOptions, Whitespace};
use serde_json::Value;

use crate::matcher::matches;

/// The groups that are refused today, with the reason; the list may only shrink.
const REFUSED: &[(&str, &str)] = &[
    ("draft2020-12/uniqueItems#0", "items that may be arrays or objects"),
    ("draft2020-12/uniqueItems#1", "items that may be arrays or objects"),
];

/// A file of the shared data, or `None` if it is absent and need not be there.
fn shared(name: &str) -> Option<String> {
    let root = std::env::var("BLUEPRINTS_SHARED").map_or_else(
        |_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let path = root.join("data/json-schema-test-suite").join(name);
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

/// The schemas that references of the suite lead to.
fn remotes() -> Remotes {
    let text = shared("remotes.json").unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Formats are annotations in the required groups, and asserted in those about formats.
fn options(group: &Value, remotes: &Arc<Remotes>) -> SchemaOptions {
    let asserted = group["format"] == true;
    SchemaOptions {
        whitespace: Whitespace::Compact,
        order: Order::Any,
        formats: if asserted { Formats::Assert } else { Formats::Annotate },
        remotes: Arc::clone(remotes),
        ..SchemaOptions::default()
    }
}

#[test]
fn groups_that_are_not_refused_are_answered_right() {
    let Some(suite) = shared("draft2020-12.jsonl") else { return };
    let remotes = Arc::new(remotes());
    let (mut groups, mut tests) = (0, 0);
    let (mut wrong, mut refused) = (Vec::new(), Vec::new());
    for line in suite.lines() {
        let group: Value = serde_json::from_str(line).unwrap();
        groups += 1;
        let id = group["id"].as_str().unwrap();
        let schema = Arc::new(group["schema"].clone());
        let ir = match Ir::schema(Arc::clone(&schema), options(&group, &remotes)) {
            Ok(ir) => Some(ir),
            Err(error) if error.code == SchemaFault::Unsatisfiable => None,
            Err(error) => {
                if group["optional"] != true {
                    refused.push((id.to_owned(), error.to_string()));
                }
                continue;
            }
        };
        for test in group["tests"].as_array().unwrap() {
            tests += 1;
            let instance = &test["data"];
            let valid = ir.as_ref().is_some_and(|ir| matches(ir, &instance.to_string()));
            if valid != test["valid"] {
                let what = test["description"].as_str().unwrap();
                wrong.push(format!("{id}: {what} ({instance} under {schema})"));
            }
        }
    }
    println!("{groups} groups, {tests} tests answered; refused: {refused:#?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    let known = |id: &String| REFUSED.iter().any(|(known, _)| known == id);
    let new: Vec<_> = refused.iter().filter(|(id, _)| !known(id)).collect();
    assert!(new.is_empty(), "refused and not listed: {new:?}");
    let stale = REFUSED.iter().filter(|(id, _)| !refused.iter().any(|(known, _)| known == id));
    let stale: Vec<_> = stale.collect();
    assert!(stale.is_empty(), "listed and answered: {stale:?}");
}
