//! Which states have the same mask: registers that no token can tell apart are made one.
//!
//! Within one token a counter grows by at most the token's bytes. Values far from all constants
//! are alike; where all actions that are allowed leave them so, the rule runs without its machine
//! in masks, as a twin whose loops are plain.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use blueprints_compiler::ir::machine::Hearing;

use super::frames::{Frame, FrameId, Frames};
use super::locals::Local;
use super::nfa::RuleId;
use super::rules::Place;
use super::slab::Slab;
use super::source::LowerError;
use super::states::{Inner, Item, LocalRef, State, StateId};
use super::values::{Abstract, ValueId};
use super::work::Work;

/// How many actions there are at most in so many bytes, with `actions` of them between two.
pub(super) fn span_of(bytes: u32, actions: u32) -> u32 {
    bytes.saturating_mul(actions.max(1)).saturating_add(actions)
}

impl Work<'_> {
    /// The item in whose rule all actions are free: it allows whatever `frame` allows, and more.
    /// Its exits are not taken.
    pub(crate) fn freed(
        &mut self,
        frame: FrameId,
        at: LocalRef,
    ) -> Result<(FrameId, LocalRef), LowerError> {
        let own = self.inner.frames.get(frame).clone();
        let words = self.inner.values.enabled(own.value).map_or(0, |enabled| enabled.len());
        let all: Arc<[u64]> = vec![u64::MAX; words].into();
        self.inner.run_as_twin(own, at, &all)
    }

    /// The frame after `action`, if it is allowed.
    pub(crate) fn acted(
        &mut self,
        frame: FrameId,
        action: u32,
    ) -> Result<Option<FrameId>, LowerError> {
        let value = self.inner.frames.get(frame).value;
        match self.inner.values.step(value, action) {
            Some(value) => Ok(Some(self.inner.frames.with(frame, value)?)),
            None => Ok(None),
        }
    }

    /// How often `action` may be done in `frame`, each time where the register lets `local` go
    /// on; at most `most`.
    pub(crate) fn times(
        &mut self,
        frame: FrameId,
        action: u32,
        local: &Local,
        most: usize,
    ) -> usize {
        let mut value = self.inner.frames.get(frame).value;
        for count in 0..most {
            if !self.inner.value_allows(value, local) {
                return count;
            }
            match self.inner.values.step(value, action) {
                // From here on it makes no difference.
                Some(next) if next == value => return most,
                Some(next) => value = next,
                None => return count + 1,
            }
        }
        most
    }

    /// What the machine of `frame` may refuse of what it hears, if it can tell.
    pub(crate) fn hearing(&self, frame: FrameId) -> Option<Hearing> {
        self.inner.values.hearing(self.inner.frames.get(frame).value)
    }

    /// Whether the machine of `frame` allows all of `bytes`, which it hears.
    pub(crate) fn hears(&self, frame: FrameId, bytes: &[u8]) -> bool {
        self.inner.values.hears(self.inner.frames.get(frame).value, bytes)
    }

    /// Whether `frame` allows all actions of its rule.
    pub(crate) fn allows_all(&self, frame: FrameId) -> bool {
        let own = self.inner.frames.get(frame);
        let all = self.inner.rules.machine(own.rule).map_or(0, |machine| machine.actions());
        let enabled = self.inner.values.enabled(own.value);
        let allowed = enabled.map_or(0, |all| all.iter().map(|word| word.count_ones()).sum());
        allowed == all
    }

    /// The item as it is while what `frame` allows does not change, without its machine.
    pub(crate) fn steadied(
        &mut self,
        frame: FrameId,
        at: LocalRef,
    ) -> Result<(FrameId, LocalRef), LowerError> {
        let own = self.inner.frames.get(frame).clone();
        let Some(enabled) = self.inner.values.enabled(own.value).cloned() else {
            return Ok((frame, at));
        };
        let (frame, at) = self.inner.run_as_twin(own, at, &enabled)?;
        let local = self.inner.rules.tables[at.table as usize].core(at.local)?;
        Ok((frame, LocalRef { local, ..at }))
    }

    /// The state that reads what `state` reads of the next `bytes` bytes.
    pub(crate) fn abstracted_within(
        &mut self,
        state: StateId,
        bytes: u32,
    ) -> Result<StateId, LowerError> {
        let held = self.state(state).items.iter().any(|item| self.inner.frames.get(item.0).held);
        if !held || bytes >= self.inner.span {
            return Ok(state);
        }
        let span = bytes.next_power_of_two().max(4);
        if let Some(&known) = self.inner.within.get(&(span, state)) {
            return Ok(known);
        }
        let abstracted = self.inner.abstract_state(self.states, state, span)?;
        self.inner.within.insert((span, state), abstracted);
        Ok(abstracted)
    }

    /// Through how many bytes what `frame` allows cannot change.
    pub(crate) fn calm(&mut self, frame: FrameId) -> u32 {
        let own = self.inner.frames.get(frame);
        let (rule, value) = (own.rule, own.value);
        let Some(actions) = self.inner.rules.actions(rule) else { return 0 };
        if self.inner.rules.machine(rule).is_none() {
            return u32::MAX;
        }
        let most = span_of(self.inner.span, actions);
        self.inner.values.calm(value, most.min(1 << 20)).saturating_sub(actions) / actions.max(1)
    }

    /// The state whose mask is that of `state`.
    pub(crate) fn abstracted(&mut self, state: StateId) -> Result<StateId, LowerError> {
        self.inner.abstracted(self.states, state)
    }
}

