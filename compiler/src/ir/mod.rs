//! The meaning of a blueprint: a language over text, built only by smart constructors.
//!
//! Every stage below meets here: templates and JSON Schemas lower to an [`Ir`], emitters and the
//! runtime read it through [`Ir::kind`]. It never holds a token id: where a special token may
//! stand is decided when an outline is bound to a vocabulary. The constructors are public, so
//! this is also a small language of its own: `Ir::sequence([Ir::text("a"), Ir::optional(b)])`.

mod byte_set;
mod conditions;
mod counters;
mod distinct;
mod echo;
mod elements;
mod facts;
mod free;
mod grammar;
mod heard;
mod keyed;
mod kind;
mod layout;
mod literal;
pub mod machine;
mod members;
mod named;
mod names;
mod owed;
mod parts;
mod picks;
mod print;
mod printed;
mod read;
mod read_free;
mod rules;
mod tokens;
mod words;

use std::sync::{Arc, OnceLock};

pub use byte_set::ByteSet;
pub use facts::Facts;
pub use free::{Anything, Dispatch, FreeText, FreeTextError, Triggers};
pub use grammar::{Grammar, GrammarError, Rule, RuleGraph, RuleId};
pub use kind::{
    Automaton, Joined, Kind, Origin, Part, Regex, Repeat, Schema, State, Text, Tracked,
};
pub use literal::Literal;
pub use machine::Machine;
pub use named::{Capture, CaptureKind, Special};
pub use read::ReadError;
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
pub use rules::{RuleError, Rules};

use crate::regex::PatternError;
use crate::schema::{SchemaError, SchemaOptions};

/// A language over text: what a model may write. Cheap to clone; equal by structure.
#[derive(Clone)]
pub struct Ir(Arc<Node>);

struct Node {
    kind: OnceLock<Kind>,
    /// Makes the kind where it was not given.
    make: Option<Box<dyn Fn() -> Ir + Send + Sync>>,
    /// `None` inside a rule that calls others: only its [`Grammar`] can tell.
    facts: Option<Facts>,
}

impl PartialEq for Ir {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.kind() == other.kind()
    }
}

impl std::fmt::Debug for Ir {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Ir").field(self.kind()).finish()
    }
}

impl Ir {
    /// The author's own text: the spelling of a special token in it means that token.
    #[must_use]
    pub fn text(string: &str) -> Self {
        Self::literal(string, Origin::Source)
    }

    /// Text from data: always bytes, never a special token.
    #[must_use]
    pub fn value(string: &str) -> Self {
        Self::literal(string, Origin::Value)
    }

    /// Text of the given origin.
    #[must_use]
    pub fn literal(string: &str, origin: Origin) -> Self {
        if string.is_empty() {
            return Self::empty();
        }
        Self::new(Kind::Text(Text { string: string.into(), origin }))
    }

    /// The empty text alone.
    #[must_use]
    pub fn empty() -> Self {
        Self::new(Kind::Sequence(Vec::new()))
    }

    /// No text at all.
    #[must_use]
    pub fn never() -> Self {
        Self::new(Kind::Choice(Vec::new()))
    }

    /// One character of `set`; [`Ir::never`] if it is empty.
    #[must_use]
    pub fn class(set: ClassUnicode) -> Self {
        let set = whole(set);
        if set.ranges().is_empty() {
            return Self::never();
        }
        Self::new(Kind::Class(set))
    }

    /// `parts` one after the other. Nested sequences are flattened, neighbouring texts of one
    /// origin are joined, and a single part is returned as itself.
    #[must_use]
    pub fn sequence(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for part in parts {
            match part.kind() {
                Kind::Sequence(inner) => inner.iter().for_each(|ir| push_joined(&mut flat, ir)),
                _ => push_joined(&mut flat, &part),
            }
        }
        if flat.iter().any(Self::is_never) {
            return Self::never();
        }
        match flat.len() {
            1 => flat.remove(0),
            _ => Self::new(Kind::Sequence(flat)),
        }
    }

    /// Any one of `arms`. Nested choices are flattened, repeated arms and impossible ones are
    /// dropped; a single arm is returned as itself.
    #[must_use]
    pub fn choice(arms: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for arm in arms {
            match arm.kind() {
                Kind::Choice(inner) => flat.extend(inner.iter().cloned()),
                _ => flat.push(arm),
            }
        }
        let mut seen = std::collections::HashSet::new();
        flat.retain(|arm| match arm.kind() {
            Kind::Text(text) => seen.insert((text.string.clone(), text.origin == Origin::Source)),
            _ => true,
        });
        match flat.len() {
            1 => flat.remove(0),
            _ => Self::new(Kind::Choice(flat)),
        }
    }

    /// `body` or nothing.
    #[must_use]
    pub fn optional(body: Self) -> Self {
        Self::repeat(body, 0, Some(1), None)
    }

