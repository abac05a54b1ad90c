//! Lists of trie nodes below which tokens go on, of equal ones the first.
//!
//! What tokens do after they leave a rule is known by the list that they begin at, so lists that
//! are equal must be one: most are a single node, such as what follows a quotation mark.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use blueprints_compiler::ir::ByteSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::vocabulary::{Index, Trie};

/// Nodes of tries, below which tokens go on.
pub(crate) type Places = Arc<PlaceList>;

/// Some nodes, with the bytes that come next below any of them.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct PlaceList {
    nodes: Box<[(TrieId, u32)]>,
    next: ByteSet,
    /// The most bytes that a token has below one of them.
    height: u16,
}

impl PlaceList {
    pub(super) fn new(nodes: Vec<(TrieId, u32)>, index: &Index) -> Self {
        let (mut next, mut height) = (ByteSet::default(), 0);
        for &(id, node) in &nodes {
            let trie = id.of(index);
            height = height.max(trie.node(node).height);
            trie.node(node).children().for_each(|child| next.insert(trie.byte(child)));
        }
        Self { nodes: nodes.into(), next, height }
    }

    pub(super) fn nodes(&self) -> &[(TrieId, u32)] {
        &self.nodes
    }

    /// The bytes that come next below any of the nodes.
    pub(super) fn next(&self) -> ByteSet {
        self.next
    }

    /// The most bytes that a token has below one of the nodes.
    pub(super) fn height(&self) -> u32 {
        u32::from(self.height)
    }

    /// What tells it from other lists while it is kept.
    pub(crate) fn address(self: &Arc<Self>) -> usize {
        Arc::as_ptr(self).addr()
    }
}

impl Hash for PlaceList {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nodes.hash(state);
    }
}

/// One of the tries of an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TrieId {
    /// That of all tokens.
    Whole,
    /// That of what follows a loop class.
    Suffixes(usize),
    /// That of the tokens outside a loop class.
    Others(usize),
}

impl TrieId {
    pub(super) fn of(self, index: &Index) -> &Trie {
        match self {
            Self::Whole => &index.trie,
            Self::Suffixes(class) => &index.classes[class].suffixes,
            Self::Others(class) => &index.classes[class].others,
        }
    }
}

/// The lists that a program has met.
#[derive(Default)]
pub(crate) struct PlaceLists {
    first: FxHashSet<Places>,
    /// By address, each list with the first that is equal to it; both are kept, so that their
    /// addresses stay theirs.
    known: FxHashMap<usize, (Places, Places)>,
}

impl PlaceLists {
    /// The first list that was met and is equal to `places`.
    ///
    /// # Complexity
    /// O(1) where this very list was asked for before, else O(its nodes).
    pub(crate) fn first_equal(&mut self, places: &Places) -> Places {
        let address = places.address();
        if let Some((_, first)) = self.known.get(&address) {
            return Arc::clone(first);
        }
        let first = match self.first.get(places) {
            Some(first) => Arc::clone(first),
            None => {
                self.first.insert(Arc::clone(places));
                Arc::clone(places)
            }
        };
        self.known.insert(address, (Arc::clone(places), Arc::clone(&first)));
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_one() {
        let list = |node| {
            let nodes = [(TrieId::Whole, node), (TrieId::Others(1), 2)].into();
            Places::new(PlaceList { nodes, next: ByteSet::default(), height: 0 })
        };
        let (one, same, other) = (list(1), list(1), list(3));
        let mut lists = PlaceLists::default();
        assert!(Arc::ptr_eq(&lists.first_equal(&one), &one));
        assert!(Arc::ptr_eq(&lists.first_equal(&same), &one));
        assert!(Arc::ptr_eq(&lists.first_equal(&other), &other));
        assert!(Arc::ptr_eq(&lists.first_equal(&same), &one));
    }
}
