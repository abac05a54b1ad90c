//! What a register still owes: actions that must come before its part can end.
//!
//! A lower bound, for whoever looks for a short way to the end: what a machine asks beyond that
//! is not told.

use super::counters::{Condition, Counters, Effect};
use super::machine::{Machine, Value};

/// Actions that must still come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owed {
    /// The action without which the part does not end, if the part has such a one.
    pub close: u32,
    /// Actions that must come before it, each group besides those of the others.
    pub groups: Vec<OwedGroup>,
}

/// So many actions of some.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwedGroup {
    /// The actions, ascending.
    pub any_of: Vec<u32>,
    /// How many of them, at least.
    pub count: u32,
}

impl OwedGroup {
    /// Adds the group, whose one action may be one that another group asks for.
    pub(super) fn join(self, groups: &mut Vec<Self>) {
        let shares = |group: &&mut Self| self.any_of.iter().any(|at| group.any_of.contains(at));
        match groups.iter_mut().find(shares) {
            // One that serves both is among those of the smaller one.
            Some(other) if self.any_of.iter().all(|at| other.any_of.contains(at)) => {
                other.count = other.count.max(self.count);
                if other.count == self.count {
                    other.any_of = self.any_of;
                }
            }
            Some(_) => {}
            None => groups.push(self),
        }
    }
}

impl Machine {
    /// What must come from `value` on before the part can end, as far as it is told easily.
    ///
    /// # Complexity
    /// O(actions · groups).
    #[must_use]
    pub fn owed(&self, value: &Value) -> Option<Owed> {
        match self {
            Self::Counters(counters) => self::counters(counters, value),
            Self::Members(members) => Some(members.owed(value)),
            Self::Keyed(keyed) => Some(keyed.owed(value)),
            Self::Elements(elements) => Some(elements.owed(value)),
            Self::Picks(picks) => Some(picks.owed(value)),
            Self::Distinct(distinct) => Some(distinct.owed(value)),
            Self::Names(_) | Self::Numbers(_) | Self::Echo(_) => None,
        }
    }
}

/// One counter that all actions but one add to, and that the one asks for a least count.
fn counters(counters: &Counters, value: &Value) -> Option<Owed> {
    let [count] = value[..] else { return None };
    let mut close = None;
    let (mut adding, mut most) = (Vec::new(), 1);
    for (number, action) in (0..).zip(counters.actions()) {
        match action.effects[..] {
            [] if close.is_none() => close = Some((number, least(&action.when))),
            [Effect::Add { counter: 0, by }] => {
                adding.push(number);
                most = most.max(by);
            }
            _ => return None,
        }
    }
    let (close, least) = close?;
    let count = least.saturating_sub(count).div_ceil(most);
    Some(Owed { close, groups: vec![OwedGroup { any_of: adding, count }] })
}

/// The least count of counter 0 with which `condition` holds, or a lower one.
fn least(condition: &Condition) -> u32 {
    match condition {
        Condition::AtLeast { counter: 0, count } => *count,
        Condition::All(parts) => parts.iter().map(least).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::machine::{Asked, Elements, Member, Members, Test};

    fn groups(owed: Option<Owed>) -> Vec<(Vec<u32>, u32)> {
        owed.expect("owed").groups.into_iter().map(|g| (g.any_of, g.count)).collect()
    }

    #[test]
    fn a_counter_owes_what_is_missing() {
        let machine = Machine::Counters(Counters::between(3, Some(5)));
        let after = machine.step(&machine.start(), 0).unwrap();
        assert_eq!(groups(machine.owed(&after)), [(vec![0], 2)]);
        assert_eq!(machine.owed(&after).map(|owed| owed.close), Some(1));
    }

    #[test]
    fn an_object_owes_its_required_keys_facts_and_number_of_members() {
        let member = |key, facts: &[u32]| Member { key, facts: facts.into() };
        let members = vec![member(Some(0), &[]), member(Some(1), &[]), member(Some(1), &[0])];
        let members = [members, vec![member(None, &[])]].concat();
        let tests = vec![Test::Is(0)];
        let asked = Asked {
            keys: 2,
            members,
            required: vec![0],
            facts: 1,
            min: 4,
            tests,
            ..Asked::default()
        };
        let machine = Machine::Members(Members::new(asked));
        let start = machine.start();
        assert_eq!(
            groups(machine.owed(&start)),
            [(vec![0], 1), (vec![2], 1), (vec![0, 1, 2, 3], 2)]
        );
        let after = machine.step(&machine.step(&start, 2).unwrap(), 0).unwrap();
        assert_eq!(groups(machine.owed(&after)), [(vec![0, 1, 2, 3], 2)]);
    }

    #[test]
    fn an_array_owes_items() {
        let element = crate::ir::machine::Element { place: 0, last: true, counted: Vec::new() };
        let elements = Elements { elements: vec![element], min: 2, ..Elements::default() };
        let machine = Machine::Elements(elements);
        assert_eq!(groups(machine.owed(&machine.start())), [(vec![0], 2)]);
    }
}
