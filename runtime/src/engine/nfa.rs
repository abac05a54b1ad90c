//! Rules as byte-level automata: the immutable half of the engine.
//!
//! Nodes of all rules stand in one table. A call names a rule and the node to return to; a
//! counted loop is a rule whose frame holds the count. No rule reaches its end without reading
//! something: where a rule may be empty, its callers pass it by.

use std::sync::Arc;

use blueprints_compiler::ir::Machine;
use rustc_hash::FxHashMap;

use crate::limits::LimitError;

/// A node of some rule's automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub(super) u32);

/// A rule, or a counted loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RuleId(pub(super) u32);

/// A symbol that is no byte: it stands for one special token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Marker(pub(crate) u32);

#[derive(Clone, Default, Debug)]
pub(super) struct Node {
    /// Inclusive byte ranges and where they lead.
    pub(super) bytes: Vec<(u8, u8, NodeId)>,
    pub(super) markers: Vec<(Marker, NodeId)>,
    pub(super) epsilon: Vec<NodeId>,
    /// Rules that may be called here, each with the node it returns to.
    pub(super) calls: Vec<(RuleId, NodeId)>,
    /// Actions of the rule's machine, and where they lead.
    pub(super) acts: Vec<(u32, NodeId)>,
    /// Byte ranges that the rule's machine hears, and where they lead.
    pub(super) heard: Vec<(u8, u8, NodeId)>,
    /// Whether the rule may end here.
    pub(super) ends: bool,
}

impl Node {
    /// Whether all that can happen here is the rule's end.
    pub(super) fn only_ends(&self) -> bool {
        self.ends
            && self.bytes.is_empty()
            && self.markers.is_empty()
            && self.epsilon.is_empty()
            && self.calls.is_empty()
            && self.acts.is_empty()
            && self.heard.is_empty()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) entry: NodeId,
    /// Set for a counted loop: the rule is one iteration.
    pub(super) counter: Option<Counter>,
    /// Set for a tracked part.
    pub(super) machine: Option<Arc<Machine>>,
}

/// The bounds of a counted loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    /// Where a further iteration begins, with its separator.
    pub(super) again: NodeId,
}

/// What a node of a tracked part leads to before its machine is asked again.
#[derive(Clone, Default, Debug)]
pub(super) struct Asks {
    /// The actions, ascending.
    pub(super) acts: Vec<u32>,
    /// Whether it leads to the end, or to bytes that the machine hears, without an action.
    pub(super) free: bool,
}

/// The rules of one outline.
#[derive(Clone, Debug)]
pub(crate) struct Nfa {
    pub(super) nodes: Vec<Node>,
    pub(super) rules: Vec<Rule>,
    /// The rule of the whole text.
    pub(super) root: RuleId,
    /// Whether the empty text is in the language.
    pub(super) nullable: bool,
    /// For each node of a tracked part, what its machine may be asked next.
    pub(super) asks: FxHashMap<NodeId, Asks>,
    /// For each rule a number above those of all rules that may call it before reading.
    pub(super) rank: Vec<u32>,
}

impl Nfa {
    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    pub(super) fn rule(&self, rule: RuleId) -> &Rule {
        &self.rules[rule.0 as usize]
    }

    /// The bytes that some edge reads.
    pub(crate) fn alphabet(&self) -> [bool; 256] {
        let mut used = [false; 256];
        for (low, high, _) in
            self.nodes.iter().flat_map(|node| node.bytes.iter().chain(&node.heard))
        {
            (*low..=*high).for_each(|byte| used[usize::from(byte)] = true);
        }
        used
    }
}

/// Builds the table of nodes.
pub(super) struct Builder {
    pub(super) nodes: Vec<Node>,
    limit: usize,
}

impl Builder {
    pub(super) fn new(limit: usize) -> Self {
        Self { nodes: Vec::new(), limit }
    }

