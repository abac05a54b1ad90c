//! A vocabulary and its index as bytes to be kept: versioned, with a checksum, checked when read.
//!
//! The bytes are: a mark with the version, the checksum of all that follows, the digest of what
//! the vocabulary was made from, the tokens, the index. Numbers stand in little-endian order, each
//! list after its length.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{Index, Token, Vocabulary};

/// The first bytes; the last one counts the versions of the form.
const MARK: [u8; 8] = *b"bpvocab\x02";

/// Why kept bytes are of no use; the vocabulary has to be made anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SavedError {
    /// It is no such file, or another version wrote it.
    #[error("this is not an index of this version")]
    Version,
    /// It was made from another tokenizer.
    #[error("the index belongs to another tokenizer")]
    Tokenizer,
    /// Some of its bytes are not those that were written.
    #[error("the index is broken")]
    Broken,
}

/// A part that is not as it was written.
pub(crate) struct Broken;

impl From<Broken> for SavedError {
    fn from(_: Broken) -> Self {
        Self::Broken
    }
}

/// Bytes that are being written.
#[derive(Default)]
pub(crate) struct Saved(Vec<u8>);

impl Saved {
    fn length(&mut self, count: usize) {
        self.0.extend((count as u64).to_le_bytes());
    }

    pub(crate) fn numbers(&mut self, numbers: &[u32]) {
        self.length(numbers.len());
        self.0.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    pub(crate) fn shorts(&mut self, numbers: &[u16]) {
        self.length(numbers.len());
        self.0.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.extend_from_slice(bytes);
    }
}

/// Bytes that are being read.
pub(crate) struct Pages<'a>(&'a [u8]);

