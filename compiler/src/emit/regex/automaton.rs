//! An automaton as a regular expression, by eliminating its states one after the other.

use std::collections::BTreeMap;

use super::Emitter;
use super::piece::Piece;
use crate::emit::{EmitError, Step};
use crate::ir::Automaton;

pub(super) fn piece<'a>(
    emitter: &mut Emitter<'a>,
    automaton: &'a Automaton,
) -> Result<Piece, EmitError> {
    let count = automaton.states.len();
    let (start, end) = (count, count + 1);
    let mut graph = Graph { edges: BTreeMap::new(), bytes: 0 };
    graph.add(start, 0, Piece::empty());
    for (state, from) in automaton.states.iter().enumerate() {
        for (edge, (label, to)) in from.edges.iter().enumerate() {
            let label = emitter.inner(label, Step::Edge { state, edge })?;
            graph.add(state, *to, label);
        }
        if from.accepting {
            graph.add(state, end, Piece::empty());
        }
    }
    let mut left: Vec<usize> = (0..count).collect();
    // The cheapest state goes first (Delgado and Morais, 2004): an order that is not minimal,
    // which would be hard to find, but far from the worst.
    while let Some(at) = (0..left.len()).min_by_key(|&at| graph.weight(left[at])) {
        graph.eliminate(left.remove(at), emitter)?;
    }
    Ok(graph.edges.remove(&(start, end)).unwrap_or_else(Piece::never))
}

struct Graph {
    edges: BTreeMap<(usize, usize), Piece>,
    /// The length of all edges together.
    bytes: usize,
}

impl Graph {
    fn add(&mut self, from: usize, to: usize, label: Piece) {
        let label = match self.edges.remove(&(from, to)) {
            Some(other) => {
                self.bytes -= other.text.len();
                Piece::any(vec![other, label])
            }
            None => label,
        };
        self.bytes += label.text.len();
        self.edges.insert((from, to), label);
    }

    /// How many bytes there are more once `state` is gone, about.
    fn weight(&self, state: usize) -> u128 {
        let (mut ins, mut in_bytes, mut outs, mut out_bytes, mut loop_bytes) = (0, 0, 0, 0, 0);
        for (&(from, to), label) in &self.edges {
            let length = label.text.len() as u128;
            match (from == state, to == state) {
                (true, true) => loop_bytes = length,
                (true, false) => (outs, out_bytes) = (outs + 1, out_bytes + length),
                (false, true) => (ins, in_bytes) = (ins + 1, in_bytes + length),
                (false, false) => {}
            }
        }
        in_bytes * outs + out_bytes * ins + loop_bytes * ins * outs
    }

    fn eliminate(&mut self, state: usize, emitter: &Emitter<'_>) -> Result<(), EmitError> {
        let (mut ins, mut outs, mut again) = (Vec::new(), Vec::new(), Piece::empty());
        let through = |edge: &(usize, usize)| edge.0 == state || edge.1 == state;
        let all: Vec<(usize, usize)> =
            self.edges.keys().filter(|edge| through(edge)).copied().collect();
        for (from, to) in all {
            let Some(label) = self.edges.remove(&(from, to)) else { continue };
            self.bytes -= label.text.len();
            match (from == state, to == state) {
                (true, true) => again = label.star(),
                (true, false) => outs.push((to, label)),
                (false, _) => ins.push((from, label)),
            }
        }
        for (from, first) in &ins {
            let first = emitter.checked(first.then(&again))?;
            for (to, last) in &outs {
                self.add(*from, *to, emitter.checked(first.then(last))?);
                emitter.within(self.bytes)?;
            }
        }
        Ok(())
    }
}
