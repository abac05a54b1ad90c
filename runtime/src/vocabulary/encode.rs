//! Text to tokens as a model was trained on them.

use super::{Token, TokenId, Vocabulary, VocabularyError};

/// Splits text into tokens of a vocabulary; wraps the crate `tokenizers`.
#[derive(Clone)]
pub struct Tokenizer {
    inner: Box<tokenizers::Tokenizer>,
    vocabulary: Vocabulary,
}

/// Why text cannot be split.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The vocabulary cannot be read.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// The tokenizer cannot be built, or fails on a text.
    #[error("the tokenizer fails: {0}")]
    Tokenizer(String),
    /// No sequence of tokens spells the text.
    #[error("no token spells the text at byte {0}")]
    Unspellable(usize),
}

impl Tokenizer {
    /// The tokenizer of a Hugging Face `tokenizer.json`.
    ///
    /// # Errors
    /// [`EncodeError`] if the text is not such a file.
    pub fn from_json(json: &[u8]) -> Result<Self, EncodeError> {
        let vocabulary = Vocabulary::from_tokenizer_json(json)?;
        let inner = tokenizers::Tokenizer::from_bytes(json)
            .map_err(|error| EncodeError::Tokenizer(error.to_string()))?;
        Ok(Self { inner: Box::new(inner), vocabulary })
    }

    /// The tokens as bytes.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The same with another view of its vocabulary (logits width, stop tokens).
    #[must_use]
    pub fn with_vocabulary(mut self, vocabulary: Vocabulary) -> Self {
        self.vocabulary = vocabulary;
        self
    }

    /// The tokens of a prompt. Spellings of special tokens become those tokens.
    ///
    /// # Errors
    /// [`EncodeError::Tokenizer`] if the tokenizer fails.
    pub fn encode(&self, text: &str) -> Result<Vec<TokenId>, EncodeError> {
        let encoding = self
            .inner
            .encode(text, false)
            .map_err(|error| EncodeError::Tokenizer(error.to_string()))?;
        Ok(encoding.get_ids().iter().copied().map(TokenId).collect())
    }

    /// The tokens of a text that goes on after others: they spell exactly `text`, where
    /// [`Tokenizer::encode`] may add a blank in front or normalise characters. Spellings of
    /// special tokens become those tokens.
    ///
    /// # Errors
    /// [`EncodeError::Unspellable`] if no tokens spell it.
    pub fn encode_continuation(&self, text: &str) -> Result<Vec<TokenId>, EncodeError> {
        let plain = self.encode(text)?;
        if self.spells(&plain, text) {
            return Ok(plain);
        }
        let mut tokens = Vec::new();
        let (mut begin, mut at) = (0, 0);
        while at < text.len() {
            match self.special_at(&text[at..]) {
                Some((id, length)) => {
                    self.encode_plain(text, begin..at, &mut tokens)?;
                    tokens.push(id);
                    at += length;
                    begin = at;
                }
                None => at += text[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
        self.encode_plain(text, begin..at, &mut tokens)?;
        Ok(tokens)
    }

    /// The special token that `text` begins with, the longest if there are several.
    fn special_at(&self, text: &str) -> Option<(TokenId, usize)> {
        let special = self.vocabulary.special_tokens();
        special
            .filter(|(spelling, _)| !spelling.is_empty() && text.starts_with(spelling))
            .max_by_key(|(spelling, _)| spelling.len())
            .map(|(spelling, id)| (id, spelling.len()))
    }

    /// Appends the tokens of `text[range]`, which spells no special token.
    fn encode_plain(
        &self,
        text: &str,
        range: std::ops::Range<usize>,
        tokens: &mut Vec<TokenId>,
    ) -> Result<(), EncodeError> {
        let part = &text[range.clone()];
        if part.is_empty() {
            return Ok(());
        }
        // A line feed in front takes the added blank, and merges with nothing in SentencePiece.
        let after_line = self.encode(&format!("\n{part}"))?;
        let line = after_line.iter().position(|&id| self.vocabulary.bytes(id) == b"\n");
        if let Some(line) = line
            && self.spells(&after_line[line + 1..], part)
        {
            tokens.extend(&after_line[line + 1..]);
            return Ok(());
        }
        let mut rest = part.as_bytes();
        while !rest.is_empty() {
            let at = range.end - rest.len();
            let longest = self.vocabulary.index().trie.longest(rest);
            let (id, length) = longest.ok_or(EncodeError::Unspellable(at))?;
            tokens.push(id);
            rest = &rest[length..];
        }
        Ok(())
    }

    fn spells(&self, tokens: &[TokenId], text: &str) -> bool {
        let mut rest = text.as_bytes();
        tokens.iter().all(|&id| match rest.strip_prefix(self.vocabulary.spelling(id)) {
            Some(after) => {
                rest = after;
                self.vocabulary.token(id) != &Token::Absent
            }
            None => false,
        }) && rest.is_empty()
    }
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokenizer").field("width", &self.vocabulary.width()).finish()
    }
}
