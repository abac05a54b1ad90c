//! The nodes and edges of rules in one list, with what their plain parts turn into when a state
//! first meets them.
//!
//! A part that is a long sequence, such as the rest of a word that no other begins like, is made
//! a few elements at a time: most of it is never read.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use blueprints_compiler::Ir;
use blueprints_compiler::ir::Kind;
use rustc_hash::FxHashMap;

use super::asks::Asks;
use super::locals::{Exits, Local, UNKNOWN};
use super::lower;
use super::nfa::{Edge, Fragment, Label, Part};
use super::shape::Shapes;
use crate::limits::{LimitError, Limits};

/// From this number on, parts are the rests of parts.
pub(super) const REST: u32 = 1 << 31;

#[derive(Default)]
pub(super) struct Table {
    /// Where each node's edges are.
    runs: Vec<(u32, u32)>,
    pub(super) edges: Vec<(Label, u32)>,
    pub(super) ends: Vec<bool>,
    pub(super) asks: Vec<Option<Arc<Asks>>>,
    pub(super) parts: Vec<Part>,
    /// What comes after the first elements of parts that are long sequences: the part, and
    /// how many elements those are.
    rests: Vec<(Ir, usize)>,
    /// Their nodes, in order of the first one.
    expansions: Vec<Expansion>,
    /// The first node of each part's automaton, by the node it begins at and its
    /// number, which is [`REST`] for the rest of a part.
    pub(super) firsts: FxHashMap<(u32, u32), u32>,
    pub(super) ids: FxHashMap<Box<[u32]>, u32>,
    pub(super) entries: FxHashMap<u32, u32>,
    pub(super) unions: FxHashMap<(u32, u32), u32>,
    /// Nodes within parts, by their edges: of those that read the same, the first.
    alike: FxHashMap<Box<[(Label, u32)]>, u32>,
    shapes: Shapes,
}

/// The nodes that a part's automaton was given.
struct Expansion {
    first: u32,
    count: u32,
    /// The node that it begins at, and its number, or [`REST`]. Within a part it is the number of
    /// the edge among those of the node, as parts in parts are numbered in the order they are met.
    origin: (u32, u32),
    /// The node that the part leads to.
    to: u32,
}

impl Table {
    pub(super) fn append(&mut self, fragment: &Fragment) -> u32 {
        let first = self.ends.len() as u32;
        let part = self.parts.len() as u32;
        let mut edges = fragment.edges.iter().peekable();
        for node in 0..fragment.ends.len() as u32 {
            let from = self.edges.len() as u32;
            while let Some(Edge { label, to, .. }) = edges.next_if(|edge| edge.from == node) {
                let label = match *label {
                    Label::Part(number) => Label::Part(number + part),
                    label => label,
                };
                self.edges.push((label, to + first));
            }
            self.runs.push((from, self.edges.len() as u32));
        }
        self.ends.extend(&fragment.ends);
        self.parts.extend_from_slice(&fragment.parts);
        first
    }

    /// Makes the automata of the parts that begin at `node`.
    pub(super) fn expand(&mut self, node: u32, limits: &Limits) -> Result<(), LimitError> {
        let part = |edge: &(Label, u32)| matches!(edge.0, Label::Part(_));
        if !self.of(node).iter().any(part) {
            return Ok(());
        }
        let nested = self.expansion(node).is_some();
        let mut edges = Vec::new();
        for (at, (label, to)) in (0..).zip(self.of(node).to_vec()) {
            let Label::Part(number) = label else {
                edges.push((label, to));
                continue;
            };
            let ((part, skipped), escaped, number) = match number.checked_sub(REST) {
                Some(rest) => (self.rests[rest as usize].clone(), false, REST),
                None => {
                    let Part { ir, escaped } = self.parts[number as usize].clone();
                    ((ir, 0), escaped, if nested { at } else { number })
                }
            };
            let (head, rest) = match escaped {
                true => (part.clone(), None),
                false => split(&part, skipped),
            };
            let (fragment, end) = lower::expand(&head, escaped, limits)?;
            if self.ends.len() + fragment.ends.len() > limits.nodes_max {
                return Err(LimitError::Nodes(limits.nodes_max));
            }
            let first = self.append(&fragment);
            let (count, origin) = (fragment.ends.len() as u32, (node, number));
            self.expansions.push(Expansion { first, count, origin, to });
            self.firsts.insert(origin, first);
            // What follows the part is what its nodes lead to.
            let asks = self.asks[to as usize].clone();
            self.asks.resize(self.ends.len(), asks);
            edges.push((Label::Epsilon, first + fragment.entry));
            if rest.is_none() {
                self.share(first..first + count, first + end, to);
            }
            let after = match rest {
                Some(skipped) => {
                    self.rests.push((part, skipped));
                    Label::Part(REST + self.rests.len() as u32 - 1)
                }
                None => Label::Epsilon,
            };
            self.redirect(first + end, &[(after, to)]);
        }
        self.redirect(node, &edges);
        Ok(())
    }

