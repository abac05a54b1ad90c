//! The machine of an array whose items are all different ones of listed values.
//!
//! A register holds what [`Elements`] does, and which values were seen. An action adds a value as
//! a kind of item; the last one closes the array.

use super::elements::Elements;
use super::machine::Value;
use super::owed::{Owed, OwedGroup};

/// The machine of different items from a list.
#[derive(Clone, PartialEq, Debug)]
pub struct Picks {
    /// How many items there are of which kind.
    pub elements: Elements,
    /// How many values are listed.
    pub values: u32,
    /// What an action adds: a kind of item, as an action of `elements`, and a value.
    pub picks: Vec<(u32, u32)>,
}

/// The most steps that one question about a value takes; a question that takes more is answered
/// as if closing were possible.
const STEPS_MAX: u32 = 20_000;

impl Picks {
    pub(super) fn start(&self) -> Value {
        let mut value = self.elements.start().to_vec();
        value.extend(std::iter::repeat_n(0, self.values.div_ceil(32) as usize));
        value.into()
    }

    /// Whether any array at all can be closed.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.can_close(&self.start())
    }

    pub(super) fn actions(&self) -> u32 {
        self.picks.len() as u32 + 1
    }

    fn counts(&self) -> usize {
        1 + self.elements.tallies.len()
    }

    pub(super) fn owed(&self, value: &[u32]) -> Owed {
        let any_of = (0..self.picks.len() as u32).collect();
        let count = self.elements.min.saturating_sub(value[0]);
        Owed { close: self.picks.len() as u32, groups: vec![OwedGroup { any_of, count }] }
    }

    pub(super) fn step(&self, value: &[u32], action: u32) -> Option<Value> {
        if action as usize == self.picks.len() {
            return self.elements.may_close(&value[..self.counts()]).then(|| value.into());
        }
        let next = self.take(value, *self.picks.get(action as usize)?)?;
        self.can_close(&next).then_some(next)
    }

    fn take(&self, value: &[u32], (kind, listed): (u32, u32)) -> Option<Value> {
        let (counts, seen) = value.split_at(self.counts());
        let (word, bit) = (listed as usize / 32, 1 << (listed % 32));
        if seen[word] & bit != 0 {
            return None;
        }
        let mut next = self.elements.step(counts, kind)?.to_vec();
        next.extend(seen);
        next[counts.len() + word] |= bit;
        Some(next.into())
    }

    fn can_close(&self, value: &[u32]) -> bool {
        if self.elements.tallies.is_empty() && self.elements.places == 0 {
            // Every value fits everywhere: it is enough to count those that are left.
            let seen: u32 = value[1..].iter().map(|word| word.count_ones()).sum();
            let missing = self.elements.min.saturating_sub(value[0]);
            return self.values - seen >= missing;
        }
        self.search(value)
    }

    /// Depth-first over the items that are missing.
    fn search(&self, value: &[u32]) -> bool {
        let mut stack: Vec<Value> = vec![value.into()];
        let mut steps = STEPS_MAX;
        while let Some(value) = stack.pop() {
            if steps == 0 || self.elements.may_close(&value[..self.counts()]) {
                return true;
            }
            steps -= 1;
            // Values that fit anywhere are all the same, so the last of them goes first.
            stack.extend(self.picks.iter().filter_map(|pick| self.take(&value, *pick)));
        }
        false
    }
}
