//! The printed forms of the machines of arrays and objects, and their reading.
//!
//! A form is words with blanks between; a list begins with how many it has. What is read is
//! checked, so that no number leads out of its list.

use std::fmt::{self, Display, Write};
use std::sync::Arc;

use super::conditions::Test;
use super::distinct::Distinct;
use super::elements::{Element, Elements, Tally};
use super::keyed::Keyed;
use super::members::{Asked, Member, Members};
use super::picks::Picks;
use crate::chars::automaton::Automaton;

/// The most keys, facts, values and kinds of items of a machine that is read.
const COUNT_MAX: u32 = 1 << 20;
/// The deepest nest of tests.
const DEPTH_MAX: usize = 50;

/// Words that are written one after the other.
struct Out<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl Out<'_, '_> {
    fn word(&mut self, word: impl Display) -> fmt::Result {
        write!(self.0, " {word}")
    }

    fn option(&mut self, number: Option<u32>) -> fmt::Result {
        match number {
            Some(number) => self.word(number),
            None => self.word("-"),
        }
    }

    fn numbers(&mut self, numbers: &[u32]) -> fmt::Result {
        self.word(numbers.len())?;
        numbers.iter().try_for_each(|number| self.word(number))
    }

    fn test(&mut self, test: &Test) -> fmt::Result {
        let (word, number) = match test {
            Test::Has(key) => ("has", *key),
            Test::Lacks(key) => ("lacks", *key),
            Test::Is(fact) => ("is", *fact),
            Test::IsNot(fact) => ("is-not", *fact),
            Test::AtLeast(count) => ("at-least", *count),
            Test::AtMost(count) => ("at-most", *count),
            Test::All(parts) => return self.tests("all", parts),
            Test::Any(parts) => return self.tests("any", parts),
        };
        self.word(word)?;
        self.word(number)
    }

    fn tests(&mut self, word: &str, parts: &[Test]) -> fmt::Result {
        self.word(word)?;
        self.word(parts.len())?;
        parts.iter().try_for_each(|part| self.test(part))
    }
}

