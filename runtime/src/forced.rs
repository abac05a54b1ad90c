//! What must come next: as bytes, and as the tokens that a model was trained on.

use crate::bind::token_of;
use crate::engine::{Engine, StateId};
use crate::limits::LimitError;
use crate::matcher::Matcher;
use crate::vocabulary::{EncodeError, TokenId, Tokenizer, Trie};

/// A piece of text that must come next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Forced {
    /// These bytes, in tokens of any kind.
    Bytes(Vec<u8>),
    /// This special token.
    Special(TokenId),
}

/// Why forced tokens cannot be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForcedError {
    /// A limit was crossed.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The forced text cannot be split into tokens.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl Matcher {
    /// What must come next, as long as there is only one way on: text in bytes and special
    /// tokens in turn. Empty where the text may end or go on in several ways.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed; the matcher is as it was.
    ///
    /// # Complexity
    /// O(bytes that are returned).
    pub fn forced(&self) -> Result<Vec<Forced>, LimitError> {
        Ok(self.forced_until()?.0)
    }

    /// What must come next, and the state after it.
    fn forced_until(&self) -> Result<(Vec<Forced>, StateId), LimitError> {
        let mut forced = Vec::new();
        let place = self.place();
        if place.stopped {
            return Ok((forced, StateId::DEAD));
        }
        let engine = self.program().engine();
        let (mut state, mut bytes) = (place.state, Vec::new());
        for _ in 0..self.program().limits().forced_bytes_max {
            match only_way(engine, state)? {
                Some((Way::Byte(byte), next)) => {
                    bytes.push(byte);
                    state = next;
                }
                Some((Way::Special(token), next)) => {
                    if !bytes.is_empty() {
                        forced.push(Forced::Bytes(std::mem::take(&mut bytes)));
                    }
                    forced.push(Forced::Special(token));
                    state = next;
                }
                None => break,
            }
        }
        if !bytes.is_empty() {
            forced.push(Forced::Bytes(bytes));
        }
        Ok((forced, state))
    }

    /// The tokens of what must come next, split as `tokenizer` splits text, so that a model may
    /// be fed them without a choice of its own. They stop before the first token in which another
    /// allowed token could begin that spans the end of the forced text: from there on a model may
    /// have been trained on another split than that of the forced text alone. The matcher stays
    /// where it is; [`Matcher::accept_prefix`] moves past them.
    ///
    /// # Errors
    /// [`ForcedError`] if a limit is crossed, or the tokenizer cannot spell the text.
    ///
    /// # Complexity
    /// O(forced bytes), and for each of the last few tokens O(tokens that begin with it).
    pub fn forced_tokens(&self, tokenizer: &Tokenizer) -> Result<Vec<TokenId>, ForcedError> {
        let (pieces, end) = self.forced_until()?;
        let last = pieces.len().saturating_sub(1);
        let mut tokens = Vec::new();
        for (at, piece) in pieces.into_iter().enumerate() {
            match piece {
                Forced::Special(token) => tokens.push(token),
                Forced::Bytes(bytes) if at < last => {
                    // A special token ends the text, so nothing can span its end.
                    let Ok(text) = std::str::from_utf8(&bytes) else { break };
                    tokens.extend(tokenizer.encode_continuation(text)?);
                }
                Forced::Bytes(bytes) => {
                    tokens.extend(self.closed_tokens(tokenizer, &bytes, end)?);
                }
            }
        }
        // What spells a special token is text here, and such a token does not stand for it.
        tokens.truncate(self.validate(&tokens)?);
        Ok(tokens)
    }

    /// The tokens of `bytes`, which lead to `end`, up to the first one that the model might
    /// write longer.
    fn closed_tokens(
        &self,
        tokenizer: &Tokenizer,
        bytes: &[u8],
        end: StateId,
    ) -> Result<Vec<TokenId>, ForcedError> {
        let whole = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The rest is the beginning of a character that is not forced as a whole.
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        let vocabulary = self.program().vocabulary();
        let mut tokens = tokenizer.encode_continuation(whole)?;
        let mut begin = 0;
        for at in 0..tokens.len() {
            let length = vocabulary.bytes(tokens[at]).len();
            if bytes.len() - begin <= vocabulary.token_bytes_max() {
                // Two blanks may be one token, and a blank before a word part of the word's: what
                // spans the end may begin inside a token.
                let mut starts = begin..bytes.len().min(begin + length.max(1));
                let spanned = starts.try_fold(false, |found, start| {
                    Ok::<bool, LimitError>(found || self.spans(&bytes[start..], end)?)
                })?;
                if spanned {
                    tokens.truncate(at);
                    break;
                }
            }
            begin += length;
        }
        Ok(tokens)
    }

    /// Whether a token begins with all of `rest` and goes on from `end`.
    fn spans(&self, rest: &[u8], end: StateId) -> Result<bool, LimitError> {
        let trie = &self.program().vocabulary().index().trie;
        let mut node = 0;
        for &byte in rest {
            match trie.child(node, byte) {
                Some(child) => node = child,
                None => return Ok(false),
            }
        }
        goes_on(self.program().engine(), trie, node, end)
    }
}

/// Whether a token below `node` can be read from `state`.
fn goes_on(engine: &Engine, trie: &Trie, node: u32, state: StateId) -> Result<bool, LimitError> {
    let mut pending = vec![(node, state)];
    while let Some((node, state)) = pending.pop() {
        for child in trie.node(node).children() {
            let next = engine.step(state, trie.byte(child))?;
            if next != StateId::DEAD {
                if !trie.own(trie.node(child)).is_empty() {
                    return Ok(true);
                }
                pending.push((child, next));
            }
        }
    }
    Ok(false)
}

enum Way {
    Byte(u8),
    Special(TokenId),
}

/// The one symbol that leads on from `state`, if there is just one and the text may not end.
fn only_way(engine: &Engine, state: StateId) -> Result<Option<(Way, StateId)>, LimitError> {
    if engine.is_accepting(state) {
        return Ok(None);
    }
    let live = engine.live(state)?;
    let markers = engine.markers(state);
    let ways = live.len() + markers.len();
    if ways != 1 {
        return Ok(None);
    }
    if let Some(&marker) = markers.first() {
        let next = engine.step_marker(state, marker)?;
        return Ok(Some((Way::Special(token_of(marker)), next)));
    }
    let Some(byte) = live.iter().next() else { return Ok(None) };
    Ok(Some((Way::Byte(byte), engine.step(state, byte)?)))
}
