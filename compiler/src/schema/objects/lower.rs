//! The texts of the objects that are values of a formula.

use std::sync::Arc;

use super::super::SchemaError;
use super::super::formula::Formula;
use super::super::layout::Layout;
use super::super::options::Order;
use super::super::strings::StringLanguage;
use super::super::values::Lowering;
use super::plan::Plan;
use crate::ir::{Ir, Machine, Part};

impl Lowering {
    /// Adds the objects of `formula` at `depth` as alternatives.
    pub(in super::super) fn objects(
        &mut self,
        formula: Formula,
        depth: u32,
        arms: &mut Vec<Ir>,
    ) -> Result<(), SchemaError> {
        if let Some(listed) = self.schemas.listed_alone(formula)? {
            for item in listed {
                let constant = self.schemas.formulas.constant(item);
                self.objects(constant, depth, arms)?;
            }
            return Ok(());
        }
        let alternatives = self.schemas.object_alternatives(formula)?;
        for one in alternatives.iter() {
            if self.schemas.has_object(one)? {
                let plan = self.schemas.plan(one)?;
                arms.push(self.object(plan, depth)?);
            }
        }
        Ok(())
    }

    fn object(&mut self, plan: Plan, depth: u32) -> Result<Ir, SchemaError> {
        let layout = self.layout(depth);
        let open = plan.ways.iter().skip(plan.keys.len()).any(|ways| !ways.is_empty());
        let closable = plan.machine.asked().max != Some(0);
        if plan.ways.iter().all(Vec::is_empty) || !closable {
            return Ok(Ir::sequence([Ir::value("{"), layout.nothing.clone(), Ir::value("}")]));
        }
        if plan.simple && self.schemas.options.order != Order::Any {
            return self.in_order(&plan, &layout, open, depth);
        }
        let count = plan.machine.asked().members.len() as u32;
        let watched = !plan.simple || !plan.keys.is_empty();
        let member = self.members(&plan, &layout, watched, 0..plan.ways.len(), depth)?;
        let members = Ir::repeat(member, 1, None, Some(layout.comma.clone()));
        let close = if watched { Ir::act(count) } else { Ir::empty() };
        let empty = plan.machine.asked().required.is_empty() && plan.machine.asked().min == 0;
        let body = layout.brackets(["{", "}"], members, empty, &close);
        if !watched {
            return Ok(body);
        }
        Ok(Ir::tracked(body, Arc::new(Machine::Members(plan.machine))))
    }

    /// One member of any of `classes`.
    fn members(
        &mut self,
        plan: &Plan,
        layout: &Layout,
        watched: bool,
        classes: std::ops::Range<usize>,
        depth: u32,
    ) -> Result<Ir, SchemaError> {
        let mut tails: Vec<Ir> = Vec::new();
        let mut tail_of = vec![None; plan.ways.len()];
        for class in classes {
            let ways = &plan.ways[class];
            if ways.is_empty() {
                continue;
            }
            let mut arms = Vec::with_capacity(ways.len());
            for (action, value) in ways {
                let act = if watched { Ir::act(*action) } else { Ir::empty() };
                let value = self.value(*value, depth + 1)?;
                arms.push(Ir::sequence([act, layout.colon.clone(), value]));
            }
            tail_of[class] = Some(tails.len());
            tails.push(Ir::sequence([Ir::choice(arms), layout.after.clone()]));
        }
        Ok(plan.classes.to_ir(&tail_of, &tails, self.spelling()))
    }

    /// Declared keys in their order, and the others after them.
    fn in_order(
        &mut self,
        plan: &Plan,
        layout: &Layout,
        open: bool,
        depth: u32,
    ) -> Result<Ir, SchemaError> {
        let mut parts = Vec::new();
        for (at, key) in plan.keys.iter().enumerate() {
            let [(_, value)] = plan.ways[at].as_slice() else { continue };
            let key = StringLanguage::exactly(self.schemas.names.text(*key));
            let key = self.string(&key, *value)?;
            let value = self.value(*value, depth + 1)?;
            let body = Ir::sequence([key, layout.colon.clone(), value, layout.after.clone()]);
            let required = plan.machine.asked().required.contains(&(at as u32));
            parts.push(Part { body, required });
        }
        if open {
            let classes = plan.keys.len()..plan.ways.len();
            let member = self.members(plan, layout, false, classes, depth)?;
            let body = Ir::repeat(member, 1, None, Some(layout.comma.clone()));
            parts.push(Part { body, required: false });
        }
        let empty = plan.machine.asked().required.is_empty();
        if layout.close.is_empty() {
            let members = Ir::joined(layout.comma.clone(), parts);
            let [open, close] = ["{", "}"].map(Ir::value);
            return Ok(Ir::sequence([open, layout.open.clone(), members, close]));
        }
        // Something stands around parts that are there, so the joined ones must not be empty.
        let members = some_of(&layout.comma, parts);
        Ok(layout.brackets(["{", "}"], members, empty, &Ir::empty()))
    }
}

/// `parts` in order, at least one of them.
fn some_of(comma: &Ir, parts: Vec<Part>) -> Ir {
    if parts.iter().any(|part| part.required) {
        return Ir::joined(comma.clone(), parts);
    }
    let mut arms = Vec::with_capacity(parts.len());
    for at in 0..parts.len() {
        let mut rest = parts[at..].to_vec();
        rest[0].required = true;
        arms.push(Ir::joined(comma.clone(), rest));
    }
    Ir::choice(arms)
}
