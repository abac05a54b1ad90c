//! Reads XGrammar's EBNF and GBNF, which share their shape.
//!
//! XGrammar's look-ahead is a hint about speed and means nothing for the language. Its macros
//! `Regex`, `Substring` and `TagDispatch` are read; those that name tokens are refused, as are
//! rule options, which steer an engine and not the language, or bound it by tokens.

use std::ops::Range;

use super::cursor::Cursor;
use super::free::{self, Free};
use super::pattern;
use super::rules::Rules;
use super::spelling;
use super::{GrammarFault, Syntax};
use crate::chars::until::every_character;
use crate::ir::Ir;

const COMMENTS: [&str; 1] = ["#"];

pub(super) fn read(syntax: Syntax, text: &str) -> Result<Ir, GrammarFault> {
    let mut reader = Reader { cursor: Cursor::new(text), syntax, rules: Rules::default() };
    reader.cursor.blank(&COMMENTS);
    while reader.cursor.peek().is_some() {
        reader.rule()?;
    }
    reader.rules.finish("root", 0..text.len())
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    syntax: Syntax,
    rules: Rules,
}

impl<'a> Reader<'a> {
    fn rule(&mut self) -> Result<(), GrammarFault> {
        let Some((name, range)) = self.name() else {
            return self.cursor.unexpected("the name of a rule");
        };
        self.options(name)?;
        self.cursor.blank(&COMMENTS);
        self.cursor.need("::=")?;
        let body = self.choice()?;
        if self.syntax == Syntax::Ebnf && self.cursor.rest().starts_with("(=") {
            self.look_ahead()?;
        }
        self.rules.define(name, range, body)?;
        match self.cursor.peek().is_none() || self.at_rule() {
            true => Ok(()),
            false => self.cursor.unexpected("a part of a rule"),
        }
    }

    /// Passes a name.
    fn name(&mut self) -> Option<(&'a str, Range<usize>)> {
        let from = self.cursor.at;
        let name = self.cursor.run(|c| match self.syntax {
            Syntax::Ebnf => c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'),
            _ => c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
        });
        (!name.is_empty()).then_some((name, from..self.cursor.at))
    }

    fn options(&mut self, rule: &str) -> Result<(), GrammarFault> {
        let from = self.cursor.at;
        if self.syntax != Syntax::Ebnf || !self.cursor.has("[") {
            return Ok(());
        }
        self.cursor.run(|c| c != ']' && c != '\n');
        self.cursor.has("]");
        let options = &self.cursor.text[from..self.cursor.at];
        let message = format!(
            "the options `{options}` of rule `{rule}` steer an engine, a grammar here is a \
             language alone"
        );
        self.cursor.fail(message, from..self.cursor.at)
    }

    /// Whether a definition is next. The place stays.
    fn at_rule(&mut self) -> bool {
        let from = self.cursor.at;
        let mut found = self.name().is_some();
        if found && self.syntax == Syntax::Ebnf && self.cursor.has("[") {
            self.cursor.run(|c| c != ']' && c != '\n');
            found = self.cursor.has("]");
        }
        self.cursor.blank(&COMMENTS);
        found &= self.cursor.has("::=");
        self.cursor.at = from;
        found
    }

    fn choice(&mut self) -> Result<Ir, GrammarFault> {
        self.cursor.enter()?;
        let mut arms = vec![self.sequence()?];
        while self.cursor.has("|") {
            arms.push(self.sequence()?);
        }
        self.cursor.leave();
        Ok(Ir::choice(arms))
    }

    fn sequence(&mut self) -> Result<Ir, GrammarFault> {
        self.cursor.blank(&COMMENTS);
        let mut parts = Vec::new();
        let empty_group = self.cursor.rest().starts_with(')');
        while let Some(part) = self.element()? {
            self.cursor.blank(&COMMENTS);
            parts.push(self.suffixed(part)?);
            self.cursor.blank(&COMMENTS);
        }
        if parts.is_empty() && self.syntax == Syntax::Ebnf && !empty_group {
            return self.cursor.unexpected("a part of a rule");
        }
        Ok(Ir::sequence(parts))
    }

