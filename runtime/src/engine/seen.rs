//! A set that is small as a rule: a list up to a size, then hashed.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// A set of what was met on a way.
pub(super) struct Seen<T> {
    few: Vec<T>,
    many: FxHashSet<T>,
}

/// Up to how many elements a list is searched.
const FEW: usize = 16;

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Self { few: Vec::new(), many: FxHashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> Seen<T> {
    /// Adds `element`; whether it is new.
    pub(super) fn insert(&mut self, element: T) -> bool {
        if self.few.len() < FEW {
            let new = !self.few.contains(&element);
            if new {
                self.few.push(element);
            }
            return new;
        }
        if self.many.is_empty() {
            self.many.extend(self.few.iter().copied());
        }
        self.many.insert(element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_is_new_once() {
        let mut seen = Seen::default();
        assert!((0..100).all(|element| seen.insert(element)));
        assert!(!(0..100).any(|element| seen.insert(element)));
    }
}
