//! Says an [`Ir`] as a grammar: an EBNF of XGrammar or llama.cpp, or Lark.
//!
//! All of it can be said: recursion and counts are the dialect's own, automata become a rule for
//! each state, joined parts a rule for each part, registers a rule for each of their values. The
//! text grows as the [`Ir`] does.

mod dialect;
mod expression;
mod lexemes;
mod rules;

pub use self::dialect::Dialect;
use self::expression::Expression;
use self::lexemes::Lexemes;
use self::rules::{Rules, call};
use super::{
    DEPTH_MAX, EmitError, Emitted, Exactness, Loss, Place, RegexLimits, Step, expand, finish, idle,
};
use crate::ir::{Automaton, Grammar, Ir, Joined, Kind, Repeat, RuleId, Special};

/// The most bytes of a grammar.
const BYTES_MAX: usize = 16 << 20;

/// Longer expressions get a rule of their own where they are needed twice.
const REPEATED_BYTES_MAX: usize = 24;

/// The longest pattern that stands for a whole Lark grammar.
const PATTERN_BYTES_MAX: usize = 4096;

pub(super) fn emit(ir: &Ir, dialect: Dialect, exactness: Exactness) -> Result<Emitted, EmitError> {
    match dialect {
        Dialect::XGrammar => whole(ir, said(ir, dialect, Lexemes::default())?, exactness),
        Dialect::Gbnf => {
            // llama.cpp takes a loop around what may be empty for left recursion.
            let strict = idle::without_idle_loops(ir)?;
            whole(ir, said(&strict, dialect, Lexemes::default())?, exactness)
        }
        Dialect::Lark => lark(ir, exactness),
    }
}

/// What is regular and short is one terminal, which llguidance reads fastest. Elsewhere its
/// lexer takes the longest lexeme that fits and never goes back, so only texts that no other
/// lexeme begins stand as a whole.
fn lark(ir: &Ir, exactness: Exactness) -> Result<Emitted, EmitError> {
    let limits = RegexLimits { bytes_max: PATTERN_BYTES_MAX, ..RegexLimits::default() };
    if !ir.is_never()
        && let Ok(pattern) = ir.to_regex(Exactness::Lossy, limits)
        && pattern.losses.iter().all(Loss::is_harmless)
    {
        let text = match pattern.text.as_str() {
            "" => "start: \"\"\n".into(),
            pattern => format!("start: TEXT\nTEXT: /{}/\n", pattern.replace('/', "\\/")),
        };
        return finish(text, pattern.losses, exactness);
    }
    let (rules, _) = said(ir, Dialect::Lark, Lexemes::default())?;
    whole(ir, said(ir, Dialect::Lark, rules.lexemes.settled())?, exactness)
}

/// What `rules` say of `ir`, with all that is lost.
fn whole(
    ir: &Ir,
    (rules, mut losses): (Rules, Vec<Loss>),
    exactness: Exactness,
) -> Result<Emitted, EmitError> {
    losses.extend(super::exponents(ir)?);
    finish(rules.print(), losses, exactness)
}

fn said(ir: &Ir, dialect: Dialect, lexemes: Lexemes) -> Result<(Rules, Vec<Loss>), EmitError> {
    let mut emitter = Emitter {
        rules: Rules::new(dialect, lexemes),
        scope: None,
        hint: "state".into(),
        place: Place::default(),
        depth: 0,
        losses: Vec::new(),
        kept: Vec::new(),
    };
    let root = emitter.rules.open(dialect.start());
    if let Kind::Grammar(grammar) = ir.kind()
        && grammar.rules()[grammar.start().0 as usize].name == dialect.start()
    {
        emitter.grammar(grammar, Some(root))?;
    } else {
        let body = emitter.expression(ir)?;
        emitter.rules.define(root, body.text);
    }
    Ok((emitter.rules, emitter.losses))
}

struct Emitter {
    rules: Rules,
    /// The places of the rules of the nearest enclosing grammar.
    scope: Option<Vec<usize>>,
    /// What to name the rules of an automaton after.
    hint: String,
    place: Place,
    depth: usize,
    losses: Vec<Loss>,
    /// What was made on the way and is known by its address.
    kept: Vec<Ir>,
}