    /// `body` between `min` and `max` times (inclusive; `None` is no bound), with `separator`
    /// between two iterations. Bounds stay numbers, they are never unrolled.
    /// [`Ir::never`] if `max < min`.
    #[must_use]
    pub fn repeat(body: Self, min: u32, max: Option<u32>, separator: Option<Self>) -> Self {
        let separator = separator.filter(|separator| !separator.is_empty());
        if max.is_some_and(|max| max < min) {
            return Self::never();
        }
        if body.is_never() {
            return if min == 0 { Self::empty() } else { body };
        }
        if max == Some(0) || (body.is_empty() && separator.is_none()) {
            return Self::empty();
        }
        if min == 1 && max == Some(1) {
            return body;
        }
        let nullable = body.facts().is_some_and(|facts| facts.nullable);
        // A body that may be empty fills up to any minimum by itself.
        let min = if nullable && separator.is_none() { 0 } else { min };
        Self::new(Kind::Repeat(Repeat { body, min, max, separator }))
    }

    /// `parts` in order with `separator` between those present.
    #[must_use]
    pub fn joined(separator: Self, parts: Vec<Part>) -> Self {
        match parts.as_slice() {
            [] => Self::empty(),
            [part] if part.required => part.body.clone(),
            [part] => Self::optional(part.body.clone()),
            _ => Self::new(Kind::Joined(Joined { separator, parts })),
        }
    }

    /// An automaton from its states, the first of which is the start. States that lead nowhere
    /// or are not reached are dropped; [`Ir::never`] if none accepts. Edges to a state that does
    /// not exist are dropped too.
    #[must_use]
    pub fn automaton(states: Vec<State>) -> Self {
        match trim(states) {
            Some(states) => Self::new(Kind::Automaton(Automaton { states: states.into() })),
            None => Self::never(),
        }
    }

    /// A call of rule `rule` of the nearest enclosing grammar.
    #[must_use]
    pub fn call(rule: RuleId) -> Self {
        Self::new(Kind::Call(rule))
    }

    /// The language of `start` among `rules`, which call each other by [`Ir::call`]. Rules that
    /// call themselves before they have read anything are rewritten: [`Grammar::rules`] then has
    /// others than these.
    ///
    /// # Errors
    /// [`GrammarError`] if a call names no rule, or rules of which one begins with itself hold
    /// captures, registers, free text or special tokens, whose places rewriting would lose.
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::Ir;
    /// use blueprints_compiler::ir::{Rule, RuleId};
    /// let sum = Ir::sequence([Ir::call(RuleId(0)), Ir::text("+"), Ir::text("1")]);
    /// let body = Ir::choice([sum, Ir::text("1")]);
    /// let sums = Ir::grammar(vec![Rule { name: "sum".into(), body }], RuleId(0))?;
    /// assert!(sums.facts().is_some_and(|facts| !facts.recursive));
    /// # Ok::<(), blueprints_compiler::ir::GrammarError>(())
    /// ```
    pub fn grammar(rules: Vec<Rule>, start: RuleId) -> Result<Self, GrammarError> {
        match Self::of_rules(rules, start) {
            Err((rules, GrammarError::LeftRecursive { cycle })) => {
                let rewritten = match rules.iter().any(|rule| rule.body.has_marks()) {
                    true => None,
                    false => crate::grammars::without_left_recursion(rules, start),
                };
                rewritten.ok_or(GrammarError::LeftRecursive { cycle })
            }
            made => made.map_err(|(_, error)| error),
        }
    }

    /// [`Ir::grammar`] without rewriting; an error has the rules as they came.
    pub(crate) fn of_rules(
        rules: Vec<Rule>,
        start: RuleId,
    ) -> Result<Self, (Vec<Rule>, GrammarError)> {
        let grammar = Grammar::new(rules, start)?;
        if !grammar.is_productive() {
            return Ok(Self::never());
        }
        Ok(Self::new(Kind::Grammar(Arc::new(grammar))))
    }

    /// Text that `pattern` matches from its first to its last character.
    ///
    /// # Errors
    /// [`PatternError`] with the byte range in the pattern, for a fault in it, for look-around,
    /// and for a pattern above the size limit.
    pub fn regex(pattern: &str) -> Result<Self, PatternError> {
        let body = crate::regex::lower(pattern)?;
        Ok(Self::new(Kind::Regex(Regex { pattern: pattern.into(), body })))
    }

    /// JSON text that is valid for `source`.
    ///
    /// # Errors
    /// [`SchemaError`] with the JSON pointer, for an invalid schema and for a keyword that
    /// cannot be held exactly.
    pub fn schema(
        source: Arc<serde_json::Value>,
        options: SchemaOptions,
    ) -> Result<Self, SchemaError> {
        let compiled = crate::schema::compile(&source, &options)?;
        Ok(Self::new(Kind::Schema(Schema::new(source, options, compiled))))
    }

    /// `body` with a register that `machine` runs.
    #[must_use]
    pub fn tracked(body: Self, machine: Arc<Machine>) -> Self {
        if body.is_never() || body.is_empty() {
            return body;
        }
        Self::new(Kind::Tracked(Tracked { body, machine }))
    }

