//! The machine of an array whose items are all different scalars.
//!
//! It hears the items, strings and words and numbers, and remembers each by its value: a string
//! by its characters however they are escaped. A register holds what [`Elements`] does, the
//! values seen, and the bytes of the item that is being read.

use std::collections::VecDeque;
use std::sync::Arc;

use super::elements::Elements;
use super::heard::Decoded;
use super::machine::{Hearing, Value};
use super::owed::Owed;
use crate::chars::automaton::Automaton;
use crate::schema::{NumberMachine, canonical_number};

/// The machine of different items that are heard.
#[derive(Clone, Debug)]
pub struct Distinct {
    elements: Elements,
    /// The strings that items may be.
    strings: Option<Arc<Automaton>>,
    /// Whether endlessly many strings go on from each state of it.
    endless: Arc<[bool]>,
    /// The words that items may be.
    words: Vec<Box<str>>,
    /// The numbers that items may be, where not every number may.
    numbers: Option<Arc<NumberMachine>>,
}

impl PartialEq for Distinct {
    fn eq(&self, other: &Self) -> bool {
        (&self.elements, &self.strings) == (&other.elements, &other.strings)
            && (&self.words, &self.numbers) == (&other.words, &other.numbers)
    }
}

/// A value, unpacked.
struct Heard {
    counts: Vec<u32>,
    /// The values of the items before, sorted, as the bytes of a canonical text.
    seen: Vec<Vec<u32>>,
    /// The bytes of the item that is being read.
    current: Option<Vec<u8>>,
}

/// Separates the parts of a packed value; no byte and no length is so big.
const NOTHING: u32 = u32::MAX;

impl Distinct {
    /// Items that are strings of `strings`, `words`, or numbers: any, or those of `numbers`.
    pub(crate) fn new(
        elements: Elements,
        strings: Option<Arc<Automaton>>,
        words: Vec<Box<str>>,
        numbers: Option<Arc<NumberMachine>>,
    ) -> Self {
        let endless = strings.iter().flat_map(|strings| strings.endless()).collect();
        Self { elements, strings, endless, words, numbers }
    }

    pub(super) fn elements(&self) -> &Elements {
        &self.elements
    }

    pub(super) fn strings(&self) -> Option<&Automaton> {
        self.strings.as_deref()
    }

    pub(super) fn words(&self) -> &[Box<str>] {
        &self.words
    }

    pub(super) fn numbers(&self) -> Option<&NumberMachine> {
        self.numbers.as_deref()
    }

