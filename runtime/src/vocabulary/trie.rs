//! The tokens of a vocabulary as a trie in one array.
//!
//! Nodes stand in depth-first order, so a walk goes forward and a subtree is skipped by one jump.

use super::{Token, TokenId};

/// One node: the byte that leads to it, and where its subtree ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrieNode {
    pub(crate) byte: u8,
    /// Its depth: 1 for a first byte.
    pub(crate) depth: u32,
    /// The node after its subtree.
    pub(crate) skip: u32,
    /// Its tokens, as a range of [`Trie::tokens`].
    first: u32,
    end: u32,
}

/// A trie over the bytes of all tokens that have bytes.
#[derive(Debug)]
pub(crate) struct Trie {
    nodes: Vec<TrieNode>,
    tokens: Vec<TokenId>,
    depth: usize,
}

impl Trie {
    /// # Complexity
    /// O(n log n) in the bytes of all tokens.
    pub(crate) fn new(tokens: &[Token]) -> Self {
        let mut sorted: Vec<(&[u8], TokenId)> = Vec::new();
        for (id, token) in (0..).map(TokenId).zip(tokens) {
            if let Token::Bytes(bytes) = token
                && !bytes.is_empty()
            {
                sorted.push((bytes, id));
            }
        }
        sorted.sort_unstable();
        let mut trie = Self { nodes: Vec::new(), tokens: Vec::new(), depth: 0 };
        let mut open: Vec<usize> = Vec::new();
        let mut path: &[u8] = &[];
        for (bytes, id) in sorted {
            let shared = path.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            trie.close(&mut open, shared);
            for &byte in &bytes[shared..] {
                let depth = open.len() as u32 + 1;
                let first = trie.tokens.len() as u32;
                open.push(trie.nodes.len());
                trie.nodes.push(TrieNode { byte, depth, skip: 0, first, end: first });
            }
            if let Some(&at) = open.last() {
                trie.tokens.push(id);
                trie.nodes[at].end = trie.tokens.len() as u32;
            }
            trie.depth = trie.depth.max(bytes.len());
            path = bytes;
        }
        trie.close(&mut open, 0);
        trie
    }

    fn close(&mut self, open: &mut Vec<usize>, keep: usize) {
        let next = self.nodes.len() as u32;
        open.drain(keep..).for_each(|at| self.nodes[at].skip = next);
    }

    pub(crate) fn nodes(&self) -> &[TrieNode] {
        &self.nodes
    }

    /// The tokens that end at `node`; equal byte strings may have several ids.
    pub(crate) fn tokens(&self, node: &TrieNode) -> &[TokenId] {
        &self.tokens[node.first as usize..node.end as usize]
    }

    /// The length of the longest token.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// The longest token that `bytes` begins with, and its length.
    pub(crate) fn longest(&self, bytes: &[u8]) -> Option<(TokenId, usize)> {
        let mut found = None;
        let (mut at, mut end) = (0, self.nodes.len());
        let mut depth = 0;
        while at < end && depth < bytes.len() {
            let node = &self.nodes[at];
            if node.byte != bytes[depth] {
                at = node.skip as usize;
                continue;
            }
            depth += 1;
            if let Some(&token) = self.tokens(node).first() {
                found = Some((token, depth));
            }
            end = node.skip as usize;
            at += 1;
        }
        found
    }
}
