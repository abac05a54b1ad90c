//! Moves a matcher past text that is certain, as the tokens that the model was trained on.

use super::generate::DecodeError;
use crate::forced::{Forced, ForcedError};
use crate::matcher::{Matcher, Rejected};
use crate::vocabulary::{Token, TokenId, Tokenizer, Vocabulary};

/// What text is made of once special tokens are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symbol {
    Byte(u8),
    Special(TokenId),
}

/// Moves `matcher`, at its beginning, past the longest part of what is forced there that `prompt`
/// already ends with, and answers the length of that part in bytes and special tokens.
///
/// A blueprint may begin with the header of a turn, which the prompt of a chat template has
/// written already. A header begins with a special token: what is forced otherwise is to be
/// written, whatever the prompt ends with. The steps taken stand in the matcher like tokens.
///
/// # Errors
/// [`Rejected::Limit`] if a limit is crossed.
///
/// # Complexity
/// O(forced bytes and the end of the prompt that is as long).
pub fn skip_header(
    matcher: &mut Matcher,
    vocabulary: &Vocabulary,
    prompt: &[TokenId],
) -> Result<usize, Rejected> {
    let forced: Vec<Symbol> = matcher
        .forced()?
        .into_iter()
        .flat_map(|piece| match piece {
            Forced::Bytes(bytes) => bytes.into_iter().map(Symbol::Byte).collect(),
            Forced::Special(token) => vec![Symbol::Special(token)],
        })
        .collect();
    if !matches!(forced.first(), Some(Symbol::Special(_))) {
        return Ok(0);
    }
    // More tokens than symbols cannot matter: each of them is at least one symbol.
    let end = prompt.len().saturating_sub(forced.len());
    let ending = prompt[end..].iter().flat_map(|&token| match vocabulary.token(token) {
        Token::Bytes(bytes) => bytes.iter().copied().map(Symbol::Byte).collect(),
        Token::Special(_) => vec![Symbol::Special(token)],
        Token::Absent => Vec::new(),
    });
    let length = overlap(&forced, ending);
    for piece in forced[..length]
        .chunk_by(|left, right| matches!((left, right), (Symbol::Byte(_), Symbol::Byte(_))))
    {
        match piece {
            [Symbol::Special(token)] => matcher.accept(*token)?,
            bytes => {
                let bytes = bytes.iter().filter_map(|symbol| match symbol {
                    Symbol::Byte(byte) => Some(*byte),
                    Symbol::Special(_) => None,
                });
                matcher.accept_bytes(&bytes.collect::<Vec<u8>>())?;
            }
        }
    }
    Ok(length)
}

/// The length of the longest beginning of `pattern` that `text` ends with (Knuth, Morris, Pratt).
fn overlap(pattern: &[Symbol], text: impl Iterator<Item = Symbol>) -> usize {
    let mut fall = vec![0; pattern.len() + 1];
    let mut matched = 0;
    for at in 1..pattern.len() {
        while matched > 0 && pattern[matched] != pattern[at] {
            matched = fall[matched];
        }
        matched += usize::from(pattern[matched] == pattern[at]);
        fall[at + 1] = matched;
    }
    let mut matched = 0;
    for symbol in text {
        while matched > 0 && (matched == pattern.len() || pattern[matched] != symbol) {
            matched = fall[matched];
        }
        matched += usize::from(pattern.get(matched) == Some(&symbol));
    }
    matched
}

/// Moves `matcher` past the tokens of what is forced, `max` at most, and answers them.
///
/// The forced text is split as the tokenizer splits it; tokens that could be longer where it ends
/// are left to the model.
pub(crate) fn accept_forced(
    matcher: &mut Matcher,
    tokenizer: &Tokenizer,
    max: usize,
) -> Result<Vec<TokenId>, DecodeError> {
    let mut tokens = match matcher.forced_tokens(tokenizer) {
        Ok(tokens) => tokens,
        Err(ForcedError::Limit(limit)) => return Err(limit.into()),
        Err(ForcedError::Encode(error)) => return Err(error.into()),
    };
    tokens.truncate(max);
    let taken = matcher.accept_prefix(&tokens)?;
    tokens.truncate(taken);
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_overlap_is_found() {
        for (pattern, text, expected) in [
            ("abc", "xxab", 2),
            ("abc", "xxabc", 3),
            ("abc", "abcx", 0),
            ("aab", "aaa", 2),
            ("aaa", "aaaaaa", 3),
            ("abab", "ababa", 3),
            ("", "abc", 0),
            ("abc", "", 0),
        ] {
            let symbols = |text: &str| text.bytes().map(Symbol::Byte).collect::<Vec<_>>();
            let found = overlap(&symbols(pattern), symbols(text).into_iter());
            assert_eq!(found, expected, "{pattern} {text}");
        }
    }
}
