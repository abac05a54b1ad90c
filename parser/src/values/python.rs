//! Python's literals: strings in either quotes, numbers, constants, lists, tuples and dicts.

use serde_json::Value;

use super::Reason;
use super::notation::{self, Found, Lexer, Piece, Respeller};

/// The value of a literal.
pub(super) fn read(text: &str, depth_max: usize) -> Result<Value, Reason> {
    notation::read(&mut Python::default(), respeller(depth_max), text)
}

/// Spells literals as JSON.
pub(crate) fn respeller(depth_max: usize) -> Respeller {
    Respeller::new(constant, depth_max)
}

fn constant(word: &str) -> Option<&'static str> {
    match word {
        "True" | "true" => Some("true"),
        "False" | "false" => Some("false"),
        "None" | "null" => Some("null"),
        _ => None,
    }
}

/// Cuts literals into tokens.
#[derive(Default)]
pub(crate) struct Python {
    within: Within,
    /// A word, or the rest of an escape.
    held: String,
    /// The first half of a surrogate pair.
    high: Option<u32>,
    /// The brackets that are open.
    open: Vec<char>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Within {
    #[default]
    Nothing,
    Word,
    String(char),
    /// Behind a backslash in a string of these quotes.
    Escape(char),
}

impl Lexer for Python {
    fn push(&mut self, text: &str, found: &mut Found<'_>) -> Result<(), Reason> {
        // What is read of a string goes out at once.
        let mut part = String::new();
        for character in text.chars() {
            match self.within {
                Within::String(quote) if character == quote => {
                    self.lone(&mut part);
                    if !part.is_empty() {
                        found(Piece::Part(std::mem::take(&mut part)))?;
                    }
                    found(Piece::EndOfString)?;
                    self.within = Within::Nothing;
                }
                Within::String(quote) if character == '\\' => self.within = Within::Escape(quote),
                Within::String(_) => {
                    self.lone(&mut part);
                    part.push(character);
                }
                Within::Escape(quote) => self.escape(quote, character, &mut part)?,
                Within::Word if is_word(character) => self.held.push(character),
                Within::Word | Within::Nothing => {
                    self.end_word(found)?;
                    self.begin(character, found)?;
                }
            }
        }
        if part.is_empty() { Ok(()) } else { found(Piece::Part(part)) }
    }

    fn finish(&mut self, found: &mut Found<'_>) -> Result<(), Reason> {
        self.end_word(found)
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '+' | '.')
}

impl Python {
    fn end_word(&mut self, found: &mut Found<'_>) -> Result<(), Reason> {
        if self.within == Within::Word {
            self.within = Within::Nothing;
            found(Piece::Word(std::mem::take(&mut self.held)))?;
        }
        Ok(())
    }

    fn begin(&mut self, character: char, found: &mut Found<'_>) -> Result<(), Reason> {
        match character {
            '{' => found(Piece::OpenObject),
            '}' => found(Piece::CloseObject),
            '[' | '(' => {
                // How deep they nest is bounded by whoever is told of them.
                self.open.push(character);
                found(Piece::OpenArray)
            }
            ']' | ')' => match (self.open.pop(), character) {
                (Some('('), ']') | (Some('['), ')') => {
                    Err(Reason(format!("`{character}` closes the other kind of bracket")))
                }
                _ => found(Piece::CloseArray),
            },
            ',' => found(Piece::Comma),
            ':' => found(Piece::Colon),
            '"' | '\'' => {
                self.within = Within::String(character);
                Ok(())
            }
            blank if blank.is_whitespace() => Ok(()),
            character if is_word(character) => {
                self.within = Within::Word;
                self.held.push(character);
                Ok(())
            }
            other => Err(Reason(format!("`{other}` begins no literal"))),
        }
    }

    /// The next character of an escape.
    fn escape(&mut self, quote: char, next: char, part: &mut String) -> Result<(), Reason> {
        self.held.push(next);
        let bad = || Err(Reason("no escape of a Python string".into()));
        let mut letters = self.held.chars();
        let (kind, digits) = (letters.next().unwrap_or_default(), letters.as_str());
        let code = match kind {
            'x' | 'u' | 'U' => {
                let length = match kind {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                    return bad();
                }
                if digits.len() < length {
                    return Ok(());
                }
                u32::from_str_radix(digits, 16).unwrap_or(u32::MAX)
            }
            '\n' => {
                self.held.clear();
                self.within = Within::String(quote);
                return Ok(());
            }
            '0' => 0,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            '\\' | '\'' | '"' | '/' => u32::from(kind),
            // As in Python, a backslash before anything else is one.
            other => {
                self.lone(part);
                part.push('\\');
                u32::from(other)
            }
        };
        self.held.clear();
        self.within = Within::String(quote);
        self.coded(code, part)
    }

    /// A code point, or half of a surrogate pair.
    fn coded(&mut self, code: u32, part: &mut String) -> Result<(), Reason> {
        match (self.high.take(), code) {
            (Some(high), 0xdc00..=0xdfff) => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00);
                part.extend(char::from_u32(code));
            }
            (high, 0xd800..=0xdbff) => {
                part.extend(high.map(|_| char::REPLACEMENT_CHARACTER));
                self.high = Some(code);
            }
            (high, code) => {
                part.extend(high.map(|_| char::REPLACEMENT_CHARACTER));
                match char::from_u32(code) {
                    Some(character) => part.push(character),
                    None if (0xdc00..=0xdfff).contains(&code) => {
                        part.push(char::REPLACEMENT_CHARACTER);
                    }
                    None => return Err(Reason("an escape for no character".into())),
                }
            }
        }
        Ok(())
    }

    /// Half of a pair that stayed alone is no character.
    fn lone(&mut self, part: &mut String) {
        part.extend(self.high.take().map(|_| char::REPLACEMENT_CHARACTER));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_become_values() {
        let cases = [
            ("'a'", json!("a")),
            ("\"it's\"", json!("it's")),
            ("'\\n\\x41\\u00e9\\ud83d\\ude00\\'\\q'", json!("\nAé😀'\\q")),
            ("''", json!("")),
            ("[1, -2.5, True, None, ('x',)]", json!([1, -2.5, true, null, ["x"]])),
            ("{'a': {'b': []}, 'c': False,}", json!({"a": {"b": []}, "c": false})),
            ("{1: 2}", json!({"1": 2})),
            (
                " 12345678901234567890123 ",
                "12345678901234567890123"
                    .parse::<serde_json::Number>()
                    .map(Value::Number)
                    .unwrap_or_default(),
            ),
        ];
        for (text, value) in cases {
            assert_eq!(read(text, 100).map_err(|reason| reason.0), Ok(value), "{text}");
        }
        for text in
            ["", "[", "[1 2]", "a", "'a", "{1}", "{'a':}", "[1]]", "(]", "'\\xg'", ",", "[,]"]
        {
            assert!(read(text, 100).is_err(), "{text}");
        }
        assert!(read(&"[".repeat(1000), 100).is_err());
    }
}
