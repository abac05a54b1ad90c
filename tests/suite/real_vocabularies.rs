//! Real vocabularies: their tokens as bytes, and masks on sampled steps of real outputs against
//! the reference.

use std::fs;

use blueprints::{
    Blueprint, Catalog, Limits, Outline, Program, Token, TokenId, Tokenizer, Vocabulary,
};
use serde_json::{Value, json};

use crate::reference::Reference;
use crate::shared;

const TOKENIZERS: &[&str] =
    &["qwen3", "gpt-oss-o200k", "deepseek_v3", "mistral-tekken-v3-240911", "mistral-v3-spm32k"];

fn tokenizer(name: &str) -> Option<Tokenizer> {
    let path = shared::path(&format!("data/tokenizers/{name}/tokenizer.json"))?;
    Some(Tokenizer::from_json(&fs::read(path).expect("readable")).expect("a tokenizer"))
}

/// Texts with everything that tokenizers treat in their own ways.
const TEXTS: &[&str] = &[
    "Hello, world!",
    " leading and  double blanks\t\n\n  indented",
    "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Zürich\", \"n\": -1.5e10}}",
    "日本語と😀🏳️‍🌈 и кириллица",
    "don't 12345 <tool_call>\n</tool_call>",
];

#[test]
fn tokens_spell_exactly_the_text_they_came_from() {
    for name in TOKENIZERS {
        let Some(tokenizer) = tokenizer(name) else { continue };
        let vocabulary = tokenizer.vocabulary();
        assert!(vocabulary.single_bytes()[..0x80].iter().all(|&found| found), "{name}");
        for text in TEXTS {
            let tokens = tokenizer.encode_continuation(text).expect("it can be spelled");
            let spelled: Vec<u8> =
                tokens.iter().flat_map(|&id| vocabulary.spelling(id)).copied().collect();
            assert_eq!(String::from_utf8_lossy(&spelled), *text, "{name}");
        }
    }
}

/// A special token's spelling is that token wherever it stands, as the tokenizer itself has it.
#[test]
fn spelled_special_tokens_are_those_tokens_whatever_stands_beside_them() {
    let Some(tokenizer) = tokenizer("mistral-v3-spm32k") else { return };
    let vocabulary = tokenizer.vocabulary();
    let stop = vocabulary.special_id("</s>").expect("it is special");
    for text in ["</s>", "a</s>", "\"x></s>\"", "\"a </s>\"", "\"</s>b\"", "<<//s></s></s>"] {
        let tokens = tokenizer.encode_continuation(text).expect("it can be spelled");
        let found = tokens.iter().filter(|&&id| id == stop).count();
        assert_eq!(found, text.matches("</s>").count(), "{text}");
        let spelled: Vec<u8> =
            tokens.iter().flat_map(|&id| vocabulary.spelling(id)).copied().collect();
        assert_eq!(String::from_utf8_lossy(&spelled), text);
    }
}

fn weather() -> Value {
    json!({ "tools": [
        { "type": "function", "function": { "name": "get_weather", "parameters": {
            "type": "object",
            "properties": {
                "city": { "type": "string" },
                "unit": { "enum": ["celsius", "fahrenheit"] },
                "days": { "type": "array", "items": { "type": "integer" }, "maxItems": 40 },
            },
            "required": ["city"],
            "additionalProperties": false,
        } } },
        { "type": "function", "function": { "name": "now", "parameters": { "type": "object" } } },
    ], "tool_choice": "required" })
}

fn outlines() -> Vec<(Outline, &'static str)> {
    let hermes = Catalog::builtin().get("hermes").expect("it is in the catalog");
    let think = Blueprint::from_str("<think>\n{{ anything() }}\n</think>\n{{ s | json_schema }}")
        .expect("a template");
    let s = json!({ "s": { "type": "string", "maxLength": 300 } });
    vec![
        (
            hermes.outline(weather()).expect("bound"),
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Zürich\", \
             \"unit\": \"celsius\", \"days\": [1, 22]}}\n</tool_call>\n<tool_call>\n{\"name\": \
             \"now\", \"arguments\": {\"a\": [true]}}\n</tool_call><|im_end|>",
        ),
        (
            think.outline(s).expect("bound"),
            "<think>\na <b> </thin\n\nok\n</think>\n\"\\u00e9t\u{e9} 日本\"",
        ),
    ]
}

/// Sampled steps of real outputs: every token of the vocabulary is tried on the reference.
#[test]
fn masks_equal_the_reference_on_sampled_steps() {
    let Some(tokenizer) = tokenizer("qwen3") else { return };
    let vocabulary = tokenizer.vocabulary();
    let sorted = sorted(vocabulary);
    for (outline, text) in outlines() {
        let program = Program::compile(&outline, vocabulary, Limits::default()).expect("compiles");
        let mut matcher = program.matcher();
        let mut reference = Reference::new(outline.ir(), vocabulary);
        let tokens = tokenizer.encode_continuation(text).expect("it can be spelled");
        let mut compared = 0;
        for (step, &token) in tokens.iter().enumerate() {
            let mask = matcher.mask().expect("within limits");
            assert!(mask.contains(token), "step {step}: {:?}", vocabulary.spelling(token));
            if step % 9 == 4 {
                let expected = alive(&reference, vocabulary, &sorted);
                let found: Vec<TokenId> = mask.iter().collect();
                assert_eq!(found.len(), expected.len(), "step {step}");
                assert!(found == expected, "step {step}");
                compared += 1;
            }
            matcher.accept(token).expect("the mask allows it");
            reference = reference.after(token);
        }
        assert!(matcher.is_accepting() && reference.is_accepting());
        assert!(compared >= 2, "{compared} masks compared");
    }
}

/// The tokens with bytes in the order of their bytes.
fn sorted(vocabulary: &Vocabulary) -> Vec<(Vec<u8>, TokenId)> {
    let ids = (0..vocabulary.width() as u32).map(TokenId);
    let mut sorted: Vec<(Vec<u8>, TokenId)> = ids
        .filter(|&id| matches!(vocabulary.token(id), Token::Bytes(_)))
        .map(|id| (vocabulary.bytes(id).to_vec(), id))
        .collect();
    sorted.sort();
    sorted
}

/// The tokens that the reference can read, tried in the order of their bytes so that what two
/// neighbours share is read once.
fn alive(
    reference: &Reference<'_>,
    vocabulary: &Vocabulary,
    sorted: &[(Vec<u8>, TokenId)],
) -> Vec<TokenId> {
    let mut found: Vec<TokenId> = vocabulary
        .special_tokens()
        .map(|(_, id)| id)
        .filter(|&id| reference.after(id).is_alive())
        .collect();
    let mut path: Vec<(u8, Reference<'_>)> = Vec::new();
    for (bytes, id) in sorted {
        let shared = path.iter().zip(bytes).take_while(|((byte, _), next)| byte == *next).count();
        path.truncate(shared);
        for &byte in &bytes[shared..] {
            let before = path.last().map_or(reference, |(_, reference)| reference);
            if !before.is_alive() {
                break;
            }
            let next = before.after_byte(byte);
            path.push((byte, next));
        }
        let read = path.len() == bytes.len() && path.iter().all(|(_, after)| after.is_alive());
        if read {
            found.push(*id);
        }
    }
    found.sort();
    found
}
