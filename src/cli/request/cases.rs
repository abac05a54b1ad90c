//! One line of JSON for each intent of a file, so that anyone can judge them.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use blueprints::providers::{self, Intent, Providers};
use serde_json::{Map, Value, json};

use super::super::input::{self, Inputs};
use super::Outcome;

/// Each line of the file has `id`, `provider` and `intent`; the last line is a summary.
pub(super) fn run(providers: &Providers, path: &Path, inputs: &mut Inputs) -> Outcome {
    let text = inputs.text(path)?;
    let name = input::shown(path);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut cases, mut requests, mut expected, mut equal) = (0, 0, 0, 0);
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case = input::json(&format!("{name}, line {}", at + 1), line.as_bytes())?;
        let outcome = outcome(providers, &case);
        cases += 1;
        requests += usize::from(outcome.contains_key("fields"));
        if let Some(same) = as_expected(&case, &outcome) {
            expected += 1;
            equal += usize::from(same);
        }
        writeln!(out, "{}", Value::Object(outcome))?;
    }
    let mut summary = json!({ "cases": cases, "requests": requests, "errors": cases - requests });
    if expected > 0 {
        summary["expected"] = json!(expected);
        summary["equal"] = json!(equal);
    }
    writeln!(out, "{}", json!({ "summary": summary }))?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What comes of a case.
fn outcome(providers: &Providers, case: &Value) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("id".into(), case["id"].clone());
    let wanted = Intent::from_json(&case["intent"]).map_err(|error| error.to_string());
    let request = wanted.and_then(|intent| {
        let name = case["provider"].as_str().unwrap_or_default();
        let facts = providers.facts(name, intent.model.as_deref());
        let facts = facts.map_err(|error| error.to_string())?;
        providers::request(&facts, &intent).map_err(|error| error.to_string())
    });
    let request = match request {
        Ok(request) => request,
        Err(error) => {
            line.insert("error".into(), json!(error));
            line.insert("warnings".into(), json!([]));
            return line;
        }
    };
    let warnings: Vec<String> = request.warnings.iter().map(ToString::to_string).collect();
    line.insert("answer".into(), request.answer_json());
    let losses: Vec<String> = request.losses.iter().map(ToString::to_string).collect();
    if !losses.is_empty() {
        line.insert("losses".into(), json!(losses));
    }
    if let Some(prompt) = &request.prompt {
        line.insert("prompt".into(), json!(prompt));
    }
    line.insert("fields".into(), Value::Object(request.fields));
    line.insert("warnings".into(), json!(warnings));
    line
}

/// Whether a case that says what it expects has come to that.
fn as_expected(case: &Value, outcome: &Map<String, Value>) -> Option<bool> {
    if let Some(error) = case.get("expected_error") {
        return Some(outcome.get("error") == Some(error));
    }
    let fields = case.get("expected_request_fields")?;
    let none = json!([]);
    let warnings = case.get("expected_warnings").unwrap_or(&none);
    let answer = case.get("answer").is_none_or(|answer| outcome.get("answer") == Some(answer));
    let equal = outcome.get("fields") == Some(fields) && outcome.get("warnings") == Some(warnings);
    Some(equal && answer)
}
