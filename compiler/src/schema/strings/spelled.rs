//! A set of strings as text: with the spellings of JSON between quotation marks, or as it is.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::counted::Bounds;
use super::pieces::ranges;
use super::trie;
use super::{Base, Escapes, StringLanguage};
use crate::chars::automaton::{Automaton, TooLarge};
use crate::chars::json::JsonCharacters;
use crate::chars::python::{PythonCharacters, Quote};
use crate::chars::spelling::{self, Entities, Plain};
use crate::chars::until::every_character;
use crate::ir::{Ir, State};

/// How the strings are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spelling {
    /// Between quotation marks, with these escapes.
    Json(Escapes),
    /// Each character for itself.
    Raw,
    /// Between these quotation marks, as Python spells them.
    Python(Quote, Escapes),
    /// Each for itself, but these as entities of XML.
    Attribute(&'static str),
}

/// How many spellings have numbers.
pub(super) const NUMBERED: usize = 7;

impl Spelling {
    /// What a string begins and ends with.
    pub(super) fn quote(self) -> Ir {
        match self {
            Self::Json(_) => Ir::value("\""),
            Self::Python(quote, _) => Ir::value(quote.character().encode_utf8(&mut [0; 4])),
            Self::Raw | Self::Attribute(_) => Ir::empty(),
        }
    }

    /// One of some numbers, unless each needs its own spelling.
    pub(super) fn number(self) -> Option<usize> {
        Some(match self {
            Self::Json(Escapes::All) => 0,
            Self::Json(Escapes::Minimal) => 1,
            Self::Raw => 2,
            Self::Python(Quote::Single, Escapes::All) => 3,
            Self::Python(Quote::Single, Escapes::Minimal) => 4,
            Self::Python(Quote::Double, Escapes::All) => 5,
            Self::Python(Quote::Double, Escapes::Minimal) => 6,
            Self::Attribute(_) => return None,
        })
    }

    pub(super) fn characters(self) -> Box<dyn spelling::Spelling> {
        match self {
            Self::Json(escapes) => Box::new(JsonCharacters::new(escapes)),
            Self::Raw => Box::new(Plain),
            Self::Attribute(escaped) => Box::new(Entities(escaped)),
            Self::Python(quote, escapes) => Box::new(PythonCharacters::new(quote, escapes)),
        }
    }
}

impl StringLanguage {
    /// The strings as they are written.
    ///
    /// # Errors
    /// [`TooLarge`] if the automaton of it has too many states.
    pub(crate) fn to_ir(&self, spelling: Spelling) -> Result<Ir, TooLarge> {
        static ALL: [OnceLock<Ir>; NUMBERED] = [const { OnceLock::new() }; NUMBERED];
        if self.outside.is_some() {
            return self.named_to_ir(spelling);
        }
        let mut characters = spelling.characters();
        if self.is_all() {
            let mut every = || characters.class(&every_character());
            let mut any = move || {
                let body = Ir::repeat(every(), 0, None, None);
                Ir::sequence([spelling.quote(), body, spelling.quote()])
            };
            return Ok(match spelling.number() {
                Some(number) => ALL[number].get_or_init(any).clone(),
                None => any(),
            });
        }
        let quoted = |body: Ir| Ir::sequence([spelling.quote(), body, spelling.quote()]);
        let words = |is: bool| -> Vec<(&str, usize)> {
            let words = self.words.iter().filter(|word| word.1 == is);
            words.map(|word| (&*word.0, 0)).collect()
        };
        let (listed, taken) = (words(true), words(false));
        let mut arms = Vec::with_capacity(2);
        match listed.as_slice() {
            [] => {}
            [(one, _)] => arms.push(quoted(characters.text(one))),
            _ => arms.push(quoted(trie::words(&listed, &[Ir::empty()], &mut *characters))),
        }
        if self.base.is_all() {
            let ends = [Ir::never()];
            let others = trie::with_others(&taken, &ends, &Ir::empty(), &mut *characters);
            return Ok(quoted(others));
        }
        let pieces = match (&self.base, taken.is_empty()) {
            (Base::Named(named), true) => {
                arms.push(named.to_ir(spelling)?);
                return Ok(Ir::choice(arms));
            }
            (base, true) => base.pieces()?,
            (base, false) => {
                let (base, words) = (base.clone(), self.taken());
                StringLanguage { base, words, outside: None }.pieces()?
            }
        };
        for (first, piece) in ranges(&pieces) {
            if !piece.automaton.is_never() {
                let bounds = Bounds { first, last: piece.last };
                arms.push(bounds.texts(&piece.automaton, spelling.quote(), &mut *characters)?);
            }
        }
        Ok(Ir::choice(arms))
    }

