//! Arrays whose items are all different.
//!
//! Items of a finite list are told apart by their places in it; strings, words and numbers by
//! what a machine hears of them.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::SchemaError;
use super::super::document::Item;
use super::super::draft::Types;
use super::super::formula::{Form, Formula};
use super::super::layout::Layout;
use super::super::numbers::{Decimal, NumberLanguage, Numbers};
use super::super::schemas::Schemas;
use super::super::strings::{KeyClasses, StringLanguage};
use super::super::styles::Notation;
use super::super::values::Lowering;
use super::conjunction::Plan;
use crate::ir::machine::{Distinct, Picks};
use crate::ir::{Ir, Machine};

/// The most values of one item that are listed.
const LISTED_MAX: usize = 1_024;

/// The most arrays and objects of one list.
const DEEP_MAX: usize = 2_000;

/// Numbers, and how they are spelled.
type Spelled = (NumberLanguage, Numbers);

/// A value of a list.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Listed {
    Word(&'static str),
    Number(Decimal),
    Text(String),
    /// An array or an object, by the first value that equals it.
    Value(Item),
}

impl Lowering {
    /// The arrays of `plan` whose items are all different, as the schema at `place` asks.
    pub(super) fn distinct(
        &mut self,
        mut plan: Plan,
        place: Item,
        layout: &Layout,
        depth: u32,
    ) -> Result<Ir, SchemaError> {
        if let Some(body) = self.picked(&plan, layout, depth)? {
            return Ok(body);
        }
        if let Some(body) = self.heard(&plan, layout)? {
            return Ok(body);
        }
        let pointer = self.schemas.pointer(place) + "/uniqueItems";
        let message = "items that may be arrays or objects, or numbers of several kinds, \
                       cannot be told apart";
        self.schemas.relax(SchemaError::unsupported(pointer, message))?;
        plan.unique = None;
        self.array(plan, depth)
    }

    /// Items from finite lists.
    fn picked(
        &mut self,
        plan: &Plan,
        layout: &Layout,
        depth: u32,
    ) -> Result<Option<Ir>, SchemaError> {
        let mut numbers: HashMap<Listed, u32> = HashMap::new();
        let mut picks = Vec::new();
        let mut arms = Vec::new();
        for (action, value) in plan.ways.iter().flatten() {
            let Some(values) = self.schemas.values_of(*value)? else { return Ok(None) };
            let mut words = Vec::new();
            for value in values {
                let fresh = numbers.len() as u32;
                let number = *numbers.entry(value.clone()).or_insert(fresh);
                let act = Ir::act(picks.len() as u32);
                picks.push((*action, number));
                let text = match value {
                    Listed::Word(word) => self.word(word),
                    Listed::Number(number) => {
                        let one = NumberLanguage::one_of(vec![number]);
                        self.number_text(&one, Formula::TRUE)?
                    }
                    Listed::Text(text) => {
                        words.push((text, act));
                        continue;
                    }
                    Listed::Value(item) => {
                        let formula = self.schemas.formulas.constant(item);
                        self.value(formula, depth + 1)?
                    }
                };
                arms.push(Ir::sequence([text, act]));
            }
            if !words.is_empty() {
                let texts: Vec<&str> = words.iter().map(|(text, _)| text.as_str()).collect();
                let classes = KeyClasses::new(&texts, &[]);
                let classes = self.schemas.within(*value, classes)?;
                let tail_of: Vec<Option<usize>> = (0..words.len()).map(Some).collect();
                let tails: Vec<Ir> = words.iter().map(|(_, act)| act.clone()).collect();
                arms.push(self.strings_by_class(&classes, &tail_of, &tails)?);
            }
        }
        let machine = Picks { elements: plan.machine.clone(), values: numbers.len() as u32, picks };
        if !machine.is_alive() {
            return Ok(Some(Ir::never()));
        }
        let close = Ir::act(machine.picks.len() as u32);
        let item = Ir::sequence([Ir::choice(arms), layout.after.clone()]);
        let items = Ir::repeat(item, 1, None, Some(layout.comma.clone()));
        let body = layout.brackets(["[", "]"], items, plan.min == 0, &close);
        Ok(Some(Ir::tracked(body, Arc::new(Machine::Picks(machine)))))
    }

