//! Byte strings of tokens as a trie whose children stand side by side.
//!
//! Nodes stand level by level, so the children of a node are a run of a byte array; tokens stand
//! in the order of their bytes, so those below a node are a run too.

use super::characters::{Characters, Reading};
use super::saved::{Broken, Pages, Saved};
use super::{Token, TokenId};

/// One node; its byte stands in [`Trie::bytes`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrieNode {
    /// Its first child.
    pub(crate) first: u32,
    /// The number of its children.
    pub(crate) count: u16,
    /// The most bytes that any token has below it.
    pub(crate) height: u16,
    /// Its tokens and those below it are a run of [`Trie::order`] that begins here, …
    pub(crate) from: u32,
    /// … its own up to here, …
    pub(crate) own: u32,
    /// … and those below it up to here.
    pub(crate) to: u32,
    /// Where the characters below it stand, if there are enough tokens to ask for them.
    characters: u32,
}

impl TrieNode {
    pub(crate) fn children(&self) -> std::ops::Range<u32> {
        self.first..self.first + u32::from(self.count)
    }
}

/// From how many tokens below a node on their characters are kept.
const MANY: u32 = 12;
const NONE: u32 = u32::MAX;

/// A trie over byte strings, each with one or more tokens.
#[derive(Debug, Default)]
pub(crate) struct Trie {
    nodes: Vec<TrieNode>,
    bytes: Vec<u8>,
    /// The characters of all tokens below a node, where there are many.
    characters: Vec<Characters>,
    order: Vec<u32>,
    /// For each token of `order`, how many characters stand before its string here.
    before: Vec<u16>,
}

impl Trie {
    /// The trie of all tokens that have bytes.
    ///
    /// # Complexity
    /// O(n log n) in the bytes of all tokens.
    pub(crate) fn of_tokens(tokens: &[Token]) -> Self {
        let mut entries: Vec<(&[u8], u16, u32)> = Vec::new();
        for (id, token) in (0..).zip(tokens) {
            if let Token::Bytes(bytes) = token
                && !bytes.is_empty()
            {
                entries.push((bytes, 0, id));
            }
        }
        Self::new(entries)
    }

    /// The trie of these strings, none of which is empty, each with the number of characters
    /// that stand before it in its token.
    pub(crate) fn new(mut entries: Vec<(&[u8], u16, u32)>) -> Self {
        entries.sort_unstable();
        let end = entries.len() as u32;
        let new = |from, own, to| TrieNode {
            first: 0,
            count: 0,
            height: 0,
            from,
            own,
            to,
            characters: NONE,
        };
        let mut trie = Self {
            nodes: vec![new(0, 0, end)],
            bytes: vec![0],
            characters: Vec::new(),
            order: entries.iter().map(|entry| entry.2).collect(),
            before: entries.iter().map(|entry| entry.1).collect(),
        };
        let mut readings = vec![Reading::default()];
        let mut depths = vec![0_u32];
        let mut at = 0;
        while at < trie.nodes.len() {
            let (node, depth) = (trie.nodes[at], depths[at] as usize);
            let first = trie.nodes.len() as u32;
            let mut from = node.own;
            while from < node.to {
                let byte = entries[from as usize].0[depth];
                let below = &entries[from as usize..node.to as usize];
                let to = from + below.partition_point(|entry| entry.0[depth] <= byte) as u32;
                let same = &entries[from as usize..to as usize];
                let own = from + same.partition_point(|entry| entry.0.len() == depth + 1) as u32;
                trie.nodes.push(new(from, own, to));
                trie.bytes.push(byte);
                readings.push(readings[at].after(byte));
                depths.push(depth as u32 + 1);
                from = to;
            }
            trie.nodes[at].first = first;
            trie.nodes[at].count = (trie.nodes.len() as u32 - first) as u16;
            at += 1;
        }
        trie.settle(&readings);
        trie
    }

    /// Finds heights and characters, children before their parents.
    fn settle(&mut self, readings: &[Reading]) {
        let mut all = vec![Characters::default(); self.nodes.len()];
        for at in (0..self.nodes.len()).rev() {
            for child in self.nodes[at].children() {
                let child = child as usize;
                let below = all[child].and_byte(readings[at], self.bytes[child]);
                all[at] = all[at].union(below);
                let height = self.nodes[child].height + 1;
                self.nodes[at].height = self.nodes[at].height.max(height);
            }
            if self.nodes[at].to - self.nodes[at].own >= MANY {
                self.nodes[at].characters = self.characters.len() as u32;
                self.characters.push(all[at]);
            }
        }
    }

