//! The machine of an object none of whose keys repeats, not even one that is not declared.
//!
//! Declared keys are [`Members`]' own. Other keys are heard as [`Distinct`] hears items, and a
//! register holds what both do.

use super::distinct::Distinct;
use super::machine::{Hearing, Value};
use super::members::Members;
use super::owed::Owed;

/// The machine of members whose keys are all different.
#[derive(Clone, PartialEq, Debug)]
pub struct Keyed {
    members: Members,
    /// The keys that are not declared, each an item.
    keys: Distinct,
}

impl Keyed {
    /// Members of `members` whose other keys are those of `keys`, which has one kind of items.
    pub(crate) fn new(members: Members, keys: Distinct) -> Self {
        Self { members, keys }
    }

    pub(super) fn members(&self) -> &Members {
        &self.members
    }

    pub(super) fn keys(&self) -> &Distinct {
        &self.keys
    }

    /// The action before a key that is heard; the members' own come before it.
    #[must_use]
    pub fn begin(&self) -> u32 {
        self.members.actions()
    }

    /// The action after a key that is heard.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.begin() + 1
    }

    pub(super) fn actions(&self) -> u32 {
        self.end() + 1
    }

    pub(super) fn start(&self) -> Value {
        joined(&self.members.start(), &self.keys.start())
    }

    fn split<'v>(&self, value: &'v Value) -> (&'v [u32], &'v [u32]) {
        value.split_at(self.members.start().len().min(value.len()))
    }

    pub(super) fn step(&self, value: &Value, action: u32) -> Option<Value> {
        let (members, keys) = self.split(value);
        if action < self.begin() {
            let members = self.members.step(&members.into(), action)?;
            return Some(joined(&members, keys));
        }
        let action = if action == self.begin() { 0 } else { self.keys.end() };
        Some(joined(members, &self.keys.step(&keys.into(), action)?))
    }

    /// A key that differs costs no less than one that does not.
    pub(super) fn owed(&self, value: &Value) -> Owed {
        self.members.owed(&self.split(value).0.into())
    }

    pub(super) fn allowed(&self, value: &Value) -> Vec<bool> {
        let mut allowed = self.members.allowed(&self.split(value).0.into());
        let own = [self.begin(), self.end()];
        allowed.extend(own.map(|action| self.step(value, action).is_some()));
        allowed
    }

    pub(super) fn read(&self, value: &Value, byte: u8) -> Option<Value> {
        let (members, keys) = self.split(value);
        Some(joined(members, &self.keys.read(&keys.into(), byte)?))
    }

    pub(super) fn hearing(&self, value: &Value) -> Option<Hearing> {
        self.keys.hearing(&self.split(value).1.into())
    }
}

fn joined(members: &[u32], keys: &[u32]) -> Value {
    members.iter().chain(keys).copied().collect()
}
