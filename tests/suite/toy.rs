//! A small vocabulary that has what makes real ones hard: every byte, tokens that cross the
//! borders of constructs, parts of characters, equal tokens, holes and special tokens.

use blueprints::{Token, TokenId, Vocabulary};

pub(crate) const WORDS: &[&str] = &[
    "ab", "abc", "ba", "bb", "aa", "aab", "no", "not", " sure", "not sure", "<think>", "</think>",
    "</", "think", "\n\n", "\n", "<", "<<", "{\"", "\"}", "\":", "\", \"", "\": \"", "\": ", "{}",
    "[]", "[", ", ", "],", "}}", "12", "0.", "1e", "-1", "true", "null", "\\u", "\\n", "\\\"",
    "00", "é", "ü", "日本", "日", "😀", "  ", "   ", "a\"", "x,", ",x", "ab\n", ">\n<", "a", "b",
];

/// Tokens that are parts of characters.
const PARTS: &[&[u8]] = &[&[0xE6, 0x97], &[0xA5, 0xE6], &[0xF0, 0x9F, 0x98], &[b'a', 0xC3]];

/// The special tokens.
pub(crate) const SPECIAL: &[&str] = &["<|im_start|>", "<|im_end|>", "<|x|>"];

pub(crate) fn vocabulary() -> Vocabulary {
    let mut tokens: Vec<Token> = (0..=u8::MAX).map(|byte| Token::Bytes([byte].into())).collect();
    tokens.extend(WORDS.iter().map(|word| Token::Bytes(word.as_bytes().into())));
    tokens.push(Token::Absent);
    tokens.extend(PARTS.iter().map(|part| Token::Bytes((*part).into())));
    tokens.extend(SPECIAL.iter().map(|special| Token::Special((*special).into())));
    Vocabulary::new(tokens).expect("there are tokens")
}

/// All ids, holes among them.
pub(crate) fn ids(vocabulary: &Vocabulary) -> impl Iterator<Item = TokenId> + use<> {
    (0..vocabulary.width() as u32).map(TokenId)
}

/// Repeatable random numbers (Steele and others, splitmix64, 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}