    /// Items that a machine hears.
    fn heard(&mut self, plan: &Plan, layout: &Layout) -> Result<Option<Ir>, SchemaError> {
        // The machine knows how JSON spells what it hears.
        if self.notation() != Notation::Json {
            return Ok(None);
        }
        let mut all = StringLanguage::never();
        let (mut words, mut numbers) = (Vec::new(), None);
        let mut parts = Vec::new();
        for (action, value) in plan.ways.iter().flatten() {
            let bounds = self.schemas.bounds(*value)?;
            let deep = Types::ARRAY.or(Types::OBJECT);
            if bounds.may.meets(deep) && !self.schemas.has_no(*value, deep)? {
                return Ok(None);
            }
            let own = self.schemas.words(*value)?;
            let own = [(own.null, "null"), (own.yes, "true"), (own.no, "false")];
            let mut arms: Vec<Ir> = Vec::new();
            for (_, word) in own.iter().filter(|word| word.0) {
                arms.push(Ir::value(word));
                words.push(Box::from(*word));
            }
            if !self.heard_numbers(*value, &mut numbers, &mut arms)? {
                return Ok(None);
            }
            let strings = self.schemas.strings(*value)?;
            if !strings.is_never() {
                let classes = KeyClasses::new(&[], &[&strings]);
                let classes = self.schemas.within(*value, classes)?;
                let inside = |class: usize| (!classes.members(class).is_empty()).then_some(0);
                let tail_of: Vec<Option<usize>> = (0..classes.len()).map(inside).collect();
                arms.push(self.strings_by_class(&classes, &tail_of, &[Ir::empty()])?);
                all = self.schemas.within(*value, all.union(&strings))?;
            }
            parts.push((*action, Ir::choice(arms)));
        }
        let strings = match all.is_never() {
            true => None,
            false => Some(self.schemas.within(Formula::TRUE, all.automaton())?),
        };
        // Where every number may be an item, no machine need hear which it is.
        let free = |(set, form): &Spelled| set.is_all() && *form != Numbers::Digits;
        let numbers = match numbers.filter(|numbers| !free(numbers)) {
            Some((set, form)) => {
                let machine = set.machine(form);
                Some(Arc::new(self.schemas.within(Formula::TRUE, machine)?))
            }
            None => None,
        };
        let machine = Distinct::new(plan.machine.clone(), strings, words, numbers);
        let end = Ir::act(machine.end());
        let arms = parts
            .into_iter()
            .map(|(action, part)| Ir::sequence([Ir::act(action), Ir::observed(part), end.clone()]));
        let item = Ir::sequence([Ir::choice(arms), layout.after.clone()]);
        let items = Ir::repeat(item, 1, None, Some(layout.comma.clone()));
        let close = Ir::act(plan.machine.elements.len() as u32);
        let body = layout.brackets(["[", "]"], items, plan.min == 0, &close);
        Ok(Some(Ir::tracked(body, Arc::new(Machine::Distinct(machine)))))
    }

    /// Adds the numbers of `value`, which must be those of the other kinds of items: one machine
    /// hears them all. Whether they are.
    fn heard_numbers(
        &mut self,
        value: Formula,
        numbers: &mut Option<Spelled>,
        arms: &mut Vec<Ir>,
    ) -> Result<bool, SchemaError> {
        let set = self.schemas.numbers(value)?;
        if set.is_never() {
            return Ok(true);
        }
        let spelled = match set.apart {
            false => (set.digits, self.numbers_form()),
            // In draft 4 only digits are integers.
            true if set.others.is_never() => {
                let integers = set.digits.intersection(&NumberLanguage::integers());
                (self.schemas.within(value, integers)?, Numbers::Digits)
            }
            true => return Ok(false),
        };
        if numbers.as_ref().is_some_and(|known| *known != spelled) {
            return Ok(false);
        }
        arms.push(match spelled.0.is_all() {
            true => self.number_text(&spelled.0, value)?,
            false => spelled.0.any_spelled(spelled.1),
        });
        *numbers = Some(spelled);
        Ok(true)
    }
}

