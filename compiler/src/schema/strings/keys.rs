//! One automaton that tells which class a key is in: a listed word, or a set of languages.

use std::sync::Arc;

use super::StringLanguage;
use super::pieces::ranges;
use super::spelled::{Spelling, edges, lengths};
use super::trie;
use crate::chars::automaton::{Automaton, TooLarge};
use crate::ir::Ir;

/// A partition of all keys: each of some words is a class, and all other keys are in one class
/// if they are in the same ones of some languages.
#[derive(Clone, Debug)]
pub(crate) struct KeyClasses {
    /// The words, sorted, with their numbers.
    words: Vec<(Box<str>, usize)>,
    /// The output is the class; without languages the words say all.
    automaton: Option<Arc<Automaton>>,
    /// The languages that the keys of each class are in.
    members: Vec<Box<[usize]>>,
}

impl KeyClasses {
    /// The classes of `words`, which are different, and `languages`. Class `i` is the word `i`.
    ///
    /// # Errors
    /// [`TooLarge`] if the automaton has too many states.
    pub(crate) fn new(words: &[&str], languages: &[&StringLanguage]) -> Result<Self, TooLarge> {
        let mut sorted: Vec<(Box<str>, usize)> =
            words.iter().enumerate().map(|(at, word)| ((*word).into(), at)).collect();
        sorted.sort_unstable();
        if languages.is_empty() {
            let members = vec![Box::default(); words.len() + 1];
            return Ok(Self { words: sorted, automaton: None, members });
        }
        let (rest, sets) = joint(languages)?;
        let mut members: Vec<Box<[usize]>> = words
            .iter()
            .map(|word| sets[rest.run(word) as usize].clone().into_boxed_slice())
            .collect();
        let listed = sorted.iter().map(|(word, at)| (&**word, *at as u32 + 1));
        let listed = Automaton::of_words(listed)?;
        let count = words.len() as u32;
        let mut automaton = listed.product(&rest, |one, two| match (one, two) {
            (Some(0), Some(set)) => Some(count + set),
            (Some(0) | None, _) => None,
            (Some(word), _) => Some(word - 1),
        })?;
        // Sets that only words are in are no classes.
        let mut kept = vec![Vec::new(); words.len()];
        kept.extend(sets);
        keep_used(&mut automaton, &mut kept, words.len());
        members.extend(kept.into_iter().skip(words.len()).map(Vec::into_boxed_slice));
        Ok(Self { words: sorted, automaton: Some(Arc::new(automaton)), members })
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
        match &self.automaton {
            Some(automaton) => automaton.run(key) as usize,
            None => match self.words.binary_search_by(|word| (*word.0).cmp(key)) {
                Ok(at) => self.words[at].1,
                Err(_) => self.words.len(),
            },
        }
    }

    /// The keys of `class`.
    ///
    /// # Errors
    /// [`TooLarge`] for a list of words with too many states.
    pub(crate) fn language(&self, class: usize) -> Result<StringLanguage, TooLarge> {
        if let Some((word, _)) = self.words.iter().find(|word| word.1 == class) {
            return Ok(StringLanguage::exactly(word));
        }
        match &self.automaton {
            Some(automaton) => {
                let is = |output: u32| u32::from(output as usize == class);
                Ok(StringLanguage::of_automaton(Arc::new(automaton.with_outputs(is))))
            }
            None => StringLanguage::one_of(self.words.iter().map(|word| &*word.0)).complement(),
        }
    }

    /// The keys as they are written, each followed by the one of `tails` that `tail_of` names for
    /// its class; the keys of a class without one are left out.
    pub(crate) fn to_ir(&self, tail_of: &[Option<usize>], tails: &[Ir], spelling: Spelling) -> Ir {
        let tail = |class: usize| tail_of.get(class).copied().flatten();
        let ended: Vec<Ir> =
            tails.iter().map(|tail| Ir::sequence([spelling.quote(), tail.clone()])).collect();
        let mut characters = spelling.characters();
        let listed = || {
            let with_tail = |word: &'_ (Box<str>, usize)| tail(word.1);
            let words = self.words.iter();
            words.filter_map(move |word| Some((&*word.0, with_tail(word)?))).collect::<Vec<_>>()
        };
        let others = (self.words.len()..self.len()).filter_map(tail).collect::<Vec<usize>>();
        let body = match (&self.automaton, others.as_slice()) {
            (_, []) => trie::words(&listed(), &ended, &mut *characters),
            (None, [others, ..]) if self.words.iter().all(|word| tail(word.1).is_some()) => {
                trie::with_others(&listed(), &ended, &ended[*others], &mut *characters)
            }
            (None, [others, ..]) => {
                // Words without a tail are left out, and no others are let in for them.
                let mut all = ended.clone();
                all.push(Ir::never());
                let words = self.words.iter();
                let words = words.map(|word| (&*word.0, tail(word.1).unwrap_or(ended.len())));
                let words: Vec<(&str, usize)> = words.collect();
                trie::with_others(&words, &all, &ended[*others], &mut *characters)
            }
            (Some(automaton), _) => {
                let grouped = automaton
                    .with_outputs(|class| tail(class as usize).map_or(0, |tail| tail as u32 + 1));
                let end = |output: u32| ended.get(output as usize - 1).cloned();
                edges(&grouped, &mut *characters, &end)
            }
        };
        Ir::sequence([spelling.quote(), body])
    }
}

/// One automaton whose output says which of `languages` a key is in, as the number of a set.
fn joint(languages: &[&StringLanguage]) -> Result<(Automaton, Vec<Vec<usize>>), TooLarge> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    let mut all = Automaton::constant(0);
    for (number, language) in languages.iter().enumerate() {
        let other = single(language)?;
        let known = sets.len() as u32;
        // Each set so far comes a second time, with this language in it.
        let with = |set: &Vec<usize>| set.iter().copied().chain([number]).collect();
        let more: Vec<Vec<usize>> = sets.iter().map(with).collect();
        sets.extend(more);
        all = all.product(&other, |one, two| match (one, two) {
            (Some(one), Some(0)) => Some(one),
            (Some(one), Some(_)) => Some(known + one),
            _ => None,
        })?;
        keep_used(&mut all, &mut sets, 0);
    }
    Ok((all, sets))
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

/// Drops the outputs from `first` on that no text has, and numbers the others anew.
fn keep_used(automaton: &mut Automaton, sets: &mut Vec<Vec<usize>>, first: usize) {
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
