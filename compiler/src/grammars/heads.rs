//! Takes a part apart by what its texts begin with.
//!
//! Every part is the empty text, or not, and texts that begin with a rule of a given set or with
//! something else that reads. A rule stands for its non-empty texts there, so nothing hides
//! before it.

use super::rules::AssembleError;
use crate::ir::{Ir, Joined, Kind, Repeat, RuleId, Special, State};

/// The most heads that one grammar may need.
const HEADS_MAX: usize = 200_000;

/// What some texts of a part begin with, and what follows.
pub(super) struct Head {
    pub(super) lead: Lead,
    pub(super) tail: Ir,
}

/// What a text begins with; it reads something.
pub(super) enum Lead {
    /// A non-empty text of a rule of the set.
    Rule(RuleId),
    /// A part that is never empty.
    Part(Ir),
}

/// What the rules are like while they are taken apart.
pub(super) trait Surroundings {
    /// Whether the rule holds the empty text.
    fn is_nullable(&self, rule: RuleId) -> bool;

    /// Whether the rule belongs to the set.
    fn is_head(&self, rule: RuleId) -> bool;

    /// A call of the non-empty texts of a nullable rule.
    fn some(&mut self, rule: RuleId) -> Ir;

    /// Counts one more head, up to [`HEADS_MAX`].
    fn heads(&mut self) -> &mut usize;
}

/// The heads of `ir`, and whether it holds the empty text.
pub(super) fn split(
    ir: &Ir,
    around: &mut dyn Surroundings,
) -> Result<(Vec<Head>, bool), AssembleError> {
    let mut heads = Vec::new();
    let nullable = add(ir, around, &mut heads)?;
    Ok((heads, nullable))
}

/// The texts of `ir` but the empty one.
pub(super) fn some(ir: &Ir, around: &mut dyn Surroundings) -> Result<Ir, AssembleError> {
    let (heads, _) = split(ir, around)?;
    Ok(Ir::choice(heads.into_iter().map(|head| {
        let lead = match head.lead {
            Lead::Rule(rule) => Ir::call(rule),
            Lead::Part(part) => part,
        };
        Ir::sequence([lead, head.tail])
    })))
}

type Added = Result<bool, AssembleError>;

