//! Partitions of the characters into letters: sets that an automaton does not look into.
//!
//! Characters are numbered without the gap of the surrogates, so that a range is a range.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::Map;

/// How many characters there are.
const CHARACTERS: u32 = 0x11_0000 - 0x800;

/// A partition of the characters; letters are numbered by their first character.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Letters {
    /// The first character of each run, ascending from 0, with the letter of the run.
    runs: Arc<[(u32, u32)]>,
    count: u32,
}

impl Letters {
    /// All characters as one letter.
    pub(crate) fn one() -> Self {
        Self { runs: Arc::new([(0, 0)]), count: 1 }
    }

    /// The first character of each run, counted without surrogates, with the letter of the run.
    pub(crate) fn runs(&self) -> &[(u32, u32)] {
        &self.runs
    }

    /// The letters of such runs, if they begin at the first character, ascend, and are numbered
    /// as they come up.
    pub(crate) fn from_runs(runs: Vec<(u32, u32)>) -> Option<Self> {
        let mut count = 0;
        for (at, &(place, letter)) in runs.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| runs[before]);
            let ascends = before.map_or(place == 0, |before| before.0 < place);
            if !ascends || place >= CHARACTERS || letter > count {
                return None;
            }
            count = count.max(letter + 1);
        }
        (count > 0).then(|| Self { runs: runs.into(), count })
    }

    /// How many letters there are; at least 1.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The letter of `character`.
    pub(crate) fn of(&self, character: char) -> u32 {
        let after = self.runs.partition_point(|run| run.0 <= number(character));
        self.runs[after - 1].1
    }

    /// The coarsest letters that cut none of `sets`, and the letters of each set, ascending.
    ///
    /// # Complexity
    /// O(r · s) for r ranges of s sets.
    pub(crate) fn of_sets(sets: &[ClassUnicode]) -> (Self, Vec<Vec<u32>>) {
        let mut changes: BTreeMap<u32, Vec<(usize, bool)>> = BTreeMap::new();
        for (at, set) in sets.iter().enumerate() {
            for range in set.ranges() {
                changes.entry(number(range.start())).or_default().push((at, true));
                changes.entry(number(range.end()) + 1).or_default().push((at, false));
            }
        }
        changes.entry(0).or_default();
        let mut open: BTreeMap<usize, u32> = BTreeMap::new();
        let mut index: Map<Vec<usize>, u32> = Map::default();
        let (mut runs, mut members) = (Vec::new(), vec![BTreeSet::new(); sets.len()]);
        for (place, changed) in changes.range(..CHARACTERS) {
            for &(at, enters) in changed {
                let depth = open.entry(at).or_default();
                *depth = if enters { *depth + 1 } else { depth.saturating_sub(1) };
                if *depth == 0 {
                    open.remove(&at);
                }
            }
            let inside: Vec<usize> = open.keys().copied().collect();
            let fresh = index.len() as u32;
            let letter = *index.entry(inside).or_insert(fresh);
            open.keys().for_each(|&at| {
                members[at].insert(letter);
            });
            push(&mut runs, *place, letter);
        }
        let count = index.len() as u32;
        let members = members.into_iter().map(|set| set.into_iter().collect()).collect();
        (Self { runs: runs.into(), count }, members)
    }

    /// One letter for each of `characters`, ascending and different, and one for all others.
    pub(crate) fn singles(characters: &[char]) -> Self {
        let mut runs = Vec::with_capacity(2 * characters.len() + 1);
        let (mut next, mut begin, mut others) = (0, 0, None);
        let mut other = |begin: u32, next: &mut u32, runs: &mut Vec<_>| {
            let letter = *others.get_or_insert_with(|| {
                *next += 1;
                *next - 1
            });
            push(runs, begin, letter);
        };
        for &character in characters {
            let place = number(character);
            if begin < place {
                other(begin, &mut next, &mut runs);
            }
            runs.push((place, next));
            next += 1;
            begin = place + 1;
        }
        if begin < CHARACTERS {
            other(begin, &mut next, &mut runs);
        }
        Self { runs: runs.into(), count: next }
    }

    /// The coarsest letters that cut no letter of `self` and none of `other`, and for each the
    /// letters of the two that it lies in.
    pub(crate) fn refined(&self, other: &Self) -> (Self, Vec<(u32, u32)>) {
        let mut index: Map<(u32, u32), u32> = Map::default();
        let (mut pairs, mut runs) = (Vec::new(), Vec::new());
        let (mut at, mut beside) = (0, 0);
        let mut place = 0;
        loop {
            let pair = (self.runs[at].1, other.runs[beside].1);
            let fresh = pairs.len() as u32;
            let letter = *index.entry(pair).or_insert(fresh);
            if letter == fresh {
                pairs.push(pair);
            }
            push(&mut runs, place, letter);
            let next = self.runs.get(at + 1).map(|run| run.0);
            let next_beside = other.runs.get(beside + 1).map(|run| run.0);
            place = match (next, next_beside) {
                (None, None) => break,
                (next, beside) => next.into_iter().chain(beside).min().unwrap_or(CHARACTERS),
            };
            at += usize::from(next == Some(place));
            beside += usize::from(next_beside == Some(place));
        }
        let count = pairs.len() as u32;
        (Self { runs: runs.into(), count }, pairs)
    }

    /// Each letter `l` becomes letter `names[l]`; the result is numbered anew, by first
    /// characters, and for each name its new number is given.
    pub(crate) fn merged(&self, names: &[u32]) -> (Self, Map<u32, u32>) {
        let mut index: Map<u32, u32> = Map::default();
        let mut runs = Vec::with_capacity(self.runs.len());
        for &(place, letter) in self.runs.iter() {
            let fresh = index.len() as u32;
            let merged = *index.entry(names[letter as usize]).or_insert(fresh);
            push(&mut runs, place, merged);
        }
        (Self { runs: runs.into(), count: index.len() as u32 }, index)
    }

    /// The characters of each letter.
    pub(crate) fn sets(&self) -> Vec<ClassUnicode> {
        let mut ranges: Vec<Vec<ClassUnicodeRange>> = vec![Vec::new(); self.count as usize];
        for (at, &(first, letter)) in self.runs.iter().enumerate() {
            let after = self.runs.get(at + 1).map_or(CHARACTERS, |run| run.0);
            if let (Some(first), Some(last)) = (character(first), character(after - 1)) {
                ranges[letter as usize].push(ClassUnicodeRange::new(first, last));
            }
        }
        ranges.into_iter().map(ClassUnicode::new).collect()
    }
}

fn push(runs: &mut Vec<(u32, u32)>, place: u32, letter: u32) {
    if runs.last().is_none_or(|run| run.1 != letter) {
        runs.push((place, letter));
    }
}

fn number(character: char) -> u32 {
    let point = u32::from(character);
    if point >= 0xE000 { point - 0x800 } else { point }
}

fn character(number: u32) -> Option<char> {
    char::from_u32(if number >= 0xD800 { number + 0x800 } else { number })
}
