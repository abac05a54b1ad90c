//! The request cases: equal fields, errors with their pointers, warnings, and places of answers.

use blueprints_providers::{Intent, Providers, request};
use serde_json::{Value, json};

use crate::shared;

/// Cases in which ours differs, with the reason. May only shrink.
const DECISIONS: &[(&str, &str)] = &[];

/// What comes of a case, in its own words.
fn outcome(providers: &Providers, case: &Value) -> Value {
    let intent = Intent::from_json(&case["intent"]).expect("an intent");
    let name = case["provider"].as_str().expect("a provider");
    let facts = providers.facts(name, intent.model.as_deref()).expect("a known provider");
    match request(&facts, &intent) {
        Err(error) => json!({ "error": error.to_string() }),
        Ok(request) => {
            let warnings: Vec<String> = request.warnings.iter().map(ToString::to_string).collect();
            let answer = request.answer_json();
            json!({ "fields": request.fields, "warnings": warnings, "answer": answer })
        }
    }
}

/// What is expected of it.
fn expected(case: &Value) -> Value {
    match case.get("expected_error") {
        Some(error) => json!({ "error": error }),
        None => json!({
            "fields": case["expected_request_fields"],
            "warnings": case.get("expected_warnings").cloned().unwrap_or_else(|| json!([])),
        }),
    }
}

#[test]
fn all_cases_are_equal() {
    let Some(lines) = shared::lines("data/providers/cases.jsonl") else { return };
    let providers = Providers::builtin();
    let mut faults = Vec::new();
    for line in &lines {
        let case: Value = serde_json::from_str(line).expect("a case");
        let id = case["id"].as_str().expect("an id");
        let mut got = outcome(&providers, &case);
        let mut want = expected(&case);
        if let Some(answer) = case.get("answer") {
            want["answer"] = answer.clone();
        } else if let Some(members) = got.as_object_mut() {
            members.shift_remove("answer");
        }
        let decided = DECISIONS.iter().any(|(own, _)| *own == id);
        if (got == want) == decided {
            faults.push(format!("{id}:\n  want {want}\n  got  {got}"));
        }
    }
    println!("{} cases, {} decided otherwise", lines.len(), DECISIONS.len());
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