    /// The action that ends an item.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.elements.elements.len() as u32 + 1
    }

    pub(super) fn actions(&self) -> u32 {
        self.end() + 1
    }

    pub(super) fn owed(&self, value: &Value) -> Owed {
        self.elements.owed(&self.unpacked(value).counts)
    }

    pub(super) fn start(&self) -> Value {
        let counts = self.elements.start().to_vec();
        packed(&Heard { counts, seen: Vec::new(), current: None })
    }

    pub(super) fn step(&self, value: &Value, action: u32) -> Option<Value> {
        let mut heard = self.unpacked(value);
        if action == self.end() {
            let bytes = heard.current.take()?;
            self.is_number_right(&bytes).then_some(())?;
            let canonical = canonical(&bytes)?;
            let place = heard.seen.binary_search(&canonical).err()?;
            heard.seen.insert(place, canonical);
            return Some(packed(&heard));
        }
        if heard.current.is_some() {
            return None;
        }
        heard.counts = self.elements.step(&heard.counts, action)?.to_vec();
        if (action as usize) < self.elements.elements.len() {
            heard.current = Some(Vec::new());
        }
        Some(packed(&heard))
    }

    pub(super) fn read(&self, value: &Value, byte: u8) -> Option<Value> {
        let mut heard = self.unpacked(value);
        let current = heard.current.as_mut()?;
        current.push(byte);
        self.number_at(current)?;
        self.can_differ(&heard).then(|| packed(&heard))
    }

    /// What may be refused of the string that is being read; `None` if no string is, or if it is
    /// in the middle of a character.
    pub(super) fn hearing(&self, value: &Value) -> Option<Hearing> {
        let heard = self.unpacked(value);
        let current = heard.current?;
        if current.first() != Some(&b'"') {
            return None;
        }
        let text = Decoded::of(&current[1..]);
        if text.closed || text.partial {
            return None;
        }
        let endless = self.endless.iter().all(|endless| *endless);
        let prefix: Vec<u32> = text.characters.iter().map(|c| *c as u32).collect();
        let rest = |seen: &Vec<u32>| -> Option<Vec<u8>> {
            let rest = seen.get(1..)?.strip_prefix(&prefix[..])?;
            let text: String = rest.iter().filter_map(|c| char::from_u32(*c)).collect();
            Some(text.into_bytes())
        };
        let risky = if endless { Vec::new() } else { heard.seen.iter().filter_map(rest).collect() };
        Some(Hearing { until: b'"', escape: b'\\', risky })
    }

    /// Whether the item that is being read can still become one that was not seen.
    fn can_differ(&self, heard: &Heard) -> bool {
        let Some(current) = &heard.current else { return true };
        if heard.seen.is_empty() {
            return true;
        }
        match current.first() {
            Some(b'"') => {
                let text = Decoded::of(&current[1..]);
                let prefix: Vec<u32> = text.characters.iter().map(|c| *c as u32).collect();
                let reaches =
                    |seen: &&Vec<u32>| seen.get(1..).is_some_and(|s| s.starts_with(&prefix));
                let close = heard.seen.iter().filter(reaches).count();
                if text.closed {
                    let equal = |seen: &Vec<u32>| seen[0] == STRING && seen[1..] == prefix;
                    return !heard.seen.iter().any(equal);
                }
                close == 0 || text.partial || self.goes_on(&text.characters, &heard.seen)
            }
            Some(b'-' | b'0'..=b'9') => self.number_can_differ(current, &heard.seen),
            _ => {
                let fits = |word: &&str| word.as_bytes().starts_with(current);
                let unseen = |word: &str| {
                    canonical(word.as_bytes()).is_some_and(|word| !heard.seen.contains(&word))
                };
                self.words.iter().map(|word| &**word).filter(fits).any(unseen)
            }
        }
    }

    /// What the machine of numbers holds after `bytes`, nothing if there is no such machine or
    /// they are no number; `None` if it refuses them.
    fn number_at(&self, bytes: &[u8]) -> Option<Option<Value>> {
        let is_number = matches!(bytes.first(), Some(b'-' | b'0'..=b'9'));
        let Some(numbers) = self.numbers.as_ref().filter(|_| is_number) else { return Some(None) };
        let read = |value: Value, byte: &u8| numbers.read(&value, *byte);
        bytes.iter().try_fold(numbers.start(), read).map(Some)
    }

    fn is_number_right(&self, bytes: &[u8]) -> bool {
        match (self.number_at(bytes), &self.numbers) {
            (Some(Some(value)), Some(numbers)) => numbers.end(&value),
            (found, _) => found.is_some(),
        }
    }

    /// Whether a number that was not seen begins with `bytes`. Above a limit on steps the answer
    /// is that one does.
    fn number_can_differ(&self, bytes: &[u8], seen: &[Vec<u32>]) -> bool {
        let (Some(Some(value)), Some(numbers)) = (self.number_at(bytes), &self.numbers) else {
            return true;
        };
        let mut queue = VecDeque::from([(value, bytes.to_vec())]);
        // Where zeros alone can follow, they do not change the number.
        let mut zeros = 0;
        for _ in 0..NUMBERS_MAX {
            let Some((value, text)) = queue.pop_front() else { return false };
            let is_new = |text: &[u8]| canonical(text).is_some_and(|text| !seen.contains(&text));
            if numbers.end(&value) && is_new(&text) {
                return true;
            }
            let mut next = Vec::new();
            for byte in *b"0123456789.e-+" {
                if let Some(value) = numbers.read(&value, byte) {
                    next.push((value, [&text[..], &[byte]].concat()));
                }
            }
            let alone = queue.is_empty() && next.len() == 1 && next[0].1.ends_with(b"0");
            zeros = if alone { zeros + 1 } else { 0 };
            if zeros > ZEROS_MAX {
                return false;
            }
            queue.extend(next);
        }
        true
    }

    /// Whether a string that was not seen begins with `prefix`.
    fn goes_on(&self, prefix: &[char], seen: &[Vec<u32>]) -> bool {
        let Some(strings) = &self.strings else { return true };
        let step = |state: u32, c: &char| strings.row(state).to(strings.letters().of(*c));
        let state = prefix.iter().fold(0, step);
        if self.endless[state as usize] {
            return true;
        }
        // Finitely many: look for one more than were seen.
        let sets = strings.letters().sets();
        let mut left = seen.len() + 1;
        let mut stack = vec![(state, prefix.iter().map(|c| *c as u32).collect::<Vec<u32>>())];
        while let Some((state, text)) = stack.pop() {
            if strings.output(state) != 0 {
                let mut canonical = vec![STRING];
                canonical.extend(&text);
                if seen.binary_search(&canonical).is_err() {
                    return true;
                }
                left -= 1;
                if left == 0 {
                    return true;
                }
            }
            for (to, set) in strings.edges(state, &sets) {
                let characters = set.ranges().iter().flat_map(|range| range.start()..=range.end());
                for character in characters.take(left) {
                    let mut more = text.clone();
                    more.push(u32::from(character));
                    stack.push((to, more));
                }
            }
        }
        false
    }

    fn unpacked(&self, value: &Value) -> Heard {
        let (counts, mut rest) = value.split_at(1 + self.elements.tallies.len());
        let mut seen = Vec::new();
        let mut current = None;
        while let Some((length, more)) = rest.split_first() {
            if *length == NOTHING {
                current = Some(more.iter().map(|byte| *byte as u8).collect());
                break;
            }
            let (item, after) = more.split_at((*length as usize).min(more.len()));
            seen.push(item.to_vec());
            rest = after;
        }
        Heard { counts: counts.to_vec(), seen, current }
    }
}

