//! The conventions that a machine can check; `CONTRIBUTING.md` says them in words.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Files that may be longer than 500 lines, with the reason. May only shrink.
const LONG_FILES: &[(&str, &str)] = &[];

/// Functions that may be longer than 70 lines, with the reason. May only shrink.
const LONG_FUNCTIONS: &[(&str, &str)] = &[];

/// The only library files that may touch files, with what they open.
const DOORS: &[&str] = &[
    "compiler/src/loader.rs",
    "runtime/src/decode/checkpoint.rs",
    "runtime/src/vocabulary/store.rs",
    "sessions/src/http.rs",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below the crates' folders with this ending, by their path from the root.
fn files(ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let folders =
        "src compiler parser providers runtime sessions train bench fuzz tests".split_whitespace();
    for folder in folders {
        collect(&root().join(folder), ending, &mut found);
    }
    found.sort();
    assert!(!found.is_empty());
    found
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<(String, String)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                collect(&path, ending, found);
            }
        } else if path.extension().is_some_and(|own| own == ending) {
            let name = path.strip_prefix(root()).expect("below the root");
            let text = fs::read_to_string(&path).expect("readable");
            found.push((name.to_string_lossy().replace('\\', "/"), text));
        }
    }
}

fn is_test(name: &str) -> bool {
    name.starts_with("tests/") || name.contains("/tests/") || name.ends_with("/tests.rs")
}

/// The lines of a file before its unit tests.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    text[..end].lines().enumerate().map(|(at, line)| (at + 1, line))
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn a_file_says_its_one_idea_and_stays_short() {
    let mut faults = Vec::new();
    for (name, text) in files("rs") {
        let first = text.lines().next().unwrap_or_default();
        if !first.starts_with("//! ") && name != "build.rs" {
            faults.push(format!("{name}: the first line says no idea"));
        }
        let lines = text.lines().count();
        let listed = LONG_FILES.iter().any(|(long, _)| *long == name);
        if (lines > 500) != listed {
            faults.push(format!("{name}: {lines} lines, listed as long: {listed}"));
        }
        for (at, line) in text.lines().enumerate() {
            // A text that stands alone on its line cannot be broken.
            let text_alone = line.trim_start().starts_with(['"', 'r']);
            if line.chars().count() > 100 && !text_alone && !is_test(&name) {
                faults.push(format!("{name}:{}: longer than 100 characters", at + 1));
            }
        }
    }
    none(&faults);
}

#[test]
fn functions_stay_short() {
    let mut faults = Vec::new();
    for (name, text) in files("rs").into_iter().filter(|(name, _)| !is_test(name)) {
        let mut begun: Option<(usize, usize, String)> = None;
        for (at, line) in text.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let head = line.trim_start().trim_start_matches("pub(crate) ");
            let head = head.trim_start_matches("pub(super) ").trim_start_matches("pub ");
            if begun.is_none() && head.starts_with("fn ") {
                begun = Some((at, indent, head.to_owned()));
            }
            if let Some((from, own, head)) = &begun
                && indent == *own
                && line.trim_start().starts_with('}')
            {
                let listed = LONG_FUNCTIONS.iter().any(|(long, _)| head.contains(long));
                if at - from + 1 > 70 && !listed {
                    faults.push(format!("{name}:{}: {} lines", from + 1, at - from + 1));
                }
                begun = None;
            }
        }
    }
    none(&faults);
}

#[test]
fn names_of_libraries_stay_behind_their_doors() {
    let mut faults = Vec::new();
    for (name, text) in files("rs") {
        if is_test(&name) {
            continue;
        }
        let libraries = ["compiler/", "runtime/", "parser/", "providers/", "sessions/"];
        let library = libraries.iter().any(|folder| name.starts_with(folder));
        for (at, line) in code(&text) {
            let mut fault = |what: &str| faults.push(format!("{name}:{at}: {what}"));
            let comment = line.trim_start().starts_with("//");
            if comment {
                continue;
            }
            if (line.contains("use pest") || line.contains("pest_derive"))
                && name != "compiler/src/template/parse.rs"
            {
                fault("names pest");
            }
            if line.contains("candle_")
                && !name.starts_with("runtime/src/decode/")
                && !name.starts_with("train/")
            {
                fault("names candle");
            }
            let io =
                ["std::fs", "std::net", "std::env", "std::time", "println!", "print!(", "dbg!"];
            if library && io.iter().any(|io| line.contains(io)) && !DOORS.contains(&name.as_str()) {
                fault("does IO");
            }
            if line.contains("anyhow")
                || (library && line.contains(", String>") && line.contains("Result<"))
            {
                fault("has an error without a type");
            }
            if line.contains(".unwrap()") || line.contains("catch_unwind") {
                fault("may panic without saying why not");
            }
            if line.contains("TODO") || line.contains("FIXME") || line.contains("#[ignore") {
                fault("is left undone");
            }
        }
    }
    none(&faults);
}

