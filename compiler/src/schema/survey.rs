//! The one look at every schema that is reached: what cannot be held is refused here.
//!
//! Schemas without Boolean structure are only read. Of the others each formula that comes up is
//! lowered at once, because only that tells whether it can be held.

use std::collections::{HashMap, HashSet};

use super::document::{Item, Json};
use super::draft::Draft;
use super::formula::{Form, Formula, Node};
use super::keywords::Keywords;
use super::schemas::Schemas;
use super::styles::Notation;
use super::values::{Lowering, Rule};
use super::{SchemaError, SchemaFault};
use crate::chars::ecma;
use crate::ir::{Ir, RuleId};

/// The most formulas with Boolean structure that are lowered at once.
const LOWERED_MAX: usize = 20_000;

impl Schemas {
    /// Reads every schema that is reached, and checks what it says by itself.
    ///
    /// # Errors
    /// For what is no schema, references that lead nowhere, and what cannot be held.
    pub(super) fn survey(&mut self) -> Result<(), SchemaError> {
        let mut seen = HashSet::new();
        let mut queue = vec![self.root];
        while let Some(formula) = queue.pop() {
            if !seen.insert(formula) {
                continue;
            }
            match self.formulas.get(formula).clone() {
                Form::True | Form::False | Form::Constant(_) => {}
                Form::Not(inner) => queue.push(inner),
                Form::All(parts) | Form::Any(parts) | Form::One(parts) => {
                    queue.extend(parts.iter());
                }
                Form::Node(node) => {
                    let keywords = self.keywords(node)?;
                    self.check(&keywords)?;
                    self.note_repairs(node.schema);
                    self.below(node, &keywords, &mut queue)?;
                }
            }
        }
        for place in std::mem::take(&mut self.resources.strayed) {
            let message =
                "the pointer leads nowhere from the nearest identifier: read from the root";
            let note = SchemaError::new(SchemaFault::Repaired, self.pointer(place), message);
            self.repaired.push(note);
        }
        let mut all: Vec<Formula> = seen.into_iter().collect();
        all.sort_unstable();
        self.check_circles(&all)
    }

    /// Refuses schemas that apply to the same value in a circle: they say nothing.
    fn check_circles(&mut self, all: &[Formula]) -> Result<(), SchemaError> {
        let mut done: HashSet<Formula> = HashSet::new();
        let mut open: HashSet<Formula> = HashSet::new();
        for formula in all {
            let mut stack = vec![(*formula, self.inner(*formula)?)];
            while let Some((at, below)) = stack.last_mut() {
                let at = *at;
                if done.contains(&at) {
                    stack.pop();
                    continue;
                }
                open.insert(at);
                let Some(next) = below.pop() else {
                    open.remove(&at);
                    done.insert(at);
                    stack.pop();
                    continue;
                };
                if open.contains(&next) {
                    let message = "the schema refers to itself without anything between";
                    let place = self.pointer(self.place(next));
                    return Err(SchemaError::invalid(place, message));
                }
                if !done.contains(&next) {
                    let below = self.inner(next)?;
                    stack.push((next, below));
                }
            }
        }
        Ok(())
    }

    /// The formulas that `formula` applies to the same value.
    fn inner(&mut self, formula: Formula) -> Result<Vec<Formula>, SchemaError> {
        Ok(match self.formulas.get(formula).clone() {
            Form::True | Form::False | Form::Constant(_) => Vec::new(),
            Form::Not(inner) => vec![inner],
            Form::All(parts) | Form::Any(parts) | Form::One(parts) => parts.to_vec(),
            Form::Node(node) => self.applied(node)?.to_vec(),
        })
    }

    /// Checks the patterns that `keywords` has itself, and how many keys it declares.
    fn check(&mut self, keywords: &Keywords) -> Result<(), SchemaError> {
        if let Some(properties) = keywords.objects.properties {
            self.check_properties(properties)?;
        }
        if let Some(patterns) = keywords.objects.patterns {
            self.check_patterns(patterns)?;
        }
        let keys = keywords.objects.patterns.into_iter().flat_map(|map| self.document().parts(map));
        let keys: Vec<_> = keys.map(|member| (member, self.document().key(member))).collect();
        let text = keywords.strings.pattern;
        let text = text.map(|place| (place, self.document().string(place).unwrap_or_default()));
        let mut faults = Vec::new();
        for (place, pattern) in keys.into_iter().chain(text) {
            if let Err(error) = ecma::read(pattern) {
                let range = error.range.clone();
                let message = format!("{error} (bytes {} to {})", range.start, range.end);
                faults.push(SchemaError::unsupported(self.pointer(place), message));
            }
        }
        faults.into_iter().try_for_each(|fault| self.relax(fault))?;
        if let Some(place) = keywords.strings.format {
            self.format(place)?;
        }
        Ok(())
    }

