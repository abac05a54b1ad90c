//! Says an [`Ir`] as an EBNF grammar.
//!
//! All of it can be said: recursion and counts are the dialect's own, automata become a rule for
//! each state, joined parts a rule for each part. The text grows as the [`Ir`] does.

mod rules;

use std::fmt::Write;

use regex_syntax::hir::ClassUnicode;

use self::rules::Rules;
use super::{DEPTH_MAX, EmitError, Emitted, Exactness, Place, escape, finish};
use crate::ir::{Automaton, Grammar, Ir, Joined, Kind, Repeat, RuleId};

/// An EBNF that some engine reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Dialect {
    /// That of XGrammar, as of 0.2.9.
    XGrammar,
}

/// The most bytes of a grammar.
const BYTES_MAX: usize = 16 << 20;

/// The largest count that XGrammar reads; it takes larger ones for negative.
const COUNT_MAX: u32 = i32::MAX as u32;

/// Longer expressions get a rule of their own where they are needed twice.
const REPEATED_BYTES_MAX: usize = 24;

pub(super) fn emit(ir: &Ir, dialect: Dialect, exactness: Exactness) -> Result<Emitted, EmitError> {
    let Dialect::XGrammar = dialect;
    let mut emitter = Emitter { rules: Rules::new(), scope: None, hint: "state".into(), depth: 0 };
    let root = emitter.rules.open("root");
    let body = emitter.expression(ir)?;
    emitter.rules.define(root, body.text);
    finish(emitter.rules.print(), Vec::new(), exactness)
}

#[derive(Clone)]
struct Expression {
    text: String,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Choice,
    Sequence,
    /// It can stand in a sequence, but take no suffix.
    Repeated,
    Atom,
}

impl Expression {
    fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), form: Form::Atom }
    }

    fn empty() -> Self {
        Self::atom("\"\"")
    }

    /// Its text where `form` or a tighter one may stand.
    fn under(&self, form: Form) -> String {
        match self.form < form {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }

    fn sequence(parts: &[Self]) -> Self {
        let parts: Vec<&Self> = parts.iter().filter(|part| part.text != "\"\"").collect();
        match parts.as_slice() {
            [] => Self::empty(),
            [part] => (*part).clone(),
            _ => {
                let parts: Vec<String> =
                    parts.iter().map(|part| part.under(Form::Repeated)).collect();
                Self { text: parts.join(" "), form: Form::Sequence }
            }
        }
    }

    fn choice(arms: &[Self]) -> Self {
        match arms {
            [arm] => arm.clone(),
            _ => {
                let arms: Vec<&str> = arms.iter().map(|arm| arm.text.as_str()).collect();
                Self { text: arms.join(" | "), form: Form::Choice }
            }
        }
    }

    fn suffixed(&self, suffix: &str) -> Self {
        Self { text: self.under(Form::Atom) + suffix, form: Form::Repeated }
    }

    /// From `min` to `max` times; counts that the dialect cannot read are split in two.
    fn repeat(&self, mut min: u32, mut max: Option<u32>) -> Self {
        let mut parts = Vec::new();
        loop {
            let last = min <= COUNT_MAX && max.is_none_or(|max| max <= COUNT_MAX);
            let some = min.min(COUNT_MAX);
            let most = if last { max } else { Some(max.unwrap_or(some).min(COUNT_MAX)) };
            parts.push(match (some, most) {
                (1, Some(1)) => self.clone(),
                (0, Some(1)) => self.suffixed("?"),
                (0, None) => self.suffixed("*"),
                (1, None) => self.suffixed("+"),
                (min, None) => self.suffixed(&format!("{{{min},}}")),
                (min, Some(max)) if min == max => self.suffixed(&format!("{{{min}}}")),
                (min, Some(max)) => self.suffixed(&format!("{{{min},{max}}}")),
            });
            if last {
                return Self::sequence(&parts);
            }
            min -= some;
            max = max.zip(most).map(|(max, most)| max - most);
        }
    }
}

struct Emitter<'a> {
    rules: Rules,
    /// The nearest enclosing grammar, with the places of its rules.
    scope: Option<(&'a Grammar, Vec<usize>)>,
    /// What to name the rules of an automaton after.
    hint: String,
    depth: usize,
}

