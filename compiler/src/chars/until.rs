//! Free text up to a delimiter, and free text in which triggers start structure, as automata.
//!
//! Text `T` before delimiter `D` is right if and only if the first occurrence of any delimiter
//! in `T·D` is at its end. The automaton is that of Aho and Corasick (1975) with the matching
//! states taken out; a state may end the text if some delimiter, read from there, does not match
//! before its own end.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use thiserror::Error;

use super::patterns::Patterns;
use crate::ir::machine::{Action, Condition, Counters, Effect};
use crate::ir::{Ir, Machine, Special, State};

/// More states than this are not unrolled: a counter stands beside them.
const UNROLLED_MAX: u64 = 2048;

/// One step of a delimiter or trigger.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unit {
    /// A character.
    Character(char),
    /// The special token of this spelling.
    Token(Arc<str>),
}

/// A delimiter or trigger as what a vocabulary makes of it.
pub type Units = Vec<Unit>;

/// Two delimiters of which one decides what the other may follow: no one automaton is right for
/// both, as for `ab` and `ba` after the text `a`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "delimiters `{0}` and `{1}` overlap, so where the text before them ends depends on which of them follows"
)]
pub struct Overlap(pub String, pub String);

/// What free text is held to; each of its characters, or special tokens, counts as one.
#[derive(Clone, Default, Debug)]
pub(crate) struct Free {
    pub(crate) until: Vec<Units>,
    /// Those of the delimiters that may follow.
    pub(crate) before: Vec<Units>,
    pub(crate) excludes: Vec<Units>,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
    /// Whether special tokens may occur in it.
    pub(crate) special: bool,
}

/// Triggers in free text and what each starts.
pub(crate) struct Started<'a> {
    pub(crate) rules: Vec<(Units, &'a Ir)>,
    pub(crate) needed: bool,
    pub(crate) once: bool,
    pub(crate) until: Vec<Units>,
    pub(crate) excludes: Vec<Units>,
}

/// The units of `text` where it spells no special token.
pub(crate) fn characters(text: &str) -> Units {
    text.chars().map(Unit::Character).collect()
}

/// What a message calls `units`.
fn shown(units: &[Unit]) -> String {
    let spell = |unit: &Unit| match unit {
        Unit::Character(c) => c.to_string(),
        Unit::Token(spelling) => spelling.to_string(),
    };
    units.iter().map(spell).collect()
}

/// Every character, as a set.
pub(crate) fn every_character() -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)])
}

/// How many states [`automaton`] has at most without a counter.
fn states(free: &Free) -> u64 {
    let patterns = free.until.iter().chain(&free.excludes);
    let nodes: u64 = patterns.map(|units| units.len() as u64).sum::<u64>() + 1;
    let steps = u64::from(free.max.unwrap_or(free.min)) + 1;
    let counted = nodes > 1 && (free.min > 0 || free.max.is_some());
    if counted { nodes.saturating_mul(steps) } else { nodes }
}

/// The texts that may stand before any of the delimiters; any text if there are none.
///
/// # Errors
/// [`Overlap`] if the texts that may stand before one delimiter are not those before another.
///
/// # Complexity
/// O(n²) in the characters of the delimiters, times the bound on the length.
pub(crate) fn automaton(free: &Free) -> Result<Ir, Overlap> {
    let counted = Counted::new(free)?;
    if free.min == 0 && free.max.is_none() {
        let accepting = counted.accepting.into_iter();
        let states = counted.edges.into_iter().zip(accepting);
        let states = states.map(|(edges, accepting)| State { edges, accepting });
        return Ok(Ir::automaton(states.collect()));
    }
    if counted.accepting.len() == 1 {
        let mut one = vec![Ir::class(every_character())];
        one.extend(free.special.then(|| Ir::special(Special::Any { except: Vec::new() })));
        return Ok(Ir::repeat(Ir::choice(one), free.min, free.max, None));
    }
    Ok(match states(free) <= UNROLLED_MAX {
        true => counted.unrolled(free.min, free.max),
        false => counted.tracked(free.min, free.max),
    })
}

/// The same, always as an automaton whose edges read one character or special token each; `None`
/// if it would have more than [`UNROLLED_MAX`] states.
///
/// # Errors
/// As [`automaton`].
pub(crate) fn unrolled(free: &Free) -> Result<Option<Ir>, Overlap> {
    if free.min == 0 && free.max.is_none() {
        return automaton(free).map(Some);
    }
    let steps = u64::from(free.max.unwrap_or(free.min)) + 1;
    if states(free).max(steps) > UNROLLED_MAX {
        return Ok(None);
    }
    Ok(Some(Counted::new(free)?.unrolled(free.min, free.max)))
}

