//! A fast hash for the small keys of automata: one multiplication for each word.
//!
//! States and rows are met by the thousand; the default hash, which withstands chosen keys, is
//! most of the cost then. Collisions only cost time, and every automaton has a limit.

use std::hash::{BuildHasherDefault, Hasher};

/// A map with that hash.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Mixed>>;
/// A set with that hash.
pub(crate) type Set<K> = std::collections::HashSet<K, BuildHasherDefault<Mixed>>;

/// What the words so far mix to.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Mixed {
    fn add(&mut self, word: u64) {
        // An odd number near 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.add(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.add(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.add(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
