//! Where captures begin and end, as far as the readings of a text do not agree on it yet.
//!
//! A tree: each open reading stands at the node of its last mark, and what all of them have in
//! common is the way from the root to the first fork. Nodes that no reading needs are freed, so
//! memory is what is undecided, and what is settled costs O(1) a mark.

use crate::error::Bound;

/// The number of a capture in its [`Skeleton`](crate::skeleton::Skeleton).
pub(crate) type NameId = u32;

/// A capture begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Mark {
    Open(NameId),
    Close,
}

/// A place in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MarkId(u32);

const NONE: u32 = u32::MAX;

/// So many marks are compared with a new one: more are set only by many readings at once.
const ALIKE_MAX: usize = 64;

struct Entry {
    mark: Mark,
    /// The byte of the text.
    at: usize,
    parent: u32,
    /// Readings that stand here.
    readings: u32,
    first_child: u32,
    previous: u32,
    next: u32,
}

/// The tree of marks that are not settled.
pub(crate) struct Marks {
    all: Vec<Entry>,
    free: Vec<u32>,
    root: u32,
    pending_max: usize,
}

impl Marks {
    pub(crate) fn new(pending_max: usize) -> Self {
        let mut marks = Self { all: Vec::new(), free: Vec::new(), root: 0, pending_max };
        marks.restart();
        marks
    }

    /// Forgets everything.
    pub(crate) fn restart(&mut self) {
        self.all.clear();
        self.free.clear();
        self.root = 0;
        self.all.push(Entry::new(Mark::Close, 0, NONE));
    }

    /// Where all readings begin.
    pub(crate) fn root(&self) -> MarkId {
        MarkId(self.root)
    }

    /// One more reading stands at `at`.
    pub(crate) fn keep(&mut self, at: MarkId) {
        self.all[at.0 as usize].readings += 1;
    }

    /// A mark after `at`. Readings that set the same mark agree on it.
    pub(crate) fn after(&mut self, at: MarkId, mark: Mark, byte: usize) -> Result<MarkId, Bound> {
        let mut child = self.all[at.0 as usize].first_child;
        for _ in 0..ALIKE_MAX {
            let Some(entry) = self.all.get(child as usize) else { break };
            if (entry.mark, entry.at) == (mark, byte) {
                return Ok(MarkId(child));
            }
            child = entry.next;
        }
        let mut entry = Entry::new(mark, byte, at.0);
        entry.next = self.all[at.0 as usize].first_child;
        let next = entry.next;
        let id = match self.free.pop() {
            Some(id) => {
                self.all[id as usize] = entry;
                id
            }
            None if self.all.len() > self.pending_max => {
                return Err(Bound::Pending(self.pending_max));
            }
            None => {
                self.all.push(entry);
                self.all.len() as u32 - 1
            }
        };
        if next != NONE {
            self.all[next as usize].previous = id;
        }
        self.all[at.0 as usize].first_child = id;
        Ok(MarkId(id))
    }

    /// A reading that stood at `at` is no more.
    pub(crate) fn release(&mut self, at: MarkId) {
        let mut at = at.0;
        self.all[at as usize].readings -= 1;
        loop {
            let entry = &self.all[at as usize];
            if at == self.root || entry.readings > 0 || entry.first_child != NONE {
                return;
            }
            let Entry { parent, previous, next, .. } = *entry;
            if previous == NONE {
                self.all[parent as usize].first_child = next;
            } else {
                self.all[previous as usize].next = next;
            }
            if next != NONE {
                self.all[next as usize].previous = previous;
            }
            self.free.push(at);
            at = parent;
        }
    }

    /// The next mark on which all readings agree, which is then settled.
    pub(crate) fn settle(&mut self) -> Option<(Mark, usize)> {
        let root = &self.all[self.root as usize];
        let child = root.first_child;
        if root.readings > 0 || child == NONE || self.all[child as usize].next != NONE {
            return None;
        }
        self.free.push(self.root);
        self.root = child;
        let settled = &mut self.all[child as usize];
        settled.parent = NONE;
        Some((settled.mark, settled.at))
    }

    /// The byte before which no reading sets a further mark; `now` if one stands at the root.
    pub(crate) fn agreed(&self, now: usize) -> usize {
        let root = &self.all[self.root as usize];
        let mut agreed = now;
        let mut child = root.first_child;
        while child != NONE {
            agreed = agreed.min(self.all[child as usize].at);
            child = self.all[child as usize].next;
        }
        agreed
    }

    /// The marks up to `at` that are not settled, the earliest first.
    pub(crate) fn path(&self, at: MarkId) -> Vec<(Mark, usize)> {
        let mut path = Vec::new();
        let mut at = at.0;
        while at != self.root {
            let entry = &self.all[at as usize];
            path.push((entry.mark, entry.at));
            at = entry.parent;
        }
        path.reverse();
        path
    }
}

impl Entry {
    fn new(mark: Mark, at: usize, parent: u32) -> Self {
        Self { mark, at, parent, readings: 0, first_child: NONE, previous: NONE, next: NONE }
    }
}