/// An automaton whose edges read a character each, which may be counted.
struct Counted {
    edges: Vec<Vec<(Ir, usize)>>,
    accepting: Vec<bool>,
}

impl Counted {
    /// The automaton of the text without its counts.
    fn new(free: &Free) -> Result<Self, Overlap> {
        // A pattern with a token in it does not occur in text that holds none.
        let occurs = |units: &&Units| {
            free.special || units.iter().all(|unit| matches!(unit, Unit::Character(_)))
        };
        let until = free.until.iter().filter(occurs);
        let delimiters = until.clone().count();
        let patterns = until.chain(free.excludes.iter().filter(occurs));
        let machine = Patterns::new(free.special, patterns.map(Vec::as_slice));
        let barred = |at: usize| !machine.matched(at).is_empty();
        let delimited = |at: usize| machine.matched(at).iter().any(|&pattern| pattern < delimiters);
        let accepting = accepting(&machine, &free.before, free.special, &delimited)?;
        let edges = (0..machine.len())
            .map(|at| if barred(at) { Vec::new() } else { edges(&machine, at, free.special) })
            .map(|edges| edges.into_iter().filter(|(_, to)| !barred(*to)).collect())
            .collect();
        let may_end = |at: usize| accepting[at] && !barred(at);
        Ok(Self { edges, accepting: (0..machine.len()).map(may_end).collect() })
    }

    /// Each count has its own copy of the states.
    fn unrolled(&self, min: u32, max: Option<u32>) -> Ir {
        // From the last count on all are alike: none is too short, and none too long.
        let (width, last) = (self.edges.len(), max.unwrap_or(min) as usize);
        let mut states = Vec::new();
        for count in 0..=last {
            let next = match (count < last, max) {
                (true, _) => Some(count + 1),
                (false, None) => Some(count),
                (false, Some(_)) => None,
            };
            for (edges, accepting) in self.edges.iter().zip(&self.accepting) {
                let moved = next.map(|next| {
                    edges.iter().map(move |(label, to)| (label.clone(), next * width + to))
                });
                let edges = moved.into_iter().flatten().collect();
                states.push(State { edges, accepting: *accepting && count >= min as usize });
            }
        }
        Ir::automaton(states)
    }

    /// A counter stands beside the states. A character is read only if the characters that must
    /// still follow it before the text may end are within the bound.
    fn tracked(&self, min: u32, max: Option<u32>) -> Ir {
        let distance = self.distances();
        let farthest = distance.iter().flatten().max().copied().unwrap_or(0);
        let mut actions: Vec<Action> = (0..=farthest)
            .map(|more| Action {
                when: max
                    .map_or(Condition::Always, |max| Condition::below(0, max.saturating_sub(more))),
                effects: vec![Effect::Add { counter: 0, by: 1 }],
            })
            .collect();
        actions.push(Action { when: Condition::at_least(0, min), effects: Vec::new() });
        let end = self.edges.len();
        let mut states: Vec<State> = Vec::with_capacity(end + 1);
        for (edges, accepting) in self.edges.iter().zip(&self.accepting) {
            let live = edges.iter().filter_map(|(label, to)| {
                Some((Ir::sequence([label.clone(), Ir::act(distance[*to]?)]), *to))
            });
            let ends = accepting.then(|| (Ir::act(farthest + 1), end));
            states.push(State { edges: live.chain(ends).collect(), accepting: false });
        }
        states.push(State { edges: Vec::new(), accepting: true });
        let machine = Machine::Counters(Counters::new(1, actions));
        Ir::tracked(Ir::automaton(states), Arc::new(machine))
    }

    /// The fewest characters from each state to one where the text may end.
    fn distances(&self) -> Vec<Option<u32>> {
        let mut distance: Vec<Option<u32>> =
            self.accepting.iter().map(|&yes| yes.then_some(0)).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (at, edges) in self.edges.iter().enumerate() {
                let through = edges.iter().filter_map(|(_, to)| distance[*to]).min();
                let found = through.map(|steps| steps + 1);
                if found.is_some() && (distance[at].is_none() || found < distance[at]) {
                    distance[at] = found;
                    changed = true;
                }
            }
        }
        distance
    }
}

