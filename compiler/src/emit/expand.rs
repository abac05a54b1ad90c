//! Says a part with a register as an automaton without one.
//!
//! The body becomes a nondeterministic automaton (Thompson, 1968) whose edges read a part, act,
//! or are heard by the machine; a state of the result is a state of that with a value of the
//! register. So it grows with the values that can be met, up to a limit.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use regex_syntax::utf8::{Utf8Range, Utf8Sequence, Utf8Sequences};

use super::{Loss, Lost, Place};
use crate::grammars::joined_states;
use crate::ir::machine::Value;
use crate::ir::{Capture, Ir, Kind, Machine, Repeat, State, Tracked};

/// The most states and edges of an expansion.
const SIZE_MAX: usize = 20_000;

/// The same language without the register; `None` above the limit.
pub(super) fn plain(tracked: &Tracked) -> Option<Ir> {
    let mut nfa = Nfa { edges: vec![Vec::new(); 2], size: 0 };
    nfa.add(&tracked.body, 0, 1)?;
    product(&nfa, &tracked.machine)
}

/// What stands for `tracked` at `place`. Above the limit it loses what was there before, and if
/// that is not enough, all that its machine remembers.
pub(super) fn said(tracked: &Tracked, place: &Place, losses: &mut Vec<Loss>) -> Ir {
    if let Some(plain) = plain(tracked) {
        return plain;
    }
    let counted = tracked.machine.counting().and_then(|(machine, actions)| {
        let act = |action: u32| {
            actions.get(action as usize).copied().flatten().map_or_else(Ir::empty, Ir::act)
        };
        plain(&Tracked { body: recast(&tracked.body, &act), machine: Arc::new(machine) })
    });
    let kept = if counted.is_some() { ", though counts are held" } else { "" };
    let reason = format!(
        "it is {}; without a register that would need more than {SIZE_MAX} states and edges{kept}",
        tracked.machine.remembers()
    );
    losses.push(Loss { lost: Lost::Register, place: place.clone(), reason });
    counted.unwrap_or_else(|| recast(&tracked.body, &|_| Ir::empty()))
}

/// `ir`, whose parts nothing hears, with what `act` says for each action.
fn recast(ir: &Ir, act: &dyn Fn(u32) -> Ir) -> Ir {
    if !ir.has_acts() {
        return ir.clone();
    }
    let recast = |ir: &Ir| recast(ir, act);
    match ir.kind() {
        Kind::Act(action) => act(*action),
        Kind::Observed(part) => part.clone(),
        Kind::Sequence(parts) => Ir::sequence(parts.iter().map(recast)),
        Kind::Choice(arms) => Ir::choice(arms.iter().map(recast)),
        Kind::Repeat(Repeat { body, min, max, separator }) => {
            let separator = separator.as_ref().map(recast);
            Ir::repeat(recast(body), *min, *max, separator)
        }
        Kind::Automaton(automaton) => {
            let state = |state: &State| State {
                edges: state.edges.iter().map(|(ir, to)| (recast(ir), *to)).collect(),
                accepting: state.accepting,
            };
            Ir::automaton(automaton.states.iter().map(state).collect())
        }
        Kind::Joined(joined) => recast(&Ir::automaton(joined_states(joined))),
        Kind::Capture(Capture { name, kind, body }) => Ir::capture(name, *kind, recast(body)),
        _ => ir.clone(),
    }
}

#[derive(Clone)]
enum Label {
    Part(Ir),
    Act(u32),
    /// A character that the machine hears.
    Heard(ClassUnicode),
}

/// An automaton from state 0 to state 1, the only one that accepts.
struct Nfa {
    edges: Vec<Vec<(Label, usize)>>,
    size: usize,
}

impl Nfa {
    fn count(&mut self) -> Option<()> {
        self.size += 1;
        (self.size <= SIZE_MAX).then_some(())
    }

    fn state(&mut self) -> Option<usize> {
        self.count()?;
        self.edges.push(Vec::new());
        Some(self.edges.len() - 1)
    }

    fn edge(&mut self, from: usize, label: Label, to: usize) -> Option<()> {
        self.count()?;
        self.edges[from].push((label, to));
        Some(())
    }

    fn silent(&mut self, from: usize, to: usize) -> Option<()> {
        self.edge(from, Label::Part(Ir::empty()), to)
    }

    fn add(&mut self, ir: &Ir, from: usize, to: usize) -> Option<()> {
        if !ir.has_acts() {
            return self.edge(from, Label::Part(ir.clone()), to);
        }
        match ir.kind() {
            Kind::Act(action) => self.edge(from, Label::Act(*action), to),
            Kind::Observed(part) => self.hear(part, from, to),
            _ => self.compose(ir, from, to, &Self::add),
        }
    }

