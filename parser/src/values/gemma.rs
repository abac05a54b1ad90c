//! Gemma's notation: bare keys, strings between two marks and without escapes.

use serde_json::Value;

use super::Reason;
use super::notation::{self, Found, Lexer, Piece, Respeller};

/// What stands around a string: of FunctionGemma the second.
const QUOTES: [&str; 2] = ["<|\"|>", "<escape>"];
/// What all quotes begin with.
const MARK: char = '<';

/// The value of a text.
pub(super) fn read(text: &str, depth_max: usize) -> Result<Value, Reason> {
    notation::read(&mut Gemma::default(), respeller(depth_max), text)
}

/// Spells values as JSON.
pub(crate) fn respeller(depth_max: usize) -> Respeller {
    Respeller::new(constant, depth_max)
}

fn constant(word: &str) -> Option<&'static str> {
    ["true", "false", "null"].into_iter().find(|known| *known == word)
}

/// Cuts values into tokens.
#[derive(Default)]
pub(crate) struct Gemma {
    /// The quotes of the string that is open.
    string: Option<&'static str>,
    /// A word, or the beginning of quotes.
    held: String,
}

impl Lexer for Gemma {
    fn push(&mut self, text: &str, found: &mut Found<'_>) -> Result<(), Reason> {
        let mut part = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            if self.string.is_some() && self.held.is_empty() {
                let (plain, more) = rest.split_at(rest.find(MARK).unwrap_or(rest.len()));
                part.push_str(plain);
                rest = more;
            }
            let Some(character) = rest.chars().next() else { break };
            rest = &rest[character.len_utf8()..];
            match self.string {
                Some(quotes) => {
                    self.held.push(character);
                    if self.held.ends_with(quotes) {
                        self.held.truncate(self.held.len() - quotes.len());
                        part.push_str(&std::mem::take(&mut self.held));
                        if !part.is_empty() {
                            found(Piece::Part(std::mem::take(&mut part)))?;
                        }
                        found(Piece::EndOfString)?;
                        self.string = None;
                    } else {
                        // What cannot be the beginning of the quotes goes out.
                        let begun = |from: &usize| quotes.starts_with(&self.held[*from..]);
                        let mut places = self.held.char_indices().map(|(at, _)| at);
                        let keep = places.find(begun).unwrap_or(self.held.len());
                        part.extend(self.held.drain(..keep));
                    }
                }
                None => self.outside(character, found)?,
            }
        }
        if part.is_empty() { Ok(()) } else { found(Piece::Part(part)) }
    }

    fn finish(&mut self, found: &mut Found<'_>) -> Result<(), Reason> {
        match self.string {
            Some(_) => Err(Reason("a string has no end".into())),
            None => self.end_word(found),
        }
    }
}

impl Gemma {
    fn outside(&mut self, character: char, found: &mut Found<'_>) -> Result<(), Reason> {
        let mark = match character {
            '{' => Piece::OpenObject,
            '}' => Piece::CloseObject,
            '[' => Piece::OpenArray,
            ']' => Piece::CloseArray,
            ',' => Piece::Comma,
            ':' => Piece::Colon,
            other => {
                self.held.push(other);
                if let Some(quotes) = QUOTES.into_iter().find(|quotes| self.held.ends_with(quotes))
                {
                    self.held.truncate(self.held.len() - quotes.len());
                    self.end_word(found)?;
                    self.string = Some(quotes);
                }
                return Ok(());
            }
        };
        self.end_word(found)?;
        found(mark)
    }

    fn end_word(&mut self, found: &mut Found<'_>) -> Result<(), Reason> {
        let word = std::mem::take(&mut self.held);
        match word.trim() {
            "" => Ok(()),
            word => found(Piece::Word(word.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read() {
        let cases = [
            ("{a:<|\"|>x, \"y\" }<|\"|>,b:3}", json!({"a": "x, \"y\" }", "b": 3})),
            ("{}", json!({})),
            (
                "{q:<escape>a<b<escape>,l:[1,true,{k:null}]}",
                json!({"q": "a<b", "l": [1, true, {"k": null}]}),
            ),
            ("<|\"|><|\"|>", json!("")),
            ("{<|\"|>odd key<|\"|>:1.50}", json!({"odd key": 1.5})),
        ];
        for (text, value) in cases {
            let read = read(text, 100).map_err(|reason| reason.0);
            assert_eq!(
                read.map(|value| value.to_string().replace("1.50", "1.5")),
                Ok(value.to_string()),
                "{text}"
            );
        }
        for text in ["{a:x}", "{a:<|\"|>x}", "{a}", "{", "", "[1,,2]"] {
            assert!(read(text, 100).is_err(), "{text}");
        }
    }
}
