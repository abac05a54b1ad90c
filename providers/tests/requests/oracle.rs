//! What is sent says no less than what was meant: a validator decides, on real schemas.
//!
//! Where a provider holds the schema that is sent, each answer that is valid for it must become one
//! that is valid for the caller's schema. Data that is valid must stay reachable, save where the
//! provider closes objects.

use std::collections::BTreeMap;

use blueprints_providers::{Intent, Kind, Providers, Request, request};
use serde_json::{Value, json};

use crate::shared;

/// The files of the benchmark, the providers with a dialect of schemas of their own.
const FILES: &[&str] =
    &["Github_easy", "Github_medium", "JsonSchemaStore", "Kubernetes", "Glaiveai2K", "Snowplow"];
const PROVIDERS: &[&str] = &[
    "openai_chat",
    "anthropic",
    "gemini",
    "ollama",
    "vllm",
    "sglang",
    "mistralrs",
    "tgi_generate",
];

/// How many schemas of each file are taken.
const SCHEMAS_MAX: usize = 40;

/// The schema that a request sends.
fn sent(request: &Request) -> &Value {
    let fields = &request.fields;
    let places = [
        "/response_format/json_schema/schema",
        "/output_config/format/schema",
        "/generationConfig/responseJsonSchema",
        "/format",
        "/parameters/grammar/value",
    ];
    let first = |place: &&str| {
        let (name, rest) = place[1..].split_once('/').map_or((&place[1..], ""), |(a, b)| (a, b));
        let value = fields.get(name)?;
        if rest.is_empty() { Some(value) } else { value.pointer(&format!("/{rest}")) }
    };
    places.iter().find_map(first).expect("a schema is sent")
}

/// A validator that asserts formats, whichever draft it is.
fn validator(
    schema: &Value,
) -> Result<jsonschema::Validator, jsonschema::ValidationError<'static>> {
    jsonschema::options().should_validate_formats(true).build(schema)
}

/// `data` with null for each declared property that it lacks, as far as the schema is followed.
fn completed(root: &Value, schema: &Value, data: &Value, depth: usize) -> Value {
    if depth > 40 {
        return data.clone();
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(target.trim_start_matches('#')).unwrap_or(&Value::Null);
        return completed(root, target, data, depth + 1);
    }
    if let Some(branches) = schema.get("anyOf").and_then(Value::as_array) {
        for branch in branches {
            let whole = completed(root, branch, data, depth + 1);
            let mut alone = json!({ "allOf": [branch] });
            if let Some(definitions) = root.get("$defs") {
                alone["$defs"] = definitions.clone();
            }
            let valid = validator(&alone).is_ok_and(|own| own.is_valid(&whole));
            if valid {
                return whole;
            }
        }
    }
    match data {
        Value::Object(members) => {
            let mut members = members.clone();
            let declared = schema.get("properties").and_then(Value::as_object);
            for (name, property) in declared.into_iter().flatten() {
                let own = members.get(name).cloned().unwrap_or(Value::Null);
                members.insert(name.clone(), completed(root, property, &own, depth + 1));
            }
            Value::Object(members)
        }
        Value::Array(items) => {
            let item = schema.get("items").unwrap_or(&Value::Null);
            items.iter().map(|own| completed(root, item, own, depth + 1)).collect()
        }
        _ => data.clone(),
    }
}

#[derive(Default, Debug)]
struct Counts {
    sent: usize,
    refused: usize,
    answers: usize,
    reached: usize,
    closed_out: usize,
}

#[test]
fn an_answer_that_is_held_is_valid() {
    let providers = Providers::builtin();
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut faults = Vec::new();
    for file in FILES {
        let Some(lines) = shared::lines(&format!("data/jsonschemabench/{file}.jsonl")) else {
            return;
        };
        for line in lines.iter().take(SCHEMAS_MAX).filter(|line| line.len() < 60_000) {
            let case: Value = serde_json::from_str(line).expect("a case");
            for provider in PROVIDERS {
                let own = counts.entry(provider).or_default();
                if let Err(fault) = check(&providers, provider, &case, own) {
                    faults.push(format!("{provider} {}: {fault}", case["id"]));
                }
            }
        }
    }
    for (provider, own) in &counts {
        println!("{provider}: {own:?}");
        assert!(own.sent > 30 && own.answers > 50, "{provider} sends too little: {own:?}");
    }
    faults.truncate(12);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn check(
    providers: &Providers,
    provider: &str,
    case: &Value,
    counts: &mut Counts,
) -> Result<(), String> {
    let schema = &case["schema"];
    let Ok(meant) = validator(schema) else { return Ok(()) };
    let facts = providers.facts(provider, None).expect("known");
    let intent = Intent::new(Kind::JsonSchema(schema.clone()));
    let Ok(request) = request(&facts, &intent) else {
        counts.refused += 1;
        return Ok(());
    };
    counts.sent += 1;
    let sent = sent(&request);
    let held = validator(sent).map_err(|error| format!("{error}: {sent}"))?;
    let wrapped = request.answer.unwrap.is_some();
    let own = if wrapped { &sent["properties"]["value"] } else { sent };
    for test in case["tests"].as_array().into_iter().flatten() {
        let data = &test["data"];
        let whole = completed(sent, own, data, 0);
        let mut reached = false;
        for own in [data, &whole] {
            let answer = if wrapped { json!({ "value": own }) } else { own.clone() };
            if !held.is_valid(&answer) {
                continue;
            }
            counts.answers += 1;
            let read = request.answer.decode(Value::from(answer.to_string()));
            let read = read.map_err(|error| format!("{error}: {answer}"))?;
            if !meant.is_valid(&read) {
                return Err(format!("{read} is not valid for {schema}, but {answer} for {sent}"));
            }
            reached |= read == *data;
        }
        if meant.is_valid(data) {
            counts.reached += usize::from(reached);
            counts.closed_out += usize::from(!reached);
            if !reached && !["openai_chat", "anthropic"].contains(&provider) {
                return Err(format!("{data} cannot be answered under {sent}, from {schema}"));
            }
        }
    }
    Ok(())
}
