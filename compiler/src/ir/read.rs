//! Reads the printed form of an [`Ir`](super::Ir).
//!
//! Everything is built through the constructors again, so what is read is as normal as what was
//! printed.

use std::collections::BTreeMap;
use std::sync::Arc;

use thiserror::Error;

use super::tokens::{self, Token};
use super::{Ir, Machine, Origin, Part, Rule, RuleId, State};
use crate::schema::SchemaOptions;

/// How deep parts may nest.
const DEPTH_MAX: usize = 200;

/// Where a text stops being a printed form, and why.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message} at byte {at}")]
pub struct ReadError {
    /// What is wrong.
    pub message: String,
    /// The byte.
    pub at: usize,
}

pub(super) fn read(printed: &str) -> Result<Ir, ReadError> {
    let tokens = tokens::cut(printed)?;
    let mut reader = Reader { tokens, at: 0, depth: 0, scopes: Vec::new() };
    let ir = reader.choice()?;
    match reader.peek() {
        Token::End => Ok(ir),
        _ => reader.unexpected("the end"),
    }
}

pub(super) struct Reader {
    tokens: Vec<(Token, usize)>,
    /// The next token; the last one is never passed.
    at: usize,
    depth: usize,
    /// The rules of each enclosing grammar.
    scopes: Vec<BTreeMap<String, Named>>,
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Named {
    One(RuleId),
    Several,
}

impl Reader {
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn byte(&self) -> usize {
        self.tokens[self.at].1
    }

    pub(super) fn unexpected<T>(&self, expected: &str) -> Result<T, ReadError> {
        self.fail(self.byte(), format!("expected {expected}"))
    }

