//! Reads the rules, terminals and statements of a Lark grammar.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::tokens::{self, Token};
use super::{common, is_terminal};
use crate::grammars::{GrammarFault, NEST_MAX};

/// A grammar as it was written.
#[derive(Default)]
pub(super) struct Grammar {
    pub(super) rules: Vec<Definition>,
    pub(super) terminals: BTreeMap<String, Definition>,
    pub(super) ignored: Vec<Expression>,
    /// Whether what is ignored may stand before everything else.
    pub(super) ignores_first: bool,
}

/// A rule or terminal.
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) range: Range<usize>,
    pub(super) body: Expression,
}

/// What a name means, and where that is written.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) form: Form,
    pub(super) range: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    /// A string, and whether case is ignored.
    Text(String, bool),
    /// A pattern with its flags.
    Pattern(String, String),
    /// One character between two.
    Between(char, char),
    Name(String),
    Sequence(Vec<Expression>),
    Choice(Vec<Expression>),
    Repeat(Box<Expression>, u32, Option<u32>),
    /// The texts of both.
    Both(Vec<Expression>),
    /// All other texts.
    Not(Box<Expression>),
    Json(Arc<Value>),
    /// Any run of neighbours among these.
    RunOf(Vec<String>),
}

pub(super) fn parse(text: &str) -> Result<Grammar, GrammarFault> {
    let tokens = tokens::cut(text)?;
    let mut parser = Parser { tokens, at: 0, depth: 0, grammar: Grammar::default() };
    loop {
        while parser.has(&Token::Line) {}
        if *parser.peek() == Token::End {
            return Ok(parser.grammar);
        }
        parser.item()?;
    }
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    depth: usize,
    grammar: Grammar,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn next_but_one(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }

    fn range(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn has(&mut self, token: &Token) -> bool {
        let found = self.peek() == token && *token != Token::End;
        if found {
            self.bump();
        }
        found
    }

    fn mark(&mut self, mark: &'static str) -> bool {
        self.has(&Token::Mark(mark))
    }

    fn need(&mut self, mark: &'static str) -> Result<(), GrammarFault> {
        match self.mark(mark) {
            true => Ok(()),
            false => self.unexpected(&format!("`{mark}`")),
        }
    }

    fn fail<T>(&self, message: impl Into<String>, range: Range<usize>) -> Result<T, GrammarFault> {
        Err(GrammarFault::new(message, range))
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, GrammarFault> {
        self.fail(format!("expected {expected}"), self.range())
    }

    /// From `from` to the end of what was passed last.
    fn since(&self, from: usize) -> Range<usize> {
        let end = self.tokens[self.at.saturating_sub(1)].1.end;
        from..end.max(from)
    }

    fn item(&mut self) -> Result<(), GrammarFault> {
        let range = self.range();
        match self.bump() {
            Token::Name(name) => {
                if self.mark("[") {
                    let message = "attributes steer an engine, a grammar here is a language alone";
                    return self.fail(message, self.range());
                }
                if self.mark(".") {
                    return self.fail("priorities are not supported", self.range());
                }
                if *self.peek() == Token::Mark("{") {
                    return self.fail("templates are not supported", self.range());
                }
                self.need(":")?;
                let body = self.choice()?;
                self.define(Definition { name, range, body })?;
            }
            Token::Word(word) => self.statement(&word, range)?,
            _ => return self.fail("expected a rule, a terminal or a statement", range),
        }
        match self.peek() {
            Token::Line | Token::End => Ok(()),
            _ => self.unexpected("a part of a rule"),
        }
    }

    fn define(&mut self, definition: Definition) -> Result<(), GrammarFault> {
        if !is_terminal(&definition.name) {
            self.grammar.rules.push(definition);
            return Ok(());
        }
        let (name, range) = (definition.name.clone(), definition.range.clone());
        match self.grammar.terminals.insert(name.clone(), definition) {
            Some(_) => self.fail(format!("there are two terminals `{name}`"), range),
            None => Ok(()),
        }
    }

    fn statement(&mut self, word: &str, range: Range<usize>) -> Result<(), GrammarFault> {
        match word {
            "ignore" => {
                let ignored = self.choice()?;
                self.grammar.ignored.push(ignored);
                Ok(())
            }
            "import" => self.import(),
            "llguidance" => {
                let at = self.range();
                let Token::Json(options) = self.bump() else {
                    return self.unexpected("options in JSON");
                };
                let Some(options) = options.as_object() else {
                    return self.fail("the options are no object", at);
                };
                for (name, value) in options {
                    match (name.as_str(), value.as_bool()) {
                        ("no_forcing" | "allow_invalid_utf8" | "ignore_once", Some(false))
                        | ("no_forcing", _) => {}
                        ("allow_initial_skip", Some(first)) => self.grammar.ignores_first = first,
                        _ => return self.fail(format!("the option `{name}` is not supported"), at),
                    }
                }
                Ok(())
            }
            "declare" | "override" => self.fail(format!("`%{word}` is not supported"), range),
            _ => self.fail(format!("there is no statement `%{word}`"), range),
        }
    }

    /// `common.NAME`, with `-> ALIAS`, or `common (NAME, NAME)`.
    fn import(&mut self) -> Result<(), GrammarFault> {
        let range = self.range();
        if self.bump() != Token::Name("common".into()) {
            return self.fail("only `common` can be imported from", range);
        }
        if self.mark("(") {
            loop {
                let (name, range) = self.name()?;
                self.imported(&name, name.clone(), range)?;
                if !self.mark(",") {
                    return self.need(")");
                }
            }
        }
        self.need(".")?;
        let (name, range) = self.name()?;
        let alias = if self.mark("->") { self.name()?.0 } else { name.clone() };
        self.imported(&name, alias, range)
    }

    fn name(&mut self) -> Result<(String, Range<usize>), GrammarFault> {
        let range = self.range();
        match self.bump() {
            Token::Name(name) => Ok((name, range)),
            _ => self.fail("expected a name", range),
        }
    }

    fn imported(
        &mut self,
        name: &str,
        alias: String,
        range: Range<usize>,
    ) -> Result<(), GrammarFault> {
        let Some(pattern) = common::pattern(name) else {
            return self.fail(format!("`common` has no terminal `{name}`"), range);
        };
        let form = Form::Pattern(pattern.into(), String::new());
        let body = Expression { form, range: range.clone() };
        if !is_terminal(&alias) {
            return self.fail("the name of a terminal is in capitals", range);
        }
        self.define(Definition { name: alias, range, body })
    }

    fn choice(&mut self) -> Result<Expression, GrammarFault> {
        let from = self.range().start;
        if self.depth == NEST_MAX {
            return self.fail(format!("groups nest deeper than {NEST_MAX}"), self.range());
        }
        self.depth += 1;
        let mut arms = vec![self.both()?];
        while self.bar() {
            arms.push(self.both()?);
        }
        self.depth -= 1;
        Ok(self.several(arms, from, Form::Choice))
    }

    /// Passes `|`, which may begin the next line.
    fn bar(&mut self) -> bool {
        let line = *self.peek() == Token::Line;
        let bar = if line { self.next_but_one() } else { self.peek() };
        let found = *bar == Token::Mark("|");
        if found {
            self.at += 1 + usize::from(line);
        }
        found
    }

    fn several(&self, mut parts: Vec<Expression>, from: usize, of: Of) -> Expression {
        match parts.len() {
            1 => parts.remove(0),
            _ => Expression { form: of(parts), range: self.since(from) },
        }
    }

    fn both(&mut self) -> Result<Expression, GrammarFault> {
        let from = self.range().start;
        let mut parts = vec![self.sequence()?];
        while self.mark("&") {
            parts.push(self.sequence()?);
        }
        Ok(self.several(parts, from, Form::Both))
    }

    fn sequence(&mut self) -> Result<Expression, GrammarFault> {
        let from = self.range().start;
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                // Between brackets a line break means nothing.
                Token::Line if self.depth > 1 => {
                    self.bump();
                }
                Token::Line | Token::End | Token::Mark("|" | "&" | ")" | "]") => break,
                Token::Mark("->") => {
                    self.bump();
                    self.name()?;
                    break;
                }
                _ => parts.push(self.suffixed()?),
            }
        }
        Ok(self.several(parts, from, Form::Sequence))
    }

    fn suffixed(&mut self) -> Result<Expression, GrammarFault> {
        let from = self.range().start;
        if self.mark("~") {
            let inner = Form::Not(Box::new(self.atom()?));
            let negated = Expression { form: inner, range: self.since(from) };
            return self.suffix(negated, from);
        }
        let atom = self.atom()?;
        self.suffix(atom, from)
    }

    fn suffix(&mut self, atom: Expression, from: usize) -> Result<Expression, GrammarFault> {
        let at = self.range();
        let (min, max) = match (self.peek(), self.next_but_one()) {
            (Token::Mark("?"), _) => (0, Some(1)),
            (Token::Mark("*"), _) => (0, None),
            (Token::Mark("+"), _) => (1, None),
            (Token::Mark("~"), Token::Number(_)) => {
                self.bump();
                let min = self.number()?;
                let max = if self.mark("..") { self.number()? } else { min };
                return self.counted(atom, from, at, (min, Some(max)));
            }
            (Token::Mark("{"), _) => {
                self.bump();
                let min = if *self.peek() == Token::Mark(",") { 0 } else { self.number()? };
                let max = match self.mark(",") {
                    false => Some(min),
                    true if *self.peek() == Token::Mark("}") => None,
                    true => Some(self.number()?),
                };
                self.need("}")?;
                return self.counted(atom, from, at, (min, max));
            }
            _ => return Ok(atom),
        };
        self.bump();
        self.counted(atom, from, at, (min, max))
    }

    fn counted(
        &self,
        atom: Expression,
        from: usize,
        at: Range<usize>,
        (min, max): (u32, Option<u32>),
    ) -> Result<Expression, GrammarFault> {
        if max.is_some_and(|max| max < min) {
            return self.fail("no count lies between these bounds", self.since(at.start));
        }
        let form = Form::Repeat(Box::new(atom), min, max);
        Ok(Expression { form, range: self.since(from) })
    }

    fn number(&mut self) -> Result<u32, GrammarFault> {
        match *self.peek() {
            Token::Number(number) => {
                self.bump();
                Ok(number)
            }
            _ => self.unexpected("a number"),
        }
    }

    fn atom(&mut self) -> Result<Expression, GrammarFault> {
        let range = self.range();
        let from = range.start;
        let form = match self.bump() {
            Token::Mark("(") => {
                let inner = self.group()?;
                self.need(")")?;
                return Ok(Expression { range: self.since(from), ..inner });
            }
            Token::Mark("[") => {
                let inner = self.group()?;
                self.need("]")?;
                Form::Repeat(Box::new(inner), 0, Some(1))
            }
            Token::Text(text, ignore_case) => match self.mark("..") {
                true => self.between(&text, range)?,
                false => Form::Text(text, ignore_case),
            },
            Token::Pattern(pattern, flags) => Form::Pattern(pattern, flags),
            Token::Name(name) => Form::Name(name),
            Token::Word(word) if word == "json" => match self.bump() {
                Token::Json(schema) => Form::Json(schema),
                _ => return self.unexpected("a schema"),
            },
            Token::Word(word) if word == "regex" => match self.bump() {
                Token::Json(options) => run_of(&options, range.clone())?,
                _ => return self.unexpected("options in JSON"),
            },
            _ => return self.fail("expected a part of a rule", range),
        };
        Ok(Expression { form, range: self.since(from) })
    }

    /// What stands between brackets, where line breaks mean nothing before the last.
    fn group(&mut self) -> Result<Expression, GrammarFault> {
        while self.has(&Token::Line) {}
        let inner = self.choice()?;
        while self.has(&Token::Line) {}
        Ok(inner)
    }

    fn between(&mut self, first: &str, range: Range<usize>) -> Result<Form, GrammarFault> {
        let Token::Text(last, false) = self.bump() else {
            return self.unexpected("the last character of the range");
        };
        let single = |text: &str| {
            let mut characters = text.chars();
            characters.next().filter(|_| characters.next().is_none())
        };
        match single(first).zip(single(&last)) {
            Some((first, last)) if first <= last => Ok(Form::Between(first, last)),
            _ => self.fail("a range goes from one character to a later one", range),
        }
    }
}

/// Makes one form of several expressions.
type Of = fn(Vec<Expression>) -> Form;

/// What `%regex` says: a run of words, characters or chunks.
fn run_of(options: &Value, range: Range<usize>) -> Result<Form, GrammarFault> {
    let message = "`%regex` takes one of substring_chars and substring_chunks";
    let fault = || GrammarFault::new(message, range.clone());
    let options = options.as_object().ok_or_else(fault)?;
    let (Some((name, value)), 1) = (options.iter().next(), options.len()) else {
        return Err(fault());
    };
    match (name.as_str(), value) {
        ("substring_chars", Value::String(text)) => {
            Ok(Form::RunOf(text.chars().map(String::from).collect()))
        }
        ("substring_chunks", Value::Array(chunks)) => {
            let chunks = chunks.iter().map(|chunk| chunk.as_str().map(String::from));
            Ok(Form::RunOf(chunks.collect::<Option<_>>().ok_or_else(fault)?))
        }
        _ => Err(fault()),
    }
}
