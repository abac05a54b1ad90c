//! The automaton of Aho and Corasick (1975) over characters and special tokens.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::until::Unit;

/// A trie of patterns with the way back from each state to its longest suffix that is a state.
pub(crate) struct Patterns {
    children: Vec<BTreeMap<Unit, usize>>,
    fallback: Vec<Option<usize>>,
    /// The patterns that end in each state, in order.
    matched: Vec<Vec<usize>>,
    /// Whether the path to each state holds a token that could not stand in the text by itself.
    within: Vec<bool>,
    alphabet: BTreeSet<Unit>,
    /// Whether tokens may stand anywhere.
    special: bool,
}

impl Patterns {
    /// The machine of `patterns`. Unless tokens may stand anywhere, one is read only as a part
    /// of a pattern, and once it is, the pattern must go on.
    pub(crate) fn new<'a>(special: bool, patterns: impl Iterator<Item = &'a [Unit]>) -> Self {
        let mut all = Self {
            children: vec![BTreeMap::new()],
            fallback: vec![None],
            matched: vec![Vec::new()],
            within: vec![false],
            alphabet: BTreeSet::new(),
            special,
        };
        for (number, units) in patterns.enumerate() {
            all.insert(number, units);
        }
        all.link();
        all
    }

    fn insert(&mut self, number: usize, units: &[Unit]) {
        let mut at = 0;
        for unit in units {
            self.alphabet.insert(unit.clone());
            let fresh = self.children.len();
            let within = self.within[at] || (!self.special && matches!(unit, Unit::Token(_)));
            at = *self.children[at].entry(unit.clone()).or_insert(fresh);
            if at == fresh {
                self.children.push(BTreeMap::new());
                self.fallback.push(Some(0));
                self.matched.push(Vec::new());
                self.within.push(within);
            }
        }
        if at != 0 {
            self.matched[at].push(number);
        }
    }

    fn link(&mut self) {
        let mut queue: VecDeque<usize> = self.children[0].values().copied().collect();
        for &child in &queue {
            // A token that stands in no text of its own has no way back.
            self.fallback[child] = (!self.within[child]).then_some(0);
        }
        while let Some(at) = queue.pop_front() {
            for (unit, child) in self.children[at].clone() {
                let back = self.fallback[at].and_then(|back| self.next(back, &unit));
                let back = back.filter(|&back| self.within[back] == self.within[child]);
                self.fallback[child] = back;
                if let Some(back) = back {
                    let inherited = self.matched[back].clone();
                    self.matched[child].extend(inherited);
                    self.matched[child].sort_unstable();
                    self.matched[child].dedup();
                }
                queue.push_back(child);
            }
        }
    }

    /// The state after `unit`, if the text may go on with it.
    pub(crate) fn next(&self, mut at: usize, unit: &Unit) -> Option<usize> {
        loop {
            if let Some(&child) = self.children[at].get(unit) {
                return Some(child);
            }
            if at == 0 {
                let stands = self.special || matches!(unit, Unit::Character(_));
                return stands.then_some(0);
            }
            at = self.fallback[at]?;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.children.len()
    }

    pub(crate) fn matched(&self, at: usize) -> &[usize] {
        &self.matched[at]
    }

    pub(crate) fn is_within_token(&self, at: usize) -> bool {
        self.within[at]
    }

    pub(crate) fn alphabet(&self) -> impl Iterator<Item = &Unit> {
        self.alphabet.iter()
    }
}
