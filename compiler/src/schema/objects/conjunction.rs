//! The alternatives of a formula's facts about members, each a conjunction.
//!
//! What is about keys and their number alone stays a Boolean formula beside the conjunction, to
//! be decided at the closing brace; what is about values is multiplied out. Where that gives too
//! many alternatives, it stays beside one conjunction too, and members are told apart by which
//! of its facts they make true.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::SchemaError;
use super::super::boolean::Boolean;
use super::super::formula::Formula;
use super::super::schemas::Schemas;
use super::facts::{Fact, Facts, Group};
use super::names::{Key, Keys};

/// The most alternatives of one formula.
const ALTERNATIVES_MAX: usize = 64;
/// Alternatives that have no members are looked for from this many on.
const CHECKED_MIN: usize = 2;

/// Facts that all hold.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(in super::super) struct Conjunction {
    pub(in super::super) groups: Vec<Group>,
    pub(in super::super) each: Vec<(Keys, Formula)>,
    pub(in super::super) some: Vec<(Keys, Formula)>,
    pub(in super::super) has: BTreeSet<Key>,
    pub(in super::super) lacks: BTreeSet<Key>,
    pub(in super::super) min: u64,
    pub(in super::super) max: Option<u64>,
    /// What else must hold.
    pub(in super::super) clauses: Vec<Facts>,
}

impl Conjunction {
    /// Adds a fact; says whether nothing contradicts it by itself.
    fn add(&mut self, fact: Fact) -> bool {
        match fact {
            Fact::Members(group) => {
                if !self.groups.contains(&group) {
                    self.groups.push(group);
                }
            }
            Fact::Each(keys, value) => push_new(&mut self.each, (keys, value)),
            Fact::Some(keys, value) => {
                push_new(&mut self.some, (keys, value));
                if let Keys::One(key) = keys {
                    self.has.insert(key);
                    self.some.retain(|fact| fact.0 != keys);
                    push_new(&mut self.each, (keys, value));
                    return !self.lacks.contains(&key);
                }
            }
            Fact::Has(key) => {
                self.has.insert(key);
                return !self.lacks.contains(&key);
            }
            Fact::Lacks(key) => {
                self.lacks.insert(key);
                return !self.has.contains(&key);
            }
            Fact::AtLeast(count) => self.min = self.min.max(count),
            Fact::AtMost(count) => self.max = Some(self.max.map_or(count, |max| max.min(count))),
        }
        self.max.is_none_or(|max| self.min <= max && self.has.len() as u64 <= max)
    }

    /// Whether the facts about keys decide `fact`.
    fn decides(&self, fact: &Fact) -> Option<bool> {
        match fact {
            Fact::Has(key) if self.has.contains(key) => Some(true),
            Fact::Has(key) if self.lacks.contains(key) => Some(false),
            Fact::Lacks(key) if self.has.contains(key) => Some(false),
            Fact::Lacks(key) if self.lacks.contains(key) => Some(true),
            Fact::Each(keys, value) if self.each.contains(&(*keys, *value)) => Some(true),
            Fact::Some(keys, value) if self.some.contains(&(*keys, *value)) => Some(true),
            Fact::AtLeast(count) if self.min.max(self.has.len() as u64) >= *count => Some(true),
            Fact::AtLeast(count) if self.max.is_some_and(|max| max < *count) => Some(false),
            Fact::AtMost(count) if self.max.is_some_and(|max| max <= *count) => Some(true),
            Fact::AtMost(count) if self.min.max(self.has.len() as u64) > *count => Some(false),
            _ => None,
        }
    }

    /// `facts` where what is decided is left out.
    fn reduced(&self, facts: &Facts) -> Facts {
        match facts {
            Boolean::Fact(fact) => match self.decides(fact) {
                Some(true) => Facts::always(),
                Some(false) => Facts::never(),
                None => facts.clone(),
            },
            Boolean::All(parts) => Facts::all(parts.iter().map(|part| self.reduced(part))),
            Boolean::Any(parts) => Facts::any(parts.iter().map(|part| self.reduced(part))),
        }
    }

