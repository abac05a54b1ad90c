//! Machines: what a tracked part remembers beside its automaton.
//!
//! A [`Tracked`](super::Tracked) part carries a register. Its machine says what the register holds
//! at the beginning, which actions are allowed where, and what they make of it. The engine takes
//! equal values for one state, so a machine keeps its values canonical.

use std::fmt::{self, Display};

pub use super::conditions::Test;
pub use super::counters::{Action, Condition, Counters, Effect};
pub use super::distinct::Distinct;
pub use super::echo::Echo;
pub use super::elements::{Element, Elements, Tally};
pub use super::keyed::Keyed;
pub use super::members::{Asked, Member, Members};
pub use super::names::Names;
pub use super::owed::{Owed, OwedGroup};
pub use super::picks::Picks;
use super::printed::Words;
pub use crate::schema::NumberMachine;

/// What a register holds. Equal values behave alike.
pub type Value = Box<[u32]>;

/// What may be refused of bytes that are heard: as long as they hold neither `until` nor
/// `escape`, only beginnings of the `risky` texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hearing {
    /// The byte that ends what is heard.
    pub until: u8,
    /// The byte that begins another spelling.
    pub escape: u8,
    /// The texts; none at all if bytes without `until` are never refused.
    pub risky: Vec<Vec<u8>>,
}

/// The machine of a tracked part.
#[derive(Clone, PartialEq, Debug)]
pub enum Machine {
    /// Counters that stop at a bound, compared with constants.
    Counters(Counters),
    /// The members of an object.
    Members(Members),
    /// The members of an object none of whose keys repeats.
    Keyed(Keyed),
    /// The items of an array.
    Elements(Elements),
    /// Different items from a list.
    Picks(Picks),
    /// Different items that are heard.
    Distinct(Distinct),
    /// Encoded labels of host names, which are heard.
    Names(Names),
    /// Hears the spelling of a number of a set.
    Numbers(NumberMachine),
    /// Hears a text that is repeated.
    Echo(Echo),
}

impl Machine {
    /// The value at the beginning of the part.
    #[must_use]
    pub fn start(&self) -> Value {
        match self {
            Self::Counters(counters) => counters.start(),
            Self::Members(members) => members.start(),
            Self::Keyed(keyed) => keyed.start(),
            Self::Elements(elements) => elements.start(),
            Self::Picks(picks) => picks.start(),
            Self::Distinct(distinct) => distinct.start(),
            Self::Names(names) => names.start(),
            Self::Numbers(numbers) => numbers.start(),
            Self::Echo(_) => Echo::start(),
        }
    }

