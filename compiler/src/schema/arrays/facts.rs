//! What a formula says about the items of an array, as a Boolean formula over facts.

use super::super::SchemaError;
use super::super::boolean::Boolean;
use super::super::document::{Item, Json};
use super::super::draft::{Draft, Types};
use super::super::formula::{Form, Formula, Node};
use super::super::keywords::Keywords;
use super::super::schemas::Schemas;

/// The place of an item; `None` is no bound.
pub(in super::super) type Place = u32;

/// The most items that are listed one by one.
pub(in super::super) const LISTED_MAX: usize = 100_000;

/// A fact about the items of an array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in super::super) enum Fact {
    /// Each item in these places is a value of the formula: from the first, before the second.
    Each(Place, Option<Place>, Formula),
    /// At least this many items from a place on are values of the formula.
    Many(Place, u64, Formula),
    /// At most this many items from a place on are values of the formula.
    Few(Place, u64, Formula),
    /// There are at least this many items.
    AtLeast(u64),
    /// There are at most this many items.
    AtMost(u64),
    /// All items are different, as the schema there asks.
    Unique(Item),
    /// Some items are equal, where the schema there would have them different.
    Repeated(Item),
}

pub(in super::super) type Facts = Boolean<Fact>;

impl Schemas {
    /// What `formula` says about the items of an array.
    ///
    /// # Errors
    /// As [`Schemas::applied`].
    pub(in super::super) fn array_facts(&mut self, formula: Formula) -> Result<Facts, SchemaError> {
        let bounds = self.bounds(formula)?;
        if !bounds.may.meets(Types::ARRAY) {
            return Ok(Facts::never());
        }
        if bounds.must.meets(Types::ARRAY) {
            return Ok(Facts::always());
        }
        self.nested(formula, |this| match this.formulas.get(formula).clone() {
            Form::True => Ok(Facts::always()),
            Form::False => Ok(Facts::never()),
            Form::Node(node) => this.node_items(node),
            Form::Constant(item) => this.constant_items(item),
            Form::Not(inner) => {
                let inner = this.array_facts(inner)?;
                Ok(this.array_opposite(&inner))
            }
            Form::All(parts) => {
                let parts: Result<Vec<_>, _> = parts.iter().map(|f| this.array_facts(*f)).collect();
                Ok(Facts::all(parts?))
            }
            Form::Any(parts) => {
                let parts: Result<Vec<_>, _> = parts.iter().map(|f| this.array_facts(*f)).collect();
                Ok(Facts::any(parts?))
            }
            Form::One(parts) => {
                let arms: Result<Vec<_>, _> = parts.iter().map(|f| this.array_facts(*f)).collect();
                this.exactly_one_array(&parts, &arms?)
            }
        })
    }

    fn exactly_one_array(
        &mut self,
        formulas: &[Formula],
        arms: &[Facts],
    ) -> Result<Facts, SchemaError> {
        let mut any = Vec::new();
        for (at, arm) in arms.iter().enumerate() {
            if arm.is_never() {
                continue;
            }
            let mut all = vec![arm.clone()];
            for (other, facts) in arms.iter().enumerate() {
                if other != at
                    && !facts.is_never()
                    && !self.disjoint(formulas[at], formulas[other])?
                {
                    all.push(self.array_opposite(facts));
                }
            }
            any.push(Facts::all(all));
        }
        Ok(Facts::any(any))
    }

    /// The opposite of `facts`.
    pub(in super::super) fn array_opposite(&mut self, facts: &Facts) -> Facts {
        let opposite = facts.negated(&mut |fact| {
            Ok::<Facts, std::convert::Infallible>(match *fact {
                Fact::Each(from, None, value) => many(from, 1, self.formulas.not(value)),
                Fact::Each(from, Some(to), value) => {
                    let value = self.formulas.not(value);
                    Facts::any((from..to).map(|at| {
                        let there = Facts::Fact(Fact::AtLeast(u64::from(at) + 1));
                        Facts::all([there, each(at, Some(at + 1), value)])
                    }))
                }
                Fact::Many(_, 0, _) => Facts::never(),
                Fact::Many(from, count, value) => few(from, count - 1, value),
                Fact::Few(from, count, value) => many(from, count.saturating_add(1), value),
                Fact::AtLeast(0) => Facts::never(),
                Fact::AtLeast(count) => Facts::Fact(Fact::AtMost(count - 1)),
                Fact::AtMost(count) => Facts::Fact(Fact::AtLeast(count.saturating_add(1))),
                Fact::Unique(place) => Facts::Fact(Fact::Repeated(place)),
                Fact::Repeated(place) => Facts::Fact(Fact::Unique(place)),
            })
        });
        match opposite {
            Ok(facts) => facts,
            Err(never) => match never {},
        }
    }

