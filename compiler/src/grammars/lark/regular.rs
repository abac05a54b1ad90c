//! Deterministic automata over characters, for the terminals that are made by `&` and `~`.
//!
//! A language without calls becomes a nondeterministic automaton (Thompson, 1968), subsets of its
//! states become states, and products and complements are taken of those.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::grammars::joined_states;
use crate::ir::{Ir, Kind, Repeat, State};

/// The most states of any automaton here.
const STATES_MAX: usize = 10_000;

/// What is said of a terminal above the limit.
pub(super) const TOO_LARGE: &str = "the terminal would need too many states";

/// An automaton from state 0 to state 1, the only one that accepts.
pub(super) struct Nfa {
    silent: Vec<Vec<usize>>,
    edges: Vec<Vec<(ClassUnicode, usize)>>,
}

impl Nfa {
    /// The automaton of `ir`; `None` above the limit, or if it calls rules.
    pub(super) fn new(ir: &Ir) -> Option<Self> {
        let mut nfa = Self { silent: vec![Vec::new(); 2], edges: vec![Vec::new(); 2] };
        nfa.add(ir, 0, 1)?;
        Some(nfa)
    }

    fn state(&mut self) -> Option<usize> {
        self.silent.push(Vec::new());
        self.edges.push(Vec::new());
        (self.silent.len() <= STATES_MAX).then(|| self.silent.len() - 1)
    }

    fn add(&mut self, ir: &Ir, from: usize, to: usize) -> Option<()> {
        match ir.kind() {
            Kind::Text(text) => {
                let mut at = from;
                for c in text.string.chars() {
                    let next = self.state()?;
                    self.edges[at].push((ClassUnicode::new([ClassUnicodeRange::new(c, c)]), next));
                    at = next;
                }
                self.silent[at].push(to);
                Some(())
            }
            Kind::Class(set) => {
                self.edges[from].push((set.clone(), to));
                Some(())
            }
            Kind::Sequence(parts) => {
                let mut at = from;
                for part in parts {
                    let next = self.state()?;
                    self.add(part, at, next)?;
                    at = next;
                }
                self.silent[at].push(to);
                Some(())
            }
            Kind::Choice(arms) => arms.iter().try_for_each(|arm| {
                // An arm that loops at an end must not reach another.
                let (begin, end) = (self.state()?, self.state()?);
                self.silent[from].push(begin);
                self.silent[end].push(to);
                self.add(arm, begin, end)
            }),
            Kind::Repeat(repeat) => self.repeat(repeat, from, to),
            Kind::Automaton(automaton) => self.automaton(&automaton.states, from, to),
            Kind::Joined(joined) => self.automaton(&joined_states(joined), from, to),
            Kind::Regex(regex) => self.add(&regex.body, from, to),
            Kind::Anything(anything) => self.add(&anything.body, from, to),
            _ => None,
        }
    }

    fn repeat(&mut self, repeat: &Repeat, from: usize, to: usize) -> Option<()> {
        let mut at = self.state()?;
        self.silent[from].push(at);
        let mut count = 0;
        loop {
            if count >= repeat.min {
                self.silent[at].push(to);
            }
            if repeat.max.is_some_and(|max| count >= max) {
                return Some(());
            }
            let mut begin = at;
            if let Some(separator) = repeat.separator.as_ref().filter(|_| count > 0) {
                begin = self.state()?;
                self.add(separator, at, begin)?;
            }
            // From here on every further iteration is like this one.
            let last = repeat.max.is_none() && count > 0 && count >= repeat.min;
            let end = if last { at } else { self.state()? };
            self.add(&repeat.body, begin, end)?;
            if last {
                return Some(());
            }
            at = end;
            count += 1;
        }
    }

    fn automaton(&mut self, states: &[State], from: usize, to: usize) -> Option<()> {
        let first = self.silent.len();
        for _ in states {
            self.state()?;
        }
        self.silent[from].push(first);
        for (at, state) in states.iter().enumerate() {
            for (label, next) in &state.edges {
                self.add(label, first + at, first + next)?;
            }
            if state.accepting {
                self.silent[first + at].push(to);
            }
        }
        Some(())
    }

    fn closure(&self, states: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut queue: Vec<usize> = states.into_iter().collect();
        let mut closed = BTreeSet::new();
        while let Some(at) = queue.pop() {
            if closed.insert(at) {
                queue.extend(&self.silent[at]);
            }
        }
        closed
    }
}

/// A deterministic automaton; state 0 is the start. Each state's edges cover every character,
/// each exactly once.
pub(super) struct Dfa {
    edges: Vec<Vec<(ClassUnicode, usize)>>,
    accepting: Vec<bool>,
}

