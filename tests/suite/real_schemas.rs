//! Real schemas with a real vocabulary: each mask equals trying every token, and no shortcut of
//! the mask's computation leaves one out or lets one through.

use std::fs;
use std::sync::Arc;

use blueprints::{Ir, Limits, Program, SchemaOptions, TokenId, Tokenizer};
use serde_json::Value;

use crate::shared;
use crate::toy::Random;

const SETS: &[&str] = &[
    "Github_easy",
    "Github_medium",
    "Github_hard",
    "Kubernetes",
    "Snowplow",
    "Glaiveai2K",
    "JsonSchemaStore",
    "WashingtonPost",
    "Handwritten",
    "Synthesized",
];

/// Schemas with instances, some of each set.
fn cases(count: usize, random: &mut Random) -> Option<Vec<Value>> {
    let mut cases = Vec::new();
    for set in SETS {
        let path = shared::path(&format!("data/jsonschemabench/{set}.jsonl"))?;
        let text = fs::read_to_string(path).expect("readable");
        let lines: Vec<&str> = text.lines().collect();
        for _ in 0..count.div_ceil(SETS.len()) {
            let line = lines[random.below(lines.len())];
            cases.push(serde_json::from_str(line).expect("JSON"));
        }
    }
    Some(cases)
}

/// A longer run: `BLUEPRINTS_SCHEMAS=300`.
#[test]
fn masks_of_real_schemas_equal_trying_every_token() {
    let mut random = Random(21);
    let count = shared::number("BLUEPRINTS_SCHEMAS").unwrap_or(20);
    let Some(cases) = cases(count, &mut random) else { return };
    let Some(path) = shared::path("data/tokenizers/qwen3/tokenizer.json") else { return };
    let tokenizer = Tokenizer::from_json(&fs::read(path).expect("readable")).expect("reads");
    let (mut compiled, mut compared) = (0, 0);
    for case in &cases {
        let schema = Arc::new(case["schema"].clone());
        let Ok(ir) = Ir::schema(schema, SchemaOptions::default()) else { continue };
        let program = Program::compile_ir(&ir, tokenizer.vocabulary(), Limits::default());
        let Ok(program) = program else { continue };
        compiled += 1;
        for test in case["tests"].as_array().into_iter().flatten().take(2) {
            let text = test["data"].to_string();
            compared += instance(&program, &tokenizer, &text, &case["id"], &mut random);
        }
    }
    println!("{compared} masks compared, {compiled} of {} schemas compiled", cases.len());
    assert!(compared >= compiled);
}

/// Compares the masks of a few steps of a text, as far as it is right.
fn instance(
    program: &Program,
    tokenizer: &Tokenizer,
    text: &str,
    id: &Value,
    random: &mut Random,
) -> usize {
    let tokens = tokenizer.encode_continuation(text).expect("it can be spelled");
    let mut matcher = program.matcher();
    let mut compared = 0;
    let near = [0, tokens.len() / 2, tokens.len()];
    for (at, token) in tokens.iter().map(Some).chain([None]).enumerate() {
        if near.contains(&at) || random.below(40) == 0 {
            let expected = matcher.mask_by_trial().expect("within limits");
            let found = matcher.mask().expect("within limits");
            let differing: Vec<TokenId> = (0..found.width() as u32)
                .map(TokenId)
                .filter(|&token| found.contains(token) != expected.contains(token))
                .collect();
            let shown: Vec<String> = differing
                .iter()
                .take(5)
                .map(|&token| {
                    String::from_utf8_lossy(tokenizer.vocabulary().spelling(token)).into_owned()
                })
                .collect();
            let many = differing.len();
            assert!(many == 0, "{id} step {at} of {text}: {many} tokens differ, {shown:?}");
            compared += 1;
        }
        let Some(token) = token else { break };
        if matcher.accept(*token).is_err() {
            break;
        }
    }
    compared
}
