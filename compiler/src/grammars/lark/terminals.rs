//! Terminals as languages.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::is_terminal;
use super::parse::{Definition, Expression, Form, Grammar};
use super::regular::{self, Dfa, Nfa};
use crate::grammars::{GrammarFault, free};
use crate::ir::Ir;

/// The terminals by name.
pub(super) struct Terminals {
    languages: BTreeMap<String, Ir>,
}

impl Terminals {
    /// The terminals of `grammar`, each after those that it uses.
    pub(super) fn new(grammar: &Grammar) -> Result<Self, GrammarFault> {
        let mut terminals = Self { languages: BTreeMap::new() };
        for name in grammar.terminals.keys() {
            terminals.define(name, &grammar.terminals)?;
        }
        Ok(terminals)
    }

    fn define(
        &mut self,
        name: &str,
        all: &BTreeMap<String, Definition>,
    ) -> Result<(), GrammarFault> {
        // Those being defined, and what each still needs.
        let mut open: Vec<(&Definition, Vec<&str>)> = Vec::new();
        let mut opened = BTreeSet::new();
        let mut next = all.get(name);
        loop {
            if let Some(definition) = next.take()
                && !self.languages.contains_key(&definition.name)
            {
                if !opened.insert(&definition.name) {
                    let message = format!("the terminal `{}` uses itself", definition.name);
                    return Err(GrammarFault::new(message, definition.range.clone()));
                }
                let mut needs = Vec::new();
                names(&definition.body, &mut needs);
                open.push((definition, needs));
            }
            let Some((definition, needs)) = open.last_mut() else { return Ok(()) };
            if let Some(need) = needs.pop() {
                next = all.get(need);
                continue;
            }
            let (name, language) = (definition.name.clone(), self.lower(&definition.body)?);
            self.languages.insert(name.clone(), language);
            opened.remove(&name);
            open.pop();
        }
    }

    /// The language of a terminal's body, or of a text or pattern in a rule.
    pub(super) fn lower(&self, expression: &Expression) -> Result<Ir, GrammarFault> {
        let fault = |message: &str| GrammarFault::new(message, expression.range.clone());
        let all = |parts: &[Expression]| {
            parts.iter().map(|part| self.lower(part)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match &expression.form {
            Form::Text(text, false) => Ir::value(text),
            Form::Text(text, true) => {
                let pattern = format!("(?i:{})", regex_syntax::escape(text));
                Ir::regex(&pattern).map_err(|error| fault(&error.message))?
            }
            Form::Pattern(pattern, flags) => {
                let flags: String = flags.chars().filter(|flag| "imsx".contains(*flag)).collect();
                let whole = match flags.is_empty() {
                    true => pattern.clone(),
                    false => format!("(?{flags}:{pattern})"),
                };
                Ir::regex(&whole).map_err(|error| fault(&error.message))?
            }
            Form::Between(first, last) => {
                Ir::class(ClassUnicode::new([ClassUnicodeRange::new(*first, *last)]))
            }
            Form::Name(name) => match self.languages.get(name) {
                Some(language) => language.clone(),
                None if is_terminal(name) => {
                    return Err(fault(&format!("there is no terminal `{name}`")));
                }
                None => {
                    let message = format!("the rule `{name}` cannot be part of a terminal");
                    return Err(fault(&message));
                }
            },
            Form::Sequence(parts) => Ir::sequence(all(parts)?),
            Form::Choice(arms) => Ir::choice(all(arms)?),
            Form::Repeat(body, min, max) => Ir::repeat(self.lower(body)?, *min, *max, None),
            Form::Both(parts) => {
                let mut parts = all(parts)?.into_iter();
                let first = parts.next().unwrap_or_else(Ir::never);
                let mut both = dfa(&first).map_err(fault)?;
                for part in parts {
                    both = both
                        .intersection(&dfa(&part).map_err(fault)?)
                        .ok_or_else(|| fault(regular::TOO_LARGE))?;
                }
                both.lower()
            }
            Form::Not(part) => dfa(&self.lower(part)?).map_err(fault)?.complement().lower(),
            Form::RunOf(chunks) => {
                free::run_of(&chunks.iter().map(|chunk| Ir::value(chunk)).collect::<Vec<_>>())
            }
            Form::Json(_) => return Err(fault("a schema is no part of a terminal")),
        })
    }
}

fn dfa(ir: &Ir) -> Result<Dfa, &'static str> {
    Nfa::new(ir).and_then(|nfa| Dfa::new(&nfa)).ok_or(regular::TOO_LARGE)
}

/// The terminals that `expression` uses.
fn names<'a>(expression: &'a Expression, found: &mut Vec<&'a str>) {
    match &expression.form {
        Form::Name(name) => found.push(name),
        Form::Sequence(parts) | Form::Choice(parts) | Form::Both(parts) => {
            parts.iter().for_each(|part| names(part, found));
        }
        Form::Repeat(body, ..) | Form::Not(body) => names(body, found),
        _ => {}
    }
}
