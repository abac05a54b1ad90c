//! Deterministic automata over characters: what a pattern needs beside bounds on its length.
//!
//! A pattern without anchors becomes a nondeterministic automaton (Thompson 1968), its classes
//! are cut into letters no class tells apart, and subsets of states become states. Counts are
//! unrolled here, so every step has a limit.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange, Hir, HirKind};

use super::length::Lengths;
use super::spelling::{self, Spelling};
use crate::ir::{Ir, State};

/// The most states before subsets are taken.
const NFA_STATES_MAX: usize = 20_000;
/// The most states after.
const DFA_STATES_MAX: usize = 4_096;

/// A nondeterministic automaton; state 0 is the start and state 1 the only accepting one.
pub(crate) struct Nfa {
    silent: Vec<Vec<usize>>,
    edges: Vec<Vec<(ClassUnicode, usize)>>,
}

impl Nfa {
    /// The automaton of `hir`, or `None` above the limit or for bytes that are no characters.
    pub(crate) fn new(hir: &Hir) -> Option<Self> {
        let mut nfa = Self { silent: vec![Vec::new(); 2], edges: vec![Vec::new(); 2] };
        nfa.add(hir, 0, 1)?;
        Some(nfa)
    }

    /// Whether `text` is in the language.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        let mut now = self.closure([0]);
        for character in text.chars() {
            let edges = now.iter().flat_map(|&at| &self.edges[at]);
            let next = edges.filter(|(set, _)| contains(set, character)).map(|edge| edge.1);
            now = self.closure(next.collect::<Vec<_>>());
        }
        now.contains(&1)
    }

    fn state(&mut self) -> Option<usize> {
        self.silent.push(Vec::new());
        self.edges.push(Vec::new());
        (self.silent.len() <= NFA_STATES_MAX).then(|| self.silent.len() - 1)
    }

    fn add(&mut self, hir: &Hir, from: usize, to: usize) -> Option<()> {
        match hir.kind() {
            HirKind::Empty => self.silent[from].push(to),
            HirKind::Look(_) => return None,
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).ok()?;
                let mut at = from;
                for character in text.chars() {
                    let next = self.state()?;
                    let range = ClassUnicodeRange::new(character, character);
                    self.edges[at].push((ClassUnicode::new([range]), next));
                    at = next;
                }
                self.silent[at].push(to);
            }
            HirKind::Class(class) => self.edges[from].push((spelling::characters(class)?, to)),
            HirKind::Capture(capture) => self.add(&capture.sub, from, to)?,
            HirKind::Concat(parts) => {
                let mut at = from;
                for part in parts {
                    let next = self.state()?;
                    self.add(part, at, next)?;
                    at = next;
                }
                self.silent[at].push(to);
            }
            HirKind::Alternation(arms) => {
                for arm in arms {
                    // An arm that loops at its end must not reach the start of another.
                    let (begin, end) = (self.state()?, self.state()?);
                    self.silent[from].push(begin);
                    self.silent[end].push(to);
                    self.add(arm, begin, end)?;
                }
            }
            HirKind::Repetition(repetition) => {
                let mut at = from;
                for _ in 0..repetition.min {
                    let next = self.state()?;
                    self.add(&repetition.sub, at, next)?;
                    at = next;
                }
                let Some(max) = repetition.max else {
                    let body = self.state()?;
                    self.silent[at].push(body);
                    self.add(&repetition.sub, body, body)?;
                    self.silent[body].push(to);
                    return Some(());
                };
                for _ in repetition.min..max {
                    self.silent[at].push(to);
                    let next = self.state()?;
                    self.add(&repetition.sub, at, next)?;
                    at = next;
                }
                self.silent[at].push(to);
            }
        }
        Some(())
    }

    fn closure(&self, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut queue: Vec<usize> = from.into_iter().collect();
        while let Some(at) = queue.pop() {
            if reached.insert(at) {
                queue.extend(&self.silent[at]);
            }
        }
        reached
    }
}

/// A deterministic automaton; state 0 is the start, and a missing edge leads nowhere.
pub(crate) struct Dfa {
    letters: Vec<ClassUnicode>,
    /// For each state and letter, the next state.
    next: Vec<Vec<Option<usize>>>,
    accepting: Vec<bool>,
}

impl Dfa {
    /// The least automaton of `hir`, or `None` above a limit.
    pub(crate) fn new(hir: &Hir) -> Option<Self> {
        let nfa = Nfa::new(hir)?;
        let letters = letters(&nfa);
        let start = nfa.closure([0]);
        let mut index = HashMap::from([(start.clone(), 0)]);
        let (mut subsets, mut next) = (vec![start], Vec::new());
        while next.len() < subsets.len() {
            let subset = subsets[next.len()].clone();
            let mut row = Vec::with_capacity(letters.len());
            for letter in &letters {
                let sample = letter.ranges()[0].start();
                let edges = subset.iter().flat_map(|&at| &nfa.edges[at]);
                let to = edges.filter(|(set, _)| contains(set, sample)).map(|edge| edge.1);
                let to = nfa.closure(to.collect::<Vec<_>>());
                if to.is_empty() {
                    row.push(None);
                    continue;
                }
                let fresh = subsets.len();
                let at = *index.entry(to.clone()).or_insert(fresh);
                if at == fresh {
                    subsets.push(to);
                }
                row.push(Some(at));
            }
            next.push(row);
            if subsets.len() > DFA_STATES_MAX {
                return None;
            }
        }
        let accepting = subsets.iter().map(|subset| subset.contains(&1)).collect();
        Some(Self { letters, next, accepting }.minimised())
    }