fn packed(heard: &Heard) -> Value {
    let mut value = heard.counts.clone();
    for item in &heard.seen {
        value.push(item.len() as u32);
        value.extend(item);
    }
    if let Some(current) = &heard.current {
        value.push(NOTHING);
        value.extend(current.iter().map(|byte| u32::from(*byte)));
    }
    value.into()
}

/// The most beginnings of numbers that one question looks at.
const NUMBERS_MAX: usize = 1_000;
/// After so many zeros, with no other choice, nothing else follows: no set of numbers here has a
/// point with more digits than that.
const ZEROS_MAX: usize = 500;

/// What a canonical text begins with.
const STRING: u32 = 0;
const WORD: u32 = 1;
const NUMBER: u32 = 2;

/// Equal for equal values alone; `None` for what is no scalar.
fn canonical(bytes: &[u8]) -> Option<Vec<u32>> {
    let mut canonical = Vec::new();
    match bytes.first()? {
        b'"' => {
            let text = Decoded::of(&bytes[1..]);
            canonical.push(STRING);
            canonical.extend(text.characters.iter().map(|c| *c as u32));
        }
        b'-' | b'0'..=b'9' => {
            canonical.push(NUMBER);
            let text = canonical_number(std::str::from_utf8(bytes).ok()?)?;
            canonical.extend(text.bytes().map(u32::from));
        }
        _ => {
            canonical.push(WORD);
            canonical.extend(bytes.iter().map(|byte| u32::from(*byte)));
        }
    }
    Some(canonical)
}
