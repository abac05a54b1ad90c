//! Computes the mask of a state: which tokens of a vocabulary lead on from it.
//!
//! A token leads on if some item of the state reads it, so a mask is the union of those of its
//! items. What stays within an item's rule is known for its local state, whatever the frame; what
//! leaves the rule is walked on from the state that the frame returns to.

mod local;
mod loops;

use std::sync::Arc;

pub(crate) use local::LocalMask;
use local::{LOOPS_FROM, TrieId};

use crate::engine::{FrameId, LocalRef, LowerError, NOWHERE, StateId, Work};
use crate::mask::MaskBuilder;
use crate::vocabulary::{Index, Vocabulary};

/// The tokens whose bytes lead on from `state`.
pub(crate) fn compute(
    work: &mut Work<'_>,
    state: StateId,
    vocabulary: &Vocabulary,
) -> Result<MaskBuilder, LowerError> {
    let (index, width) = (vocabulary.index(), vocabulary.width());
    let mut eval = Eval { work, index, width };
    let mut mask = MaskBuilder::new(width);
    for &(frame, at) in &eval.work.state(state).items {
        let item = eval.item(frame, at)?;
        mask.merge(item);
    }
    Ok(mask)
}

struct Eval<'a, 'b> {
    work: &'a mut Work<'b>,
    index: &'a Index,
    width: usize,
}

impl Eval<'_, '_> {
    fn local(&self, at: LocalRef) -> Result<Arc<LocalMask>, LowerError> {
        let table = self.work.table(at.table);
        let local = table.get(at.local);
        if let Some(mask) = local.mask.get() {
            return Ok(mask.clone());
        }
        let mask = Arc::new(local::compute(&table, at.local, self.index)?);
        Ok(local.mask.get_or_init(|| mask).clone())
    }

    /// The tokens of one item.
    fn item(&mut self, frame: FrameId, at: LocalRef) -> Result<MaskBuilder, LowerError> {
        let table = self.work.table(at.table);
        let mut mask = MaskBuilder::new(self.width);
        if table.get(at.local).heard {
            let alone = self.work.alone(frame, at)?;
            self.walk(alone, TrieId::Whole, 0, &mut mask)?;
            return Ok(mask);
        }
        let known = self.local(at)?;
        if let Some((other, gone)) = &known.like {
            mask = self.item(frame, LocalRef { local: *other, ..at })?;
            mask.remove(gone);
        }
        if let Some((base, local)) = &known.base
            && self.work.allows(frame, table.get(*local))
        {
            mask.union(base);
        }
        let mut ends = MaskBuilder::new(self.width);
        for (local, tokens) in &known.ending {
            if *local == NOWHERE || self.work.allows(frame, table.get(*local)) {
                ends.extend(tokens);
            }
        }
        for (local, nodes) in &known.leaving {
            let next = self.work.leave(frame, LocalRef { local: *local, ..at })?;
            if next != StateId::DEAD {
                for &(trie, node) in nodes {
                    self.walk(next, trie, node, &mut ends)?;
                }
            }
        }
        if let Some(class) = known.repeating {
            let next = self.work.leave(frame, at)?;
            self.repeating(next, class, &mut ends)?;
        }
        mask.merge(ends);
        Ok(mask)
    }

    /// The tokens that go on from `state` after any run of a loop class, be it shorter than it
    /// could be.
    fn repeating(
        &mut self,
        state: StateId,
        class: usize,
        mask: &mut MaskBuilder,
    ) -> Result<(), LowerError> {
        if state == StateId::DEAD {
            return Ok(());
        }
        let characters = self.index.classes[class].characters;
        let samples = 0..=u8::MAX;
        let from = self.work.state(state);
        if !samples.into_iter().any(|byte| from.class(byte) != 0 && characters.contains(byte)) {
            // The run ends where it must.
            return self.walk(state, TrieId::Suffixes(class), 0, mask);
        }
        let id = TrieId::Others(class);
        let trie = id.of(self.index);
        let mut pending = vec![(0, crate::vocabulary::Reading::Between)];
        while let Some((node, reading)) = pending.pop() {
            if node != 0 && reading == crate::vocabulary::Reading::Between {
                self.walk(state, id, node, mask)?;
            }
            for child in trie.node(node).children() {
                let byte = trie.byte(child);
                let begins = reading == crate::vocabulary::Reading::Between;
                let next = reading.after(byte);
                let stays = !begins || characters.contains(byte);
                if stays && next != crate::vocabulary::Reading::Broken {
                    pending.push((child, next));
                }
            }
        }
        Ok(())
    }

    /// The tokens below a trie node that lead on from `state`.
    fn walk(
        &mut self,
        state: StateId,
        id: TrieId,
        node: u32,
        mask: &mut MaskBuilder,
    ) -> Result<(), LowerError> {
        let trie = id.of(self.index);
        let mut pending = vec![(node, state)];
        while let Some((node, state)) = pending.pop() {
            let from = self.work.state(state);
            for child in trie.node(node).children() {
                let byte = trie.byte(child);
                if from.class(byte) == 0 {
                    continue;
                }
                let next = self.work.step(state, byte)?;
                if next == StateId::DEAD {
                    continue;
                }
                let below = trie.node(child);
                if below.to - below.own >= LOOPS_FROM {
                    let characters = trie.characters(child);
                    if !characters.is_empty() && characters.is_subset(self.loops(next)?) {
                        mask.extend(trie.all(below));
                        continue;
                    }
                }
                mask.extend(trie.own(below));
                if below.count > 0 {
                    pending.push((child, next));
                }
            }
        }
        Ok(())
    }

    /// Characters on which some item of `state` returns to itself.
    fn loops(&self, state: StateId) -> Result<crate::vocabulary::Characters, LowerError> {
        let mut most = crate::vocabulary::Characters::default();
        for &(frame, at) in self.work.state(state).items.iter().take(4) {
            let table = self.work.table(at.table);
            let local = table.get(at.local);
            // Without a register an item that is there is allowed, and so it stays.
            if local.asks.is_none() || self.work.allows(frame, local) {
                let loops = loops::of(&table, at.local)?;
                if most.is_subset(loops) {
                    most = loops;
                }
            }
        }
        Ok(most)
    }
}
