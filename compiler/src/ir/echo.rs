//! The machine of a text that stands several times: what it hears first, it wants to hear again.
//!
//! The register holds the bytes, and how many of them were heard again. Action 0 ends the text,
//! action 1 a repetition of it.

use std::fmt::{self, Display};

use super::machine::Value;

/// The machine of a text that is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Echo;

/// The most bytes that are remembered; a longer text is refused.
const BYTES_MAX: usize = 512;

impl Echo {
    pub(super) fn start() -> Value {
        Box::new([0])
    }

    pub(super) fn step(value: &[u32], action: u32) -> Option<Value> {
        let (heard, bytes) = value.split_first()?;
        let done = match *heard {
            0 => action == 0,
            again => action == 1 && again as usize == bytes.len() + 1,
        };
        let begun = std::iter::once(1).chain(bytes.iter().copied());
        done.then(|| begun.collect())
    }

    pub(super) fn read(value: &[u32], byte: u8) -> Option<Value> {
        let (heard, bytes) = value.split_first()?;
        let mut next = value.to_vec();
        if *heard == 0 {
            // A character that is begun is finished, so that no text ends within one.
            let goes_on = byte & 0xC0 == 0x80;
            if bytes.len() >= BYTES_MAX && !goes_on {
                return None;
            }
            next.push(u32::from(byte));
            return Some(next.into());
        }
        let wanted = bytes.get(*heard as usize - 1)?;
        next[0] += 1;
        (*wanted == u32::from(byte)).then(|| next.into())
    }
}

impl Display for Echo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("echo")
    }
}
