//! Free text up to a delimiter, as an automaton over characters.
//!
//! Text `T` before delimiter `D` is right if and only if the first occurrence of any delimiter
//! in `T·D` is at its end. The automaton is that of Aho and Corasick (1975) with the matching
//! states taken out; a state may end the text if some delimiter, read from there, does not match
//! before its own end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use thiserror::Error;

use crate::ir::{Ir, State};

/// What may follow free text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Delimiter {
    /// Its characters, or those before its first special token.
    pub text: String,
    /// Whether `text` is all of it. If a special token follows, then the delimiter cannot occur
    /// inside free text, and only what `text` does to the other delimiters counts.
    pub whole: bool,
}

/// Two delimiters of which one decides what the other may follow: no one automaton is right for
/// both, as for `ab` and `ba` after the text `a`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "delimiters `{0}` and `{1}` overlap, so where the text before them ends depends on which of them follows"
)]
pub struct Overlap(pub String, pub String);

/// The texts that may stand before any of `delimiters`; any text if there are none.
///
/// # Errors
/// [`Overlap`] if the texts that may stand before one delimiter are not those before another.
///
/// # Complexity
/// O(n²) in the characters of the delimiters.
pub fn automaton(delimiters: &[Delimiter]) -> Result<Ir, Overlap> {
    let machine = Machine::new(delimiters);
    let accepting = machine.accepting(delimiters)?;
    let states = (0..machine.children.len())
        .map(|at| State { edges: machine.edges(at), accepting: accepting[at] })
        .collect();
    Ok(Ir::automaton(states))
}

/// Every character, as a set.
pub(crate) fn every_character() -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)])
}

struct Machine {
    children: Vec<BTreeMap<char, usize>>,
    /// The state of the longest proper suffix that is a prefix of a delimiter.
    fallback: Vec<usize>,
    /// Whether a whole delimiter ends here.
    matched: Vec<bool>,
    alphabet: BTreeSet<char>,
}

impl Machine {
    fn new(delimiters: &[Delimiter]) -> Self {
        let mut machine = Self {
            children: vec![BTreeMap::new()],
            fallback: vec![0],
            matched: vec![false],
            alphabet: BTreeSet::new(),
        };
        for delimiter in delimiters.iter().filter(|delimiter| delimiter.whole) {
            let mut at = 0;
            for character in delimiter.text.chars() {
                machine.alphabet.insert(character);
                let next = machine.children.len();
                at = *machine.children[at].entry(character).or_insert(next);
                if at == next {
                    machine.children.push(BTreeMap::new());
                    machine.fallback.push(0);
                    machine.matched.push(false);
                }
            }
            machine.matched[at] = true;
        }
        let mut queue: VecDeque<usize> = machine.children[0].values().copied().collect();
        while let Some(at) = queue.pop_front() {
            for (character, child) in machine.children[at].clone() {
                let fallback = machine.next(machine.fallback[at], character);
                machine.fallback[child] = fallback;
                machine.matched[child] |= machine.matched[fallback];
                queue.push_back(child);
            }
        }
        machine
    }

    fn next(&self, mut at: usize, character: char) -> usize {
        loop {
            if let Some(&child) = self.children[at].get(&character) {
                return child;
            }
            if at == 0 {
                return 0;
            }
            at = self.fallback[at];
        }
    }

    /// The edges out of `at`, one for each state that follows.
    fn edges(&self, at: usize) -> Vec<(Ir, usize)> {
        if self.matched[at] {
            return Vec::new();
        }
        let mut targets: BTreeMap<usize, Vec<char>> = BTreeMap::new();
        let mut elsewhere = every_character();
        for &character in &self.alphabet {
            let next = self.next(at, character);
            if next != 0 {
                elsewhere.difference(&single(character));
                if !self.matched[next] {
                    targets.entry(next).or_default().push(character);
                }
            }
        }
        let mut edges = vec![(Ir::class(elsewhere), 0)];
        edges.extend(targets.into_iter().map(|(next, characters)| {
            let ranges = characters.into_iter().map(|c| ClassUnicodeRange::new(c, c));
            (Ir::class(ClassUnicode::new(ranges)), next)
        }));
        edges
    }

    /// Whether each state may end the text.
    fn accepting(&self, delimiters: &[Delimiter]) -> Result<Vec<bool>, Overlap> {
        let mut agreed: Option<(Vec<bool>, &Delimiter)> = None;
        for delimiter in delimiters {
            let own: Vec<bool> = (0..self.children.len())
                .map(|at| !self.matched[at] && self.may_follow(at, delimiter))
                .collect();
            match &agreed {
                Some((others, first)) if *others != own => {
                    return Err(Overlap(first.text.clone(), delimiter.text.clone()));
                }
                _ => agreed = Some((own, delimiter)),
            }
        }
        Ok(agreed.map_or_else(|| vec![true; self.children.len()], |(accepting, _)| accepting))
    }

    /// Whether no delimiter ends before the end of `delimiter` when it is read from `at`.
    fn may_follow(&self, mut at: usize, delimiter: &Delimiter) -> bool {
        let count = delimiter.text.chars().count();
        for (place, character) in delimiter.text.chars().enumerate() {
            at = self.next(at, character);
            let its_end = delimiter.whole && place + 1 == count;
            if self.matched[at] && !its_end {
                return false;
            }
        }
        true
    }
}

fn single(character: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(character, character)])
}