    /// As [`Self::add`], for a part of which every character is heard.
    fn hear(&mut self, ir: &Ir, from: usize, to: usize) -> Option<()> {
        match ir.kind() {
            Kind::Text(text) => {
                let mut at = from;
                for c in text.string.chars() {
                    let next = self.state()?;
                    let set = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
                    self.edge(at, Label::Heard(set), next)?;
                    at = next;
                }
                self.silent(at, to)
            }
            Kind::Class(set) => self.edge(from, Label::Heard(set.clone()), to),
            Kind::Regex(regex) => self.hear(&regex.body, from, to),
            Kind::Anything(anything) => self.hear(&anything.body, from, to),
            Kind::Dispatch(dispatch) => self.hear(&dispatch.body, from, to),
            _ => self.compose(ir, from, to, &Self::hear),
        }
    }

    /// What is made of parts, each of which `add` adds; `None` for anything else.
    fn compose(&mut self, ir: &Ir, from: usize, to: usize, add: &Add) -> Option<()> {
        match ir.kind() {
            Kind::Sequence(parts) => {
                let mut at = from;
                for part in parts {
                    let next = self.state()?;
                    add(self, part, at, next)?;
                    at = next;
                }
                self.silent(at, to)
            }
            Kind::Choice(arms) => arms.iter().try_for_each(|arm| {
                // An arm that loops at an end must not reach another.
                let (begin, end) = (self.state()?, self.state()?);
                self.silent(from, begin)?;
                self.silent(end, to)?;
                add(self, arm, begin, end)
            }),
            Kind::Repeat(repeat) => self.repeat(repeat, from, to, add),
            Kind::Capture(capture) => add(self, &capture.body, from, to),
            Kind::Automaton(automaton) => self.automaton(&automaton.states, from, to, add),
            Kind::Joined(joined) => self.automaton(&joined_states(joined), from, to, add),
            _ => None,
        }
    }

    fn automaton(&mut self, states: &[State], from: usize, to: usize, add: &Add) -> Option<()> {
        let first = self.edges.len();
        for _ in states {
            self.state()?;
        }
        self.silent(from, first)?;
        for (at, state) in states.iter().enumerate() {
            for (label, next) in &state.edges {
                add(self, label, first + at, first + next)?;
            }
            if state.accepting {
                self.silent(first + at, to)?;
            }
        }
        Some(())
    }

    /// Counts are unrolled.
    fn repeat(&mut self, repeat: &Repeat, from: usize, to: usize, add: &Add) -> Option<()> {
        let mut at = self.state()?;
        self.silent(from, at)?;
        let mut count = 0;
        loop {
            if count >= repeat.min {
                self.silent(at, to)?;
            }
            if repeat.max.is_some_and(|max| count >= max) {
                return Some(());
            }
            let mut begin = at;
            if let Some(separator) = repeat.separator.as_ref().filter(|_| count > 0) {
                begin = self.state()?;
                add(self, separator, at, begin)?;
            }
            // From here on every further iteration is like this one.
            let last = repeat.max.is_none() && count > 0 && count >= repeat.min;
            let end = if last { at } else { self.state()? };
            add(self, &repeat.body, begin, end)?;
            if last {
                return Some(());
            }
            at = end;
            count += 1;
        }
    }
}

type Add = dyn Fn(&mut Nfa, &Ir, usize, usize) -> Option<()>;

/// `nfa` with the values of the register of `machine` in its states.
fn product(nfa: &Nfa, machine: &Machine) -> Option<Ir> {
    let mut known: BTreeMap<(usize, Value), usize> = BTreeMap::new();
    let mut states: Vec<State> = Vec::new();
    let mut queue = VecDeque::new();
    let mut size = 0;
    let mut place = |at: usize, value: Value, queue: &mut VecDeque<(usize, Value)>| {
        let fresh = known.len();
        let place = *known.entry((at, value.clone())).or_insert(fresh);
        if place == fresh {
            queue.push_back((at, value));
        }
        place
    };
    place(0, machine.start(), &mut queue);
    while let Some((at, value)) = queue.pop_front() {
        let mut edges = Vec::new();
        for (label, to) in &nfa.edges[at] {
            match label {
                Label::Part(part) => {
                    edges.push((part.clone(), place(*to, value.clone(), &mut queue)));
                }
                Label::Act(action) => {
                    if let Some(next) = machine.step(&value, *action) {
                        edges.push((Ir::empty(), place(*to, next, &mut queue)));
                    }
                }
                Label::Heard(set) => {
                    for (next, set) in heard(machine, &value, set)? {
                        edges.push((Ir::class(set), place(*to, next, &mut queue)));
                    }
                }
            }
        }
        size += 1 + edges.len();
        if size > SIZE_MAX {
            return None;
        }
        states.push(State { edges, accepting: at == 1 });
    }
    Some(Ir::automaton(shortened(states)))
}

