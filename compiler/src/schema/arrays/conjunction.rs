//! The alternatives of a formula's facts about items, each a conjunction.

use std::sync::Arc;

use super::super::SchemaError;
use super::super::boolean::Boolean;
use super::super::document::Item;
use super::super::formula::Formula;
use super::super::schemas::Schemas;
use super::facts::{Fact, Facts, LISTED_MAX, Place};
use crate::ir::machine::{Element, Elements, Tally};

/// The most alternatives of one formula.
const ALTERNATIVES_MAX: usize = 256;
/// The most ways in which one item may be counted.
const WAYS_MAX: usize = 256;

/// Facts that all hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in super::super) struct Conjunction {
    pub(in super::super) each: Vec<(Place, Option<Place>, Formula)>,
    pub(in super::super) many: Vec<(Place, u64, Formula)>,
    pub(in super::super) few: Vec<(Place, u64, Formula)>,
    pub(in super::super) min: u64,
    pub(in super::super) max: Option<u64>,
    pub(in super::super) unique: Option<Item>,
    pub(in super::super) repeated: Option<Item>,
}

/// Items by their places, and the machine that counts them.
#[derive(Debug)]
pub(in super::super) struct Plan {
    /// What the items at the first places are, and last that of all others.
    pub(in super::super) items: Vec<Formula>,
    pub(in super::super) min: u64,
    pub(in super::super) max: Option<u64>,
    /// For each of `items`, the ways in which it may be counted: action and value.
    pub(in super::super) ways: Vec<Vec<(u32, Formula)>>,
    pub(in super::super) machine: Elements,
    pub(in super::super) unique: Option<Item>,
}

impl Conjunction {
    fn add(&mut self, fact: Fact) -> bool {
        match fact {
            Fact::Each(from, to, value) => {
                if !self.each.contains(&(from, to, value)) {
                    self.each.push((from, to, value));
                }
            }
            Fact::Many(from, count, value) => {
                self.many.push((from, count, value));
                self.min = self.min.max(count.saturating_add(u64::from(from)));
            }
            Fact::Few(from, count, value) => self.few.push((from, count, value)),
            Fact::AtLeast(count) => self.min = self.min.max(count),
            Fact::AtMost(count) => self.max = Some(self.max.map_or(count, |max| max.min(count))),
            Fact::Unique(place) => self.unique = Some(place),
            Fact::Repeated(place) => {
                self.repeated = Some(place);
                self.min = self.min.max(2);
            }
        }
        self.max.is_none_or(|max| self.min <= max)
    }
}

impl Schemas {
    /// The ways in which an array may be a value of `formula`: none if none is.
    ///
    /// # Errors
    /// As [`Schemas::array_facts`], and above the limit on alternatives.
    pub(in super::super) fn array_alternatives(
        &mut self,
        formula: Formula,
    ) -> Result<Arc<[Conjunction]>, SchemaError> {
        if let Some(known) = self.known.arrays.get(&formula) {
            return Ok(Arc::clone(known));
        }
        let facts = self.array_facts(formula)?;
        let found = self.array_product(formula, vec![Conjunction::default()], &facts)?;
        let found: Arc<[Conjunction]> = found.into();
        self.known.arrays.insert(formula, Arc::clone(&found));
        Ok(found)
    }

    fn array_product(
        &mut self,
        formula: Formula,
        mut conjunctions: Vec<Conjunction>,
        facts: &Facts,
    ) -> Result<Vec<Conjunction>, SchemaError> {
        match facts {
            Boolean::Fact(fact) => conjunctions.retain_mut(|one| one.add(*fact)),
            Boolean::All(parts) => {
                let mut parts: Vec<&Facts> = parts.iter().collect();
                parts.sort_by_key(|part| match part {
                    Boolean::Fact(_) => 0,
                    part => part.size(),
                });
                for part in parts {
                    conjunctions = self.array_product(formula, conjunctions, part)?;
                }
            }
            Boolean::Any(arms) => {
                let mut product: Vec<Conjunction> = Vec::new();
                for one in conjunctions {
                    for arm in arms.iter() {
                        for one in self.array_product(formula, vec![one.clone()], arm)? {
                            if !product.contains(&one) && self.has_array(&one)? {
                                product.push(one);
                            }
                        }
                    }
                }
                conjunctions = product;
            }
        }
        if conjunctions.len() > ALTERNATIVES_MAX {
            let message = format!(
                "the schemas that apply to one array combine in more than {ALTERNATIVES_MAX} ways"
            );
            return Err(SchemaError::too_large(self.pointer(self.place(formula)), message));
        }
        Ok(conjunctions)
    }

