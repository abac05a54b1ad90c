//! A tokenizer's vocabulary: the bytes of each token, with special tokens apart.

mod characters;
mod encode;
mod index;
mod saved;
mod store;
mod tokenizer_json;
mod trie;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

pub(crate) use characters::{Characters, Reading};
pub use encode::{EncodeError, Tokenizer};
pub(crate) use index::{Index, LONG};
pub use saved::SavedError;
pub use store::{StoreWarning, Stored, VocabularyStore};
pub(crate) use trie::{Trie, TrieNode};

use crate::engine::SharedLocals;

/// The id of a token, which is its place in the logits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TokenId(pub u32);

impl std::fmt::Display for TokenId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What an id stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// These bytes. Byte-level vocabularies hold tokens that are parts of a character.
    Bytes(Box<[u8]>),
    /// A control token: no text means it, whatever its spelling.
    Special(Box<str>),
    /// No token: a hole in the ids, or a row that pads the logits.
    Absent,
}

/// Where the tokens that end a turn may stand, beyond what an outline spells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum StopPolicy {
    /// Wherever the text may end, be it that more may follow.
    #[default]
    WhereAccepting,
    /// Only where the text may end and nothing else can follow: the model cannot break off early.
    WhereComplete,
    /// Nowhere: the caller decides when to stop, by [`Matcher::is_accepting`] for one.
    ///
    /// [`Matcher::is_accepting`]: crate::Matcher::is_accepting
    Caller,
}

/// The tokens of a model, by id. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Vocabulary(Arc<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    tokens: Vec<Token>,
    special: BTreeMap<Box<str>, TokenId>,
    stop: Vec<TokenId>,
    policy: StopPolicy,
    /// Made when it is first needed.
    index: Arc<OnceLock<Index>>,
    /// The length of the longest token in bytes.
    bytes_max: usize,
    missing: Box<[u8]>,
    /// What programs have found out about rules that many of them have.
    shared: Arc<SharedLocals>,
}

/// Why a vocabulary cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// The text is not JSON of the expected form.
    #[error("the tokenizer is not a Hugging Face `tokenizer.json`: {0}")]
    Json(#[from] serde_json::Error),
    /// A kind of tokenizer whose tokens are not plain byte strings.
    #[error("a tokenizer model of type `{0}` is not supported; BPE and Unigram are")]
    Model(String),
    /// The vocabulary has an entry that is no token with an id.
    #[error("the vocabulary has a broken entry: {0}")]
    Entry(String),
    /// A token id beyond any logits width that a model can have.
    #[error("token id {id} of `{token}` is above {max}")]
    Id {
        /// The id.
        id: u64,
        /// The token's spelling.
        token: String,
        /// The largest id.
        max: u32,
    },
    /// There are no tokens at all.
    #[error("the tokenizer has no tokens")]
    Empty,
    /// Logits that are narrower than the vocabulary.
    #[error("the logits are {width} wide, but the vocabulary has token id {id}")]
    Width {
        /// The width that was asked for.
        width: usize,
        /// The largest token id.
        id: u32,
    },
}

impl Vocabulary {
    /// The largest token id that is accepted: a bound on what a broken file can make us allocate.
    pub const TOKEN_ID_MAX: u32 = (1 << 24) - 1;

    /// The vocabulary of a Hugging Face `tokenizer.json`: byte-level BPE, and SentencePiece (BPE
    /// or Unigram) with byte fallback.
    ///
    /// # Errors
    /// [`VocabularyError`] if the text is not such a file.
    ///
    /// # Complexity
    /// O(n log n) in the bytes of all tokens.
    pub fn from_tokenizer_json(json: &[u8]) -> Result<Self, VocabularyError> {
        Self::new(tokenizer_json::tokens(json)?)
    }

    /// The vocabulary of these tokens, each one's id being its place.
    ///
    /// # Errors
    /// [`VocabularyError::Empty`] if there are none.
    pub fn new(tokens: Vec<Token>) -> Result<Self, VocabularyError> {
        if tokens.iter().all(|token| *token == Token::Absent) {
            return Err(VocabularyError::Empty);
        }
        let mut special = BTreeMap::new();
        for (id, token) in (0..).map(TokenId).zip(&tokens) {
            if let Token::Special(spelling) = token {
                special.entry(spelling.clone()).or_insert(id);
            }
        }
        let single = single_bytes(&tokens);
        let utf8 = (0..=0xF4).filter(|byte| !matches!(byte, 0xC0 | 0xC1));
        let missing = utf8.filter(|&byte: &u8| !single[usize::from(byte)]).collect();
        let (stop, shared) = (Vec::new(), Arc::default());
        let bytes = tokens.iter().map(|token| match token {
            Token::Bytes(bytes) => bytes.len(),
            Token::Special(_) | Token::Absent => 0,
        });
        let bytes_max = bytes.max().unwrap_or(0);
        let (index, policy) = (Arc::default(), StopPolicy::default());
        let inner = Inner { tokens, special, stop, policy, index, bytes_max, missing, shared };
        Ok(Self(Arc::new(inner)))
    }