    fn constant_items(&mut self, item: Item) -> Result<Facts, SchemaError> {
        if self.document().get(item) != Json::Array {
            return Ok(Facts::never());
        }
        let size = self.document().size(item);
        self.listed_within(item, size)?;
        let mut all =
            vec![Facts::Fact(Fact::AtLeast(size as u64)), Facts::Fact(Fact::AtMost(size as u64))];
        for (at, part) in self.document().parts(item).enumerate() {
            let value = self.constant(part);
            all.push(each(at as Place, Some(at as Place + 1), value));
        }
        Ok(Facts::all(all))
    }

    fn listed_within(&self, item: Item, size: usize) -> Result<(), SchemaError> {
        if size > LISTED_MAX {
            let message = format!("more than {LISTED_MAX} items are listed");
            return Err(SchemaError::too_large(self.pointer(item), message));
        }
        Ok(())
    }

    fn node_items(&mut self, node: Node) -> Result<Facts, SchemaError> {
        let keywords = self.keywords(node)?;
        let mut all = Vec::new();
        let mut lists: Vec<Vec<Item>> = Vec::new();
        lists.extend(keywords.enumeration.map(|list| self.document().parts(list).collect()));
        lists.extend(keywords.constant.map(|value| vec![value]));
        for list in lists {
            let arms: Result<Vec<Facts>, SchemaError> =
                list.into_iter().map(|item| self.constant_items(item)).collect();
            all.push(Facts::any(arms?));
        }
        self.own_items(node, &keywords, &mut all)?;
        for part in self.applied(node)?.iter().copied() {
            all.push(self.array_facts(part)?);
        }
        if keywords.arrays.unevaluated.is_some() {
            all.push(self.unevaluated_items(node, &keywords)?);
        }
        Ok(Facts::all(all))
    }

    fn own_items(
        &mut self,
        node: Node,
        keywords: &Keywords,
        all: &mut Vec<Facts>,
    ) -> Result<(), SchemaError> {
        let own = &keywords.arrays;
        let mut listed = 0;
        if let Some(list) = own.first {
            self.listed_within(list, self.document().size(list))?;
            for schema in self.document().parts(list) {
                let value = self.formula(schema, node.scope)?;
                all.push(each(listed, Some(listed + 1), value));
                listed += 1;
            }
        }
        if let Some(rest) = own.rest {
            let value = self.formula(rest, node.scope)?;
            all.push(each(listed, None, value));
        }
        if let Some(contains) = own.contains {
            let value = self.formula(contains, node.scope)?;
            all.push(many(0, own.contains_min, value));
            if let Some(max) = own.contains_max {
                all.push(few(0, max, value));
            }
        }
        if own.length_min > 0 {
            all.push(Facts::Fact(Fact::AtLeast(own.length_min)));
        }
        if let Some(max) = own.length_max {
            all.push(Facts::Fact(Fact::AtMost(max)));
        }
        if own.unique && own.length_max.is_none_or(|max| max > 1) {
            all.push(Facts::Fact(Fact::Unique(node.schema)));
        }
        Ok(())
    }

    /// Whether `contains` counts as having looked at the items that it holds for.
    pub(super) fn contains_evaluates(&self, node: Node) -> bool {
        self.draft(node.schema) != Draft::Nineteen
    }
}

/// [`Fact::Each`], unless it says nothing.
pub(in super::super) fn each(from: Place, to: Option<Place>, value: Formula) -> Facts {
    match (to, value) {
        (_, Formula::TRUE) => Facts::always(),
        (None, Formula::FALSE) => Facts::Fact(Fact::AtMost(u64::from(from))),
        _ => Facts::Fact(Fact::Each(from, to, value)),
    }
}

/// [`Fact::Many`], unless it says nothing or nothing new.
pub(in super::super) fn many(from: Place, count: u64, value: Formula) -> Facts {
    match (count, value) {
        (0, _) => Facts::always(),
        (_, Formula::FALSE) => Facts::never(),
        (count, Formula::TRUE) => Facts::Fact(Fact::AtLeast(count.saturating_add(u64::from(from)))),
        _ => Facts::Fact(Fact::Many(from, count, value)),
    }
}

/// [`Fact::Few`], unless it says nothing or nothing new.
pub(in super::super) fn few(from: Place, count: u64, value: Formula) -> Facts {
    match (count, value) {
        (_, Formula::FALSE) => Facts::always(),
        (count, Formula::TRUE) => Facts::Fact(Fact::AtMost(count.saturating_add(u64::from(from)))),
        _ => Facts::Fact(Fact::Few(from, count, value)),
    }
}
