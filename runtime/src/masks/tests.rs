//! Masks with their shortcuts are those of trying every token, and hold the language.

use std::sync::Arc;

use blueprints_compiler::{Ir, SchemaOptions};

use crate::{Limits, Program, Token, TokenId, Vocabulary};

const WORDS: &[&str] = &[
    "ab", "12", "3-", "-4", "{\"", "\"}", "\": ", "\":", "\", \"", "\",", "[\"", "\"]", "extra",
    "ordinar", "ily", "long", "name", "a\"", "\\u00", "\\u", "6", "é", "日", "1\"", "  ", "true",
    "tr", "ue}",
];

fn vocabulary() -> Vocabulary {
    let mut tokens: Vec<Token> = (0..=u8::MAX).map(|byte| Token::Bytes([byte].into())).collect();
    tokens.extend(WORDS.iter().map(|word| Token::Bytes(word.as_bytes().into())));
    tokens.push(Token::Bytes([0xE6, 0x97].into()));
    Vocabulary::new(tokens).expect("there are tokens")
}

fn program(schema: &str, vocabulary: &Vocabulary) -> Program {
    let order = [("order".to_owned(), "any".into())];
    let options = SchemaOptions::from_arguments(&order).expect("an option");
    let schema = serde_json::from_str(schema).expect("JSON");
    let ir = Ir::schema(Arc::new(schema), options).expect("a schema");
    Program::compile_ir(&ir, vocabulary, Limits::default()).expect("compiles")
}

/// Whether `text` is read to an end, comparing masks on the way with trying every token.
fn reads(program: &Program, text: &str) -> bool {
    let mut matcher = program.matcher();
    let mut left = text.as_bytes();
    loop {
        let mask = matcher.mask().expect("within limits").clone();
        let tried = matcher.mask_by_trial().expect("within limits");
        assert_eq!(mask, tried, "{text} before {:?}", String::from_utf8_lossy(left));
        // Longer tokens and single bytes by turns.
        let whole = left.len() & 1 == 0;
        let word = WORDS.iter().position(|word| whole && left.starts_with(word.as_bytes()));
        let (id, length) = match (word, left.first()) {
            (Some(at), _) => (256 + at as u32, WORDS[at].len()),
            (None, Some(&byte)) => (u32::from(byte), 1),
            (None, None) => return matcher.is_accepting(),
        };
        if matcher.accept(TokenId(id)).is_err() {
            return false;
        }
        left = &left[length..];
    }
}

fn check(schema: &str, accepted: &[&str], refused: &[&str]) {
    let vocabulary = vocabulary();
    let program = program(schema, &vocabulary);
    accepted.iter().for_each(|text| assert!(reads(&program, text), "{schema}: {text}"));
    refused.iter().for_each(|text| assert!(!reads(&program, text), "{schema}: {text}"));
}

#[test]
fn a_pattern_that_is_looked_for_anywhere() {
    check(
        r#"{"type": "string", "pattern": "[0-9]{2}-[0-9]"}"#,
        &[r#""ab12-4""#, r#""123-45é日""#, r#""1-12-4\n12""#, r#""日12-6  ab""#],
        &[r#""""#, r#""ab12-""#, r#""1-2""#, r#""12 -4""#],
    );
}

#[test]
fn long_words_that_begin_alike() {
    let schema = r#"{"enum": ["extraordinarily long", "extraordinarily long name", "extra",
        "日本日本日本日本日本日本"]}"#;
    check(
        schema,
        &[
            r#""extraordinarily long""#,
            r#""extraordinarily long name""#,
            r#""extr\u0061""#,
            r#""extraordinarily lon\u0067 name""#,
            r#""日本日本日本日本日本日本""#,
        ],
        &[r#""extraordinarily""#, r#""extraordinarily long nam""#, r#""日本日本日本日本日本""#],
    );
}

#[test]
fn words_in_a_counted_loop() {
    let schema = r#"{"type": "array", "maxItems": 2,
        "items": {"enum": ["extraordinarily long", "extraordinarily"]}}"#;
    check(
        schema,
        &[r#"["extraordinarily", "extraordinarily long"]"#, "[]"],
        &[r#"["extraordinarily", "extraordinarily", "extraordinarily"]"#, r#"["extra"]"#],
    );
}

#[test]
fn keys_with_like_values() {
    let schema = r#"{"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "extraordinarily_long_key": {"type": "boolean"},
        "extra": {"type": "string"}, "12": {"type": "boolean"}}}"#;
    let accepted = [
        r#"{"name": "ab"}"#,
        r#"{"12": true, "extra": "a", "name": "12"}"#,
        r#"{"other": 12, "extraordinarily_long_key": true, "n\u0061me": ""}"#,
    ];
    let refused = [
        r#"{"extra": "ab"}"#,
        r#"{"name": "ab", "name": "ab"}"#,
        r#"{"name": true}"#,
        r#"{"name": "a", "extraordinarily_long_key": "a"}"#,
    ];
    check(schema, &accepted, &refused);
    let closed = schema.replace("\"required\"", "\"additionalProperties\": false, \"required\"");
    check(&closed, &accepted[..2], &[&refused[..], &accepted[2..]].concat());
}