    /// Notes what `schema` spells as an older draft does, where it names none.
    fn note_repairs(&mut self, schema: Item) {
        if self.draft(schema) != Draft::Unnamed {
            return;
        }
        let document = &self.resources.document;
        let listed = |name| document.member(schema, name).filter(|v| document.is_array(*v));
        let mut found: Vec<(Item, &str)> = Vec::new();
        for (key, value) in document.members(schema) {
            let meant = match key {
                "exclusiveMinimum" | "exclusiveMaximum" => {
                    let old = matches!(document.get(value), Json::Bool(_));
                    old.then_some("a truth value, as in draft 4, which makes its bound exclusive")
                }
                "items" if document.is_array(value) => Some("a list, which is `prefixItems`"),
                "additionalItems" if listed("items").is_some() => {
                    Some("beside a list of `items`, which is `items` after `prefixItems`")
                }
                "dependencies" => Some("which is `dependentRequired` and `dependentSchemas`"),
                _ => None,
            };
            found.extend(meant.map(|meant| (value, meant)));
        }
        for (place, meant) in found {
            let pointer = self.pointer(place);
            let name = self.document().key(place);
            let message = format!("`{name}` is {meant}; read so");
            let note = SchemaError::new(SchemaFault::Repaired, pointer, message);
            if !self.repaired.contains(&note) {
                self.repaired.push(note);
            }
        }
    }

    /// Adds the formulas of the schemas that `node` applies, in place and to parts.
    fn below(
        &mut self,
        node: Node,
        keywords: &Keywords,
        queue: &mut Vec<Formula>,
    ) -> Result<(), SchemaError> {
        queue.extend(self.applied(node)?.iter());
        let (arrays, objects) = (&keywords.arrays, &keywords.objects);
        let single =
            [arrays.rest, arrays.contains, arrays.unevaluated, objects.additional, objects.names];
        for schema in single.into_iter().chain([objects.unevaluated]).flatten() {
            queue.push(self.formula(schema, node.scope)?);
        }
        let maps = [objects.properties, objects.patterns, arrays.first];
        let maps: Vec<_> = maps.into_iter().flatten().collect();
        let parts: Vec<_> = maps.iter().flat_map(|map| self.document().parts(*map)).collect();
        for schema in parts {
            queue.push(self.formula(schema, node.scope)?);
        }
        for map in &objects.dependencies {
            for member in self.document().parts(*map) {
                if !matches!(self.document().get(member), Json::Array | Json::String(_)) {
                    queue.push(self.formula(member, node.scope)?);
                }
            }
        }
        Ok(())
    }

    /// Whether what `formula` says can be seen without lowering it, and what it calls then.
    fn is_simple(&mut self, formula: Formula) -> Result<bool, SchemaError> {
        if self.options.unique_keys {
            return Ok(false);
        }
        let node = match *self.formulas.get(formula) {
            Form::True | Form::False => return Ok(true),
            Form::Node(node) => node,
            _ => return Ok(false),
        };
        let keywords = self.keywords(node)?;
        let (arrays, objects) = (&keywords.arrays, &keywords.objects);
        Ok(self.applied(node)?.is_empty()
            && arrays.contains.is_none()
            && !arrays.unique
            && arrays.unevaluated.is_none()
            && objects.size_min < 2
            && objects.names.is_none()
            && objects.patterns.is_none()
            && objects.dependencies.is_empty()
            && objects.unevaluated.is_none()
            && keywords.constant.is_none()
            && keywords.enumeration.is_none_or(|list| {
                let document = self.document();
                let is_scalar = |item| !document.is_array(item) && !document.is_object(item);
                document.parts(list).all(is_scalar)
            }))
    }
}

impl Lowering {
    /// Lowers each formula that is reached and is not simple in the notation of values.
    ///
    /// # Errors
    /// For what cannot be held.
    pub(super) fn look_ahead(&mut self) -> Result<HashMap<RuleId, Ir>, SchemaError> {
        let mut made = HashMap::new();
        let mut seen = HashSet::new();
        let mut queue = vec![(self.schemas.root, 0)];
        while let Some((formula, depth)) = queue.pop() {
            if !seen.insert(formula) {
                continue;
            }
            // What Gemma's notation cannot write is only known by writing it.
            if self.notation() != Notation::Gemma && self.schemas.is_simple(formula)? {
                if let Form::Node(node) = *self.schemas.formulas.get(formula) {
                    let keywords = self.schemas.keywords(node)?;
                    let mut below = Vec::new();
                    self.schemas.below(node, &keywords, &mut below)?;
                    queue.extend(below.into_iter().map(|formula| (formula, depth + 1)));
                }
                continue;
            }
            if made.len() > LOWERED_MAX {
                let place = self.schemas.pointer(self.schemas.place(formula));
                let message = format!("more than {LOWERED_MAX} values are combinations of schemas");
                return Err(SchemaError::too_large(place, message));
            }
            if self.schemas.is_empty(formula)? {
                continue;
            }
            let before = self.rules().len();
            let rule = self.number(Rule::Value(formula, 0));
            made.insert(rule, self.body(Rule::Value(formula, 0))?);
            let called = self.rules()[before..].iter().filter_map(|rule| match rule {
                Rule::Value(formula, depth) => Some((*formula, *depth)),
                _ => None,
            });
            queue.extend(called);
        }
        Ok(made)
    }
}
