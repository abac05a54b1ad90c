//! Finds what is doubtful in a blueprint though it has a meaning.
//!
//! Judges the language of each part as it is lowered: options that another one covers, repeats
//! of what may be empty, free text without an end, captures whose end is not certain.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::diagnostic::problem::Problem;
use crate::ir::{ByteSet, Ir, Kind};
use crate::template::arena::Placed;
use crate::template::member;
use crate::template::part::{self, Part, Parts};

/// The doubts so far.
#[derive(Default)]
pub(super) struct Doubts(Vec<Placed>);

/// So many older spellings of one schema are named.
const REPAIRED_MAX: usize = 8;

/// More options than this are only compared by their form.
const OPTIONS_MAX: usize = 64;

impl Doubts {
    pub(super) fn finish(&mut self) -> Vec<Placed> {
        std::mem::take(&mut self.0)
    }

    /// A part that is used several times is doubtful once.
    fn push(&mut self, problem: Problem, part: &Part) {
        let placed = (problem, part.place.clone());
        if !self.0.contains(&placed) {
            self.0.push(placed);
        }
    }

    /// Options that another option covers, and a choice that has none.
    pub(super) fn choice(&mut self, part: &Part, options: &[Parts], lowered: &[Ir]) {
        if lowered.iter().all(Ir::is_never) {
            return self.push(Problem::impossible_choice(), part);
        }
        let mut forms: HashMap<String, usize> = HashMap::new();
        for (at, ir) in lowered.iter().enumerate() {
            let twin = forms.insert(ir.to_string(), at);
            let cover = twin.or_else(|| match lowered.len() <= OPTIONS_MAX {
                true => covering(lowered, at),
                false => None,
            });
            if let Some(cover) = cover {
                let named = place_of(&options[at]).or_else(|| part.place.clone());
                let problem = Problem::unreachable_option(at + 1, cover + 1);
                if !self.0.iter().any(|known| known.0 == problem && known.1 == named) {
                    self.0.push((problem, named));
                }
            }
        }
    }

    /// A repeat whose iterations may be empty.
    pub(super) fn repeat(
        &mut self,
        part: &Part,
        body: &Ir,
        (_, max): (u32, Option<u32>),
        separator: &Ir,
    ) {
        let nullable = |ir: &Ir| ir.facts().is_some_and(|facts| facts.nullable);
        if max != Some(1) && max != Some(0) && nullable(body) && nullable(separator) {
            self.push(Problem::nullable_repeat(), part);
        }
    }

    /// A schema of which something is left out, or read as an older spelling.
    pub(super) fn schema(&mut self, part: &Part, ir: &Ir) {
        let inner = match ir.kind() {
            Kind::Capture(capture) => &capture.body,
            _ => ir,
        };
        let Kind::Schema(schema) = inner.kind() else { return };
        for error in schema.relaxed.iter() {
            self.push(Problem::relaxed_schema(error), part);
        }
        for note in schema.repaired.iter().take(REPAIRED_MAX) {
            self.push(Problem::repaired_schema(note), part);
        }
    }

    /// Free text that nothing ends.
    pub(super) fn free_text(&mut self, part: &Part, endless: bool) {
        if endless {
            self.push(Problem::endless_text(), part);
        }
    }

    /// Captures of one name in a row, and captures that what follows them can continue.
    pub(super) fn row(&mut self, parts: &[Arc<Part>], lowered: &[Ir]) {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for part in parts {
            if let part::Kind::Capture { name, .. } = &part.kind {
                let count = names.entry(name).or_default();
                *count += 1;
                if *count == 2 {
                    self.push(Problem::repeated_capture(name), part);
                }
            }
        }
        for (parts, lowered) in parts.windows(2).zip(lowered.windows(2)) {
            let (part, capture, next) = (&parts[0], &lowered[0], &lowered[1]);
            let part::Kind::Capture { name, .. } = &part.kind else { continue };
            let Some(facts) = next.facts() else { continue };
            let more = trailing(capture, 0);
            if facts.first.iter().any(|byte| more.contains(byte)) {
                self.push(Problem::ambiguous_capture(name), part);
            }
        }
    }
}

/// Where the first placed part of `option` stands.
fn place_of(option: &Parts) -> Option<part::Place> {
    option.iter().find_map(|part| part.place.clone())
}

/// Another option that has every text of option `at`: so far, of literal texts only.
fn covering(lowered: &[Ir], at: usize) -> Option<usize> {
    let Kind::Text(text) = lowered[at].kind() else { return None };
    (0..lowered.len()).find(|&other| {
        let ir = &lowered[other];
        other != at
            && !matches!(ir.kind(), Kind::Text(_))
            && member::is_member(ir, &text.string) == Some(true)
    })
}

/// The bytes with which a text of `ir` may go on behind another text of it.
fn trailing(ir: &Ir, depth: usize) -> ByteSet {
    let mut bytes = ByteSet::default();
    let first = |ir: &Ir| ir.facts().map(|facts| facts.first).unwrap_or_default();
    if depth > 64 {
        return bytes;
    }
    match ir.kind() {
        Kind::Sequence(parts) => {
            for part in parts.iter().rev() {
                bytes.extend(&trailing(part, depth + 1));
                if !part.facts().is_some_and(|facts| facts.nullable) {
                    break;
                }
            }
        }
        Kind::Choice(arms) => arms.iter().for_each(|arm| bytes.extend(&trailing(arm, depth + 1))),
        Kind::Repeat(repeat) => {
            bytes.extend(&trailing(&repeat.body, depth + 1));
            if repeat.max.is_none_or(|max| max > repeat.min) {
                match &repeat.separator {
                    Some(separator) if repeat.max != Some(1) => bytes.extend(&first(separator)),
                    _ => bytes.extend(&first(&repeat.body)),
                }
            }
        }
        Kind::Automaton(automaton) => {
            for state in automaton.states.iter().filter(|state| state.accepting) {
                state.edges.iter().for_each(|(label, _)| bytes.extend(&first(label)));
            }
        }
        Kind::Regex(regex) => bytes = trailing(&regex.body, depth + 1),
        Kind::Capture(capture) => bytes = trailing(&capture.body, depth + 1),
        // Free text knows its end.
        _ => {}
    }
    bytes
}
