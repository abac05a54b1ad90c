//! A small vocabulary that has what makes real ones hard.

use blueprints_runtime::{Token, TokenId, Vocabulary};

const WORDS: &[&str] = &[
    "ab", "abc", "no", "not", " sure", "<think>", "</think>", "</", "\n\n", "{\"", "\"}", "\":",
    "\", \"", "\": \"", "{}", "[]", ", ", "],", "}}", "12", "0.", "1e", "-1", "true", "null",
    "\\u", "\\n", "\\\"", "00", "é", "日本", "😀", "  ", "a\"", "x,", ">\n<",
];

/// Every byte, tokens across the borders of constructs, a part of a character, a hole, and two
/// special tokens, of which one ends a turn.
pub(crate) fn small() -> Vocabulary {
    let mut tokens: Vec<Token> = (0..=u8::MAX).map(|byte| Token::Bytes([byte].into())).collect();
    tokens.extend(WORDS.iter().map(|word| Token::Bytes(word.as_bytes().into())));
    tokens.push(Token::Absent);
    tokens.push(Token::Bytes([0xE6, 0x97].into()));
    tokens.push(Token::Special("<|x|>".into()));
    tokens.push(Token::Special("<|im_end|>".into()));
    let last = TokenId(tokens.len() as u32 - 1);
    let vocabulary = Vocabulary::new(tokens).expect("there are tokens");
    vocabulary.with_stop_tokens(&[last])
}