    /// Merges the states that no text tells apart (Moore 1956). A state from which nothing is
    /// accepted is told apart from a missing edge; [`Ir::automaton`] drops it.
    fn minimised(self) -> Self {
        let mut class: Vec<usize> = self.accepting.iter().map(|&yes| usize::from(yes)).collect();
        let mut count = 0;
        loop {
            let mut index = BTreeMap::new();
            // The start comes first, so its class is number 0.
            let refined: Vec<usize> = (0..self.next.len())
                .map(|at| {
                    let row: Vec<Option<usize>> =
                        self.next[at].iter().map(|to| to.map(|to| class[to])).collect();
                    let fresh = index.len();
                    *index.entry((class[at], row)).or_insert(fresh)
                })
                .collect();
            class = refined;
            if index.len() == count {
                break;
            }
            count = index.len();
        }
        let mut next = vec![Vec::new(); count];
        let mut accepting = vec![false; count];
        for (at, row) in self.next.iter().enumerate() {
            next[class[at]] = row.iter().map(|to| to.map(|to| class[to])).collect();
            accepting[class[at]] = self.accepting[at];
        }
        Self { letters: self.letters, next, accepting }
    }

    /// The texts whose length is within `bounds`, or `None` above the limit.
    pub(crate) fn bounded(&self, bounds: Lengths) -> Option<Self> {
        // Lengths from here on are all the same: none is too short, and none too long.
        let last = bounds.max.unwrap_or(bounds.min);
        let states = last.checked_add(1)?.checked_mul(self.next.len() as u64)?;
        if states > DFA_STATES_MAX as u64 {
            return None;
        }
        let last = usize::try_from(last).ok()?;
        let min = usize::try_from(bounds.min).ok()?;
        let place = |at: usize, length: usize| at + length * self.next.len();
        let (mut next, mut accepting) = (Vec::new(), Vec::new());
        for length in 0..=last {
            for (at, row) in self.next.iter().enumerate() {
                accepting.push(self.accepting[at] && length >= min);
                let longer = if length < last { Some(length + 1) } else { None };
                let longer = longer.or(if bounds.max.is_none() { Some(length) } else { None });
                next.push(row.iter().map(|to| Some(place((*to)?, longer?))).collect::<Vec<_>>());
            }
        }
        Some(Self { letters: self.letters.clone(), next, accepting })
    }

    pub(crate) fn states(&self) -> usize {
        self.next.len()
    }

    /// The language, with characters spelled by `spelling`.
    pub(crate) fn lower(&self, spelling: &mut dyn Spelling) -> Ir {
        let mut states = Vec::with_capacity(self.next.len());
        for (row, &accepting) in self.next.iter().zip(&self.accepting) {
            let mut targets: BTreeMap<usize, ClassUnicode> = BTreeMap::new();
            for (letter, to) in self.letters.iter().zip(row) {
                if let Some(to) = to {
                    targets.entry(*to).or_insert_with(ClassUnicode::empty).union(letter);
                }
            }
            let edges = targets.into_iter().map(|(to, set)| (spelling.class(&set), to)).collect();
            states.push(State { edges, accepting });
        }
        Ir::automaton(states)
    }
}

/// Sets of characters that no edge of `nfa` tells apart.
fn letters(nfa: &Nfa) -> Vec<ClassUnicode> {
    let sets: BTreeSet<Vec<(char, char)>> = nfa
        .edges
        .iter()
        .flatten()
        .map(|(set, _)| set.ranges().iter().map(|r| (r.start(), r.end())).collect())
        .collect();
    // Where each set begins and stops; between two such places nothing changes.
    let mut changes: BTreeMap<u32, Vec<(usize, bool)>> = BTreeMap::new();
    for (at, set) in sets.iter().enumerate() {
        for &(first, last) in set {
            changes.entry(u32::from(first)).or_default().push((at, true));
            changes.entry(u32::from(last) + 1).or_default().push((at, false));
        }
    }
    let mut letters: BTreeMap<Vec<usize>, Vec<ClassUnicodeRange>> = BTreeMap::new();
    let mut inside = BTreeSet::new();
    let mut begin = 0;
    for (place, changed) in changes {
        if !inside.is_empty() {
            let within = inside.iter().copied().collect();
            letters.entry(within).or_default().extend(characters(begin, place - 1));
        }
        for (at, enters) in changed {
            if enters {
                inside.insert(at)
            } else {
                inside.remove(&at)
            };
        }
        begin = place;
    }
    let sets = letters.into_values().filter(|ranges| !ranges.is_empty());
    sets.map(ClassUnicode::new).collect()
}

/// The characters from `first` to `last`, without surrogates.
pub(crate) fn characters(first: u32, last: u32) -> Vec<ClassUnicodeRange> {
    [(first, last.min(0xD7FF)), (first.max(0xE000), last.min(0x10_FFFF))]
        .into_iter()
        .filter(|(first, last)| first <= last)
        .filter_map(|(first, last)| {
            Some(ClassUnicodeRange::new(char::from_u32(first)?, char::from_u32(last)?))
        })
        .collect()
}

fn contains(set: &ClassUnicode, character: char) -> bool {
    let ranges = set.ranges();
    let after = ranges.partition_point(|range| range.start() <= character);
    after > 0 && character <= ranges[after - 1].end()
}