impl<'a> Emitter<'a> {
    fn expression(&mut self, ir: &'a Ir) -> Result<Expression, EmitError> {
        if self.depth == DEPTH_MAX {
            return Err(EmitError::TooDeep { depth_max: DEPTH_MAX });
        }
        self.depth += 1;
        let expression = match ir.kind() {
            Kind::Text(text) => Expression::atom(quoted(&text.string)),
            Kind::Class(set) => Expression::atom(class(set)),
            Kind::Sequence(parts) => Expression::sequence(&self.all(parts)?),
            Kind::Choice(arms) if arms.is_empty() => Expression::atom(self.rules.never()),
            Kind::Choice(arms) => Expression::choice(&self.all(arms)?),
            Kind::Repeat(repeat) => self.repeat(repeat)?,
            Kind::Joined(joined) => self.joined(joined)?,
            Kind::Automaton(automaton) => self.shared(ir, &|this| this.automaton(automaton))?,
            Kind::Call(rule) => self.call(*rule)?,
            Kind::Grammar(grammar) => self.shared(ir, &|this| this.grammar(grammar))?,
            Kind::Regex(regex) => self.named("regex", &regex.body)?,
            Kind::Anything(anything) => self.named("anything", &anything.body)?,
            Kind::Schema(schema) => self.shared(ir, &|this| {
                let rule = this.rules.open("schema");
                let body = this.named("schema", &schema.body)?;
                Ok(this.rules.define(rule, body.text))
            })?,
        };
        self.depth -= 1;
        let bytes = expression.text.len().saturating_add(self.rules.bytes());
        match bytes > BYTES_MAX {
            true => Err(EmitError::TooLong { bytes_max: BYTES_MAX, place: Place::default() }),
            false => Ok(expression),
        }
    }

    fn all(&mut self, irs: &'a [Ir]) -> Result<Vec<Expression>, EmitError> {
        irs.iter().map(|ir| self.expression(ir)).collect()
    }

    fn named(&mut self, hint: &str, ir: &'a Ir) -> Result<Expression, EmitError> {
        let outer = std::mem::replace(&mut self.hint, hint.into());
        let expression = self.expression(ir);
        self.hint = outer;
        expression
    }

    /// The rule that `define` makes for `ir`; where `ir` means the same everywhere, equal ones
    /// share it.
    fn shared(
        &mut self,
        ir: &Ir,
        define: &dyn Fn(&mut Self) -> Result<String, EmitError>,
    ) -> Result<Expression, EmitError> {
        // An open part means what the grammar around it says, so it is not shared.
        let key = ir.facts().is_some().then(|| ir.to_string());
        if let Some(name) = key.as_ref().and_then(|key| self.rules.shared.get(key)) {
            return Ok(Expression::atom(name.clone()));
        }
        let name = define(self)?;
        if let Some(key) = key {
            self.rules.shared.insert(key, name.clone());
        }
        Ok(Expression::atom(name))
    }

    /// `expression` for use in two places.
    fn twice(&mut self, expression: Expression) -> Expression {
        match expression.text.len() > REPEATED_BYTES_MAX {
            true => {
                let rule = self.rules.open("part");
                Expression::atom(self.rules.define(rule, expression.text))
            }
            false => expression,
        }
    }

    fn repeat(&mut self, repeat: &'a Repeat) -> Result<Expression, EmitError> {
        let body = self.expression(&repeat.body)?;
        let Some(separator) = &repeat.separator else {
            return Ok(match repeat.min.max(repeat.max.unwrap_or(0)) > COUNT_MAX {
                true => self.twice(body).repeat(repeat.min, repeat.max),
                false => body.repeat(repeat.min, repeat.max),
            });
        };
        let separator = self.expression(separator)?;
        let body = self.twice(body);
        let (min, max) = (repeat.min.saturating_sub(1), repeat.max.map(|max| max - 1));
        let mut more = Expression::sequence(&[separator, body.clone()]);
        if max.unwrap_or(min).max(min) > COUNT_MAX {
            more = self.twice(more);
        }
        let some = match max {
            Some(0) => body,
            _ => Expression::sequence(&[body, more.repeat(min, max)]),
        };
        Ok(if repeat.min == 0 { some.suffixed("?") } else { some })
    }