    /// An action of the machine of the nearest enclosing tracked part.
    #[must_use]
    pub fn act(action: u32) -> Self {
        Self::new(Kind::Act(action))
    }

    /// `part` with its bytes told to the machine of the nearest enclosing tracked part. `part`
    /// calls no rules.
    #[must_use]
    pub fn observed(part: Self) -> Self {
        if part.is_never() || part.is_empty() {
            return part;
        }
        Self::new(Kind::Observed(part))
    }

    /// What it is made of.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        self.0.kind.get_or_init(|| match &self.0.make {
            Some(make) => make().kind().clone(),
            None => Kind::Choice(Vec::new()),
        })
    }

    /// What is known about it; `None` inside a rule that calls others, where only the
    /// [`Grammar`] can tell.
    #[must_use]
    pub fn facts(&self) -> Option<&Facts> {
        self.0.facts.as_ref()
    }

    /// Whether it holds the empty text, where no rule that it calls does.
    #[must_use]
    pub fn may_be_empty(&self) -> bool {
        facts::may_be_empty(self)
    }

    /// Whether it is the empty text alone, by its form.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.kind(), Kind::Sequence(parts) if parts.is_empty())
    }

    /// Whether it is no text at all, by its form.
    #[must_use]
    pub fn is_never(&self) -> bool {
        matches!(self.kind(), Kind::Choice(arms) if arms.is_empty())
    }

    /// Reads the printed form back.
    ///
    /// # Errors
    /// [`ReadError`] with the byte where the text stops being a printed form.
    pub fn read(printed: &str) -> Result<Self, ReadError> {
        read::read(printed)
    }

    fn new(kind: Kind) -> Self {
        let facts = facts::of(&kind);
        Self(Arc::new(Node { kind: OnceLock::from(kind), make: None, facts }))
    }

    /// A part that is made when somebody first asks what it is made of. The facts are those of
    /// what `make` returns, the same every time.
    pub(crate) fn made_by(facts: Facts, make: impl Fn() -> Self + Send + Sync + 'static) -> Self {
        let make: Box<dyn Fn() -> Self + Send + Sync> = Box::new(make);
        Self(Arc::new(Node { kind: OnceLock::new(), make: Some(make), facts: Some(facts) }))
    }

    /// A number that no other part has as long as this one is kept.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

/// `set` with the ranges joined that only the surrogates part, which are no characters. Left
/// apart, regex-syntax negates them wrongly: it takes the empty gap between them for a range.
fn whole(set: ClassUnicode) -> ClassUnicode {
    let mut ranges: Vec<ClassUnicodeRange> = Vec::with_capacity(set.ranges().len());
    for range in set.ranges() {
        match ranges.last_mut() {
            Some(last) if last.end() == '\u{d7ff}' && range.start() == '\u{e000}' => {
                *last = ClassUnicodeRange::new(last.start(), range.end());
            }
            _ => ranges.push(*range),
        }
    }
    ClassUnicode::new(ranges)
}

/// Appends `ir`, joined to the last part when both are texts of one origin.
fn push_joined(flat: &mut Vec<Ir>, ir: &Ir) {
    if let Kind::Text(new) = ir.kind()
        && let Some(Kind::Text(old)) = flat.last().map(Ir::kind)
        && old.origin == new.origin
    {
        let joined = format!("{}{}", old.string, new.string);
        let origin = new.origin;
        flat.pop();
        flat.push(Ir::literal(&joined, origin));
        return;
    }
    flat.push(ir.clone());
}

/// Drops the states that no text passes through on its way to an accepting one, keeping order.
fn trim(mut states: Vec<State>) -> Option<Vec<State>> {
    let count = states.len();
    for state in &mut states {
        state.edges.retain(|(label, to)| *to < count && !label.is_never());
    }
    let mut reached = vec![false; count];
    let mut queue: Vec<usize> = (0..count.min(1)).collect();
    while let Some(at) = queue.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            queue.extend(states[at].edges.iter().map(|edge| edge.1));
        }
    }
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, state) in states.iter().enumerate() {
        for (_, to) in &state.edges {
            sources[*to].push(from);
        }
    }
    let mut alive = vec![false; count];
    let mut queue: Vec<usize> = (0..count).filter(|&at| states[at].accepting).collect();
    while let Some(at) = queue.pop() {
        if !std::mem::replace(&mut alive[at], true) {
            queue.extend(&sources[at]);
        }
    }
    let keep = |at: usize| reached[at] && alive[at];
    if count == 0 || !keep(0) {
        return None;
    }
    let mut renamed = vec![usize::MAX; count];
    let mut next = 0;
    for at in (0..count).filter(|&at| keep(at)) {
        renamed[at] = next;
        next += 1;
    }
    let mut kept = Vec::with_capacity(next);
    for (at, mut state) in states.into_iter().enumerate() {
        if renamed[at] != usize::MAX {
            state.edges.retain(|edge| renamed[edge.1] != usize::MAX);
            state.edges.iter_mut().for_each(|edge| edge.1 = renamed[edge.1]);
            kept.push(state);
        }
    }
    Some(kept)
}