    pub(crate) fn node(&self, at: u32) -> &TrieNode {
        &self.nodes[at as usize]
    }

    pub(crate) fn byte(&self, at: u32) -> u8 {
        self.bytes[at as usize]
    }

    /// The characters of all tokens below the node, if there are many and they are whole: within
    /// a character none begins.
    pub(crate) fn characters(&self, node: &TrieNode) -> Option<Characters> {
        let characters = self.characters.get(node.characters as usize).copied();
        characters.filter(|characters| !characters.is_empty())
    }

    /// The tokens that end at the node; equal byte strings may have several ids.
    pub(crate) fn own(&self, node: &TrieNode) -> &[u32] {
        &self.order[node.from as usize..node.own as usize]
    }

    /// The tokens that end at the node or below it.
    pub(crate) fn all(&self, node: &TrieNode) -> &[u32] {
        &self.order[node.from as usize..node.to as usize]
    }

    /// The tokens of the node itself that have `least` characters or more before it.
    pub(crate) fn own_after(&self, node: &TrieNode, least: u16) -> &[u32] {
        let before = &self.before[node.from as usize..node.own as usize];
        &self.own(node)[before.partition_point(|&count| count < least)..]
    }

    pub(super) fn save(&self, saved: &mut Saved) {
        let numbers = |node: &TrieNode| {
            let sizes = u32::from(node.count) | u32::from(node.height) << 16;
            [node.first, sizes, node.from, node.own, node.to, node.characters]
        };
        saved.numbers(&self.nodes.iter().flat_map(numbers).collect::<Vec<u32>>());
        saved.bytes(&self.bytes);
        saved.numbers(&self.characters.iter().flat_map(|set| set.words()).collect::<Vec<u32>>());
        saved.numbers(&self.order);
        saved.shorts(&self.before);
    }

    /// What [`Trie::save`] has written, for tokens below `width`. Whatever the bytes hold, the
    /// trie that is returned can be walked: its places exist, and children follow their parents.
    pub(super) fn load(pages: &mut Pages<'_>, width: usize) -> Result<Self, Broken> {
        let numbers = pages.numbers()?;
        let (whole, rest) = numbers.as_chunks::<6>();
        let node = |&[first, sizes, from, own, to, characters]: &[u32; 6]| TrieNode {
            first,
            count: (sizes & 0xFFFF) as u16,
            height: (sizes >> 16) as u16,
            from,
            own,
            to,
            characters,
        };
        let nodes: Vec<TrieNode> = whole.iter().map(node).collect();
        let bytes = pages.bytes()?.to_vec();
        let words = pages.numbers()?;
        let (sets, part) = words.as_chunks::<6>();
        let characters: Vec<Characters> = sets.iter().map(Characters::of_words).collect();
        let (order, before) = (pages.numbers()?, pages.shorts()?);
        let tokens = order.len() as u32;
        let sound = |(at, node): (usize, &TrieNode)| {
            let end = node.first as usize + usize::from(node.count);
            let known = node.characters == NONE || (node.characters as usize) < characters.len();
            let children = node.first as usize > at && end <= nodes.len();
            known && children && node.from <= node.own && node.own <= node.to && node.to <= tokens
        };
        let whole = rest.is_empty() && part.is_empty() && !nodes.is_empty();
        let fits = bytes.len() == nodes.len() && before.len() == order.len();
        let ids = order.iter().all(|&id| (id as usize) < width);
        match whole && fits && ids && nodes.iter().enumerate().all(sound) {
            true => Ok(Self { nodes, bytes, characters, order, before }),
            false => Err(Broken),
        }
    }

    pub(crate) fn bytes_of_memory(&self) -> usize {
        self.nodes.len() * (size_of::<TrieNode>() + 1)
            + self.characters.len() * size_of::<Characters>()
            + self.order.len() * 6
    }

    /// The child of `node` for `byte`.
    pub(crate) fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let range = self.node(node).children();
        let bytes = &self.bytes[range.start as usize..range.end as usize];
        bytes.binary_search(&byte).ok().map(|at| range.start + at as u32)
    }

    /// The longest token that `bytes` begins with, and its length.
    pub(crate) fn longest(&self, bytes: &[u8]) -> Option<(TokenId, usize)> {
        let (mut found, mut at) = (None, 0);
        for (depth, &byte) in bytes.iter().enumerate() {
            let Some(child) = self.child(at, byte) else { break };
            at = child;
            if let Some(&token) = self.own(self.node(at)).first() {
                found = Some((TokenId(token), depth + 1));
            }
        }
        found
    }
}