    fn element(&mut self) -> Result<Option<Ir>, GrammarFault> {
        let from = self.cursor.at;
        Ok(Some(match self.cursor.peek() {
            Some('"') => Ir::value(&spelling::string(&mut self.cursor, self.syntax)?),
            Some('[') => spelling::class(&mut self.cursor, self.syntax)?,
            Some('(') if self.syntax == Syntax::Ebnf && self.cursor.rest().starts_with("(=") => {
                return Ok(None);
            }
            Some('(') => {
                self.cursor.bump();
                let inner = self.choice()?;
                self.cursor.need(")")?;
                inner
            }
            Some('.') if self.syntax == Syntax::Gbnf => {
                self.cursor.bump();
                Ir::class(every_character())
            }
            Some('<' | '!') if self.syntax == Syntax::Gbnf => {
                self.cursor.run(|c| c != '>' && c != '\n');
                self.cursor.has(">");
                return self
                    .cursor
                    .fail("a token has no meaning in a grammar of text", from..self.cursor.at);
            }
            _ if self.at_rule() => return Ok(None),
            _ => match self.name() {
                None => return Ok(None),
                Some((name, range)) => match self.syntax {
                    Syntax::Ebnf if self.cursor.rest().starts_with('(') => {
                        self.called(name, range)?
                    }
                    _ => self.rules.call(name, range),
                },
            },
        }))
    }

    /// `part` with the suffix that is next, if there is one.
    fn suffixed(&mut self, part: Ir) -> Result<Ir, GrammarFault> {
        let (min, max) = if self.cursor.has("*") {
            (0, None)
        } else if self.cursor.has("+") {
            (1, None)
        } else if self.cursor.has("?") {
            (0, Some(1))
        } else if self.cursor.rest().starts_with('{') {
            self.counts()?
        } else {
            return Ok(part);
        };
        Ok(Ir::repeat(part, min, max, None))
    }

    fn counts(&mut self) -> Result<(u32, Option<u32>), GrammarFault> {
        let from = self.cursor.at;
        self.cursor.need("{")?;
        self.cursor.blank(&[]);
        let min = self.cursor.number()?;
        self.cursor.blank(&[]);
        let mut max = Some(min);
        if self.cursor.has(",") {
            self.cursor.blank(&[]);
            max = match self.cursor.peek() {
                Some('}') => None,
                Some('-') if self.syntax == Syntax::Ebnf && self.cursor.has("-1") => None,
                _ => Some(self.cursor.number()?),
            };
            self.cursor.blank(&[]);
        }
        self.cursor.need("}")?;
        match max.is_some_and(|max| max < min) {
            true => self.cursor.fail("no count lies between these bounds", from..self.cursor.at),
            false => Ok((min, max)),
        }
    }

    /// Passes `(= … )`, which must be right but means nothing.
    fn look_ahead(&mut self) -> Result<(), GrammarFault> {
        self.cursor.need("(=")?;
        self.choice()?;
        self.cursor.need(")")?;
        self.cursor.blank(&COMMENTS);
        Ok(())
    }

    /// A macro or a call with parentheses behind it.
    fn called(&mut self, name: &str, range: Range<usize>) -> Result<Ir, GrammarFault> {
        match name {
            "Regex" => self.regex(),
            "Substring" => {
                let (chunks, _) = self.arguments(&[])?;
                let mut texts = Vec::new();
                for chunk in chunks {
                    match chunk {
                        Argument::Text(text, _) => texts.push(Ir::value(&text)),
                        other => return self.cursor.fail("this must be a string", other.range()),
                    }
                }
                Ok(free::run_of(&texts))
            }
            "TagDispatch" => self.dispatch(range),
            "Token" | "ExcludeToken" | "TokenTagDispatch" => {
                let message =
                    format!("`{name}` means tokens, a grammar here is a language of text");
                self.cursor.fail(message, range)
            }
            _ => Ok(self.rules.call(name, range)),
        }
    }

    fn regex(&mut self) -> Result<Ir, GrammarFault> {
        let from = self.cursor.at;
        let (arguments, named) = self.arguments(&["json_string", "flags"])?;
        let [Argument::Text(pattern, range)] = arguments.as_slice() else {
            return self.cursor.fail("`Regex` takes one pattern", from..self.cursor.at);
        };
        let mut flags = String::new();
        for (name, value) in named {
            match (name, value) {
                ("flags", Argument::Text(text, _)) => flags = text,
                ("json_string", Argument::Word(false, _)) => {}
                ("json_string", Argument::Word(true, range)) => {
                    let message = "a pattern about the meaning of a JSON string is the schema \
                                   `{\"pattern\": …}` here";
                    return self.cursor.fail(message, range);
                }
                (_, other) => return self.cursor.fail("this value has no meaning", other.range()),
            }
        }
        let pattern = pattern::translated(pattern);
        let whole = match flags.is_empty() {
            true => pattern,
            false => format!("(?{flags}:{pattern})"),
        };
        Ir::regex(&whole).or_else(|error| self.cursor.fail(error.message, range.clone()))
    }

