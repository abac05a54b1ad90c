//! What is known about a vocabulary before any outline is: its trie, and for a handful of loop
//! classes which tokens stay in them.
//!
//! A state that returns to itself on all characters of a class allows every token of those
//! characters at once; the rest of the vocabulary is decided by what follows the longest such
//! prefix, of which there are few distinct ones.

use std::sync::Arc;

use super::Token;
use super::characters::{self, Characters};
use super::saved::{Broken, Pages, Saved};
use super::trie::Trie;

/// A class of characters on which states often loop.
#[derive(Debug)]
pub(crate) struct LoopClass {
    pub(crate) characters: Characters,
    /// The tokens of these characters alone, packed.
    pub(crate) whole: Arc<[u32]>,
    pub(crate) count: usize,
    /// For each number of characters from 1 on, those of at most so many.
    up_to: Vec<Arc<[u32]>>,
    /// Those of more characters than `up_to` has sets for, with their number.
    long: Vec<(u16, u32)>,
    /// The other tokens whose first byte begins one of these characters, by what follows their
    /// longest prefix of them. What begins with other bytes is looked for among all tokens.
    pub(crate) suffixes: Trie,
    /// The tokens of `suffixes` themselves.
    pub(crate) others: Trie,
}

/// The index of a vocabulary.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) trie: Trie,
    /// The loop classes, those with most tokens first.
    pub(crate) classes: Vec<LoopClass>,
    /// The loop class of the letters of ASCII.
    pub(crate) letters: Option<usize>,
    /// The tokens of more than [`LONG`] bytes, longest first.
    pub(crate) long: Vec<u32>,
    /// The tokens with a quotation mark.
    pub(crate) quoted: Vec<u32>,
    /// The tokens with a backslash and without a quotation mark.
    pub(crate) escaped: Vec<u32>,
}

/// Above how many bytes a token is long.
pub(crate) const LONG: usize = 16;

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
        let bytes = |id: u32| match &tokens[id as usize] {
            Token::Bytes(bytes) => bytes.len(),
            Token::Special(_) | Token::Absent => 0,
        };
        let mut long: Vec<u32> = (0..tokens.len() as u32).filter(|&id| bytes(id) > LONG).collect();
        long.sort_by_key(|&id| std::cmp::Reverse(bytes(id)));
        let holds = |id: u32, byte: u8| match &tokens[id as usize] {
            Token::Bytes(bytes) => bytes.contains(&byte),
            Token::Special(_) | Token::Absent => false,
        };
        let all = 0..tokens.len() as u32;
        let quoted = all.clone().filter(|&id| holds(id, b'"')).collect();
        let escaped = all.filter(|&id| holds(id, b'\\') && !holds(id, b'"')).collect();
        let letters = of_letters(&classes);
        Self { trie, classes, letters, long, quoted, escaped }
    }

    pub(super) fn save(&self, saved: &mut Saved) {
        self.trie.save(saved);
        saved.numbers(&[self.classes.len() as u32]);
        self.classes.iter().for_each(|class| class.save(saved));
        [&self.long, &self.quoted, &self.escaped].iter().for_each(|tokens| saved.numbers(tokens));
    }

    /// What [`Index::save`] has written for a vocabulary of so many tokens.
    pub(super) fn load(pages: &mut Pages<'_>, width: usize) -> Result<Self, Broken> {
        let trie = Trie::load(pages, width)?;
        let count = pages.numbers()?;
        let [count] = count[..] else { return Err(Broken) };
        let classes = (0..count.min(CLASSES_MAX)).map(|_| LoopClass::load(pages, width));
        let classes = classes.collect::<Result<Vec<LoopClass>, Broken>>()?;
        let mut tokens = || {
            let ids = pages.numbers()?;
            if ids.iter().all(|&id| (id as usize) < width) { Ok(ids) } else { Err(Broken) }
        };
        let letters = of_letters(&classes);
        Ok(Self { trie, classes, letters, long: tokens()?, quoted: tokens()?, escaped: tokens()? })
    }

    pub(crate) fn bytes_of_memory(&self) -> usize {
        let class = |class: &LoopClass| {
            class.whole.len() * 4 * (1 + class.up_to.len())
                + class.suffixes.bytes_of_memory()
                + class.others.bytes_of_memory()
        };
        self.trie.bytes_of_memory() + self.classes.iter().map(class).sum::<usize>()
    }
}

/// More classes than any index has.
const CLASSES_MAX: u32 = 64;