    /// Before the first required part each part brings its separator behind it, after that part
    /// in front. Without a required part there are two rules for each: one for what may follow
    /// when nothing was written yet, one for when something was.
    fn joined(&mut self, joined: &'a Joined) -> Result<Expression, EmitError> {
        let separator = self.expression(&joined.separator)?;
        let separator = self.twice(separator);
        let parts = &joined.parts;
        let Some(first) = parts.iter().position(|part| part.required) else {
            return self.optionals(joined, &separator);
        };
        let mut whole = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let body = self.expression(&part.body)?;
            let separator = separator.clone();
            whole.push(match at.cmp(&first) {
                std::cmp::Ordering::Less => Expression::sequence(&[body, separator]).suffixed("?"),
                std::cmp::Ordering::Equal => body,
                std::cmp::Ordering::Greater => {
                    let more = Expression::sequence(&[separator, body]);
                    if part.required { more } else { more.suffixed("?") }
                }
            });
        }
        Ok(Expression::sequence(&whole))
    }

    fn optionals(
        &mut self,
        joined: &'a Joined,
        separator: &Expression,
    ) -> Result<Expression, EmitError> {
        let mut rest = Expression::empty();
        let mut none = Expression::empty();
        for part in joined.parts.iter().rev() {
            let body = self.expression(&part.body)?;
            let body = self.twice(body);
            let begun = Expression::sequence(&[body.clone(), rest.clone()]);
            none = self.twice(Expression::choice(&[begun, none]));
            let more = Expression::sequence(&[separator.clone(), body]).suffixed("?");
            rest = self.twice(Expression::sequence(&[more, rest]));
        }
        Ok(none)
    }

    /// A rule for each state; edges back to the state itself become a repeat in front.
    fn automaton(&mut self, automaton: &'a Automaton) -> Result<String, EmitError> {
        let hint = self.hint.clone();
        let rules: Vec<usize> = automaton.states.iter().map(|_| self.rules.open(&hint)).collect();
        for (at, state) in automaton.states.iter().enumerate() {
            let (mut again, mut arms) = (Vec::new(), Vec::new());
            for (label, to) in &state.edges {
                let label = self.expression(label)?;
                if *to == at {
                    again.push(label);
                } else {
                    let next = Expression::atom(self.rules.name(rules[*to]));
                    arms.push(Expression::sequence(&[label, next]));
                }
            }
            if state.accepting {
                arms.push(Expression::empty());
            }
            let mut body = match arms.is_empty() {
                true => Expression::atom(self.rules.never()),
                false => Expression::choice(&arms),
            };
            if !again.is_empty() {
                body = Expression::sequence(&[Expression::choice(&again).suffixed("*"), body]);
            }
            self.rules.define(rules[at], body.text);
        }
        Ok(self.rules.name(rules[0]).to_string())
    }

    fn grammar(&mut self, grammar: &'a Grammar) -> Result<String, EmitError> {
        let rules: Vec<usize> =
            grammar.rules().iter().map(|rule| self.rules.open(&rule.name)).collect();
        let scope = self.scope.replace((grammar, rules.clone()));
        for (rule, at) in grammar.rules().iter().zip(&rules) {
            let body = self.named(&rule.name, &rule.body)?;
            self.rules.define(*at, body.text);
        }
        self.scope = scope;
        Ok(self.rules.name(rules[grammar.start().0 as usize]).to_string())
    }

    fn call(&mut self, rule: RuleId) -> Result<Expression, EmitError> {
        match &self.scope {
            Some((_, rules)) => Ok(Expression::atom(self.rules.name(rules[rule.0 as usize]))),
            None => Err(EmitError::OpenCall(rule)),
        }
    }
}

fn quoted(string: &str) -> String {
    let mut out = String::from("\"");
    string.chars().for_each(|c| escape::character(c, "\"\\", &mut out));
    out.push('"');
    out
}

fn class(set: &ClassUnicode) -> String {
    let marks = r"\[]^-";
    let mut ranges = String::new();
    let negated = match escape::all_but(set) {
        Some(rest) => {
            escape::ranges(&rest, marks, &mut ranges);
            "^"
        }
        None => {
            escape::ranges(set, marks, &mut ranges);
            ""
        }
    };
    let mut out = String::with_capacity(ranges.len() + 3);
    write!(out, "[{negated}{ranges}]").expect("a string takes all that is written");
    out
}
