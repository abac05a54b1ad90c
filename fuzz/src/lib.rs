//! What must hold whatever the input is: no panic, no dead end, a mask that keeps its word.
//!
//! Each target takes bytes. Broken input must be refused with an error; what is taken must behave.

mod corpus;
mod play;
mod vocabulary;

use std::sync::{Arc, OnceLock};

use blueprints_compiler::{Blueprint, Ir, SchemaOptions};
use blueprints_runtime::{Limits, Program, TokenId, Vocabulary};

pub use corpus::{Corpus, corpus};

/// A target: its name, and what it does with bytes. It answers whether the input was taken.
pub type Target = (&'static str, fn(&[u8]) -> bool);

/// All targets.
pub const TARGETS: [Target; 4] = [
    ("grammar", grammar),
    ("schema", schema),
    ("tokenizer_json", tokenizer_json),
    ("tokens", tokens),
];

/// Small bounds, so that an input that asks for much is refused soon.
fn limits() -> Limits {
    Limits {
        nodes_max: 100_000,
        states_max: 20_000,
        frames_max: 20_000,
        items_max: 2_000,
        forced_bytes_max: 2_000,
        ..Limits::default()
    }
}

/// The bytes before and after the first zero byte: the input proper, and what decides the walk.
fn parts(data: &[u8]) -> (&[u8], &[u8]) {
    let at = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    (&data[..at], data.get(at + 1..).unwrap_or_default())
}

fn vocabulary() -> &'static Vocabulary {
    static VOCABULARY: OnceLock<Vocabulary> = OnceLock::new();
    VOCABULARY.get_or_init(vocabulary::small)
}

/// A template, or the printed form of an `Ir`: parsed, bound, compiled and walked.
pub fn grammar(data: &[u8]) -> bool {
    let (text, walk) = parts(data);
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let ir = match text.strip_prefix("ir:") {
        Some(printed) => match Ir::read(printed) {
            Ok(ir) => ir,
            Err(_) => return false,
        },
        None => {
            let context = serde_json::json!({
                "s": { "type": "object", "properties": { "a": { "type": "integer" } } },
                "list": ["no", "not sure"], "name": "x\"</think>",
            });
            let Ok(blueprint) = Blueprint::from_str(text) else { return false };
            let Ok(outline) = blueprint.outline(context) else { return false };
            outline.ir().clone()
        }
    };
    let printed = ir.to_string();
    match Ir::read(&printed) {
        Ok(again) => assert_eq!(again, ir, "{printed} reads back as another"),
        Err(error) => panic!("{printed} does not read back: {error}"),
    }
    let Ok(program) = Program::compile_ir(&ir, vocabulary(), limits()) else { return false };
    play::walk(&program, walk);
    true
}

/// A JSON Schema: read, compiled and walked; where the text may end, it is JSON.
pub fn schema(data: &[u8]) -> bool {
    let (text, walk) = parts(data);
    let Ok(source) = serde_json::from_slice(text) else { return false };
    let mut options = SchemaOptions::default();
    if let Some(choice) = walk.first() {
        let order = ["declared", "any"][usize::from(choice % 2)];
        let whitespace = ["flexible", "compact", "spaced"][usize::from(choice / 2 % 3)];
        let named = [("order", order), ("whitespace", whitespace)];
        let named = named.map(|(name, value)| (name.to_owned(), serde_json::Value::from(value)));
        options = SchemaOptions::from_arguments(&named).unwrap_or_default();
    }
    let Ok(ir) = Ir::schema(Arc::new(source), options) else { return false };
    let Ok(program) = Program::compile_ir(&ir, vocabulary(), limits()) else { return false };
    let text = play::walk(&program, walk);
    if let Some(text) = text {
        let parsed = serde_json::from_slice::<serde_json::Value>(&text);
        assert!(parsed.is_ok(), "no JSON: {}", String::from_utf8_lossy(&text));
    }
    true
}

/// A `tokenizer.json`: read, indexed, and one mask computed.
pub fn tokenizer_json(data: &[u8]) -> bool {
    let Ok(vocabulary) = Vocabulary::from_tokenizer_json(data) else { return false };
    if vocabulary.width() > 100_000 {
        return false;
    }
    vocabulary.prepare();
    // What a vocabulary cannot spell is no program, so the language is of its own tokens, of those
    // whose bytes are tokens too.
    let ids = (0..vocabulary.width().min(64) as u32).map(TokenId);
    let spelled: Vec<&[u8]> = ids.map(|id| vocabulary.spelling(id)).collect();
    let alone = |byte: &u8| spelled.contains(&std::slice::from_ref(byte));
    let whole = spelled.iter().filter(|bytes| !bytes.is_empty() && bytes.iter().all(alone));
    let texts = whole.filter_map(|bytes| std::str::from_utf8(bytes).ok()).map(Ir::text);
    let ir = Ir::repeat(Ir::choice(texts), 1, None, None);
    let Ok(program) = Program::compile_ir(&ir, &vocabulary, limits()) else { return false };
    let mut matcher = program.matcher();
    if let (Ok(trial), Ok(mask)) = (matcher.mask_by_trial(), matcher.mask()) {
        assert_eq!(trial, *mask);
    }
    true
}

/// What a caller does with a matcher, under a handful of languages.
pub fn tokens(data: &[u8]) -> bool {
    static PROGRAMS: OnceLock<Vec<Program>> = OnceLock::new();
    let programs = PROGRAMS.get_or_init(|| corpus::programs(vocabulary(), limits()));
    if let Some((&choice, rest)) = data.split_first()
        && let Some(program) = programs.get(usize::from(choice) % programs.len().max(1))
    {
        play::calls(program, rest);
        return true;
    }
    false
}
