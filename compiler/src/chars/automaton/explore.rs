//! Makes automata state by state, from a start and a step.

use std::hash::Hash;

use super::minimal::minimal;
use super::{Automaton, Letters, Map, Row, STATES_MAX, TooLarge};

/// The most letters that lead elsewhere than the default, in all rows together.
const EDGES_MAX: usize = 1 << 21;

/// Where the letters of a state lead: some by name, all others to the default.
pub(crate) struct Steps<S> {
    pub(crate) default: S,
    pub(crate) others: Vec<(u32, S)>,
}

/// The automaton over `letters` whose states are those reached from `start` by `steps`.
///
/// # Errors
/// [`TooLarge`] above [`STATES_MAX`] states, or as `steps` says.
pub(crate) fn explore<S: Clone + Eq + Hash>(
    letters: Letters,
    start: S,
    steps: impl FnMut(&S) -> Result<Steps<S>, TooLarge>,
    output: impl Fn(&S) -> u32,
) -> Result<Automaton, TooLarge> {
    explore_within(letters, start, steps, output, STATES_MAX)
}

/// As [`explore`], with `most` states at most.
///
/// # Errors
/// [`TooLarge`] above `most` states, or as `steps` says.
pub(crate) fn explore_within<S: Clone + Eq + Hash>(
    letters: Letters,
    start: S,
    mut steps: impl FnMut(&S) -> Result<Steps<S>, TooLarge>,
    output: impl Fn(&S) -> u32,
    most: usize,
) -> Result<Automaton, TooLarge> {
    let mut index: Map<S, u32> = Map::default();
    index.insert(start.clone(), 0);
    let mut states = vec![start];
    let (mut rows, mut outputs): (Vec<Row>, _) = (Vec::new(), Vec::new());
    let mut edges = 0;
    while let Some(state) = states.get(rows.len()) {
        outputs.push(output(state));
        let found = steps(state)?;
        let mut place = |state: S| match index.get(&state) {
            Some(&known) => known,
            None => {
                let fresh = states.len() as u32;
                index.insert(state.clone(), fresh);
                states.push(state);
                fresh
            }
        };
        let default = place(found.default);
        let others: Box<[(u32, u32)]> =
            found.others.into_iter().map(|(letter, to)| (letter, place(to))).collect();
        edges += others.len();
        rows.push(Row { default, others });
        if states.len() > most || edges > EDGES_MAX {
            return Err(TooLarge("too large an automaton"));
        }
    }
    Ok(minimal(letters, rows, outputs))
}

/// A pair of states, or what is known to come out whatever follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Pair {
    Open(u32, u32),
    Settled(u32),
}

/// The automaton whose output is `join` of the outputs of `one` and `two`. It is asked with
/// `None` for an output that still depends on what follows, and may answer `None` then.
pub(super) fn product(
    one: &Automaton,
    two: &Automaton,
    join: &dyn Fn(Option<u32>, Option<u32>) -> Option<u32>,
) -> Result<Automaton, TooLarge> {
    let (letters, pairs) = one.letters.refined(&two.letters);
    let mut of_one = vec![Vec::new(); one.letters.count() as usize];
    let mut of_two = vec![Vec::new(); two.letters.count() as usize];
    for (letter, &(first, second)) in pairs.iter().enumerate() {
        of_one[first as usize].push(letter as u32);
        of_two[second as usize].push(letter as u32);
    }
    let pair = |first, second| match join(one.settled(first), two.settled(second)) {
        Some(output) => Pair::Settled(output),
        None => Pair::Open(first, second),
    };
    let steps = |state: &Pair| {
        let Pair::Open(first, second) = *state else {
            return Ok(Steps { default: *state, others: Vec::new() });
        };
        let (row, beside) = (one.row(first), two.row(second));
        let mut named: Vec<u32> = Vec::new();
        row.others.iter().for_each(|edge| named.extend(&of_one[edge.0 as usize]));
        beside.others.iter().for_each(|edge| named.extend(&of_two[edge.0 as usize]));
        named.sort_unstable();
        named.dedup();
        let others = named.into_iter().map(|letter| {
            let (a, b) = pairs[letter as usize];
            (letter, pair(row.to(a), beside.to(b)))
        });
        Ok(Steps { default: pair(row.default, beside.default), others: others.collect() })
    };
    let output = |state: &Pair| match *state {
        Pair::Settled(output) => output,
        Pair::Open(first, second) => {
            join(Some(one.output(first)), Some(two.output(second))).unwrap_or(0)
        }
    };
    // A long list of words stays about as long, and so do minutes of the day.
    let most = one.states().max(two.states()).saturating_mul(4).max(STATES_MAX);
    explore_within(letters, pair(0, 0), steps, output, most)
}
