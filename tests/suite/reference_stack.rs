//! The stacks of the reference recogniser: what is still to be read.

use std::rc::Rc;
use std::sync::Arc;

use blueprints::ir::Grammar;
use blueprints::ir::machine::{Machine, Value};
use blueprints::{Ir, TokenId};
use regex_automata::dfa::dense;
use regex_automata::util::primitives::StateID;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Symbol {
    Byte(u8),
    Special(TokenId),
}

/// What calls refer to.
#[derive(Clone)]
pub(crate) enum Rules {
    Grammar(Arc<Grammar>),
    Made(Arc<dyn blueprints::ir::Rules>),
}

pub(crate) type Scope = Option<Rules>;
/// Something still to be read.
#[derive(Clone)]
pub(crate) enum Task {
    Part(Ir, Scope),
    /// `min..=max` more iterations; the flag says whether the separator comes first.
    Times {
        body: Ir,
        min: u32,
        max: Option<u32>,
        separator: Option<Ir>,
        begun: bool,
        scope: Scope,
    },
    Joined {
        joined: Rc<blueprints::ir::Joined>,
        at: usize,
        written: bool,
        scope: Scope,
    },
    State {
        automaton: blueprints::ir::Automaton,
        at: usize,
        scope: Scope,
    },
    Symbols(Rc<[Symbol]>, usize),
    Character(Ir, Vec<u8>),
    Pattern(Rc<dense::DFA<Vec<u32>>>, StateID),
    Free(Rc<[Vec<Symbol>]>, Vec<u8>),
    /// The register of the tracked part above it.
    Register(Arc<Machine>, Value),
    /// The bytes of what is above it are told to the next register below.
    Observed,
}

#[derive(Clone)]
pub(crate) struct Stack(pub(crate) Option<Rc<(Task, Stack)>>);

impl Stack {
    pub(crate) fn push(&self, task: Task) -> Self {
        Self(Some(Rc::new((task, self.clone()))))
    }

    /// Equal only for equal stacks. Parts of the `Ir` go by their address.
    pub(crate) fn key(&self) -> Vec<u8> {
        let (mut key, mut at) = (Vec::new(), self);
        let address = |ir: &Ir| std::ptr::from_ref(ir.kind()).addr();
        while let Some(cell) = &at.0 {
            let held: Vec<u8>;
            let (kind, numbers, text) = match &cell.0 {
                Task::Part(ir, _) => (0, [address(ir), 0, 0, 0], &[][..]),
                Task::Times { body, min, max, begun, .. } => {
                    let max = max.map_or(usize::MAX, |max| max as usize);
                    (1, [address(body), *min as usize, max, usize::from(*begun)], &[][..])
                }
                Task::Joined { joined, at, written, .. } => {
                    (2, [Rc::as_ptr(joined).addr(), *at, usize::from(*written), 0], &[][..])
                }
                Task::State { automaton, at, .. } => {
                    (3, [automaton.states.as_ptr().addr(), *at, 0, 0], &[][..])
                }
                Task::Symbols(symbols, at) => (4, [symbols.as_ptr().addr(), *at, 0, 0], &[][..]),
                Task::Character(class, read) => (5, [address(class), 0, 0, 0], &read[..]),
                Task::Pattern(dfa, state) => {
                    (6, [Rc::as_ptr(dfa).addr(), state.as_usize(), 0, 0], &[][..])
                }
                Task::Free(until, text) => (7, [until.as_ptr().addr(), 0, 0, 0], &text[..]),
                Task::Register(machine, value) => {
                    held = value.iter().flat_map(|word| word.to_le_bytes()).collect();
                    (8, [Arc::as_ptr(machine).addr(), 0, 0, 0], &held[..])
                }
                Task::Observed => (9, [0; 4], &[][..]),
            };
            key.push(kind);
            numbers.iter().for_each(|number| key.extend(number.to_le_bytes()));
            key.extend(text.len().to_le_bytes());
            key.extend(text);
            at = &cell.1;
        }
        key
    }
}

impl Stack {
    /// The stack with the uppermost register changed, if its machine allows it.
    pub(crate) fn change(
        &self,
        change: &dyn Fn(&Machine, &Value) -> Option<Value>,
    ) -> Option<Self> {
        let cell = self.0.as_ref()?;
        match &cell.0 {
            Task::Register(machine, value) => {
                let value = change(machine, value)?;
                Some(cell.1.push(Task::Register(machine.clone(), value)))
            }
            other => Some(cell.1.change(change)?.push(other.clone())),
        }
    }

    /// Whether an observed part is open above the uppermost register.
    pub(crate) fn is_observed(&self) -> bool {
        match self.0.as_ref().map(|cell| (&cell.0, &cell.1)) {
            None | Some((Task::Register(..), _)) => false,
            Some((Task::Observed, _)) => true,
            Some((_, rest)) => rest.is_observed(),
        }
    }
}
