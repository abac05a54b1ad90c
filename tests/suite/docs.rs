//! The examples of the book: each template with its context, texts, printed form or problem.
//!
//! A block that begins with ```` ```jinja ```` is a template. Blocks behind it belong to it:
//! `json context`, `json accepts` and `json rejects` (lists of texts), `json parses` and
//! `json calls` (what the first accepted text is read as), `text ir`, and `text error` or
//! `text warning` (a code).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use blueprints::{Blueprint, Catalog, Limits, Outline, ParseText, Recogniser, Verdict};
use serde_json::Value;

/// The blocks of one file: what stands behind the fence, the line, and the text.
fn blocks(text: &str) -> Vec<(String, usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some((_, _, body)), _) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, Some(info)) => open = Some((info.to_owned(), number + 1, String::new())),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

struct Example {
    place: String,
    template: String,
    about: BTreeMap<String, String>,
}

fn examples() -> Vec<Example> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the book has a folder")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    files.sort();
    let mut examples: Vec<Example> = Vec::new();
    for file in files {
        let name = file.file_name().expect("named").to_string_lossy().into_owned();
        for (info, line, body) in blocks(&fs::read_to_string(&file).expect("readable")) {
            if info == "jinja" {
                let place = format!("{name}:{line}");
                examples.push(Example { place, template: body, about: BTreeMap::new() });
            } else if let (Some(example), Some((_, kind))) =
                (examples.last_mut(), info.split_once(' '))
            {
                assert!(example.place.starts_with(&name), "{name}:{line} belongs to no template");
                let twice = example.about.insert(kind.to_owned(), body);
                assert!(twice.is_none(), "{name}:{line}: a second {kind}");
            }
        }
    }
    examples
}

impl Example {
    fn json(&self, kind: &str) -> Option<Value> {
        let text = self.about.get(kind)?;
        let place = &self.place;
        Some(serde_json::from_str(text).unwrap_or_else(|error| panic!("{place} {kind}: {error}")))
    }

    fn texts(&self, kind: &str) -> Vec<String> {
        let list = self.json(kind).unwrap_or_else(|| panic!("{} has no {kind}", self.place));
        serde_json::from_value(list).expect("a list of texts")
    }

    fn check(&self) {
        let place = &self.place;
        let context = self.json("context").unwrap_or_default();
        let found = Blueprint::from_string_with_loader(self.template.clone(), Catalog::builtin())
            .and_then(|blueprint| blueprint.outline(context));
        if let Some(code) = self.about.get("error") {
            let faults = found.map(|outline| outline.to_string()).expect_err(place);
            assert!(faults.iter().any(|f| f.code.as_str() == code.trim()), "{place}\n{faults}");
            return;
        }
        let outline = found.unwrap_or_else(|faults| panic!("{place}\n{faults}"));
        if let Some(code) = self.about.get("warning") {
            let doubts = outline.warnings();
            assert!(doubts.iter().any(|f| f.code.as_str() == code.trim()), "{place}\n{doubts}");
            return;
        }
        if let Some(ir) = self.about.get("ir") {
            assert_eq!(outline.to_string(), ir.trim_end(), "{place}");
        }
        let mut recogniser = Recogniser::new(outline.ir(), Limits::default()).expect("compiles");
        let mut fits = |text: &str| recogniser.check(text).expect("within limits");
        for text in self.texts("accepts") {
            assert_eq!(fits(&text), Verdict::Matches, "{place} must accept {text:?}");
        }
        let rejected = self.texts("rejects");
        assert!(!rejected.is_empty(), "{place} rejects nothing");
        for text in rejected {
            assert_ne!(fits(&text), Verdict::Matches, "{place} must reject {text:?}");
        }
        self.check_reading(&outline);
    }

    /// What the first accepted text is read as.
    fn check_reading(&self, outline: &Outline) {
        let place = &self.place;
        let Some(text) = self.texts("accepts").into_iter().next() else { return };
        for kind in ["parses", "calls"] {
            let Some(expected) = self.json(kind) else { continue };
            let parsed = outline.parse(&text).unwrap_or_else(|error| panic!("{place}: {error}"));
            let found = match kind {
                "parses" => parsed.value(),
                _ => parsed.calls().expect("calls have names").to_value(),
            };
            assert_eq!(found, expected, "{place} {kind}");
        }
    }
}

#[test]
fn examples_of_the_book_hold() {
    let examples = examples();
    examples.iter().for_each(Example::check);
    let recipes = examples.iter().filter(|one| one.place.starts_with("cookbook.md")).count();
    assert!(examples.len() > 30 && recipes == 12, "{} {recipes}", examples.len());
}

/// The constructs that a template can have are all in the book.
#[test]
fn the_book_tells_of_every_code_that_it_names() {
    for code in blueprints::Code::all() {
        let explanation = code.explanation();
        assert!(!explanation.text.is_empty(), "{code}");
        if explanation.example.is_empty() {
            continue;
        }
        let context = serde_json::json!({ "yes": true });
        let found = Blueprint::from_str(explanation.example)
            .and_then(|blueprint| blueprint.outline(context))
            .map(|outline| outline.warnings().clone());
        let (Ok(found) | Err(found)) = found;
        assert!(found.iter().any(|f| f.code == code), "{code}: {}\n{found}", explanation.example);
    }
}
