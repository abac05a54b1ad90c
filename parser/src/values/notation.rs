//! Values in notations that are not JSON, re-spelled as JSON while they come.
//!
//! A notation is cut into tokens; what opens, closes and separates is the same in all of them, so
//! one machine with a stack spells the JSON. What it has spelled never changes.

use std::fmt::Write;

use serde_json::Value;

use super::{Reason, number};

/// Cuts a value into tokens while its text comes.
pub(crate) trait Lexer {
    /// Tells `found` of the tokens that `text` completes.
    ///
    /// # Errors
    /// [`Reason`] for what is no token, and what `found` says.
    fn push(&mut self, text: &str, found: &mut Found<'_>) -> Result<(), Reason>;

    /// Tells `found` of the last token.
    ///
    /// # Errors
    /// As [`Lexer::push`].
    fn finish(&mut self, found: &mut Found<'_>) -> Result<(), Reason>;
}

/// What is told of tokens.
pub(crate) type Found<'a> = dyn FnMut(Piece) -> Result<(), Reason> + 'a;

/// One token of a value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Piece {
    /// `{`
    OpenObject,
    /// `[`, or a tuple's `(`.
    OpenArray,
    /// `}`
    CloseObject,
    /// `]` or `)`
    CloseArray,
    Comma,
    Colon,
    /// A string's characters, decoded; several in a row are one string until its end.
    Part(String),
    /// The end of a string.
    EndOfString,
    /// A bare word: a number, a constant, a key without quotes.
    Word(String),
}

/// What a bare word means.
pub(crate) type Meaning = fn(&str) -> Option<&'static str>;

/// Spells JSON from the tokens of a value.
pub(crate) struct Respeller {
    /// What is open: whether it is an object.
    open: Vec<bool>,
    expects: Expects,
    in_string: bool,
    /// A comma that is written once something follows it.
    comma: bool,
    meaning: Meaning,
    depth_max: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expects {
    /// A value; whether the end of what is open will do.
    Value {
        or_end: bool,
    },
    /// A key or the end.
    Key,
    Colon,
    /// A comma or the end.
    After,
    /// Nothing more.
    Nothing,
}

impl Respeller {
    pub(crate) fn new(meaning: Meaning, depth_max: usize) -> Self {
        let expects = Expects::Value { or_end: false };
        Self { open: Vec::new(), expects, in_string: false, comma: false, meaning, depth_max }
    }

    /// Whether the value is whole.
    pub(crate) fn is_done(&self) -> bool {
        self.expects == Expects::Nothing
    }

    /// Appends what `piece` is in JSON to `json`.
    pub(crate) fn push(&mut self, piece: Piece, json: &mut String) -> Result<(), Reason> {
        match piece {
            Piece::OpenObject => self.opens(true, json),
            Piece::OpenArray => self.opens(false, json),
            Piece::CloseObject => self.closes(true, json),
            Piece::CloseArray => self.closes(false, json),
            Piece::Comma if self.expects == Expects::After => {
                self.comma = true;
                self.expects = match self.open.last() {
                    Some(true) => Expects::Key,
                    _ => Expects::Value { or_end: true },
                };
                Ok(())
            }
            Piece::Colon if self.expects == Expects::Colon => {
                json.push(':');
                self.expects = Expects::Value { or_end: false };
                Ok(())
            }
            Piece::Comma | Piece::Colon => {
                Err(Reason("a comma or colon where none belongs".into()))
            }
            Piece::Part(text) => {
                if !std::mem::replace(&mut self.in_string, true) {
                    self.begins(true, json)?;
                    json.push('"');
                }
                escape(&text, json);
                Ok(())
            }
            Piece::EndOfString => {
                if !std::mem::take(&mut self.in_string) {
                    self.begins(true, json)?;
                    json.push('"');
                }
                json.push('"');
                self.ended();
                Ok(())
            }
            Piece::Word(word) => self.word(&word, json),
        }
    }

    fn opens(&mut self, object: bool, json: &mut String) -> Result<(), Reason> {
        self.begins(false, json)?;
        if self.open.len() >= self.depth_max {
            return Err(Reason(format!("nested more than {} levels deep", self.depth_max)));
        }
        self.open.push(object);
        self.expects = if object { Expects::Key } else { Expects::Value { or_end: true } };
        json.push(if object { '{' } else { '[' });
        Ok(())
    }

    fn closes(&mut self, object: bool, json: &mut String) -> Result<(), Reason> {
        let may = match self.expects {
            Expects::After => true,
            Expects::Value { or_end } => or_end,
            Expects::Key => true,
            Expects::Colon | Expects::Nothing => false,
        };
        if !may || self.open.pop() != Some(object) {
            return Err(Reason("a bracket closes what is not open".into()));
        }
        // A comma before the end is none in JSON.
        self.comma = false;
        json.push(if object { '}' } else { ']' });
        self.expects = Expects::After;
        self.settle();
        Ok(())
    }

    /// A value or a key begins; whether it may be a key.
    fn begins(&mut self, key: bool, json: &mut String) -> Result<(), Reason> {
        match self.expects {
            Expects::Value { .. } => {}
            Expects::Key if key => {}
            _ => return Err(Reason("a value where none belongs".into())),
        }
        if std::mem::take(&mut self.comma) {
            json.push(',');
        }
        Ok(())
    }

    /// A value or a key ended.
    fn ended(&mut self) {
        self.expects = match self.expects {
            Expects::Key => Expects::Colon,
            _ => Expects::After,
        };
        self.settle();
    }

    fn settle(&mut self) {
        if self.open.is_empty() && self.expects == Expects::After {
            self.expects = Expects::Nothing;
        }
    }

    fn word(&mut self, word: &str, json: &mut String) -> Result<(), Reason> {
        self.begins(true, json)?;
        if self.expects == Expects::Key {
            json.push('"');
            escape(word, json);
            json.push('"');
        } else if let Some(constant) = (self.meaning)(word) {
            json.push_str(constant);
        } else {
            match number(word) {
                Some(number) => json.push_str(&number.to_string()),
                None => return Err(Reason(format!("`{word}` is no value"))),
            }
        }
        self.ended();
        Ok(())
    }
}

/// The value that `lexer` cuts from `text`.
pub(super) fn read(
    lexer: &mut dyn Lexer,
    mut respeller: Respeller,
    text: &str,
) -> Result<Value, Reason> {
    let mut json = String::with_capacity(text.len());
    lexer.push(text, &mut |piece| respeller.push(piece, &mut json))?;
    lexer.finish(&mut |piece| respeller.push(piece, &mut json))?;
    if !respeller.is_done() {
        return Err(Reason("the value is not whole".into()));
    }
    serde_json::from_str(&json).map_err(|error| Reason(error.to_string()))
}

/// Appends `text` as it stands in a JSON string.
pub(crate) fn escape(text: &str, json: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\\' | '\0'..='\x1f')) {
        json.push_str(&rest[..at]);
        let character = rest.as_bytes()[at];
        match character {
            b'"' => json.push_str("\\\""),
            b'\\' => json.push_str("\\\\"),
            b'\n' => json.push_str("\\n"),
            b'\r' => json.push_str("\\r"),
            b'\t' => json.push_str("\\t"),
            other => {
                let _ = write!(json, "\\u{other:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    json.push_str(rest);
}