    /// Takes what the clauses say by themselves now; says whether none is contradicted.
    fn settle(&mut self) -> bool {
        loop {
            let clauses = std::mem::take(&mut self.clauses);
            let mut changed = false;
            let mut pending = Vec::new();
            for clause in clauses {
                match self.reduced(&clause) {
                    Boolean::Fact(fact) => {
                        changed = true;
                        if !self.add(fact) {
                            return false;
                        }
                    }
                    Boolean::All(parts) => {
                        changed |= !parts.is_empty();
                        pending.extend(parts.iter().cloned());
                    }
                    clause if clause.is_never() => return false,
                    clause => pending.push(clause),
                }
            }
            pending.dedup();
            self.clauses = pending;
            if !changed {
                return true;
            }
        }
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

impl Schemas {
    /// The ways in which an object may be a value of `formula`: none if none is.
    ///
    /// # Errors
    /// As [`Schemas::object_facts`], and above the limit on alternatives.
    pub(in super::super) fn object_alternatives(
        &mut self,
        formula: Formula,
    ) -> Result<Arc<[Conjunction]>, SchemaError> {
        if let Some(known) = self.known.alternatives.get(&formula) {
            return Ok(Arc::clone(known));
        }
        let facts = self.object_facts(formula)?;
        let found = self.multiplied(vec![Conjunction::default()], &facts)?;
        let mut found = match found {
            Some(found) => found,
            None => vec![self.undivided(&facts)?],
        };
        found.retain_mut(Conjunction::settle);
        let found: Arc<[Conjunction]> = found.into();
        self.known.alternatives.insert(formula, Arc::clone(&found));
        Ok(found)
    }

    /// One conjunction with all of `facts`, whatever is not simple beside it.
    fn undivided(&mut self, facts: &Facts) -> Result<Conjunction, SchemaError> {
        let mut one = Conjunction::default();
        let parts = match facts {
            Boolean::All(parts) => parts.to_vec(),
            other => vec![other.clone()],
        };
        for part in parts {
            one.clauses.push(match part {
                Boolean::Fact(_) => part,
                part => self.without_groups(&part)?,
            });
        }
        Ok(one)
    }

    /// `facts` with each group as what it says of keys and sets of keys.
    fn without_groups(&mut self, facts: &Facts) -> Result<Facts, SchemaError> {
        Ok(match facts {
            Boolean::Fact(Fact::Members(_)) => {
                let opposite = self.opposite(facts)?;
                self.opposite(&opposite)?
            }
            Boolean::Fact(_) => facts.clone(),
            Boolean::All(parts) => {
                let parts: Result<Vec<_>, _> =
                    parts.iter().map(|part| self.without_groups(part)).collect();
                Facts::all(parts?)
            }
            Boolean::Any(parts) => {
                let parts: Result<Vec<_>, _> =
                    parts.iter().map(|part| self.without_groups(part)).collect();
                Facts::any(parts?)
            }
        })
    }

    /// `conjunctions`, each with `facts`; `None` if they are too many.
    fn multiplied(
        &mut self,
        mut conjunctions: Vec<Conjunction>,
        facts: &Facts,
    ) -> Result<Option<Vec<Conjunction>>, SchemaError> {
        match facts {
            Boolean::Fact(fact) => conjunctions.retain_mut(|one| one.add(*fact)),
            facts if facts.every_fact(&Fact::is_about_keys) => {
                for one in &mut conjunctions {
                    one.clauses.push(facts.clone());
                }
                conjunctions.retain_mut(Conjunction::settle);
            }
            Boolean::All(parts) => {
                // What is simple first: it cuts off the most.
                let mut parts: Vec<&Facts> = parts.iter().collect();
                parts.sort_by_key(|part| match part {
                    Boolean::Fact(_) => 0,
                    part => part.size(),
                });
                for part in parts {
                    match self.multiplied(conjunctions, part)? {
                        Some(product) => conjunctions = product,
                        None => return Ok(None),
                    }
                }
            }
            Boolean::Any(arms) => {
                let mut product = Vec::new();
                for one in conjunctions {
                    for arm in arms.iter() {
                        let arm = one.reduced(arm);
                        match self.multiplied(vec![one.clone()], &arm)? {
                            Some(more) => product.extend(more),
                            None => return Ok(None),
                        }
                        if product.len() > 4 * ALTERNATIVES_MAX {
                            return Ok(None);
                        }
                    }
                }
                conjunctions = self.possible(product)?;
            }
        }
        Ok((conjunctions.len() <= ALTERNATIVES_MAX).then_some(conjunctions))
    }

    /// Those of `conjunctions` that some object satisfies, each once.
    fn possible(
        &mut self,
        conjunctions: Vec<Conjunction>,
    ) -> Result<Vec<Conjunction>, SchemaError> {
        let check = conjunctions.len() >= CHECKED_MIN;
        let mut kept: Vec<Conjunction> = Vec::with_capacity(conjunctions.len());
        for mut one in conjunctions {
            if !one.settle() || kept.contains(&one) {
                continue;
            }
            if !check || self.has_object(&one)? {
                kept.push(one);
            }
        }
        Ok(kept)
    }
}