impl Inner {
    /// The item whose rule runs without its machine, with just the actions `enabled`. Its exits
    /// are not taken.
    pub(super) fn run_as_twin(
        &mut self,
        frame: Frame,
        at: LocalRef,
        enabled: &Arc<[u64]>,
    ) -> Result<(FrameId, LocalRef), LowerError> {
        let twin = self.rules.twin(frame.rule, enabled)?;
        let (from, to) = (self.rules.place(frame.rule)?, self.rules.place(twin)?);
        let at = self.renumbered_whole(at, from, to)?;
        Ok((self.frames.intern(twin, ValueId::NONE, frame.parents.into_vec())?, at))
    }

    fn abstracted(&mut self, states: &Slab<State>, id: StateId) -> Result<StateId, LowerError> {
        let Some(state) = states.get(id.0) else { return Ok(StateId::DEAD) };
        let known = state.abstracted.load(Ordering::Acquire);
        if known != StateId::UNKNOWN {
            return Ok(StateId(known));
        }
        let abstracted = self.abstract_state(states, id, self.span)?;
        state.abstracted.store(abstracted.0, Ordering::Release);
        if let Some(state) = states.get(abstracted.0) {
            state.abstracted.store(abstracted.0, Ordering::Release);
        }
        Ok(abstracted)
    }

    /// The state that stands for `id` where at most `span` bytes follow.
    fn abstract_state(
        &mut self,
        states: &Slab<State>,
        id: StateId,
        span: u32,
    ) -> Result<StateId, LowerError> {
        let Some(state) = states.get(id.0) else { return Ok(StateId::DEAD) };
        let mut items: Vec<Item> = Vec::with_capacity(state.items.len());
        for &(frame, at) in &state.items {
            let next = self.abstract_frame(frame, span)?;
            let at = match self.twin_of(frame, span)? {
                Some((from, to)) => self.renumbered(at, from, to)?,
                None => at,
            };
            items.push((next, at));
        }
        let items = self.grouped(items)?;
        self.intern(states, items, state.leaks.to_vec(), state.accepting)
    }

    /// One local state for each frame and table.
    pub(super) fn grouped(&mut self, mut items: Vec<Item>) -> Result<Vec<Item>, LowerError> {
        items.sort_unstable();
        let mut grouped: Vec<Item> = Vec::with_capacity(items.len());
        for (frame, at) in items {
            match grouped.last_mut() {
                Some((last, with)) if *last == frame && with.table == at.table => {
                    let table = &self.rules.tables[at.table as usize];
                    with.local = table.union(with.local, at.local)?;
                }
                _ => grouped.push((frame, at)),
            }
        }
        Ok(grouped)
    }

