//! What is known about a language without reading text: whether it is empty or nullable, its
//! lengths, its first bytes, and whether rules in it call themselves.
//!
//! Computed once, when an [`Ir`](super::Ir) is made. Inside a rule the facts of called rules are
//! passed in, so that [`Grammar`](super::Grammar) can take the least fixed point.

use regex_syntax::utf8::Utf8Sequences;

use super::machine::{Machine, Value};
use super::{Automaton, ByteSet, Ir, Joined, Kind, Origin, Repeat, RuleId, Special, Tracked};

/// What is known about a language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Whether it holds any text at all.
    pub productive: bool,
    /// Whether it holds the empty text.
    pub nullable: bool,
    /// The length of its shortest text in bytes; `u64::MAX` if it holds none.
    pub length_min: u64,
    /// An upper bound of the lengths in bytes; `None` is no bound.
    pub length_max: Option<u64>,
    /// The bytes that its non-empty texts begin with.
    pub first: ByteSet,
    /// Whether a rule in it calls itself, directly or through others. If not, it is regular.
    pub recursive: bool,
    /// Whether it is made of bytes alone: no author's text, no rules, no counts above 1, nothing
    /// with a register. Then it is a small finite automaton that means the same everywhere.
    pub plain: bool,
}

impl Facts {
    /// The facts of the language without any text.
    pub(super) fn never() -> Self {
        Self {
            productive: false,
            nullable: false,
            length_min: u64::MAX,
            length_max: Some(0),
            first: ByteSet::default(),
            recursive: false,
            plain: true,
        }
    }

    /// The facts of the empty text alone.
    fn empty() -> Self {
        Self { productive: true, nullable: true, length_min: 0, ..Self::never() }
    }

    /// The facts of a plain part that begins with these bytes, of these lengths.
    pub(crate) fn bytes(first: ByteSet, length_min: u64, length_max: u64) -> Self {
        let length_max = Some(length_max);
        Self { productive: true, length_min, length_max, first, ..Self::never() }
    }

    /// The facts of a JSON value, whatever its schema: it is known to have texts.
    pub(crate) fn json() -> Self {
        let mut first = ByteSet::default();
        b"\"-0123456789[{tfn".iter().for_each(|&byte| first.insert(byte));
        let bytes = Self::bytes(first, 1, 1);
        Self { length_max: None, recursive: true, plain: false, ..bytes }
    }

    /// The facts of a rule of a schema, of whose other rules nothing is known but that they are
    /// not nullable.
    pub(crate) fn of_rule(body: &Ir) -> Self {
        let mut first = ByteSet::default();
        (0..=u8::MAX).for_each(|byte| first.insert(byte));
        let called = Self { first, ..Self::json() };
        let facts = evaluate(body.kind(), &|_| Some(called.clone())).unwrap_or(called.clone());
        Self { length_max: None, recursive: true, plain: false, ..facts }
    }

    fn then(mut self, next: &Self) -> Self {
        let recursive = self.recursive || next.recursive;
        let plain = self.plain && next.plain;
        if !self.productive || !next.productive {
            return Self { recursive, plain, ..Self::never() };
        }
        if self.nullable {
            self.first.extend(&next.first);
        }
        Self {
            productive: true,
            nullable: self.nullable && next.nullable,
            length_min: self.length_min.saturating_add(next.length_min),
            length_max: self
                .length_max
                .zip(next.length_max)
                .map(|(mine, theirs)| mine.saturating_add(theirs)),
            first: self.first,
            recursive,
            plain,
        }
    }

    fn or(mut self, other: &Self) -> Self {
        self.first.extend(&other.first);
        Self {
            productive: self.productive || other.productive,
            nullable: self.nullable || other.nullable,
            length_min: self.length_min.min(other.length_min),
            length_max: self
                .length_max
                .zip(other.length_max)
                .map(|(mine, theirs)| mine.max(theirs)),
            first: self.first,
            recursive: self.recursive || other.recursive,
            plain: self.plain && other.plain,
        }
    }
}

/// The facts of `kind`, or `None` if it calls a rule.
pub(super) fn of(kind: &Kind) -> Option<Facts> {
    evaluate(kind, &|_| None)
}

