//! Reads the tokens of a Hugging Face `tokenizer.json` as bytes.
//!
//! Takes them from the vocabulary's strings, never by decoding ids: decoding strips a leading
//! space and replaces parts of characters.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Token, Vocabulary, VocabularyError};

#[derive(Deserialize)]
#[serde(expecting = "an object with a tokenizer's parts")]
struct File {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    decoder: Value,
    model: Model,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u64,
    content: String,
    #[serde(default)]
    special: bool,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type")]
    kind: Option<String>,
    vocab: Value,
}

/// How the vocabulary's strings stand for bytes.
enum Alphabet {
    /// GPT-2's: one character for each byte.
    ByteLevel(BTreeMap<char, u8>),
    /// SentencePiece's: `▁` for a blank, `<0x0A>` for a byte.
    SentencePiece,
}

/// The tokens by id.
pub(super) fn tokens(json: &[u8]) -> Result<Vec<Token>, VocabularyError> {
    let file: File = serde_json::from_slice(json)?;
    let alphabet = alphabet(&file);
    let mut tokens = Vec::new();
    match (file.model.kind.as_deref(), &file.model.vocab) {
        (None | Some("BPE"), Value::Object(vocab)) => {
            for (string, id) in vocab {
                let Some(id) = id.as_u64() else {
                    return Err(VocabularyError::Entry(format!("`{string}` has the id {id}")));
                };
                place(&mut tokens, id, string, Token::Bytes(alphabet.bytes(string)))?;
            }
        }
        (None | Some("Unigram"), Value::Array(vocab)) => {
            for (id, entry) in (0..).zip(vocab) {
                let Some(string) = entry.get(0).and_then(Value::as_str) else {
                    return Err(VocabularyError::Entry(entry.to_string()));
                };
                place(&mut tokens, id, string, Token::Bytes(alphabet.bytes(string)))?;
            }
        }
        (kind, _) => return Err(VocabularyError::Model(kind.unwrap_or("unknown").into())),
    }
    for added in &file.added_tokens {
        let token = if added.special {
            Token::Special(added.content.as_str().into())
        } else {
            Token::Bytes(added.content.as_bytes().into())
        };
        place(&mut tokens, added.id, &added.content, token)?;
    }
    Ok(tokens)
}

fn place(
    tokens: &mut Vec<Token>,
    id: u64,
    string: &str,
    token: Token,
) -> Result<(), VocabularyError> {
    let max = Vocabulary::TOKEN_ID_MAX;
    let at = u32::try_from(id).ok().filter(|&id| id <= max);
    let Some(at) = at else {
        return Err(VocabularyError::Id { id, token: string.into(), max });
    };
    let at = at as usize;
    if tokens.len() <= at {
        tokens.resize(at + 1, Token::Absent);
    }
    tokens[at] = token;
    Ok(())
}

fn alphabet(file: &File) -> Alphabet {
    let parts = [&file.normalizer, &file.pre_tokenizer, &file.decoder];
    if parts.iter().any(|part| mentions(part, "ByteLevel")) {
        Alphabet::ByteLevel(byte_level())
    } else {
        Alphabet::SentencePiece
    }
}

/// Whether a component, or one of those it is a sequence of, has this type.
fn mentions(part: &Value, kind: &str) -> bool {
    let lists = ["pretokenizers", "decoders", "normalizers"];
    part.get("type").and_then(Value::as_str) == Some(kind)
        || lists
            .iter()
            .filter_map(|list| part.get(list)?.as_array())
            .flatten()
            .any(|inner| inner.get("type").and_then(Value::as_str) == Some(kind))
}

impl Alphabet {
    fn bytes(&self, string: &str) -> Box<[u8]> {
        match self {
            Self::ByteLevel(bytes) => {
                let mapped: Option<Vec<u8>> =
                    string.chars().map(|character| bytes.get(&character).copied()).collect();
                // A string outside the alphabet is an added token's, which stands for itself.
                mapped.unwrap_or_else(|| string.as_bytes().to_vec()).into()
            }
            Self::SentencePiece => match byte_fallback(string) {
                Some(byte) => [byte].into(),
                None => string.replace('▁', " ").into_bytes().into(),
            },
        }
    }
}

/// The byte of `<0x0A>`.
fn byte_fallback(string: &str) -> Option<u8> {
    let digits = string.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// GPT-2's alphabet: printable bytes stand for themselves, the rest for characters from U+0100 on.
fn byte_level() -> BTreeMap<char, u8> {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let mut others = '\u{100}'..='\u{1FF}';
    (0..=u8::MAX)
        .filter_map(|byte| {
            let character = if printable(byte) { Some(char::from(byte)) } else { others.next() };
            character.map(|character| (character, byte))
        })
        .collect()
}
