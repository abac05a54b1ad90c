//! Compiles every template of a catalog with a matrix of tools and settings, so that an odd tool
//! is found here and not by a request.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use blueprints::{Blueprint, Catalog, Code, Diagnostics, Limits, Recogniser, Verdict};
use serde_json::{Map, Value, json};

use super::super::failure::Failure;
use super::super::{Outcome, output};
use super::{Check, Inputs, cases, input, table, targets};

/// Tools that a family must take, each with what is odd about it.
const TOOLS: &str = include_str!("matrix.json");

/// The tools that not every format can spell.
const ODD: &str = "odd names";

/// A row of the matrix.
struct Row {
    name: String,
    context: Map<String, Value>,
    /// Whether the template must refuse it.
    refused: bool,
    /// Whether a schema may be refused: some formats have no spelling for odd names.
    odd: bool,
}

/// Every template of `catalog`; then the snapshots and the cases of its folder.
pub(super) fn run(catalog: &Catalog, arguments: &Check, inputs: &mut Inputs) -> Outcome {
    let rows = rows(&input::json("the matrix", TOOLS.as_bytes())?);
    let chosen =
        |name: &&str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
    let mut report = vec![["blueprint", "compiled", "wrong"].map(str::to_owned).to_vec()];
    let mut faults = Vec::new();
    for name in catalog.names().filter(chosen) {
        if catalog.metadata(name).is_none() {
            report.push(vec![name.to_owned(), "no family: it has no header comment".to_owned()]);
            continue;
        }
        let before = faults.len();
        match catalog.get(name) {
            Ok(blueprint) => {
                for row in &rows {
                    let fault = fault(&blueprint, row);
                    faults.extend(fault.map(|fault| format!("{name}, {}: {fault}", row.name)));
                }
                if let Some(folder) = &arguments.folder {
                    faults.extend(snapshot(&blueprint, name, folder, arguments.update)?);
                }
            }
            Err(diagnostics) => faults.push(format!("{name}: {diagnostics}")),
        }
        let wrong = faults.len() - before;
        report.push(vec![name.to_owned(), rows.len().to_string(), wrong.to_string()]);
    }
    output::message(&table(&report));
    output::message(&faults.join("\n"));
    let own = arguments.folder.as_deref().map(|folder| folder.join("cases.jsonl"));
    let of_cases = match own.filter(|path| path.exists()) {
        Some(path) => cases::run(catalog, arguments, &path, inputs)?,
        None => ExitCode::SUCCESS,
    };
    Ok(if faults.is_empty() { of_cases } else { ExitCode::FAILURE })
}

/// Every set of tools with every setting, and what must be refused.
fn rows(matrix: &Value) -> Vec<Row> {
    let entries = |key: &str| matrix[key].as_object().cloned().unwrap_or_default();
    let mut rows = Vec::new();
    for (settings_name, settings) in entries("settings") {
        for (tools_name, tools) in entries("tools") {
            let mut context = settings.as_object().cloned().unwrap_or_default();
            context.insert("tools".into(), tools);
            let name = format!("{tools_name}, {settings_name}");
            rows.push(Row { name, context, refused: false, odd: tools_name == ODD });
        }
    }
    for (name, context) in entries("refused") {
        let context = context.as_object().cloned().unwrap_or_default();
        rows.push(Row { name, context, refused: true, odd: false });
    }
    rows
}

/// What is wrong with `blueprint` under `row`.
fn fault(blueprint: &Blueprint, row: &Row) -> Option<String> {
    let outline = match (blueprint.outline(&row.context), row.refused) {
        (Ok(_), true) => return Some("must be refused".to_owned()),
        (Err(_), true) => return None,
        (Err(diagnostics), false) if row.odd && is_of_schema(&diagnostics) => return None,
        (Err(diagnostics), false) => return Some(diagnostics.to_string()),
        (Ok(outline), false) => outline,
    };
    let recogniser = Recogniser::new(outline.ir(), Limits::default());
    let verdict = recogniser
        .map_err(|error| error.to_string())
        .and_then(|mut recogniser| recogniser.check("").map_err(|error| error.to_string()));
    let must_call = row.context.get("tool_choice") == Some(&json!("required"));
    match verdict {
        Err(error) => Some(error),
        Ok(Verdict::Matches) if must_call => Some("an empty turn calls nothing".to_owned()),
        Ok(_) => None,
    }
}

/// Whether a schema was refused, with its pointer and the reason, and nothing else is wrong.
fn is_of_schema(diagnostics: &Diagnostics) -> bool {
    diagnostics.iter().all(|diagnostic| diagnostic.code == Code::BadSchema)
}

/// Writes what `blueprint` lowers to with a fixed pair of tools below `folder`, or tells whether
/// that has changed.
fn snapshot(
    blueprint: &Blueprint,
    name: &str,
    folder: &Path,
    update: bool,
) -> Result<Option<String>, Failure> {
    let outline = match blueprint.outline(targets::pair()) {
        Ok(outline) => outline,
        Err(diagnostics) => return Ok(Some(format!("{name}, targets: {diagnostics}"))),
    };
    let lowered = targets::lowered(&outline);
    let folder = folder.join("snapshots");
    let path = folder.join(format!("{name}.txt"));
    let shown = input::shown(&path);
    if update {
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, lowered))
            .map_err(|error| Failure::of(&shown, &error))?;
        return Ok(None);
    }
    Ok(match fs::read_to_string(&path) {
        Ok(before) if before == lowered => None,
        Ok(_) => Some(format!("{name}: {shown} has changed; --update writes it anew")),
        // A catalog without snapshots is as good.
        Err(_) if !folder.exists() => None,
        Err(_) => Some(format!("{name}: there is no {shown} yet; --update writes it")),
    })
}
