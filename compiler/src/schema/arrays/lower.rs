//! The texts of the arrays that are values of a formula.

use std::sync::Arc;

use super::super::SchemaError;
use super::super::formula::Formula;
use super::super::layout::Layout;
use super::super::values::Lowering;
use super::conjunction::Plan;
use crate::ir::{Ir, Machine};

impl Lowering {
    /// Adds the arrays of `formula` at `depth` as alternatives.
    pub(in super::super) fn arrays(
        &mut self,
        formula: Formula,
        depth: u32,
        arms: &mut Vec<Ir>,
    ) -> Result<(), SchemaError> {
        if let Some(listed) = self.schemas.listed_alone(formula)? {
            for item in listed {
                let constant = self.schemas.formulas.constant(item);
                self.arrays(constant, depth, arms)?;
            }
            return Ok(());
        }
        self.each_array(formula, |this, plan| {
            arms.push(this.array(plan, depth)?);
            Ok(())
        })
    }

    /// Gives `make` the plan of each alternative that has arrays.
    pub(in crate::schema) fn each_array(
        &mut self,
        formula: Formula,
        mut make: impl FnMut(&mut Self, Plan) -> Result<(), SchemaError>,
    ) -> Result<(), SchemaError> {
        for one in self.schemas.array_alternatives(formula)?.iter() {
            if let Some(place) = one.repeated {
                let message = "arrays with equal items cannot be asked for";
                let error = SchemaError::unsupported(self.schemas.pointer(place), message);
                self.schemas.relax(error)?;
            }
            if self.schemas.has_array(one)? {
                let plan = self.schemas.array_plan(one)?;
                make(self, plan)?;
            }
        }
        Ok(())
    }

    pub(super) fn array(&mut self, plan: Plan, depth: u32) -> Result<Ir, SchemaError> {
        let layout = self.layout(depth);
        if plan.max == Some(0) || plan.items.is_empty() {
            let [open, close] = ["[", "]"].map(Ir::value);
            return Ok(Ir::sequence([open, layout.nothing.clone(), close]));
        }
        if let Some(place) = plan.unique
            && plan.max.is_none_or(|max| max > 1)
        {
            return self.distinct(plan, place, &layout, depth);
        }
        if plan.machine.tallies.is_empty() {
            return self.in_places(&plan, &layout, depth);
        }
        let mut arms = Vec::new();
        for (action, value) in plan.ways.iter().flatten() {
            arms.push(Ir::sequence([Ir::act(*action), self.value(*value, depth + 1)?]));
        }
        let item = Ir::sequence([Ir::choice(arms), layout.after.clone()]);
        let items = Ir::repeat(item, 1, None, Some(layout.comma.clone()));
        let close = Ir::act(plan.machine.elements.len() as u32);
        let body = layout.brackets(["[", "]"], items, plan.min == 0, &close);
        Ok(Ir::tracked(body, Arc::new(Machine::Elements(plan.machine))))
    }

    /// Items whose number and places alone matter.
    fn in_places(&mut self, plan: &Plan, layout: &Layout, depth: u32) -> Result<Ir, SchemaError> {
        let mut items = Vec::with_capacity(plan.items.len());
        for value in &plan.items {
            let value = self.value(*value, depth + 1)?;
            items.push(Ir::sequence([value, layout.after.clone()]));
        }
        let body = places(&items, plan, &layout.comma);
        Ok(layout.brackets(["[", "]"], body.0, body.1, &Ir::empty()))
    }
}

/// Items of `plan` in their places with `comma` between them, and whether there may be none.
pub(in super::super) fn places(items: &[Ir], plan: &Plan, comma: &Ir) -> (Ir, bool) {
    // All but the last stand in one place; there is no last if the places end the array.
    let listed = plan.machine.places as usize;
    let mut body = match items.get(listed) {
        Some(item) => {
            let listed = listed as u64;
            let max = plan.max.map(|max| clipped(max.saturating_sub(listed)));
            let min = clipped(plan.min.saturating_sub(listed));
            let rest = Ir::repeat(item.clone(), min.max(1), max, Some(comma.clone()));
            (rest, min == 0 && plan.min <= listed)
        }
        None => (Ir::never(), true),
    };
    for (at, item) in items.iter().enumerate().take(listed).rev() {
        if plan.max.is_some_and(|max| at as u64 >= max) {
            continue;
        }
        let (rest, optional) = body;
        let rest = if rest.is_never() && optional {
            Ir::empty()
        } else {
            let more = Ir::sequence([comma.clone(), rest]);
            if optional { Ir::optional(more) } else { more }
        };
        body = (Ir::sequence([item.clone(), rest]), at as u64 >= plan.min);
    }
    body
}

fn clipped(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
