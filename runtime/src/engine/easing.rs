//! Runs rules in masks without the actions that make no difference within a token.
//!
//! Beside a counter that is near a bound there may be others that are far from all of theirs, as
//! characters beside words. What counts those alone need not be done, and where characters are
//! not counted a rule goes on within itself.

use super::abstraction::span_of;
use super::frames::FrameId;
use super::source::LowerError;
use super::states::{Inner, Item, LocalRef};
use super::values::{Abstract, Roles, ValueId};
use super::work::Work;

impl Work<'_> {
    /// The item that reads what an item does of at most `bytes` bytes; `None` if it would be the
    /// item itself. Its exits are taken as those of the item.
    pub(crate) fn eased(
        &mut self,
        frame: FrameId,
        at: LocalRef,
        bytes: u32,
    ) -> Result<Option<Item>, LowerError> {
        let inner = &mut *self.inner;
        let Some((bytes, roles)) = inner.roles(frame, bytes) else { return Ok(None) };
        let (frame, at) = inner.run_eased(frame, at, bytes, &roles)?;
        let local = inner.rules.tables[at.table as usize].core(at.local)?;
        Ok(Some((frame, LocalRef { local, ..at })))
    }

    /// The item that stands for one whose exits are not taken where at most `bytes` bytes follow.
    pub(crate) fn lightened(
        &mut self,
        frame: FrameId,
        at: LocalRef,
        bytes: u32,
    ) -> Result<Item, LowerError> {
        let inner = &mut *self.inner;
        if inner.frames.get(frame).value == ValueId::NONE {
            return Ok((frame, at));
        }
        let bytes = bytes.next_power_of_two().max(4);
        let key = (bytes, frame, at);
        if let Some(&known) = inner.lightened.get(&key) {
            return Ok(known);
        }
        let own = inner.frames.get(frame).clone();
        let light = match inner.abstract_value(own.rule, own.value, bytes) {
            Abstract::Stable => match inner.values.enabled(own.value).cloned() {
                Some(enabled) => inner.run_as_twin(own, at, &enabled)?,
                None => (frame, at),
            },
            Abstract::Value(_) => match inner.roles(frame, bytes) {
                Some((bytes, roles)) => inner.run_eased(frame, at, bytes, &roles)?,
                None => (frame, at),
            },
        };
        inner.lightened.insert(key, light);
        Ok(light)
    }
}

impl Inner {
    /// What the actions of the rule of `frame` are through so many bytes, if some are idle.
    fn roles(&mut self, frame: FrameId, bytes: u32) -> Option<(u32, Roles)> {
        let own = self.frames.get(frame);
        let (rule, value) = (own.rule, own.value);
        let pace = self.rules.pace(rule)?;
        let roles = self.values.roles(value, span_of(bytes, pace))?;
        self.rules.does_idle(rule, &roles).then_some((bytes, roles))
    }

    /// The item whose rule runs without the actions that `roles` names. Its exits are not taken.
    fn run_eased(
        &mut self,
        frame: FrameId,
        at: LocalRef,
        bytes: u32,
        roles: &Roles,
    ) -> Result<Item, LowerError> {
        let own = self.frames.get(frame).clone();
        let eased = self.rules.eased(own.rule, roles)?;
        let pace = self.rules.pace(own.rule).unwrap_or(u32::MAX);
        let (from, to) = (self.rules.place(own.rule)?, self.rules.place(eased)?);
        let at = self.renumbered_whole(at, from, to)?;
        let value = self.values.eased(own.value, eased, span_of(bytes, pace));
        Ok((self.frames.intern(eased, value, own.parents.into_vec())?, at))
    }
}