/// Words that are still to be read.
pub(super) struct Words<'a>(std::str::SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    pub(super) fn new(printed: &'a str) -> Self {
        Self(printed.split_ascii_whitespace())
    }

    fn word(&mut self) -> Result<&'a str, ()> {
        self.0.next().ok_or(())
    }

    fn expect(&mut self, word: &str) -> Result<(), ()> {
        if self.word()? == word { Ok(()) } else { Err(()) }
    }

    pub(super) fn end(mut self) -> Result<(), ()> {
        if self.0.next().is_none() { Ok(()) } else { Err(()) }
    }

    fn number(&mut self) -> Result<u32, ()> {
        self.word()?.parse().map_err(|_| ())
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u32) -> Result<u32, ()> {
        self.number().and_then(|number| if number < bound { Ok(number) } else { Err(()) })
    }

    fn option(&mut self) -> Result<Option<u32>, ()> {
        match self.word()? {
            "-" => Ok(None),
            word => word.parse().map(Some).map_err(|_| ()),
        }
    }

    /// One of two words: whether it is the first.
    fn either(&mut self, yes: &str, no: &str) -> Result<bool, ()> {
        match self.word()? {
            word if word == yes => Ok(true),
            word if word == no => Ok(false),
            _ => Err(()),
        }
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T, ()>) -> Result<Vec<T>, ()> {
        let count = self.below(COUNT_MAX)?;
        (0..count).map(|_| read(self)).collect()
    }

    fn ascending(&mut self, bound: u32) -> Result<Vec<u32>, ()> {
        let numbers = self.list(|words| words.below(bound))?;
        if numbers.is_sorted_by(|one, two| one < two) { Ok(numbers) } else { Err(()) }
    }

    pub(super) fn elements(&mut self) -> Result<Elements, ()> {
        self.expect("elements")?;
        let (min, max, places) = (self.number()?, self.option()?, self.number()?);
        let tallies = self.list(|words| {
            Ok(Tally { from: words.number()?, min: words.number()?, max: words.option()? })
        })?;
        let count = tallies.len() as u32;
        let elements = self.list(|words| {
            let place = words.number()?;
            let last = words.either("on", "at")?;
            Ok(Element { place, last, counted: words.ascending(count)? })
        })?;
        Ok(Elements { elements, tallies, places, min, max })
    }

    pub(super) fn members(&mut self) -> Result<Members, ()> {
        self.expect("members")?;
        let (keys, facts) = (self.below(COUNT_MAX)?, self.below(COUNT_MAX)?);
        let (min, max) = (self.number()?, self.option()?);
        let ordered = self.either("ordered", "free")?;
        let required = self.ascending(keys)?;
        let members = self.list(|words| {
            let key = words.option()?;
            let fits = key.is_none_or(|key| key < keys);
            let member = Member { key, facts: words.ascending(facts)? };
            if fits { Ok(member) } else { Err(()) }
        })?;
        let tests = self.list(|words| words.test((keys, facts), 0))?;
        Ok(Members::new(Asked { keys, members, required, facts, min, max, tests, ordered }))
    }

    fn test(&mut self, (keys, facts): (u32, u32), depth: usize) -> Result<Test, ()> {
        if depth > DEPTH_MAX {
            return Err(());
        }
        Ok(match self.word()? {
            "has" => Test::Has(self.below(keys)?),
            "lacks" => Test::Lacks(self.below(keys)?),
            "is" => Test::Is(self.below(facts)?),
            "is-not" => Test::IsNot(self.below(facts)?),
            "at-least" => Test::AtLeast(self.number()?),
            "at-most" => Test::AtMost(self.number()?),
            "all" => Test::All(self.list(|words| words.test((keys, facts), depth + 1))?),
            "any" => Test::Any(self.list(|words| words.test((keys, facts), depth + 1))?),
            _ => return Err(()),
        })
    }

    pub(super) fn picks(&mut self) -> Result<Picks, ()> {
        self.expect("picks")?;
        let values = self.below(COUNT_MAX)?;
        let picks = self.list(|words| Ok((words.number()?, words.below(values)?)))?;
        let elements = self.elements()?;
        let kinds = elements.elements.len() as u32;
        let fits = picks.iter().all(|(kind, _)| *kind < kinds);
        if fits { Ok(Picks { elements, values, picks }) } else { Err(()) }
    }

    pub(super) fn distinct(&mut self) -> Result<Distinct, ()> {
        self.expect("distinct")?;
        let strings = match self.either("strings", "none")? {
            true => Some(Arc::new(self.automaton()?)),
            false => None,
        };
        let words = self.list(|words| words.word().map(Box::from))?;
        let numbers = match self.word()? {
            "none" => None,
            // One word: what else has blanks in it.
            word => Some(Arc::new(word.replace('|', "; ").replace('_', " ").parse()?)),
        };
        let elements = self.elements()?;
        Ok(Distinct::new(elements, strings, words, numbers))
    }

    pub(super) fn keyed(&mut self) -> Result<Keyed, ()> {
        self.expect("keyed")?;
        let keys = self.distinct()?;
        Ok(Keyed::new(self.members()?, keys))
    }

    fn automaton(&mut self) -> Result<Automaton, ()> {
        let runs = self.list(|words| Ok((words.number()?, words.number()?)))?;
        let states = self.list(|words| {
            let (output, default) = (words.number()?, words.number()?);
            let others = words.list(|words| Ok((words.number()?, words.number()?)))?;
            Ok((output, default, others))
        })?;
        Automaton::from_table(runs, states).ok_or(())
    }
}

impl Display for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("elements")?;
        let mut out = Out(f);
        out.word(self.min)?;
        out.option(self.max)?;
        out.word(self.places)?;
        out.word(self.tallies.len())?;
        for tally in &self.tallies {
            out.word(tally.from)?;
            out.word(tally.min)?;
            out.option(tally.max)?;
        }
        out.word(self.elements.len())?;
        for element in &self.elements {
            out.word(element.place)?;
            out.word(if element.last { "on" } else { "at" })?;
            out.numbers(&element.counted)?;
        }
        Ok(())
    }
}

impl Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = self.asked();
        f.write_str("members")?;
        let mut out = Out(f);
        out.word(asked.keys)?;
        out.word(asked.facts)?;
        out.word(asked.min)?;
        out.option(asked.max)?;
        out.word(if asked.ordered { "ordered" } else { "free" })?;
        out.numbers(&asked.required)?;
        out.word(asked.members.len())?;
        for member in &asked.members {
            out.option(member.key)?;
            out.numbers(&member.facts)?;
        }
        out.word(asked.tests.len())?;
        asked.tests.iter().try_for_each(|test| out.test(test))
    }
}

