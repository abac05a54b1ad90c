//! The tokens of a local state, whatever its frame: those that stay within its rule, and for the
//! rest where they leave it.

use std::sync::Arc;

use super::loops;
use crate::engine::{Locals, NOWHERE};
use crate::limits::LimitError;
use crate::vocabulary::{Characters, Index, Trie, TrieNode};

/// What is known about the tokens of a local state.
#[derive(Default, Debug)]
pub(crate) struct LocalMask {
    /// A set that is allowed as long as this local state is.
    pub(super) base: Option<(Arc<[u32]>, u32)>,
    /// Tokens that end within the rule, by the local state that they end in.
    pub(super) ending: Vec<(u32, Vec<u32>)>,
    /// Where tokens leave the rule, by the local state that they leave.
    pub(super) leaving: Vec<(u32, Vec<(TrieId, u32)>)>,
    /// A loop class on which it returns to itself, if it may leave its rule each time it does.
    pub(super) repeating: Option<usize>,
    /// All tokens of another local state but these.
    pub(super) like: Option<(u32, Vec<u32>)>,
}

/// One of the tries of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TrieId {
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

/// From how many tokens on a subtree is asked whether all of it stays in a loop.
pub(super) const LOOPS_FROM: u32 = 12;

/// The tokens of `local`.
///
/// # Complexity
/// O(trie nodes on which it and the loops that it meets do not agree).
pub(super) fn compute(table: &Locals, local: u32, index: &Index) -> Result<LocalMask, LimitError> {
    let mut walk = Walk { table, index, mask: LocalMask::default(), width: 0, looped: None };
    let own = loops::of(table, local)?;
    if let Some(class) = best(index, own) {
        walk.base(class, local);
        walk.mask.repeating = table.get(local).leaves().then_some(class);
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
            walk.base(class, single);
            walk.below(TrieId::Others(class), 0, local)?;
            return Ok(walk.finish());
        }
    }
    if let Some(other) = neighbour(table, local, index)? {
        walk.mask.like = Some((other, Vec::new()));
        walk.beside(local, other)?;
        return Ok(walk.finish());
    }
    walk.below(TrieId::Whole, 0, local)?;
    Ok(walk.finish())
}

/// The most nodes of a local state that are looked at one by one.
const SINGLES_MAX: usize = 64;

/// The loop class with most tokens that `loops` holds.
fn best(index: &Index, loops: Characters) -> Option<usize> {
    index.classes.iter().position(|class| class.characters.is_subset(loops))
}

/// A local state to which most characters lead and which loops on a class.
fn neighbour(table: &Locals, local: u32, index: &Index) -> Result<Option<u32>, LimitError> {
    let shape = &table.get(local).shape;
    let mut counts: Vec<(u32, u32)> = Vec::new();
    for byte in 0x20..0x7F {
        if shape.class(byte) == 0 {
            continue;
        }
        let next = table.step(local, byte)?;
        match counts.iter().position(|(known, _)| *known == next) {
            Some(at) => counts[at].1 += 1,
            None => counts.push((next, 1)),
        }
    }
    let Some(&(other, count)) = counts.iter().max_by_key(|(_, count)| *count) else {
        return Ok(None);
    };
    if count < 20 || other == local || other == NOWHERE {
        return Ok(None);
    }
    Ok(best(index, loops::of(table, other)?).map(|_| other))
}

struct Walk<'a> {
    table: &'a Locals,
    index: &'a Index,
    mask: LocalMask,
    width: usize,
    /// The last local state whose loops were asked for.
    looped: Option<(u32, Characters)>,
}

impl Walk<'_> {
    fn base(&mut self, class: usize, while_allowed: u32) {
        let whole = &self.index.classes[class].whole;
        self.width = whole.len();
        self.mask.base = Some((whole.clone(), while_allowed));
    }

    /// Walks what is below a trie node from `local`.
    fn below(&mut self, id: TrieId, node: u32, local: u32) -> Result<(), LimitError> {
        let trie = id.of(self.index);
        let mut pending = vec![(node, local)];
        while let Some((node, local)) = pending.pop() {
            let shape = &self.table.get(local).shape;
            for child in trie.node(node).children() {
                let byte = trie.byte(child);
                if shape.class(byte) == 0 {
                    continue;
                }
                let next = self.table.step(local, byte)?;
                if next == NOWHERE {
                    continue;
                }
                let below = trie.node(child);
                if below.to - below.own >= LOOPS_FROM {
                    let characters = trie.characters(child);
                    // Within a character no character begins, and nothing is known.
                    if !characters.is_empty() && characters.is_subset(self.loops(next)?) {
                        self.ending(next, trie.all(below));
                        continue;
                    }
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

    fn loops(&mut self, local: u32) -> Result<Characters, LimitError> {
        match self.looped {
            Some((known, loops)) if known == local => Ok(loops),
            _ => {
                let loops = loops::of(self.table, local)?;
                self.looped = Some((local, loops));
                Ok(loops)
            }
        }
    }

    /// Walks the trie where `local` and `other` do not agree.
    fn beside(&mut self, local: u32, other: u32) -> Result<(), LimitError> {
        let trie = &self.index.trie;
        let mut pending = vec![(0_u32, local, other)];
        while let Some((node, local, other)) = pending.pop() {
            for child in trie.node(node).children() {
                let byte = trie.byte(child);
                let next = self.table.step(local, byte)?;
                let theirs = self.table.step(other, byte)?;
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
        match self.mask.leaving.iter_mut().rev().find(|(known, _)| *known == local) {
            Some((_, all)) => all.push((trie, node)),
            None => self.mask.leaving.push((local, vec![(trie, node)])),
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
        self.mask
    }
}