    /// The words that are taken out of the base.
    fn taken(&self) -> Arc<[(Box<str>, bool)]> {
        self.words.iter().filter(|word| !word.1).cloned().collect()
    }
}

/// The texts whose length is within bounds.
pub(super) fn lengths(first: u64, last: Option<u64>) -> Result<Automaton, TooLarge> {
    use crate::chars::automaton::{Letters, STATES_MAX, Steps, explore};
    let settled = last.map_or(first, |last| last.saturating_add(1));
    if settled > STATES_MAX as u64 {
        return Err(TooLarge("too large an automaton beside bounds on the length"));
    }
    let steps = |at: &u64| Ok(Steps { default: (*at + 1).min(settled), others: Vec::new() });
    let within = |at: &u64| u32::from(*at >= first && last.is_none_or(|last| *at <= last));
    explore(Letters::one(), 0_u64, steps, within)
}

/// The automaton as an [`Ir`]. Where `tail` gives something for an output other than 0, the text
/// ends with that.
pub(in crate::schema) fn edges(
    automaton: &Automaton,
    characters: &mut dyn spelling::Spelling,
    tail: &dyn Fn(u32) -> Option<Ir>,
) -> Ir {
    edges_by(automaton, characters, tail, &|_, label| label)
}

/// As [`edges`], with each label, from the first state to the second, as `edge` makes it.
pub(super) fn edges_by(
    automaton: &Automaton,
    characters: &mut dyn spelling::Spelling,
    tail: &dyn Fn(u32) -> Option<Ir>,
    edge: &dyn Fn((u32, u32), Ir) -> Ir,
) -> Ir {
    let sets = automaton.letters().sets();
    let mut labels: HashMap<(bool, Vec<u32>), Ir> = HashMap::new();
    let end = automaton.states();
    let mut states: Vec<State> = Vec::with_capacity(end + 1);
    for state in 0..end as u32 {
        let row = automaton.row(state);
        // The letters that lead to each state, and for the default those that do not.
        let mut targets: Vec<(u32, bool, Vec<u32>)> = Vec::new();
        if automaton.settled(row.default) != Some(0) {
            let named = row.others.iter().map(|edge| edge.0).collect();
            targets.push((row.default, true, named));
        }
        let named = row.others.iter().filter(|edge| automaton.settled(edge.1) != Some(0));
        for &(letter, to) in named {
            match targets.iter_mut().find(|target| target.0 == to) {
                Some(target) => target.2.push(letter),
                None => targets.push((to, false, vec![letter])),
            }
        }
        let mut edges: Vec<(Ir, usize)> = Vec::with_capacity(targets.len() + 1);
        for (to, others, letters) in targets {
            let label = labels.entry((others, letters)).or_insert_with_key(|(others, letters)| {
                characters.class(&union(&sets, *others, letters))
            });
            edges.push((edge((state, to), label.clone()), to as usize));
        }
        let output = automaton.output(state);
        let after = if output == 0 { None } else { tail(output) };
        let accepting = output != 0 && after.is_none();
        edges.extend(after.filter(|after| !after.is_never()).map(|after| (after, end)));
        states.push(State { edges, accepting });
    }
    states.push(State { edges: Vec::new(), accepting: true });
    Ir::automaton(states)
}

/// The characters of `letters`, or those of all others.
fn union(sets: &[ClassUnicode], others: bool, letters: &[u32]) -> ClassUnicode {
    let named = |at: &usize| letters.binary_search(&(*at as u32)).is_ok() != others;
    let ranges = (0..sets.len()).filter(named).flat_map(|at| sets[at].ranges().iter().copied());
    let mut ranges: Vec<ClassUnicodeRange> = ranges.collect();
    ranges.sort_unstable();
    ClassUnicode::new(ranges)
}
