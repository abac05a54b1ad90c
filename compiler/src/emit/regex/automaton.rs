//! An automaton as a regular expression, by eliminating its states one after the other.

use std::collections::{BTreeMap, BTreeSet};

use super::Emitter;
use super::piece::Piece;
use crate::emit::{EmitError, Step};
use crate::ir::Automaton;

pub(super) fn piece(emitter: &mut Emitter, automaton: &Automaton) -> Result<Piece, EmitError> {
    let count = automaton.states.len();
    let (start, end) = (count, count + 1);
    let mut graph = Graph {
        out: vec![BTreeMap::new(); count + 2],
        into: vec![BTreeSet::new(); count + 2],
        bytes: 0,
    };
    graph.add(start, 0, Piece::empty());
    for (state, from) in automaton.states.iter().enumerate() {
        for (edge, (label, to)) in from.edges.iter().enumerate() {
            let label = emitter.inner(label, Step::Edge { state, edge })?;
            graph.add(state, *to, label);
            emitter.within(graph.bytes)?;
        }
        if from.accepting {
            graph.add(state, end, Piece::empty());
        }
    }
    // The cheapest state goes first (Delgado and Morais, 2004): an order that is not minimal,
    // which would be hard to find, but far from the worst.
    let mut weights: Vec<u128> = (0..count).map(|state| graph.weight(state)).collect();
    let mut queue: BTreeSet<(u128, usize)> =
        weights.iter().enumerate().map(|(state, &weight)| (weight, state)).collect();
    while let Some((_, state)) = queue.pop_first() {
        for near in graph.eliminate(state, emitter)? {
            if near < count {
                queue.remove(&(weights[near], near));
                weights[near] = graph.weight(near);
                queue.insert((weights[near], near));
            }
        }
    }
    Ok(graph.out[start].remove(&end).unwrap_or_else(Piece::never))
}

struct Graph {
    /// The edges out of each state.
    out: Vec<BTreeMap<usize, Piece>>,
    /// The states with edges into each state.
    into: Vec<BTreeSet<usize>>,
    /// The length of all edges together.
    bytes: usize,
}

impl Graph {
    fn add(&mut self, from: usize, to: usize, label: Piece) {
        let label = match self.remove(from, to) {
            Some(other) => Piece::any(vec![other, label]),
            None => label,
        };
        self.bytes += label.text.len();
        self.out[from].insert(to, label);
        self.into[to].insert(from);
    }

    fn remove(&mut self, from: usize, to: usize) -> Option<Piece> {
        let label = self.out[from].remove(&to)?;
        self.into[to].remove(&from);
        self.bytes -= label.text.len();
        Some(label)
    }

    /// How many bytes there are more once `state` is gone, about.
    fn weight(&self, state: usize) -> u128 {
        let length = |from: usize| self.out[from].get(&state).map_or(0, |label| label.text.len());
        let again = length(state) as u128;
        let ins = self.into[state].iter().filter(|&&from| from != state);
        let (ins, in_bytes) =
            ins.fold((0, 0), |(ins, bytes), &from| (ins + 1, bytes + length(from) as u128));
        let outs = self.out[state].iter().filter(|&(&to, _)| to != state);
        let (outs, out_bytes) = outs
            .fold((0, 0), |(outs, bytes), (_, label)| (outs + 1, bytes + label.text.len() as u128));
        in_bytes * outs + out_bytes * ins + again * ins * outs
    }

    /// Takes `state` out, and returns the states whose edges changed.
    fn eliminate(&mut self, state: usize, emitter: &Emitter) -> Result<BTreeSet<usize>, EmitError> {
        let again = self.remove(state, state).map_or_else(Piece::empty, |label| label.star());
        let into: Vec<usize> = self.into[state].iter().copied().collect();
        let out: Vec<usize> = self.out[state].keys().copied().collect();
        let near = into.iter().chain(&out).copied().collect();
        let firsts: Vec<Option<Piece>> =
            into.iter().map(|&from| self.remove(from, state)).collect();
        let lasts: Vec<Option<Piece>> = out.iter().map(|&to| self.remove(state, to)).collect();
        for (from, first) in into.iter().zip(firsts.iter().flatten()) {
            let first = emitter.checked(first.then(&again))?;
            for (to, last) in out.iter().zip(lasts.iter().flatten()) {
                self.add(*from, *to, emitter.checked(first.then(last))?);
                emitter.within(self.bytes)?;
            }
        }
        Ok(near)
    }
}