/// Free text; wherever a trigger occurs in it, what the trigger starts follows, and then free
/// text again.
///
/// # Errors
/// As [`automaton`].
pub(crate) fn dispatch(started: &Started<'_>) -> Result<Ir, Overlap> {
    let triggers = started.rules.iter().map(|(units, _)| units.as_slice());
    let others = started.until.iter().chain(&started.excludes).map(Vec::as_slice);
    let machine = Patterns::new(false, triggers.chain(others));
    let count = started.rules.len();
    let barred = |at: usize| machine.matched(at).iter().any(|&pattern| pattern >= count);
    let fires = |at: usize| machine.matched(at);
    let outside = |at: usize| !machine.matched(at).is_empty();
    let ended = count + started.until.len();
    let ends = |at: usize| machine.matched(at).iter().any(|&pattern| pattern < ended);
    let accepting = accepting(&machine, &started.until, false, &ends)?;
    // The states of the machine come after the start, if there is one, and the end after them.
    let place = |at: usize| at + usize::from(started.needed);
    let after = if started.once { place(machine.len()) } else { place(0) };
    let mut states = Vec::with_capacity(machine.len() + 2);
    if started.needed {
        let first = |(units, body): &(Units, &Ir)| {
            (Ir::sequence([Ir::text(&shown(units)), (*body).clone()]), after)
        };
        let edges = started.rules.iter().map(first).collect();
        states.push(State { edges, accepting: false });
    }
    for at in 0..machine.len() {
        let edges = if barred(at) {
            Vec::new()
        } else if fires(at).is_empty() {
            let edges = edges(&machine, at, false).into_iter();
            edges.filter(|(_, to)| !barred(*to)).map(|(label, to)| (label, place(to))).collect()
        } else {
            let bodies = fires(at).iter().map(|&rule| started.rules[rule].1.clone());
            vec![(Ir::choice(bodies), after)]
        };
        let accepting = accepting[at] && !outside(at) && !machine.is_within_token(at);
        states.push(State { edges, accepting });
    }
    states.push(State { edges: Vec::new(), accepting: true });
    Ok(Ir::automaton(states))
}

/// The edges out of `at`, one for each state that follows.
fn edges(machine: &Patterns, at: usize, special: bool) -> Vec<(Ir, usize)> {
    let mut characters: BTreeMap<usize, Vec<char>> = BTreeMap::new();
    let mut tokens: Vec<(Ir, usize)> = Vec::new();
    let mut elsewhere = every_character();
    let mut known = Vec::new();
    for unit in machine.alphabet() {
        let next = machine.next(at, unit);
        match unit {
            Unit::Character(character) => {
                if next != Some(0) {
                    elsewhere.difference(&single(*character));
                    if let Some(next) = next {
                        characters.entry(next).or_default().push(*character);
                    }
                }
            }
            Unit::Token(spelling) => {
                known.push(spelling.clone());
                tokens.extend(next.map(|next| (Ir::text(spelling), next)));
            }
        }
    }
    let mut edges = Vec::new();
    if !machine.is_within_token(at) {
        edges.push((Ir::class(elsewhere), 0));
        if special {
            edges.push((Ir::special(Special::Any { except: known }), 0));
        }
    }
    edges.extend(characters.into_iter().map(|(next, characters)| {
        let ranges = characters.into_iter().map(|c| ClassUnicodeRange::new(c, c));
        (Ir::class(ClassUnicode::new(ranges)), next)
    }));
    edges.extend(tokens);
    edges
}

/// Whether each state may end the text.
fn accepting(
    machine: &Patterns,
    until: &[Units],
    special: bool,
    ends: &dyn Fn(usize) -> bool,
) -> Result<Vec<bool>, Overlap> {
    let mut agreed: Option<(Vec<bool>, &Units)> = None;
    for delimiter in until {
        let own: Vec<bool> = (0..machine.len())
            .map(|at| !ends(at) && may_follow(machine, at, delimiter, special, ends))
            .collect();
        match &agreed {
            Some((others, first)) if *others != own => {
                return Err(Overlap(shown(first), shown(delimiter)));
            }
            _ => agreed = Some((own, delimiter)),
        }
    }
    Ok(agreed.map_or_else(|| vec![true; machine.len()], |(accepting, _)| accepting))
}

/// Whether nothing ends before the end of `delimiter` when it is read from `at`.
fn may_follow(
    machine: &Patterns,
    mut at: usize,
    delimiter: &[Unit],
    special: bool,
    ends: &dyn Fn(usize) -> bool,
) -> bool {
    for (place, unit) in delimiter.iter().enumerate() {
        if matches!(unit, Unit::Token(_)) && !special {
            // No token occurs inside the text, so what comes before it is all that counts.
            return true;
        }
        match machine.next(at, unit) {
            Some(next) => at = next,
            None => return false,
        }
        if ends(at) && place + 1 < delimiter.len() {
            return false;
        }
    }
    true
}

fn single(character: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(character, character)])
}
