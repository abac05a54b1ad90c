//! Local states: sets of nodes of one frame, with what they read and where they leave it.
//!
//! They know no frames, so all frames of a rule share them, and a rule that calls none is shared
//! by all programs of a vocabulary. Steps are cached.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::asks::Asks;
use super::nfa::{Fragment, Label, Marker, RuleId};
use super::rules::Place;
use super::seen::Seen;
use super::shape::Shape;
use super::slab::Slab;
use super::table::{REST, Table};
use crate::limits::{LimitError, Limits};
use crate::masks::LocalMask;
use crate::vocabulary::Characters;

/// The local state from which nothing goes on.
pub(crate) const NOWHERE: u32 = 0;
pub(super) const UNKNOWN: u32 = u32::MAX;

/// A set of nodes of one rule, closed over what reads nothing within the rule.
pub(crate) struct Local {
    pub(super) nodes: Box<[u32]>,
    pub(crate) shape: Arc<Shape>,
    pub(super) targets: Box<[AtomicU32]>,
    /// What leaves the rule's own reading here.
    pub(super) exits: Option<Arc<Exits>>,
    pub(crate) asks: Option<Arc<Asks>>,
    /// Whether some byte is told to a machine.
    pub(crate) heard: bool,
    /// The same without nodes that read nothing, once it was asked for.
    pub(super) core: AtomicU32,
    pub(crate) mask: OnceLock<Arc<LocalMask>>,
    /// The characters on which it returns to itself, once they were asked for.
    pub(crate) loops: OnceLock<Characters>,
    /// The loop class whose texts lead on from it whatever they are, if one was found.
    pub(crate) endless: OnceLock<Option<usize>>,
    /// For how many characters, at least, any text of letters leads on from it.
    pub(crate) lasting: OnceLock<u16>,
}

/// Ways on that read no byte within the rule.
#[derive(Default)]
pub(super) struct Exits {
    pub(super) ends: bool,
    /// Rules to run, each with the node to return to.
    pub(super) calls: Vec<(RuleId, u32)>,
    /// Actions, each with the node it leads to.
    pub(super) acts: Vec<(u32, u32)>,
    pub(super) markers: Vec<(Marker, u32)>,
    /// The local states of the nodes that calls return to and that actions lead to, once they
    /// were asked for.
    pub(super) returned: Box<[AtomicU32]>,
    pub(super) acted: Box<[AtomicU32]>,
}

impl Local {
    /// Whether it has ways on, other than special tokens, that no byte within the rule takes.
    pub(crate) fn leaves(&self) -> bool {
        let exits = self.exits.as_ref();
        let leaves =
            |exits: &Arc<Exits>| exits.ends || !exits.calls.is_empty() || !exits.acts.is_empty();
        self.heard || exits.is_some_and(leaves)
    }

    /// Whether no register has a say about it.
    pub(crate) fn is_free(&self) -> bool {
        self.asks.is_none() && !self.heard
    }

    /// Whether no byte within the rule is needed to leave it, by its end and no other way, and no
    /// register is asked.
    pub(crate) fn leaves_by_end(&self) -> bool {
        let by_end =
            |exits: &Arc<Exits>| exits.ends && exits.calls.is_empty() && exits.acts.is_empty();
        self.is_free() && self.exits.as_ref().is_some_and(by_end)
    }

    /// Whether what happens next may depend on the frame.
    pub(super) fn leaks(&self) -> bool {
        let leaks = |exits: &Arc<Exits>| exits.ends || !exits.acts.is_empty();
        self.heard || self.exits.as_ref().is_some_and(leaks)
    }

    /// Whether all that can happen here is the rule's end.
    pub(super) fn only_ends(&self) -> bool {
        let only = |exits: &Arc<Exits>| {
            exits.ends
                && exits.calls.is_empty()
                && exits.acts.is_empty()
                && exits.markers.is_empty()
        };
        self.shape.samples().is_empty() && self.exits.as_ref().is_some_and(only)
    }
}

/// The local states of one table of nodes.
pub(crate) struct Locals {
    states: Slab<Local>,
    table: Mutex<Table>,
    limits: Limits,
}

impl Locals {
    pub(super) fn new(limits: Limits) -> Self {
        let locals = Self { states: Slab::new(), table: Mutex::new(Table::default()), limits };
        let mut table = locals.table();
        let nowhere = table.local(Box::default());
        table.ids.insert(Box::default(), NOWHERE);
        drop(table);
        locals.states.push(nowhere);
        locals
    }

    /// Adds the nodes of a rule, with what its machine may be asked if it has one. Returns the
    /// numbers of its node 0 and of its part 0.
    pub(super) fn append(&self, fragment: &Fragment, asks: Option<Vec<Arc<Asks>>>) -> (u32, u32) {
        let mut table = self.table();
        let part = table.parts.len() as u32;
        let first = table.append(fragment);
        match asks {
            Some(asks) => table.asks.extend(asks.into_iter().map(Some)),
            None => table.asks.extend(fragment.ends.iter().map(|_| None)),
        }
        (first, part)
    }

