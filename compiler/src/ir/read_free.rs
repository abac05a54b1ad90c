//! Reads the printed forms of free text, captures and tokens.

use std::sync::Arc;

use super::read::Reader;
use super::tokens::Token;
use super::{CaptureKind, FreeText, Ir, Literal, Origin, ReadError, Special, Triggers};

impl Reader {
    /// Texts of either origin, one after the other.
    fn literal(&mut self) -> Result<Literal, ReadError> {
        let mut literal = Literal::default();
        while let Token::Text(text, origin) = self.peek().clone() {
            self.bump();
            literal.push(&text, origin);
        }
        if literal.is_empty() { self.unexpected("a text in quotes") } else { Ok(literal) }
    }

    /// What may stand behind `word`: one text of the author, or several in parentheses.
    fn literals(&mut self, word: &str) -> Result<Vec<Literal>, ReadError> {
        if !self.says(word) {
            return Ok(Vec::new());
        }
        if !self.has("(") {
            return Ok(vec![Literal::from(&*self.source_text()?)]);
        }
        let mut literals = vec![self.literal()?];
        while self.has("|") {
            literals.push(self.literal()?);
        }
        self.need(")")?;
        Ok(literals)
    }

    pub(super) fn anything(&mut self, at: usize) -> Result<Ir, ReadError> {
        let until = self.literals("until")?;
        let before = self.literals("before")?.into_iter().next();
        let excludes = self.literals("excluding")?;
        let mut limits = FreeText { before, excludes, ..FreeText::default() };
        if self.says("chars") {
            self.need("{")?;
            limits.min_chars = self.number()?;
            self.need(",")?;
            if matches!(self.peek(), Token::Number(_)) {
                limits.max_chars = Some(self.number()?);
            }
            self.need("}")?;
        }
        if self.says("tokens") {
            limits.max_tokens = Some(self.number()?);
        }
        limits.special = self.says("special");
        Ir::free_text(until, limits).or_else(|error| self.fail(at, error.to_string()))
    }

    pub(super) fn dispatch(&mut self, at: usize) -> Result<Ir, ReadError> {
        let text = if self.says("text") { Some(self.name()?.into()) } else { None };
        let at_least_one = self.says("needed");
        let mut triggers = Triggers { text, at_least_one, ..Triggers::default() };
        triggers.stop_after_first = self.says("once");
        triggers.until = self.literals("until")?;
        triggers.excludes = self.literals("excluding")?;
        self.need("{")?;
        loop {
            let trigger = self.literal()?;
            self.need(":")?;
            triggers.rules.push((trigger, self.choice()?));
            if !self.has(";") {
                break;
            }
        }
        self.need("}")?;
        Ir::dispatch(triggers).or_else(|error| self.fail(at, error.to_string()))
    }

    /// A word, or a text in double quotes.
    fn name(&mut self) -> Result<String, ReadError> {
        match self.peek().clone() {
            Token::Word(name) => {
                self.bump();
                Ok(name)
            }
            _ => Ok(self.source_text()?.to_string()),
        }
    }

    pub(super) fn capture(&mut self) -> Result<Ir, ReadError> {
        let name = self.name()?;
        let mut kind = CaptureKind::Text;
        if self.says("as") {
            let at = self.byte();
            let Token::Word(word) = self.bump() else { return self.fail(at, "expected a type") };
            kind = match CaptureKind::from_name(&word) {
                Some(kind) => kind,
                None => return self.fail(at, format!("there is no type `{word}`")),
            };
        }
        Ok(Ir::capture(&name, kind, self.nested_operand()?))
    }

    pub(super) fn token(&mut self) -> Result<Ir, ReadError> {
        if self.says("stop") {
            return Ok(Ir::special(Special::Stop));
        }
        if self.says("any") {
            let except = self.literals("except")?.into_iter().map(|d| Arc::from(d.as_str()));
            return Ok(Ir::special(Special::Any { except: except.collect() }));
        }
        match self.peek().clone() {
            Token::Text(spelling, Origin::Source) => {
                self.bump();
                Ok(Ir::token(&spelling))
            }
            _ => self.unexpected("a text in double quotes, `stop` or `any`"),
        }
    }
}