    /// Gives `node` these edges.
    fn redirect(&mut self, node: u32, edges: &[(Label, u32)]) {
        let from = self.edges.len() as u32;
        self.edges.extend_from_slice(edges);
        self.runs[node as usize] = (from, self.edges.len() as u32);
    }

    /// Lets edges between `nodes`, which are those of a part that leads from its node `end` to
    /// `to`, lead to nodes of other parts that read the same rest of a character: most parts have
    /// those alike, and states that differ by them are then one.
    fn share(&mut self, nodes: Range<u32>, end: u32, to: u32) {
        let first = nodes.start;
        let from = self.runs[first as usize].0 as usize;
        let wide = |label: &Label| matches!(label, Label::Bytes(low, _) if *low >= 0x80);
        if !self.edges[from..].iter().any(|(label, _)| wide(label)) {
            return;
        }
        let within = |node: &u32| match self.of(*node) {
            [] => false,
            [(Label::Epsilon, _)] => true,
            edges => edges.iter().all(|(label, _)| wide(label)),
        };
        let mut pending: Vec<u32> = nodes.clone().filter(within).collect();
        // For each node the one that stands for it; one that reads nothing or stands within a
        // character waits for those that it leads to.
        let mut stands: Vec<Option<u32>> = nodes.clone().map(Some).collect();
        stands[(end - first) as usize] = Some(to);
        pending.iter().for_each(|node| stands[(node - first) as usize] = None);
        let mut begun = vec![false; nodes.len()];
        while let Some(&node) = pending.last() {
            let at = (node - first) as usize;
            let stand = |to: u32| match nodes.contains(&to) {
                true => stands[(to - first) as usize],
                false => Some(to),
            };
            let edges = self.of(node).iter();
            if !std::mem::replace(&mut begun[at], true) {
                let waits = edges.map(|edge| edge.1).filter(|&to| stand(to).is_none());
                let waits: Vec<u32> = waits.collect();
                pending.extend(waits);
                continue;
            }
            pending.pop();
            if stands[at].is_none() {
                let edges = edges.map(|&(label, to)| (label, stand(to).unwrap_or(to)));
                let edges: Box<[(Label, u32)]> = edges.collect();
                stands[at] = Some(match *edges {
                    [(Label::Epsilon, to)] => to,
                    _ => *self.alike.entry(edges).or_insert(node),
                });
            }
        }
        for (_, to) in &mut self.edges[from..] {
            if nodes.contains(to) {
                *to = stands[(*to - first) as usize].unwrap_or(*to);
            }
        }
    }

    /// The node of the rule's own automaton from which parts lead to `node`, and those parts from
    /// the last to the first: their numbers, with how far in each of them it goes on.
    pub(super) fn origin(&self, node: u32) -> (u32, Vec<(u32, u32)>) {
        let (mut at, mut steps) = (node, Vec::new());
        while let Some(found) = self.expansion(at) {
            steps.push((found.origin.1, at - found.first));
            at = found.origin.0;
        }
        (at, steps)
    }

    /// `node`, or where it is within a part, the node that the part leads to.
    pub(super) fn settled(&self, node: u32) -> u32 {
        let mut settled = node;
        while let Some(found) = self.expansion(settled) {
            settled = found.to;
        }
        settled
    }

