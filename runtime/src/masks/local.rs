//! The tokens of a local state, whatever its frame: those that stay within its rule, and for the
//! rest where they leave it.

use std::sync::Arc;

use super::places::{PlaceList, Places, TrieId};
use super::{endless, lasting, loops};
use crate::engine::{Locals, NOWHERE};
use crate::limits::LimitError;
use crate::mask;
use crate::vocabulary::{Characters, Index, TrieNode};

/// What is known about the tokens of a local state.
#[derive(Default, Debug)]
pub(crate) struct LocalMask {
    /// A set that is allowed as long as this local state is.
    pub(super) base: Option<(Arc<[u32]>, u32)>,
    /// Tokens that end within the rule, by the local state that they end in.
    pub(super) ending: Vec<(u32, Vec<u32>)>,
    /// Where tokens leave the rule, by the local state that they leave.
    pub(super) leaving: Vec<(u32, Places)>,
    /// A loop class on which it returns to itself, if it may leave its rule each time it does.
    pub(super) repeating: Option<usize>,
    /// How it counts characters, if it does.
    pub(super) ticking: Option<Ticking>,
    /// All tokens of another local state but these.
    pub(super) like: Option<(u32, Vec<u32>)>,
}

/// A local state to which an action returns after each character of a loop class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticking {
    pub(super) class: usize,
    pub(super) action: u32,
    /// The local state before the action.
    pub(super) before: u32,
}

/// The tokens of `local`.
///
/// # Complexity
/// O(trie nodes on which it and the loops that it meets do not agree).
pub(super) fn compute(table: &Locals, local: u32, index: &Index) -> Result<LocalMask, LimitError> {
    let mask = LocalMask::default();
    let (left, ended, last, looked) = (Vec::new(), None, (NOWHERE, Characters::default(), 0), 0);
    let letters = index.letters.map(|class| index.classes[class].characters);
    let mut walk = Walk { table, index, mask, left, ended, last, letters, looked };
    let most = mostly(table, local)?;
    if let Some(ticking) = ticking(table, local, most, index)? {
        walk.mask.ticking = Some(ticking);
        return Ok(walk.finish());
    }
    let own = loops::of(table, local)?;
    if let Some(class) = best(index, own) {
        walk.base(class, local);
        walk.mask.repeating = table.get(local).leaves().then_some(class);
        walk.outside(class, local)?;
        walk.below(TrieId::Suffixes(class), 0, local)?;
        return Ok(walk.finish());
    }
    let singles = table.singles(local)?;
    if singles.len() > 1 && singles.len() <= SINGLES_MAX {
        let mut found: Option<(usize, u32)> = None;
        for single in singles {
            let class = best(index, loops::of(table, single)?);
            // Classes with more tokens come first.
            if let Some(class) = class
                && found.is_none_or(|(least, _)| class < least)
            {
                found = Some((class, single));
            }
        }
        if let Some((class, single)) = found {
            walk.around(class, single, local)?;
            return Ok(walk.finish());
        }
    }
    if let Some(other) = neighbour(table, local, most, index)? {
        walk.mask.like = Some((other, Vec::new()));
        walk.beside(local, other)?;
        return Ok(walk.finish());
    }
    if let Some(class) = endless::of(table, local, index)? {
        walk.around(class, local, local)?;
        return Ok(walk.finish());
    }
    if let Some(class) = index.letters
        && usize::from(lasting::of(table, local, index)?) >= index.classes[class].longest()
    {
        walk.around(class, local, local)?;
        return Ok(walk.finish());
    }
    walk.below(TrieId::Whole, 0, local)?;
    Ok(walk.finish())
}

/// The most local states of one walk that are looked at for whether they go on for ever.
const LOOKED_MAX: u32 = 8;

/// The most nodes of a local state that are looked at one by one.
const SINGLES_MAX: usize = 64;

/// The loop class with most tokens that `loops` holds.
fn best(index: &Index, loops: Characters) -> Option<usize> {
    index.classes.iter().position(|class| class.characters.is_subset(loops))
}

