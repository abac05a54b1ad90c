//! Computes the mask of a state: which tokens of a vocabulary lead on from it.
//!
//! A token leads on if some item of the state reads it, so a mask is the union of those of its
//! items. What stays within an item's rule is known for its local state, whatever the frame; what
//! leaves the rule is walked on from the state that the frame returns to.

mod endless;
mod held;
mod lasting;
mod local;
mod loops;
mod open;
mod places;

use std::sync::Arc;

pub(crate) use held::Beside;
pub(crate) use local::LocalMask;
pub(crate) use open::OpenMask;
use places::TrieId;
pub(crate) use places::{PlaceLists, Places};

use crate::engine::{FrameId, LocalRef, LowerError, NOWHERE, OWN, OpenStart, StateId, Work};
use crate::mask::MaskBuilder;
use crate::vocabulary::{Characters, Index, LONG, Reading, Vocabulary};

/// The tokens whose bytes lead on from `state`.
pub(crate) fn compute(
    work: &mut Work<'_>,
    state: StateId,
    vocabulary: &Vocabulary,
) -> Result<MaskBuilder, LowerError> {
    let width = vocabulary.width();
    let mut eval = Eval { work, vocabulary, index: vocabulary.index(), width };
    let mut mask = MaskBuilder::new(width);
    for &(frame, at) in &eval.work.state(state).items {
        let item = eval.item(frame, at)?;
        mask.merge(item);
    }
    Ok(mask)
}

/// The most places at which tokens ask a register for which no rule is made that asks it less.
const ASKED_MAX: usize = if cfg!(test) { 0 } else { 256 };

