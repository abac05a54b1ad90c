//! Random walks through the masks of the catalog's blueprints end in turns that fit.
//!
//! A walk takes random tokens that the masks allow, and then the shortest way to the end. The turn
//! is read back, and the arguments of its calls are judged by a JSON Schema validator that knows
//! nothing of us.

use blueprints::{
    Catalog, Limits, MatchText, Matcher, Outline, ParseText, Program, TokenId, Vocabulary,
};
use serde_json::{Value, json};

use super::catalog_render::{formats, random};
use super::shared;
use super::toy::{self, Random};

/// The most random steps of a walk.
const STEPS: usize = 40;

#[test]
fn walks_with_the_toy_vocabulary_end_in_turns_that_fit() {
    let walks = shared::number("BLUEPRINTS_WALKS").unwrap_or(1);
    walk_all(&toy::vocabulary(), walks, 11);
}

#[test]
fn walks_with_a_real_vocabulary_end_in_turns_that_fit() {
    let Some(path) = shared::path("data/tokenizers/qwen3/tokenizer.json") else { return };
    let walks = shared::number("BLUEPRINTS_WALKS").unwrap_or(1);
    let vocabulary = Vocabulary::from_tokenizer_json(&std::fs::read(path).unwrap()).unwrap();
    walk_all(&vocabulary, walks, 12);
}

fn walk_all(vocabulary: &Vocabulary, walks: usize, seed: u64) {
    let mut random = Random(seed);
    for format in formats() {
        for _ in 0..walks {
            let tools = random::tools(&mut random, &format);
            let thinks = format.thought.is_some() && random.below(2) == 0;
            let mode = ["required", "auto"][random.below(2)];
            let context = json!({
                "tools": tools,
                "tool_choice": mode,
                "reasoning": if thinks { "on" } else { "off" },
            });
            let outline = outline(format.name, &context);
            let text = walk(&outline, vocabulary, &mut random);
            let fits = outline.is_match(&text).unwrap();
            let at = format!("{}\n{context}\n{text:?}", format.name);
            assert!(fits, "{at}\ndoes not fit");
            judge(&outline, &text, &tools, mode == "required", &at);
        }
    }
}

fn outline(name: &str, context: &Value) -> Outline {
    let blueprint =
        Catalog::builtin().get(name).unwrap_or_else(|faults| panic!("{name}\n{faults}"));
    blueprint.outline(context).unwrap_or_else(|faults| panic!("{name}\n{context}\n{faults}"))
}

/// The text of one walk.
fn walk(outline: &Outline, vocabulary: &Vocabulary, random: &mut Random) -> String {
    let program = Program::compile(outline, vocabulary, Limits::default()).expect("compiles");
    let mut matcher = program.matcher();
    let mut bytes = Vec::new();
    for _ in 0..random.below(STEPS) {
        let Some(token) = any(&mut matcher, random) else { break };
        bytes.extend(vocabulary.spelling(token));
    }
    if !matcher.is_stopped() {
        for token in matcher.shortest_end().expect("within limits").tokens {
            matcher.accept(token).expect("it leads to the end");
            bytes.extend(vocabulary.spelling(token));
        }
    }
    assert!(matcher.is_accepting(), "{}", String::from_utf8_lossy(&bytes));
    String::from_utf8(bytes).expect("what fits is UTF-8")
}

/// Takes a token that the mask allows; none after the end.
fn any(matcher: &mut Matcher, random: &mut Random) -> Option<TokenId> {
    if matcher.is_stopped() || matcher.is_finished() {
        return None;
    }
    let allowed: Vec<TokenId> = matcher.mask().expect("within limits").iter().collect();
    assert!(!allowed.is_empty(), "an empty mask before the end");
    let token = allowed[random.below(allowed.len())];
    matcher.accept(token).expect("the mask allows it");
    Some(token)
}

/// What is read has calls if there must be some, and only of tools that are there, with arguments
/// that are valid for their schemas.
fn judge(outline: &Outline, text: &str, tools: &[Value], required: bool, at: &str) {
    let parsed = outline.parse(text).unwrap_or_else(|fault| panic!("{at}\n{fault}"));
    let read = parsed.calls().unwrap_or_else(|fault| panic!("{at}\n{fault}")).to_value();
    let calls = read["tool_calls"].as_array().cloned().unwrap_or_default();
    assert!(!required || !calls.is_empty(), "{at}\nhas no call");
    for call in calls {
        let functions = tools.iter().map(|tool| tool.get("function").unwrap_or(tool));
        let mut named = functions.filter(|function| function["name"] == call["name"]);
        let function = named.next().unwrap_or_else(|| panic!("{at}\n{call} is of no tool"));
        let schema = function.get("parameters").cloned().unwrap_or(json!({ "maxProperties": 0 }));
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let fault = validator.validate(&call["arguments"]).err();
        assert!(
            fault.is_none(),
            "{at}\n{call}\n{}",
            fault.map(|fault| fault.to_string()).unwrap_or_default()
        );
    }
}