#[test]
fn features_change_no_variant_and_no_arm() {
    let mut faults = Vec::new();
    for (name, text) in files("rs").into_iter().filter(|(name, _)| !is_test(name)) {
        let lines: Vec<&str> = text.lines().collect();
        for (at, pair) in lines.windows(2).enumerate() {
            let gated =
                pair[0].trim_start().starts_with("#[cfg(") && !pair[0].contains("cfg(test)");
            let item =
                ["mod ", "pub ", "use ", "fn ", "impl", "struct ", "#", "pub(crate)", "const "];
            if gated && !item.iter().any(|start| pair[1].trim_start().starts_with(start)) {
                faults.push(format!("{name}:{}: a feature changes a meaning", at + 2));
            }
        }
    }
    none(&faults);
}

/// No snapshot without a case, no case without a snapshot, and none that waits.
#[test]
fn snapshots_and_cases_belong_together() {
    let mut faults = Vec::new();
    for stage in ["language", "diagnostics", "warnings"] {
        let cases = names(&root().join("tests/cases").join(stage), ".jinja");
        let snapshots = names(&root().join("snapshots").join(stage), ".snap");
        for name in cases.symmetric_difference(&snapshots) {
            faults.push(format!("{stage}/{name}: a case without a snapshot, or the reverse"));
        }
        for name in &snapshots {
            let path = root().join("snapshots").join(stage).join(format!("{name}.snap"));
            let lines = fs::read_to_string(&path).expect("readable").lines().count();
            if lines > 60 {
                faults.push(format!("{stage}/{name}: {lines} lines do not fit on a screen"));
            }
        }
    }
    let catalog = names(&root().join("blueprints"), ".blueprint.jinja");
    // A family has one file, a proposal one for each target.
    let snapshots = names(&root().join("snapshots/catalog"), ".snap");
    for name in &snapshots {
        let (proposal, target) = name.rsplit_once('.').unwrap_or(("", ""));
        let of_proposal = ["ir", "regex", "xgrammar", "structural_tag"].contains(&target);
        if !catalog.contains(if of_proposal { proposal } else { name }) {
            faults.push(format!("catalog/{name}: belongs to no blueprint"));
        }
    }
    for name in catalog.iter().filter(|name| !name.starts_with("proposal_")) {
        if !snapshots.contains(name) {
            faults.push(format!("catalog/{name}: a family without a snapshot"));
        }
    }
    let mut waiting = Vec::new();
    collect(&root().join("snapshots"), "new", &mut waiting);
    faults.extend(waiting.into_iter().map(|(name, _)| format!("{name}: waits to be accepted")));
    none(&faults);
}

#[test]
fn every_code_has_a_case_with_carets() {
    let mut shown = String::new();
    for (stage, prefix) in [("diagnostics", "err_"), ("warnings", "warn_")] {
        let folder = root().join("snapshots").join(stage);
        for name in names(&folder, ".snap") {
            assert!(name.starts_with(prefix), "{name}");
            let text = fs::read_to_string(folder.join(format!("{name}.snap"))).expect("readable");
            // A context or a call that is none and a file that is no text have no place in a
            // template.
            let placeless = ["err_bad_context", "err_bad_call", "err_unreadable"];
            let carets = placeless.contains(&name.as_str()) || text.contains('^');
            assert!(carets, "{name} shows no carets");
            shown += &text;
        }
    }
    let missing: Vec<String> = blueprints::Code::all()
        .filter(|code| !shown.contains(code.as_str()))
        .map(|code| code.to_string())
        .collect();
    none(&missing);
}

/// The names of the files of a folder with this ending, without it.
fn names(folder: &Path, ending: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|_| panic!("no folder {}", folder.display()));
    let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    let names = paths.iter().filter_map(|path| path.file_name()?.to_str()?.strip_suffix(ending));
    names.map(str::to_owned).collect()
}
