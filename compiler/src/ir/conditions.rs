//! What may be asked of the members of an object as a whole, and what is known of them.

use super::members::Asked;

/// A condition on an object, with `not` pushed inside.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// The declared key is there.
    Has(u32),
    /// The declared key is not there.
    Lacks(u32),
    /// Some member has made the fact true.
    Is(u32),
    /// No member has made the fact true.
    IsNot(u32),
    /// There are at least so many members.
    AtLeast(u32),
    /// There are at most so many members.
    AtMost(u32),
    /// All of them.
    All(Vec<Test>),
    /// Any of them.
    Any(Vec<Test>),
}

impl Asked {
    /// Whether there must be more members than a single one and those that are required: then a
    /// key that is not declared and repeats would be taken for several.
    pub(crate) fn counts_keys(&self) -> bool {
        self.min as usize > self.required.len().max(1) || self.tests.iter().any(Test::counts_keys)
    }
}

impl Test {
    /// Whether it asks for several members, whichever they are.
    fn counts_keys(&self) -> bool {
        match self {
            Self::AtLeast(count) => *count > 1,
            Self::All(tests) | Self::Any(tests) => tests.iter().any(Self::counts_keys),
            Self::Has(_) | Self::Lacks(_) | Self::Is(_) | Self::IsNot(_) | Self::AtMost(_) => false,
        }
    }
}

/// A set of small numbers.
pub(super) type Bits = Vec<u32>;

/// A value, unpacked.
#[derive(Clone)]
pub(super) struct Seen {
    pub(super) count: u32,
    pub(super) facts: Bits,
    pub(super) keys: Bits,
    /// Whether a member of an open class was seen.
    pub(super) open: bool,
}

pub(super) fn has(bits: &[u32], at: u32) -> bool {
    bits.get(at as usize / 32).is_some_and(|word| word >> (at % 32) & 1 == 1)
}

pub(super) fn insert(bits: &mut [u32], at: u32) {
    if let Some(word) = bits.get_mut(at as usize / 32) {
        *word |= 1 << (at % 32);
    }
}

pub(super) fn words(count: u32) -> usize {
    count.div_ceil(32) as usize
}

impl Test {
    pub(super) fn holds(&self, seen: &Seen) -> bool {
        match self {
            Self::Has(key) => has(&seen.keys, *key),
            Self::Lacks(key) => !has(&seen.keys, *key),
            Self::Is(fact) => has(&seen.facts, *fact),
            Self::IsNot(fact) => !has(&seen.facts, *fact),
            Self::AtLeast(count) => seen.count >= *count,
            Self::AtMost(count) => seen.count <= *count,
            Self::All(parts) => parts.iter().all(|part| part.holds(seen)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(seen)),
        }
    }

    /// Whether it holds whatever members come.
    pub(super) fn is_settled(&self, seen: &Seen) -> bool {
        match self {
            Self::Has(key) => has(&seen.keys, *key),
            Self::Is(fact) => has(&seen.facts, *fact),
            Self::AtLeast(count) => seen.count >= *count,
            Self::Lacks(_) | Self::IsNot(_) | Self::AtMost(_) => false,
            Self::All(parts) => parts.iter().all(|part| part.is_settled(seen)),
            Self::Any(parts) => parts.iter().any(|part| part.is_settled(seen)),
        }
    }

    /// How many facts it speaks of.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::size).sum(),
            _ => 1,
        }
    }

    pub(super) fn count_max(&self) -> u32 {
        match self {
            Self::Has(_) | Self::Lacks(_) | Self::Is(_) | Self::IsNot(_) => 0,
            Self::AtLeast(count) => *count,
            Self::AtMost(count) => count.saturating_add(1),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().map(Self::count_max).max().unwrap_or(0)
            }
        }
    }
}
