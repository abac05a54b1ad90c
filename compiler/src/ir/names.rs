//! The machine of host names: it hears the labels that encode others.
//!
//! A register holds counters for the length, and the bytes heard of the label that is being read.
//! Only labels with the prefix of an encoding are heard, from after it on; an action ends each.
//! A value is alive as long as some label begins so, as far as a bounded search tells.

use std::fmt::{self, Display};
use std::str::FromStr;

use super::counters::Counters;
use super::heard::Decoded;
use super::machine::{Role, Value};
use crate::chars::idna;

/// The machine of the encoded labels of a host name.
#[derive(Clone, PartialEq, Debug)]
pub struct Names {
    counters: Counters,
}

impl Names {
    /// With counters for the length of the whole.
    pub(crate) fn new(counters: Counters) -> Self {
        Self { counters }
    }

    /// The action that ends an encoded label; those before it are the counters' own.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.counters.actions().len() as u32
    }

    pub(super) fn actions(&self) -> u32 {
        self.end() + 1
    }

    pub(super) fn start(&self) -> Value {
        self.counters.start()
    }

    fn split<'v>(&self, value: &'v Value) -> (&'v [u32], &'v [u32]) {
        value.split_at(self.counters.count().min(value.len()))
    }

    pub(super) fn step(&self, value: &Value, action: u32) -> Option<Value> {
        let (counts, heard) = self.split(value);
        if action == self.end() {
            let text = text(heard)?;
            return idna::is_encoded(&text).then(|| counts.into());
        }
        let next = self.counters.step(&counts.into(), action)?;
        Some(next.iter().chain(heard).copied().collect())
    }

    pub(super) fn read(&self, value: &Value, byte: u8) -> Option<Value> {
        let next: Value = value.iter().copied().chain([u32::from(byte)]).collect();
        let (_, heard) = self.split(&next);
        let alive = match text(heard) {
            Some(text) => may_go_on(&text),
            // In the middle of an escape: of some character that the label may have next.
            None => {
                let start = heard.iter().rposition(|byte| *byte == u32::from(b'\\')).unwrap_or(0);
                let before = text(&heard[..start]).unwrap_or_default();
                let escape: String = bytes(&heard[start..]).to_ascii_lowercase();
                let letters = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain(['-']);
                letters.into_iter().any(|letter| {
                    let spelled = format!("\\u{:04x}", u32::from(letter));
                    spelled.starts_with(&escape)
                        && may_go_on(&format!("{before}{}", letter.to_ascii_lowercase()))
                })
            }
        };
        alive.then_some(next)
    }

    pub(super) fn roles(&self, value: &Value, span: u32) -> Vec<Role> {
        let mut roles = self.counters.roles(&self.split(value).0.into(), span);
        roles.push(Role::Counts);
        roles
    }

    pub(super) fn abstracted(&self, value: &Value, span: u32) -> Value {
        let (counts, heard) = self.split(value);
        match heard.is_empty() {
            true => self.counters.abstracted(&counts.into(), span),
            false => value.clone(),
        }
    }
}

fn may_go_on(text: &str) -> bool {
    let most = idna::LABEL_MAX - idna::PREFIX.len();
    let room = most.checked_sub(text.len());
    room.is_some_and(|room| idna::may_be_encoded(text, room))
}

/// The characters of what was heard in lower case; `None` in the middle of one.
fn text(heard: &[u32]) -> Option<String> {
    let heard: Vec<u8> = heard.iter().map(|byte| *byte as u8).collect();
    let decoded = Decoded::of(&heard);
    let text: String = decoded.characters.iter().collect();
    (!decoded.partial).then(|| text.to_ascii_lowercase())
}

fn bytes(heard: &[u32]) -> String {
    heard.iter().map(|byte| char::from(*byte as u8)).collect()
}

impl Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "names {}", self.counters)
    }
}

/// Reads the printed form.
impl FromStr for Names {
    type Err = ();

    fn from_str(printed: &str) -> Result<Self, ()> {
        let counters = printed.strip_prefix("names ").ok_or(())?;
        Ok(Self { counters: counters.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(names: &Names, label: &str) -> Option<Value> {
        label.bytes().try_fold(names.start(), |value, byte| names.read(&value, byte))
    }

    #[test]
    fn a_label_ends_where_it_is_right() {
        let names = Names::new(Counters::between(0, None));
        for label in ["9n2bp8q", "9N2bp8Q", "9n2bp8\\u0071", "bcher-kva"] {
            let value = heard(&names, label).expect(label);
            assert!(names.step(&value, names.end()).is_some(), "{label}");
        }
        let cut = heard(&names, "9n2bp8").unwrap();
        assert!(names.step(&cut, names.end()).is_none(), "a number has no end yet");
        let wrong = heard(&names, "07jt112bpxg").unwrap();
        assert!(names.step(&wrong, names.end()).is_none(), "it has a character that no label has");
        assert!(heard(&names, "9n2bp8q\\u00e").is_none(), "no escape of a letter begins so");
    }

    #[test]
    fn prints_and_reads_back() {
        let names = Names::new(Counters::between(1, Some(253)));
        assert_eq!(names.to_string().parse(), Ok(names));
    }
}
