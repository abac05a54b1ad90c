//! The machine of an array: how many items there are, and how many of each kind that is counted.
//!
//! A register holds the number of items and the tallies, each as far as a bound asks. An action
//! adds an item; the last one closes the array. A value is alive if and only if some further
//! items make closing possible.

use super::machine::Value;
use super::owed::{Owed, OwedGroup};

/// The machine of the items of an array.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Elements {
    /// What an item is, by action. The action after them closes the array.
    pub elements: Vec<Element>,
    /// What is counted.
    pub tallies: Vec<Tally>,
    /// From this place on, all items are alike.
    pub places: u32,
    /// The fewest items.
    pub min: u32,
    /// The most items.
    pub max: Option<u32>,
}

/// A kind of items.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    /// Its place, from 0.
    pub place: u32,
    /// Whether it may also stand at every later place.
    pub last: bool,
    /// The tallies that it is counted in, ascending.
    pub counted: Vec<u32>,
}

/// A count with its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tally {
    /// The place from which on items are counted.
    pub from: u32,
    /// The fewest.
    pub min: u32,
    /// The most.
    pub max: Option<u32>,
}

/// The most steps that one question about a value takes; a question that takes more is answered
/// as if closing were possible.
const STEPS_MAX: u32 = 20_000;

impl Tally {
    /// At least `count` from the place `from` on.
    #[must_use]
    pub fn many(from: u32, count: u32) -> Self {
        Self { from, min: count, max: None }
    }

    /// At most `count` from the place `from` on.
    #[must_use]
    pub fn few(from: u32, count: u32) -> Self {
        Self { from, min: 0, max: Some(count) }
    }

    fn cap(&self) -> u32 {
        self.max.map_or(self.min, |max| max.saturating_add(1))
    }
}

impl Elements {
    pub(super) fn start(&self) -> Value {
        vec![0; 1 + self.tallies.len()].into()
    }

    /// Whether any array at all can be closed.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.can_close(&self.start())
    }

    pub(super) fn actions(&self) -> u32 {
        self.elements.len() as u32 + 1
    }

    /// The items of each kind that are too few, and as many besides as are missing.
    pub(super) fn owed(&self, value: &[u32]) -> Owed {
        let mut groups: Vec<OwedGroup> = Vec::new();
        for (number, (tally, count)) in (0..).zip(self.tallies.iter().zip(&value[1..])) {
            let count = tally.min.saturating_sub(*count);
            let counted = |element: &Element| element.counted.contains(&number);
            let elements = (0..).zip(&self.elements).filter(|(_, element)| counted(element));
            if count > 0 {
                OwedGroup { any_of: elements.map(|(at, _)| at).collect(), count }.join(&mut groups);
            }
        }
        let counted: u32 = groups.iter().map(|group| group.count).sum();
        let count = self.min.saturating_sub(value[0]).saturating_sub(counted);
        let any_of = (0..self.elements.len() as u32).collect();
        groups.push(OwedGroup { any_of, count });
        Owed { close: self.elements.len() as u32, groups }
    }

    pub(super) fn step(&self, value: &[u32], action: u32) -> Option<Value> {
        let Some(element) = self.elements.get(action as usize) else {
            let closed = action == self.elements.len() as u32 && self.may_close(value);
            return closed.then(|| value.into());
        };
        let next = self.take(value, element)?;
        self.can_close(&next).then_some(next)
    }

    fn take(&self, value: &[u32], element: &Element) -> Option<Value> {
        let fits = value[0] == element.place || element.last && value[0] > element.place;
        if !fits {
            return None;
        }
        let mut next: Value = value.into();
        next[0] = next[0].saturating_add(1).min(self.length_cap());
        for tally in &element.counted {
            let cap = self.tallies[*tally as usize].cap();
            let count = &mut next[1 + *tally as usize];
            *count = count.saturating_add(1).min(cap);
        }
        let fits = self.tallies.iter().zip(&next[1..]);
        let fits = fits.into_iter().all(|(tally, count)| tally.max.is_none_or(|m| *count <= m));
        (fits && self.max.is_none_or(|max| next[0] <= max)).then_some(next)
    }

    /// From this many items on, the number makes no difference.
    fn length_cap(&self) -> u32 {
        let bound = self.max.map_or(self.min, |max| max.saturating_add(1));
        bound.max(self.min).max(self.places)
    }

    pub(super) fn may_close(&self, value: &[u32]) -> bool {
        value[0] >= self.min
            && self.max.is_none_or(|max| value[0] <= max)
            && self.tallies.iter().zip(&value[1..]).all(|(tally, count)| *count >= tally.min)
    }

    fn can_close(&self, value: &[u32]) -> bool {
        if self.tallies.is_empty() {
            return self.max.is_none_or(|max| value[0] <= max && self.min <= max);
        }
        let mut steps = STEPS_MAX;
        self.search(value, &mut steps) || steps == 0
    }

    /// Depth-first, with the items that are wanted the most first.
    fn search(&self, value: &[u32], steps: &mut u32) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut stack: Vec<Value> = vec![value.into()];
        while let Some(value) = stack.pop() {
            if *steps == 0 {
                return false;
            }
            *steps -= 1;
            if self.may_close(&value) || self.is_free(&value) {
                return true;
            }
            if !seen.insert(value.clone()) {
                continue;
            }
            let mut next: Vec<(u32, Value)> = Vec::new();
            for element in &self.elements {
                if let Some(after) = self.take(&value, element) {
                    let lacks = |tally: &&u32| {
                        value[1 + **tally as usize] < self.tallies[**tally as usize].min
                    };
                    let wanted = element.counted.iter().filter(lacks).count() as u32;
                    next.push((wanted, after));
                }
            }
            next.sort_by_key(|(wanted, _)| *wanted);
            stack.extend(next.into_iter().map(|(_, value)| value));
        }
        false
    }

    /// Whether only the number of items is missing, and some item is never too many.
    fn is_free(&self, value: &[u32]) -> bool {
        let counted = |tally: &u32| self.tallies[*tally as usize].max.is_some();
        let satisfied = self.tallies.iter().zip(&value[1..]).all(|(tally, n)| *n >= tally.min);
        let longest = self.max.unwrap_or(u32::MAX);
        satisfied
            && value[0] >= self.places
            && self.min <= longest
            && value[0] <= longest
            && self.elements.iter().any(|one| one.last && !one.counted.iter().any(counted))
    }
}
