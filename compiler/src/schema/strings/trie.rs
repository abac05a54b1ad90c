//! A list of words as text, straight from the sorted list: no automaton is made on the way.

use std::collections::HashMap;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::chars::spelling::Spelling;
use crate::chars::until::every_character;
use crate::ir::{Ir, State};

/// Sorted and different words, each with the number of what follows it.
pub(super) type Words<'a> = [(&'a str, usize)];

/// The words, each followed by its one of `tails`. Parts without a branch are one edge.
///
/// # Complexity
/// O(n) in the characters of the words.
pub(super) fn words(words: &Words<'_>, tails: &[Ir], characters: &mut dyn Spelling) -> Ir {
    let mut states = vec![State { edges: Vec::new(), accepting: false }];
    let mut queue = vec![(0_usize, words, 0_usize)];
    while let Some((state, mut rest, depth)) = queue.pop() {
        if let Some(&(word, tail)) = rest.first()
            && word.len() == depth
        {
            states[state].edges.push((tails[tail].clone(), END));
            rest = &rest[1..];
        }
        while let Some(&(word, tail)) = rest.first() {
            let next = next_character(word, depth);
            let same = rest.partition_point(|other| next_character(other.0, depth) <= next);
            let (group, after) = rest.split_at(same);
            rest = after;
            if group.len() == 1 {
                let text = characters.text(&word[depth..]);
                states[state].edges.push((Ir::sequence([text, tails[tail].clone()]), END));
                continue;
            }
            let shared = shared(word, group[group.len() - 1].0);
            let text = characters.text(&word[depth..shared]);
            let to = states.len();
            states.push(State { edges: Vec::new(), accepting: false });
            states[state].edges.push((text, to));
            queue.push((to, group, shared));
        }
    }
    finished(states, Vec::new())
}

/// Stand for the last two states while the others are made, which come before them so that
/// edges lead to later states.
const END: usize = usize::MAX;
const REST: usize = usize::MAX - 1;

/// The automaton of the states, with the state that all other strings lead to.
fn finished(mut states: Vec<State>, rest: Vec<(Ir, usize)>) -> Ir {
    let count = states.len();
    states.push(State { edges: rest, accepting: false });
    states.push(State { edges: Vec::new(), accepting: true });
    for (_, to) in states.iter_mut().flat_map(|state| &mut state.edges) {
        *to = match *to {
            REST => count,
            END => count + 1,
            other => other,
        };
    }
    Ir::automaton(states)
}

/// The words, each followed by its one of `tails`, and all other strings, followed by `others`.
///
/// # Complexity
/// O(n) in the characters of the words.
pub(super) fn with_others(
    words: &Words<'_>,
    tails: &[Ir],
    others: &Ir,
    characters: &mut dyn Spelling,
) -> Ir {
    let state = || State { edges: Vec::new(), accepting: false };
    let every = characters.class(&every_character());
    let mut states = vec![state()];
    let mut but: HashMap<Vec<char>, Ir> = HashMap::new();
    let mut queue = vec![(0_usize, words, 0_usize)];
    while let Some((at, mut left, depth)) = queue.pop() {
        let mut tail = others;
        if let Some(&(word, own)) = left.first()
            && word.len() == depth
        {
            tail = &tails[own];
            left = &left[1..];
        }
        let mut edges = vec![(tail.clone(), END)];
        let mut named = Vec::new();
        while let Some(&(word, _)) = left.first() {
            let Some(next) = next_character(word, depth) else { break };
            let same = left.partition_point(|other| next_character(other.0, depth) <= Some(next));
            let (group, after) = left.split_at(same);
            left = after;
            named.push(next);
            edges.push((characters.character(next), states.len()));
            queue.push((states.len(), group, depth + next.len_utf8()));
            states.push(state());
        }
        let label = match but.get(&named) {
            Some(label) => label.clone(),
            None if named.is_empty() => every.clone(),
            None => {
                let label = characters.class(&all_but(&named));
                but.insert(named, label.clone());
                label
            }
        };
        edges.push((label, REST));
        states[at].edges = edges;
    }
    finished(states, vec![(every, REST), (others.clone(), END)])
}

fn next_character(word: &str, depth: usize) -> Option<char> {
    word[depth..].chars().next()
}

/// How many bytes of whole characters the two have in common.
fn shared(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    same.map(|(character, _)| character.len_utf8()).sum()
}

/// Every character but these, which are ascending.
fn all_but(named: &[char]) -> ClassUnicode {
    let mut set = every_character();
    let named = named.iter().map(|&character| ClassUnicodeRange::new(character, character));
    set.difference(&ClassUnicode::new(named));
    set
}