    /// What a value of the register stands for, in a few words.
    pub(crate) fn remembers(&self) -> &'static str {
        match self {
            Self::Counters(_) => "how often something was there",
            Self::Members(_) => "which keys were there, and how many",
            Self::Keyed(_) => "which keys were there, so that none repeats",
            Self::Elements(_) => "how many items were there, and of which kind",
            Self::Picks(_) | Self::Distinct(_) => "which items were there, so that none repeats",
            Self::Names(_) => "an encoded label of a host's name",
            Self::Numbers(_) => "the digits of a number",
            Self::Echo(_) => "a text that comes again",
        }
    }

    /// The machine that counts as this one does and forgets which values were there, and what each
    /// action of this one is there; `None` if this one knows no values.
    pub(crate) fn counting(&self) -> Option<(Self, Vec<Option<u32>>)> {
        Some(match self {
            Self::Keyed(keyed) => {
                let own = (0..keyed.begin()).map(Some);
                (Self::Members(keyed.members().clone()), own.chain([None, None]).collect())
            }
            Self::Distinct(distinct) => {
                let own = (0..distinct.end()).map(Some);
                (Self::Elements(distinct.elements().clone()), own.chain([None]).collect())
            }
            Self::Picks(picks) => {
                let close = picks.elements.elements.len() as u32;
                let own = picks.picks.iter().map(|(kind, _)| Some(*kind));
                (Self::Elements(picks.elements.clone()), own.chain([Some(close)]).collect())
            }
            Self::Counters(_)
            | Self::Members(_)
            | Self::Elements(_)
            | Self::Names(_)
            | Self::Numbers(_)
            | Self::Echo(_) => return None,
        })
    }

    /// The value after `action`; `None` if it is not allowed, or if nothing that may follow it
    /// would lead to the end of the part.
    #[must_use]
    pub fn step(&self, value: &Value, action: u32) -> Option<Value> {
        match self {
            Self::Counters(counters) => counters.step(value, action),
            Self::Members(members) => members.step(value, action),
            Self::Keyed(keyed) => keyed.step(value, action),
            Self::Elements(elements) => elements.step(value, action),
            Self::Picks(picks) => picks.step(value, action),
            Self::Distinct(distinct) => distinct.step(value, action),
            Self::Names(names) => names.step(value, action),
            Self::Numbers(numbers) => (action == 0 && numbers.end(value)).then(|| numbers.start()),
            Self::Echo(_) => Echo::step(value, action),
        }
    }

    /// Which actions are allowed, in their order: those that [`Machine::step`] gives a value for.
    #[must_use]
    pub fn allowed(&self, value: &Value) -> Vec<bool> {
        match self {
            Self::Members(members) => members.allowed(value),
            Self::Keyed(keyed) => keyed.allowed(value),
            _ => (0..self.actions()).map(|action| self.step(value, action).is_some()).collect(),
        }
    }

    /// The value after a byte of an observed part; `None` as for [`Machine::step`].
    #[must_use]
    pub fn read(&self, value: &Value, byte: u8) -> Option<Value> {
        match self {
            Self::Counters(_) | Self::Members(_) | Self::Elements(_) | Self::Picks(_) => {
                Some(value.clone())
            }
            Self::Keyed(keyed) => keyed.read(value, byte),
            Self::Distinct(distinct) => distinct.read(value, byte),
            Self::Names(names) => names.read(value, byte),
            Self::Numbers(numbers) => numbers.read(value, byte),
            Self::Echo(_) => Echo::read(value, byte),
        }
    }

    /// What may be refused of what is heard from `value` on, if the machine can tell.
    #[must_use]
    pub fn hearing(&self, value: &Value) -> Option<Hearing> {
        match self {
            Self::Keyed(keyed) => keyed.hearing(value),
            Self::Distinct(distinct) => distinct.hearing(value),
            _ => None,
        }
    }

    /// The number of actions; they are numbered from 0.
    #[must_use]
    pub fn actions(&self) -> u32 {
        match self {
            Self::Counters(counters) => counters.actions().len() as u32,
            Self::Members(members) => members.actions(),
            Self::Keyed(keyed) => keyed.actions(),
            Self::Elements(elements) => elements.actions(),
            Self::Picks(picks) => picks.actions(),
            Self::Distinct(distinct) => distinct.actions(),
            Self::Names(names) => names.actions(),
            Self::Numbers(_) => 1,
            Self::Echo(_) => 2,
        }
    }

    /// What each action is to all runs of at most `span` actions from `value` on, as far as the
    /// machine can tell.
    #[must_use]
    pub fn roles(&self, value: &Value, span: u32) -> Vec<Role> {
        match self {
            Self::Counters(counters) => counters.roles(value, span),
            Self::Names(names) => names.roles(value, span),
            Self::Numbers(_)
            | Self::Echo(_)
            | Self::Members(_)
            | Self::Keyed(_)
            | Self::Elements(_)
            | Self::Picks(_)
            | Self::Distinct(_) => vec![Role::Counts; self.actions() as usize],
        }
    }

    /// The one value that stands for all that no run of at most `span` actions tells from
    /// `value`: each such run is allowed from both or from neither.
    #[must_use]
    pub fn abstracted(&self, value: &Value, span: u32) -> Value {
        match self {
            Self::Counters(counters) => counters.abstracted(value, span),
            Self::Names(names) => names.abstracted(value, span),
            Self::Numbers(_)
            | Self::Echo(_)
            | Self::Members(_)
            | Self::Keyed(_)
            | Self::Elements(_)
            | Self::Picks(_)
            | Self::Distinct(_) => value.clone(),
        }
    }
}

/// What an action is to all runs of some number of actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It may make a difference.
    Counts,
    /// It is allowed all along, and which actions are allowed is the same with it and without.
    Idle,
    /// It is never allowed.
    Never,
}

impl Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counters(counters) => write!(f, "{counters}"),
            Self::Members(members) => write!(f, "{members}"),
            Self::Keyed(keyed) => write!(f, "{keyed}"),
            Self::Elements(elements) => write!(f, "{elements}"),
            Self::Picks(picks) => write!(f, "{picks}"),
            Self::Distinct(distinct) => write!(f, "{distinct}"),
            Self::Names(names) => write!(f, "{names}"),
            Self::Numbers(numbers) => write!(f, "{numbers}"),
            Self::Echo(echo) => write!(f, "{echo}"),
        }
    }
}

/// Reads the printed form.
impl std::str::FromStr for Machine {
    type Err = ();

    fn from_str(printed: &str) -> Result<Self, ()> {
        if printed == "echo" {
            return Ok(Self::Echo(Echo));
        }
        let mut words = Words::new(printed);
        let read = match printed.split_once(' ').map(|(word, _)| word) {
            Some("members") => words.members().map(Self::Members),
            Some("keyed") => words.keyed().map(Self::Keyed),
            Some("elements") => words.elements().map(Self::Elements),
            Some("picks") => words.picks().map(Self::Picks),
            Some("distinct") => words.distinct().map(Self::Distinct),
            Some("numbers") => return printed.parse().map(Self::Numbers),
            Some("names") => return printed.parse().map(Self::Names),
            _ => return printed.parse().map(Self::Counters),
        };
        words.end().and(read)
    }
}
