//! `blueprint request`: fields on standard output, everything else on standard error.

use serde_json::{Value, json};

use super::command::Folder;
use super::shared;

const SCHEMA: &str = r#"{"type": "object", "properties": {"a": {"type": "string", "maxLength": 5}},
    "required": ["a"]}"#;

#[test]
fn a_schema_a_choice_and_a_blueprint_become_fields() {
    let folder = Folder::new("request_fields");
    folder
        .write("schema.json", SCHEMA)
        .write("body.json", r#"{"output_config": {"effort": "low"}}"#);
    let choice = r#"{"kind": "choice", "choices": ["yes", "no"]}"#;
    let template = "{% choice %}{% option %}no{% endoption %}{% option %}yes{% endoption %}\
        {% endchoice %}!";
    let cases: &[(&[&str], &[&str], &[&str])] = &[
        (
            &["openai_chat", "--schema", "schema.json", "--name", "one"],
            &["\"name\": \"one\"", "\"additionalProperties\": false", "\"maxLength\": 5"],
            &["answer: {\"at\":\"choices[0].message.content\"}"],
        ),
        (
            &[
                "anthropic",
                "--schema",
                "schema.json",
                "--on-unsupported",
                "describe",
                "--body",
                "body.json",
            ],
            &["\"effort\": \"low\"", "\"description\": \"{maxLength: 5}\""],
            &["warning: keyword_moved_to_description:maxLength at /properties/a"],
        ),
        (&["vllm", "--intent", choice], &["\"structured_outputs\"", "\"yes\""], &["answer"]),
        (&["sglang", "--intent", choice], &["\"regex\": \"(yes|no)\""], &["answer"]),
        (&["vllm", "-e", template], &["\"structural_tag\"", "\"const_string\""], &["answer"]),
        (&["tgi_generate", "-e", template], &["\"type\": \"regex\""], &["generated_text"]),
        (
            &[
                "ollama",
                "--intent",
                r#"{"kind": "grammar", "syntax": "gbnf", "grammar": "root ::= \"a\""}"#,
                "--on-unsupported",
                "degrade",
            ],
            &["{}"],
            &["warning: degraded_to_prompt:grammar", "prompt: Answer with a text of this grammar"],
        ),
        (
            &["anthropic", "--schema", "schema.json", "--model", "claude-3-5-haiku-20241022"],
            &["\"input_schema\"", "\"tool_choice\""],
            &["loss: json_schema at /: older models", "content[type=tool_use].input"],
        ),
    ];
    for (arguments, stdout, stderr) in cases {
        let arguments: Vec<&str> = ["request"].iter().chain(*arguments).copied().collect();
        folder.check(&arguments, 0, stdout, stderr);
        let run = folder.run(&arguments);
        serde_json::from_str::<Value>(&run.stdout).expect("the fields alone are on stdout");
    }
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    let folder = Folder::new("request_refused");
    folder.write("schema.json", SCHEMA).write("body.json", r#"{"format": "json"}"#);
    folder.write("facts.json", r#"{"provider": "ollama", "formats": 3}"#);
    let cases: &[(&[&str], &str)] = &[
        (
            &["gemini", "--schema", "schema.json"],
            "gemini.ignored_keyword maxLength at /properties/a",
        ),
        (
            &["nobody", "--schema", "schema.json"],
            "there is no provider `nobody`; known are openai_chat",
        ),
        (&[], "no provider; known are openai_chat"),
        (&["ollama"], "nothing is wanted"),
        (&["ollama", "--intent", "{\"kind\": \"song\"}"], "`kind` must be"),
        (&["ollama", "--intent", "{\"kind\": \"text\", \"x\": 1}"], "has no `x`"),
        (
            &["ollama", "--schema", "schema.json", "--body", "body.json"],
            "the body says \"json\" at /format",
        ),
        (&["ollama", "--schema", "schema.json", "--facts", "facts.json"], "are not of the form"),
        (&["ollama", "-e", "{% repeat %}a"], "<template>:1:1"),
    ];
    for (arguments, stderr) in cases {
        let arguments: Vec<&str> = ["request"].iter().chain(*arguments).copied().collect();
        folder.check(&arguments, 2, &[], &[stderr]);
    }
}

#[test]
fn facts_of_the_callers_own_change_and_add_providers() {
    let folder = Folder::new("request_facts");
    folder.write("schema.json", SCHEMA);
    folder.write(
        "groq.json",
        json!({
            "provider": "groq", "extends": "openai_chat", "family": "groq", "title": "Groq",
            "schema": { "extends": "openai", "limits": { "depth": 1 } },
            "formats": { "regex": null },
        })
        .to_string(),
    );
    let own = ["request", "groq", "--facts", "groq.json"];
    let with = |more: &[&'static str]| -> Vec<&str> { own.iter().chain(more).copied().collect() };
    folder.check(&with(&["--schema", "schema.json"]), 0, &["response_format"], &[]);
    let regex = r#"{"kind": "regex", "pattern": "a"}"#;
    folder.check(&with(&["--intent", regex]), 2, &[], &["groq.unsupported regex"]);
    let matrix = folder.run(&["request", "--matrix", "--facts", "groq.json"]);
    assert!(matrix.stdout.contains("| Groq |") && matrix.stdout.contains("As of 20"), "{matrix:?}");
}

#[test]
fn the_matrix_has_every_provider_and_its_date() {
    let run = Folder::new("request_matrix").run(&["request", "--matrix"]);
    assert_eq!(run.code, 0, "{run:?}");
    let columns: Vec<usize> = run
        .stdout
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.replace("\\|", "").matches('|').count())
        .collect();
    assert!(columns.len() > 20 && columns.iter().all(|count| *count == columns[0]), "{columns:?}");
    for name in ["`openai_chat`", "`gemini_interactions`", "`llamacpp_completion`", "2026-11-30"] {
        assert!(run.stdout.contains(name), "{name}: {}", run.stdout);
    }
}

#[test]
fn all_cases_are_equal_on_the_command_line() {
    let Some(path) = shared::path("data/providers/cases.jsonl") else { return };
    let folder = Folder::new("request_cases");
    let run = folder.run(&["request", "--cases", path.to_str().expect("a name")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (summary, cases) = lines.split_last().expect("a summary");
    assert_eq!(summary["summary"]["equal"], summary["summary"]["cases"], "{summary}");
    assert_eq!(summary["summary"]["cases"], json!(cases.len()));
    for line in cases {
        assert!(line["id"].is_string() && line["warnings"].is_array(), "{line}");
        assert_ne!(line.get("fields").is_some(), line.get("error").is_some(), "{line}");
    }
}
