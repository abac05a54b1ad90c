//! Sets of characters, coarse beyond ASCII: by the first byte of their UTF-8.

/// A set of characters: single ones in ASCII, beyond it all that begin with the same byte.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Characters {
    ascii: [u64; 2],
    /// The first bytes from 0xC2 on; the highest bit stands for bytes that are not UTF-8.
    leads: u64,
}

const NOT_UTF8: u64 = 1 << 63;
const FIRST_LEAD: u8 = 0xC2;
const LAST_LEAD: u8 = 0xF4;

impl Characters {
    /// All characters.
    pub(crate) const ALL: Self =
        Self { ascii: [u64::MAX; 2], leads: (1 << (LAST_LEAD - FIRST_LEAD + 1)) - 1 };

    /// The characters of ASCII for which `holds`.
    pub(crate) fn ascii(holds: impl Fn(u8) -> bool) -> Self {
        let mut set = Self::default();
        (0..0x80_u8).filter(|&byte| holds(byte)).for_each(|byte| set.insert(byte));
        set
    }

    pub(crate) fn with_leads(self, holds: impl Fn(u8) -> bool) -> Self {
        let leads = (FIRST_LEAD..=LAST_LEAD).filter(|&byte| holds(byte));
        let leads = leads.fold(self.leads, |set, byte| set | 1 << (byte - FIRST_LEAD));
        Self { leads, ..self }
    }

    pub(crate) fn insert(&mut self, byte: u8) {
        match byte {
            0..0x80 => self.ascii[usize::from(byte / 64)] |= 1 << (byte % 64),
            FIRST_LEAD..=LAST_LEAD => self.leads |= 1 << (byte - FIRST_LEAD),
            _ => {}
        }
    }

    /// Whether characters that begin with `byte` are in it.
    pub(crate) fn contains(self, byte: u8) -> bool {
        match byte {
            0..0x80 => self.ascii[usize::from(byte / 64)] >> (byte % 64) & 1 == 1,
            FIRST_LEAD..=LAST_LEAD => self.leads >> (byte - FIRST_LEAD) & 1 == 1,
            _ => false,
        }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        let ascii = [self.ascii[0] | other.ascii[0], self.ascii[1] | other.ascii[1]];
        Self { ascii, leads: self.leads | other.leads }
    }

    pub(crate) fn is_subset(self, of: Self) -> bool {
        self.ascii[0] & !of.ascii[0] == 0
            && self.ascii[1] & !of.ascii[1] == 0
            && self.leads & !of.leads == 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The set as numbers, to be kept.
    pub(super) fn words(self) -> [u32; 6] {
        let [low, high] = self.ascii;
        let half = |word: u64, at: u32| (word >> (32 * at)) as u32;
        let words = [low, low, high, high, self.leads, self.leads];
        std::array::from_fn(|at| half(words[at], at as u32 % 2))
    }

    /// The set of these [`Characters::words`].
    pub(super) fn of_words(words: &[u32; 6]) -> Self {
        let whole = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        Self { ascii: [whole(0), whole(2)], leads: whole(4) }
    }

    /// With the character that `byte` begins, or marked where it may not stand after `reading`.
    pub(crate) fn and_byte(mut self, reading: Reading, byte: u8) -> Self {
        match reading.after(byte) {
            Reading::Broken => self.leads |= NOT_UTF8,
            _ if reading == Reading::Between => self.insert(byte),
            _ => {}
        }
        self
    }
}

/// Where in a character a byte string has come to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Reading {
    /// Between characters.
    #[default]
    Between,
    /// In a character: so many bytes follow, the next of which is in this range.
    Within(u8, u8, u8),
    /// The bytes are not UTF-8.
    Broken,
}

impl Reading {
    /// After one more byte.
    pub(crate) fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Between, 0..0x80) => Self::Between,
            (Self::Between, 0xC2..=0xDF) => Self::Within(1, 0x80, 0xBF),
            (Self::Between, 0xE0) => Self::Within(2, 0xA0, 0xBF),
            (Self::Between, 0xED) => Self::Within(2, 0x80, 0x9F),
            (Self::Between, 0xE1..=0xEF) => Self::Within(2, 0x80, 0xBF),
            (Self::Between, 0xF0) => Self::Within(3, 0x90, 0xBF),
            (Self::Between, 0xF1..=0xF3) => Self::Within(3, 0x80, 0xBF),
            (Self::Between, 0xF4) => Self::Within(3, 0x80, 0x8F),
            (Self::Within(left, low, high), _) if (low..=high).contains(&byte) => match left {
                1 => Self::Between,
                _ => Self::Within(left - 1, 0x80, 0xBF),
            },
            _ => Self::Broken,
        }
    }
}

/// The longest prefix of `bytes` whose characters are all in `set`, in bytes and characters; a
/// character that the end cuts is one of them if those that begin so are.
pub(crate) fn prefix(bytes: &[u8], set: Characters) -> (usize, u16) {
    let (mut whole, mut count, mut reading) = (0, 0, Reading::Between);
    for (at, &byte) in bytes.iter().enumerate() {
        if reading == Reading::Between {
            whole = at;
            if !set.contains(byte) {
                return (whole, count);
            }
            count += 1;
        }
        reading = reading.after(byte);
        if reading == Reading::Broken {
            return (whole, count - 1);
        }
    }
    (bytes.len(), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_end_before_the_first_character_outside() {
        let set = Characters::ascii(|byte| byte != b'"').with_leads(|byte| byte != 0xE3);
        for (bytes, expected) in [
            ("ab\"c".as_bytes(), (2, 2)),
            ("aé日x".as_bytes(), (7, 4)),
            ("a。".as_bytes(), (1, 1)),
            (b"a\xE6\x97", (3, 2)),
            (b"a\xE6a", (1, 1)),
            (b"\x97a", (0, 0)),
            (b"\xE0\x80\x80", (0, 0)),
        ] {
            assert_eq!(prefix(bytes, set), expected, "{bytes:?}");
        }
    }
}