/// The local state to which most characters of ASCII lead, if one stands out.
fn mostly(table: &Locals, local: u32) -> Result<Option<u32>, LimitError> {
    let shape = &table.get(local).shape;
    let mut counts: Vec<(u32, u32)> = Vec::new();
    let mut last = (0, NOWHERE);
    for byte in 0x20..0x7F {
        let class = shape.class(byte);
        if class == 0 {
            continue;
        }
        if last.0 != class {
            last = (class, table.step(local, byte)?);
        }
        match counts.iter().position(|(known, _)| *known == last.1) {
            Some(at) => counts[at].1 += 1,
            None => counts.push((last.1, 1)),
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    Ok(most.filter(|&(next, count)| count >= MOST_MIN && next != NOWHERE).map(|most| most.0))
}

/// How many characters of ASCII must lead to a local state for it to stand out.
const MOST_MIN: u32 = 20;

/// A local state to which most characters lead and which loops on a class.
fn neighbour(
    table: &Locals,
    local: u32,
    most: Option<u32>,
    index: &Index,
) -> Result<Option<u32>, LimitError> {
    let Some(other) = most.filter(|&other| other != local) else { return Ok(None) };
    Ok(best(index, loops::of(table, other)?).map(|_| other))
}

fn ticking(
    table: &Locals,
    local: u32,
    most: Option<u32>,
    index: &Index,
) -> Result<Option<Ticking>, LimitError> {
    let Some(before) = most.filter(|&before| before != local) else { return Ok(None) };
    if !table.get(before).shape.samples().is_empty() {
        return Ok(None);
    }
    let mut back = None;
    for (action, node) in table.actions(before) {
        if table.core_of(node)? == local && back.replace(action).is_some() {
            return Ok(None);
        }
    }
    let Some(action) = back else { return Ok(None) };
    let class = best(index, loops::toward(table, local, before)?);
    Ok(class.map(|class| Ticking { class, action, before }))
}

struct Walk<'a> {
    table: &'a Locals,
    index: &'a Index,
    mask: LocalMask,
    left: Vec<(u32, Vec<(TrieId, u32)>)>,
    /// The first local state that was met which can be left by its rule's end alone.
    ended: Option<u32>,
    /// The last local state of which it was asked on which characters it stays, and for how long
    /// it goes on with letters.
    last: (u32, Characters, u16),
    /// The letters of ASCII, if there is a loop class of those.
    letters: Option<Characters>,
    /// How many local states were looked at for whether they go on for ever.
    looked: u32,
}

impl Walk<'_> {
    fn base(&mut self, class: usize, while_allowed: u32) {
        let whole = &self.index.classes[class].whole;
        self.mask.base = Some((whole.clone(), while_allowed));
    }

    /// Allows the tokens of a loop class as long as `while_allowed` is, and walks all others.
    fn around(&mut self, class: usize, while_allowed: u32, local: u32) -> Result<(), LimitError> {
        self.base(class, while_allowed);
        self.outside(class, local)?;
        self.below(TrieId::Others(class), 0, local)
    }

    /// Walks the tokens whose first byte begins none of the characters of a loop class.
    fn outside(&mut self, class: usize, local: u32) -> Result<(), LimitError> {
        let skipped = self.index.classes[class].characters;
        self.descend((TrieId::Whole, 0), local, skipped)
    }

    /// Walks what is below a trie node from `local`.
    fn below(&mut self, id: TrieId, node: u32, local: u32) -> Result<(), LimitError> {
        self.descend((id, node), local, Characters::default())
    }

    /// Walks what is below a trie node from `local`, but for children with a byte of `skipped`.
    fn descend(
        &mut self,
        (id, top): (TrieId, u32),
        local: u32,
        skipped: Characters,
    ) -> Result<(), LimitError> {
        let trie = id.of(self.index);
        let mut pending = vec![(top, local)];
        while let Some((node, local)) = pending.pop() {
            let state = self.table.get(local);
            // The class of the child before, and what it led to.
            let mut last = (0, NOWHERE);
            for child in trie.node(node).children() {
                let byte = trie.byte(child);
                if node == top && skipped.contains(byte) {
                    continue;
                }
                let class = state.shape.class(byte);
                if class != last.0 {
                    last = (class, self.table.next(state, byte)?);
                }
                let next = last.1;
                if class == 0 || next == NOWHERE {
                    continue;
                }
                let below = trie.node(child);
                if let Some(characters) = trie.characters(below)
                    && self.stays(next, characters, below.height)?
                {
                    self.ending(next, trie.all(below));
                    continue;
                }
                self.ending(next, trie.own(below));
                if below.count > 0 {
                    if self.table.get(next).leaves() {
                        self.leaving(next, id, child);
                    }
                    pending.push((child, next));
                }
            }
        }
        Ok(())
    }

    /// Whether all texts of up to `length` of these `characters` lead on from `local`, as far as
    /// was found.
    fn stays(
        &mut self,
        local: u32,
        characters: Characters,
        length: u16,
    ) -> Result<bool, LimitError> {
        let (known, mut stays, mut lasting) = self.last;
        if known != local {
            (stays, lasting) = (loops::of(self.table, local)?, self.lasting(local)?);
            self.last = (local, stays, lasting);
        }
        if characters.is_subset(stays) {
            return Ok(true);
        }
        if length <= lasting && self.letters.is_some_and(|letters| characters.is_subset(letters)) {
            return Ok(true);
        }
        if self.looked < LOOKED_MAX {
            self.looked += u32::from(self.table.get(local).endless.get().is_none());
            if let Some(class) = endless::of(self.table, local, self.index)? {
                let class = self.index.classes[class].characters;
                if characters.is_subset(class) {
                    self.last.1 = class;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// For how many letters `local` goes on, if that was found.
    fn lasting(&mut self, local: u32) -> Result<u16, LimitError> {
        let known = self.table.get(local).lasting.get();
        if known.is_none() {
            if self.looked >= LOOKED_MAX {
                return Ok(0);
            }
            self.looked += 1;
        }
        lasting::of(self.table, local, self.index)
    }

    /// Walks the trie where `local` and `other` do not agree.
    fn beside(&mut self, local: u32, other: u32) -> Result<(), LimitError> {
        let trie = &self.index.trie;
        let mut pending = vec![(0_u32, local, other)];
        while let Some((node, local, other)) = pending.pop() {
            let (one, two) = (self.table.get(local), self.table.get(other));
            // The classes of the child before, and what they led to.
            let mut last = ((0, 0), (NOWHERE, NOWHERE));
            for child in trie.node(node).children() {
                let byte = trie.byte(child);
                let classes = (one.shape.class(byte), two.shape.class(byte));
                if classes != last.0 {
                    let both = (self.table.next(one, byte)?, self.table.next(two, byte)?);
                    last = (classes, both);
                }
                let (next, theirs) = last.1;
                if next == theirs {
                    continue;
                }
                let below = trie.node(child);
                let apart = next == NOWHERE
                    || theirs == NOWHERE
                    || self.table.get(next).leaves()
                    || self.table.get(theirs).leaves();
                if !apart {
                    self.gone(trie.own(below));
                    self.ending(next, trie.own(below));
                    pending.push((child, next, theirs));
                    continue;
                }
                self.gone(trie.all(below));
                if next != NOWHERE {
                    self.subtree(child, below, next)?;
                }
            }
        }
        Ok(())
    }

    /// All of a subtree of the whole trie, whose root leads to `local`.
    fn subtree(&mut self, node: u32, below: &TrieNode, local: u32) -> Result<(), LimitError> {
        self.ending(local, self.index.trie.own(below));
        if below.count > 0 {
            if self.table.get(local).leaves() {
                self.leaving(local, TrieId::Whole, node);
            }
            self.below(TrieId::Whole, node, local)?;
        }
        Ok(())
    }

    fn gone(&mut self, tokens: &[u32]) {
        if let Some((_, gone)) = &mut self.mask.like {
            gone.extend_from_slice(tokens);
        }
    }

    fn ending(&mut self, local: u32, tokens: &[u32]) {
        if tokens.is_empty() {
            return;
        }
        // Without a register every end is as good as any other.
        let local = if self.table.get(local).asks.is_some() { local } else { NOWHERE };
        match self.mask.ending.iter_mut().rev().find(|(known, _)| *known == local) {
            Some((_, all)) => all.extend_from_slice(tokens),
            None => self.mask.ending.push((local, tokens.to_vec())),
        }
    }

    fn leaving(&mut self, local: u32, trie: TrieId, node: u32) {
        // Wherever a rule can be left by its end alone, the same follows.
        let local = match self.table.get(local).leaves_by_end() {
            true => *self.ended.get_or_insert(local),
            false => local,
        };
        match self.left.iter_mut().rev().find(|(known, _)| *known == local) {
            Some((_, all)) => all.push((trie, node)),
            None => self.left.push((local, vec![(trie, node)])),
        }
    }

    /// Brings tokens that are allowed with the base into it.
    fn finish(mut self) -> LocalMask {
        if let Some((base, _)) = &mut self.mask.base
            && let [(NOWHERE, tokens)] = self.mask.ending.as_slice()
            && tokens.len() > 64
        {
            let words = Arc::make_mut(base);
            for &token in tokens {
                words[token as usize / 32] |= 1 << (token % 32);
            }
            self.mask.ending.clear();
        }
        if let Some((_, gone)) = &mut self.mask.like {
            gone.sort_unstable();
        }
        self.mask.ending.iter_mut().for_each(|(_, tokens)| mask::sort_few(tokens));
        let (left, index) = (self.left.into_iter(), self.index);
        let left = left.map(|(local, nodes)| (local, PlaceList::new(nodes, index).into()));
        self.mask.leaving = left.collect();
        self.mask
    }
}
