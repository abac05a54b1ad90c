//! The texts of the objects that are values of a formula.

use std::sync::Arc;

use super::super::SchemaError;
use super::super::document::Item;
use super::super::formula::Formula;
use super::super::layout::Layout;
use super::super::options::Order;
use super::super::strings::{StringLanguage, TooLarge};
use super::super::styles::Notation;
use super::super::values::Lowering;
use super::conjunction::Conjunction;
use super::plan::Plan;
use crate::ir::machine::{Distinct, Element, Elements, Keyed};
use crate::ir::{Ir, Machine, Part};

/// Of so many keys that are not declared there is always another one.
const MANY_KEYS: usize = 1 << 16;

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
                let place = self.schemas.place(formula);
                arms.push(self.object(plan, place, depth)?);
            }
        }
        Ok(())
    }

    /// The objects of `plan` none of whose keys repeats; `None` where other keys than the declared
    /// ones may be too few to be all different.
    fn keyed(
        &mut self,
        plan: &Plan,
        place: Item,
        layout: &Layout,
        depth: u32,
    ) -> Result<Option<Ir>, SchemaError> {
        let declared = plan.keys.len();
        let open: Vec<usize> =
            (declared..plan.ways.len()).filter(|class| !plan.ways[*class].is_empty()).collect();
        let mut all = StringLanguage::never();
        let too_large = |this: &Self, error: &TooLarge| this.schemas.too_large(place, error);
        for class in &open {
            let own = plan.classes.language(*class);
            let few = own.is_finite().map_err(|error| too_large(self, &error))?
                && own.words(MANY_KEYS).is_some();
            if few {
                let pointer = self.schemas.pointer(place);
                let message = format!(
                    "keys that are not declared, and of which there are {MANY_KEYS} at most, \
                     cannot be kept from repeating"
                );
                self.schemas.relax(SchemaError::unsupported(pointer, message))?;
                return Ok(None);
            }
            all = all.union(&own).map_err(|error| too_large(self, &error))?;
        }
        let element = Element { place: 0, last: true, counted: Vec::new() };
        let elements = Elements { elements: vec![element], ..Elements::default() };
        let keys = all.automaton().map_err(|error| too_large(self, &error))?;
        let keys = Distinct::new(elements, Some(keys), Vec::new(), None);
        let machine = Keyed::new(plan.machine.clone(), keys);
        let mut arms = Vec::new();
        if plan.ways[..declared].iter().any(|ways| !ways.is_empty()) {
            arms.push(self.members(plan, layout, true, 0..declared, depth)?);
        }
        for class in open {
            let mut tail_of = vec![None; plan.ways.len()];
            tail_of[class] = Some(0);
            let key = plan.classes.to_ir(&tail_of, &[Ir::empty()], self.spelling());
            let (begin, end) = (Ir::act(machine.begin()), Ir::act(machine.end()));
            let key = Ir::sequence([begin, Ir::observed(key), end]);
            for (action, value) in &plan.ways[class] {
                let value = self.value(*value, depth + 1)?;
                let act = Ir::act(*action);
                let (colon, after) = (layout.colon.clone(), layout.after.clone());
                arms.push(Ir::sequence([key.clone(), act, colon, value, after]));
            }
        }
        let members = Ir::repeat(Ir::choice(arms), 1, None, Some(layout.comma.clone()));
        let asked = plan.machine.asked();
        let close = Ir::act(asked.members.len() as u32);
        let empty = asked.required.is_empty() && asked.min == 0;
        let body = layout.brackets(["{", "}"], members, empty, &close);
        Ok(Some(Ir::tracked(body, Arc::new(Machine::Keyed(machine)))))
    }

    /// Every object none of whose keys repeats.
    pub(in super::super) fn any_keyed(&mut self, depth: u32) -> Result<Ir, SchemaError> {
        let plan = self.schemas.plan(&Conjunction::default())?;
        self.object(plan, Item(0), depth)
    }

    /// Whether no key of `plan` may repeat, not even one that is not declared.
    pub(in super::super) fn keeps_apart(&self, plan: &Plan) -> bool {
        self.schemas.options.unique_keys || plan.machine.asked().counts_keys()
    }

    fn object(&mut self, plan: Plan, place: Item, depth: u32) -> Result<Ir, SchemaError> {
        let layout = self.layout(depth);
        let open = plan.is_open();
        let closable = plan.machine.asked().max != Some(0);
        if plan.ways.iter().all(Vec::is_empty) || !closable {
            return Ok(Ir::sequence([Ir::value("{"), layout.nothing.clone(), Ir::value("}")]));
        }
        self.check_bare_keys(&plan, place)?;
        let unique = self.keeps_apart(&plan);
        if open && unique && self.notation() != Notation::Json {
            self.refuse_repeats(place)?;
        } else if open
            && unique
            && let Some(body) = self.keyed(&plan, place, &layout, depth)?
        {
            return Ok(body);
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
        self.keys_by_class(&plan.classes, &tail_of, &tails)
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
            let key = self.member_key(&key, *value)?;
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
pub(in super::super) fn some_of(comma: &Ir, parts: Vec<Part>) -> Ir {
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
