//! Cuts the printed form of an [`Ir`](super::Ir) into tokens.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::{Origin, ReadError};

/// The smallest parts of the printed form.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    /// `"…"` or `'…'`.
    Text(String, Origin),
    /// `/…/`.
    Pattern(String),
    /// `[…]`.
    Class(ClassUnicode),
    /// The JSON value after the word `schema` or `with`.
    Json(serde_json::Value),
    /// A name or a word of the form itself.
    Word(String),
    /// A count or a place.
    Number(u32),
    /// Punctuation.
    Mark(&'static str),
    /// After the last one.
    End,
}

const MARKS: [&str; 13] = ["->", "(", ")", "{", "}", "|", "?", "*", "+", ",", ";", ":", "="];

/// The tokens of `text` with the byte each begins at; the last is [`Token::End`].
pub(super) fn cut(text: &str) -> Result<Vec<(Token, usize)>, ReadError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.blank();
        let at = lexer.at;
        let json = match tokens.last() {
            Some((Token::Word(word), _)) => word == "schema" || word == "with",
            _ => false,
        };
        let token = if json { lexer.json()? } else { lexer.token()? };
        let last = token == Token::End;
        tokens.push((token, at));
        if last {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn fail<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError { message: message.into(), at })
    }

    /// The longest run of characters that `belongs` holds for.
    fn run(&mut self, belongs: impl Fn(char) -> bool) -> &str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn token(&mut self) -> Result<Token, ReadError> {
        let at = self.at;
        match self.peek() {
            None => Ok(Token::End),
            Some('"') => self.string('"').map(|string| Token::Text(string, Origin::Source)),
            Some('\'') => self.string('\'').map(|string| Token::Text(string, Origin::Value)),
            Some('[') => self.class(),
            Some('/') => self.pattern(),
            Some(c) if c.is_ascii_digit() => {
                let digits = self.run(|c| c.is_ascii_digit());
                match digits.parse() {
                    Ok(number) => Ok(Token::Number(number)),
                    Err(_) => self.fail(at, "the number is too large"),
                }
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
                Ok(Token::Word(self.run(word).to_string()))
            }
            Some(c) => match MARKS.into_iter().find(|mark| self.rest().starts_with(mark)) {
                Some(mark) => {
                    self.at += mark.len();
                    Ok(Token::Mark(mark))
                }
                None => self.fail(at, format!("unexpected `{c}`")),
            },
        }
    }

    fn string(&mut self, quote: char) -> Result<String, ReadError> {
        let begin = self.at;
        self.bump();
        let mut string = String::new();
        loop {
            match self.peek() {
                None => return self.fail(begin, "the text has no closing quote"),
                Some(c) if c == quote => {
                    self.bump();
                    return Ok(string);
                }
                Some(_) => string.push(self.character()?),
            }
        }
    }

    /// A character, or an escape for one.
    fn character(&mut self) -> Result<char, ReadError> {
        let begin = self.at;
        match self.bump() {
            Some('\\') => {}
            Some(c) => return Ok(c),
            None => return self.fail(begin, "a character is missing"),
        }
        match self.bump() {
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some(c @ ('\\' | '"' | '\'' | '[' | ']' | '^' | '-')) => Ok(c),
            Some('u') if self.rest().starts_with('{') => {
                self.at += 1;
                let code = u32::from_str_radix(self.run(|c| c.is_ascii_hexdigit()), 16);
                let closed = self.bump() == Some('}');
                match code.ok().and_then(char::from_u32).filter(|_| closed) {
                    Some(c) => Ok(c),
                    None => self.fail(begin, "this is no character"),
                }
            }
            _ => self.fail(begin, "unknown escape"),
        }
    }

    fn class(&mut self) -> Result<Token, ReadError> {
        let begin = self.at;
        self.bump();
        let negated = self.peek() == Some('^');
        if negated {
            self.bump();
        }
        let mut set = ClassUnicode::empty();
        loop {
            let at = self.at;
            match self.peek() {
                None => return self.fail(begin, "the class has no closing bracket"),
                Some(']') => break,
                Some(c @ ('[' | '^' | '-')) => {
                    return self.fail(at, format!("`{c}` needs a backslash in a class"));
                }
                Some(_) => {}
            }
            let first = self.character()?;
            let mut last = first;
            if self.peek() == Some('-') {
                self.bump();
                last = match self.peek() {
                    Some(c) if c != ']' => self.character()?,
                    _ => return self.fail(at, "the range has no end"),
                };
            }
            if last < first {
                return self.fail(at, "the range is reversed");
            }
            set.push(ClassUnicodeRange::new(first, last));
        }
        self.bump();
        if negated {
            set.negate();
        }
        match set.ranges().is_empty() {
            true => self.fail(begin, "the class is empty"),
            false => Ok(Token::Class(set)),
        }
    }

    fn pattern(&mut self) -> Result<Token, ReadError> {
        let begin = self.at;
        self.bump();
        let pattern = self.run(|c| c != '/').to_string();
        match self.bump() {
            Some(_) => Ok(Token::Pattern(pattern)),
            None => self.fail(begin, "the pattern has no closing slash"),
        }
    }

    fn json(&mut self) -> Result<Token, ReadError> {
        // These two do not end by themselves, so the reader of JSON would look for a blank.
        for (word, value) in [("true", true), ("false", false)] {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(Token::Json(value.into()));
            }
        }
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(Token::Json(value))
            }
            Some(Err(error)) => self.fail(self.at, format!("not JSON: {error}")),
            None => self.fail(self.at, "the JSON value is missing"),
        }
    }
}
