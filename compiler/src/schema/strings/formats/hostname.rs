//! Names of hosts: labels of letters, digits and hyphens, some of which encode others.
//!
//! Names without encoded labels are an automaton. Of the others a rule tells which are right, and
//! a machine holds it where they are written.

use std::sync::{Arc, LazyLock};

use super::super::StringLanguage;
use super::super::counted::ticks;
use super::super::pieces::ranges;
use super::super::spelled::{Spelling, edges_by};
use super::automaton_of;
use crate::chars::automaton::{Automaton, TooLarge};
use crate::chars::idna;
use crate::ir::machine::Names;
use crate::ir::{Ir, Machine};

/// The most characters of a name.
const NAME_MAX: u64 = 253;

const LABEL: &str = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";

fn names(label: &str) -> Result<StringLanguage, TooLarge> {
    let automaton = automaton_of(&format!(r"^(?:{label})(?:\.(?:{label}))*$"))?;
    let names = StringLanguage::of_automaton(Arc::new(automaton));
    names.intersection(&StringLanguage::length(1, Some(NAME_MAX)))
}

/// `hostname` up to draft 6: RFC 1034 with the first character of RFC 1123.
pub(super) fn plain() -> Result<StringLanguage, TooLarge> {
    static PLAIN: LazyLock<Result<StringLanguage, TooLarge>> = LazyLock::new(|| names(LABEL));
    PLAIN.clone()
}

/// `hostname` from draft 7 on, with encoded labels as RFC 5890 has them: two hyphens may stand at
/// the third place of no other label.
pub(super) fn hostname() -> Result<StringLanguage, TooLarge> {
    static ALL: LazyLock<Result<StringLanguage, TooLarge>> = LazyLock::new(|| {
        let surely = names(&format!("(?!..--){LABEL}"))?;
        let maybe = names(&format!("(?!(?:[^Xx].|[Xx][^Nn])--){LABEL}"))?;
        maybe.ruled(surely)
    });
    ALL.clone()
}

/// Whether each encoded label of `text` is right: the rule of host names.
pub(in super::super) fn is_hostname(text: &str) -> bool {
    text.split('.').all(|label| match label.get(..idna::PREFIX.len()) {
        Some(prefix) if prefix.eq_ignore_ascii_case(idna::PREFIX) => {
            let encoded = label[idna::PREFIX.len()..].to_ascii_lowercase();
            label.len() <= idna::LABEL_MAX && idna::is_encoded(&encoded)
        }
        _ => true,
    })
}

impl StringLanguage {
    /// The strings as they are written, where the rule of host names tells some of them apart.
    ///
    /// # Errors
    /// If names whose encoded labels are wrong are in it and right ones are not, and above limits.
    pub(in super::super) fn named_to_ir(&self, spelling: Spelling) -> Result<Ir, TooLarge> {
        let (inside, outside) = (self.inside(), self.outside());
        let surely = inside.intersection(&outside)?;
        let ruled = inside.difference(&outside)?;
        if !outside.is_subset(&inside)? {
            return Err(TooLarge("all but the right ones of host names cannot be held"));
        }
        let mut arms = Vec::new();
        if !surely.is_never() {
            arms.push(surely.to_ir(spelling)?);
        }
        for word in ruled.words.iter().filter(|word| word.1 && is_hostname(&word.0)) {
            arms.push(Self::exactly(&word.0).to_ir(spelling)?);
        }
        let taken = ruled.words.iter().filter(|word| !word.1).cloned().collect();
        let rest = Self { base: ruled.base.clone(), words: taken, outside: None };
        for (first, piece) in ranges(&rest.pieces()?) {
            if !piece.automaton.is_never() {
                arms.push(heard(&piece.automaton, (first, piece.last), spelling)?);
            }
        }
        Ok(Ir::choice(arms))
    }
}

/// The names of `automaton` of so many characters whose encoded labels are right.
fn heard(
    automaton: &Automaton,
    (first, last): (u64, Option<u64>),
    spelling: Spelling,
) -> Result<Ir, TooLarge> {
    let long = || TooLarge("names that long cannot be written");
    let first = u32::try_from(first).map_err(|_| long())?;
    let last = last.map(u32::try_from).transpose().map_err(|_| long())?;
    // One more than whether a text may end (1), and whether that is in an encoded label (2).
    let encoded = automaton_of(r"(?:^|\.)[Xx][Nn]--[^.]*$")?;
    let marked = automaton.with_dead_ends().product(&encoded, |one, two| match (one, two) {
        (Some(0), _) => Some(0),
        (Some(one), Some(two)) => Some(one + (two << 1)),
        _ => None,
    })?;
    let accepted = marked.renamed(|output| output.checked_sub(1).map_or(0, |output| output & 1));
    let Some((ticks, counters)) = ticks(&accepted, (first, last))? else {
        return Err(TooLarge("the lengths of host names are too many apart"));
    };
    let machine = Names::new(counters);
    let end = Ir::act(machine.end());
    let inside = |state: u32| marked.output(state) > 2;
    let edge = |(from, to): (u32, u32), label: Ir| {
        let tick = Ir::act(ticks[to as usize]);
        match (inside(from), inside(to)) {
            (true, true) => Ir::sequence([Ir::observed(label), tick]),
            (true, false) => Ir::sequence([end.clone(), label, tick]),
            _ => Ir::sequence([label, tick]),
        }
    };
    let close = |output: u32| match output {
        2 => Some(Ir::act(0)),
        4 => Some(Ir::sequence([end.clone(), Ir::act(0)])),
        _ => Some(Ir::never()),
    };
    let body = edges_by(&marked, &mut *spelling.characters(), &close, &edge);
    let body = Ir::sequence([spelling.quote(), body, spelling.quote()]);
    Ok(Ir::tracked(body, Arc::new(Machine::Names(machine))))
}
