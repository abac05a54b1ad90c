//! What is known about a vocabulary before any outline is: its trie, and for a handful of loop
//! classes which tokens stay in them.
//!
//! A state that returns to itself on all characters of a class allows every token of those
//! characters at once; the rest of the vocabulary is decided by what follows the longest such
//! prefix, of which there are few distinct ones.

use std::sync::Arc;

use super::Token;
use super::characters::{self, Characters};
use super::trie::Trie;

/// A class of characters on which states often loop.
#[derive(Debug)]
pub(crate) struct LoopClass {
    pub(crate) characters: Characters,
    /// The tokens of these characters alone, packed.
    pub(crate) whole: Arc<[u32]>,
    pub(crate) count: usize,
    /// The other tokens by what follows their longest prefix of these characters.
    pub(crate) suffixes: Trie,
    /// The other tokens themselves.
    pub(crate) others: Trie,
}

/// The index of a vocabulary.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) trie: Trie,
    /// The loop classes, those with most tokens first.
    pub(crate) classes: Vec<LoopClass>,
}

impl Index {
    /// # Complexity
    /// O(n log n) in the bytes of all tokens, in parallel over the classes.
    pub(crate) fn new(tokens: &[Token]) -> Self {
        let mut classes: Vec<LoopClass> = Vec::new();
        let mut trie = Trie::default();
        std::thread::scope(|scope| {
            let builds: Vec<_> = usual_classes()
                .into_iter()
                .map(|class| scope.spawn(move || LoopClass::new(class, tokens)))
                .collect();
            trie = Trie::of_tokens(tokens);
            classes = builds.into_iter().filter_map(|build| build.join().ok()).collect();
        });
        classes.sort_by_key(|class| std::cmp::Reverse(class.count));
        Self { trie, classes }
    }

    pub(crate) fn bytes_of_memory(&self) -> usize {
        let class = |class: &LoopClass| {
            class.whole.len() * 4
                + class.suffixes.bytes_of_memory()
                + class.others.bytes_of_memory()
        };
        self.trie.bytes_of_memory() + self.classes.iter().map(class).sum::<usize>()
    }
}

/// The classes that languages of models are made of: JSON strings, free text, text up to a tag,
/// lines, words of JSON strings, and identifiers.
fn usual_classes() -> [Characters; 6] {
    let any = |_: u8| true;
    let json = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    // The first bytes under which there is white space.
    let spaced = |lead: u8| matches!(lead, 0xC2 | 0xE1 | 0xE2 | 0xE3 | 0xEF);
    [
        Characters::ascii(json).with_leads(any),
        Characters::ALL,
        Characters::ascii(|byte| byte != b'<').with_leads(any),
        Characters::ascii(|byte| byte != b'\n' && byte != b'\r').with_leads(|lead| lead != 0xE2),
        Characters::ascii(|byte| json(byte) && byte != b' ' && byte != 0x7F)
            .with_leads(|lead| !spaced(lead)),
        Characters::ascii(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
    ]
}

impl LoopClass {
    fn new(set: Characters, tokens: &[Token]) -> Self {
        let mut whole = vec![0_u32; tokens.len().div_ceil(32)];
        let (mut suffixes, mut others, mut count) = (Vec::new(), Vec::new(), 0);
        for (id, token) in (0_u32..).zip(tokens) {
            let Token::Bytes(bytes) = token else { continue };
            if bytes.is_empty() {
                continue;
            }
            let prefix = characters::prefix(bytes, set);
            if prefix == bytes.len() {
                whole[id as usize / 32] |= 1 << (id % 32);
                count += 1;
            } else {
                suffixes.push((&bytes[prefix..], id));
                others.push((&bytes[..], id));
            }
        }
        Self {
            characters: set,
            whole: whole.into(),
            count,
            suffixes: Trie::new(suffixes),
            others: Trie::new(others),
        }
    }
}
