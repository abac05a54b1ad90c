//! Cases as files: what a template means, what it lowers to, and what is wrong with it.
//!
//! `tests/cases/<stage>/<name>.jinja`, with its context in `<name>.json` beside it, has the snapshot
//! `snapshots/<stage>/<name>.snap`.

use std::fs;
use std::path::{Path, PathBuf};

use blueprints::emit::{Dialect, EmitError, Emitted, Exactness, Loss, Lost};
use blueprints::{Blueprint, Catalog, Diagnostics, Extensions, Made, Outline};
use serde_json::{Value, json};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The templates of a stage by name, sorted.
fn cases(stage: &str) -> Vec<(String, PathBuf)> {
    let folder = root().join("tests/cases").join(stage);
    let mut found: Vec<(String, PathBuf)> = fs::read_dir(&folder)
        .expect("the stage has a folder")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jinja"))
        .map(|path| (path.file_stem().expect("named").to_string_lossy().into_owned(), path))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no cases in {}", folder.display());
    found
}

fn context(template: &Path) -> Value {
    match fs::read_to_string(template.with_extension("json")) {
        Ok(text) => serde_json::from_str(&text).expect("the context is JSON"),
        Err(_) => json!({}),
    }
}

fn outline(path: &Path) -> Result<Outline, Diagnostics> {
    Blueprint::from_file(path)?.outline(context(path))
}

fn snapshot(stage: &str, name: &str, input: &str, shown: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("snapshots").join(stage));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(input);
    // Where the checkout lies is not part of what is shown.
    let shown = shown.replace(&format!("{}/", root().display()), "");
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

#[test]
fn templates_mean_what_they_say() {
    for (name, path) in cases("language") {
        let outline = outline(&path).unwrap_or_else(|faults| panic!("{name}: {faults}"));
        let printed = outline.to_string();
        assert_eq!(blueprints::Ir::read(&printed).as_ref(), Ok(outline.ir()), "{printed}");
        let shown = format!("{printed}\n{}", outline.warnings());
        snapshot(
            "language",
            &name,
            &fs::read_to_string(&path).expect("readable"),
            shown.trim_end(),
        );
    }
}

/// What is wrong with a case. Two kinds of faults are not a template's alone.
fn faults(name: &str, path: &Path) -> Diagnostics {
    let found = match name {
        "err_bad_call" => Blueprint::from_file(path).and_then(|blueprint| blueprint.call("Hello")),
        "err_host_failed" => {
            let template = fs::read_to_string(path).expect("readable");
            let arithmetic = |call: &blueprints::HostCall| match &call.value {
                Some(value) if value.is_number() => Ok(Made::Value(value.clone())),
                _ => Err("this is not a number".into()),
            };
            let extensions = Extensions::default().filter("arithmetic", arithmetic);
            Blueprint::extended(&template, extensions).and_then(|blueprint| blueprint.outline(()))
        }
        _ => outline(path),
    };
    found.map(|outline| outline.to_string()).expect_err(name)
}

#[test]
fn every_kind_of_doubt_shows_its_place() {
    for (name, path) in cases("warnings") {
        let input = fs::read_to_string(&path).expect("readable");
        let outline = outline(&path).unwrap_or_else(|faults| panic!("{name}: {faults}"));
        let doubts = match name.as_str() {
            "warn_unknown_token" => {
                let blueprint = Blueprint::from_file(&path).expect("it is sound");
                blueprint.check_tokens(&["<|im_start|>", "<|im_end|>"])
            }
            _ => outline.warnings().clone(),
        };
        assert!(!doubts.is_empty() && !doubts.has_errors(), "{name}: {doubts}");
        snapshot("warnings", &name, &input, &doubts.to_string());
    }
}

#[test]
fn every_kind_of_fault_shows_its_place() {
    for (name, path) in cases("diagnostics") {
        let faults = faults(&name, &path);
        let input = fs::read(&path).expect("readable");
        snapshot("diagnostics", &name, &String::from_utf8_lossy(&input), &faults.to_string());
    }
}

/// P1's templates, in every form they lower to.
#[test]
fn the_proposals_lower_to_every_target() {
    let catalog = Catalog::builtin();
    for name in catalog.names().filter(|name| name.starts_with("proposal_")) {
        let context = context(&root().join("examples").join(format!("{name}.jinja")));
        let blueprint = catalog.get(name).unwrap_or_else(|faults| panic!("{name}: {faults}"));
        let outline =
            blueprint.outline(context).unwrap_or_else(|faults| panic!("{name}: {faults}"));
        let input = catalog.source(name).expect("it is in the catalog");
        snapshot("catalog", &format!("{name}.ir"), input, &outline.to_string());
        let targets = [
            ("regex", outline.to_regex(Exactness::Lossy)),
            ("xgrammar", outline.to_ebnf(Dialect::XGrammar, Exactness::Lossy)),
            ("structural_tag", outline.to_structural_tag(Exactness::Lossy)),
        ];
        for (target, emitted) in targets {
            snapshot("catalog", &format!("{name}.{target}"), input, &shown(emitted));
        }
    }
}

/// The families of the catalog with a fixed pair of tools, each in one file.
#[test]
fn the_catalog_lowers_to_every_target() {
    let catalog = Catalog::builtin();
    let tools = json!([
        { "name": "now", "parameters": { "additionalProperties": false } },
        { "name": "find", "parameters": {
            "properties": { "text": { "type": "string" }, "limit": { "enum": [1, 10] } },
            "required": ["text"],
            "additionalProperties": false,
        } },
    ]);
    let mut faults = Vec::new();
    for name in catalog.names().filter(|name| !name.starts_with("proposal_")) {
        let context = json!({ "tools": tools, "reasoning": "on" });
        match catalog.get(name).and_then(|blueprint| blueprint.outline(context)) {
            Ok(outline) => {
                let tag = shown(outline.to_structural_tag(Exactness::Lossy));
                let grammar = shown(outline.to_ebnf(Dialect::XGrammar, Exactness::Lossy));
                let lowered = format!("{outline}\n\n{tag}\n\n{grammar}");
                snapshot("catalog", name, catalog.source(name).expect("it is there"), &lowered);
            }
            Err(found) => faults.push(format!("{name}: {found}")),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The text of a target, each loss, or why there is none.
fn shown(emitted: Result<Emitted, EmitError>) -> String {
    match emitted {
        Ok(emitted) => {
            // That a target names no parts is said once, in its documentation.
            let named = |loss: &&Loss| !matches!(loss.lost, Lost::Capture { .. });
            let losses = emitted.losses.iter().filter(named);
            let losses: Vec<String> = losses.map(|loss| format!("\nloss: {loss}")).collect();
            let text = serde_json::from_str::<Value>(&emitted.text)
                .ok()
                .filter(Value::is_object)
                .and_then(|value| serde_json::to_string_pretty(&value).ok());
            format!("{}{}", text.unwrap_or(emitted.text), losses.concat())
        }
        Err(error) => format!("refused: {error}"),
    }
}
