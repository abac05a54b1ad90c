//! One automaton that tells which class a key is in: a listed word, or a set of languages.

use std::collections::HashMap;
use std::sync::Arc;

use super::StringLanguage;
use super::pieces::{Piece, ranges};
use super::spelled::{Spelling, edges, lengths};
use super::trie;
use crate::chars::automaton::{Automaton, TooLarge};
use crate::ir::Ir;

/// A partition of all keys: each of some words is a class, and all other keys are in one class
/// if they are in the same ones of some languages.
#[derive(Clone, Debug)]
pub(crate) struct KeyClasses {
    /// The words, and those that some language has apart from its automaton; sorted, with the
    /// class of each.
    listed: Vec<(Box<str>, usize)>,
    /// The output is the class. Without it, all keys that are not listed are in class `rest`.
    automaton: Option<Arc<Automaton>>,
    rest: usize,
    /// The languages that the keys of each class are in.
    members: Vec<Box<[usize]>>,
}

impl KeyClasses {
    /// The classes of `words`, which are different, and `languages`. Class `i` is the word `i`.
    ///
    /// # Errors
    /// [`TooLarge`] if the automaton has too many states.
    pub(crate) fn new(words: &[&str], languages: &[&StringLanguage]) -> Result<Self, TooLarge> {
        let rest = words.len();
        let of = |key: &str| -> Vec<usize> {
            (0..languages.len()).filter(|&at| languages[at].contains(key)).collect()
        };
        let (joint, mut sets) = joint(languages)?;
        let mut listed: Vec<(Box<str>, usize)> =
            words.iter().enumerate().map(|(at, word)| ((*word).into(), at)).collect();
        listed.sort_unstable();
        let mut index: HashMap<Vec<usize>, usize> =
            sets.iter().enumerate().map(|(at, set)| (set.clone(), at)).collect();
        let apart = languages.iter().flat_map(|language| language.apart());
        let mut apart: Vec<&str> = apart
            .filter(|key| listed.binary_search_by(|word| (*word.0).cmp(key)).is_err())
            .collect();
        apart.sort_unstable();
        apart.dedup();
        for key in apart {
            let set = of(key);
            let at = *index.entry(set.clone()).or_insert(sets.len());
            if at == sets.len() {
                sets.push(set);
            }
            listed.push((key.into(), rest + at));
        }
        listed.sort_unstable();
        let mut automaton = None;
        if let Some(joint) = joint {
            let list = listed.iter().map(|(word, class)| (&**word, *class as u32 + 1));
            let all = Automaton::of_words(list)?;
            let mut all = all.product(&joint, |one, two| match (one, two) {
                (Some(0), Some(set)) => Some(rest as u32 + set),
                (Some(0) | None, _) => None,
                (Some(class), _) => Some(class - 1),
            })?;
            // Sets that only words are in are no classes.
            let mut kept = vec![Vec::new(); rest];
            kept.extend(sets);
            let renamed = keep_used(&mut all, &mut kept, rest);
            listed.iter_mut().for_each(|word| word.1 = renamed[word.1] as usize);
            sets = kept.split_off(rest);
            automaton = Some(Arc::new(all));
        }
        let members = words.iter().map(|word| of(word)).chain(sets).map(Vec::into_boxed_slice);
        Ok(Self { listed, automaton, rest, members: members.collect() })
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
    #[cfg(test)]
    pub(crate) fn class(&self, key: &str) -> usize {
        match &self.automaton {
            Some(automaton) => automaton.run(key) as usize,
            None => match self.listed.binary_search_by(|word| (*word.0).cmp(key)) {
                Ok(at) => self.listed[at].1,
                Err(_) => self.rest,
            },
        }
    }

    /// The keys of `class`.
    pub(crate) fn language(&self, class: usize) -> StringLanguage {
        let listed = |is: bool| {
            let words = self.listed.iter().filter(move |word| (word.1 == class) == is);
            words.map(|word| &*word.0)
        };
        match &self.automaton {
            Some(automaton) if class >= self.rest => {
                let is = |output: u32| u32::from(output as usize == class);
                StringLanguage::of_automaton(Arc::new(automaton.with_outputs(is)))
            }
            None if class == self.rest => StringLanguage::all_but(listed(false)),
            _ => StringLanguage::one_of(listed(true)),
        }
    }

    /// The keys as they are written, each followed by the one of `tails` that `tail_of` names for
    /// its class; the keys of a class without one are left out.
    pub(crate) fn to_ir(&self, tail_of: &[Option<usize>], tails: &[Ir], spelling: Spelling) -> Ir {
        let tail = |class: usize| tail_of.get(class).copied().flatten();
        let mut ended: Vec<Ir> =
            tails.iter().map(|tail| Ir::sequence([spelling.quote(), tail.clone()])).collect();
        let mut characters = spelling.characters();
        let unlisted = match &self.automaton {
            Some(_) => (self.rest..self.len()).any(|class| tail(class).is_some()),
            None => tail(self.rest).is_some(),
        };
        let listed = self.listed.iter().map(|(word, class)| (&**word, tail(*class)));
        let body = match &self.automaton {
            _ if !unlisted => {
                let words: Vec<(&str, usize)> =
                    listed.filter_map(|(word, tail)| Some((word, tail?))).collect();
                trie::words(&words, &ended, &mut *characters)
            }
            None => {
                // Words without a tail are left out, and no others are let in for them.
                let none = ended.len();
                let others = tail(self.rest).map_or_else(Ir::never, |tail| ended[tail].clone());
                ended.push(Ir::never());
                let words: Vec<(&str, usize)> =
                    listed.map(|(word, tail)| (word, tail.unwrap_or(none))).collect();
                trie::with_others(&words, &ended, &others, &mut *characters)
            }
            Some(automaton) => {
                let grouped = automaton
                    .with_outputs(|class| tail(class as usize).map_or(0, |tail| tail as u32 + 1));
                let end = |output: u32| ended.get(output as usize - 1).cloned();
                edges(&grouped, &mut *characters, &end)
            }
        };
        Ir::sequence([spelling.quote(), body])
    }
}

/// One automaton whose output says which of `languages` a key is in that none has apart, as the
/// number of a set; none if that is the same for all of them.
fn joint(languages: &[&StringLanguage]) -> Result<(Option<Automaton>, Vec<Vec<usize>>), TooLarge> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    let mut all = Automaton::constant(0);
    let mut varies = false;
    for (number, language) in languages.iter().enumerate() {
        if language.outside.is_some() {
            language.pieces()?;
        }
        match language.constant() {
            Some(true) => sets.iter_mut().for_each(|set| set.push(number)),
            Some(false) => {}
            None => {
                varies = true;
                let other = single(&language.base.pieces()?)?;
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
        }
    }
    Ok((varies.then_some(all), sets))
}

impl StringLanguage {
    /// The set as one automaton.
    ///
    /// # Errors
    /// [`TooLarge`] for bounds on the length with too many states.
    pub(crate) fn automaton(&self) -> Result<Arc<Automaton>, TooLarge> {
        single(&self.pieces()?).map(Arc::new)
    }

    /// The words that the set has apart from its base.
    fn apart(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| &*word.0)
    }

    /// Whether all the other strings are in it, if it is the same for all of them.
    fn constant(&self) -> Option<bool> {
        match (self.base.is_all(), self.base.is_never()) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// The set as one automaton.
fn single(pieces: &[Piece]) -> Result<Automaton, TooLarge> {
    let mut all = Automaton::constant(0);
    for (first, piece) in ranges(pieces) {
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

/// Drops the outputs from `first` on that no text has, and numbers the others anew: gives the new
/// numbers.
fn keep_used(automaton: &mut Automaton, sets: &mut Vec<Vec<usize>>, first: usize) -> Vec<u32> {
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
    renamed
}
