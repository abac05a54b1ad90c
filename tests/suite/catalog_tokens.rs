//! The catalog by tokens: masks of real vocabularies allow every token of the texts that fit, the
//! special ones by what they are, and never one of those inside a JSON string.

use std::collections::BTreeMap;
use std::fs;

use blueprints::{Catalog, Limits, Program, TokenId, Tokenizer};
use serde_json::Value;

use crate::shared;

/// Tokenizers, and the families whose own they are or that take the same tokens.
const FAMILIES: &[(&str, &[&str])] = &[
    ("qwen3", &["hermes", "qwen2_5", "qwen3", "qwq", "mimo_vl", "intern_s1"]),
    ("deepseek_v3", &["deepseek_v3", "deepseek_v3_1"]),
    ("gpt-oss-o200k", &["harmony", "harmony_role_recipient"]),
    ("mistral-tekken-v3-240911", &["mistral_v3", "mistral_v3_no_id", "mistral_v11"]),
    ("mistral-v3-spm32k", &["mistral_v3", "mistral_v3_no_id"]),
];

/// What the cases write before a delimiter that stands inside a string.
const BEFORE_INNER: &str = "see ";

fn tokenizer(name: &str) -> Option<Tokenizer> {
    let path = shared::path(&format!("data/tokenizers/{name}/tokenizer.json"))?;
    Some(Tokenizer::from_json(&fs::read(path).expect("readable")).expect("a tokenizer"))
}

/// The tokens of `text`. A delimiter inside of a string is cut in two, so that it is bytes.
fn tokens(tokenizer: &Tokenizer, text: &str) -> Vec<TokenId> {
    let cut = text.find(BEFORE_INNER).map_or(text.len(), |at| at + BEFORE_INNER.len() + 1);
    let at = (0..=cut).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (head, tail) = text.split_at(at);
    let mut tokens = Vec::new();
    for part in [head, tail] {
        tokens.extend(tokenizer.encode_continuation(part).expect("it can be spelled"));
    }
    tokens
}

fn context(case: &Value, mode: &Value) -> Value {
    let mut context = case["settings"].clone();
    context["tools"] = case["tools"].clone();
    context["tool_choice"] = mode.clone();
    context
}

#[test]
fn masks_allow_the_tokens_of_texts_that_fit() {
    let Some(path) = shared::path("data/toolcalls/cases.jsonl") else { return };
    let text = fs::read_to_string(path).expect("readable");
    let cases: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let catalog = Catalog::builtin();
    let mut walked = 0;
    for (name, families) in FAMILIES {
        let Some(tokenizer) = tokenizer(name) else { continue };
        let mut programs: BTreeMap<String, Program> = BTreeMap::new();
        for case in cases.iter().filter(|case| case["valid"] == true) {
            let family = case["blueprint"].as_str().expect("it has one");
            if !families.contains(&family) {
                continue;
            }
            for mode in case["settings"]["tool_choice"].as_array().expect("modes") {
                let context = context(case, mode);
                let program = programs.entry(format!("{family} {context}")).or_insert_with(|| {
                    let blueprint = catalog.get(family).expect("it is in the catalog");
                    let outline = blueprint.outline(&context).expect("bound");
                    Program::compile(&outline, tokenizer.vocabulary(), Limits::default())
                        .expect("compiles")
                });
                walk(&tokenizer, program, case);
                walked += 1;
            }
        }
    }
    assert!(walked > 60 || shared::path("data/tokenizers").is_none(), "{walked}");
}

/// Goes through the text of `case` and its stop token.
fn walk(tokenizer: &Tokenizer, program: &Program, case: &Value) {
    let output = case["output"].as_str().expect("it has a text");
    let stop = case["eos"].as_str().and_then(|stops| stops.split(" / ").next()).expect("a stop");
    let ended = ["<|call|>", "<|return|>"].iter().any(|stop| output.ends_with(stop));
    let text = if ended { output.to_owned() } else { format!("{output}{stop}") };
    let mut matcher = program.matcher();
    let vocabulary = tokenizer.vocabulary();
    let mut before = String::new();
    for token in tokens(tokenizer, &text) {
        let id = &case["id"];
        let spelled = String::from_utf8_lossy(vocabulary.spelling(token)).into_owned();
        let mask = matcher.mask().expect("within limits");
        assert!(mask.contains(token), "{id}: {spelled:?} after {before:?} in {text:?}");
        if before.ends_with(BEFORE_INNER.trim_end()) && case["scenario"] == "delimiter_in_string" {
            let inside = ["<|end|>", "<|call|>", "<|im_end|>", "[ARGS]", "</s>"];
            let specials = inside.iter().filter_map(|name| vocabulary.special_id(name));
            for special in specials {
                assert!(!mask.contains(special), "{id}: a special token inside a string");
            }
        }
        matcher.accept(token).expect("the mask has it");
        before.push_str(&spelled);
    }
    assert!(matcher.is_accepting() || matcher.is_finished(), "{}: {text:?}", case["id"]);
}
