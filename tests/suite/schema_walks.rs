//! Random walks through the masks of real schemas end in instances that the oracle accepts.
//!
//! `BLUEPRINTS_WALKS` asks for more walks, over `BLUEPRINTS_WALKED` schemas.

use std::fs;
use std::sync::Arc;

use blueprints::{
    Ir, Limits, Matcher, Order, Program, SchemaOptions, TokenId, TokenMask, Tokenizer, Whitespace,
};
use serde_json::Value;

use super::shared;
use super::toy::Random;

/// At most so many tokens are taken as they come; from then on the walk goes the shortest way.
const FREE: usize = 60;

/// How a walk ended.
enum End {
    Text(String),
    /// The way to the end is too long to be found.
    Lost(String),
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

fn walk(program: &Program, tokenizer: &Tokenizer, random: &mut Random) -> End {
    let mut matcher = program.matcher();
    let mut bytes = Vec::new();
    let mut take = |matcher: &mut Matcher, token: TokenId| {
        let mask = matcher.mask().expect("within limits");
        assert!(mask.contains(token), "the way to the end is in the masks");
        matcher.accept(token).expect("the mask has it");
        bytes.extend_from_slice(tokenizer.vocabulary().spelling(token));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let mut text = String::new();
    for _ in 0..random.below(FREE) {
        let mask = matcher.mask().expect("within limits").clone();
        match any(&mask, random) {
            Some(token) => text = take(&mut matcher, token),
            None if matcher.is_accepting() => break,
            None => return End::Stuck(text),
        }
    }
    let end = match matcher.shortest_end() {
        Ok(end) => end,
        Err(error) => return End::Lost(format!("{error} after {text}")),
    };
    for token in end.tokens {
        text = take(&mut matcher, token);
    }
    if matcher.is_accepting() { End::Text(text) } else { End::Stuck(text) }
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
    let wanted = shared::number("BLUEPRINTS_WALKED").unwrap_or(12);
    let walks = shared::number("BLUEPRINTS_WALKS").unwrap_or(36);
    let mut random = Random(5);
    let (mut walked, mut ended) = (0, 0);
    let (mut wrong, mut lost): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
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
            match walk(&program, &tokenizer, &mut random) {
                End::Lost(text) => lost.push(format!("{}: {text}", case["id"])),
                End::Stuck(text) => wrong.push(format!("{}: nothing follows {text}", case["id"])),
                End::Text(text) => {
                    ended += 1;
                    let value: Value = serde_json::from_str(&text).expect("JSON");
                    // SMTP bounds the part before `@` (RFC 5321, 4.5.3.1.1), and so does the oracle;
                    // the grammar of a mailbox, which is what the format says, does not.
                    let long = |error: &jsonschema::ValidationError<'_>| {
                        let text = error.instance().as_str().and_then(|text| text.split_once('@'));
                        error.to_string().ends_with("is not a \"email\"")
                            && text.is_some_and(|(local, _)| local.len() > 64)
                    };
                    if let Err(error) = oracle.validate(&value)
                        && !long(&error)
                    {
                        wrong.push(format!("{}: {text}: {error}", case["id"]));
                    }
                }
            }
        }
    }
    println!(
        "{walked} schemas, {ended} walks ended, {} ways were too long to be found",
        lost.len()
    );
    println!("{}", lost.iter().take(40).cloned().collect::<Vec<_>>().join("\n"));
    let shown = wrong.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} wrong:\n{shown}", wrong.len());
    assert!(lost.is_empty(), "the way to the end is found");
}
