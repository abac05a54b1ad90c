//! A place in the text of a grammar that moves forward.

use std::ops::Range;

use super::{GrammarFault, NEST_MAX};

/// Where a reader stands.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Passes `mark` if it is next.
    pub(super) fn has(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    /// Passes the longest run of characters that `belongs` holds for.
    pub(super) fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Passes blanks, line breaks too, and comments from any of `comments` to the end of a line.
    pub(super) fn blank(&mut self, comments: &[&str]) {
        loop {
            self.run(|c| c.is_ascii_whitespace());
            if !comments.iter().any(|mark| self.rest().starts_with(mark)) {
                return;
            }
            self.run(|c| c != '\n');
        }
    }

    /// The next character, or nothing, as a range.
    pub(super) fn here(&self) -> Range<usize> {
        self.at..self.at + self.peek().map_or(0, char::len_utf8)
    }

    pub(super) fn fail<T>(
        &self,
        message: impl Into<String>,
        range: Range<usize>,
    ) -> Result<T, GrammarFault> {
        Err(GrammarFault::new(message, range))
    }

    /// `expected` is not what is next.
    pub(super) fn unexpected<T>(&self, expected: &str) -> Result<T, GrammarFault> {
        let found = match self.peek() {
            Some(c) => format!("`{}`", c.escape_debug()),
            None => "the end".into(),
        };
        self.fail(format!("expected {expected}, found {found}"), self.here())
    }

    pub(super) fn need(&mut self, mark: &str) -> Result<(), GrammarFault> {
        match self.has(mark) {
            true => Ok(()),
            false => self.unexpected(&format!("`{mark}`")),
        }
    }

    /// A number in decimal digits.
    pub(super) fn number(&mut self) -> Result<u32, GrammarFault> {
        let from = self.at;
        let digits = self.run(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return self.unexpected("a number");
        }
        digits.parse().or_else(|_| self.fail("the number is too large", from..self.at))
    }

    /// Counts one more group around what follows.
    pub(super) fn enter(&mut self) -> Result<(), GrammarFault> {
        if self.depth == NEST_MAX {
            return self.fail(format!("groups nest deeper than {NEST_MAX}"), self.here());
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }
}