/// `states` with edges to one that only passes on silently leading to where it passes on to.
fn shortened(mut states: Vec<State>) -> Vec<State> {
    let passes: Vec<Option<usize>> = states
        .iter()
        .map(|state| match state.edges.as_slice() {
            [(label, to)] if label.is_empty() && !state.accepting => Some(*to),
            _ => None,
        })
        .collect();
    let mut ends: Vec<usize> = (0..states.len()).collect();
    for end in &mut ends {
        // A way that never ends in anything else is a dead one.
        for _ in 0..passes.len() {
            match passes[*end] {
                Some(next) => *end = next,
                None => break,
            }
        }
    }
    let edges = states.iter_mut().flat_map(|state| &mut state.edges);
    edges.for_each(|(_, to)| *to = ends[*to]);
    states
}

/// The characters of `set` by the value that each leaves behind; `None` above the limit.
fn heard(
    machine: &Machine,
    value: &Value,
    set: &ClassUnicode,
) -> Option<BTreeMap<Value, ClassUnicode>> {
    let mut found: BTreeMap<Value, Vec<ClassUnicodeRange>> = BTreeMap::new();
    for range in set.ranges() {
        for sequence in Utf8Sequences::new(range.start(), range.end()) {
            let mut read = Vec::new();
            listen(machine, value, &sequence, &mut read, &mut found)?;
        }
    }
    Some(found.into_iter().map(|(value, ranges)| (value, ClassUnicode::new(ranges))).collect())
}

/// Reads the bytes of `sequence` behind those of `read`; bytes that leave the same value behind
/// go on together. `None` above the limit, as where each character leaves another value behind.
fn listen(
    machine: &Machine,
    value: &Value,
    sequence: &Utf8Sequence,
    read: &mut Vec<Utf8Range>,
    found: &mut BTreeMap<Value, Vec<ClassUnicodeRange>>,
) -> Option<()> {
    let Some(bytes) = sequence.as_slice().get(read.len()) else {
        found.entry(value.clone()).or_default().extend(characters(read));
        return (found.len() <= SIZE_MAX).then_some(());
    };
    let mut run: Option<(Value, Utf8Range)> = None;
    for byte in bytes.start..=bytes.end {
        let next = machine.read(value, byte);
        match (&mut run, &next) {
            (Some((own, range)), Some(next)) if own == next => range.end = byte,
            _ => {
                let begun = next.map(|next| (next, Utf8Range { start: byte, end: byte }));
                if let Some((value, range)) = std::mem::replace(&mut run, begun) {
                    read.push(range);
                    listen(machine, &value, sequence, read, found)?;
                    read.pop();
                }
            }
        }
    }
    if let Some((value, range)) = run {
        read.push(range);
        listen(machine, &value, sequence, read, found)?;
        read.pop();
    }
    Some(())
}

/// The characters whose bytes lie in `bytes`.
fn characters(bytes: &[Utf8Range]) -> Vec<ClassUnicodeRange> {
    let code = |bytes: &[u8]| {
        let character = std::str::from_utf8(bytes).ok().and_then(|text| text.chars().next());
        character.map(u32::from)
    };
    let full = |range: &Utf8Range| range.start == 0x80 && range.end == 0xbf;
    // Before the last byte that is no full range, each combination is a range of its own.
    let cut = bytes.iter().rposition(|range| !full(range)).unwrap_or(0);
    let mut heads: Vec<Vec<u8>> = vec![Vec::new()];
    for range in &bytes[..cut] {
        heads = heads
            .iter()
            .flat_map(|head| {
                (range.start..=range.end).map(move |byte| [head.as_slice(), &[byte]].concat())
            })
            .collect();
    }
    let ranges = heads.into_iter().filter_map(|head| {
        let (mut low, mut high) = (head.clone(), head);
        low.extend(bytes[cut..].iter().map(|range| range.start));
        high.extend(bytes[cut..].iter().map(|range| range.end));
        let (low, high) = (code(&low)?, code(&high)?);
        Some(ClassUnicodeRange::new(char::from_u32(low)?, char::from_u32(high)?))
    });
    ranges.collect()
}