struct Eval<'a, 'b> {
    work: &'a mut Work<'b>,
    vocabulary: &'a Vocabulary,
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
            if let Some(hearing) = self.work.hearing(frame)
                && (hearing.until, hearing.escape) == (b'"', b'\\')
            {
                return self.heard(frame, at, &hearing.risky);
            }
            let alone = self.work.alone(frame, at)?;
            self.walk(alone, (TrieId::Whole, 0), 0, &mut mask)?;
            return Ok(mask);
        }
        if table.get(at.local).asks.is_some() {
            let calm = self.work.calm(frame);
            if calm as usize >= LONG {
                let item = self.work.steadied(frame, at)?;
                return self.steady((frame, at), item, calm);
            }
        }
        let known = self.local(at)?;
        if let Some(ticking) = &known.ticking {
            return self.ticking(frame, at, ticking);
        }
        let asked = known.leaving.iter().map(|(_, places)| places.nodes().len());
        if asked.sum::<usize>() > ASKED_MAX
            && let Some(item) = self.work.eased(frame, at, LONG as u32)?
        {
            return self.eased((frame, at), item);
        }
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
        let leaving = known.leaving.iter();
        let leaving =
            leaving.map(|(local, to)| (frame, LocalRef { local: *local, ..at }, to.clone()));
        self.follow(leaving.collect(), &mut ends)?;
        if let Some(class) = known.repeating {
            let next = self.work.leave(frame, at)?;
            self.repeating(next, class, &mut ends)?;
        }
        mask.merge(ends);
        Ok(mask)
    }

    /// Follows tokens from where they ask a frame's register or return from it.
    fn follow(
        &mut self,
        mut pending: Vec<(FrameId, LocalRef, Places)>,
        mask: &mut MaskBuilder,
    ) -> Result<(), LowerError> {
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some((frame, at, places)) = pending.pop() {
            if !seen.insert((frame, at, places.address())) {
                continue;
            }
            let table = self.work.table(at.table);
            if table.get(at.local).heard {
                let next = self.work.leave(frame, at)?;
                for &place in places.nodes() {
                    self.walk(next, place, 0, mask)?;
                }
                continue;
            }
            let (runs, ends) = table.runs_and_ends(at.local);
            if runs {
                self.open(frame, OpenStart::Runs(at), &places, mask, &mut pending)?;
            }
            let mut number = 0;
            while let Some((action, local)) = table.act(at.local, number)? {
                number += 1;
                let state = table.get(local);
                if !state.leaves() && !state.shape.reads().meets(&places.next()) {
                    continue;
                }
                if let Some(next) = self.work.acted(frame, action)? {
                    let start = LocalRef { local, ..at };
                    let (next, start) = match places.nodes().len() > ASKED_MAX {
                        true => self.work.lightened(next, start, places.height())?,
                        false => (next, start),
                    };
                    self.open(next, OpenStart::At(start), &places, mask, &mut pending)?;
                }
            }
            if ends {
                let own = self.work.table(OWN);
                let mut number = 0;
                while let Some(&(node, parent)) = self.work.parents(frame).get(number) {
                    number += 1;
                    let at = LocalRef { table: OWN, local: own.entry(node)? };
                    self.open(parent, OpenStart::At(at), &places, mask, &mut pending)?;
                }
            }
        }
        Ok(())
    }

    /// Adds what `frame` allows of the tokens below `places` to `mask`, and where they ask its
    /// register or return from it to `pending`.
    fn open(
        &mut self,
        frame: FrameId,
        start: OpenStart,
        places: &Places,
        mask: &mut MaskBuilder,
        pending: &mut Vec<(FrameId, LocalRef, Places)>,
    ) -> Result<(), LowerError> {
        let state = self.work.begun_open(frame, start)?;
        let state = self.work.state(state);
        if !state.reads().meets(&places.next()) {
            // No token begins here, so all that can happen reads nothing.
            pending.extend(state.leaks.iter().map(|&leak| (frame, leak, places.clone())));
            return Ok(());
        }
        let places = &self.work.first_equal(places);
        let key = self.work.open_key(frame, start, places.address());
        let known = match self.work.known_open(&key) {
            Some(known) => known,
            None => {
                let known = Arc::new(open::compute(self.work, self.index, &key, places)?);
                self.work.keep_open(key, known.clone());
                known
            }
        };
        known.apply(self.work, frame, mask, pending);
        Ok(())
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
        let from = self.work.state(state);
        if !(0..=u8::MAX).any(|byte| from.class(byte) != 0 && characters.contains(byte)) {
            // The run ends where it must. An empty one is the state before it.
            return self.walk(state, (TrieId::Suffixes(class), 0), 1, mask);
        }
        let id = TrieId::Others(class);
        let trie = id.of(self.index);
        let mut pending = vec![(0, Reading::Between)];
        while let Some((node, reading)) = pending.pop() {
            if node != 0 && reading == Reading::Between {
                self.walk(state, (id, node), 0, mask)?;
            }
            for child in trie.node(node).children() {
                let byte = trie.byte(child);
                let begins = reading == Reading::Between;
                let next = reading.after(byte);
                let stays = !begins || characters.contains(byte);
                if stays && next != Reading::Broken {
                    pending.push((child, next));
                }
            }
        }
        Ok(())
    }

    /// The tokens below a trie node that lead on from `state`, of those with `least` characters
    /// or more before the trie's strings.
    fn walk(
        &mut self,
        state: StateId,
        (id, node): (TrieId, u32),
        least: u16,
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
                let next = match trie.characters(below) {
                    Some(_) => self.work.abstracted_within(next, u32::from(below.height))?,
                    None => next,
                };
                if let Some(characters) = trie.characters(below)
                    && least == 0
                    && characters.is_subset(self.loops(next)?)
                {
                    mask.extend(trie.all(below));
                    continue;
                }
                mask.extend(trie.own_after(below, least));
                if below.count > 0 {
                    pending.push((child, next));
                }
            }
        }
        Ok(())
    }

    /// Characters on which some item of `state` returns to itself.
    fn loops(&self, state: StateId) -> Result<Characters, LowerError> {
        let mut most = Characters::default();
        for &(frame, at) in self.work.state(state).items.iter().take(4) {
            let table = self.work.locals(at.table);
            let local = table.get(at.local);
            // Without a register an item that is there is allowed, and so it stays.
            if local.asks.is_none() || self.work.allows(frame, local) {
                let loops = loops::of(table, at.local)?;
                if most.is_subset(loops) {
                    most = loops;
                }
            }
        }
        Ok(most)
    }
}

#[cfg(test)]
mod tests;
