//! The items of the arrays that are values of a formula, in a style that nests.

use std::sync::Arc;

use super::style::Style;
use crate::ir::{Ir, Machine};
use crate::schema::SchemaError;
use crate::schema::arrays::conjunction::Plan;
use crate::schema::arrays::lower::places;
use crate::schema::formula::Formula;
use crate::schema::values::{Lowering, Rule};

impl Lowering {
    /// A call of the items of the arrays of `formula`, if there are any arrays.
    pub(super) fn nested_items(&mut self, formula: Formula) -> Result<Option<Ir>, SchemaError> {
        let (mut empty, mut some) = (false, false);
        for one in self.schemas.array_alternatives(formula)?.iter() {
            if self.schemas.has_array(one)? {
                let plan = self.schemas.array_plan(one)?;
                let none = plan.max == Some(0) || plan.items.is_empty();
                empty |= none || has_empty(&plan);
                some |= !none || self.blank_style();
            }
        }
        Ok(self.nested(Rule::Items(formula), empty, some))
    }

    /// A call of `rule`, beside nothing if it may be `empty`, or nothing alone if there is not
    /// `some` of it.
    pub(super) fn nested(&mut self, rule: Rule, empty: bool, some: bool) -> Option<Ir> {
        match (empty, some) {
            (false, false) => None,
            (true, false) => Some(Ir::empty()),
            (false, true) => Some(self.call(rule)),
            (true, true) => Some(Ir::optional(self.call(rule))),
        }
    }

    /// The items of the arrays of `formula`, one after the other.
    ///
    /// # Errors
    /// For what cannot be written in the style, and above limits.
    pub(in crate::schema) fn items(&mut self, formula: Formula) -> Result<Ir, SchemaError> {
        let Some(style) = self.schemas.options.style.clone() else { return Ok(Ir::never()) };
        let mut arms = Vec::new();
        self.each_array(formula, |this, plan| {
            arms.push(this.run(&style, plan)?);
            Ok(())
        })?;
        Ok(Ir::choice(arms))
    }

    fn run(&mut self, style: &Style, plan: Plan) -> Result<Ir, SchemaError> {
        if plan.max == Some(0) || plan.items.is_empty() {
            return Ok(self.surrounded(style, Ir::never(), true));
        }
        if let Some(place) = plan.unique
            && plan.max.is_none_or(|max| max > 1)
        {
            let pointer = self.schemas.pointer(place) + "/uniqueItems";
            let message = "items of a style that nests cannot be told apart";
            self.schemas.relax(SchemaError::unsupported(pointer, message))?;
        }
        let between = self.separator(style);
        if plan.machine.tallies.is_empty() {
            let mut items = Vec::with_capacity(plan.items.len());
            for value in &plan.items {
                items.push(self.item(style, *value)?);
            }
            let between = between.unwrap_or_else(Ir::empty);
            let (some, empty) = places(&items, &plan, &between);
            return Ok(self.surrounded(style, some, empty));
        }
        let mut arms = Vec::new();
        for (action, value) in plan.ways.iter().flatten() {
            arms.push(Ir::sequence([Ir::act(*action), self.item(style, *value)?]));
        }
        let empty = has_empty(&plan);
        let close = Ir::act(plan.machine.elements.len() as u32);
        let some = Ir::repeat(Ir::choice(arms), 1, None, between);
        let some = Ir::sequence([some, close]);
        let some = Ir::tracked(some, Arc::new(Machine::Elements(plan.machine)));
        Ok(self.surrounded(style, some, empty))
    }

    fn item(&mut self, style: &Style, value: Formula) -> Result<Ir, SchemaError> {
        let Some(pattern) = &style.item else { return Ok(Ir::never()) };
        let found = self.written(style, pattern, None, value)?;
        if found.is_never() { Err(self.unwritten(value)) } else { Ok(found) }
    }
}

/// Whether an array without items satisfies `plan`.
fn has_empty(plan: &Plan) -> bool {
    let machine = Machine::Elements(plan.machine.clone());
    let close = plan.machine.elements.len() as u32;
    plan.min == 0 && machine.step(&machine.start(), close).is_some()
}