    pub(super) fn node(&mut self) -> Result<NodeId, LimitError> {
        if self.nodes.len() >= self.limit {
            return Err(LimitError::Nodes(self.limit));
        }
        self.nodes.push(Node::default());
        Ok(NodeId(self.nodes.len() as u32 - 1))
    }

    pub(super) fn at(&mut self, node: NodeId) -> &mut Node {
        &mut self.nodes[node.0 as usize]
    }

    pub(super) fn epsilon(&mut self, from: NodeId, to: NodeId) {
        if from != to {
            self.at(from).epsilon.push(to);
        }
    }

    /// Copies the nodes from `first` on so that the copy of `entry` cannot reach the rule's end
    /// without reading: what reads leads from the copy into the original. Returns that copy.
    pub(super) fn without_empty(
        &mut self,
        first: usize,
        entry: NodeId,
    ) -> Result<NodeId, LimitError> {
        let count = self.nodes.len();
        if count + (count - first) > self.limit {
            return Err(LimitError::Nodes(self.limit));
        }
        let offset = (count - first) as u32;
        for at in first..count {
            let mut copy = self.nodes[at].clone();
            copy.ends = false;
            copy.epsilon.iter_mut().for_each(|to| to.0 += offset);
            copy.acts.iter_mut().for_each(|act| act.1.0 += offset);
            self.nodes.push(copy);
        }
        Ok(NodeId(entry.0 + offset))
    }

    /// Drops the edges to nodes from which no rule's end is reached.
    pub(super) fn trim(&mut self) {
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let mut alive = vec![false; self.nodes.len()];
        let mut queue: Vec<usize> = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let to = node.bytes.iter().chain(&node.heard).map(|edge| edge.2);
            let to = to.chain(node.acts.iter().map(|edge| edge.1));
            let to = to.chain(node.markers.iter().map(|edge| edge.1));
            let to = to.chain(node.calls.iter().map(|edge| edge.1));
            for to in to.chain(node.epsilon.iter().copied()) {
                sources[to.0 as usize].push(at as u32);
            }
            if node.ends {
                queue.push(at);
            }
        }
        while let Some(at) = queue.pop() {
            if !std::mem::replace(&mut alive[at], true) {
                queue.extend(sources[at].iter().map(|&from| from as usize));
            }
        }
        for node in &mut self.nodes {
            let lives = |to: NodeId| alive[to.0 as usize];
            node.bytes.retain(|edge| lives(edge.2));
            node.markers.retain(|edge| lives(edge.1));
            node.calls.retain(|edge| lives(edge.1));
            node.epsilon.retain(|&to| lives(to));
            node.acts.retain(|edge| lives(edge.1));
            node.heard.retain(|edge| lives(edge.2));
        }
    }

    /// What the machine may be asked next at each of the nodes of a tracked part.
    pub(super) fn asks(&self, first: usize, end: usize, found: &mut FxHashMap<NodeId, Asks>) {
        let count = end - first;
        let mut all = vec![Asks::default(); count];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..count).rev() {
                let node = &self.nodes[first + at];
                let mut asks = Asks {
                    acts: node.acts.iter().map(|act| act.0).collect(),
                    free: node.ends || !node.heard.is_empty(),
                };
                let next = node.bytes.iter().map(|edge| edge.2);
                let next = next.chain(node.markers.iter().map(|edge| edge.1));
                let next = next.chain(node.calls.iter().map(|edge| edge.1));
                for to in next.chain(node.epsilon.iter().copied()) {
                    if let Some(next) = (to.0 as usize).checked_sub(first).filter(|&at| at < count)
                    {
                        asks.acts.extend(&all[next].acts);
                        asks.free |= all[next].free;
                    }
                }
                asks.acts.sort_unstable();
                asks.acts.dedup();
                if (asks.free, asks.acts.len()) != (all[at].free, all[at].acts.len()) {
                    all[at] = asks;
                    changed = true;
                }
            }
        }
        found.extend((first as u32..).map(NodeId).zip(all));
    }
}
