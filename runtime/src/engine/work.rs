//! The engine while it is locked: many steps at once, and questions about single items.

use std::sync::{Arc, MutexGuard};

use super::frames::FrameId;
use super::locals::{Local, Locals};
use super::nfa::{Marker, RuleId};
use super::rules::OWN;
use super::slab::Slab;
use super::source::LowerError;
use super::states::{Inner, Item, LocalRef, State, StateId};
use crate::mask::TokenMask;
use crate::masks::{Beside, OpenMask, Places};

/// Where tokens go on in a frame of which only the rule is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct OpenKey {
    /// The rule.
    pub(super) rule: RuleId,
    pub(crate) start: OpenStart,
    /// The address of the list of trie nodes, of equal lists the first.
    pub(crate) nodes: usize,
}

/// How an open frame begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum OpenStart {
    /// At a local state, its exits not taken yet.
    At(LocalRef),
    /// With the rules that are run at a local state.
    Runs(LocalRef),
}

/// The engine while it is locked.
pub(crate) struct Work<'a> {
    pub(super) states: &'a Slab<State>,
    pub(super) inner: MutexGuard<'a, Inner>,
}

impl<'a> Work<'a> {
    pub(crate) fn state(&self, state: StateId) -> &'a State {
        let found = self.states.get(state.0).or_else(|| self.states.get(0));
        found.unwrap_or_else(|| unreachable!("the dead state is made with the list"))
    }

    pub(crate) fn step(&mut self, state: StateId, byte: u8) -> Result<StateId, LowerError> {
        match self.state(state).known(byte) {
            StateId::UNKNOWN => self.inner.step(self.states, state, byte),
            known => Ok(StateId(known)),
        }
    }

    pub(crate) fn markers(&self, state: StateId) -> Vec<Marker> {
        self.inner.markers(self.state(state))
    }

    pub(crate) fn table(&self, table: u32) -> Arc<Locals> {
        self.inner.rules.tables[table as usize].clone()
    }

    /// The state after what leaves `local` in `frame` without a byte of its own rule.
    pub(crate) fn leave(&mut self, frame: FrameId, local: LocalRef) -> Result<StateId, LowerError> {
        self.inner.leave(self.states, frame, local)
    }

    /// The state of one item, with all that follows without reading.
    pub(crate) fn closed(&mut self, frame: FrameId, at: LocalRef) -> Result<StateId, LowerError> {
        self.inner.close(self.states, vec![(frame, at)], false)
    }

    /// The tokens that a freed item allows beyond a loop class, if they are known.
    pub(crate) fn known_freed(&self, item: (FrameId, LocalRef)) -> Option<Option<Arc<[u32]>>> {
        self.inner.freed.get(&item).cloned()
    }

    pub(crate) fn keep_freed(&mut self, item: (FrameId, LocalRef), tokens: Option<Arc<[u32]>>) {
        self.inner.freed.insert(item, tokens);
    }

    /// The key for what `frame`'s rule reads from `start` on.
    pub(crate) fn open_key(&self, frame: FrameId, start: OpenStart, nodes: usize) -> OpenKey {
        OpenKey { rule: self.inner.frames.get(frame).rule, start, nodes }
    }

    /// The first list of trie nodes that was met and is equal to `places`.
    pub(crate) fn first_equal(&mut self, places: &Places) -> Places {
        self.inner.places.first_equal(places)
    }

    pub(crate) fn known_open(&self, key: &OpenKey) -> Option<Arc<OpenMask>> {
        self.inner.open.get(key).cloned()
    }

    pub(crate) fn keep_open(&mut self, key: OpenKey, mask: Arc<OpenMask>) {
        self.inner.open.insert(key, mask);
    }

    /// The frame of which only the rule is known, and its state at the beginning.
    pub(crate) fn opened(&mut self, key: &OpenKey) -> Result<(FrameId, StateId), LowerError> {
        let frame = self.inner.frames.open(key.rule)?;
        let of = (key.rule, key.start);
        if let Some(&state) = self.inner.starts.get(&of) {
            return Ok((frame, state));
        }
        let state = match key.start {
            OpenStart::At(at) => self.inner.close(self.states, vec![(frame, at)], false)?,
            OpenStart::Runs(at) => self.inner.leave(self.states, frame, at)?,
        };
        self.inner.starts.insert(of, state);
        Ok((frame, state))
    }

    /// The state at the beginning of the frame of which only the rule of `frame` is known.
    pub(crate) fn begun_open(
        &mut self,
        frame: FrameId,
        start: OpenStart,
    ) -> Result<StateId, LowerError> {
        let rule = self.inner.frames.get(frame).rule;
        match self.inner.starts.get(&(rule, start)) {
            Some(&state) => Ok(state),
            None => Ok(self.opened(&OpenKey { rule, start, nodes: 0 })?.1),
        }
    }

    /// Where rules that run above `open` return to it from `frame`, as its local states.
    ///
    /// # Complexity
    /// O(1) amortised: each frame is asked once.
    pub(crate) fn roots(
        &mut self,
        frame: FrameId,
        open: FrameId,
    ) -> Result<Arc<[LocalRef]>, LowerError> {
        let mut pending = vec![frame];
        while let Some(&at) = pending.last() {
            if self.inner.roots.contains_key(&at) {
                pending.pop();
                continue;
            }
            let parents = self.parents(at).to_vec();
            let before = pending.len();
            let unknown =
                |parent: &FrameId| *parent != open && !self.inner.roots.contains_key(parent);
            pending.extend(parents.iter().map(|parent| parent.1).filter(unknown));
            if pending.len() > before {
                continue;
            }
            let mut roots: Vec<LocalRef> = Vec::new();
            for (node, parent) in parents {
                if parent == open {
                    let local = self.inner.rules.tables[OWN as usize].entry(node)?;
                    roots.push(LocalRef { table: OWN, local });
                } else if let Some(known) = self.inner.roots.get(&parent) {
                    roots.extend(known.iter().copied());
                }
            }
            roots.sort_unstable();
            roots.dedup();
            self.inner.roots.insert(at, roots.into());
            pending.pop();
        }
        Ok(self.inner.roots.get(&frame).cloned().unwrap_or_default())
    }

    /// The nodes that the rule of `frame` returns to, with their frames.
    pub(crate) fn parents(&self, frame: FrameId) -> &[(u32, FrameId)] {
        &self.inner.frames.get(frame).parents
    }

    /// The mask of an item that runs without its machine, if it is known.
    pub(crate) fn known_steady(&self, item: (FrameId, LocalRef)) -> Option<Arc<TokenMask>> {
        self.inner.steady.get(&item).cloned()
    }

    /// How the tokens of two items differ among those of so many bytes or more, if it is known.
    pub(crate) fn known_beside(&self, key: &(Item, Item, usize)) -> Option<Arc<Beside>> {
        self.inner.beside.get(key).cloned()
    }

    pub(crate) fn keep_beside(&mut self, key: (Item, Item, usize), beside: Arc<Beside>) {
        self.inner.beside.insert(key, beside);
    }

    pub(crate) fn keep_steady(&mut self, item: (FrameId, LocalRef), mask: Arc<TokenMask>) {
        self.inner.steady.insert(item, mask);
    }

    /// The state of one item alone, its exits taken already.
    pub(crate) fn alone(&mut self, frame: FrameId, at: LocalRef) -> Result<StateId, LowerError> {
        self.inner.intern(self.states, vec![(frame, at)], Vec::new(), false)
    }

    /// Whether the register of `frame` lets the local state `at` go on.
    pub(crate) fn allows_at(&self, frame: FrameId, at: LocalRef) -> bool {
        self.inner.allows(frame, self.inner.rules.tables[at.table as usize].get(at.local))
    }

    /// The local states of a table.
    pub(crate) fn locals(&self, table: u32) -> &Locals {
        &self.inner.rules.tables[table as usize]
    }

    /// Whether the register of `frame` lets `local` go on.
    pub(crate) fn allows(&self, frame: FrameId, local: &Local) -> bool {
        self.inner.allows(frame, local)
    }
}