    pub(crate) fn get(&self, local: u32) -> &Local {
        // Indices come from this list alone; the first element is always there.
        let found = self.states.get(local).or_else(|| self.states.get(NOWHERE));
        found.unwrap_or_else(|| unreachable!("the first local state is made with the list"))
    }

    /// The bytes of memory that the list takes, about.
    pub(super) fn bytes(&self) -> usize {
        let table = self.table();
        let states = (0..self.states.len() as u32).filter_map(|id| self.states.get(id));
        let states = states
            .map(|state| size_of::<Local>() + 4 * (2 * state.nodes.len() + state.targets.len()));
        states.sum::<usize>()
            + table.edges.len() * size_of::<(Label, u32)>()
            + table.ends.len() * (5 + size_of::<Option<Arc<Asks>>>())
    }

    /// The local state of `node` alone.
    pub(crate) fn entry(&self, node: u32) -> Result<u32, LimitError> {
        self.entered(&mut self.table(), node)
    }

    fn entered(&self, table: &mut Table, node: u32) -> Result<u32, LimitError> {
        if let Some(&local) = table.entries.get(&node) {
            return Ok(local);
        }
        let local = self.closed(table, vec![node])?;
        table.entries.insert(node, local);
        Ok(local)
    }

    /// The local state of `node` alone, which `known` keeps.
    pub(super) fn entry_kept(&self, known: &AtomicU32, node: u32) -> Result<u32, LimitError> {
        match known.load(Ordering::Acquire) {
            UNKNOWN => {
                let local = self.entry(node)?;
                known.store(local, Ordering::Release);
                Ok(local)
            }
            local => Ok(local),
        }
    }

    /// The local state after `byte` within the rule.
    ///
    /// # Complexity
    /// O(1) where it was asked before, else O(edges of its nodes).
    pub(crate) fn step(&self, local: u32, byte: u8) -> Result<u32, LimitError> {
        self.next(self.get(local), byte)
    }

    /// The same for a local state of this list that is at hand.
    pub(crate) fn next(&self, state: &Local, byte: u8) -> Result<u32, LimitError> {
        let class = state.shape.class(byte);
        if class == 0 {
            return Ok(NOWHERE);
        }
        let target = &state.targets[class - 1];
        let known = target.load(Ordering::Acquire);
        if known != UNKNOWN {
            return Ok(known);
        }
        let mut table = self.table();
        let mut next = Vec::new();
        for &node in &state.nodes {
            for &(label, to) in table.of(node) {
                if let Label::Bytes(low, high) = label
                    && (low..=high).contains(&byte)
                    && !next.contains(&to)
                {
                    next.push(to);
                }
            }
        }
        let next = match next[..] {
            [node] => self.entered(&mut table, node)?,
            _ => self.closed(&mut table, next)?,
        };
        target.store(next, Ordering::Release);
        Ok(next)
    }

    /// The nodes after `byte` that the machine hears.
    pub(super) fn heard(&self, local: u32, byte: u8) -> Vec<u32> {
        let table = self.table();
        let nodes = self.get(local).nodes.iter();
        let edges = nodes.flat_map(|&node| table.of(node));
        let heard = edges.filter(|(label, _)| match *label {
            Label::Heard(low, high) => (low..=high).contains(&byte),
            _ => false,
        });
        heard.map(|edge| edge.1).collect()
    }

    /// Marks the bytes that some node reads.
    pub(super) fn alphabet(&self, used: &mut [bool; 256]) -> Result<(), LimitError> {
        let mut table = self.table();
        let mut node = 0;
        while node < table.ends.len() as u32 {
            table.expand(node, &self.limits)?;
            for &(label, _) in table.of(node) {
                if let Label::Bytes(low, high) | Label::Heard(low, high) = label {
                    (low..=high).for_each(|byte| used[usize::from(byte)] = true);
                }
            }
            node += 1;
        }
        Ok(())
    }

    /// The local state of the nodes of both.
    pub(super) fn union(&self, one: u32, other: u32) -> Result<u32, LimitError> {
        if one == other || other == NOWHERE {
            return Ok(one);
        }
        let key = (one.min(other), one.max(other));
        let mut table = self.table();
        if let Some(&union) = table.unions.get(&key) {
            return Ok(union);
        }
        let mut nodes = self.get(one).nodes.to_vec();
        nodes.extend(&self.get(other).nodes);
        let union = self.intern(&mut table, nodes)?;
        table.unions.insert(key, union);
        Ok(union)
    }

    /// The same without the nodes that read nothing: what is left once its exits are taken.
    pub(crate) fn core(&self, local: u32) -> Result<u32, LimitError> {
        let state = self.get(local);
        if state.exits.is_none() {
            return Ok(local);
        }
        let known = state.core.load(Ordering::Acquire);
        if known != UNKNOWN {
            return Ok(known);
        }
        let mut table = self.table();
        let reads =
            |label: &Label| matches!(label, Label::Bytes(..) | Label::Heard(..) | Label::Marker(_));
        let mut nodes = state.nodes.to_vec();
        nodes.retain(|&node| table.of(node).iter().any(|(label, _)| reads(label)));
        let core = self.intern(&mut table, nodes)?;
        state.core.store(core, Ordering::Release);
        Ok(core)
    }