    fn dispatch(&mut self, name: Range<usize>) -> Result<Ir, GrammarFault> {
        let (pairs, named) = self.arguments(&["loop_after_dispatch", "excludes"])?;
        let mut free = Free { triggers: Vec::new(), excludes: Vec::new(), goes_on: true };
        for pair in pairs {
            let range = pair.range();
            match pair {
                Argument::Tuple(parts, _) => match <[Argument; 2]>::try_from(parts) {
                    Ok([Argument::Text(trigger, _), Argument::Rule(body, _)])
                        if !trigger.is_empty() =>
                    {
                        free.triggers.push((trigger, body));
                    }
                    _ => return self.cursor.fail("this must be (\"trigger\", rule)", range),
                },
                _ => return self.cursor.fail("this must be (\"trigger\", rule)", range),
            }
        }
        for (name, value) in named {
            match (name, value) {
                ("loop_after_dispatch", Argument::Word(goes_on, _)) => free.goes_on = goes_on,
                ("excludes", Argument::Tuple(parts, range)) => {
                    for part in parts {
                        match part {
                            Argument::Text(text, _) if !text.is_empty() => free.excludes.push(text),
                            _ => return self.cursor.fail("these must be strings", range),
                        }
                    }
                }
                (_, other) => return self.cursor.fail("this value has no meaning", other.range()),
            }
        }
        free::lower(&free).or_else(|error| self.cursor.fail(error.to_string(), name))
    }

    /// The arguments between the parentheses that are next, and those with one of `names`.
    fn arguments(&mut self, names: &[&'static str]) -> Result<Arguments, GrammarFault> {
        self.cursor.enter()?;
        self.cursor.need("(")?;
        let (mut plain, mut named) = (Vec::new(), Vec::new());
        loop {
            self.cursor.blank(&COMMENTS);
            if self.cursor.has(")") {
                break;
            }
            let from = self.cursor.at;
            let name = self.name().map(|(name, _)| name);
            self.cursor.blank(&COMMENTS);
            match name {
                Some(name) if self.cursor.has("=") => {
                    let Some(known) = names.iter().find(|known| **known == name) else {
                        let message = format!("there is no argument `{name}`");
                        return self.cursor.fail(message, from..self.cursor.at);
                    };
                    self.cursor.blank(&COMMENTS);
                    named.push((*known, self.argument()?));
                }
                _ => {
                    self.cursor.at = from;
                    plain.push(self.argument()?);
                }
            }
            self.cursor.blank(&COMMENTS);
            if !self.cursor.has(",") && !self.cursor.rest().starts_with(')') {
                return self.cursor.unexpected("`,` or `)`");
            }
        }
        self.cursor.leave();
        Ok((plain, named))
    }

    fn argument(&mut self) -> Result<Argument, GrammarFault> {
        let from = self.cursor.at;
        match self.cursor.peek() {
            Some('"') => {
                let text = spelling::string(&mut self.cursor, self.syntax)?;
                Ok(Argument::Text(text, from..self.cursor.at))
            }
            Some('(') => {
                let (parts, _) = self.arguments(&[])?;
                Ok(Argument::Tuple(parts, from..self.cursor.at))
            }
            _ => match self.name() {
                Some(("true", range)) => Ok(Argument::Word(true, range)),
                Some(("false", range)) => Ok(Argument::Word(false, range)),
                Some((name, range)) => {
                    Ok(Argument::Rule(self.rules.call(name, range.clone()), range))
                }
                None => self.cursor.unexpected("an argument"),
            },
        }
    }
}

/// Arguments without a name, and those with one.
type Arguments = (Vec<Argument>, Vec<(&'static str, Argument)>);

enum Argument {
    Text(String, Range<usize>),
    Word(bool, Range<usize>),
    Rule(Ir, Range<usize>),
    Tuple(Vec<Argument>, Range<usize>),
}

impl Argument {
    fn range(&self) -> Range<usize> {
        match self {
            Self::Text(_, range)
            | Self::Word(_, range)
            | Self::Rule(_, range)
            | Self::Tuple(_, range) => range.clone(),
        }
    }
}
