//! Texts of models, each with what a blueprint must make of it: one line of JSON for each case
//! under each mode of `tool_choice`, so that anyone can judge them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use blueprints::{Blueprint, Catalog, Limits, Recogniser, Verdict};
use serde_json::{Map, Value, json};

use super::super::{Outcome, output};
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

/// Recognisers of one blueprint by the variables it is bound to.
struct Bound<'a> {
    catalog: &'a Catalog,
    name: String,
    blueprint: Result<Blueprint, String>,
    recognisers: BTreeMap<String, Result<Recogniser, String>>,
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
    let mut bound = Bound {
        catalog,
        name: String::new(),
        blueprint: Err(String::new()),
        recognisers: BTreeMap::new(),
    };
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let case = input::json(&format!("{name}, line {}", at + 1), line.as_bytes())?;
        let blueprint = case["blueprint"].as_str().unwrap_or_default();
        if !arguments.only.is_empty() && !arguments.only.iter().any(|only| only == blueprint) {
            continue;
        }
        let tally = tallies.entry(blueprint.to_owned()).or_default();
        for mode in modes(&case) {
            let line = outcome(&mut bound, blueprint, &case, &mode);
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

/// What comes of a case under one mode.
fn outcome(bound: &mut Bound<'_>, name: &str, case: &Value, mode: &Value) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("id".into(), case["id"].clone());
    line.insert("blueprint".into(), json!(name));
    line.insert("mode".into(), mode.clone());
    let valid = case["valid"] == json!(true);
    line.insert("valid".into(), json!(valid));
    line.insert("lenient".into(), json!(case["lenient"] == json!(true)));
    let text = case["output"].as_str().unwrap_or_default();
    let stops = case["eos"].as_str().unwrap_or_default();
    let verdict =
        bound.recogniser(name, case, mode).and_then(|recogniser| judged(recogniser, text, stops));
    line.insert("matched".into(), json!(matches!(verdict, Ok(Verdict::Matches))));
    let right = match &verdict {
        Ok(Verdict::Matches) => valid,
        Ok(Verdict::Fails(mismatch)) => {
            line.insert("at".into(), json!(mismatch.at));
            line.insert("expected".into(), json!(mismatch.to_string()));
            !valid
        }
        Err(error) => {
            line.insert("error".into(), json!(error));
            false
        }
    };
    line.insert("right".into(), json!(right));
    line
}

/// Whether `text` fits, as it is or with one of the stop tokens that may have ended it.
fn judged(recogniser: &mut Recogniser, text: &str, stops: &str) -> Result<Verdict, String> {
    let mut check = |text: &str| recogniser.check(text).map_err(|error| error.to_string());
    let verdict = check(text)?;
    for stop in stops.split(" / ").filter(|stop| !stop.is_empty() && !text.ends_with(stop)) {
        if verdict != Verdict::Matches && check(&format!("{text}{stop}"))? == Verdict::Matches {
            return Ok(Verdict::Matches);
        }
    }
    Ok(verdict)
}

impl Bound<'_> {
    /// The blueprint `name` with the tools and settings of `case`.
    fn recogniser(
        &mut self,
        name: &str,
        case: &Value,
        mode: &Value,
    ) -> Result<&mut Recogniser, String> {
        if self.name != name {
            self.recognisers.clear();
            name.clone_into(&mut self.name);
            self.blueprint = self.catalog.get(name).map_err(|faults| faults.to_string());
        }
        let mut context = case["settings"].as_object().cloned().unwrap_or_default();
        context.insert("tools".into(), case["tools"].clone());
        context.insert("tool_choice".into(), mode.clone());
        let key = Value::Object(context.clone()).to_string();
        let blueprint = self.blueprint.as_ref();
        let made = self.recognisers.entry(key).or_insert_with(|| {
            let blueprint = blueprint.map_err(|error| error.clone())?;
            let outline = blueprint.outline(&context).map_err(|faults| faults.to_string())?;
            Recogniser::new(outline.ir(), Limits::default()).map_err(|error| error.to_string())
        });
        made.as_mut().map_err(|error| error.clone())
    }
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
