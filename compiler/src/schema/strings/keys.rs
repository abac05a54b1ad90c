//! One automaton that tells which class a key is in: a listed word, or a set of languages.

use std::collections::HashMap;
use std::sync::Arc;

use super::StringLanguage;
use super::pieces::ranges;
use super::spelled::{Spelling, edges, lengths};
use crate::chars::automaton::{Automaton, TooLarge};
use crate::ir::Ir;

/// A partition of all keys: each of some words is a class, and all other keys are in one class
/// if they are in the same ones of some languages.
#[derive(Clone, Debug)]
pub(crate) struct KeyClasses {
    /// The output is the class.
    automaton: Arc<Automaton>,
    /// The languages that the keys of each class are in.
    members: Vec<Box<[usize]>>,
}

impl KeyClasses {
    /// The classes of `words`, which are different, and `languages`. Class `i` is the word `i`.
    ///
    /// # Errors
    /// [`TooLarge`] if the automaton has too many states.
    pub(crate) fn new(words: &[&str], languages: &[&StringLanguage]) -> Result<Self, TooLarge> {
        let mut index: HashMap<Vec<usize>, u32> = HashMap::from([(Vec::new(), 0)]);
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        let mut rest = Automaton::constant(0);
        for (number, language) in languages.iter().enumerate() {
            let other = single(language)?;
            // Each set of languages so far, with this one added to it.
            let added: Vec<u32> = (0..sets.len())
                .map(|at| {
                    let mut set = sets[at].clone();
                    set.push(number);
                    let fresh = sets.len() as u32;
                    sets.push(set.clone());
                    index.insert(set, fresh);
                    fresh
                })
                .collect();
            rest = rest.product(&other, |one, two| match (one, two) {
                (Some(one), Some(0)) => Some(one),
                (Some(one), Some(_)) => Some(added[one as usize]),
                _ => None,
            })?;
            keep_used(&mut rest, &mut sets);
        }
        let mut members: Vec<Box<[usize]>> = words
            .iter()
            .map(|word| sets[rest.run(word) as usize].clone().into_boxed_slice())
            .collect();
        let mut sorted: Vec<(&str, u32)> =
            words.iter().enumerate().map(|(at, word)| (*word, at as u32 + 1)).collect();
        sorted.sort_unstable();
        let listed = Automaton::of_words(sorted.into_iter())?;
        let count = words.len() as u32;
        let mut automaton = listed.product(&rest, |one, two| match (one, two) {
            (Some(0), Some(set)) => Some(count + set),
            (Some(0) | None, _) => None,
            (Some(word), _) => Some(word - 1),
        })?;
        // Sets that only words are in are no classes.
        let mut others = vec![Vec::new(); words.len()];
        others.extend(sets);
        let mut kept: Vec<Vec<usize>> = others;
        keep_used_from(&mut automaton, &mut kept, words.len());
        members.extend(kept.into_iter().skip(words.len()).map(Vec::into_boxed_slice));
        Ok(Self { automaton: Arc::new(automaton), members })
    }

    /// How many classes there are.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// The languages that the keys of `class` are in, ascending.
    pub(crate) fn members(&self, class: usize) -> &[usize] {
        &self.members[class]
    }

    /// The class of `key`.
    pub(crate) fn class(&self, key: &str) -> usize {
        self.automaton.run(key) as usize
    }

    /// The keys of `class`.
    pub(crate) fn language(&self, class: usize) -> StringLanguage {
        let is = |output: u32| u32::from(output as usize == class);
        StringLanguage::of_automaton(Arc::new(self.automaton.with_outputs(is)))
    }

    /// The keys as they are written, each followed by what `tails` has for its class; the keys of
    /// a class without a tail (`None`) are left out. `tail_of` says which tail each class has.
    pub(crate) fn to_ir(&self, tail_of: &[Option<usize>], tails: &[Ir], spelling: Spelling) -> Ir {
        let tail = |class: u32| tail_of.get(class as usize).copied().flatten();
        let grouped =
            self.automaton.with_outputs(|class| tail(class).map_or(0, |tail| tail as u32 + 1));
        let ended: Vec<Ir> =
            tails.iter().map(|tail| Ir::sequence([spelling.quote(), tail.clone()])).collect();
        let end = |output: u32| ended.get(output as usize - 1).cloned();
        let body = edges(&grouped, &mut *spelling.characters(), &end);
        Ir::sequence([spelling.quote(), body])
    }
}

impl StringLanguage {
    /// The set as one automaton.
    ///
    /// # Errors
    /// [`TooLarge`] for bounds on the length with too many states.
    pub(crate) fn automaton(&self) -> Result<Arc<Automaton>, TooLarge> {
        single(self).map(Arc::new)
    }
}

/// The set as one automaton.
fn single(language: &StringLanguage) -> Result<Automaton, TooLarge> {
    let pieces = language.pieces()?;
    let mut all = Automaton::constant(0);
    for (first, piece) in ranges(&pieces) {
        if first == 0 && piece.last.is_none() {
            return Ok((*piece.automaton).clone());
        }
        if !piece.automaton.is_never() {
            let held = piece.automaton.intersection(&lengths(first, piece.last)?)?;
            all = all.union(&held)?;
        }
    }
    Ok(all)
}

fn keep_used(automaton: &mut Automaton, sets: &mut Vec<Vec<usize>>) {
    keep_used_from(automaton, sets, 0);
}

/// Drops the outputs from `first` on that no text has, and numbers the others anew.
fn keep_used_from(automaton: &mut Automaton, sets: &mut Vec<Vec<usize>>, first: usize) {
    let mut used = vec![false; sets.len()];
    used[..first].iter_mut().for_each(|used| *used = true);
    (0..automaton.states() as u32).for_each(|at| used[automaton.output(at) as usize] = true);
    let mut next = 0;
    let renamed: Vec<u32> = used
        .iter()
        .map(|&used| {
            next += u32::from(used);
            next.saturating_sub(1)
        })
        .collect();
    *automaton = automaton.renamed(|output| renamed[output as usize]);
    let mut used = used.into_iter();
    sets.retain(|_| used.next().unwrap_or(false));
}
