//! Random walks through the masks of real schemas end in instances that the oracle accepts.
//!
//! `BLUEPRINTS_WALKS` asks for more walks, over `BLUEPRINTS_WALKED` schemas.

use std::fs;
use std::sync::Arc;

use blueprints::{
    Ir, Limits, Order, Program, SchemaOptions, TokenId, TokenMask, Tokenizer, Whitespace,
};
use serde_json::Value;

use super::shared;
use super::toy::Random;

/// So many tokens are taken as they come; from then on those that end something go first.
const FREE: usize = 60;
/// A walk that takes more tokens is given up.
const LONGEST: usize = 4_000;

/// Tokens that end a value, or lead on to the next one.
const CLOSERS: [&str; 12] =
    ["\"", "}", "]", "\"}", "\"]", ",", ":", "\",", "\":", "0", "1", "true"];

/// How a walk ended.
enum End {
    Text(String),
    Unfinished,
    Stuck(String),
}

/// One of the tokens of the mask.
fn any(mask: &TokenMask, random: &mut Random) -> Option<TokenId> {
    let words = mask.words();
    let first = random.below(words.len());
    let order = (first..words.len()).chain(0..first);
    let at = order.into_iter().find(|at| words[*at] != 0)?;
    let bits: Vec<u32> = (0..32).filter(|bit| words[at] >> bit & 1 == 1).collect();
    Some(TokenId(at as u32 * 32 + bits[random.below(bits.len())]))
}

fn walk(program: &Program, tokenizer: &Tokenizer, random: &mut Random, closers: &[TokenId]) -> End {
    let mut matcher = program.matcher();
    let mut bytes = Vec::new();
    for step in 0..LONGEST {
        let over = matcher.is_accepting();
        let mask = matcher.mask().expect("within limits").clone();
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        if over && (mask.count() == 0 || step > FREE || random.below(3) == 0) {
            return End::Text(String::from_utf8(bytes).expect("tokens make characters"));
        }
        let closing: Vec<TokenId> =
            closers.iter().copied().filter(|id| mask.contains(*id)).collect();
        let close = if step > FREE { random.below(8) > 0 } else { random.below(3) == 0 };
        let token = match closing.as_slice() {
            // The first one ends a string, inside which the others would end nothing.
            [first, ..] if close && step > 4 * FREE => Some(*first),
            [_, ..] if close => Some(closing[random.below(closing.len())]),
            _ => any(&mask, random),
        };
        let Some(token) = token else { return End::Stuck(text()) };
        matcher.accept(token).expect("the mask has it");
        bytes.extend_from_slice(tokenizer.vocabulary().spelling(token));
    }
    End::Unfinished
}

/// Schemas of the bench from all sets, in an order that mixes them.
fn schemas() -> Option<Vec<Value>> {
    let folder = shared::path("data/jsonschemabench")?;
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    let mut all: Vec<(usize, Value)> = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "jsonl")) {
        let text = fs::read_to_string(file).expect("readable");
        let count = text.lines().count();
        // What stands at one part of its file goes together.
        all.extend(text.lines().enumerate().map(|(at, line)| {
            (at * 7_919 % count * 100_000 / count, serde_json::from_str(line).expect("JSON"))
        }));
    }
    all.sort_by_key(|(place, _)| *place);
    Some(all.into_iter().map(|(_, case)| case).collect())
}

#[test]
fn walks_end_in_what_the_oracle_accepts() {
    let Some(cases) = schemas() else { return };
    let Some(path) = shared::path("data/tokenizers/qwen3/tokenizer.json") else { return };
    let tokenizer = Tokenizer::from_json(&fs::read(path).expect("readable")).expect("reads");
    let closers: Vec<TokenId> = CLOSERS
        .iter()
        .filter_map(|text| {
            let ids = tokenizer.encode_continuation(text).ok()?;
            (ids.len() == 1).then(|| ids[0])
        })
        .collect();
    let wanted = shared::number("BLUEPRINTS_WALKED").unwrap_or(12);
    let walks = shared::number("BLUEPRINTS_WALKS").unwrap_or(36);
    let mut random = Random(5);
    let (mut walked, mut ended, mut unfinished) = (0, 0, 0);
    let mut wrong: Vec<String> = Vec::new();
    for case in &cases {
        if walked == wanted {
            break;
        }
        let source = &case["schema"];
        let options = SchemaOptions {
            order: Order::Any,
            whitespace: Whitespace::Compact,
            ..SchemaOptions::default()
        };
        let Ok(ir) = Ir::schema(Arc::new(source.clone()), options) else { continue };
        let oracle = jsonschema::options().should_validate_formats(true).build(source);
        let Ok(oracle) = oracle else { continue };
        let program = Program::compile_ir(&ir, tokenizer.vocabulary(), Limits::default());
        let Ok(program) = program else { continue };
        walked += 1;
        for _ in 0..walks.div_ceil(wanted) {
            match walk(&program, &tokenizer, &mut random, &closers) {
                End::Unfinished => unfinished += 1,
                End::Stuck(text) => wrong.push(format!("{}: nothing follows {text}", case["id"])),
                End::Text(text) => {
                    ended += 1;
                    let value: Value = serde_json::from_str(&text).expect("JSON");
                    if let Err(error) = oracle.validate(&value) {
                        wrong.push(format!("{}: {text}: {error}", case["id"]));
                    }
                }
            }
        }
    }
    println!("{walked} schemas, {ended} walks ended, {unfinished} were given up");
    let shown = wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} wrong:\n{shown}", wrong.len());
    assert!(ended * 10 >= ended + unfinished, "some walks end");
}
