//! How much must still be read before a rule can end: lower bounds, in bytes and special tokens.
//!
//! For rules without a register they are exact, by Knuth's generalisation of Dijkstra's algorithm
//! to grammars (1977). What a register owes is added up by the actions that it owes: each has a
//! cost, which is the least that is read after it and before it. A rule takes at least what its
//! register owes at its beginning, which the rules around it count in their turn.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use blueprints_compiler::ir::machine::Owed;
use rustc_hash::FxHashMap;

use super::frames::{FrameId, Frames};
use super::nfa::{Fragment, Label, RuleId};
use super::rules::{Place, Rules};
use super::states::{Inner, Item};
use super::table;

/// Nothing leads there.
const NEVER: u32 = u32::MAX;

/// Lower bounds for the rules that were lowered when they were made; nothing is known of others.
#[derive(Default)]
pub(super) struct Lengths {
    /// For each table and node, the least up to the end of its rule.
    to_end: Vec<Vec<u32>>,
    /// The least of each rule.
    rules: Vec<u32>,
    tracked: FxHashMap<RuleId, Tracked>,
    /// The least that is read after a frame's rule has ended.
    frames: FxHashMap<FrameId, u32>,
}

/// The bounds of a rule with a register, its nodes numbered from 0.
struct Tracked {
    /// The least up to the next action, less what that action costs before it; or to the end.
    first: Vec<i64>,
    /// What each action costs.
    costs: Vec<i64>,
    /// The nodes that lead to the end through the closing action alone.
    closes: Vec<bool>,
}

/// Edges by the node that they lead to.
pub(super) struct Backward {
    starts: Vec<usize>,
    edges: Vec<(u32, u32)>,
}