impl Display for Picks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("picks")?;
        let mut out = Out(f);
        out.word(self.values)?;
        out.word(self.picks.len())?;
        for (kind, value) in &self.picks {
            out.word(kind)?;
            out.word(value)?;
        }
        write!(f, " {}", self.elements)
    }
}

impl Display for Distinct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("distinct")?;
        match self.strings() {
            None => f.write_str(" none")?,
            Some(strings) => {
                f.write_str(" strings")?;
                automaton(strings, &mut Out(f))?;
            }
        }
        let mut out = Out(f);
        out.word(self.words().len())?;
        self.words().iter().try_for_each(|word| out.word(word))?;
        match self.numbers() {
            None => out.word("none")?,
            Some(numbers) => {
                let printed = numbers.to_string();
                out.word(printed.replace("; ", "|").replace(' ', "_"))?;
            }
        }
        write!(f, " {}", self.elements())
    }
}

impl Display for Keyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("keyed ")?;
        self.keys().fmt(f)?;
        f.write_char(' ')?;
        self.members().fmt(f)
    }
}

fn automaton(strings: &Automaton, out: &mut Out<'_, '_>) -> fmt::Result {
    let runs = strings.letters().runs();
    out.word(runs.len())?;
    for (place, letter) in runs {
        out.word(place)?;
        out.word(letter)?;
    }
    out.word(strings.states())?;
    for state in 0..strings.states() as u32 {
        let row = strings.row(state);
        out.word(strings.output(state))?;
        out.word(row.default)?;
        out.word(row.others.len())?;
        for (letter, to) in &row.others {
            out.word(letter)?;
            out.word(to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Machine;

    fn elements() -> Elements {
        let element =
            |place, last, counted: &[u32]| Element { place, last, counted: counted.into() };
        Elements {
            elements: vec![element(0, false, &[]), element(1, true, &[0, 1])],
            tallies: vec![Tally::many(0, 2), Tally::few(1, 3)],
            places: 1,
            min: 2,
            max: Some(9),
        }
    }

    fn machines() -> Vec<Machine> {
        let strings = Automaton::of_words([("ab", 1), ("aé", 1)].into_iter()).unwrap();
        let words = vec!["null".into(), "true".into()];
        let numbers = "numbers json; none; in 5e0; multiples 1e0 1".parse().unwrap();
        let numbers = Arc::new(numbers);
        let distinct = Distinct::new(elements(), Some(Arc::new(strings)), words, Some(numbers));
        let tests = vec![
            Test::Any(vec![Test::Has(0), Test::All(vec![Test::IsNot(1), Test::AtMost(3)])]),
            Test::Lacks(1),
        ];
        let member = |key, facts: &[u32]| Member { key, facts: facts.into() };
        let members = Members::new(Asked {
            keys: 2,
            members: vec![member(Some(0), &[1]), member(Some(1), &[]), member(None, &[0, 1])],
            required: vec![0],
            facts: 2,
            min: 1,
            max: None,
            tests,
            ordered: true,
        });
        let picks = Picks { elements: elements(), values: 3, picks: vec![(0, 2), (1, 0)] };
        vec![
            Machine::Elements(elements()),
            Machine::Picks(picks),
            Machine::Distinct(distinct.clone()),
            Machine::Members(members.clone()),
            Machine::Keyed(Keyed::new(members, distinct)),
        ]
    }

    #[test]
    fn every_machine_prints_and_reads_back() {
        for machine in machines() {
            let printed = machine.to_string();
            assert_eq!(printed.parse::<Machine>().as_ref(), Ok(&machine), "{printed}");
        }
    }

    #[test]
    fn what_is_damaged_is_refused_or_reads_as_something_else() {
        for machine in machines() {
            let printed = machine.to_string();
            let words: Vec<&str> = printed.split(' ').collect();
            for at in 0..words.len() {
                for other in ["", "4294967295", "-", "on"] {
                    let mut words = words.clone();
                    words[at] = other;
                    let damaged = words.join(" ");
                    if let Ok(read) = damaged.parse::<Machine>() {
                        assert_eq!(read.to_string().parse(), Ok(read), "{damaged}");
                    }
                }
            }
        }
    }
}