#[test]
fn characters_counted_near_their_bounds() {
    let schema = r#"{"type": "string", "minLength": 2, "maxLength": 6, "pattern": "^[a-z0-9-]+$"}"#;
    check(schema, &[r#""ab""#, r#""12-4ab""#], &[r#""a""#, r#""12-4abc""#, r#""a b""#]);
}

#[test]
fn words_and_characters_counted_at_once() {
    let pattern = r#""pattern": "^(?:[^ ]+ +){0,2}[^ ]+$""#;
    let schema = format!(r#"{{"type": "string", "minLength": 3, "maxLength": 60, {pattern}}}"#);
    let name = "extraordinarily".repeat(4);
    let accepted =
        [r#""ab 12 日6""#.to_owned(), format!("\"{name}\""), r#""a\u00e9 12""#.to_owned()];
    let refused = [r#""a b ab 12""#.to_owned(), format!("\"{name}6\""), r#""ab""#.to_owned()];
    check(
        &schema,
        &accepted.each_ref().map(String::as_str),
        &refused.each_ref().map(String::as_str),
    );
}

#[test]
fn host_names_of_any_length() {
    let schema = r#"{"type": "array", "items": {"format": "hostname", "type": "string"}}"#;
    let long = format!(r#"["{}", "{}.12"]"#, "ab".repeat(31), "a".repeat(63));
    let longer = format!(r#"["{}.12"]"#, "a".repeat(64));
    check(schema, &[&long, r#"["xn--9n2bp8q.ab"]"#], &[&longer, r#"["ab..12"]"#]);
}

#[test]
fn names_near_their_most_length() {
    let pattern = "^[a-z0-9](?:[a-z0-9-]{0,40}[a-z0-9])?$";
    let schema = format!(r#"{{"type": "string", "pattern": "{pattern}"}}"#);
    let (long, longer) =
        (format!("\"{}12\"", "ab".repeat(20)), format!("\"{}123\"", "ab".repeat(20)));
    check(&schema, &[&long, r#""ab3-4""#], &[&longer, r#""ab3-""#, r#""ab_4""#]);
}

#[test]
fn few_letters_a_few_times() {
    let schema = r#"{"type": "array", "items": {"pattern": "^[0-9a-f]{3,9}$", "type": "string"}}"#;
    let blanks = |count: usize| format!("[{}\"12ab\"]", " ".repeat(count));
    check(
        schema,
        &[r#"["12ab",  "ab612ab61" ]"#, r#"["6ab"]"#, &blanks(7), "[]"],
        &[r#"["ab612ab612"]"#, r#"["ab"]"#, r#"["long"]"#],
    );
    let most = (1..300).take_while(|&count| reads_to_end(schema, &blanks(count))).count();
    assert!((1..299).contains(&most), "{most} blanks");
}

fn reads_to_end(schema: &str, text: &str) -> bool {
    let vocabulary = vocabulary();
    let program = program(schema, &vocabulary);
    let mut matcher = program.matcher();
    text.bytes().all(|byte| matcher.accept(TokenId(u32::from(byte))).is_ok())
        && matcher.is_accepting()
}