fn add(ir: &Ir, around: &mut dyn Surroundings, heads: &mut Vec<Head>) -> Added {
    if let Some(facts) = ir.facts()
        && !facts.nullable
    {
        return push(Lead::Part(ir.clone()), around, heads).map(|()| false);
    }
    match ir.kind() {
        Kind::Call(rule) => {
            let nullable = around.is_nullable(*rule);
            let lead = match (around.is_head(*rule), nullable) {
                (true, _) => Lead::Rule(*rule),
                (false, true) => Lead::Part(around.some(*rule)),
                (false, false) => Lead::Part(ir.clone()),
            };
            push(lead, around, heads).map(|()| nullable)
        }
        Kind::Sequence(parts) => {
            for (at, part) in parts.iter().enumerate() {
                let rest = || Ir::sequence(parts[at + 1..].iter().cloned());
                if !followed(part, &rest, around, heads)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Kind::Choice(arms) => {
            let mut nullable = false;
            for arm in arms {
                nullable |= add(arm, around, heads)?;
            }
            Ok(nullable)
        }
        Kind::Repeat(repeat) => self::repeat(repeat, around, heads),
        Kind::Joined(joined) => automaton(&as_states(joined), around, heads),
        Kind::Automaton(inner) => automaton(&inner.states, around, heads),
        Kind::Regex(regex) => add(&regex.body, around, heads),
        Kind::Anything(anything) => add(&anything.body, around, heads),
        Kind::Dispatch(dispatch) => add(&dispatch.body, around, heads),
        Kind::Capture(capture) => add(&capture.body, around, heads),
        // Nothing is read where there is no vocabulary.
        Kind::Special(Special::Stop) => Ok(true),
        // A nested grammar is closed, so its non-empty texts are told by those of its start.
        Kind::Grammar(grammar) => {
            let part = super::left::some_of(grammar)?;
            push(Lead::Part(part), around, heads).map(|()| true)
        }
        _ => Err(AssembleError::Inconsistent),
    }
}

fn push(
    lead: Lead,
    around: &mut dyn Surroundings,
    heads: &mut Vec<Head>,
) -> Result<(), AssembleError> {
    *around.heads() += 1;
    if *around.heads() > HEADS_MAX {
        return Err(AssembleError::TooLarge { parts_max: HEADS_MAX });
    }
    heads.push(Head { lead, tail: Ir::empty() });
    Ok(())
}

/// The heads of `part` with `rest` behind them, and whether `part` may be empty.
fn followed(
    part: &Ir,
    rest: &dyn Fn() -> Ir,
    around: &mut dyn Surroundings,
    heads: &mut Vec<Head>,
) -> Added {
    let from = heads.len();
    let nullable = add(part, around, heads)?;
    if heads.len() > from {
        let rest = rest();
        for head in &mut heads[from..] {
            let tail = std::mem::replace(&mut head.tail, Ir::empty());
            head.tail = Ir::sequence([tail, rest.clone()]);
        }
    }
    Ok(nullable)
}

/// A repeat is `body (separator body){n}`; the first part of it that reads decides.
fn repeat(repeat: &Repeat, around: &mut dyn Surroundings, heads: &mut Vec<Head>) -> Added {
    let Repeat { body, min, max, separator } = repeat;
    let separator = separator.clone().unwrap_or_else(Ir::empty);
    let more = |min: u32, less: u32| {
        let pair = Ir::sequence([separator.clone(), body.clone()]);
        let max = max.map(|max| max.saturating_sub(less));
        Ir::repeat(pair, min, max, None)
    };
    let body_first = heads.len();
    let nullable = add(body, around, heads)?;
    let separator_first = heads.len();
    let mut blank = false;
    if nullable && max.is_none_or(|max| max > 1) {
        blank = add(&separator, around, heads)?;
    }
    // If both may be empty, iterations before the first that reads cost nothing.
    let fewest = if nullable && blank { 0 } else { min.saturating_sub(1) };
    let after_body = more(fewest, 1);
    let fewest = if nullable && blank { 0 } else { min.saturating_sub(2) };
    let after_separator = Ir::sequence([body.clone(), more(fewest, 2)]);
    for (at, head) in heads.iter_mut().enumerate().skip(body_first) {
        let rest = if at < separator_first { &after_body } else { &after_separator };
        let tail = std::mem::replace(&mut head.tail, Ir::empty());
        head.tail = Ir::sequence([tail, rest.clone()]);
    }
    Ok(*min == 0 || (nullable && (blank || *min <= 1)))
}

fn automaton(states: &[State], around: &mut dyn Surroundings, heads: &mut Vec<Head>) -> Added {
    let mut seen = vec![false; states.len()];
    let (mut queue, mut accepts) = (vec![0], false);
    while let Some(at) = queue.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        accepts |= states[at].accepting;
        for (label, to) in &states[at].edges {
            if followed(label, &|| from_state(states, *to), around, heads)? {
                queue.push(*to);
            }
        }
    }
    Ok(accepts)
}

/// The automaton that begins at state `start` instead.
fn from_state(states: &[State], start: usize) -> Ir {
    let swapped = |at: usize| match at {
        0 => start,
        at if at == start => 0,
        at => at,
    };
    let state = |at: usize| {
        let state = &states[swapped(at)];
        let edges = state.edges.iter().map(|(label, to)| (label.clone(), swapped(*to))).collect();
        State { edges, accepting: state.accepting }
    };
    Ir::automaton((0..states.len()).map(state).collect())
}

/// Joined parts as states: before each part, nothing written yet or something.
pub(crate) fn as_states(joined: &Joined) -> Vec<State> {
    let count = joined.parts.len();
    let (nothing, something) = (|at: usize| at, |at: usize| count + 1 + at);
    let mut states = vec![State { edges: Vec::new(), accepting: false }; 2 * (count + 1)];
    for (at, part) in joined.parts.iter().enumerate() {
        let separated = Ir::sequence([joined.separator.clone(), part.body.clone()]);
        states[nothing(at)].edges.push((part.body.clone(), something(at + 1)));
        states[something(at)].edges.push((separated, something(at + 1)));
        if !part.required {
            states[nothing(at)].edges.push((Ir::empty(), nothing(at + 1)));
            states[something(at)].edges.push((Ir::empty(), something(at + 1)));
        }
    }
    states[nothing(count)].accepting = true;
    states[something(count)].accepting = true;
    states
}