    pub(super) fn renumbered(
        &self,
        at: LocalRef,
        from: Place,
        to: Place,
    ) -> Result<LocalRef, LowerError> {
        let at = self.renumbered_whole(at, from, to)?;
        let local = self.rules.tables[at.table as usize].core(at.local)?;
        Ok(LocalRef { local, ..at })
    }

    pub(super) fn renumbered_whole(
        &self,
        at: LocalRef,
        from: Place,
        to: Place,
    ) -> Result<LocalRef, LowerError> {
        let source = &self.rules.tables[at.table as usize];
        let target = &self.rules.tables[to.table as usize];
        let local = source.renumbered(at.local, from, target, to)?;
        Ok(LocalRef { table: to.table, local })
    }

    /// Where the rule of `frame` and the twin that runs for it in masks stand, if one does.
    fn twin_of(&mut self, frame: FrameId, span: u32) -> Result<Option<(Place, Place)>, LowerError> {
        let rule = self.frames.get(frame).rule;
        let Some(twin) = self.twin(frame, span)? else { return Ok(None) };
        Ok(Some((self.rules.place(rule)?, self.rules.place(twin)?)))
    }

    fn twin(&mut self, frame: FrameId, span: u32) -> Result<Option<RuleId>, LowerError> {
        let own = self.frames.get(frame);
        let (rule, value) = (own.rule, own.value);
        if value == ValueId::NONE {
            return Ok(None);
        }
        match self.abstract_value(rule, value, span) {
            Abstract::Value(_) => Ok(None),
            Abstract::Stable => match self.values.enabled(value).cloned() {
                Some(enabled) => self.rules.twin(rule, &enabled).map(Some),
                None => Ok(None),
            },
        }
    }

    pub(super) fn abstract_value(&mut self, rule: RuleId, value: ValueId, span: u32) -> Abstract {
        match self.rules.actions(rule) {
            Some(actions) => self.values.abstracted(value, span_of(span, actions), true),
            None => Abstract::Value(value),
        }
    }

    /// The frame that stands for `frame` in masks.
    ///
    /// # Complexity
    /// O(1) amortised: each frame is abstracted once.
    fn abstract_frame(&mut self, frame: FrameId, span: u32) -> Result<FrameId, LowerError> {
        // Parents first, on a stack of our own: a chain may be as long as the text is nested.
        let mut pending = vec![frame];
        while let Some(&at) = pending.last() {
            if self.frames.abstracted(span, at).is_some() {
                pending.pop();
                continue;
            }
            let own = self.frames.get(at).clone();
            let before = pending.len();
            let unknown = |parent: &FrameId| self.frames.abstracted(span, *parent).is_none();
            pending.extend(own.parents.iter().map(|parent| parent.1).filter(unknown));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let mut parents = Vec::with_capacity(own.parents.len());
            for &(node, parent) in &own.parents {
                let node = match self.twin_of(parent, span)? {
                    Some((from, to)) => node - from.first + to.first,
                    None => node,
                };
                parents.push((node, self.frames.abstracted(span, parent).unwrap_or(Frames::ROOT)));
            }
            let abstracted = match self.twin(at, span)? {
                Some(twin) => self.frames.intern(twin, ValueId::NONE, parents)?,
                None => match self.abstract_value(own.rule, own.value, span) {
                    Abstract::Value(value) => self.frames.intern(own.rule, value, parents)?,
                    Abstract::Stable => self.frames.intern(own.rule, own.value, parents)?,
                },
            };
            self.frames.set_abstracted(span, at, abstracted);
            self.frames.set_abstracted(span, abstracted, abstracted);
        }
        Ok(self.frames.abstracted(span, frame).unwrap_or(frame))
    }
}
