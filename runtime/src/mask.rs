//! The set of tokens that may come next.

use std::sync::{Arc, OnceLock};

use crate::vocabulary::TokenId;

/// A set of tokens, one bit for each row of the logits.
///
/// Most masks are a large set that many share, and a few tokens more or less: those are kept
/// apart until somebody asks for the words.
#[derive(Clone, Debug)]
pub struct TokenMask {
    width: usize,
    base: Option<Arc<[u32]>>,
    /// Ascending.
    more: Box<[u32]>,
    /// Ascending; none of them is in `more`.
    less: Box<[u32]>,
    words: OnceLock<Box<[u32]>>,
}

impl PartialEq for TokenMask {
    fn eq(&self, other: &Self) -> bool {
        self.width == other.width && self.words() == other.words()
    }
}

impl Eq for TokenMask {}

impl TokenMask {
    /// The set of these tokens for logits of this width.
    pub(crate) fn of(width: usize, tokens: impl IntoIterator<Item = TokenId>) -> Self {
        let mut builder = MaskBuilder::new(width);
        tokens.into_iter().for_each(|token| builder.insert(token.0));
        builder.finish()
    }

    /// Whether `token` may come next.
    #[must_use]
    pub fn contains(&self, token: TokenId) -> bool {
        if let Some(words) = self.words.get() {
            return bit(words, token.0);
        }
        let base = self.base.as_ref().is_some_and(|base| bit(base, token.0));
        (base && self.less.binary_search(&token.0).is_err())
            || self.more.binary_search(&token.0).is_ok()
    }

    /// The number of tokens that may come next.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The tokens that may come next, ascending.
    pub fn iter(&self) -> impl Iterator<Item = TokenId> + '_ {
        (0..).zip(self.words()).flat_map(|(at, &word)| {
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
    ///
    /// # Complexity
    /// O(width) the first time, then O(1).
    #[must_use]
    pub fn words(&self) -> &[u32] {
        self.words.get_or_init(|| {
            let mut words = vec![0; self.width.div_ceil(32)];
            self.fill(&mut words);
            words.into()
        })
    }

    /// Writes the words. Those beyond the width become 0; a slice that is too short gets the
    /// first ones.
    ///
    /// # Complexity
    /// O(width), one copy.
    pub fn fill(&self, words: &mut [u32]) {
        let base = self.words.get().map(|words| &**words).or(self.base.as_deref());
        let base = base.unwrap_or_default();
        let shared = base.len().min(words.len());
        words[..shared].copy_from_slice(&base[..shared]);
        words[shared..].fill(0);
        if self.words.get().is_none() {
            for &token in &self.less {
                if let Some(word) = words.get_mut(token as usize / 32) {
                    *word &= !(1 << (token % 32));
                }
            }
            for &token in &self.more {
                if let Some(word) = words.get_mut(token as usize / 32) {
                    *word |= 1 << (token % 32);
                }
            }
        }
    }

    /// Sets the logits of all other tokens to negative infinity, those beyond the width too.
    ///
    /// # Complexity
    /// O(width); a word of tokens at a time where all or none of them may come next.
    pub fn apply(&self, logits: &mut [f32]) {
        let words = self.words();
        for (chunk, at) in logits.chunks_mut(32).zip(0..) {
            match words.get(at).copied().unwrap_or(0) {
                0 => chunk.fill(f32::NEG_INFINITY),
                u32::MAX => {}
                word => {
                    for (bit, logit) in chunk.iter_mut().enumerate() {
                        if word >> bit & 1 == 0 {
                            *logit = f32::NEG_INFINITY;
                        }
                    }
                }
            }
        }
    }

    /// The bytes of memory that it has for itself.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.words.get().map_or(0, |words| words.len());
        size_of::<Self>() + 4 * (self.more.len() + self.less.len() + words)
    }
}

fn bit(words: &[u32], token: u32) -> bool {
    words.get(token as usize / 32).is_some_and(|word| word >> (token % 32) & 1 == 1)
}

/// A mask in the making.
pub(crate) struct MaskBuilder {
    width: usize,
    base: Option<Arc<[u32]>>,
    more: Vec<u32>,
    less: Vec<u32>,
}

/// The most tokens that a mask keeps beside its base; above it has words of its own.
const APART_MAX: usize = 512;

/// Sorts tokens that masks may keep apart from their base, so that merging them is quick.
pub(crate) fn sort_few(tokens: &mut [u32]) {
    if tokens.len() <= APART_MAX {
        tokens.sort_unstable();
    }
}

impl MaskBuilder {
    pub(crate) fn new(width: usize) -> Self {
        Self { width, base: None, more: Vec::new(), less: Vec::new() }
    }

    /// Begins with what `mask` has.
    pub(crate) fn of(mask: &TokenMask) -> Self {
        let (base, more) = (mask.base.clone(), mask.more.to_vec());
        Self { width: mask.width, base, more, less: mask.less.to_vec() }
    }

