//! Texts that come as tokens: special ones by id, their spelling in other tokens as text.

use blueprints_compiler::{Blueprint, Ir};
use blueprints_parser::{ParseError, ParseOptions, Parsed, Parser};
use blueprints_runtime::{Token, TokenId, Vocabulary};
use serde_json::json;

fn vocabulary() -> Vocabulary {
    let mut tokens: Vec<Token> = (0..=255_u8).map(|byte| Token::Bytes([byte].into())).collect();
    tokens.push(Token::Special("<|call|>".into()));
    tokens.push(Token::Special("<|end|>".into()));
    Vocabulary::new(tokens).expect("sound").with_stop_tokens(&[END])
}

const CALL: TokenId = TokenId(256);
const END: TokenId = TokenId(257);

/// `text` as tokens, special where it spells one between `‹` and `›`.
fn tokens(text: &str) -> Vec<TokenId> {
    let mut tokens = Vec::new();
    for part in text.split_inclusive('›') {
        let (plain, special) = part.split_once('‹').unwrap_or((part, ""));
        tokens.extend(plain.bytes().map(|byte| TokenId(byte.into())));
        match special {
            "<|call|>›" => tokens.push(CALL),
            "<|end|>›" => tokens.push(END),
            "" => {}
            other => panic!("{other}"),
        }
    }
    tokens
}

fn read(parser: &mut Parser, text: &str) -> Result<Parsed, ParseError> {
    parser.restart()?;
    let vocabulary = vocabulary();
    for token in tokens(text) {
        parser.push_token(token, &vocabulary)?;
    }
    parser.finish().map(|(_, parsed)| parsed)
}

fn outline() -> Ir {
    let template = "{% free text='t' %}{% on '<|call|>' %}{{ '[a-z]+' | regex(name='x') }};{% endon %}{% endfree %}<|end|>";
    let outline = Blueprint::from_str(template).and_then(|one| one.outline(json!({})));
    outline.unwrap_or_else(|faults| panic!("{faults}")).ir().clone()
}

#[test]
fn special_tokens_are_read_by_id() {
    let mut parser =
        Parser::of_tokens(&outline(), &vocabulary(), ParseOptions::default()).expect("built");
    let fits = [
        ("a‹<|call|>›b;c‹<|end|>›", json!({"t": ["a", "c"], "x": ["b"]})),
        ("a<|call|>b‹<|end|>›", json!({"t": ["a<|call|>b"]})),
        ("‹<|call|>›b;", json!({"x": ["b"]})),
        ("<|call|>‹<|call|>›b;<|end|>", json!({"t": ["<|call|>", "<|end|>"], "x": ["b"]})),
    ];
    for (text, expected) in fits {
        let parsed = read(&mut parser, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(parsed.value(), expected, "{text}");
        let spelled: String = text.chars().filter(|c| !"‹›".contains(*c)).collect();
        assert_eq!(parsed.text(), spelled);
    }
    for text in ["a‹<|call|>›;", "‹<|call|>›<|end|>", "a‹<|end|>›b"] {
        assert!(matches!(read(&mut parser, text), Err(ParseError::Mismatch { .. })), "{text}");
    }
}

/// A parser of texts takes a special token for its spelling.
#[test]
fn by_text_they_are_their_spelling() {
    let mut parser = Parser::new(&outline(), ParseOptions::default()).expect("built");
    let parsed = read(&mut parser, "a‹<|call|>›b;c‹<|end|>›").expect("it fits");
    assert_eq!(parsed.value(), json!({"t": ["a", "c"], "x": ["b"]}));
    let parsed = read(&mut parser, "a<|call|>b;").expect("it fits");
    assert_eq!(parsed.value(), json!({"t": ["a"], "x": ["b"]}));
    assert!(matches!(
        parser.push_token(TokenId(999), &vocabulary()),
        Err(ParseError::NoToken { token: 999 })
    ));
}