    /// The local state of a copy of the rule at `from` that has the same nodes: the rule at `to`
    /// in the list `target`.
    pub(super) fn renumbered(
        &self,
        local: u32,
        from: Place,
        target: &Self,
        to: Place,
    ) -> Result<u32, LimitError> {
        let nodes = self.get(local).nodes.clone();
        let mut renumbered = Vec::with_capacity(nodes.len());
        for node in nodes {
            let (origin, steps) = self.table().origin(node);
            let mut table = target.table();
            let mut at = Some(origin - from.first + to.first);
            for (depth, (number, offset)) in steps.into_iter().rev().enumerate() {
                let Some(begin) = at else { break };
                table.expand(begin, &target.limits)?;
                let number = match depth == 0 && number != REST {
                    true => number - from.part + to.part,
                    false => number,
                };
                // Where the copy lacks the part, nothing leads on in it.
                at = table.firsts.get(&(begin, number)).map(|first| first + offset);
            }
            renumbered.extend(at);
        }
        target.of_nodes(renumbered)
    }

    /// The local state of `nodes`.
    pub(super) fn of_nodes(&self, nodes: Vec<u32>) -> Result<u32, LimitError> {
        let mut table = self.table();
        self.closed(&mut table, nodes)
    }

    /// The actions that may follow at `local`, each with the node it leads to.
    pub(crate) fn actions(&self, local: u32) -> Vec<(u32, u32)> {
        self.get(local).exits.as_ref().map(|exits| exits.acts.clone()).unwrap_or_default()
    }

    /// Of the actions that may follow at `local` the one of this number, with the local state that
    /// it leads to.
    pub(crate) fn act(&self, local: u32, number: usize) -> Result<Option<(u32, u32)>, LimitError> {
        let Some(exits) = &self.get(local).exits else { return Ok(None) };
        match (exits.acts.get(number), exits.acted.get(number)) {
            (Some(&(action, node)), Some(known)) => {
                Ok(Some((action, self.entry_kept(known, node)?)))
            }
            _ => Ok(None),
        }
    }

    /// Whether rules may be run at `local`, and whether its own may end there.
    pub(crate) fn runs_and_ends(&self, local: u32) -> (bool, bool) {
        let exits = self.get(local).exits.as_ref();
        exits.map_or((false, false), |exits| (!exits.calls.is_empty(), exits.ends))
    }

    /// The nodes of `local`; those within a part stand for the node that the part leads to.
    pub(super) fn settled_nodes(&self, local: u32) -> Vec<u32> {
        let table = self.table();
        let settled = |&node: &u32| table.settled(node);
        self.get(local).nodes.iter().map(settled).collect()
    }

    /// Tells `visit` of every edge, with the least length of what it reads where that is a part,
    /// and answers for each node whether its rule may end there.
    pub(super) fn each_edge(&self, visit: &mut dyn FnMut(u32, &Label, u32, u32)) -> Vec<bool> {
        let table = self.table();
        for node in 0..table.ends.len() as u32 {
            let edges = table.of(node).iter();
            edges.for_each(|(label, to)| visit(node, label, table.length(label), *to));
        }
        table.ends.clone()
    }

    /// What is left of the local state of `node` alone once its exits are taken.
    pub(crate) fn core_of(&self, node: u32) -> Result<u32, LimitError> {
        self.core(self.entry(node)?)
    }

    /// The nodes of `local` one by one, each as a local state.
    pub(crate) fn singles(&self, local: u32) -> Result<Vec<u32>, LimitError> {
        self.get(local).nodes.iter().map(|&node| self.entry(node)).collect()
    }

    /// The edges of the node and the nodes that are reached by reading nothing.
    fn closed(&self, table: &mut Table, mut pending: Vec<u32>) -> Result<u32, LimitError> {
        let (mut nodes, mut seen) = (Vec::new(), Seen::default());
        while let Some(node) = pending.pop() {
            if !seen.insert(node) {
                continue;
            }
            table.expand(node, &self.limits)?;
            let mut significant = table.ends[node as usize];
            for &(label, to) in table.of(node) {
                match label {
                    Label::Epsilon | Label::Idle => pending.push(to),
                    _ => significant = true,
                }
            }
            if significant {
                nodes.push(node);
            }
        }
        self.intern(table, nodes)
    }

    fn intern(&self, table: &mut Table, mut nodes: Vec<u32>) -> Result<u32, LimitError> {
        nodes.sort_unstable();
        nodes.dedup();
        if let Some(&id) = table.ids.get(&*nodes) {
            return Ok(id);
        }
        if self.states.len() >= self.limits.states_max {
            return Err(LimitError::States(self.limits.states_max));
        }
        let nodes: Box<[u32]> = nodes.into();
        let local = table.local(nodes.clone());
        let id = self.states.push(local);
        table.ids.insert(nodes, id);
        Ok(id)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Every change of the table leaves it sound, so a thread that panicked did not break it.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