impl Emitter {
    fn expression(&mut self, ir: &Ir) -> Result<Expression, EmitError> {
        if self.depth == DEPTH_MAX {
            return Err(EmitError::TooDeep { depth_max: DEPTH_MAX });
        }
        self.depth += 1;
        let expression = match ir.kind() {
            Kind::Text(text) => self.rules.text(&text.string),
            Kind::Class(set) => self.rules.class(set),
            Kind::Sequence(parts) => Expression::sequence(&self.all(parts, &Step::Part)?),
            Kind::Choice(arms) if arms.is_empty() => Expression::atom(self.rules.never()),
            Kind::Choice(arms) => Expression::choice(&self.all(arms, &Step::Arm)?),
            Kind::Repeat(repeat) => self.repeat(repeat)?,
            Kind::Joined(joined) => self.joined(joined)?,
            Kind::Automaton(automaton) => self.shared(ir, &|this| this.automaton(automaton))?,
            Kind::Call(rule) => self.call(*rule)?,
            Kind::Grammar(grammar) => self.shared(ir, &|this| this.grammar(grammar, None))?,
            Kind::Regex(regex) => self.named("regex", &regex.body, Step::Regex)?,
            Kind::Anything(anything) => {
                self.losses.extend(super::budget(&anything.limits, self.place.clone()));
                self.named("anything", &anything.body, Step::Anything)?
            }
            Kind::Dispatch(dispatch) => {
                self.losses.extend(super::text_name(&dispatch.triggers, &self.place));
                self.named("dispatch", &dispatch.body, Step::Body)?
            }
            Kind::Capture(_) | Kind::Special(_) | Kind::Tracked(_) => self.special(ir)?,
            Kind::Act(_) | Kind::Observed(_) => {
                return Err(EmitError::Stray { place: self.place.clone() });
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

    /// What text alone cannot say.
    fn special(&mut self, ir: &Ir) -> Result<Expression, EmitError> {
        Ok(match ir.kind() {
            Kind::Capture(capture) => {
                self.losses.push(super::capture(&capture.name, self.place.clone()));
                self.named(&capture.name, &capture.body, Step::Body)?
            }
            Kind::Special(special) => {
                self.losses.extend(super::special(special, self.place.clone()));
                match special {
                    Special::Spelled(spelling) => self.rules.text(spelling),
                    Special::Stop => Expression::empty(),
                    _ => Expression::atom(self.rules.never()),
                }
            }
            Kind::Tracked(tracked) => self.shared(ir, &|this| {
                let plain = expand::said(tracked, &this.place, &mut this.losses);
                this.kept.push(plain.clone());
                let rule = this.rules.open(&this.hint);
                let body = this.inner(&plain, Step::Body)?;
                this.rules.define(rule, body.text);
                Ok(rule)
            })?,
            _ => Expression::empty(),
        })
    }

    fn inner(&mut self, ir: &Ir, step: Step) -> Result<Expression, EmitError> {
        self.place.0.push(step);
        let expression = self.expression(ir)?;
        self.place.0.pop();
        Ok(expression)
    }

    fn all(
        &mut self,
        irs: &[Ir],
        step: &dyn Fn(usize) -> Step,
    ) -> Result<Vec<Expression>, EmitError> {
        irs.iter().enumerate().map(|(at, ir)| self.inner(ir, step(at))).collect()
    }

    /// As [`Self::inner`], with the rules of automata in it named after `hint`.
    fn named(&mut self, hint: &str, ir: &Ir, step: Step) -> Result<Expression, EmitError> {
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
            true => self.ruled(expression),
            false => expression,
        }
    }

    /// A call of a new rule that is `expression`.
    fn ruled(&mut self, expression: Expression) -> Expression {
        let rule = self.rules.open("part");
        self.rules.define(rule, expression.text);
        Expression::atom(call(rule))
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<Expression, EmitError> {
        let body = self.inner(&repeat.body, Step::Body)?;
        let Some(separator) = &repeat.separator else {
            return Ok(self.counted(body, repeat.min, repeat.max));
        };
        let separator = self.inner(separator, Step::Separator)?;
        let body = self.twice(body);
        let (min, max) = (repeat.min.saturating_sub(1), repeat.max.map(|max| max - 1));
        let more = Expression::sequence(&[separator, body.clone()]);
        let some = match max {
            Some(0) => body,
            _ => Expression::sequence(&[body, self.counted(more, min, max)]),
        };
        Ok(if repeat.min == 0 { some.suffixed("?") } else { some })
    }

    /// `body` from `min` to `max` times, with counts that the dialect reads.
    fn counted(&mut self, body: Expression, min: u32, max: Option<u32>) -> Expression {
        let dialect = self.rules.dialect;
        let count_max = dialect.count_max();
        if min.max(max.unwrap_or(0)) <= count_max {
            // llama.cpp counts what is in a group, too.
            let body = match dialect == Dialect::Gbnf && min.max(max.unwrap_or(0)) > 1 {
                true => self.twice(body),
                false => body,
            };
            return body.counted(min, max);
        }
        let body = self.twice(body);
        if dialect != Dialect::Gbnf {
            return body.repeat(min, max, count_max);
        }
        let some = self.exactly(&body, min);
        let more = match max {
            None => body.counted(0, None),
            Some(max) => self.at_most(&body, max - min),
        };
        Expression::sequence(&[some, more])
    }

    /// `body` `count` times: thousands are counted by a rule for a thousand.
    fn exactly(&mut self, body: &Expression, count: u32) -> Expression {
        let base = self.rules.dialect.count_max();
        if count <= base {
            return body.counted(count, Some(count));
        }
        let thousand = self.ruled(body.counted(base, Some(base)));
        let thousands = self.exactly(&thousand, count / base);
        Expression::sequence(&[thousands, body.counted(count % base, Some(count % base))])
    }

    /// `body` up to `count` times: all thousands and some rest, or fewer and any rest.
    fn at_most(&mut self, body: &Expression, count: u32) -> Expression {
        let base = self.rules.dialect.count_max();
        if count <= base {
            return body.counted(0, Some(count));
        }
        let thousand = self.ruled(body.counted(base, Some(base)));
        let all = self.exactly(&thousand, count / base);
        let fewer = self.at_most(&thousand, count / base - 1);
        let rest = body.counted(0, Some(count % base));
        let any = body.counted(0, Some(base - 1));
        let arms = [Expression::sequence(&[all, rest]), Expression::sequence(&[fewer, any])];
        let choice = Expression::choice(&arms);
        self.ruled(choice)
    }

    /// Before the first required part each part brings its separator behind it, after that part
    /// in front. Without a required part there are two rules for each: one for what may follow
    /// when nothing was written yet, one for when something was.
    fn joined(&mut self, joined: &Joined) -> Result<Expression, EmitError> {
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
        joined: &Joined,
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
    fn automaton(&mut self, automaton: &Automaton) -> Result<usize, EmitError> {
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
                true => Expression::atom(self.rules.never()),
                false => Expression::choice(&arms),
            };
            if !again.is_empty() {
                body = Expression::sequence(&[Expression::choice(&again).suffixed("*"), body]);
            }
            self.rules.define(rules[at], body.text);
        }
        Ok(rules[0])
    }

    /// The start rule of `grammar`, which is `start` if that is open already.
    fn grammar(&mut self, grammar: &Grammar, start: Option<usize>) -> Result<usize, EmitError> {
        let rules: Vec<usize> = grammar
            .rules()
            .iter()
            .enumerate()
            .map(|(at, rule)| match start {
                Some(start) if at == grammar.start().0 as usize => start,
                _ => self.rules.open(&rule.name),
            })
            .collect();
        let scope = self.scope.replace(rules.clone());
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
            Some(rules) => Ok(Expression::atom(call(rules[rule.0 as usize]))),
            None => Err(EmitError::OpenCall(rule)),
        }
    }
}