    pub(crate) fn insert(&mut self, token: u32) {
        self.more.push(token);
    }

    pub(crate) fn extend(&mut self, tokens: &[u32]) {
        self.more.extend_from_slice(tokens);
    }

    /// Adds a large set.
    pub(crate) fn union(&mut self, words: &Arc<[u32]>) {
        match &self.base {
            None => self.base = Some(words.clone()),
            Some(base) if Arc::ptr_eq(base, words) && self.less.is_empty() => {}
            Some(_) => {
                self.settle();
                let own = self.own();
                own.iter_mut().zip(words.iter()).for_each(|(mine, theirs)| *mine |= theirs);
            }
        }
    }

    /// Takes these, which ascend, out of what there is so far.
    pub(crate) fn remove(&mut self, tokens: &[u32]) {
        if tokens.is_empty() {
            return;
        }
        self.more.retain(|token| tokens.binary_search(token).is_err());
        if self.base.is_some() {
            self.less.extend_from_slice(tokens);
        }
    }

    /// Adds the set of another mask in the making.
    pub(crate) fn merge(&mut self, other: Self) {
        let Self { base, more, less, .. } = other;
        match base {
            Some(words) if less.is_empty() => self.union(&words),
            Some(words) if self.base.is_none() && self.less.is_empty() => {
                self.base = Some(words);
                self.less = less;
            }
            Some(words) => {
                let mut apart = words.to_vec();
                for token in less {
                    apart[token as usize / 32] &= !(1 << (token % 32));
                }
                self.union(&apart.into());
            }
            None => {}
        }
        // What is added counts more than what is taken out, when the mask is finished.
        self.more.extend(more);
    }

    /// Brings everything into words of its own.
    fn settle(&mut self) {
        let (more, less) = (std::mem::take(&mut self.more), std::mem::take(&mut self.less));
        let words = self.own();
        for token in less {
            words[token as usize / 32] &= !(1 << (token % 32));
        }
        for token in more {
            words[token as usize / 32] |= 1 << (token % 32);
        }
    }

    fn own(&mut self) -> &mut [u32] {
        let length = self.width.div_ceil(32);
        let base = self.base.get_or_insert_with(|| vec![0; length].into());
        Arc::make_mut(base)
    }

    pub(crate) fn finish(mut self) -> TokenMask {
        let room = self.width / 64;
        if self.more.len() + self.less.len() > APART_MAX.min(room.max(8)) {
            self.settle();
        }
        let Self { width, base, mut more, mut less } = self;
        // Lists that ascend come one after the other: the stable sort merges those.
        more.sort();
        more.dedup();
        less.sort_unstable();
        less.dedup();
        less.retain(|token| more.binary_search(token).is_err());
        let words = OnceLock::new();
        TokenMask { width, base, more: more.into(), less: less.into(), words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(mask: &TokenMask) -> Vec<u32> {
        mask.iter().map(|token| token.0).collect()
    }

    #[test]
    fn a_mask_is_its_base_with_more_and_less() {
        let base: Arc<[u32]> = vec![0b1111, 0b1].into();
        let mut builder = MaskBuilder::new(50);
        builder.union(&base);
        builder.remove(&[1, 2]);
        builder.insert(2);
        builder.insert(49);
        let mask = builder.finish();
        assert!(mask.contains(TokenId(49)) && !mask.contains(TokenId(1)));
        let mut words = [u32::MAX; 3];
        mask.fill(&mut words);
        assert_eq!(words, [0b1101, 1 | 1 << 17, 0]);
        assert_eq!(ids(&mask), [0, 2, 3, 32, 49]);
    }

    #[test]
    fn merging_is_union() {
        let base: Arc<[u32]> = vec![0b1111_0000].into();
        let other: Arc<[u32]> = vec![0b1_0000_0000].into();
        let with = |base: &Arc<[u32]>, less: &[u32], more: &[u32]| {
            let mut builder = MaskBuilder::new(32);
            builder.union(base);
            builder.remove(less);
            builder.extend(more);
            builder
        };
        let mut sum = MaskBuilder::new(32);
        sum.insert(5);
        sum.merge(with(&base, &[5, 6], &[1]));
        assert_eq!(ids(&sum.finish()), [1, 4, 5, 7]);
        let mut sum = with(&base, &[4, 5], &[]);
        sum.merge(with(&other, &[], &[5]));
        assert_eq!(ids(&sum.finish()), [5, 6, 7, 8]);
        let mut sum = with(&base, &[4, 5], &[]);
        sum.merge(with(&base, &[5, 6], &[]));
        assert_eq!(ids(&sum.finish()), [4, 6, 7]);
    }

    #[test]
    fn many_tokens_beside_a_base_become_words() {
        let mut builder = MaskBuilder::new(100_000);
        (0..50_000).for_each(|token| builder.insert(2 * token));
        let mask = builder.finish();
        assert_eq!(mask.count(), 50_000);
        assert!(mask.contains(TokenId(2)) && !mask.contains(TokenId(3)));
    }
}