/// The classes that languages of models are made of: JSON strings, free text, text up to a tag,
/// lines, words of JSON strings, names, and letters.
fn usual_classes() -> [Characters; 9] {
    let any = |_: u8| true;
    let json = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    // The first bytes under which there is white space.
    let spaced = |lead: u8| matches!(lead, 0xC2 | 0xE1 | 0xE2 | 0xE3 | 0xEF);
    [
        Characters::ascii(json).with_leads(any),
        // `.` in a JSON string: no line and paragraph separators.
        Characters::ascii(json).with_leads(|lead| lead != 0xE2),
        Characters::ALL,
        Characters::ascii(|byte| byte != b'<').with_leads(any),
        Characters::ascii(|byte| byte != b'\n' && byte != b'\r').with_leads(|lead| lead != 0xE2),
        Characters::ascii(|byte| json(byte) && byte != b' ' && byte != 0x7F)
            .with_leads(|lead| !spaced(lead)),
        Characters::ascii(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'),
        // For names of all other kinds: where digits may stand, few more tokens are to be tried.
        letters(),
        Characters::ascii(|byte| byte.is_ascii_lowercase()),
    ]
}

/// The letters of ASCII.
fn letters() -> Characters {
    Characters::ascii(|byte| byte.is_ascii_alphabetic())
}

/// Which of the classes is that of letters.
fn of_letters(classes: &[LoopClass]) -> Option<usize> {
    let letters = letters();
    classes.iter().position(|class| class.characters == letters)
}

/// Up to how many characters the tokens of at most so many are kept.
const UP_TO_MAX: usize = 24;

impl LoopClass {
    /// A set of which the tokens of the class with at most `count` characters are a part, and
    /// those of it that have more.
    pub(crate) fn up_to(&self, count: usize) -> Option<(&Arc<[u32]>, impl Iterator<Item = u32>)> {
        let set = match count {
            0 => return None,
            _ if count <= self.up_to.len() => &self.up_to[count - 1],
            _ => &self.whole,
        };
        let longer = self.long.iter().filter(move |(length, _)| usize::from(*length) > count);
        let longer = longer.filter(move |_| count > self.up_to.len()).map(|(_, id)| *id);
        Some((set, longer))
    }

    /// The most characters that a token of the class has.
    pub(crate) fn longest(&self) -> usize {
        self.long.last().map_or(UP_TO_MAX, |&(length, _)| usize::from(length))
    }

    fn save(&self, saved: &mut Saved) {
        saved.numbers(&self.characters.words());
        saved.numbers(&self.whole);
        saved.numbers(&[self.count as u32, self.up_to.len() as u32]);
        self.up_to.iter().for_each(|set| saved.numbers(set));
        let long = self.long.iter().flat_map(|&(length, id)| [u32::from(length), id]);
        saved.numbers(&long.collect::<Vec<u32>>());
        self.suffixes.save(saved);
        self.others.save(saved);
    }

    fn load(pages: &mut Pages<'_>, width: usize) -> Result<Self, Broken> {
        let words = pages.numbers()?;
        let characters = Characters::of_words(words[..].try_into().map_err(|_| Broken)?);
        let set = |pages: &mut Pages<'_>| match pages.numbers()? {
            set if set.len() == width.div_ceil(32) => Ok(Arc::from(set)),
            _ => Err(Broken),
        };
        let whole = set(pages)?;
        let sizes = pages.numbers()?;
        let [count, sets] = sizes[..] else { return Err(Broken) };
        let up_to = (0..(sets as usize).min(UP_TO_MAX)).map(|_| set(pages));
        let up_to = up_to.collect::<Result<Vec<Arc<[u32]>>, Broken>>()?;
        let long = pages.numbers()?;
        let pair = |&[length, id]: &[u32; 2]| (length as u16, id);
        let long: Vec<(u16, u32)> = long.as_chunks::<2>().0.iter().map(pair).collect();
        if long.iter().any(|&(_, id)| id as usize >= width) {
            return Err(Broken);
        }
        let suffixes = Trie::load(pages, width)?;
        let others = Trie::load(pages, width)?;
        Ok(Self { characters, whole, count: count as usize, up_to, long, suffixes, others })
    }

    fn new(set: Characters, tokens: &[Token]) -> Self {
        let mut whole = vec![0_u32; tokens.len().div_ceil(32)];
        let (mut suffixes, mut others) = (Vec::new(), Vec::new());
        let mut lengths: Vec<(u16, u32)> = Vec::new();
        for (id, token) in (0_u32..).zip(tokens) {
            let Token::Bytes(bytes) = token else { continue };
            if !bytes.first().is_some_and(|&first| set.contains(first)) {
                continue;
            }
            let (prefix, before) = characters::prefix(bytes, set);
            if prefix == bytes.len() {
                lengths.push((before, id));
            } else {
                suffixes.push((&bytes[prefix..], before, id));
                others.push((&bytes[..], 0, id));
            }
        }
        lengths.sort_unstable();
        let count = lengths.len();
        let mut up_to: Vec<Arc<[u32]>> = Vec::new();
        let long = lengths.iter().filter(|(length, _)| usize::from(*length) > UP_TO_MAX);
        let long = long.copied().collect();
        for (length, id) in lengths {
            while up_to.len() + 1 < usize::from(length).min(UP_TO_MAX + 1) {
                up_to.push(whole.as_slice().into());
            }
            whole[id as usize / 32] |= 1 << (id % 32);
        }
        Self {
            characters: set,
            whole: whole.into(),
            count,
            up_to,
            long,
            suffixes: Trie::new(suffixes),
            others: Trie::new(others),
        }
    }
}