impl Backward {
    /// `edges` are from, to and weight.
    pub(super) fn new(nodes: usize, edges: &[(u32, u32, u32)]) -> Self {
        let mut starts = vec![0; nodes + 1];
        edges.iter().for_each(|edge| starts[edge.1 as usize + 1] += 1);
        for at in 0..nodes {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0, 0); edges.len()];
        for &(from, to, weight) in edges {
            sorted[next[to as usize]] = (from, weight);
            next[to as usize] += 1;
        }
        Self { starts, edges: sorted }
    }

    fn of(&self, node: u32) -> &[(u32, u32)] {
        &self.edges[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// The least from each node to one of `ends`, each with what is read there already.
    pub(super) fn least(&self, ends: impl Iterator<Item = (u32, i64)>) -> Vec<Option<i64>> {
        let mut found = vec![None; self.starts.len() - 1];
        let mut queue: BinaryHeap<Reverse<(i64, u32)>> =
            ends.map(|(node, length)| Reverse((length, node))).collect();
        while let Some(Reverse((length, node))) = queue.pop() {
            if found[node as usize].is_some() {
                continue;
            }
            found[node as usize] = Some(length);
            for &(from, weight) in self.of(node) {
                if found[from as usize].is_none() {
                    queue.push(Reverse((length + i64::from(weight), from)));
                }
            }
        }
        found
    }
}

/// The most rounds in which what rules with registers owe is handed on to the rules around them.
const ROUNDS_MAX: usize = 24;

impl Lengths {
    /// The bounds of all rules that are lowered by now.
    ///
    /// # Complexity
    /// O(n log n) in nodes and edges, as often as rules with registers are nested.
    pub(super) fn new(rules: &Rules) -> Self {
        let graph = Graph::new(rules);
        let mut floors = vec![0; rules.count()];
        let mut lengths = graph.lengths(rules, &floors);
        for _ in 0..ROUNDS_MAX {
            if !lengths.raise(rules, &mut floors) {
                break;
            }
            lengths = graph.lengths(rules, &floors);
        }
        lengths
    }

    /// Raises the floors of rules with registers to what they owe at their beginning; `false` if
    /// none is above what was known.
    fn raise(&self, rules: &Rules, floors: &mut [u32]) -> bool {
        let mut raised = false;
        for (rule, machine, fragment) in rules.tracked() {
            let Some(tracked) = self.tracked.get(&rule) else { continue };
            let Some(owed) = machine.owed(&machine.start()) else { continue };
            let least = u32::try_from(tracked.least(fragment.entry, &owed)).unwrap_or(0);
            if least > self.rules[rule.0 as usize] {
                floors[rule.0 as usize] = least;
                raised = true;
            }
        }
        raised
    }
}

/// The tables of all rules as one graph.
struct Graph {
    offsets: Vec<u32>,
    edges: Vec<(u32, u32, u32)>,
    ends: Vec<bool>,
    /// Calls by the node that they are made from, that they return to, and the rule.
    calls: Vec<(u32, u32, RuleId)>,
}

impl Graph {
    fn new(rules: &Rules) -> Self {
        let mut offsets = Vec::with_capacity(rules.tables.len());
        let (mut edges, mut ends) = (Vec::new(), Vec::new());
        let mut calls: Vec<(u32, u32, RuleId)> = Vec::new();
        for table in &rules.tables {
            let offset = ends.len() as u32;
            offsets.push(offset);
            ends.extend(table.each_edge(&mut |from, label, length, to| {
                let (from, to) = (from + offset, to + offset);
                let weight = match *label {
                    Label::Bytes(..) | Label::Heard(..) | Label::Marker(_) => 1,
                    Label::Epsilon | Label::Idle | Label::Act(_) => 0,
                    Label::Part(_) => length,
                    Label::Call(rule) => return calls.push((from, to, rule)),
                };
                edges.push((from, to, weight));
            }));
        }
        Self { offsets, edges, ends, calls }
    }

    /// The lengths, where each rule takes at least its floor.
    fn lengths(&self, rules: &Rules, floors: &[u32]) -> Lengths {
        let offsets = &self.offsets;
        let global = |place: Place| offsets[place.table as usize] + place.entry;
        let (least, nodes) = least_of_rules(rules, self, floors, &global);
        let to_end = offsets.iter().enumerate().map(|(at, &offset)| {
            let until = offsets.get(at + 1).map_or(nodes.len(), |&next| next as usize);
            nodes[offset as usize..until].to_vec()
        });
        let mut lengths = Lengths { to_end: to_end.collect(), rules: least, ..Lengths::default() };
        for (rule, machine, fragment) in rules.tracked() {
            if let Some(owed) = machine.owed(&machine.start()) {
                let tracked = Tracked::new(fragment, owed.close, &lengths.rules);
                lengths.tracked.insert(rule, tracked);
            }
        }
        lengths
    }
}

/// The least of each rule, and from each node to the end of its rule.
fn least_of_rules(
    rules: &Rules,
    graph: &Graph,
    floors: &[u32],
    global: &dyn Fn(Place) -> u32,
) -> (Vec<u32>, Vec<u32>) {
    let Graph { edges, ends, calls, .. } = graph;
    let backward = Backward::new(ends.len(), edges);
    let returns: Vec<(u32, u32, u32)> =
        calls.iter().map(|&(from, to, rule)| (from, to, rule.0)).collect();
    let returns = Backward::new(ends.len(), &returns);
    let mut callers: Vec<Vec<(u32, u32)>> = vec![Vec::new(); rules.count()];
    for &(from, to, rule) in calls {
        callers[rule.0 as usize].push((from, to));
    }
    let mut least = vec![NEVER; rules.count()];
    let mut entries: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for rule in 0..rules.count() as u32 {
        match rules.placed(RuleId(rule)) {
            Some(place) => entries.entry(global(place)).or_default().push(rule),
            // No rule ends without reading something.
            None => least[rule as usize] = 1,
        }
    }
    let mut nodes = vec![NEVER; ends.len()];
    let mut queue: BinaryHeap<Reverse<(u32, u32)>> =
        (0..).zip(ends).filter(|(_, ends)| **ends).map(|(node, _)| Reverse((0, node))).collect();
    while let Some(Reverse((length, node))) = queue.pop() {
        if nodes[node as usize] != NEVER || length == NEVER {
            continue;
        }
        nodes[node as usize] = length;
        for &(from, weight) in backward.of(node) {
            queue.push(Reverse((length.saturating_add(weight), from)));
        }
        for &(from, rule) in returns.of(node) {
            if least[rule as usize] != NEVER {
                queue.push(Reverse((length.saturating_add(least[rule as usize]), from)));
            }
        }
        for &rule in entries.get(&node).into_iter().flatten() {
            let length = length.max(floors[rule as usize]);
            least[rule as usize] = length;
            for &(from, to) in &callers[rule as usize] {
                if nodes[to as usize] != NEVER {
                    queue.push(Reverse((nodes[to as usize].saturating_add(length), from)));
                }
            }
        }
    }
    (least, nodes)
}

impl Tracked {
    /// `close` is the number of the closing action, `rules` the least of each rule.
    fn new(fragment: &Fragment, close: u32, rules: &[u32]) -> Self {
        let mut edges = Vec::with_capacity(fragment.edges.len());
        let mut acts = Vec::new();
        for edge in &fragment.edges {
            let weight = match edge.label {
                Label::Bytes(..) | Label::Heard(..) | Label::Marker(_) => 1,
                Label::Epsilon | Label::Idle => 0,
                Label::Part(number) => table::length(&fragment.parts[number as usize].ir),
                Label::Call(rule) => rules.get(rule.0 as usize).copied().unwrap_or(1),
                Label::Act(action) => {
                    acts.push((edge.from, edge.to, action));
                    continue;
                }
            };
            if weight != NEVER {
                edges.push((edge.from, edge.to, weight));
            }
        }
        let nodes = fragment.ends.len();
        let backward = Backward::new(nodes, &edges);
        let ends = || (0..).zip(&fragment.ends).filter(|(_, ends)| **ends).map(|(at, _)| (at, 0));
        let next = backward.least(acts.iter().map(|act| (act.0, 0)).chain(ends()));
        let width = acts.iter().map(|act| act.2 + 1).max().unwrap_or(0) as usize;
        let mut after: Vec<Option<i64>> = vec![None; width];
        for &(_, to, action) in &acts {
            let (slot, length) = (&mut after[action as usize], next[to as usize]);
            *slot = slot.map_or(length, |known| Some(length.map_or(known, |new| new.min(known))));
        }
        let after: Vec<i64> = after.into_iter().map(|length| length.unwrap_or(0)).collect();
        // What is read before an action beyond what is counted after the one before it.
        let turned: Vec<_> = edges.iter().map(|&(from, to, weight)| (to, from, weight)).collect();
        let begins = acts.iter().map(|&(_, to, action)| (to, -after[action as usize]));
        let reached = Backward::new(nodes, &turned).least(begins);
        let mut before: Vec<Option<i64>> = vec![None; width];
        for &(from, _, action) in &acts {
            let (slot, length) = (&mut before[action as usize], reached[from as usize]);
            *slot = slot.map_or(length, |known| Some(length.map_or(known, |new| new.min(known))));
        }
        let before: Vec<i64> = before.into_iter().map(|cost| cost.unwrap_or(0).max(0)).collect();
        let nexts = acts.iter().map(|&(from, _, action)| (from, -before[action as usize]));
        let first = backward.least(nexts.chain(ends()));
        let through = acts.iter().filter(|act| act.2 != close).map(|&(from, to, _)| (from, to, 0));
        let open: Vec<_> = edges.iter().copied().chain(through).collect();
        let escapes = Backward::new(nodes, &open).least(ends());
        Self {
            first: first.into_iter().map(|length| length.unwrap_or(0)).collect(),
            costs: after.iter().zip(&before).map(|(after, before)| after + before).collect(),
            closes: escapes.into_iter().map(|length| length.is_none()).collect(),
        }
    }

    /// The least from `node` to the end where so much is owed.
    fn least(&self, node: u32, owed: &Owed) -> i64 {
        let node = node as usize;
        if !self.closes.get(node).copied().unwrap_or(false) {
            return 0;
        }
        let cost = |action: &u32| self.costs.get(*action as usize).copied().unwrap_or(0);
        let groups = owed
            .groups
            .iter()
            .map(|group| i64::from(group.count) * group.any_of.iter().map(cost).min().unwrap_or(0));
        self.first[node] + groups.sum::<i64>() + cost(&owed.close)
    }
}

impl Inner {
    /// A lower bound of what is read from any of `items` to the end of the text.
    pub(super) fn least(&mut self, items: &[Item]) -> u32 {
        let lengths = |&(frame, at): &Item| {
            let nodes = self.rules.tables[at.table as usize].settled_nodes(at.local);
            let own = nodes.into_iter().map(|node| self.least_in(frame, at.table, node)).min();
            own.unwrap_or(NEVER).saturating_add(self.least_after(frame))
        };
        items.iter().map(lengths).min().unwrap_or(NEVER)
    }

    /// A lower bound of what is read from `node` to the end of the rule of `frame`.
    fn least_in(&self, frame: FrameId, table: u32, node: u32) -> u32 {
        let lengths = &self.lengths;
        let nodes = lengths.to_end.get(table as usize);
        let least = nodes.and_then(|nodes| nodes.get(node as usize)).copied().unwrap_or(0);
        let own = self.frames.get(frame);
        let Some(tracked) = lengths.tracked.get(&own.rule) else { return least };
        let owed = self.values.owed(own.value);
        let Some((owed, place)) = owed.zip(self.rules.placed(own.rule)) else { return least };
        let node = node.wrapping_sub(place.first);
        least.max(u32::try_from(tracked.least(node, &owed)).unwrap_or(0))
    }

    /// A lower bound of what is read once the rule of `frame` has ended.
    ///
    /// # Complexity
    /// O(1) amortised: each frame is asked once.
    fn least_after(&mut self, frame: FrameId) -> u32 {
        let mut pending = vec![frame];
        while let Some(&at) = pending.last() {
            if at == Frames::ROOT || self.lengths.frames.contains_key(&at) {
                pending.pop();
                continue;
            }
            let parents = self.frames.get(at).parents.clone();
            let before = pending.len();
            let known =
                |frame: &FrameId| *frame == Frames::ROOT || self.lengths.frames.contains_key(frame);
            pending.extend(parents.iter().map(|parent| parent.1).filter(|at| !known(at)));
            if pending.len() > before {
                continue;
            }
            let after = |&(node, parent): &(u32, FrameId)| {
                let rest = self.lengths.frames.get(&parent).copied().unwrap_or(0);
                self.least_in(parent, super::rules::OWN, node).saturating_add(rest)
            };
            let least = parents.iter().map(after).min().unwrap_or(NEVER);
            self.lengths.frames.insert(at, least);
            pending.pop();
        }
        self.lengths.frames.get(&frame).copied().unwrap_or(0)
    }
}