/// The facts of `kind` where `called` tells those of rules, or `None` if it does not know one.
pub(super) fn evaluate(kind: &Kind, called: &dyn Fn(RuleId) -> Option<Facts>) -> Option<Facts> {
    let inner = |ir: &Ir| match ir.facts() {
        Some(facts) => Some(facts.clone()),
        None => evaluate(ir.kind(), called),
    };
    Some(match kind {
        Kind::Text(text) => {
            let mut first = ByteSet::default();
            first.insert(text.string.as_bytes()[0]);
            let length = text.string.len() as u64;
            let plain = text.origin == Origin::Value;
            Facts { plain, ..Facts::bytes(first, length, length) }
        }
        Kind::Class(set) => class(set),
        Kind::Sequence(parts) => {
            let mut facts = Facts::empty();
            for part in parts {
                facts = facts.then(&inner(part)?);
            }
            facts
        }
        Kind::Choice(arms) => {
            let mut facts = Facts::never();
            for arm in arms {
                facts = facts.or(&inner(arm)?);
            }
            facts
        }
        Kind::Repeat(repeat) => self::repeat(repeat, &inner)?,
        Kind::Joined(joined) => self::joined(joined, &inner)?,
        Kind::Automaton(automaton) => self::automaton(automaton, &inner)?,
        Kind::Call(rule) => Facts { plain: false, ..called(*rule)? },
        Kind::Grammar(grammar) => Facts { plain: false, ..grammar.facts().clone() },
        Kind::Regex(regex) => inner(&regex.body)?,
        Kind::Schema(schema) => schema.facts.clone(),
        // A vocabulary may read its delimiters otherwise.
        Kind::Anything(anything) => Facts { plain: false, ..inner(&anything.body)? },
        Kind::Dispatch(dispatch) => Facts { plain: false, ..inner(&dispatch.body)? },
        Kind::Capture(capture) => Facts { plain: false, ..inner(&capture.body)? },
        Kind::Special(special) => Facts { plain: false, ..self::special(special) },
        // What a machine forbids is not seen here, but for the empty text.
        Kind::Tracked(tracked) => {
            let mut facts = inner(&tracked.body)?;
            facts.nullable = facts.nullable && empty(tracked);
            facts.plain = false;
            facts
        }
        Kind::Act(_) => Facts { plain: false, ..Facts::empty() },
        Kind::Observed(part) => Facts { plain: false, ..inner(part)? },
    })
}

/// Whether `ir` holds the empty text, where no rule that it calls does; only that is looked at.
pub(super) fn may_be_empty(ir: &Ir) -> bool {
    if let Some(facts) = ir.facts() {
        return facts.nullable;
    }
    match ir.kind() {
        Kind::Call(_) => false,
        Kind::Sequence(parts) => parts.iter().all(may_be_empty),
        Kind::Choice(arms) => arms.iter().any(may_be_empty),
        Kind::Repeat(repeat) => {
            let separator = repeat.separator.as_ref();
            let again = || repeat.min == 1 || separator.is_none_or(may_be_empty);
            repeat.min == 0 || (may_be_empty(&repeat.body) && again())
        }
        Kind::Tracked(tracked) => may_be_empty(&tracked.body) && empty(tracked),
        kind => {
            let called = |_: RuleId| Some(Facts::json());
            evaluate(kind, &called).is_some_and(|facts| facts.nullable)
        }
    }
}

/// Without a vocabulary little is known of a token, so these are bounds.
fn special(special: &Special) -> Facts {
    let mut first = ByteSet::default();
    match special {
        Special::Spelled(spelling) => {
            spelling.bytes().take(1).for_each(|byte| first.insert(byte));
            Facts::bytes(first, spelling.len() as u64, spelling.len() as u64)
        }
        Special::Stop => Facts { length_max: None, ..Facts::empty() },
        Special::Any { .. } => {
            (0..=u8::MAX).for_each(|byte| first.insert(byte));
            Facts { length_max: None, ..Facts::bytes(first, 1, 1) }
        }
    }
}

/// Whether the machine allows the part to read nothing. Parts that call rules are taken to read.
fn empty(tracked: &Tracked) -> bool {
    let start = vec![tracked.machine.start()];
    !reached(&tracked.body, &tracked.machine, start).is_empty()
}

/// The values after `ir` has read nothing, from each of `values`.
fn reached(ir: &Ir, machine: &Machine, values: Vec<Value>) -> Vec<Value> {
    let nullable = |ir: &Ir| ir.facts().is_some_and(|facts| facts.nullable);
    if values.is_empty() || !nullable(ir) {
        return Vec::new();
    }
    let mut all = match ir.kind() {
        Kind::Act(action) => values.iter().filter_map(|v| machine.step(v, *action)).collect(),
        Kind::Sequence(parts) => {
            parts.iter().fold(values, |values, part| reached(part, machine, values))
        }
        Kind::Choice(arms) => {
            arms.iter().flat_map(|arm| reached(arm, machine, values.clone())).collect()
        }
        Kind::Repeat(repeat) if repeat.min > 0 => reached(&repeat.body, machine, values),
        Kind::Automaton(automaton) => {
            let mut found: Vec<Vec<Value>> = vec![Vec::new(); automaton.states.len()];
            let mut queue: Vec<(usize, Value)> = values.into_iter().map(|v| (0, v)).collect();
            while let Some((at, value)) = queue.pop() {
                if found[at].contains(&value) {
                    continue;
                }
                for (label, to) in &automaton.states[at].edges {
                    let next = reached(label, machine, vec![value.clone()]);
                    queue.extend(next.into_iter().map(|value| (*to, value)));
                }
                found[at].push(value);
            }
            let ends = automaton.states.iter().zip(found).filter(|(state, _)| state.accepting);
            ends.flat_map(|(_, values)| values).collect()
        }
        _ => values,
    };
    all.sort_unstable();
    all.dedup();
    all
}

