//! Frames: what a running rule returns to, and what its register holds.
//!
//! Frames are shared by structure, so equal stacks are one id. A frame's parents are older than
//! itself, so frames form no cycle.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::nfa::RuleId;
use super::values::ValueId;
use crate::limits::LimitError;

/// A frame; 0 is that of the whole text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct FrameId(pub(super) u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Frame {
    pub(super) rule: RuleId,
    pub(super) value: ValueId,
    /// The nodes that the rule returns to, with the frames they run in, sorted.
    pub(super) parents: Box<[(u32, FrameId)]>,
    /// Whether it or a frame below it has a register.
    pub(super) held: bool,
}

/// All frames that the matchers of a program have reached.
pub(super) struct Frames {
    all: Vec<Frame>,
    ids: HashTable<FrameId>,
    /// The frame that stands for each where at most so many bytes follow, if that is known.
    abstracted: FxHashMap<(u32, FrameId), FrameId>,
    limit: usize,
}

impl Frames {
    pub(super) const ROOT: FrameId = FrameId(0);

    /// `root` is the rule of the whole text.
    pub(super) fn new(root: RuleId, limit: usize) -> Self {
        let root = Frame { rule: root, value: ValueId::NONE, parents: Box::default(), held: false };
        Self { all: vec![root], ids: HashTable::new(), abstracted: FxHashMap::default(), limit }
    }

    pub(super) fn get(&self, frame: FrameId) -> &Frame {
        &self.all[frame.0 as usize]
    }

    pub(super) fn intern(
        &mut self,
        rule: RuleId,
        value: ValueId,
        mut parents: Vec<(u32, FrameId)>,
    ) -> Result<FrameId, LimitError> {
        parents.sort_unstable();
        parents.dedup();
        let held = value != ValueId::NONE || self.holds(&parents);
        let frame = Frame { rule, value, parents: parents.into(), held };
        self.add(frame)
    }

    /// The frame of `rule` of which nothing else is known: its register is not asked, and it
    /// returns nowhere.
    pub(super) fn open(&mut self, rule: RuleId) -> Result<FrameId, LimitError> {
        let parents = Box::default();
        self.add(Frame { rule, value: ValueId::OPEN, parents, held: false })
    }

    /// The same frame with another value.
    pub(super) fn with(&mut self, frame: FrameId, value: ValueId) -> Result<FrameId, LimitError> {
        let own = self.get(frame);
        if own.value == value {
            return Ok(frame);
        }
        let held = value != ValueId::NONE || self.holds(&own.parents);
        let hash = hash(&(own.rule, value, &own.parents, held));
        let same = |&id: &FrameId| {
            let known = self.get(id);
            (known.rule, known.value) == (own.rule, value) && known.parents == own.parents
        };
        if let Some(&id) = self.ids.find(hash, same) {
            return Ok(id);
        }
        let next = Frame { value, held, ..own.clone() };
        self.add(next)
    }

    /// Whether one of `parents` or a frame below has a register.
    fn holds(&self, parents: &[(u32, FrameId)]) -> bool {
        parents.iter().any(|&(_, parent)| self.get(parent).held)
    }

    fn add(&mut self, frame: Frame) -> Result<FrameId, LimitError> {
        let hash = hash(&frame);
        if let Some(&id) = self.ids.find(hash, |&id| self.all[id.0 as usize] == frame) {
            return Ok(id);
        }
        if self.all.len() >= self.limit {
            return Err(LimitError::Frames(self.limit));
        }
        let id = FrameId(self.all.len() as u32);
        self.all.push(frame);
        let all = &self.all;
        self.ids.insert_unique(hash, id, |&id| self::hash(&all[id.0 as usize]));
        Ok(id)
    }

    pub(super) fn abstracted(&self, span: u32, frame: FrameId) -> Option<FrameId> {
        match self.get(frame).held {
            true => self.abstracted.get(&(span, frame)).copied(),
            // Without a register nothing is abstracted.
            false => Some(frame),
        }
    }

    pub(super) fn set_abstracted(&mut self, span: u32, frame: FrameId, abstracted: FrameId) {
        self.abstracted.insert((span, frame), abstracted);
    }

    pub(super) fn is_open(&self, frame: FrameId) -> bool {
        self.get(frame).value == ValueId::OPEN
    }

    /// The bytes of memory that they take, about.
    pub(super) fn bytes(&self) -> usize {
        let parents: usize = self.all.iter().map(|frame| frame.parents.len()).sum();
        self.all.len() * (size_of::<Frame>() + 2 * size_of::<FrameId>())
            + parents * size_of::<(u32, FrameId)>()
    }
}

fn hash(value: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}