impl Dfa {
    /// The automaton of `nfa`; `None` above the limit.
    pub(super) fn new(nfa: &Nfa) -> Option<Self> {
        let mut explored = Explored::new(nfa.closure([0]));
        let mut dfa = Self { edges: Vec::new(), accepting: Vec::new() };
        while let Some(states) = explored.next() {
            dfa.accepting.push(states.contains(&1));
            let edges = states.iter().flat_map(|&at| &nfa.edges[at]);
            let mut row = Vec::new();
            for (set, targets) in pieces(edges.map(|(set, to)| (set, *to))) {
                row.push((set, explored.place(nfa.closure(targets))?));
            }
            dfa.edges.push(row);
        }
        Some(dfa)
    }

    /// The texts of both; `None` above the limit.
    pub(super) fn intersection(&self, other: &Self) -> Option<Self> {
        let mut explored = Explored::new((0, 0));
        let mut dfa = Self { edges: Vec::new(), accepting: Vec::new() };
        while let Some((one, two)) = explored.next() {
            dfa.accepting.push(self.accepting[one] && other.accepting[two]);
            let mut row = Vec::new();
            for (mine, to) in &self.edges[one] {
                for (theirs, other_to) in &other.edges[two] {
                    let mut set = mine.clone();
                    set.intersect(theirs);
                    if !set.ranges().is_empty() {
                        row.push((set, explored.place((*to, *other_to))?));
                    }
                }
            }
            dfa.edges.push(row);
        }
        Some(dfa)
    }

    /// All other texts.
    pub(super) fn complement(mut self) -> Self {
        self.accepting.iter_mut().for_each(|accepting| *accepting = !*accepting);
        self
    }

    /// The same language.
    pub(super) fn lower(&self) -> Ir {
        let states = self.edges.iter().zip(&self.accepting).map(|(row, &accepting)| {
            let mut targets: BTreeMap<usize, ClassUnicode> = BTreeMap::new();
            for (set, to) in row {
                targets.entry(*to).or_insert_with(ClassUnicode::empty).union(set);
            }
            let edges = targets.into_iter().map(|(to, set)| (Ir::class(set), to)).collect();
            State { edges, accepting }
        });
        Ir::automaton(states.collect())
    }
}

/// States by what they stand for, in the order in which they were found.
struct Explored<T> {
    known: BTreeMap<T, usize>,
    queue: std::collections::VecDeque<T>,
}

impl<T: Ord + Clone> Explored<T> {
    fn new(start: T) -> Self {
        Self { known: BTreeMap::from([(start.clone(), 0)]), queue: [start].into() }
    }

    fn next(&mut self) -> Option<T> {
        self.queue.pop_front()
    }

    fn place(&mut self, of: T) -> Option<usize> {
        let fresh = self.known.len();
        let place = *self.known.entry(of.clone()).or_insert(fresh);
        if place == fresh {
            self.queue.push_back(of);
        }
        (fresh <= STATES_MAX).then_some(place)
    }
}

/// Cuts all characters into sets that no edge tells apart, each with the targets of its edges.
fn pieces<'a>(
    edges: impl Iterator<Item = (&'a ClassUnicode, usize)>,
) -> Vec<(ClassUnicode, BTreeSet<usize>)> {
    // Where the targets change: each place with those that begin or stop there.
    let mut changes: BTreeMap<u32, Vec<(usize, bool)>> = BTreeMap::from([(0, Vec::new())]);
    for (set, to) in edges {
        for range in set.ranges() {
            changes.entry(u32::from(range.start())).or_default().push((to, true));
            changes.entry(u32::from(range.end()) + 1).or_default().push((to, false));
        }
    }
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut pieces: BTreeMap<BTreeSet<usize>, ClassUnicode> = BTreeMap::new();
    let ends = changes.keys().skip(1).copied().chain([0x11_0000]).collect::<Vec<_>>();
    for ((begin, changed), end) in changes.into_iter().zip(ends) {
        for (to, begins) in changed {
            let count = counts.entry(to).or_default();
            *count = if begins { *count + 1 } else { count.saturating_sub(1) };
            if *count == 0 {
                counts.remove(&to);
            }
        }
        let set =
            pieces.entry(counts.keys().copied().collect()).or_insert_with(ClassUnicode::empty);
        for (first, last) in [(begin, (end - 1).min(0xD7FF)), (begin.max(0xE000), end - 1)] {
            let range = char::from_u32(first).zip(char::from_u32(last));
            if let Some((first, last)) = range.filter(|(first, last)| first <= last) {
                set.push(ClassUnicodeRange::new(first, last));
            }
        }
    }
    let pieces = pieces.into_iter().map(|(targets, set)| (set, targets));
    pieces.filter(|(set, _)| !set.ranges().is_empty()).collect()
}
