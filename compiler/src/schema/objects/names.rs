//! Keys, and sets of keys, as numbers.

use std::collections::HashMap;

use super::super::strings::StringLanguage;

/// A new set is compared with at most so many others.
const COMPARED_MAX: usize = 32;

/// A key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in super::super) struct Key(pub(in super::super) u32);

/// A set of keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in super::super) enum Keys {
    /// One key.
    One(Key),
    /// A set by its number.
    Set(u32),
}

/// The keys and sets of keys in use.
#[derive(Default, Debug)]
pub(in super::super) struct Names {
    texts: Vec<Box<str>>,
    keys: HashMap<Box<str>, Key>,
    sets: Vec<StringLanguage>,
    patterns: HashMap<Box<str>, Keys>,
}

impl Names {
    pub(in super::super) fn key(&mut self, text: &str) -> Key {
        if let Some(key) = self.keys.get(text) {
            return *key;
        }
        let key = Key(self.texts.len() as u32);
        self.texts.push(text.into());
        self.keys.insert(text.into(), key);
        key
    }

    pub(in super::super) fn text(&self, key: Key) -> &str {
        &self.texts[key.0 as usize]
    }

    /// The set `language`; one key alone is that key.
    pub(in super::super) fn set(&mut self, language: StringLanguage) -> Keys {
        if let Some(words) = language.words(1)
            && let [word] = words.as_slice()
        {
            return Keys::One(self.key(word));
        }
        let same = |known: &StringLanguage| known.is_equal(&language).unwrap_or(false);
        if let Some(at) = self.sets.iter().take(COMPARED_MAX).position(same) {
            return Keys::Set(at as u32);
        }
        self.sets.push(language);
        Keys::Set(self.sets.len() as u32 - 1)
    }

    /// The set of the keys in which `pattern` is found, which is `language`.
    pub(in super::super) fn pattern(&mut self, pattern: &str, language: StringLanguage) -> Keys {
        if let Some(keys) = self.patterns.get(pattern) {
            return *keys;
        }
        let keys = self.set(language);
        self.patterns.insert(pattern.into(), keys);
        keys
    }

    pub(in super::super) fn language(&self, keys: Keys) -> StringLanguage {
        match keys {
            Keys::One(key) => StringLanguage::exactly(self.text(key)),
            Keys::Set(at) => self.sets[at as usize].clone(),
        }
    }

    pub(in super::super) fn contains(&self, keys: Keys, key: Key) -> bool {
        match keys {
            Keys::One(own) => own == key,
            Keys::Set(at) => self.sets[at as usize].contains(self.text(key)),
        }
    }
}
