//! Texts of models, each with what a blueprint must make of it: one line of JSON for each case
//! under each mode of `tool_choice`, so that anyone can judge them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use blueprints::{Catalog, Verdict};
use serde_json::{Map, Value, json};

use super::super::{Outcome, output};
use super::reading::{Bound, Reader, same, told};
use super::{Check, Inputs, input, table};

/// What is known of one blueprint.
#[derive(Default)]
struct Tally {
    checks: usize,
    right: usize,
    /// The cases that came out wrong.
    wrong: Vec<String>,
    /// Cases on which engines differ, and how many of those were refused.
    lenient: usize,
    lenient_refused: usize,
}

/// Each line of the file has `id`, `blueprint`, `settings`, `tools`, `output`, `valid` and
/// `calls`; the last line is a summary. The exit code is 1 if a case comes out wrong.
pub(super) fn run(
    catalog: &Catalog,
    arguments: &Check,
    path: &Path,
    inputs: &mut Inputs,
) -> Outcome {
    let text = inputs.text(path)?;
    let name = input::shown(path);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut bound = Bound::new(catalog);
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case = input::json(&format!("{name}, line {}", at + 1), line.as_bytes())?;
        let blueprint = case["blueprint"].as_str().unwrap_or_default();
        if !arguments.only.is_empty() && !arguments.only.iter().any(|only| only == blueprint) {
            continue;
        }
        let tally = tallies.entry(blueprint.to_owned()).or_default();
        for mode in modes(&case) {
            let line = outcome(&mut bound, &case, &mode, arguments.split.is_some());
            count(tally, &case, &line);
            writeln!(out, "{}", Value::Object(line))?;
        }
    }
    let (summary, rows) = summary(&tallies);
    writeln!(out, "{}", json!({ "summary": summary }))?;
    out.flush()?;
    output::message(&table(&rows));
    let all_right = tallies.values().all(|tally| tally.wrong.is_empty());
    Ok(if all_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The modes of `tool_choice` under which a case is checked.
fn modes(case: &Value) -> Vec<Value> {
    match &case["settings"]["tool_choice"] {
        Value::Array(modes) => modes.clone(),
        Value::Null => vec![json!("auto")],
        mode => vec![mode.clone()],
    }
}

/// What comes of a case under one mode; `split` is whether it is read in two chunks as well.
fn outcome(bound: &mut Bound<'_>, case: &Value, mode: &Value, split: bool) -> Map<String, Value> {
    let mut line = Map::new();
    let valid = case["valid"] == json!(true);
    line.insert("id".into(), case["id"].clone());
    line.insert("blueprint".into(), case["blueprint"].clone());
    line.insert("mode".into(), mode.clone());
    line.insert("valid".into(), json!(valid));
    line.insert("lenient".into(), json!(case["lenient"] == json!(true)));
    let judged = bound.reader(case, mode).and_then(|reader| judge(reader, case, split, &mut line));
    let right = judged.unwrap_or_else(|error| {
        line.insert("matched".into(), json!(false));
        line.insert("error".into(), json!(error));
        false
    });
    line.insert("right".into(), json!(right));
    line
}

/// Whether `case` comes out right; `line` tells what came out.
fn judge(
    reader: &mut Reader,
    case: &Value,
    split: bool,
    line: &mut Map<String, Value>,
) -> Result<bool, String> {
    let (text, verdict) = reader.verdict(case)?;
    let matched = verdict == Verdict::Matches;
    line.insert("matched".into(), json!(matched));
    if let Verdict::Fails(mismatch) = &verdict {
        line.insert("at".into(), json!(mismatch.at));
        line.insert("expected".into(), json!(mismatch.to_string()));
    }
    let read = reader.read(&text);
    if let Ok(calls) = &read {
        line.extend(told(calls));
    }
    if let (true, Err(error)) = (matched, &read) {
        line.insert("error".into(), json!(error));
    }
    let is_same = !split || reader.same_when_cut(&text, &read);
    if split {
        line.insert("split_ok".into(), json!(is_same));
    }
    let valid = case["valid"] == json!(true);
    // A case without `calls` says nothing of them.
    let as_expected = match (&read, case.get("calls")) {
        (Ok(_), Some(calls)) if valid => same(&line["calls"], calls),
        _ => read.is_ok() == valid,
    };
    Ok(matched == valid && as_expected && is_same)
}

/// Cases on which engines differ say nothing of right and wrong.
fn count(tally: &mut Tally, case: &Value, line: &Map<String, Value>) {
    if case["lenient"] == json!(true) {
        tally.lenient += 1;
        tally.lenient_refused += usize::from(line["matched"] == json!(false));
        return;
    }
    tally.checks += 1;
    if line["right"] == json!(true) {
        tally.right += 1;
    } else {
        let id = case["id"].as_str().unwrap_or_default();
        let mode = line["mode"].as_str().map_or_else(|| line["mode"].to_string(), str::to_owned);
        tally.wrong.push(format!("{id} ({mode})"));
    }
}

/// The sums, and a row for each blueprint.
fn summary(tallies: &BTreeMap<String, Tally>) -> (Value, Vec<Vec<String>>) {
    let head = ["blueprint", "checks", "right", "engines differ", "wrong"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (name, tally) in tallies {
        let differ = match tally.lenient {
            0 => String::new(),
            all => format!("{} of {all} refused", tally.lenient_refused),
        };
        let (checks, right) = (tally.checks.to_string(), tally.right.to_string());
        rows.push(vec![name.clone(), checks, right, differ, tally.wrong.join(", ")]);
    }
    let sum = |of: fn(&Tally) -> usize| tallies.values().map(of).sum::<usize>();
    let summary = json!({
        "blueprints": tallies.len(),
        "checks": sum(|tally| tally.checks),
        "right": sum(|tally| tally.right),
        "wrong": sum(|tally| tally.wrong.len()),
        "lenient": sum(|tally| tally.lenient),
    });
    (summary, rows)
}
