//! Real schemas of JSONSchemaBench: a sample compiles, and no instance is answered wrong.

use std::path::Path;
use std::sync::Arc;

use blueprints::{Ir, Limits, Order, Recogniser, SchemaFault, SchemaOptions, Verdict};
use serde_json::Value;

/// One schema in so many is asked; `BLUEPRINTS_BENCH_EVERY` asks for another part.
const EVERY: usize = 29;

fn recogniser(schema: &Value) -> Result<Option<Recogniser>, String> {
    let options = SchemaOptions { order: Order::Any, ..SchemaOptions::default() };
    match Ir::schema(Arc::new(schema.clone()), options) {
        Ok(ir) => match Recogniser::new(&ir, Limits::default()) {
            Ok(recogniser) => Ok(Some(recogniser)),
            Err(error) => Err(error.to_string()),
        },
        Err(error) if error.code == SchemaFault::Unsatisfiable => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn a_sample_of_real_schemas_is_answered_right() {
    let Some(folder) = crate::shared::path("data/jsonschemabench") else { return };
    let every = std::env::var("BLUEPRINTS_BENCH_EVERY").ok().and_then(|n| n.parse().ok());
    let every: usize = every.unwrap_or(EVERY);
    let (mut asked, mut refused, mut tests) = (0, Vec::new(), 0);
    for file in files(&folder) {
        let text = std::fs::read_to_string(&file).expect("readable");
        for line in text.lines().step_by(every) {
            let case: Value = serde_json::from_str(line).expect("JSON");
            let id = case["id"].as_str().unwrap_or_default();
            asked += 1;
            let mut recogniser = match recogniser(&case["schema"]) {
                Ok(recogniser) => recogniser,
                Err(reason) => {
                    refused.push(format!("{id}: {reason}"));
                    continue;
                }
            };
            for test in case["tests"].as_array().into_iter().flatten() {
                tests += 1;
                let text = test["data"].to_string();
                let valid = recogniser.as_mut().is_some_and(|recogniser| {
                    recogniser.check(&text).expect("within limits") == Verdict::Matches
                });
                assert_eq!(Value::from(valid), test["valid"], "{id}: {text}");
            }
        }
    }
    println!("{asked} schemas, {tests} instances, refused: {refused:#?}");
    // One in a hundred, and two more where a sample happens to hold them.
    assert!(refused.len() * 100 <= asked + 200, "{} of {asked} are refused", refused.len());
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    files
}
