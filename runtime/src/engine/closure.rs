//! Closes items over what reads nothing: returns, actions, and the rules that are called.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::frames::{FrameId, Frames};
use super::locals::NOWHERE;
use super::nfa::RuleId;
use super::rules::OWN;
use super::seen::Seen;
use super::slab::Slab;
use super::source::LowerError;
use super::states::{Inner, Item, LocalRef, State, StateId};
use super::values::ValueId;
use crate::limits::LimitError;

/// Items still to follow while a state is made.
#[derive(Default)]
struct Closure {
    pending: Vec<Item>,
    kept: Vec<Item>,
    seen: Seen<Item>,
    accepting: bool,
    /// Where an open frame is left.
    leaks: Vec<LocalRef>,
    /// The rules to run, callers before callees, with where they return to.
    calls: BTreeMap<Order, Vec<(u32, FrameId)>>,
}

/// Called rules in their order: higher ones first.
type Order = (Reverse<u32>, RuleId);

impl Inner {
    /// The state of `kernel` and all that follows from it without reading.
    pub(super) fn close(
        &mut self,
        states: &Slab<State>,
        kernel: Vec<Item>,
        accepting: bool,
    ) -> Result<StateId, LowerError> {
        self.spend(kernel.len())?;
        if let [(frame, at)] = kernel[..] {
            let local = self.rules.tables[at.table as usize].get(at.local);
            if local.exits.is_none() && !local.heard {
                let kept = if self.allows(frame, local) { kernel } else { Vec::new() };
                return self.intern(states, kept, Vec::new(), accepting);
            }
        }
        let closure = Closure { pending: kernel, accepting, ..Closure::default() };
        self.run(states, closure)
    }

    /// The state after what leaves `local` in `frame` without a byte of its own rule.
    pub(super) fn leave(
        &mut self,
        states: &Slab<State>,
        frame: FrameId,
        at: LocalRef,
    ) -> Result<StateId, LowerError> {
        let mut closure = Closure::default();
        if self.rules.tables[at.table as usize].get(at.local).heard {
            // What a machine hears cannot be read apart from its frame.
            closure.pending.push((frame, at));
        } else {
            self.exits((frame, at), &mut closure)?;
        }
        self.run(states, closure)
    }

    fn run(&mut self, states: &Slab<State>, mut closure: Closure) -> Result<StateId, LowerError> {
        loop {
            self.spend(closure.pending.len())?;
            while let Some(item) = closure.pending.pop() {
                let (frame, at) = item;
                let local = self.rules.tables[at.table as usize].get(at.local);
                if !self.allows(frame, local) || !closure.seen.insert(item) {
                    continue;
                }
                closure.kept.push(item);
                if closure.kept.len() > self.limits.items_max {
                    return Err(LimitError::Items(self.limits.items_max).into());
                }
                if self.frames.is_open(frame) && local.leaks() {
                    closure.leaks.push(at);
                }
                if local.exits.is_some() {
                    self.exits(item, &mut closure)?;
                }
            }
            let Some(((_, rule), parents)) = closure.calls.pop_first() else { break };
            let place = self.rules.place(rule)?;
            let value = match self.rules.machine(rule) {
                Some(machine) => self.values.start(rule, &machine.clone()),
                None => ValueId::NONE,
            };
            let frame = self.frames.intern(rule, value, parents)?;
            let local = self.rules.tables[place.table as usize].entry(place.entry)?;
            closure.pending.push((frame, LocalRef { table: place.table, local }));
        }
        let Closure { mut kept, accepting, leaks, .. } = closure;
        kept.sort_unstable();
        let mut items: Vec<Item> = Vec::with_capacity(kept.len());
        for (frame, at) in kept {
            let table = &self.rules.tables[at.table as usize];
            let core = table.core(at.local)?;
            // What was allowed for its exits alone is left behind.
            if core == NOWHERE || !self.allows(frame, table.get(core)) {
                continue;
            }
            match items.last_mut() {
                // The nodes of one frame are one local state.
                Some((last, with)) if *last == frame && with.table == at.table => {
                    with.local = table.union(with.local, core)?;
                }
                _ => items.push((frame, LocalRef { local: core, ..at })),
            }
        }
        self.intern(states, items, leaks, accepting)
    }

    /// Follows what leaves an item without a byte of its own rule.
    fn exits(&mut self, (frame, at): Item, closure: &mut Closure) -> Result<(), LowerError> {
        let table = self.rules.tables[at.table as usize].clone();
        let Some(exits) = table.get(at.local).exits.clone() else { return Ok(()) };
        for (&(action, node), known) in exits.acts.iter().zip(&exits.acted) {
            let value = self.frames.get(frame).value;
            if let Some(value) = self.values.step(value, action) {
                let next = self.frames.with(frame, value)?;
                let local = table.entry_kept(known, node)?;
                closure.pending.push((next, LocalRef { local, ..at }));
            }
        }
        if exits.ends {
            self.returns(frame, closure)?;
        }
        for (&(rule, back), known) in exits.calls.iter().zip(&exits.returned) {
            let returned = table.get(table.entry_kept(known, back)?);
            // What is read by a rule that must not return leads nowhere.
            if !self.allows(frame, returned) {
                continue;
            }
            let key = (Reverse(self.rules.height(rule)?), rule);
            let own = self.frames.get(frame);
            let callers = closure.calls.entry(key).or_default();
            // A tail call returns to where its caller would: right recursion adds no frames.
            let tail = frame != Frames::ROOT && own.value == ValueId::NONE;
            if tail && returned.only_ends() {
                callers.extend(&own.parents);
            } else {
                callers.push((back, frame));
            }
        }
        Ok(())
    }

    /// The rule of `frame` ends.
    fn returns(&mut self, frame: FrameId, closure: &mut Closure) -> Result<(), LowerError> {
        if frame == Frames::ROOT {
            closure.accepting = true;
            return Ok(());
        }
        let parents = self.frames.get(frame).parents.clone();
        for (node, parent) in parents {
            let local = self.rules.tables[OWN as usize].entry(node)?;
            closure.pending.push((parent, LocalRef { table: OWN, local }));
        }
        Ok(())
    }
}
