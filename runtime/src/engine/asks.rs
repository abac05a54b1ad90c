//! What a rule's machine may be asked next, for each node of the rule.
//!
//! A set of actions is kept as the words of a bit set between its first and its last one: below a
//! key of an object with many stand few, and next to each other.

use std::sync::Arc;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashSet;

use super::nfa::{Fragment, Label};

/// What the machine may be asked next at a node.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Asks {
    /// Whether it leads to the end, or to bytes that the machine hears, without an action.
    free: bool,
    /// The number of the first word of `acts`.
    first: usize,
    /// The actions, as a set of bits; neither the first nor the last word is empty.
    acts: Vec<u64>,
}

impl Asks {
    fn act(&mut self, action: u32) {
        let word =
            Self { free: false, first: action as usize / 64, acts: vec![1 << (action % 64)] };
        self.extend(&word);
    }

    /// Adds those of `other`.
    pub(super) fn extend(&mut self, other: &Self) {
        self.free |= other.free;
        if other.acts.is_empty() {
            return;
        }
        if self.acts.is_empty() {
            (self.first, self.acts) = (other.first, other.acts.clone());
            return;
        }
        if other.first < self.first {
            let missing = self.first - other.first;
            self.acts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = other.first;
        }
        let from = other.first - self.first;
        if self.acts.len() < from + other.acts.len() {
            self.acts.resize(from + other.acts.len(), 0);
        }
        for (mine, theirs) in self.acts[from..].iter_mut().zip(&other.acts) {
            *mine |= theirs;
        }
    }

    /// Whether some way on is open where these actions are enabled.
    pub(super) fn meets(&self, enabled: &[u64]) -> bool {
        let enabled = enabled.get(self.first..).unwrap_or_default();
        self.free || self.acts.iter().zip(enabled).any(|(asked, may)| asked & may != 0)
    }
}

/// For each node of `fragment`, what the rule's machine may be asked next.
///
/// # Complexity
/// O(nodes + edges), and for each node the words between the first and the last action after it.
pub(super) fn of(fragment: &Fragment) -> Vec<Arc<Asks>> {
    let nodes = fragment.ends.len();
    let mut own: Vec<Asks> =
        fragment.ends.iter().map(|&free| Asks { free, ..Asks::default() }).collect();
    let mut graph = DiGraph::<(), ()>::with_capacity(nodes, fragment.edges.len());
    for _ in 0..nodes {
        graph.add_node(());
    }
    for edge in &fragment.edges {
        match edge.label {
            Label::Act(action) => own[edge.from as usize].act(action),
            Label::Heard(..) | Label::Idle => own[edge.from as usize].free = true,
            _ => {
                graph.add_edge(
                    NodeIndex::new(edge.from as usize),
                    NodeIndex::new(edge.to as usize),
                    (),
                );
            }
        }
    }
    let mut known: FxHashSet<Arc<Asks>> = FxHashSet::default();
    let mut all: Vec<Arc<Asks>> = vec![Arc::default(); nodes];
    // Components come after those that they lead to.
    for component in kosaraju_scc(&graph) {
        let mut asks = Asks::default();
        for &node in &component {
            asks.extend(&own[node.index()]);
            for next in graph.neighbors(node) {
                asks.extend(&all[next.index()]);
            }
        }
        let asks = match known.get(&asks) {
            Some(known) => known.clone(),
            None => {
                let asks = Arc::new(asks);
                known.insert(asks.clone());
                asks
            }
        };
        component.iter().for_each(|node| all[node.index()] = asks.clone());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_goes_back_to_where_it_can_come_from() {
        let mut fragment = Fragment { ends: vec![false; 6], ..Fragment::default() };
        fragment.ends[5] = true;
        // 0 -a-> 1 -act 700-> 5, 0 -b-> 2 <-> 3, 2 -act 3-> 4 -c-> 5.
        for (from, label, to) in [
            (0, Label::Bytes(b'a', b'a'), 1),
            (1, Label::Act(700), 5),
            (0, Label::Bytes(b'b', b'b'), 2),
            (2, Label::Epsilon, 3),
            (3, Label::Bytes(b'x', b'x'), 2),
            (2, Label::Act(3), 4),
            (4, Label::Bytes(b'c', b'c'), 5),
        ] {
            fragment.edge(from, label, to);
        }
        let enabled = |actions: &[usize]| {
            let mut words = vec![0_u64; 12];
            actions.iter().for_each(|action| words[action / 64] |= 1 << (action % 64));
            words
        };
        let asks = of(&fragment);
        let open = |actions: &[usize]| -> Vec<bool> {
            asks.iter().map(|asks| asks.meets(&enabled(actions))).collect()
        };
        assert_eq!(open(&[]), [false, false, false, false, true, true]);
        assert_eq!(open(&[700]), [true, true, false, false, true, true]);
        assert_eq!(open(&[3]), [true, false, true, true, true, true]);
        assert_eq!(open(&[4, 699]), [false, false, false, false, true, true]);
        assert!(Arc::ptr_eq(&asks[2], &asks[3]));
    }
}