    /// Whether some array satisfies `one`, where what is being looked at counts as empty.
    pub(in super::super) fn has_array(&mut self, one: &Conjunction) -> Result<bool, SchemaError> {
        if one.max.is_some_and(|max| max < one.min) {
            return Ok(false);
        }
        if one.min == 0 && one.many.is_empty() {
            return Ok(true);
        }
        let plan = self.array_plan(one)?;
        let alive = plan.max.is_none_or(|max| plan.min <= max) && plan.machine.is_alive();
        Ok(alive && (plan.unique.is_none() || self.has_distinct(&plan)?))
    }

    /// The items and the machine of `one`.
    ///
    /// # Errors
    /// For values that cannot be held, and above limits.
    pub(in super::super) fn array_plan(&mut self, one: &Conjunction) -> Result<Plan, SchemaError> {
        let ends = one.each.iter().flat_map(|(from, to, _)| [Some(*from), *to]);
        let begins = one.many.iter().chain(&one.few).map(|count| Some(count.0));
        let listed = ends.chain(begins).flatten().max().unwrap_or(0);
        let max = one.max.unwrap_or(u64::MAX);
        let listed = u64::from(listed).min(max) as usize;
        if listed > LISTED_MAX {
            return Err(SchemaError::too_large("", "too many items are told apart"));
        }
        let mut items = vec![Vec::new(); listed + 1];
        for (from, to, value) in &one.each {
            let to = to.map_or(listed + 1, |to| to as usize).min(listed + 1);
            for parts in items.iter_mut().take(to).skip(*from as usize) {
                parts.push(*value);
            }
        }
        let items: Vec<Formula> = items.into_iter().map(|parts| self.formulas.all(parts)).collect();
        let mut plan = Plan {
            items: Vec::new(),
            min: one.min,
            max: one.max,
            ways: Vec::new(),
            machine: Elements::default(),
            unique: one.unique,
        };
        let counts = one.many.iter().map(|(from, count, _)| Tally::many(*from, clipped(*count)));
        let few = one.few.iter().map(|(from, count, _)| Tally::few(*from, clipped(*count)));
        plan.machine.tallies = counts.chain(few).collect();
        for (at, value) in items.iter().enumerate() {
            if plan.max.is_some_and(|max| at as u64 >= max) {
                break;
            }
            let ways = self.counted(one, at as Place, *value)?;
            if ways.is_empty() {
                // No item can stand here, so the array ends before.
                let at = at as u64;
                plan.max = Some(plan.max.map_or(at, |max| max.min(at)));
                break;
            }
            let mut actions = Vec::with_capacity(ways.len());
            for (value, counted) in ways {
                actions.push((plan.machine.elements.len() as u32, value));
                plan.machine.elements.push(Element {
                    place: at as u32,
                    last: at == listed,
                    counted,
                });
            }
            plan.items.push(*value);
            plan.ways.push(actions);
        }
        plan.machine.min = clipped(plan.min);
        plan.machine.max = plan.max.filter(|max| *max < u64::from(COUNT_MAX)).map(clipped);
        plan.machine.places = listed as u32;
        Ok(plan)
    }

    /// The ways in which the item at `place` may be counted: its value, and the counts it is in.
    fn counted(
        &mut self,
        one: &Conjunction,
        place: Place,
        value: Formula,
    ) -> Result<Vec<(Formula, Vec<u32>)>, SchemaError> {
        if self.is_empty(value)? {
            return Ok(Vec::new());
        }
        let mut ways = vec![(value, Vec::new())];
        // Where much is counted, what is not counted is told apart, so that readings stay few.
        let crowded = one.many.len() + one.few.len() > 1;
        let many = one.many.iter().map(|fact| (crowded, fact));
        for (number, (strict, (from, _, counted))) in
            many.chain(one.few.iter().map(|fact| (true, fact))).enumerate()
        {
            if place < *from {
                continue;
            }
            let mut next = Vec::new();
            let opposite = self.formulas.not(*counted);
            for (value, inside) in ways {
                let is = self.formulas.all([value, *counted]);
                let not = if strict { self.formulas.all([value, opposite]) } else { value };
                if !self.is_empty(is)? {
                    let mut inside = inside.clone();
                    inside.push(number as u32);
                    next.push((is, inside));
                }
                // What is counted anyway need not be tried uncounted.
                if not != is && !self.is_empty(not)? {
                    next.push((not, inside));
                }
            }
            ways = next;
            if ways.len() > WAYS_MAX {
                let message = "too many counts of items overlap";
                return Err(SchemaError::too_large(self.pointer(self.place(value)), message));
            }
        }
        Ok(ways)
    }
}

/// A count from which on no text is short enough to matter.
const COUNT_MAX: u32 = u32::MAX >> 2;

fn clipped(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(COUNT_MAX).min(COUNT_MAX)
}
