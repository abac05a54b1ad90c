//! What a reading returns to: calls, counted loops and registers in progress, shared by structure.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::error::Bound;
use crate::skeleton::NodeId;

/// A frame with those below it; equal stacks are one id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FrameId(u32);

impl FrameId {
    /// Nothing is in progress.
    pub(crate) const ROOT: Self = Self(0);
}

/// What one frame holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Held {
    /// The node that a call returns to.
    Return(NodeId),
    /// How many iterations were read, as far as a bound asks.
    Count(u32),
    /// The value of the register of a tracked part.
    Register(Box<[u32]>),
}

/// All frames that readings have reached.
#[derive(Default)]
pub(crate) struct Stack {
    all: Vec<(Held, FrameId)>,
    ids: FxHashMap<(Held, FrameId), FrameId>,
    frames_max: usize,
}

impl Stack {
    pub(crate) fn new(frames_max: usize) -> Self {
        Self { frames_max, ..Self::default() }
    }

    /// `held` upon `below`.
    pub(crate) fn push(&mut self, held: Held, below: FrameId) -> Result<FrameId, Bound> {
        let key = (held, below);
        if let Some(&known) = self.ids.get(&key) {
            return Ok(known);
        }
        if self.all.len() >= self.frames_max {
            return Err(Bound::Frames(self.frames_max));
        }
        self.all.push(key.clone());
        let id = FrameId(self.all.len() as u32);
        self.ids.insert(key, id);
        Ok(id)
    }

    /// The topmost frame and what is below it; `None` if nothing is in progress.
    pub(crate) fn top(&self, frame: FrameId) -> Option<(&Held, FrameId)> {
        let at = frame.0.checked_sub(1)?;
        self.all.get(at as usize).map(|(held, below)| (held, *below))
    }

    /// What is below the topmost frame.
    pub(crate) fn below(&self, frame: FrameId) -> FrameId {
        self.top(frame).map_or(FrameId::ROOT, |(_, below)| below)
    }

    /// The stack with the value of its topmost register, which is above all calls, changed by
    /// `change`; `None` if that says so, or if there is no register.
    pub(crate) fn with_register(
        &mut self,
        frame: FrameId,
        change: impl FnOnce(&Box<[u32]>) -> Option<Box<[u32]>>,
    ) -> Result<Option<FrameId>, Bound> {
        let mut above = Vec::new();
        let mut at = frame;
        let next = loop {
            match self.top(at) {
                Some((Held::Count(count), below)) => {
                    above.push(*count);
                    at = below;
                }
                Some((Held::Register(value), below)) => match change(value) {
                    Some(value) => break self.push(Held::Register(value), below)?,
                    None => return Ok(None),
                },
                Some((Held::Return(_), _)) | None => return Ok(None),
            }
        };
        let rebuilt = above.into_iter().rev();
        rebuilt.map(Held::Count).try_fold(next, |at, held| self.push(held, at)).map(Some)
    }
}
