//! What tokens do in a frame of which only the rule is known: which stay in it, and where the
//! others ask its register or return.
//!
//! All frames of a rule share this, whatever their registers hold and wherever they return to.

use std::sync::Arc;

use super::places::{PlaceList, Places, TrieId};
use super::{lasting, loops};
use crate::engine::{FrameId, LocalRef, LowerError, OpenKey, StateId, Work};
use crate::mask::{self, MaskBuilder};
use crate::vocabulary::{Characters, Index};

/// The tokens below some trie nodes in an open frame.
#[derive(Debug)]
pub(crate) struct OpenMask {
    /// Tokens that are allowed in any frame.
    always: Vec<u32>,
    /// Tokens that are allowed if the frame allows the local state.
    ending: Vec<(LocalRef, Vec<u32>)>,
    /// Where tokens ask the frame, by the local state in which they do.
    leaving: Vec<(LocalRef, Places)>,
    /// Kept so that their address stays theirs.
    _places: Places,
}

/// Follows the tokens below `places` in the frame that `key` names.
pub(super) fn compute(
    work: &mut Work<'_>,
    index: &Index,
    key: &OpenKey,
    places: &Places,
) -> Result<OpenMask, LowerError> {
    let (frame, start) = work.opened(key)?;
    let mut mask = OpenMask {
        always: Vec::new(),
        ending: Vec::new(),
        leaving: Vec::new(),
        _places: places.clone(),
    };
    let state = work.state(start);
    mask.leaving.extend(state.leaks.iter().map(|&leak| (leak, places.clone())));
    let mut walk = Walk { work, index, frame, mask, left: Vec::new() };
    for &place in places.nodes() {
        walk.below(start, place)?;
    }
    let Walk { mut mask, left, .. } = walk;
    mask::sort_few(&mut mask.always);
    mask.ending.iter_mut().for_each(|(_, tokens)| mask::sort_few(tokens));
    let left = left.into_iter();
    mask.leaving.extend(left.map(|(leak, nodes)| (leak, PlaceList::new(nodes, index).into())));
    Ok(mask)
}

impl OpenMask {
    /// Adds what `frame` allows to `mask`, and where its register is asked to `pending`.
    pub(super) fn apply(
        &self,
        work: &Work<'_>,
        frame: FrameId,
        mask: &mut MaskBuilder,
        pending: &mut Vec<(FrameId, LocalRef, Places)>,
    ) {
        mask.extend(&self.always);
        for (at, tokens) in &self.ending {
            if work.allows_at(frame, *at) {
                mask.extend(tokens);
            }
        }
        let leaving = self.leaving.iter().map(|(at, places)| (frame, *at, places.clone()));
        pending.extend(leaving);
    }
}

struct Walk<'a, 'b> {
    work: &'a mut Work<'b>,
    index: &'a Index,
    frame: FrameId,
    mask: OpenMask,
    left: Vec<(LocalRef, Vec<(TrieId, u32)>)>,
}

impl Walk<'_, '_> {
    fn below(&mut self, start: StateId, (id, node): (TrieId, u32)) -> Result<(), LowerError> {
        let trie = id.of(self.index);
        let mut pending = vec![(node, start)];
        while let Some((node, state)) = pending.pop() {
            let from = self.work.state(state);
            // The class of the child before, and what it led to.
            let mut last = (0, StateId::DEAD);
            for child in trie.node(node).children() {
                let byte = trie.byte(child);
                let class = from.class(byte);
                if class == 0 {
                    continue;
                }
                if class != last.0 {
                    last = (class, self.work.step(state, byte)?);
                }
                let next = last.1;
                if next == StateId::DEAD {
                    continue;
                }
                let below = trie.node(child);
                if let Some(characters) = trie.characters(below)
                    && let Some(asked) = self.looping(next, characters, below.height)?
                {
                    self.ending(asked, trie.all(below));
                    continue;
                }
                self.ends(next, trie.own(below))?;
                if below.count > 0 {
                    for leak in &self.work.state(next).leaks {
                        match self.left.iter_mut().rev().find(|(known, _)| known == leak) {
                            Some((_, places)) => places.push((id, child)),
                            None => self.left.push((*leak, vec![(id, child)])),
                        }
                    }
                    pending.push((child, next));
                }
            }
        }
        Ok(())
    }

    /// Tokens that end in `state`.
    fn ends(&mut self, state: StateId, tokens: &[u32]) -> Result<(), LowerError> {
        if tokens.is_empty() {
            return Ok(());
        }
        let mut asked = self.work.state(state).leaks.to_vec();
        for &(frame, at) in &self.work.state(state).items {
            asked.extend(self.asked(frame, at)?.iter().copied());
        }
        self.ending(asked, tokens);
        Ok(())
    }

    /// The local states of the open frame any of which must be allowed for an item to be.
    fn asked(&mut self, frame: FrameId, at: LocalRef) -> Result<Arc<[LocalRef]>, LowerError> {
        match frame == self.frame {
            true => Ok([at].into()),
            false => self.work.roots(frame, self.frame),
        }
    }

    fn ending(&mut self, mut asked: Vec<LocalRef>, tokens: &[u32]) {
        let free = |at: &LocalRef| self.work.locals(at.table).get(at.local).asks.is_none();
        if asked.iter().any(free) {
            self.mask.always.extend_from_slice(tokens);
            return;
        }
        asked.sort_unstable();
        asked.dedup();
        for at in asked {
            match self.mask.ending.iter_mut().rev().find(|(known, _)| *known == at) {
                Some((_, all)) => all.extend_from_slice(tokens),
                None => self.mask.ending.push((at, tokens.to_vec())),
            }
        }
    }

    /// What must be allowed for an item of `state` that goes on with any text of up to `length` of
    /// these `characters`, if there is one.
    fn looping(
        &mut self,
        state: StateId,
        characters: Characters,
        length: u16,
    ) -> Result<Option<Vec<LocalRef>>, LowerError> {
        let letters = self.index.letters.map(|class| self.index.classes[class].characters);
        let letters = letters.is_some_and(|letters| characters.is_subset(letters));
        const ITEMS_MAX: usize = 4;
        for &(frame, at) in self.work.state(state).items.iter().take(ITEMS_MAX) {
            let table = self.work.locals(at.table);
            // A register of a frame above could change on the way.
            let steady = table.get(at.local).asks.is_none() || frame == self.frame;
            let stays = steady && characters.is_subset(loops::of(table, at.local)?);
            if stays || (letters && length <= lasting::of(table, at.local, self.index)?) {
                return Ok(Some(self.asked(frame, at)?.to_vec()));
            }
        }
        Ok(None)
    }
}
