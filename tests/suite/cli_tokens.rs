//! The commands `match` and `mask` by the tokens of a tokenizer.

use serde_json::{Map, Value, json};

use super::command::Folder;
use super::shared;

/// A tokenizer of single bytes, some longer tokens and one special token.
pub(crate) fn tokenizer() -> String {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let mut others = '\u{100}'..='\u{1FF}';
    let alphabet = (0..=u8::MAX).map(|byte| match printable(byte) {
        true => char::from(byte),
        false => others.next().unwrap(),
    });
    let mut vocabulary: Map<String, Value> =
        alphabet.zip(0..).map(|(character, id)| (character.to_string(), json!(id))).collect();
    let merges = [["a", "b"], ["ab", "ab"], ["n", "o"], ["\u{10A}", "\u{10A}"]];
    for (pair, id) in merges.iter().zip(256..) {
        vocabulary.insert(pair.concat(), json!(id));
    }
    let level = json!({ "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true });
    let special = json!({
        "id": 300, "content": "<|im_end|>", "special": true, "single_word": false,
        "lstrip": false, "rstrip": false, "normalized": false,
    });
    json!({
        "version": "1.0",
        "added_tokens": [special],
        "pre_tokenizer": level,
        "decoder": level,
        "model": { "type": "BPE", "vocab": vocabulary, "merges": merges },
    })
    .to_string()
}

#[test]
fn match_follows_the_tokens() {
    let folder = Folder::new("match_tokens");
    folder.write("tokenizer.json", tokenizer());
    let repeat = "{% repeat min=1 max=3 %}ab{% endrepeat %}<|im_end|>";
    let free = "{{ anything(until='\\n\\n') }}\n\n!";
    let cases: &[(&str, &str, i32, &[&str])] = &[
        (repeat, "ab<|im_end|>", 0, &[]),
        (repeat, "abab", 0, &[]),
        (repeat, "ababab", 0, &[]),
        (repeat, "", 1, &["byte 0, 1:1: the tokens end here", "expected `ab`"]),
        (
            repeat,
            "abababab",
            1,
            &["byte 6, 1:7: expected", "byte 4, 1:5: token 2 of 2 (id 257, `abab`)"],
        ),
        (repeat, "ab<|im_end|>ab", 1, &["token 3 of 3"]),
        (repeat, "ab<|im_end|><|im_end|>", 1, &["special token 3 of 3 (id 300, `<|im_end|>`)"]),
        (free, "a\nb\n\n!", 0, &[]),
        (free, "\n\n!", 0, &[]),
        (free, "é\n\n\n!", 1, &["expected `!`"]),
        // Data never means a special token.
        ("{{ \"<|im_end|>\" }}", "<|im_end|>", 1, &["special token 1 of 1"]),
    ];
    for (template, text, code, stderr) in cases {
        let arguments = ["match", "-e", template, text, "--tokenizer", "tokenizer.json"];
        folder.check(&arguments, *code, &[], stderr);
    }
}

#[test]
fn broken_tokenizers_are_refused_by_name() {
    let folder = Folder::new("broken_tokenizer");
    let whole = tokenizer();
    folder.write("torn.json", &whole[..whole.len() / 2]).write("empty.json", "");
    folder.write("list.json", "[1]").write("none.json", "{}");
    folder.write("words.json", "{\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"a\": 0}}}");
    folder.write("huge.json", whole.replace("\"id\":300", "\"id\":99999999999"));
    folder.write("negative.json", whole.replace("\"id\":300", "\"id\":-1"));
    folder.write("merges.json", whole.replace("[\"ab\",\"ab\"]", "[\"ab\",\"zz\"]"));
    for (file, part) in [
        ("torn.json", "torn.json: "),
        ("empty.json", "empty.json: "),
        ("list.json", "list.json: "),
        ("none.json", "none.json: "),
        ("words.json", "WordLevel"),
        ("huge.json", "99999999999"),
        ("negative.json", "negative.json: "),
        ("merges.json", "merges.json: "),
        ("nowhere.json", "nowhere.json: No such file"),
        (".", "Is a directory"),
    ] {
        for command in ["match", "mask"] {
            let arguments = [command, "-e", "ab", "ab", "--tokenizer", file];
            folder.check(&arguments, 2, &[], &["error: ", part]);
        }
    }
    folder.write("few.json", whole.replace("\"é\":", "\"éé\":"));
    let few = ["match", "-e", "{{ anything() }}", "ab", "--tokenizer", "few.json"];
    folder.check(&few, 2, &[], &["<template>: the vocabulary has no token for byte 0xE9"]);
}

#[test]
fn mask_prints_a_line_for_each_token() {
    let folder = Folder::new("mask");
    folder.write("tokenizer.json", tokenizer());
    let template = "{% repeat min=1 %}ab{% endrepeat %}\t!<|im_end|>";
    let text = "abab\t!<|im_end|>";
    let arguments = ["mask", "-e", template, text, "--tokenizer", "tokenizer.json"];
    let run = folder.run(&arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split('\t').collect()).collect();
    let known: Vec<(&str, &str, &str)> = rows.iter().map(|row| (row[0], row[1], row[3])).collect();
    let expected = [
        ("abab", "3", "ab"),
        ("\\t", "4", ""),
        ("!", "1", "!<|im_end|>"),
        ("<|im_end|>", "1", "<|im_end|>"),
    ];
    assert_eq!(known, expected);
    assert!(rows.iter().all(|row| row.len() == 4 && row[2].parse::<f64>().is_ok()), "{rows:?}");

    let run = folder.run(&[&arguments[..], &["--format", "json"]].concat());
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["id"], 257);
    assert_eq!(lines[0]["allowed"], 3);
    assert!(lines[0]["us"].as_f64().is_some_and(|us| us >= 0.0));

    let run = folder.run(&["mask", "-e", "ab", "ac", "--tokenizer", "tokenizer.json"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("byte 1, 1:2: token 2 of 2 (id 99, `c`) may not come next"));
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
}

#[test]
fn schemas_hold_by_bytes_and_by_the_tokens_of_real_tokenizers() {
    let folder = Folder::new("schema_tokens");
    folder.write(
        "schema.json",
        r#"{"type": "object", "properties": {
            "city": {"type": "string", "minLength": 2, "maxLength": 8},
            "unit": {"enum": ["celsius", "fahrenheit"]},
            "days": {"type": "array", "items": {"type": "integer"}, "maxItems": 3}
        }, "required": ["city"], "additionalProperties": false}"#,
    );
    let by_both = [
        ("{\"city\":\"Zürich\",\"unit\":\"celsius\",\"days\":[1,-20,300]}", 0),
        ("{\n  \"city\": \"東京 🗼\"\n}", 0),
        ("{\"city\": \"Ouagadougou\"}", 1),
        ("{\"city\": \"Oslo\", \"days\": [1, 2, 3, 4]}", 1),
        ("{\"city\": \"Oslo\"", 1),
    ];
    let by_bytes = [
        ("{\"city\": \"Oslo\"}", 0),
        ("{\"city\": \"\\u00c5l\", \"days\": []}", 0),
        ("{\"city\": \"O\"}", 1),
        ("{\"city\": \"Oslo\", \"unit\": \"kelvin\"}", 1),
        ("{\"city\": \"Oslo\", \"days\": [1.5]}", 1),
        ("{\"city\": \"Oslo\", \"more\": 1}", 1),
        ("{\"city\": \"Oslo\"}}", 1),
        (" {\"city\": \"Oslo\"}", 1),
        ("{}", 1),
        ("", 1),
    ];
    let names = ["qwen3", "mistral-v3-spm32k"];
    let files = names.map(|name| shared::path(&format!("data/tokenizers/{name}/tokenizer.json")));
    let base = ["match", "-e", "{{ schema | json_schema }}", "--schema", "schema.json"];
    for (text, code) in by_both.iter().chain(&by_bytes) {
        folder.check(&[&base[..], &[*text]].concat(), *code, &[], &[]);
    }
    // Reading a real tokenizer takes its time, so not every text.
    for (text, code) in by_both {
        for file in files.iter().flatten() {
            let tokens = [text, "--tokenizer", file.to_str().unwrap()];
            folder.check(&[&base[..], &tokens].concat(), code, &[], &[]);
        }
    }
}
