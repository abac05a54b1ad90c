//! A set of numbers as text: an automaton where one can say it, else a machine.

use std::sync::{Arc, LazyLock, OnceLock};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::lead::Forms;
use super::machine::NumberMachine;
use super::{NumberLanguage, TooLarge};
use crate::chars::automaton::{Automaton, Letters, Steps, explore_within};
use crate::chars::spelling::Plain;
use crate::ir::{Ir, Machine, State};
use crate::schema::strings::edges;

/// The most states of an automaton before a machine is taken in its place.
const STATES_MAX: usize = 1 << 12;

/// Which spellings of numbers there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Numbers {
    /// All of JSON's.
    #[default]
    Json,
    /// Those without an exponent.
    Plain,
    /// Those without exponent and fraction, as draft 4 asks of integers.
    Digits,
    /// Those with a point or an exponent, which are no integers in draft 4.
    Marked,
    /// Those with a point and no exponent.
    Point,
}

impl Numbers {
    /// Whether digits alone are no spelling.
    fn is_marked(self) -> bool {
        matches!(self, Self::Marked | Self::Point)
    }

    fn forms(self) -> Forms {
        let exponent = matches!(self, Self::Json | Self::Marked);
        Forms { exponent, fraction: self != Self::Digits }
    }
}

impl NumberLanguage {
    /// The numbers as they are written.
    ///
    /// # Errors
    /// [`TooLarge`] for bounds and divisors too many powers of ten apart.
    pub(crate) fn to_ir(&self, numbers: Numbers) -> Result<Ir, TooLarge> {
        static COMMON: [[OnceLock<Ir>; 2]; 5] = [const { [const { OnceLock::new() }; 2] }; 5];
        let slots = &COMMON[numbers as usize];
        let integers = Self::integers();
        let slot = match self.is_all() {
            true => Some(&slots[0]),
            false => (*self == integers).then(|| &slots[1]),
        };
        if let Some(ir) = slot.and_then(OnceLock::get) {
            return Ok(ir.clone());
        }
        let made = match numbers {
            // What is no integer has no spelling with digits alone.
            Numbers::Digits if *self != integers => self.intersection(&integers)?.made(numbers)?,
            _ => self.made(numbers)?,
        };
        Ok(slot.map_or(made.clone(), |slot| slot.get_or_init(|| made).clone()))
    }

    /// The spelling of any number, for a machine to hear.
    pub(crate) fn any_spelled(&self, numbers: Numbers) -> Ir {
        if self.is_never() { Ir::never() } else { syntax(numbers) }
    }

    /// The machine that hears the numbers.
    ///
    /// # Errors
    /// [`TooLarge`] for bounds and divisors too many powers of ten apart.
    pub(crate) fn machine(&self, numbers: Numbers) -> Result<NumberMachine, TooLarge> {
        NumberMachine::new(self, numbers.forms())
    }

    fn made(&self, numbers: Numbers) -> Result<Ir, TooLarge> {
        if self.is_never() {
            return Ok(Ir::never());
        }
        let machine = NumberMachine::new(self, numbers.forms())?;
        if (numbers != Numbers::Json || machine.is_coarse())
            && !numbers.is_marked()
            && let Ok(automaton) = automaton(&machine)
        {
            return Ok(edges(&automaton, &mut Plain, &|_| None));
        }
        let body = Ir::sequence([Ir::observed(syntax(numbers)), Ir::act(0)]);
        Ok(Ir::tracked(body, Arc::new(Machine::Numbers(machine))))
    }
}

/// The automaton of all that the machine reads.
fn automaton(machine: &NumberMachine) -> Result<Automaton, TooLarge> {
    let alphabet: Vec<char> = "+-.0123456789Ee".chars().collect();
    let letters = Letters::singles(&alphabet);
    let steps = |state: &Option<Box<[u32]>>| {
        let mut others = Vec::new();
        for &character in &alphabet {
            let read = state.as_ref().and_then(|state| machine.read(state, character as u8));
            others.extend(read.map(|next| (letters.of(character), Some(next))));
        }
        Ok(Steps { default: None, others })
    };
    let output = |state: &Option<Box<[u32]>>| {
        u32::from(state.as_ref().is_some_and(|state| machine.end(state)))
    };
    explore_within(letters.clone(), Some(machine.start()), steps, output, STATES_MAX)
}

/// Every number, by its spelling alone.
fn syntax(numbers: Numbers) -> Ir {
    static SYNTAX: LazyLock<[Ir; 5]> = LazyLock::new(|| {
        let all = [Numbers::Json, Numbers::Plain, Numbers::Digits, Numbers::Marked, Numbers::Point];
        all.map(shape)
    });
    SYNTAX[numbers as usize].clone()
}

fn shape(numbers: Numbers) -> Ir {
    let set = |ranges: &[(char, char)]| {
        let ranges = ranges.iter().map(|&(first, last)| ClassUnicodeRange::new(first, last));
        Ir::class(ClassUnicode::new(ranges))
    };
    let digit = || set(&[('0', '9')]);
    let state = |edges, accepting| State { edges, accepting };
    let e = || set(&[('E', 'E'), ('e', 'e')]);
    let forms = numbers.forms();
    let after = |mut edges: Vec<(Ir, usize)>, fraction: bool| {
        if fraction && forms.fraction {
            edges.push((Ir::value("."), 4));
        }
        if forms.exponent {
            edges.push((e(), 6));
        }
        edges
    };
    let first = || vec![(Ir::value("0"), 2), (set(&[('1', '9')]), 3)];
    let mut start = first();
    start.push((Ir::value("-"), 1));
    Ir::automaton(vec![
        state(start, false),
        state(first(), false),
        state(after(Vec::new(), true), !numbers.is_marked()),
        state(after(vec![(digit(), 3)], true), !numbers.is_marked()),
        state(vec![(digit(), 5)], false),
        state(after(vec![(digit(), 5)], false), true),
        state(vec![(set(&[('+', '+'), ('-', '-')]), 7), (digit(), 8)], false),
        state(vec![(digit(), 8)], false),
        state(vec![(digit(), 8)], true),
    ])
}
