//! Free text in which a trigger forces a structure.
//!
//! Text runs freely until a trigger occurs in it for the first time; then the structure of that
//! trigger must follow, and then text again, or the end. Excluded texts occur in no free text.
//! The automaton is that of Aho and Corasick (1975). Where one trigger begins with another, both
//! may go on; of two that end at one place the longer counts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use thiserror::Error;

use crate::chars::until::every_character;
use crate::ir::{Ir, State};

/// The most characters of all triggers and excluded texts together.
const CHARACTERS_MAX: usize = 20_000;

/// What free text is like.
pub(super) struct Free {
    /// Each trigger with what follows it; none is empty.
    pub(super) triggers: Vec<(String, Ir)>,
    /// What does not occur; none is empty.
    pub(super) excludes: Vec<String>,
    /// Whether free text goes on after a structure; if not, the end follows.
    pub(super) goes_on: bool,
}

/// Why free text has no meaning.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum FreeError {
    /// No text could come to the end of the trigger.
    #[error("the excluded text `{exclude}` begins the trigger `{trigger}`")]
    Excluded { exclude: String, trigger: String },
    #[error("triggers and excluded texts have more than {CHARACTERS_MAX} characters")]
    TooLarge,
}

/// The texts that are as `free` says.
pub(super) fn lower(free: &Free) -> Result<Ir, FreeError> {
    for (trigger, _) in &free.triggers {
        if let Some(exclude) = free.excludes.iter().find(|text| trigger.starts_with(*text)) {
            let (exclude, trigger) = (exclude.clone(), trigger.clone());
            return Err(FreeError::Excluded { exclude, trigger });
        }
    }
    let texts = free.triggers.iter().map(|(trigger, _)| trigger).chain(&free.excludes);
    if texts.map(|text| text.chars().count()).fold(0, usize::saturating_add) > CHARACTERS_MAX {
        return Err(FreeError::TooLarge);
    }
    Ok(Machine::new(free).lower(free))
}

/// Any run of neighbours among `chunks`, the empty one included.
pub(super) fn run_of(chunks: &[Ir]) -> Ir {
    let later = |at: usize| chunks.get(at).map(|chunk| (chunk.clone(), at + 1));
    let mut states =
        vec![State { edges: (0..chunks.len()).filter_map(later).collect(), accepting: true }];
    states.extend(
        (1..=chunks.len())
            .map(|at| State { edges: later(at).into_iter().collect(), accepting: true }),
    );
    Ir::automaton(states)
}

#[derive(Default)]
struct Node {
    children: BTreeMap<char, usize>,
    fallback: usize,
    /// The triggers that end here: all of the longest text that does.
    triggers: Vec<usize>,
    excluded: bool,
    /// Whether a trigger has already occurred on the way here.
    begun: bool,
}

struct Machine {
    nodes: Vec<Node>,
    alphabet: BTreeSet<char>,
}

impl Machine {
    fn new(free: &Free) -> Self {
        let mut machine = Self { nodes: vec![Node::default()], alphabet: BTreeSet::new() };
        for (at, (trigger, _)) in free.triggers.iter().enumerate() {
            let node = machine.add(trigger);
            machine.nodes[node].triggers.push(at);
        }
        for exclude in &free.excludes {
            let node = machine.add(exclude);
            machine.nodes[node].excluded = true;
        }
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            for (character, child) in machine.nodes[at].children.clone() {
                let fallback = match at {
                    0 => 0,
                    _ => machine.next(machine.nodes[at].fallback, character),
                };
                machine.nodes[child].fallback = fallback;
                machine.nodes[child].excluded |= machine.nodes[fallback].excluded;
                if machine.nodes[child].triggers.is_empty() {
                    machine.nodes[child].triggers = machine.nodes[fallback].triggers.clone();
                }
                let begun = machine.nodes[at].begun || !machine.nodes[child].triggers.is_empty();
                machine.nodes[child].begun = begun;
                queue.push_back(child);
            }
        }
        machine
    }

    fn add(&mut self, text: &str) -> usize {
        let mut at = 0;
        for character in text.chars() {
            self.alphabet.insert(character);
            let fresh = self.nodes.len();
            at = *self.nodes[at].children.entry(character).or_insert(fresh);
            if at == fresh {
                self.nodes.push(Node::default());
            }
        }
        at
    }

    fn next(&self, mut at: usize, character: char) -> usize {
        loop {
            if let Some(&child) = self.nodes[at].children.get(&character) {
                return child;
            }
            if at == 0 {
                return 0;
            }
            at = self.nodes[at].fallback;
        }
    }

    /// A state for each node, for what follows each trigger, and for the end.
    fn lower(&self, free: &Free) -> Ir {
        let count = self.nodes.len();
        let follows = |trigger: usize| count + trigger;
        let end = count + free.triggers.len();
        let mut states = Vec::with_capacity(end + 1);
        for at in 0..count {
            let edges = if self.nodes[at].excluded { Vec::new() } else { self.edges(at, &follows) };
            let accepting = !self.nodes[at].begun && !self.nodes[at].excluded;
            states.push(State { edges, accepting });
        }
        let after = if free.goes_on { 0 } else { end };
        for (_, body) in &free.triggers {
            states.push(State { edges: vec![(body.clone(), after)], accepting: false });
        }
        states.push(State { edges: Vec::new(), accepting: true });
        Ir::automaton(states)
    }

    fn edges(&self, at: usize, follows: &dyn Fn(usize) -> usize) -> Vec<(Ir, usize)> {
        let mut edges = Vec::new();
        let triggers = &self.nodes[at].triggers;
        edges.extend(triggers.iter().map(|&trigger| (Ir::empty(), follows(trigger))));
        let mut targets: BTreeMap<usize, Vec<char>> = BTreeMap::new();
        let mut elsewhere = every_character();
        if self.nodes[at].begun {
            // Only longer triggers go on, so nothing falls back.
            for (&character, &child) in &self.nodes[at].children {
                targets.entry(child).or_default().push(character);
            }
        } else {
            for &character in &self.alphabet {
                let next = self.next(at, character);
                if next != 0 {
                    elsewhere.difference(&set([character]));
                    targets.entry(next).or_default().push(character);
                }
            }
            edges.push((Ir::class(elsewhere), 0));
        }
        edges.extend(targets.into_iter().map(|(next, chars)| (Ir::class(set(chars)), next)));
        edges
    }
}

fn set(characters: impl IntoIterator<Item = char>) -> ClassUnicode {
    ClassUnicode::new(characters.into_iter().map(|c| ClassUnicodeRange::new(c, c)))
}
