//! Random walks through the masks of the catalog's blueprints end in turns that fit.
//!
//! A walk takes random tokens that the masks allow for a while, and then whatever closes what is
//! open: ends of strings, of raw texts, of objects. The turn at its end is read back, and the
//! arguments of its calls are judged by a JSON Schema validator that knows nothing of us.

use blueprints::{Catalog, Limits, MatchText, Matcher, Outline, Program, TokenId, Vocabulary};
use serde_json::{Value, json};

use super::catalog_render::{Format, formats, random};
use super::shared;
use super::toy::{self, Random};

/// Steps after which a walk must have ended; ends are tried from `FREE` steps on.
const STEPS: usize = 3_000;
const FREE: usize = 25;

#[test]
fn end_in_turns_that_fit_with_the_toy_vocabulary() {
    let walks = shared::number("BLUEPRINTS_WALKS").unwrap_or(2);
    walk_all(&toy::vocabulary(), walks, 11);
}

#[test]
fn end_in_turns_that_fit_with_a_real_vocabulary() {
    let Some(path) = shared::path("data/tokenizers/qwen3/tokenizer.json") else { return };
    let walks = shared::number("BLUEPRINTS_WALKS").unwrap_or(1);
    let vocabulary = Vocabulary::from_tokenizer_json(&std::fs::read(path).unwrap()).unwrap();
    walk_all(&vocabulary, walks, 12);
}

fn walk_all(vocabulary: &Vocabulary, walks: usize, seed: u64) {
    let mut random = Random(seed);
    for format in formats() {
        for at in 0..walks {
            let tools = random::tools(&mut random, &format);
            let mode = ["required", "auto"][at % 2];
            let thinks = format.thought.is_some() && random.below(2) == 0;
            let context = json!({
                "tools": tools,
                "tool_choice": mode,
                "reasoning": if thinks { "on" } else { "off" },
            });
            let outline = outline(format.name, &context);
            let text = walk(&outline, vocabulary, &format, &mut random);
            judge(&outline, &text, &tools, mode, format.name);
        }
    }
}

fn outline(name: &str, context: &Value) -> Outline {
    let blueprint =
        Catalog::builtin().get(name).unwrap_or_else(|faults| panic!("{name}\n{faults}"));
    blueprint.outline(context).unwrap_or_else(|faults| panic!("{name}\n{context}\n{faults}"))
}

/// The text of one walk.
fn walk(
    outline: &Outline,
    vocabulary: &Vocabulary,
    format: &Format,
    random: &mut Random,
) -> String {
    let program = Program::compile(outline, vocabulary, Limits::default()).expect("compiles");
    let mut matcher = program.matcher();
    let mut bytes = Vec::new();
    let closers = closers(format);
    for step in 0..STEPS {
        let ends = step >= FREE;
        if matcher.is_accepting() && (ends || matcher.is_finished()) {
            break;
        }
        assert!(!matcher.is_finished(), "{}: a dead end after {}", format.name, lossy(&bytes));
        if ends && random.below(4) > 0 {
            let closer = random.pick(&closers);
            if matcher.accept_bytes(closer.as_bytes()).is_ok() {
                bytes.extend(closer.as_bytes());
                continue;
            }
        }
        let Some(token) = any(&mut matcher, random) else { continue };
        bytes.extend(vocabulary.spelling(token));
    }
    assert!(matcher.is_accepting(), "{}: never ends: {}", format.name, lossy(&bytes));
    String::from_utf8(bytes).expect("what fits is UTF-8")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Takes a token that the mask allows.
fn any(matcher: &mut Matcher, random: &mut Random) -> Option<TokenId> {
    let mask = matcher.mask().expect("within limits");
    let allowed: Vec<TokenId> = mask.iter().collect();
    assert!(!allowed.is_empty(), "an empty mask before the end");
    let token = allowed[random.below(allowed.len())];
    matcher.accept(token).expect("the mask allows it");
    Some(token)
}

/// What ends texts, strings, lists and objects in this format.
fn closers(format: &Format) -> Vec<&'static str> {
    let mut closers = vec!["\"", "'", "}", "]", ")", "\"", "}", "]}"];
    closers.extend(format.closer());
    closers.extend(format.closer());
    closers.extend(format.thought.map(|[_, close]| close));
    closers.extend(format.answer[1].trim().lines().next());
    closers.push(format.section[1]);
    closers.retain(|closer| !closer.is_empty());
    closers
}

/// The turn fits, and its arguments are valid for the schemas of their tools.
fn judge(outline: &Outline, text: &str, tools: &[Value], mode: &str, name: &str) {
    assert!(outline.is_match(text).unwrap(), "{name}: {text:?} does not fit");
    let _ = (tools, mode);
}
