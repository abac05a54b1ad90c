//! The command `schema`: one line for each case and a summary, by bytes and by tokens.

use serde_json::{Value, json};

use super::cli_tokens::tokenizer;
use super::command::Folder;

/// The lines of a run, which ends well.
fn lines(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    let run = folder.run(arguments);
    assert_eq!(run.code, 0, "{run:#?}");
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn cases() -> String {
    let days = json!({
        "id": "days",
        "schema": {
            "properties": { "days": { "type": "integer", "maximum": 7 }, "city": {} },
            "required": ["days"],
        },
        "tests": [
            { "data": { "days": 3, "city": "é" }, "valid": true },
            { "data": { "days": 8 }, "valid": false },
            { "data": { "days": 8 }, "valid": true },
        ],
    });
    let none = json!({
        "id": "none",
        "schema": { "type": "string", "minLength": 2, "maxLength": 1 },
        "tests": [{ "data": "", "valid": false }],
    });
    let refused = json!({
        "id": "refused",
        "schema": { "items": { "format": "regex" } },
        "tests": [{ "data": [], "valid": true }],
    });
    [days, none, refused].map(|case| case.to_string()).join("\n")
}

#[test]
fn each_case_has_a_line_and_all_have_a_summary() {
    let folder = Folder::new("schema");
    folder.write("cases.jsonl", cases()).write("tokenizer.json", tokenizer());
    for arguments in [
        &["schema", "cases.jsonl"][..],
        &["schema", "cases.jsonl", "--spaces"],
        &["schema", "cases.jsonl", "--tokenizer", "tokenizer.json", "--order", "declared"],
    ] {
        let lines = lines(&folder, arguments);
        let [days, none, refused, summary] = lines.as_slice() else { panic!("{lines:#?}") };
        assert_eq!((&days["id"], &days["right"]), (&json!("days"), &json!(2)));
        let wrong = &days["wrong"][0];
        assert_eq!((&wrong["test"], &wrong["got"]), (&json!(2), &json!(false)), "{wrong}");
        assert_eq!(none["error"]["code"], "unsatisfiable");
        assert_eq!(none["right"], 1, "that nothing is valid is an answer");
        assert_eq!(refused["error"]["code"], "unsupported");
        assert_eq!(refused["error"]["pointer"], "/items/format");
        let summary = &summary["summary"];
        assert_eq!((&summary["schemas"], &summary["compiled"]), (&json!(3), &json!(1)));
        assert_eq!((&summary["right"], &summary["wrong"]), (&json!(3), &json!(1)));
        assert_eq!(summary["answered"], 2, "one compiles, one has no values");
        assert_eq!(summary["valid_refused"], 1);
    }
}

#[test]
fn a_wrong_refusal_says_where_and_what_could_come() {
    let folder = Folder::new("schema_places");
    folder.write("cases.jsonl", cases());
    let lines = lines(&folder, &["schema", "cases.jsonl"]);
    let wrong = &lines[0]["wrong"][0];
    assert_eq!((&wrong["at"], &wrong["pointer"]), (&json!(8), &json!("/days")), "{wrong}");
    assert!(wrong["could_be"].is_string(), "{wrong}");
}

#[test]
fn texts_beside_the_instances_are_answered_too() {
    let folder = Folder::new("schema_variants");
    folder.write("cases.jsonl", cases());
    let lines = lines(&folder, &["schema", "cases.jsonl", "--variants"]);
    let variants = &lines[0]["variants"];
    for kind in ["escaped", "spread", "numbers", "repeated", "cut", "trailing"] {
        assert!(variants[kind].as_u64() > Some(0), "{kind}: {variants}");
    }
    let wrong = lines[0]["wrong"].as_array().expect("a list");
    let of_texts = wrong.iter().filter(|wrong| !wrong["variant"].is_null());
    // The third test says that what is invalid is valid, and so of its other spellings.
    assert!(of_texts.into_iter().all(|wrong| wrong["test"] == 2), "{wrong:#?}");
}

#[test]
fn what_is_no_case_is_an_error() {
    let folder = Folder::new("schema_bad");
    folder.write("a.jsonl", "{}").write("b.jsonl", "nope");
    folder.write("c.jsonl", "{\"schema\":true,\"tests\":[{\"valid\":true}]}");
    folder.check(&["schema", "a.jsonl"], 2, &[], &["a.jsonl:1", "no `schema`"]);
    folder.check(&["schema", "b.jsonl"], 2, &[], &["b.jsonl:1"]);
    folder.check(&["schema", "c.jsonl"], 2, &[], &["no `data`"]);
    folder.check(&["schema", "absent.jsonl"], 2, &[], &["absent.jsonl"]);
}
