//! Texts of models, each with what its family's blueprint must make of it.

use serde_json::Value;

use super::command::Folder;
use crate::shared;

#[test]
fn every_case_of_a_family_comes_out_right() {
    let Some(cases) = shared::path("data/toolcalls/cases.jsonl") else { return };
    let cases = cases.canonicalize().unwrap();
    let folder = Folder::new("catalog_cases");
    let names = folder.run(&["catalog", "list", "--names"]).stdout;
    let mut arguments = vec!["catalog", "check", "--cases", cases.to_str().unwrap()];
    for name in names.lines().filter(|name| !name.starts_with("proposal_")) {
        arguments.extend(["--only", name]);
    }
    arguments.extend(["--split", "every"]);
    let run = folder.run(&arguments);
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wrong = lines.iter().filter(|line| line["right"] == false && line["lenient"] == false);
    let wrong: Vec<String> = wrong.map(Value::to_string).collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), run.stderr);
    let summary = &lines.last().unwrap()["summary"];
    assert_eq!((run.code, summary["wrong"].as_u64()), (0, Some(0)), "{summary}");
    assert!(summary["checks"].as_u64().unwrap() > 1_000, "{summary}");
    // Each line says where a text fails, or that it fits.
    for line in lines.iter().filter(|line| line["summary"].is_null()) {
        let placed = line["at"].is_u64() && line["expected"].is_string();
        assert!(line["matched"] == true || placed, "{line}");
    }
}

#[test]
fn lenient_reads_what_models_write_beside_the_format() {
    let folder = Folder::new("catalog_lenient");
    let tools = serde_json::json!([
        { "name": "load", "parameters": {} },
        { "name": "save", "parameters": { "properties": { "a": { "type": "integer" } } } },
    ]);
    folder.write("tools.json", tools.to_string());
    let texts = [
        ("hermes", "<tool_call>{\"name\": \"load\", \"arguments\": {}}</tool_call><|im_end|>"),
        ("qwen3", "<tool_call>{\"name\": \"load\", \"arguments\": {}}\n</tool_call><|im_end|>"),
        ("llama_3_json", "{\"name\": \"load\", \"arguments\": {}}<|eot_id|>"),
        ("llama_3_python_tag", "<|python_tag|>{\"name\": \"load\", \"arguments\": {}}<|eom_id|>"),
        ("mistral_v11", "[TOOL_CALLS]load {}</s>"),
        ("qwen3_coder", "<function=load>\n</function><|im_end|>"),
        ("qwen3_coder", "<function=load>\n</function>\n</tool_call><|im_end|>"),
    ];
    for (name, text) in texts {
        for choice in ["auto", "required"] {
            let asked = format!("tool_choice={choice}");
            let context = ["--tools", "tools.json", "--set", &asked];
            let strict = [&["parse", name, text, "--calls"][..], &context].concat();
            let run = folder.run(&strict);
            let told = run.stdout.contains("\"name\":\"load\"");
            assert!(!told, "{name} {choice}: {run:?}");
            let run = folder.run(&[&strict[..], &["--json", "lenient=true"]].concat());
            let read: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
            assert_eq!(read["tool_calls"][0]["name"], "load", "{name} {choice}: {run:?}");
        }
    }
}

#[test]
fn a_case_that_comes_out_wrong_is_told() {
    let folder = Folder::new("catalog_cases_wrong");
    let case = |id: &str, valid: bool, output: &str| {
        serde_json::json!({
            "id": id, "blueprint": "hermes", "valid": valid, "output": output, "tools": [],
            "settings": { "tool_choice": ["auto", "none"] },
        })
        .to_string()
    };
    let cases = [case("1", true, "Hi."), case("2", false, "Hi."), case("3", true, "<tool_call>")];
    folder.write("cases.jsonl", cases.join("\n"));
    let run = folder.run(&["catalog", "check", "--cases", "cases.jsonl", "--split", "every"]);
    assert_eq!(run.code, 1, "{run:?}");
    let summary: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    let counts = (&summary["summary"]["checks"], &summary["summary"]["wrong"]);
    assert_eq!(counts, (&Value::from(6), &Value::from(4)), "{run:?}");
    assert!(run.stderr.contains("2 (auto), 2 (none), 3 (auto), 3 (none)"), "{run:?}");
}

#[test]
fn a_folder_is_compiled_with_the_matrix_and_compared() {
    let folder = Folder::new("catalog_check_folder");
    folder.write("own/tide.blueprint.jinja", "{#\nFamily: Tide\n#}\n{% extends \"hermes\" %}");
    folder.check(&["catalog", "check", "own"], 0, &[], &["tide"]);
    folder.check(&["catalog", "check", "own", "--update"], 0, &[], &[]);
    folder.check(&["catalog", "check", "own"], 0, &[], &["tide"]);
    folder.write(
        "own/tide.blueprint.jinja",
        "{#\nFamily: Tide\n#}\n{% extends \"hermes\" %}{% block stop %}.{% endblock %}",
    );
    folder.check(&["catalog", "check", "own"], 1, &[], &["tide.txt has changed"]);
    folder.write("own/bad.blueprint.jinja", "{# #}{{ tools[0].function.name }}");
    folder.check(&["catalog", "check", "own", "--only", "bad"], 1, &[], &["bad, empty parameters"]);
    folder.write("own/plain.blueprint.jinja", "a");
    folder.check(&["catalog", "check", "own", "--only", "plain"], 0, &[], &["no family"]);
    folder.check(&["catalog", "check", "nowhere"], 2, &[], &["nowhere"]);
    folder.check(&["catalog", "check", "own", "--only", "foam"], 2, &[], &["`foam`"]);
}
