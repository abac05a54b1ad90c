//! The set of tokens that may come next.

use crate::vocabulary::TokenId;

/// A set of tokens, one bit for each row of the logits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenMask {
    words: Vec<u32>,
    width: usize,
}

impl TokenMask {
    /// The empty set for logits of this width.
    pub(crate) fn new(width: usize) -> Self {
        Self { words: vec![0; width.div_ceil(32)], width }
    }

    pub(crate) fn insert(&mut self, token: TokenId) {
        if let Some(word) = self.words.get_mut(token.0 as usize / 32) {
            *word |= 1 << (token.0 % 32);
        }
    }

    /// Whether `token` may come next.
    #[must_use]
    pub fn contains(&self, token: TokenId) -> bool {
        let word = self.words.get(token.0 as usize / 32);
        word.is_some_and(|word| word >> (token.0 % 32) & 1 == 1)
    }

    /// The number of tokens that may come next.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The tokens that may come next, ascending.
    pub fn iter(&self) -> impl Iterator<Item = TokenId> + '_ {
        (0..).zip(&self.words).flat_map(|(at, &word)| {
            (0..32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| TokenId(at * 32 + bit))
        })
    }

    /// The number of rows of the logits.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The set in the layout that inference engines share: token `i` is bit `i % 32` of word
    /// `i / 32`. Bits beyond the width are 0.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Sets the logits of all other tokens to negative infinity, those beyond the width too.
    ///
    /// # Complexity
    /// O(width).
    pub fn apply(&self, logits: &mut [f32]) {
        for (chunk, at) in logits.chunks_mut(32).zip(0..) {
            let word = self.words.get(at).copied().unwrap_or(0);
            for (bit, logit) in chunk.iter_mut().enumerate() {
                if word >> bit & 1 == 0 {
                    *logit = f32::NEG_INFINITY;
                }
            }
        }
    }
}
