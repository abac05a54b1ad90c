//! The automaton of one rule: nodes and labelled edges.
//!
//! No rule reaches its end without reading something: where a rule may be empty, its callers
//! pass it by.

use blueprints_compiler::Ir;

use crate::limits::LimitError;

/// A rule of a program: a part of the outline that runs in a frame of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RuleId(pub(super) u32);

/// A symbol that is no byte: it stands for one special token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Marker(pub(crate) u32);

/// What an edge reads or does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Label {
    /// Reads a byte of this inclusive range.
    Bytes(u8, u8),
    /// The same, and the rule's machine hears the byte.
    Heard(u8, u8),
    /// Reads nothing.
    Epsilon,
    /// Reads nothing, for an action that is always allowed.
    Idle,
    /// Reads a special token.
    Marker(Marker),
    /// Runs a rule.
    Call(RuleId),
    /// An action of the rule's machine.
    Act(u32),
    /// Reads a part of the fragment, whose own automaton is made when a state first meets it.
    Part(u32),
}

/// A plain part of an outline: a small automaton of bytes that is never empty. Equal if it is the
/// same one.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) ir: Ir,
    /// Whether it is what follows the backslash that `ir` begins with.
    pub(super) escaped: bool,
}

impl Part {
    pub(super) fn whole(ir: Ir) -> Self {
        Self { ir, escaped: false }
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        (self.ir.address(), self.escaped) == (other.ir.address(), other.escaped)
    }
}

impl Eq for Part {}

impl std::hash::Hash for Part {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.ir.address(), self.escaped).hash(state);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) label: Label,
    pub(super) to: u32,
}

/// The automaton of one rule; its nodes are numbered from 0.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Fragment {
    pub(super) entry: u32,
    /// For each node whether the rule may end there.
    pub(super) ends: Vec<bool>,
    pub(super) edges: Vec<Edge>,
    pub(super) parts: Vec<Part>,
}

impl Fragment {
    pub(super) fn node(&mut self, limit: usize) -> Result<u32, LimitError> {
        if self.ends.len() >= limit {
            return Err(LimitError::Nodes(limit));
        }
        self.ends.push(false);
        Ok(self.ends.len() as u32 - 1)
    }

    pub(super) fn edge(&mut self, from: u32, label: Label, to: u32) {
        if label != Label::Epsilon || from != to {
            self.edges.push(Edge { from, label, to });
        }
    }

    /// Copies the nodes from `first` on so that the copy of `entry` cannot reach an end without
    /// reading: what reads leads from the copy into the original. Returns that copy.
    pub(super) fn without_empty(
        &mut self,
        first: u32,
        entry: u32,
        limit: usize,
    ) -> Result<u32, LimitError> {
        let count = self.ends.len() as u32;
        let offset = count - first;
        if (count + offset) as usize > limit {
            return Err(LimitError::Nodes(limit));
        }
        self.ends.resize((count + offset) as usize, false);
        for at in 0..self.edges.len() {
            let Edge { from, label, to } = self.edges[at];
            if from < first {
                continue;
            }
            let reads = !matches!(label, Label::Epsilon | Label::Idle | Label::Act(_));
            let to = if reads || to < first { to } else { to + offset };
            self.edges.push(Edge { from: from + offset, label, to });
        }
        Ok(entry + offset)
    }

    /// Drops the edges to nodes from which no end is reached.
    pub(super) fn trim(&mut self) {
        let sources = by(&self.edges, self.ends.len(), |edge| edge.to);
        let mut alive = vec![false; self.ends.len()];
        let mut queue: Vec<usize> = (0..alive.len()).filter(|&at| self.ends[at]).collect();
        while let Some(at) = queue.pop() {
            if !std::mem::replace(&mut alive[at], true) {
                queue.extend(sources.of(at).iter().map(|&edge| self.edges[edge].from as usize));
            }
        }
        self.edges.retain(|edge| alive[edge.to as usize]);
    }

    /// The edges in order of their nodes.
    pub(super) fn sort(&mut self) {
        let order = by(&self.edges, self.ends.len(), |edge| edge.from);
        self.edges = order.items.iter().map(|&at| self.edges[at]).collect();
    }

    pub(super) fn calls_no_rule(&self) -> bool {
        !self.edges.iter().any(|edge| matches!(edge.label, Label::Call(_)))
    }

    /// The most actions between two bytes; `None` if there is no bound.
    pub(super) fn actions_in_a_row(&self) -> Option<u32> {
        let order = by(&self.edges, self.ends.len(), |edge| edge.from);
        let mut graph = petgraph::graph::DiGraph::<(), u32>::new();
        let nodes: Vec<_> = self.ends.iter().map(|_| graph.add_node(())).collect();
        for at in 0..self.ends.len() {
            for &edge in order.of(at) {
                let Edge { from, label, to } = self.edges[edge];
                let weight = match label {
                    Label::Act(_) => 1,
                    Label::Epsilon | Label::Idle => 0,
                    _ => continue,
                };
                graph.add_edge(nodes[from as usize], nodes[to as usize], weight);
            }
        }
        let sorted = petgraph::algo::toposort(&graph, None).ok()?;
        let mut most = vec![0_u32; nodes.len()];
        for node in sorted.into_iter().rev() {
            use petgraph::visit::EdgeRef;
            for edge in graph.edges(node) {
                let through = edge.weight() + most[edge.target().index()];
                most[node.index()] = most[node.index()].max(through);
            }
        }
        most.into_iter().max()
    }
}

/// Edges by one of their nodes, as one list with the place where each node's begin.
struct ByNode {
    starts: Vec<usize>,
    items: Vec<usize>,
}

impl ByNode {
    fn of(&self, node: usize) -> &[usize] {
        &self.items[self.starts[node]..self.starts[node + 1]]
    }
}

fn by(edges: &[Edge], nodes: usize, node: impl Fn(&Edge) -> u32) -> ByNode {
    let mut starts = vec![0; nodes + 1];
    edges.iter().for_each(|edge| starts[node(edge) as usize + 1] += 1);
    for at in 0..nodes {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut items = vec![0; edges.len()];
    for (at, edge) in edges.iter().enumerate() {
        let slot = &mut next[node(edge) as usize];
        items[*slot] = at;
        *slot += 1;
    }
    ByNode { starts, items }
}
