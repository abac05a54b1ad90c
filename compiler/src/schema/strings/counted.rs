//! An automaton held to lengths: the length is counted, and a character is only let in if a text
//! of a right length can still follow.

use std::sync::Arc;

use super::spelled::{edges, edges_by, lengths};
use crate::chars::automaton::{Automaton, LengthSet, TooLarge};
use crate::chars::spelling::Spelling;
use crate::chars::until::every_character;
use crate::ir::machine::{Action, Condition, Counters, Effect};
use crate::ir::{Ir, Machine};

/// Automata with at most so many states for all lengths are written out.
const UNROLLED_MAX: u64 = 64;
/// The most intervals of lengths that one state is asked about.
const INTERVALS_MAX: usize = 64;

/// Inclusive bounds on a length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub(super) first: u64,
    pub(super) last: Option<u64>,
}

impl Bounds {
    /// The texts of `automaton` within these bounds, of which there are some, between `quote`s.
    pub(super) fn texts(
        self,
        automaton: &Automaton,
        quote: Ir,
        characters: &mut dyn Spelling,
    ) -> Result<Ir, TooLarge> {
        let quoted = |body: Ir| Ir::sequence([quote.clone(), body, quote.clone()]);
        if self.first == 0 && self.last.is_none() {
            return Ok(quoted(edges(automaton, characters, &|_| None)));
        }
        let Ok(first) = u32::try_from(self.first) else {
            return Err(TooLarge("strings that long cannot be written"));
        };
        // Nobody writes a text with more characters than that.
        let last = self.last.and_then(|last| u32::try_from(last).ok()).filter(|&n| n < u32::MAX);
        if automaton.is_all() {
            let every = characters.class(&every_character());
            return Ok(quoted(Ir::repeat(every, first, last, None)));
        }
        let most = last.map_or(first, |last| last.saturating_add(1));
        if u64::from(most).saturating_mul(automaton.states() as u64) <= UNROLLED_MAX {
            let held = automaton.intersection(&lengths(self.first, self.last)?)?;
            return Ok(quoted(edges(&held, characters, &|_| None)));
        }
        let counted = counted(automaton, (first, last), characters)?;
        let (body, machine) = match counted {
            Some(counted) => counted,
            None => {
                let held = automaton.intersection(&lengths(self.first, self.last)?)?;
                return Ok(quoted(edges(&held, characters, &|_| None)));
            }
        };
        let body = Ir::sequence([quote.clone(), body, Ir::act(0), quote]);
        Ok(Ir::tracked(body, Arc::new(Machine::Counters(machine))))
    }
}

/// The automaton with an action after each character, and the counters for them.
fn counted(
    automaton: &Automaton,
    (first, last): (u32, Option<u32>),
    characters: &mut dyn Spelling,
) -> Result<Option<(Ir, Counters)>, TooLarge> {
    let Some((ticks, counters)) = ticks(automaton, (first, last))? else { return Ok(None) };
    let edge = |(_, to): (u32, u32), label| Ir::sequence([label, Ir::act(ticks[to as usize])]);
    let body = edges_by(automaton, characters, &|_| None, &edge);
    Ok(Some((body, counters)))
}

/// The action for a character that leads to each state, and the counters for them: action 0 is
/// the end. `None` if a state is asked about too many intervals.
pub(super) fn ticks(
    automaton: &Automaton,
    (first, last): (u32, Option<u32>),
) -> Result<Option<(Vec<u32>, Counters)>, TooLarge> {
    let one_more = vec![Effect::Add { counter: 0, by: 1 }];
    let end = between(first, last.map(|last| last.saturating_add(1)));
    let mut actions = vec![Action { when: end, effects: Vec::new() }];
    let mut known: Vec<(&LengthSet, u32)> = Vec::new();
    let all = automaton.lengths()?;
    let mut ticks = Vec::with_capacity(all.len());
    for (state, after) in all.iter().enumerate() {
        if automaton.settled(state as u32) == Some(0) {
            ticks.push(0);
            continue;
        }
        if let Some((_, action)) = known.iter().find(|(set, _)| *set == after) {
            ticks.push(*action);
            continue;
        }
        let Some(when) = viable(after, first, last) else { return Ok(None) };
        let action = actions.len() as u32;
        actions.push(Action { when, effects: one_more.clone() });
        known.push((after, action));
        ticks.push(action);
    }
    Ok(Some((ticks, Counters::new(1, actions))))
}

/// The counter is at least `first` and below `end`.
fn between(first: u32, end: Option<u32>) -> Condition {
    let mut both = Vec::new();
    if first > 0 {
        both.push(Condition::at_least(0, first));
    }
    both.extend(end.map(|end| Condition::below(0, end)));
    match both.len() {
        0 => Condition::Always,
        1 => both.remove(0),
        _ => Condition::All(both),
    }
}

/// When one more character may be read that leads to a state after which texts of the lengths
/// `after` are left; the counter does not count that character yet.
fn viable(after: &LengthSet, first: u32, last: Option<u32>) -> Option<Condition> {
    let Some(last) = last else {
        // However few were read, enough may follow, or at most the longest text.
        let least = match after.longest() {
            Some(longest) => u64::from(first).saturating_sub(longest + 1),
            None => 0,
        };
        return Some(between(least as u32, None));
    };
    let (first, last) = (u64::from(first), u64::from(last));
    let (settles, period) = after.repeats();
    let window = last - first + 1;
    // Lengths of what follows, longest first, so that the counts ascend.
    let mut intervals: Vec<(u64, u64)> = Vec::new();
    let mut add = |length: u64| {
        // With the character and what follows, the count is from `first` to `last`.
        if let Some(end) = last.checked_sub(length).filter(|&end| end > 0) {
            intervals.push((first.saturating_sub(length + 1), end));
        }
    };
    let mut covered_from = None;
    if after.is_infinite() {
        let repeats = (settles..settles + 2 * period).filter(|&length| after.contains(length));
        let lengths: Vec<u64> = repeats.collect();
        let gap = lengths.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(1);
        if gap <= window {
            covered_from = lengths.first().copied();
        } else if (last / period) as usize * lengths.len() > 4 * INTERVALS_MAX {
            return None;
        } else {
            (settles..=last).filter(|&length| after.contains(length)).for_each(&mut add);
        }
    }
    if settles > 1 << 16 {
        return None;
    }
    (0..settles).filter(|&length| after.contains(length)).for_each(&mut add);
    if let Some(end) = covered_from.and_then(|length| last.checked_sub(length)).filter(|&n| n > 0) {
        intervals.push((0, end));
    }
    intervals.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (begin, end) in intervals {
        match merged.last_mut() {
            Some(before) if before.1 >= begin => before.1 = before.1.max(end),
            _ => merged.push((begin, end)),
        }
    }
    if merged.len() > INTERVALS_MAX {
        return None;
    }
    let conditions = merged.into_iter().map(|(begin, end)| between(begin as u32, Some(end as u32)));
    let mut conditions: Vec<Condition> = conditions.collect();
    Some(if conditions.len() == 1 { conditions.remove(0) } else { Condition::Any(conditions) })
}
