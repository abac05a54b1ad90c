//! How a text can be brought to its end in few tokens.

use std::cmp::Reverse;

use crate::bind::token_of;
use crate::engine::{Ending, Symbol};
use crate::limits::LimitError;
use crate::matcher::{Matcher, Place};
use crate::vocabulary::{TokenId, Trie};

/// Tokens with which a text ends right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The tokens, none where the text may end already. Stop tokens that the outline does not
    /// spell are not among them.
    pub tokens: Vec<TokenId>,
    /// Whether no other completion has fewer bytes and special tokens. The tokens are the fewest
    /// that spell this one.
    pub is_shortest: bool,
}

impl Matcher {
    /// A completion of the text that has as few bytes and special tokens as any, split into as
    /// few tokens as this vocabulary lets. The matcher stays where it is, and each of the tokens
    /// may come next after those before it.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed, [`LimitError::EndingSteps`] if no way to the end is
    /// found within it.
    ///
    /// # Complexity
    /// What is found is kept: the end from any place on the way costs no search. A search takes
    /// about as many steps as the completion is long, more where registers (counters, members of
    /// objects) ask for more than the bounds on the rules' lengths tell. The first one lowers all
    /// rules.
    pub fn shortest_end(&self) -> Result<Completion, LimitError> {
        let Place { state, stopped } = self.place();
        if stopped {
            return Ok(Completion { tokens: Vec::new(), is_shortest: true });
        }
        let ending = self.program().engine().work().ending(state)?;
        let tokens = self.spelled(&ending);
        Ok(Completion { tokens, is_shortest: ending.shortest })
    }

    /// Whether the text can be brought to its end within `room` tokens, as far as
    /// [`Matcher::shortest_end`] tells.
    ///
    /// # Errors
    /// As [`Matcher::shortest_end`].
    ///
    /// # Complexity
    /// As [`Matcher::shortest_end`].
    pub fn can_end_within(&self, room: usize) -> Result<bool, LimitError> {
        let Place { state, stopped } = self.place();
        if stopped || self.is_accepting() {
            return Ok(true);
        }
        // No token is shorter than a byte.
        let length = self.program().engine().work().ending_length(state)? as usize;
        let longest = self.program().vocabulary().token_bytes_max().max(1);
        if length <= room || length.div_ceil(longest) > room {
            return Ok(length <= room);
        }
        Ok(self.shortest_end()?.tokens.len() <= room)
    }

    /// The fewest tokens that spell `ending`.
    fn spelled(&self, ending: &Ending) -> Vec<TokenId> {
        let trie = &self.program().vocabulary().index().trie;
        let mut tokens = Vec::new();
        let is_byte = |symbol: &Symbol| matches!(symbol, Symbol::Byte(_));
        for run in ending.symbols.chunk_by(|one, next| is_byte(one) && is_byte(next)) {
            match run {
                [Symbol::Marker(marker)] => tokens.push(token_of(*marker)),
                run => tokens.extend(fewest(trie, &bytes(run))),
            }
        }
        tokens
    }
}

fn bytes(symbols: &[Symbol]) -> Vec<u8> {
    let byte = |symbol: &Symbol| match *symbol {
        Symbol::Byte(byte) => Some(byte),
        Symbol::Marker(_) => None,
    };
    symbols.iter().filter_map(byte).collect()
}

/// The fewest tokens that spell `bytes`; the longer ones first where several ways are as short.
///
/// # Complexity
/// O(bytes · the length of the longest token).
fn fewest(trie: &Trie, bytes: &[u8]) -> Vec<TokenId> {
    // From the end on: how many tokens, and the first of them with its length.
    let mut best: Vec<Option<(usize, TokenId, usize)>> = vec![None; bytes.len() + 1];
    best[bytes.len()] = Some((0, TokenId(0), 0));
    for at in (0..bytes.len()).rev() {
        let (mut node, mut found) = (0, None);
        for (length, &byte) in (1..).zip(&bytes[at..]) {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            let token = trie.own(trie.node(node)).first();
            let Some((token, (count, ..))) = token.zip(best[at + length]) else { continue };
            let next = (count + 1, Reverse(length), TokenId(*token));
            found =
                Some(found.map_or(next, |known: (usize, Reverse<usize>, TokenId)| known.min(next)));
        }
        best[at] = found.map(|(count, Reverse(length), token)| (count, token, length));
    }
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some((_, token, length)) = best[at].filter(|step| step.2 > 0) {
        tokens.push(token);
        at += length;
    }
    tokens
}