    /// The same with masks as wide as the model's logits, which are often padded.
    ///
    /// # Errors
    /// [`VocabularyError::Width`] if a token's id does not fit.
    pub fn with_width(&self, width: usize) -> Result<Self, VocabularyError> {
        let used = self.0.tokens.iter().rposition(|token| *token != Token::Absent).unwrap_or(0);
        if width <= used {
            return Err(VocabularyError::Width { width, id: used as u32 });
        }
        let mut inner = Inner::clone(&self.0);
        inner.tokens.resize(width, Token::Absent);
        // Masks are as wide as the logits.
        (inner.shared, inner.index) = (Arc::default(), Arc::default());
        Ok(Self(Arc::new(inner)))
    }

    /// The same with the tokens that end a turn. They are allowed where the text may end, unless
    /// [`Vocabulary::with_stop_policy`] says otherwise.
    #[must_use]
    pub fn with_stop_tokens(&self, stop: &[TokenId]) -> Self {
        let mut inner = Inner::clone(&self.0);
        inner.stop = stop.iter().copied().filter(|&id| self.token(id) != &Token::Absent).collect();
        inner.stop.sort_unstable();
        inner.stop.dedup();
        Self(Arc::new(inner))
    }

    /// The same with another rule for where stop tokens may stand.
    #[must_use]
    pub fn with_stop_policy(&self, policy: StopPolicy) -> Self {
        let mut inner = Inner::clone(&self.0);
        inner.policy = policy;
        Self(Arc::new(inner))
    }

    /// Where stop tokens may stand.
    #[must_use]
    pub fn stop_policy(&self) -> StopPolicy {
        self.0.policy
    }

    /// The number of ids, which is the width of the logits.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.tokens.len()
    }

    /// What `id` stands for; [`Token::Absent`] beyond the width.
    #[must_use]
    pub fn token(&self, id: TokenId) -> &Token {
        self.0.tokens.get(id.0 as usize).unwrap_or(&Token::Absent)
    }

    /// The bytes that `id` adds to the text: none for a special token.
    #[must_use]
    pub fn bytes(&self, id: TokenId) -> &[u8] {
        match self.token(id) {
            Token::Bytes(bytes) => bytes,
            Token::Special(_) | Token::Absent => &[],
        }
    }

    /// How `id` is shown to people: its bytes, or a special token's spelling.
    #[must_use]
    pub fn spelling(&self, id: TokenId) -> &[u8] {
        match self.token(id) {
            Token::Special(spelling) => spelling.as_bytes(),
            _ => self.bytes(id),
        }
    }

    /// The special token with this spelling.
    #[must_use]
    pub fn special_id(&self, spelling: &str) -> Option<TokenId> {
        self.0.special.get(spelling).copied()
    }

    /// The special tokens by their spelling.
    pub fn special_tokens(&self) -> impl Iterator<Item = (&str, TokenId)> {
        self.0.special.iter().map(|(spelling, id)| (&**spelling, *id))
    }

    /// The special tokens whose spelling is `from` or stands after it.
    pub(crate) fn special_from(&self, from: &str) -> impl Iterator<Item = (&str, TokenId)> {
        let range = (Bound::Included(from), Bound::Unbounded);
        let range = self.0.special.range::<str, _>(range);
        range.map(|(spelling, id)| (&**spelling, *id))
    }

    /// The bytes that no token spells alone, of those that occur in UTF-8.
    pub(crate) fn missing_bytes(&self) -> &[u8] {
        &self.0.missing
    }

    pub(crate) fn shared(&self) -> &Arc<SharedLocals> {
        &self.0.shared
    }

    /// The tokens that end a turn.
    #[must_use]
    pub fn stop_tokens(&self) -> &[TokenId] {
        &self.0.stop
    }

    /// The length of the longest token in bytes.
    #[must_use]
    pub fn token_bytes_max(&self) -> usize {
        self.0.bytes_max
    }

    /// For each byte, whether some token is that byte alone.
    #[must_use]
    pub fn single_bytes(&self) -> [bool; 256] {
        single_bytes(&self.0.tokens)
    }

    pub(crate) fn index(&self) -> &Index {
        self.0.index.get_or_init(|| Index::new(&self.0.tokens))
    }

    /// Builds what masks need, which is otherwise done when the first mask is asked for. Returns
    /// the bytes of memory that it takes.
    ///
    /// # Complexity
    /// O(n log n) in the bytes of all tokens.
    pub fn prepare(&self) -> usize {
        self.index().bytes_of_memory()
    }
}

/// For each byte, whether some token is that byte alone.
fn single_bytes(tokens: &[Token]) -> [bool; 256] {
    let mut found = [false; 256];
    for token in tokens {
        if let Token::Bytes(bytes) = token
            && let [byte] = **bytes
        {
            found[usize::from(byte)] = true;
        }
    }
    found
}
