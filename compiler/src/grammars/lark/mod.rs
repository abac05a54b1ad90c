//! Reads Lark as llguidance 1.9 does.
//!
//! Rules call each other freely; terminals are regular, with `&` and `~`. A grammar means every
//! text that some division into terminals makes; llguidance's lexer takes the longest terminal
//! that fits, so it may refuse some of these. What is ignored stands between terminals only,
//! never before the first and behind the last. Attributes that steer an engine are refused.

mod common;
mod ignore;
mod parse;
mod regular;
mod terminals;
mod tokens;

use std::ops::Range;
use std::sync::Arc;

use self::parse::{Definition, Expression, Form};
use self::terminals::Terminals;
use super::GrammarFault;
use super::rules::{self, Rules};
use crate::ir::Ir;
use crate::schema::SchemaOptions;

/// A rule of this name is no rule of a grammar, which have no `.` in their names.
const IGNORED: &str = "ignored.";
/// What each terminal's own rule is called, where something is ignored.
const LEXEME: &str = "lexeme.";

pub(super) fn read(text: &str) -> Result<Ir, GrammarFault> {
    let grammar = parse::parse(text)?;
    let mut reader = Reader {
        rules: Rules::default(),
        terminals: Terminals::new(&grammar)?,
        lexemes: (!grammar.ignored.is_empty()).then(Vec::new),
    };
    for Definition { name, range, body } in &grammar.rules {
        let body = reader.expression(body)?;
        reader.rules.define(name, range.clone(), body)?;
    }
    let whole = 0..text.len();
    let Some(lexemes) = reader.lexemes.take() else {
        return reader.rules.finish("start", whole);
    };
    let ignored: Vec<Ir> =
        grammar.ignored.iter().map(|one| reader.terminals.lower(one)).collect::<Result<_, _>>()?;
    let ignored = Ir::repeat(Ir::choice(ignored), 0, None, None);
    reader.rules.define(IGNORED, whole.clone(), ignored)?;
    for (at, (lexeme, range)) in lexemes.into_iter().enumerate() {
        let gap = reader.rules.call(IGNORED, range.clone());
        let body = Ir::sequence([gap, lexeme]);
        reader.rules.define(&format!("{LEXEME}{at}"), range, body)?;
    }
    let (named, start) = reader.rules.listed("start", whole.clone())?;
    if grammar.ignores_first {
        return rules::assemble(named, start)
            .map_err(|error| GrammarFault::new(error.to_string(), whole));
    }
    ignore::without_first(named, start).map_err(|error| GrammarFault::new(error.to_string(), whole))
}

struct Reader {
    rules: Rules,
    terminals: Terminals,
    /// The terminals so far with their places, if something is ignored between them.
    lexemes: Option<Vec<(Ir, Range<usize>)>>,
}

impl Reader {
    fn expression(&mut self, expression: &Expression) -> Result<Ir, GrammarFault> {
        let range = expression.range.clone();
        Ok(match &expression.form {
            Form::Sequence(parts) => Ir::sequence(self.all(parts)?),
            Form::Choice(arms) => Ir::choice(self.all(arms)?),
            Form::Repeat(body, min, max) => Ir::repeat(self.expression(body)?, *min, *max, None),
            Form::Name(name) if !is_terminal(name) => self.rules.call(name, range),
            Form::Json(schema) => {
                let schema = Ir::schema(Arc::clone(schema), SchemaOptions::default());
                let schema = schema.map_err(|error| GrammarFault::new(error.to_string(), range))?;
                self.lexeme(schema, expression)
            }
            Form::Both(..) | Form::Not(_) => {
                let message = "`&` and `~` are for terminals, whose names are in capitals";
                return Err(GrammarFault::new(message, range));
            }
            _ => {
                let terminal = self.terminals.lower(expression)?;
                self.lexeme(terminal, expression)
            }
        })
    }

    fn all(&mut self, parts: &[Expression]) -> Result<Vec<Ir>, GrammarFault> {
        parts.iter().map(|part| self.expression(part)).collect()
    }

    /// `lexeme`, or a call of its own rule if something is ignored before it.
    fn lexeme(&mut self, lexeme: Ir, from: &Expression) -> Ir {
        let Some(lexemes) = &mut self.lexemes else { return lexeme };
        let (place, range) = (lexemes.len(), from.range.clone());
        lexemes.push((lexeme, range.clone()));
        self.rules.call(&format!("{LEXEME}{place}"), range)
    }
}

fn is_terminal(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_uppercase())
}
