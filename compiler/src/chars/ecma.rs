//! Reads a pattern of ECMA-262, the dialect of JSON Schema.
//!
//! It is read with the flag `u`: `.` and classes take whole characters, `\p{…}` is a property,
//! and a surrogate is no character. Spellings that only the flag forbids, such as `\-` or a lone
//! `{`, mean what they mean without it. Groups only group. Backreferences and modifiers are
//! refused.

use super::ecma_class::{self, Atom};
use super::pattern::Pattern;
use crate::regex::{PATTERN_BYTES_MAX, PATTERN_NEST_MAX, PatternError};

/// Reads `pattern`.
///
/// # Errors
/// [`PatternError`] with the byte range, for a fault and for what is no regular language.
pub(crate) fn read(pattern: &str) -> Result<Pattern, PatternError> {
    let whole = 0..pattern.len();
    if pattern.len() > PATTERN_BYTES_MAX {
        let message = format!("the pattern has more than {PATTERN_BYTES_MAX} bytes");
        return Err(PatternError::new(message, whole));
    }
    let mut reader = Reader { pattern, at: 0, nest: 0 };
    let body = reader.alternation()?;
    if reader.peek() == Some(')') {
        return Err(reader.error_here("unopened group"));
    }
    Ok(body)
}

/// How look-around opens, whether it looks behind, and whether it is negated.
const LOOKS: [(&str, bool, bool); 4] =
    [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)];

/// A place in a pattern.
pub(super) struct Reader<'a> {
    pattern: &'a str,
    at: usize,
    nest: u32,
}

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.pattern[self.at..].chars().next()
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &str {
        &self.pattern[self.at..]
    }

    pub(super) fn take(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    /// Moves past `expected` if it is next.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    pub(super) fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    /// An error about the pattern from `begin` to here.
    pub(super) fn error(&self, message: impl Into<String>, begin: usize) -> PatternError {
        PatternError::new(message, begin..self.at)
    }

    fn error_here(&self, message: &str) -> PatternError {
        let width = self.peek().map_or(0, char::len_utf8);
        PatternError::new(message, self.at..self.at + width)
    }

    fn alternation(&mut self) -> Result<Pattern, PatternError> {
        let mut arms = Vec::new();
        loop {
            let mut parts = Vec::new();
            while !matches!(self.peek(), None | Some('|' | ')')) {
                parts.push(self.term()?);
            }
            arms.push(if parts.len() == 1 { parts.remove(0) } else { Pattern::Concat(parts) });
            if !self.eat("|") {
                return Ok(if arms.len() == 1 {
                    arms.remove(0)
                } else {
                    Pattern::Alternation(arms)
                });
            }
        }
    }

    fn term(&mut self) -> Result<Pattern, PatternError> {
        let begin = self.at;
        if self.eat("^") {
            return Ok(Pattern::Start);
        }
        if self.eat("$") {
            return Ok(Pattern::End);
        }
        if self.eat("\\b") {
            return Ok(Pattern::WordBoundary { negated: false });
        }
        if self.eat("\\B") {
            return Ok(Pattern::WordBoundary { negated: true });
        }
        let atom = self.atom()?;
        let Some((min, max)) = self.quantifier()? else { return Ok(atom) };
        if max.is_some_and(|max| max < min) {
            return Err(self.error("the repetition has its smaller bound last", begin));
        }
        // Laziness has no meaning for a language.
        self.eat("?");
        if self.quantifier()?.is_some() {
            return Err(self.error("nothing to repeat before the last quantifier", begin));
        }
        Ok(Pattern::Repeat { body: Box::new(atom), min, max })
    }

    fn atom(&mut self) -> Result<Pattern, PatternError> {
        let begin = self.at;
        if self.quantifier()?.is_some() {
            return Err(self.error("nothing to repeat", begin));
        }
        match self.take() {
            Some('(') => self.group(begin),
            Some('[') => Ok(Pattern::Set(ecma_class::brackets(self, begin)?)),
            Some('.') => Ok(Pattern::Set(ecma_class::any_but_line_ends())),
            Some('\\') => match ecma_class::escape(self, begin, ecma_class::Where::Outside)? {
                Atom::One(point) => Ok(match char::from_u32(point) {
                    Some(character) => Pattern::character(character),
                    None => Pattern::Alternation(Vec::new()),
                }),
                Atom::Set(set) => Ok(Pattern::Set(set)),
            },
            Some(character) => Ok(Pattern::character(character)),
            None => Err(self.error("the pattern ends too early", begin)),
        }
    }

    fn group(&mut self, begin: usize) -> Result<Pattern, PatternError> {
        let look = LOOKS.iter().find(|look| self.eat(look.0));
        if look.is_some() {
        } else if self.eat("?<") {
            let length = self.rest().find('>').unwrap_or(0);
            let name = &self.rest()[..length];
            let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(self.error("the group has no proper name", begin));
            }
            self.at += length + 1;
        } else if self.rest().starts_with('?') && !self.eat("?:") {
            return Err(self.error("modifiers of a group are not supported", begin));
        }
        self.nest += 1;
        if self.nest > PATTERN_NEST_MAX {
            let message = format!("the pattern nests deeper than {PATTERN_NEST_MAX}");
            return Err(self.error(message, begin));
        }
        let body = self.alternation()?;
        self.nest -= 1;
        if !self.eat(")") {
            return Err(self.error("unclosed group", begin));
        }
        Ok(match look {
            Some(&(_, behind, negated)) => Pattern::Look { behind, negated, body: Box::new(body) },
            None => body,
        })
    }

    /// The bounds of the quantifier that is next. A brace that opens none is left alone.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let begin = self.at;
        let simple = match self.peek() {
            Some('*') => Some((0, None)),
            Some('+') => Some((1, None)),
            Some('?') => Some((0, Some(1))),
            Some('{') => None,
            _ => return Ok(None),
        };
        self.take();
        if simple.is_some() {
            return Ok(simple);
        }
        let min = self.digits().to_owned();
        let comma = self.eat(",");
        let max = self.digits().to_owned();
        if min.is_empty() || !self.eat("}") {
            self.at = begin;
            return Ok(None);
        }
        let bound = |digits: &str| {
            digits.parse::<u32>().map_err(|_| self.error("the count is too big", begin))
        };
        let least = bound(&min)?;
        Ok(Some(match (comma, max.is_empty()) {
            (false, _) => (least, Some(least)),
            (true, true) => (least, None),
            (true, false) => (least, Some(bound(&max)?)),
        }))
    }

    fn digits(&mut self) -> &str {
        let begin = self.at;
        self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
        &self.pattern[begin..self.at]
    }
}