fn class(set: &regex_syntax::hir::ClassUnicode) -> Facts {
    let mut first = ByteSet::default();
    let (mut shortest, mut longest) = (u64::MAX, 0);
    for range in set.ranges() {
        for sequence in Utf8Sequences::new(range.start(), range.end()) {
            let lead = sequence.as_slice()[0];
            (lead.start..=lead.end).for_each(|byte| first.insert(byte));
            shortest = shortest.min(sequence.len() as u64);
            longest = longest.max(sequence.len() as u64);
        }
    }
    Facts::bytes(first, shortest, longest)
}

fn repeat(repeat: &Repeat, inner: &dyn Fn(&Ir) -> Option<Facts>) -> Option<Facts> {
    let body = inner(&repeat.body)?;
    let separator = match &repeat.separator {
        Some(separator) => inner(separator)?,
        None => Facts::empty(),
    };
    let iteration = separator.clone().then(&body);
    let more = u64::from(repeat.min.saturating_sub(1));
    let many = repeat.max.map(|max| u64::from(max - 1));
    // One iteration, then `more..=many` iterations with the separator before each.
    let rest_max = match (iteration.length_max, many) {
        (Some(0), _) => Some(0),
        (Some(length), Some(many)) => Some(length.saturating_mul(many)),
        _ => None,
    };
    let mut rest = iteration.clone();
    rest.nullable = more == 0 || iteration.nullable;
    rest.productive = more == 0 || iteration.productive;
    rest.length_min = if more == 0 { 0 } else { iteration.length_min.saturating_mul(more) };
    rest.length_max = rest_max;
    let some = body.then(&rest);
    let mut facts = if repeat.min == 0 { some.or(&Facts::empty()) } else { some };
    facts.plain &= repeat.max == Some(1) || (repeat.max.is_none() && repeat.min <= 1);
    Some(facts)
}

fn joined(joined: &Joined, inner: &dyn Fn(&Ir) -> Option<Facts>) -> Option<Facts> {
    let separator = inner(&joined.separator)?;
    // The language of the parts so far: nothing written yet, or something written.
    let (mut nothing, mut something) = (Facts::empty(), Facts::never());
    for part in &joined.parts {
        let body = inner(&part.body)?;
        let begun = nothing.clone().then(&body);
        let gone_on = something.clone().then(&separator).then(&body);
        let present = begun.or(&gone_on);
        if part.required {
            (nothing, something) = (Facts::never(), present);
        } else {
            something = something.or(&present);
        }
    }
    Some(nothing.or(&something))
}

fn automaton(automaton: &Automaton, inner: &dyn Fn(&Ir) -> Option<Facts>) -> Option<Facts> {
    let states = &automaton.states;
    let labels = states
        .iter()
        .map(|state| state.edges.iter().map(|(label, _)| inner(label)).collect())
        .collect::<Option<Vec<Vec<Facts>>>>()?;
    // What can be read from each state on, as a least fixed point; states come trimmed, so only
    // the lengths and first bytes matter, and each settles after at most one round per state.
    let mut from = vec![Facts::never(); states.len()];
    loop {
        let mut changed = false;
        for at in (0..states.len()).rev() {
            let mut facts = if states[at].accepting { Facts::empty() } else { Facts::never() };
            for ((_, to), label) in states[at].edges.iter().zip(&labels[at]) {
                facts = facts.or(&label.clone().then(&from[*to]));
            }
            // The upper bound grows without end on a cycle; it is settled below.
            facts.length_max = Some(0);
            if facts != from[at] {
                from[at] = facts;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut facts = from.swap_remove(0);
    facts.length_max = longest(automaton, &labels);
    Some(facts)
}

/// The longest text from the start, or `None` if there is a cycle or an unbounded label.
fn longest(automaton: &Automaton, labels: &[Vec<Facts>]) -> Option<u64> {
    let mut graph = petgraph::graph::DiGraph::<(), u64>::new();
    let nodes: Vec<_> = automaton.states.iter().map(|_| graph.add_node(())).collect();
    for (at, state) in automaton.states.iter().enumerate() {
        for ((_, to), label) in state.edges.iter().zip(&labels[at]) {
            graph.add_edge(nodes[at], nodes[*to], label.length_max?);
        }
    }
    let order = petgraph::algo::toposort(&graph, None).ok()?;
    let mut longest = vec![0_u64; nodes.len()];
    for node in order.into_iter().rev() {
        for edge in graph.edges(node) {
            use petgraph::visit::EdgeRef;
            let through = edge.weight().saturating_add(longest[edge.target().index()]);
            longest[node.index()] = longest[node.index()].max(through);
        }
    }
    longest.first().copied()
}