impl<'a> Pages<'a> {
    fn list(&mut self, size: usize) -> Result<&'a [u8], Broken> {
        let (length, rest) = self.0.split_first_chunk::<8>().ok_or(Broken)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Broken)?;
        let length = length.checked_mul(size).ok_or(Broken)?;
        let (list, rest) = rest.split_at_checked(length).ok_or(Broken)?;
        self.0 = rest;
        Ok(list)
    }

    pub(crate) fn numbers(&mut self) -> Result<Vec<u32>, Broken> {
        let list = self.list(4)?;
        Ok(list.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }

    pub(crate) fn shorts(&mut self) -> Result<Vec<u16>, Broken> {
        let list = self.list(2)?;
        Ok(list.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect())
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Broken> {
        self.list(1)
    }
}

/// What tells one tokenizer file from another.
pub(super) fn digest(source: &[u8]) -> u128 {
    xxh3_128(source)
}

impl Vocabulary {
    /// The vocabulary and its index as bytes, for [`Vocabulary::from_saved`]. `source` is the
    /// `tokenizer.json` that it was made from; stop tokens and their policy are not kept.
    ///
    /// # Complexity
    /// O(bytes of all tokens); some 37 MB for 150,000 tokens.
    #[must_use]
    pub fn save(&self, source: &[u8]) -> Vec<u8> {
        let mut saved = Saved::default();
        saved.0.extend(digest(source).to_le_bytes());
        let (mut kinds, mut lengths, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        for token in &self.0.tokens {
            let (kind, token): (u8, &[u8]) = match token {
                Token::Bytes(token) => (0, token),
                Token::Special(token) => (1, token.as_bytes()),
                Token::Absent => (2, &[]),
            };
            kinds.push(kind);
            lengths.push(token.len() as u32);
            bytes.extend_from_slice(token);
        }
        saved.bytes(&kinds);
        saved.numbers(&lengths);
        saved.bytes(&bytes);
        self.index().save(&mut saved);
        [&MARK[..], &xxh3_64(&saved.0).to_le_bytes(), &saved.0].concat()
    }

    /// The vocabulary that [`Vocabulary::save`] has written for the same `source`, its index
    /// ready: much faster than [`Vocabulary::from_tokenizer_json`].
    ///
    /// # Errors
    /// [`SavedError`] if the bytes are not what was written, or belong to another `source`.
    ///
    /// # Complexity
    /// O(bytes).
    pub fn from_saved(saved: &[u8], source: &[u8]) -> Result<Self, SavedError> {
        let rest = saved.strip_prefix(&MARK).ok_or(SavedError::Version)?;
        let (sum, rest) = rest.split_first_chunk::<8>().ok_or(Broken)?;
        if xxh3_64(rest) != u64::from_le_bytes(*sum) {
            return Err(SavedError::Broken);
        }
        let (of, rest) = rest.split_first_chunk::<16>().ok_or(Broken)?;
        if u128::from_le_bytes(*of) != digest(source) {
            return Err(SavedError::Tokenizer);
        }
        let mut pages = Pages(rest);
        let tokens = tokens(&mut pages)?;
        let index = Index::load(&mut pages, tokens.len())?;
        let vocabulary = Self::new(tokens).map_err(|_| Broken)?;
        // Nobody else has the vocabulary yet, so the index is not there.
        let _ = vocabulary.0.index.set(index);
        Ok(vocabulary)
    }
}

fn tokens(pages: &mut Pages<'_>) -> Result<Vec<Token>, Broken> {
    let (kinds, lengths, mut bytes) = (pages.bytes()?, pages.numbers()?, pages.bytes()?);
    if kinds.len() != lengths.len() {
        return Err(Broken);
    }
    let token = |(&kind, length): (&u8, u32)| {
        let (token, rest) = bytes.split_at_checked(length as usize).ok_or(Broken)?;
        bytes = rest;
        Ok(match kind {
            0 => Token::Bytes(token.into()),
            1 => Token::Special(std::str::from_utf8(token).map_err(|_| Broken)?.into()),
            _ => Token::Absent,
        })
    };
    kinds.iter().zip(lengths).map(token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let words = ["a", "ab", "\"", "\\", "日本", "long enough to be long", "ab\"c", " "];
        let mut tokens: Vec<Token> =
            words.iter().map(|word| Token::Bytes(word.as_bytes().into())).collect();
        tokens.extend([Token::Special("<s>".into()), Token::Absent]);
        Vocabulary::new(tokens).expect("there are tokens")
    }

    #[test]
    fn what_was_saved_is_read() {
        let made = vocabulary();
        let saved = made.save(b"source");
        let read = Vocabulary::from_saved(&saved, b"source").expect("it is as it was written");
        assert_eq!(made.0.tokens, read.0.tokens);
        assert_eq!(
            format!("{:?}", made.index()),
            format!("{:?}", read.0.index.get().expect("it was read"))
        );
        assert_eq!(read.save(b"source"), saved);
    }

    #[test]
    fn what_is_not_as_written_is_refused() {
        let saved = vocabulary().save(b"source");
        let read = |saved: &[u8], source: &[u8]| Vocabulary::from_saved(saved, source).err();
        assert_eq!(read(&saved, b"other"), Some(SavedError::Tokenizer));
        assert_eq!(read(b"", b""), Some(SavedError::Version));
        assert_eq!(read(&saved[1..], b"source"), Some(SavedError::Version));
        for at in 8..saved.len() {
            let mut broken = saved.clone();
            broken[at] ^= 0x41;
            assert_eq!(read(&broken, b"source"), Some(SavedError::Broken), "byte {at}");
            assert_eq!(read(&saved[..at], b"source"), Some(SavedError::Broken), "up to {at}");
        }
    }

    /// Also where the checksum is right, as in a file that was written to do harm.
    #[test]
    fn no_bytes_make_reading_panic() {
        let saved = vocabulary().save(b"source");
        for at in 16..saved.len() {
            for with in [0x01, 0x80, 0xFF] {
                let mut broken = saved.clone();
                broken[at] ^= with;
                let sum = xxh3_64(&broken[16..]).to_le_bytes();
                broken[8..16].copy_from_slice(&sum);
                let Ok(read) = Vocabulary::from_saved(&broken, b"source") else { continue };
                assert!(read.index().trie.longest(b"ab\"cd").is_none_or(|(_, length)| length < 5));
            }
        }
    }
}
