//! Cuts a Lark grammar into tokens.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::grammars::GrammarFault;
use crate::grammars::cursor::Cursor;

/// The smallest parts of a grammar.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// The name of a rule or a terminal.
    Name(String),
    /// A string, and whether case is ignored.
    Text(String, bool),
    /// A pattern with its flags.
    Pattern(String, String),
    Number(u32),
    Mark(&'static str),
    /// A word after `%`, without it.
    Word(String),
    /// The value after `%json`, `%regex` or `%llguidance`.
    Json(Arc<Value>),
    /// One or more line breaks.
    Line,
    End,
}

const MARKS: [&str; 18] =
    ["->", "..", ":", ",", ".", "(", ")", "{", "}", "[", "]", "~", "|", "=", "&", "+", "*", "?"];

/// The tokens with the bytes each stands at; the last is [`Token::End`].
pub(super) fn cut(text: &str) -> Result<Vec<(Token, Range<usize>)>, GrammarFault> {
    let mut cursor = Cursor::new(text);
    let mut tokens: Vec<(Token, Range<usize>)> = Vec::new();
    loop {
        blank(&mut cursor);
        let from = cursor.at;
        let json = matches!(tokens.last(), Some((Token::Word(word), _)) if takes_json(word));
        let token = if json { self::json(&mut cursor)? } else { token(&mut cursor)? };
        let end = token == Token::End;
        tokens.push((token, from..cursor.at));
        if end {
            return Ok(tokens);
        }
    }
}

fn takes_json(word: &str) -> bool {
    matches!(word, "json" | "regex" | "llguidance")
}

/// Passes blanks and comments, but no line break.
fn blank(cursor: &mut Cursor<'_>) {
    loop {
        cursor.run(|c| c == ' ' || c == '\t');
        if !cursor.rest().starts_with("//") && !cursor.rest().starts_with('#') {
            return;
        }
        cursor.run(|c| c != '\n');
    }
}

fn token(cursor: &mut Cursor<'_>) -> Result<Token, GrammarFault> {
    let from = cursor.at;
    Ok(match cursor.peek() {
        None => Token::End,
        Some('\n' | '\r') => {
            cursor.run(|c| c.is_ascii_whitespace());
            Token::Line
        }
        Some('"') => text(cursor)?,
        Some('/') => pattern(cursor)?,
        Some('<') => {
            cursor.run(|c| c != '>' && c != '\n');
            cursor.has(">");
            let message = "a token has no meaning in a grammar of text";
            return cursor.fail(message, from..cursor.at);
        }
        Some('@') => {
            cursor.run(|c| !c.is_whitespace());
            return cursor.fail("there are no other grammars to refer to", from..cursor.at);
        }
        Some('%') => {
            cursor.bump();
            Token::Word(cursor.run(|c| c.is_ascii_alphabetic()).to_owned())
        }
        Some(c) if c.is_ascii_digit() => Token::Number(cursor.number()?),
        Some('!') => {
            cursor.bump();
            return token(cursor);
        }
        Some('?') if cursor.rest()[1..].starts_with(is_name_start) => {
            // `?rule`, where a rule may begin; elsewhere it is a suffix, and a name follows.
            let line = cursor.text[..from].trim_end_matches([' ', '\t']);
            cursor.bump();
            match line.is_empty() || line.ends_with('\n') {
                true => return token(cursor),
                false => Token::Mark("?"),
            }
        }
        Some(c) if is_name_start(c) => {
            let name = cursor.run(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            Token::Name(name.to_owned())
        }
        Some(_) => match MARKS.into_iter().find(|mark| cursor.rest().starts_with(mark)) {
            Some(mark) => {
                cursor.at += mark.len();
                Token::Mark(mark)
            }
            None => return cursor.unexpected("a part of a rule"),
        },
    })
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// A string of JSON, with `\xHH` besides, and an `i` behind it if case is ignored.
fn text(cursor: &mut Cursor<'_>) -> Result<Token, GrammarFault> {
    let from = cursor.at;
    cursor.bump();
    let mut json = String::from("\"");
    loop {
        match cursor.bump() {
            Some('"') => break,
            Some('\\') => match cursor.bump() {
                Some('x') => json.push_str("\\u00"),
                Some(c) => json.extend(['\\', c]),
                None => return cursor.fail("the string has no closing quote", from..cursor.at),
            },
            Some('\n') | None => {
                return cursor.fail("the string has no closing quote", from..cursor.at);
            }
            // llguidance reads it as the character that it is.
            Some('\u{7f}') => json.push_str("\\u007f"),
            Some(c) => json.push(c),
        }
    }
    json.push('"');
    let Ok(string) = serde_json::from_str(&json) else {
        return cursor.fail("the string has an escape that JSON has not", from..cursor.at);
    };
    Ok(Token::Text(string, cursor.has("i")))
}

fn pattern(cursor: &mut Cursor<'_>) -> Result<Token, GrammarFault> {
    let from = cursor.at;
    cursor.bump();
    let mut pattern = String::new();
    loop {
        match cursor.bump() {
            Some('/') => break,
            Some('\\') if cursor.has("/") => pattern.push('/'),
            Some('\\') => {
                pattern.push('\\');
                pattern.extend(cursor.bump());
            }
            Some('\n') | None => {
                return cursor.fail("the pattern has no closing slash", from..cursor.at);
            }
            Some(c) => pattern.push(c),
        }
    }
    let flags = cursor.run(|c| "imslux".contains(c)).to_owned();
    Ok(Token::Pattern(pattern, flags))
}

fn json(cursor: &mut Cursor<'_>) -> Result<Token, GrammarFault> {
    let from = cursor.at;
    let mut values = serde_json::Deserializer::from_str(cursor.rest()).into_iter::<Value>();
    match values.next() {
        Some(Ok(value)) => {
            cursor.at += values.byte_offset();
            Ok(Token::Json(Arc::new(value)))
        }
        Some(Err(error)) => cursor.fail(format!("not JSON: {error}"), from..from),
        None => cursor.fail("the JSON value is missing", from..from),
    }
}