    pub(super) fn fail<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError { message: message.into(), at })
    }

    /// Passes `mark` if it is next.
    pub(super) fn has(&mut self, mark: &'static str) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn need(&mut self, mark: &'static str) -> Result<(), ReadError> {
        match self.has(mark) {
            true => Ok(()),
            false => self.unexpected(&format!("`{mark}`")),
        }
    }

    /// Passes `word` if it is next.
    pub(super) fn says(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(found) if found == word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn number(&mut self) -> Result<u32, ReadError> {
        match *self.peek() {
            Token::Number(number) => {
                self.bump();
                Ok(number)
            }
            _ => self.unexpected("a number"),
        }
    }

    pub(super) fn source_text(&mut self) -> Result<Arc<str>, ReadError> {
        match self.peek().clone() {
            Token::Text(text, Origin::Source) => {
                self.bump();
                Ok(text.into())
            }
            _ => self.unexpected("a text in double quotes"),
        }
    }

    pub(super) fn choice(&mut self) -> Result<Ir, ReadError> {
        if self.depth == DEPTH_MAX {
            return self.fail(self.byte(), format!("parts nest deeper than {DEPTH_MAX}"));
        }
        self.depth += 1;
        let mut arms = vec![self.sequence()?];
        while self.has("|") {
            arms.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(Ir::choice(arms))
    }

    fn sequence(&mut self) -> Result<Ir, ReadError> {
        let mut parts = vec![self.part()?];
        while self.begins_part() {
            parts.push(self.part()?);
        }
        Ok(Ir::sequence(parts))
    }

    fn begins_part(&self) -> bool {
        match self.peek() {
            Token::Mark(mark) => *mark == "(",
            Token::Number(_) | Token::End => false,
            _ => true,
        }
    }

    /// An operand and the suffix behind it.
    fn part(&mut self) -> Result<Ir, ReadError> {
        let body = self.operand()?;
        if self.has("?") {
            Ok(Ir::optional(body))
        } else if self.has("*") {
            Ok(Ir::repeat(body, 0, None, None))
        } else if self.has("+") {
            Ok(Ir::repeat(body, 1, None, None))
        } else if self.has("{") {
            self.counts(body)
        } else {
            Ok(body)
        }
    }

    fn counts(&mut self, body: Ir) -> Result<Ir, ReadError> {
        let at = self.byte();
        let min = self.number()?;
        let max = match (self.has(","), self.peek()) {
            (false, _) => Some(min),
            (true, Token::Number(_)) => Some(self.number()?),
            (true, _) => None,
        };
        let separator = if self.says("sep") { Some(self.choice()?) } else { None };
        self.need("}")?;
        match max.is_some_and(|max| max < min) {
            true => self.fail(at, "no count lies between these bounds"),
            false => Ok(Ir::repeat(body, min, max, separator)),
        }
    }

    pub(super) fn operand(&mut self) -> Result<Ir, ReadError> {
        let at = self.byte();
        match self.peek().clone() {
            Token::Text(string, origin) => {
                self.bump();
                Ok(Ir::literal(&string, origin))
            }
            Token::Class(set) => {
                self.bump();
                Ok(Ir::class(set))
            }
            Token::Mark("(") => {
                self.bump();
                let inner = self.choice()?;
                self.need(")")?;
                Ok(inner)
            }
            Token::Word(word) => {
                self.bump();
                self.word(&word, at)
            }
            _ => self.unexpected("a part"),
        }
    }

    fn word(&mut self, word: &str, at: usize) -> Result<Ir, ReadError> {
        match word {
            "empty" => Ok(Ir::empty()),
            "never" => Ok(Ir::never()),
            "anything" => self.anything(at),
            "dispatch" => self.dispatch(at),
            "capture" => self.capture(),
            "token" => self.token(),
            "regex" => self.regex(),
            "schema" => self.schema(at),
            "joined" => self.joined(),
            "automaton" => self.automaton(),
            "grammar" => self.grammar(at),
            "tracked" => self.tracked(),
            "observed" => self.inside().map(Ir::observed),
            "act" => self.number().map(Ir::act),
            "rule" => self.number().map(|number| Ir::call(RuleId(number))),
            name => self.named(name, at).map(Ir::call),
        }
    }

    /// The only rule of this name in the nearest enclosing grammar.
    fn named(&self, name: &str, at: usize) -> Result<RuleId, ReadError> {
        match self.scopes.last().and_then(|names| names.get(name)) {
            Some(Named::One(rule)) => Ok(*rule),
            Some(Named::Several) => self.fail(at, format!("there are two rules `{name}`")),
            None => self.fail(at, format!("there is no rule `{name}`")),
        }
    }

    fn regex(&mut self) -> Result<Ir, ReadError> {
        let at = self.byte();
        let pattern: Arc<str> = match self.peek().clone() {
            Token::Pattern(pattern) => {
                self.bump();
                pattern.into()
            }
            _ => self.source_text()?,
        };
        Ir::regex(&pattern).or_else(|error| self.fail(at, error.to_string()))
    }

    fn schema(&mut self, at: usize) -> Result<Ir, ReadError> {
        let Token::Json(source) = self.bump() else {
            return self.fail(at, "the schema is missing");
        };
        let mut options = SchemaOptions::default();
        if self.says("with") {
            let Token::Json(serde_json::Value::Object(arguments)) = self.bump() else {
                return self.fail(at, "the options of a schema are a JSON object");
            };
            let arguments: Vec<_> = arguments.into_iter().collect();
            options = match SchemaOptions::from_arguments(&arguments) {
                Ok(options) => options,
                Err(error) => return self.fail(at, error.to_string()),
            };
        }
        Ir::schema(source.into(), options).or_else(|error| self.fail(at, error.to_string()))
    }

    fn joined(&mut self) -> Result<Ir, ReadError> {
        if !self.says("by") {
            return self.unexpected("`by`");
        }
        let separator = self.nested_operand()?;
        self.need("{")?;
        let mut parts = Vec::new();
        loop {
            let required = !self.says("may");
            parts.push(Part { body: self.choice()?, required });
            if !self.has(";") {
                break;
            }
        }
        self.need("}")?;
        Ok(Ir::joined(separator, parts))
    }

    /// An operand that is counted as one level, so that a chain of them is bounded too.
    pub(super) fn nested_operand(&mut self) -> Result<Ir, ReadError> {
        if self.depth == DEPTH_MAX {
            return self.fail(self.byte(), format!("parts nest deeper than {DEPTH_MAX}"));
        }
        self.depth += 1;
        let separator = self.operand();
        self.depth -= 1;
        separator
    }

    fn tracked(&mut self) -> Result<Ir, ReadError> {
        let at = self.byte();
        let Ok(machine) = self.source_text()?.parse() else {
            return self.fail(at, "this is no printed machine");
        };
        self.inside().map(|body| Ir::tracked(body, Arc::<Machine>::new(machine)))
    }

    /// A part in braces.
    fn inside(&mut self) -> Result<Ir, ReadError> {
        self.need("{")?;
        let inside = self.choice()?;
        self.need("}")?;
        Ok(inside)
    }

    fn automaton(&mut self) -> Result<Ir, ReadError> {
        self.need("{")?;
        let mut states: Vec<State> = Vec::new();
        let mut targets = Vec::new();
        loop {
            let at = self.byte();
            if self.number()? as usize != states.len() {
                return self.fail(at, format!("expected state {}", states.len()));
            }
            let accepting = self.says("end");
            let mut edges = Vec::new();
            if self.has(":") {
                loop {
                    let label = self.choice()?;
                    self.need("->")?;
                    targets.push((self.byte(), self.number()? as usize));
                    edges.push((label, targets[targets.len() - 1].1));
                    if !self.has(",") {
                        break;
                    }
                }
            }
            states.push(State { edges, accepting });
            if !self.has(";") {
                break;
            }
        }
        self.need("}")?;
        match targets.into_iter().find(|(_, to)| *to >= states.len()) {
            Some((at, to)) => self.fail(at, format!("there is no state {to}")),
            None => Ok(Ir::automaton(states)),
        }
    }

    fn grammar(&mut self, at: usize) -> Result<Ir, ReadError> {
        let start = self.bump();
        let start_at = self.byte();
        let start = match start {
            Token::Word(word) if word == "rule" => Err(self.number()?),
            Token::Word(word) => Ok(word),
            _ => return self.fail(at, "the grammar has no start rule"),
        };
        self.need("{")?;
        self.scopes.push(self.rule_names());
        let start = match start {
            Ok(name) => self.named(&name, start_at)?,
            Err(number) => RuleId(number),
        };
        let mut rules = Vec::new();
        loop {
            let name = match self.bump() {
                Token::Word(name) | Token::Text(name, Origin::Source) => name,
                _ => return self.fail(at, "a rule of the grammar has no name"),
            };
            self.need("=")?;
            rules.push(Rule { name, body: self.choice()? });
            if !self.has(";") {
                break;
            }
        }
        self.need("}")?;
        self.scopes.pop();
        Ir::grammar(rules, start).or_else(|error| self.fail(at, error.to_string()))
    }

    /// The names of the rules from here to the closing brace: only they stand before a `=`.
    fn rule_names(&self) -> BTreeMap<String, Named> {
        let mut names = BTreeMap::new();
        let (mut depth, mut count) = (0_usize, 0);
        for pair in self.tokens[self.at..].windows(2) {
            match (&pair[0].0, &pair[1].0) {
                (Token::Mark("{"), _) => depth += 1,
                (Token::Mark("}"), _) if depth == 0 => break,
                (Token::Mark("}"), _) => depth -= 1,
                (Token::Word(name) | Token::Text(name, Origin::Source), Token::Mark("="))
                    if depth == 0 =>
                {
                    names
                        .entry(name.clone())
                        .and_modify(|named| *named = Named::Several)
                        .or_insert(Named::One(RuleId(count)));
                    count += 1;
                }
                _ => {}
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::Ir;

    #[test]
    fn faults_have_their_byte() {
        let cases = [
            ("", 0, "expected a part"),
            ("\"a", 0, "the text has no closing quote"),
            ("\"a\" )", 4, "expected the end"),
            ("(\"a\" | )", 7, "expected a part"),
            ("\"a\"?*", 4, "expected the end"),
            ("\"\\q\"", 1, "unknown escape"),
            ("\"\\u{d800}\"", 1, "this is no character"),
            ("\"a\"{3,2}", 4, "no count lies between these bounds"),
            ("\"a\"{4294967296}", 4, "the number is too large"),
            ("[z-a]", 1, "the range is reversed"),
            ("[]", 0, "the class is empty"),
            ("[a", 0, "the class has no closing bracket"),
            ("x", 0, "there is no rule `x`"),
            ("grammar a { b = \"x\" }", 10, "there is no rule `a`"),
            ("grammar a { a = \"x\"; a = \"y\" }", 10, "there are two rules `a`"),
            (
                "grammar a { a = a (capture x \"b\") | \"c\" }",
                0,
                "rule `a` calls itself before it reads anything: a → a",
            ),
            ("automaton { 1 end }", 12, "expected state 0"),
            ("automaton { 0: \"a\" -> 1 }", 22, "there is no state 1"),
            ("schema nope", 7, "not JSON: expected ident at line 1 column 2"),
            ("schema true with 3", 0, "the options of a schema are"),
            ("schema true with {\"wide\":1}", 0, "`wide` is no option"),
            ("regex /a", 6, "the pattern has no closing slash"),
            ("anything until 'x'", 15, "expected a text in double quotes"),
            ("anything until (\"ab\" | \"ba\")", 0, "delimiters `ab` and `ba` overlap"),
            ("é §", 0, "unexpected `é`"),
        ];
        for (printed, at, message) in cases {
            let error = Ir::read(printed).expect_err(printed);
            assert_eq!(error.at, at, "{printed}: {error}");
            assert!(error.message.starts_with(message), "{printed}: {error}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth| format!("{}\"a\"{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(Ir::read(&nested(199)), Ok(Ir::text("a")));
        let error = Ir::read(&nested(100_000)).expect_err("too deep");
        assert_eq!((error.at, error.message.as_str()), (200, "parts nest deeper than 200"));
        let chain = "joined by ".repeat(100_000);
        assert!(Ir::read(&chain).expect_err("too deep").message.contains("deeper"));
    }
}