impl Schemas {
    /// Whether `formula` has no values of `types`, arrays or objects.
    fn has_no(&mut self, formula: Formula, types: Types) -> Result<bool, SchemaError> {
        if types.meets(Types::ARRAY) {
            for one in self.array_alternatives(formula)?.iter() {
                if self.has_array(one)? {
                    return Ok(false);
                }
            }
        }
        if types.meets(Types::OBJECT) {
            for one in self.object_alternatives(formula)?.iter() {
                if self.has_object(one)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether arrays of `plan`, whose items are all different, exist as far as lists of few values
    /// tell.
    pub(super) fn has_distinct(&mut self, plan: &Plan) -> Result<bool, SchemaError> {
        let mut numbers: HashMap<Listed, u32> = HashMap::new();
        let mut picks = Vec::new();
        for (action, value) in plan.ways.iter().flatten() {
            let Some(values) = self.values_of(*value)? else { return Ok(true) };
            for value in values {
                let fresh = numbers.len() as u32;
                picks.push((*action, *numbers.entry(value).or_insert(fresh)));
            }
        }
        let machine = Picks { elements: plan.machine.clone(), values: numbers.len() as u32, picks };
        Ok(machine.is_alive())
    }

    /// All values of `formula`, if they are few.
    fn values_of(&mut self, formula: Formula) -> Result<Option<Vec<Listed>>, SchemaError> {
        let bounds = self.bounds(formula)?;
        let mut values = Vec::new();
        let deep = Types::ARRAY.or(Types::OBJECT);
        if bounds.may.meets(deep) && !self.has_no(formula, deep)? {
            let Some(listed) = self.listed(formula)? else { return Ok(None) };
            values.extend(listed.into_iter().map(Listed::Value));
        }
        let words = self.words(formula)?;
        let words = [(words.null, "null"), (words.yes, "true"), (words.no, "false")];
        values.extend(words.iter().filter(|word| word.0).map(|word| Listed::Word(word.1)));
        let numbers = self.numbers(formula)?;
        if !numbers.is_never() {
            let found = self.within(formula, numbers.digits.values(LISTED_MAX))?;
            let Some(found) = found.filter(|_| !numbers.apart) else { return Ok(None) };
            values.extend(found.into_iter().map(Listed::Number));
        }
        let strings = self.strings(formula)?;
        let Some(texts) = strings.words(LISTED_MAX) else { return Ok(None) };
        values.extend(texts.into_iter().map(Listed::Text));
        Ok((values.len() <= LISTED_MAX).then_some(values))
    }

    /// The arrays and objects that a schema lists, if its list and its type are all it says.
    ///
    /// # Errors
    /// Above the limit on their number.
    pub(in super::super) fn listed_alone(
        &mut self,
        formula: Formula,
    ) -> Result<Option<Vec<Item>>, SchemaError> {
        let Form::Node(node) = *self.formulas.get(formula) else { return Ok(None) };
        let keywords = self.keywords(node)?;
        let alone = keywords.constant.is_none()
            && !keywords.limited_beside_values()
            && self.applied(node)?.is_empty();
        let Some(list) = keywords.enumeration.filter(|_| alone) else { return Ok(None) };
        let mut found: Vec<Item> = Vec::new();
        for item in self.document().parts(list) {
            let types = self.types_of(item);
            if types.meets(Types::ARRAY.or(Types::OBJECT)) && keywords.types.holds(types) {
                found.push(self.first_equal(item));
            }
            if found.len() > DEEP_MAX {
                let message = format!("more than {DEEP_MAX} arrays and objects are listed");
                return Err(SchemaError::too_large(self.pointer(list), message));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(Some(found))
    }

    /// The arrays and objects that `formula` lists, if it does.
    fn listed(&mut self, formula: Formula) -> Result<Option<Vec<Item>>, SchemaError> {
        let node = match *self.formulas.get(formula) {
            Form::Constant(item) => return Ok(Some(vec![item])),
            Form::Node(node) => node,
            _ => return Ok(None),
        };
        let keywords = self.keywords(node)?;
        let mut listed: Vec<Item> = keywords.constant.into_iter().collect();
        if let Some(list) = keywords.enumeration {
            listed.extend(self.document().parts(list));
        }
        if listed.is_empty() {
            return Ok(None);
        }
        let mut found = Vec::new();
        for item in listed {
            let deep = self.document().is_array(item) || self.document().is_object(item);
            let constant = self.constant(item);
            let both = self.formulas.all([constant, formula]);
            let first = self.first_equal(item);
            if deep && !found.contains(&first) && !self.is_empty(both)? {
                found.push(first);
            }
        }
        Ok(Some(found))
    }
}
