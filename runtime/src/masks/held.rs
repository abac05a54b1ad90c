//! The tokens of items whose registers may refuse some: what they allow unheld, with the tokens
//! for which the register matters tried.

use std::sync::Arc;

use super::Eval;
use super::local::Ticking;
use super::places::TrieId;
use crate::engine::{FrameId, LocalRef, LowerError, StateId};
use crate::mask::{MaskBuilder, TokenMask};
use crate::vocabulary::{LONG, TokenId};

/// How the tokens of one item differ from those of another, among tokens of some lengths.
#[derive(Default)]
pub(crate) struct Beside {
    more: Vec<u32>,
    less: Vec<u32>,
}

impl Beside {
    /// Notes whether the item `reads` a token that the other has, or has not.
    fn note(&mut self, token: u32, reads: bool, known: &TokenMask) {
        match (reads, known.contains(TokenId(token))) {
            (true, false) => self.more.push(token),
            (false, true) => self.less.push(token),
            _ => {}
        }
    }

    /// The tokens of the item, from those of the other.
    fn added_to(mut self, known: &TokenMask) -> MaskBuilder {
        let mut mask = MaskBuilder::of(known);
        self.less.sort_unstable();
        mask.remove(&self.less);
        mask.extend(&self.more);
        mask
    }
}

impl Eval<'_, '_> {
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
    pub(super) fn heard(
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

    /// The tokens of an item for which another stands with tokens of at most `calm` bytes: those
    /// of that one, and longer ones tried one by one.
    pub(super) fn steady(
        &mut self,
        (frame, at): (FrameId, LocalRef),
        item: (FrameId, LocalRef),
        calm: u32,
    ) -> Result<MaskBuilder, LowerError> {
        let calm = calm as usize;
        let known = self.unheld(item)?;
        let alone = self.work.alone(frame, at)?;
        let mut beside = Beside::default();
        let index = self.index;
        for &token in &index.long {
            let bytes = self.vocabulary.bytes(TokenId(token));
            if bytes.len() <= calm {
                break;
            }
            beside.note(token, self.reads(alone, bytes)?, &known);
        }
        Ok(beside.added_to(&known))
    }

    /// The tokens of an item for which `eased` stands with tokens that are not long. For longer
    /// ones others stand, each up to twice as many bytes as the one before, as long as there are
    /// some; what they read is tried once, as most of them are met again.
    pub(super) fn eased(
        &mut self,
        (frame, at): (FrameId, LocalRef),
        eased: (FrameId, LocalRef),
    ) -> Result<MaskBuilder, LowerError> {
        let known = self.unheld(eased)?;
        let mut all = Beside::default();
        let most = self.vocabulary.token_bytes_max();
        let mut above = LONG;
        while above < most {
            let item = self.work.eased(frame, at, 2 * above as u32)?;
            let bytes = match item {
                Some(_) => above + 1..=2 * above,
                None => above + 1..=most,
            };
            if item != Some(eased) {
                let beside = self.beside((frame, at), (eased, &known), item, bytes.clone())?;
                all.more.extend_from_slice(&beside.more);
                all.less.extend_from_slice(&beside.less);
            }
            above = *bytes.end();
        }
        Ok(all.added_to(&known))
    }

    /// Of tokens of so many `bytes`, those that `item` allows and `known` does not, and those of
    /// which the opposite is true. Without `item` it is the one that `own` is alone.
    fn beside(
        &mut self,
        own: (FrameId, LocalRef),
        (eased, known): ((FrameId, LocalRef), &TokenMask),
        item: Option<(FrameId, LocalRef)>,
        bytes: std::ops::RangeInclusive<usize>,
    ) -> Result<Arc<Beside>, LowerError> {
        let key = (eased, item.unwrap_or(own), *bytes.start());
        if let Some(beside) = self.work.known_beside(&key) {
            return Ok(beside);
        }
        let alone = self.work.alone(key.1.0, key.1.1)?;
        let mut beside = Beside::default();
        let (mut path, mut before) = (vec![alone], &[][..]);
        let vocabulary = self.vocabulary;
        for &token in &self.index.long {
            let text = vocabulary.bytes(TokenId(token));
            if bytes.contains(&text.len()) {
                beside.note(token, self.reads_beside(&mut path, before, text)?, known);
                before = text;
            }
        }
        let beside = Arc::new(beside);
        self.work.keep_beside(key, beside.clone());
        Ok(beside)
    }

    /// The tokens of an item that counts characters: those of its loop class that are not too
    /// long, and of the others what it allows with all actions free, tried one by one where the
    /// count may matter.
    pub(super) fn ticking(
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
}
