//! Says an [`Ir`] as an EBNF grammar.
//!
//! All of it can be said: recursion and counts are the dialect's own, automata become a rule for
//! each state, joined parts a rule for each part. The text grows as the [`Ir`] does.

mod rules;

use std::fmt::Write;

use regex_syntax::hir::ClassUnicode;

use self::rules::{Rules, call};
use super::{DEPTH_MAX, EmitError, Emitted, Exactness, Place, Step, escape, finish};
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
    let mut emitter = Emitter {
        rules: Rules::new(),
        scope: None,
        hint: "state".into(),
        place: Place::default(),
        depth: 0,
    };
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
                    parts.iter().map(|part| part.under(Form::Sequence)).collect();
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
    place: Place,
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
            Kind::Sequence(parts) => Expression::sequence(&self.all(parts, &Step::Part)?),
            Kind::Choice(arms) if arms.is_empty() => Expression::atom(call(self.rules.never())),
            Kind::Choice(arms) => Expression::choice(&self.all(arms, &Step::Arm)?),
            Kind::Repeat(repeat) => self.repeat(repeat)?,
            Kind::Joined(joined) => self.joined(joined)?,
            Kind::Automaton(automaton) => self.shared(ir, &|this| this.automaton(automaton))?,
            Kind::Call(rule) => self.call(*rule)?,
            Kind::Grammar(grammar) => self.shared(ir, &|this| this.grammar(grammar))?,
            Kind::Regex(regex) => self.named("regex", &regex.body, Step::Regex)?,
            Kind::Anything(anything) => self.named("anything", &anything.body, Step::Anything)?,
            Kind::Tracked(_) | Kind::Act(_) | Kind::Observed(_) => {
                return Err(EmitError::Tracked { place: self.place.clone() });
            }
            Kind::Schema(schema) => self.shared(ir, &|this| {
                let rule = this.rules.open("schema");
                let body = this.named("schema", schema.body()?, Step::Schema)?;
                this.rules.define(rule, body.text);
                Ok(rule)
            })?,
        };
        self.depth -= 1;
        let bytes = expression.text.len().saturating_add(self.rules.bytes);
        match bytes > BYTES_MAX {
            true => Err(EmitError::TooLong { bytes_max: BYTES_MAX, place: self.place.clone() }),
            false => Ok(expression),
        }
    }

    fn inner(&mut self, ir: &'a Ir, step: Step) -> Result<Expression, EmitError> {
        self.place.0.push(step);
        let expression = self.expression(ir)?;
        self.place.0.pop();
        Ok(expression)
    }

    fn all(
        &mut self,
        irs: &'a [Ir],
        step: &dyn Fn(usize) -> Step,
    ) -> Result<Vec<Expression>, EmitError> {
        irs.iter().enumerate().map(|(at, ir)| self.inner(ir, step(at))).collect()
    }

    /// As [`Self::inner`], with the rules of automata in it named after `hint`.
    fn named(&mut self, hint: &str, ir: &'a Ir, step: Step) -> Result<Expression, EmitError> {
        let outer = std::mem::replace(&mut self.hint, hint.into());
        let expression = self.inner(ir, step)?;
        self.hint = outer;
        Ok(expression)
    }

    /// The rule that `define` makes for `ir`, the same one wherever `ir` itself occurs.
    fn shared(
        &mut self,
        ir: &Ir,
        define: &dyn Fn(&mut Self) -> Result<usize, EmitError>,
    ) -> Result<Expression, EmitError> {
        let key = std::ptr::from_ref(ir.kind());
        if let Some(&rule) = self.rules.shared.get(&key) {
            return Ok(Expression::atom(call(rule)));
        }
        let rule = define(self)?;
        // An open part means what the grammar around it says, so it is not shared.
        if ir.facts().is_some() {
            self.rules.shared.insert(key, rule);
        }
        Ok(Expression::atom(call(rule)))
    }

    /// `expression` for use in two places.
    fn twice(&mut self, expression: Expression) -> Expression {
        match expression.text.len() > REPEATED_BYTES_MAX {
            true => {
                let rule = self.rules.open("part");
                self.rules.define(rule, expression.text);
                Expression::atom(call(rule))
            }
            false => expression,
        }
    }

    fn repeat(&mut self, repeat: &'a Repeat) -> Result<Expression, EmitError> {
        let body = self.inner(&repeat.body, Step::Body)?;
        let Some(separator) = &repeat.separator else {
            return Ok(match repeat.min.max(repeat.max.unwrap_or(0)) > COUNT_MAX {
                true => self.twice(body).repeat(repeat.min, repeat.max),
                false => body.repeat(repeat.min, repeat.max),
            });
        };
        let separator = self.inner(separator, Step::Separator)?;
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
        let separator = self.inner(&joined.separator, Step::Separator)?;
        let separator = self.twice(separator);
        let parts = &joined.parts;
        let Some(first) = parts.iter().position(|part| part.required) else {
            return self.optionals(joined, &separator);
        };
        let mut whole = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let body = self.inner(&part.body, Step::Part(at))?;
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
        let (mut rest, mut none) = (Expression::empty(), Expression::empty());
        for (at, part) in joined.parts.iter().enumerate().rev() {
            let body = self.inner(&part.body, Step::Part(at))?;
            let body = self.twice(body);
            let begun = Expression::sequence(&[body.clone(), rest.clone()]);
            none = Expression::choice(&[begun, none]);
            if at > 0 {
                none = self.twice(none);
                let more = Expression::sequence(&[separator.clone(), body]).suffixed("?");
                rest = self.twice(Expression::sequence(&[more, rest]));
            }
        }
        Ok(none)
    }

    /// A rule for each state; edges back to the state itself become a repeat in front.
    fn automaton(&mut self, automaton: &'a Automaton) -> Result<usize, EmitError> {
        let hint = self.hint.clone();
        let rules: Vec<usize> = automaton.states.iter().map(|_| self.rules.open(&hint)).collect();
        for (at, state) in automaton.states.iter().enumerate() {
            let (mut again, mut arms) = (Vec::new(), Vec::new());
            for (edge, (label, to)) in state.edges.iter().enumerate() {
                let label = self.inner(label, Step::Edge { state: at, edge })?;
                if *to == at {
                    again.push(label);
                } else {
                    let next = Expression::atom(call(rules[*to]));
                    arms.push(Expression::sequence(&[label, next]));
                }
            }
            if state.accepting {
                arms.push(Expression::empty());
            }
            let mut body = match arms.is_empty() {
                true => Expression::atom(call(self.rules.never())),
                false => Expression::choice(&arms),
            };
            if !again.is_empty() {
                body = Expression::sequence(&[Expression::choice(&again).suffixed("*"), body]);
            }
            self.rules.define(rules[at], body.text);
        }
        Ok(rules[0])
    }

    fn grammar(&mut self, grammar: &'a Grammar) -> Result<usize, EmitError> {
        let rules: Vec<usize> =
            grammar.rules().iter().map(|rule| self.rules.open(&rule.name)).collect();
        let scope = self.scope.replace((grammar, rules.clone()));
        for (rule, at) in grammar.rules().iter().zip(&rules) {
            let step = Step::Rule(rule.name.clone());
            let body = self.named(&rule.name, &rule.body, step)?;
            self.rules.define(*at, body.text);
        }
        self.scope = scope;
        Ok(rules[grammar.start().0 as usize])
    }

    fn call(&mut self, rule: RuleId) -> Result<Expression, EmitError> {
        match &self.scope {
            Some((_, rules)) => Ok(Expression::atom(call(rules[rule.0 as usize]))),
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
    if let [range] = set.ranges()
        && range.start() == range.end()
    {
        return quoted(&range.start().to_string());
    }
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
