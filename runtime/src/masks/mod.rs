//! Computes the mask of a state: which tokens of a vocabulary lead on from it.
//!
//! A token leads on if some item of the state reads it, so a mask is the union of those of its
//! items. What stays within an item's rule is known for its local state, whatever the frame; what
//! leaves the rule is walked on from the state that the frame returns to.

mod endless;
mod local;
mod loops;
mod open;
mod places;

use std::sync::Arc;

pub(crate) use local::LocalMask;
use local::Ticking;
pub(crate) use open::OpenMask;
use places::TrieId;
pub(crate) use places::{PlaceLists, Places};

use crate::engine::{FrameId, LocalRef, LowerError, NOWHERE, OWN, OpenStart, StateId, Work};
use crate::mask::{MaskBuilder, TokenMask};
use crate::vocabulary::{Characters, Index, LONG, Reading, TokenId, Vocabulary};

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
        if table.get(at.local).asks.is_some() && self.work.calm(frame) as usize >= LONG {
            return self.steady(frame, at);
        }
        let known = self.local(at)?;
        if let Some(ticking) = &known.ticking {
            return self.ticking(frame, at, ticking);
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
            for (action, node) in table.actions(at.local) {
                let local = table.entry(node)?;
                let state = table.get(local);
                if !state.leaves() && !state.shape.reads().meets(&places.next()) {
                    continue;
                }
                if let Some(next) = self.work.acted(frame, action)? {
                    let start = OpenStart::At(LocalRef { local, ..at });
                    self.open(next, start, &places, mask, &mut pending)?;
                }
            }
            if ends {
                let own = self.work.table(OWN);
                for (node, parent) in self.work.parents(frame) {
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

    /// The tokens of an item that runs without its machine, made once.
    fn unheld(&mut self, item: (FrameId, LocalRef)) -> Result<Arc<TokenMask>, LowerError> {
        if let Some(known) = self.work.known_steady(item) {
            return Ok(known);
        }
        let mask = Arc::new(self.item(item.0, item.1)?.finish());
        self.work.keep_steady(item, mask.clone());
        Ok(mask)
    }

    /// The tokens of an item whose machine hears a string: what the item allows unheard, but for
    /// tokens that may close the string and such as go on like one of `risky`, which are tried.
    fn heard(
        &mut self,
        frame: FrameId,
        at: LocalRef,
        risky: &[Vec<u8>],
    ) -> Result<MaskBuilder, LowerError> {
        let item = self.work.freed(frame, at)?;
        let known = self.unheld(item)?;
        let mut mask = MaskBuilder::of(&known);
        let alone = self.work.alone(frame, at)?;
        let index = self.index;
        let mut refused = Vec::new();
        for &token in &index.quoted {
            let bytes = self.vocabulary.bytes(TokenId(token));
            if known.contains(TokenId(token)) && !self.reads(alone, bytes)? {
                refused.push(token);
            }
        }
        if !risky.is_empty() {
            let mut tried: Vec<u32> = index.escaped.clone();
            for text in risky {
                let mut at = Some(0);
                for &byte in text {
                    at = at.and_then(|node| index.trie.child(node, byte));
                    let node = at.map(|node| index.trie.node(node));
                    tried.extend(node.into_iter().flat_map(|node| index.trie.own(node)));
                }
            }
            let refuses = |&token: &u32| {
                let token = TokenId(token);
                known.contains(token) && !self.work.hears(frame, self.vocabulary.bytes(token))
            };
            refused.extend(tried.into_iter().filter(refuses));
        }
        refused.sort_unstable();
        mask.remove(&refused);
        Ok(mask)
    }

    /// The tokens of an item whose register does not matter for tokens that are not long: those of
    /// the item without its machine, and long ones tried one by one.
    fn steady(&mut self, frame: FrameId, at: LocalRef) -> Result<MaskBuilder, LowerError> {
        let calm = self.work.calm(frame) as usize;
        let item = self.work.steadied(frame, at)?;
        let known = self.unheld(item)?;
        let mut mask = MaskBuilder::of(&known);
        let alone = self.work.alone(frame, at)?;
        let (mut more, mut less) = (Vec::new(), Vec::new());
        let index = self.index;
        for &token in &index.long {
            let bytes = self.vocabulary.bytes(TokenId(token));
            if bytes.len() <= calm {
                break;
            }
            match (self.reads(alone, bytes)?, known.contains(TokenId(token))) {
                (true, false) => more.push(token),
                (false, true) => less.push(token),
                _ => {}
            }
        }
        less.sort_unstable();
        mask.remove(&less);
        mask.extend(&more);
        Ok(mask)
    }

    /// The tokens of an item that counts characters: those of its loop class that are not too
    /// long, and of the others what it allows with all actions free, tried one by one where the
    /// count may matter.
    fn ticking(
        &mut self,
        frame: FrameId,
        at: LocalRef,
        ticking: &Ticking,
    ) -> Result<MaskBuilder, LowerError> {
        let mut mask = MaskBuilder::new(self.width);
        let table = self.work.table(at.table);
        let before = table.get(ticking.before);
        let class = &self.index.classes[ticking.class];
        let most = self.vocabulary.token_bytes_max();
        let count = self.work.times(frame, ticking.action, before, most);
        if let Some((set, longer)) = class.up_to(count) {
            mask.union(set);
            let mut longer: Vec<u32> = longer.collect();
            longer.sort_unstable();
            mask.remove(&longer);
        }
        let calm = match self.work.allows_all(frame) {
            true => self.work.calm(frame) as usize,
            false => 0,
        };
        let alone = self.work.alone(frame, at)?;
        let Some(freed) = self.freed(frame, at, ticking)? else {
            self.walk(alone, (TrieId::Whole, 0), 0, &mut mask)?;
            return Ok(mask);
        };
        let (mut path, mut before) = (vec![alone], &[][..]);
        for &token in &*freed {
            let bytes = self.vocabulary.bytes(TokenId(token));
            if bytes.len() <= calm || self.reads_beside(&mut path, before, bytes)? {
                mask.insert(token);
            }
            if bytes.len() > calm {
                before = bytes;
            }
        }
        Ok(mask)
    }

    /// Whether `bytes` is read from the first state of `path`, which is made the states along
    /// it, up to the dead one; it comes in as those along `before`.
    fn reads_beside(
        &mut self,
        path: &mut Vec<StateId>,
        before: &[u8],
        bytes: &[u8],
    ) -> Result<bool, LowerError> {
        let same = before.iter().zip(bytes).take_while(|(one, other)| one == other).count();
        path.truncate(same + 1);
        for &byte in bytes.get(path.len() - 1..).unwrap_or_default() {
            let Some(&state) = path.last().filter(|&&state| state != StateId::DEAD) else { break };
            path.push(self.work.step(state, byte)?);
        }
        Ok(path.last() != Some(&StateId::DEAD))
    }

    /// The tokens beyond a loop class that an item allows with all actions free, in order of their
    /// bytes; `None` if what follows the loop reads characters of the class too.
    fn freed(
        &mut self,
        frame: FrameId,
        at: LocalRef,
        ticking: &Ticking,
    ) -> Result<Option<Arc<[u32]>>, LowerError> {
        let freed = self.work.freed(frame, at)?;
        let core = self.work.table(freed.1.table).core(freed.1.local)?;
        let freed = (freed.0, LocalRef { local: core, ..freed.1 });
        if let Some(known) = self.work.known_freed(freed) {
            return Ok(known);
        }
        let class = &self.index.classes[ticking.class];
        let after = self.work.freed(frame, LocalRef { local: ticking.before, ..at })?;
        let after = self.work.closed(after.0, after.1)?;
        for &(frame, at) in &self.work.state(after).items {
            let table = self.work.table(at.table);
            // Of the loop's own rule, all that is there but the loop.
            let mut others = table.singles(at.local)?;
            if frame == freed.0 {
                let own = self.work.table(freed.1.table).singles(freed.1.local)?;
                others.retain(|single| !own.contains(single));
            }
            let reads = |&single: &u32| {
                let shape = &table.get(single).shape;
                (0..=u8::MAX).any(|byte| shape.class(byte) != 0 && class.characters.contains(byte))
            };
            if others.iter().any(reads) {
                self.work.keep_freed(freed, None);
                return Ok(None);
            }
        }
        let mask = self.item(freed.0, freed.1)?.finish();
        let (words, trie) = (mask.words(), &self.index.trie);
        let beyond = |&token: &u32| {
            let at = token as usize / 32;
            (words[at] & !class.whole[at]) >> (token % 32) & 1 == 1
        };
        let tokens: Arc<[u32]> = trie.all(trie.node(0)).iter().copied().filter(beyond).collect();
        self.work.keep_freed(freed, Some(tokens.clone()));
        Ok(Some(tokens))
    }

    fn reads(&mut self, mut state: StateId, bytes: &[u8]) -> Result<bool, LowerError> {
        for &byte in bytes {
            state = self.work.step(state, byte)?;
            if state == StateId::DEAD {
                return Ok(false);
            }
        }
        Ok(true)
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

#[cfg(test)]
mod tests;