    /// The least number of bytes that a part has; nothing for other labels.
    pub(super) fn length(&self, label: &Label) -> u32 {
        let Label::Part(number) = *label else { return 0 };
        let (part, skipped) = match number.checked_sub(REST) {
            Some(rest) => (&self.rests[rest as usize].0, self.rests[rest as usize].1),
            None => match &self.parts[number as usize] {
                Part { ir, escaped: true } => return length(ir).saturating_sub(1),
                Part { ir, .. } => (ir, 0),
            },
        };
        match part.kind() {
            Kind::Sequence(elements) => {
                elements.iter().skip(skipped).map(length).fold(0, u32::saturating_add)
            }
            _ => length(part),
        }
    }

    /// The part's automaton that `node` belongs to, if it does to one.
    fn expansion(&self, node: u32) -> Option<&Expansion> {
        let next = self.expansions.partition_point(|expansion| expansion.first <= node);
        let found = self.expansions.get(next.checked_sub(1)?)?;
        (node < found.first + found.count).then_some(found)
    }

    pub(super) fn of(&self, node: u32) -> &[(Label, u32)] {
        let (from, to) = self.runs[node as usize];
        &self.edges[from as usize..to as usize]
    }

    pub(super) fn local(&mut self, nodes: Box<[u32]>) -> Local {
        let mut exits = Exits::default();
        let (mut ranges, mut singles) = (Vec::new(), Vec::new());
        let mut asks: Option<Arc<Asks>> = None;
        for &node in &nodes {
            exits.ends |= self.ends[node as usize];
            for &(label, to) in self.of(node) {
                match label {
                    Label::Bytes(low, high) => ranges.push((low, high)),
                    Label::Heard(low, high) => singles.push((low, high)),
                    Label::Call(rule) => exits.calls.push((rule, to)),
                    Label::Act(action) => exits.acts.push((action, to)),
                    Label::Marker(marker) => exits.markers.push((marker, to)),
                    Label::Epsilon | Label::Idle | Label::Part(_) => {}
                }
            }
            match (&mut asks, &self.asks[node as usize]) {
                (Some(asks), Some(more)) if Arc::ptr_eq(asks, more) => {}
                (Some(asks), Some(more)) => Arc::make_mut(asks).extend(more),
                (asks @ None, Some(first)) => *asks = Some(first.clone()),
                (_, None) => {}
            }
        }
        let unknown = |count: usize| (0..count).map(|_| AtomicU32::new(UNKNOWN)).collect();
        exits.returned = unknown(exits.calls.len());
        exits.acted = unknown(exits.acts.len());
        let heard = !singles.is_empty();
        let shape = self.shapes.of(ranges.into_iter(), singles.into_iter());
        let targets = shape.samples().iter().map(|_| AtomicU32::new(UNKNOWN)).collect();
        let none = !exits.ends
            && exits.calls.is_empty()
            && exits.acts.is_empty()
            && exits.markers.is_empty();
        Local {
            nodes,
            shape,
            targets,
            exits: (!none).then(|| Arc::new(exits)),
            asks,
            heard,
            core: AtomicU32::new(UNKNOWN),
            mask: OnceLock::new(),
            loops: OnceLock::new(),
            endless: OnceLock::new(),
            lasting: OnceLock::new(),
        }
    }
}

/// The least number of bytes that `part` has.
pub(super) fn length(part: &Ir) -> u32 {
    let length = part.facts().map_or(1, |facts| facts.length_min);
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// `part` without its first elements: the next few of it, and how many elements to skip for what
/// comes after them, if anything does. What comes after is never empty, as parts are not.
fn split(part: &Ir, skipped: usize) -> (Ir, Option<usize>) {
    const FEW: usize = 4;
    let Kind::Sequence(elements) = part.kind() else { return (part.clone(), None) };
    let left = elements.get(skipped..).unwrap_or_default();
    let reads = |last: &Ir| last.facts().is_some_and(|facts| !facts.nullable);
    if left.len() > 2 * FEW && left.last().is_some_and(reads) {
        return (Ir::sequence(left[..FEW].iter().cloned()), Some(skipped + FEW));
    }
    match skipped {
        0 => (part.clone(), None),
        _ => (Ir::sequence(left.iter().cloned()), None),
    }
}
