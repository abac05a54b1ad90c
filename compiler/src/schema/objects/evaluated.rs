//! `unevaluatedProperties`: which members the schemas that hold beside it have looked at.
//!
//! Keys are cut into cells that no schema in place tells apart. A member of a cell that has no
//! value of `unevaluatedProperties` is right if and only if one of the schemas that look at the
//! cell holds.

use super::super::SchemaError;
use super::super::document::Json;
use super::super::formula::{Form, Formula, Node};
use super::super::keywords::Keywords;
use super::super::schemas::Schemas;
use super::super::strings::KeyClasses;
use super::facts::{Fact, Facts, each};
use super::names::{Key, Keys};

/// Keys that all schemas in place treat alike.
struct Cell {
    key: Option<Key>,
    /// The sets of keys that it lies in.
    inside: Vec<Keys>,
}

/// The keys and sets of keys that schemas in place name.
#[derive(Default)]
struct Named {
    keys: Vec<Key>,
    sets: Vec<Keys>,
    seen: Vec<Node>,
}

impl Schemas {
    /// What `unevaluatedProperties` of `node` says.
    pub(super) fn unevaluated_facts(
        &mut self,
        node: Node,
        keywords: &Keywords,
    ) -> Result<Facts, SchemaError> {
        let Some(schema) = keywords.objects.unevaluated else { return Ok(Facts::always()) };
        let value = self.formula(schema, node.scope)?;
        if value == Formula::TRUE {
            return Ok(Facts::always());
        }
        let mut named = Named::default();
        self.named_in(node, &mut named)?;
        named.keys.sort_unstable();
        named.keys.dedup();
        named.sets.sort_unstable();
        named.sets.dedup();
        let words: Vec<&str> = named.keys.iter().map(|key| self.names.text(*key)).collect();
        let languages: Vec<_> = named.sets.iter().map(|keys| self.names.language(*keys)).collect();
        let languages: Vec<_> = languages.iter().collect();
        let classes = KeyClasses::new(&words, &languages)
            .map_err(|error| self.too_large(node.schema, &error))?;
        let mut all = Vec::new();
        for class in 0..classes.len() {
            let inside = classes.members(class).iter().map(|at| named.sets[*at]).collect();
            let cell = Cell { key: named.keys.get(class).copied(), inside };
            let evaluated = self.evaluated(node, &cell, true)?;
            let keys = match cell.key {
                Some(key) => Keys::One(key),
                None => {
                    let language = classes.language(class);
                    if language.is_never() {
                        continue;
                    }
                    self.names.set(language)
                }
            };
            all.push(Facts::any([each(keys, value), evaluated]));
        }
        Ok(Facts::all(all))
    }

    /// Adds the keys and patterns of `node` and of all that applies in place.
    fn named_in(&mut self, node: Node, named: &mut Named) -> Result<(), SchemaError> {
        if named.seen.contains(&node) {
            return Ok(());
        }
        named.seen.push(node);
        let keywords = self.keywords(node)?;
        let properties = keywords.objects.properties;
        let document = &self.resources.document;
        for member in properties.iter().flat_map(|map| document.parts(*map)) {
            named.keys.push(self.names.key(document.key(member)));
        }
        let patterns = keywords.objects.patterns;
        let patterns: Vec<_> =
            patterns.iter().flat_map(|map| self.document().parts(*map)).collect();
        for member in patterns {
            match self.member_keys(member)? {
                Keys::One(key) => named.keys.push(key),
                set => named.sets.push(set),
            }
        }
        for (_, formula) in self.in_place(node, &keywords)? {
            if let Form::Node(inner) = *self.formulas.get(formula) {
                self.nested(formula, |this| this.named_in(inner, named))?;
            }
        }
        Ok(())
    }

    /// The schemas that apply to the same value as `node`, each with when its findings count;
    /// `None` is whenever `node` holds.
    pub(in super::super) fn in_place(
        &mut self,
        node: Node,
        keywords: &Keywords,
    ) -> Result<Vec<(Option<Condition>, Formula)>, SchemaError> {
        let scope = node.scope;
        let mut found = Vec::new();
        if let Some(place) = keywords.reference {
            let target = self.resources.resolve(place)?;
            found.push((None, self.formula(target, scope)?));
        }
        if let Some(place) = keywords.dynamic_reference {
            let target = self.resources.resolve_dynamic(place, scope)?;
            found.push((None, self.formula(target, scope)?));
        }
        if let Some(list) = keywords.all_of {
            found.extend(self.list(list, scope)?.into_iter().map(|arm| (None, arm)));
        }
        for list in [keywords.any_of, keywords.one_of].into_iter().flatten() {
            for arm in self.list(list, scope)? {
                found.push((Some(Condition::Holds(arm)), arm));
            }
        }
        if let Some([condition, then, otherwise]) = self.condition(keywords, scope)? {
            let not = self.formulas.not(condition);
            found.push((Some(Condition::Holds(condition)), condition));
            found.push((Some(Condition::Holds(condition)), then));
            found.push((Some(Condition::Holds(not)), otherwise));
        }
        for map in &keywords.objects.dependencies {
            for member in self.document().parts(*map) {
                if !matches!(self.document().get(member), Json::Array | Json::String(_)) {
                    let formula = self.formula(member, scope)?;
                    let key = self.member_key(member);
                    found.push((Some(Condition::Has(key)), formula));
                }
            }
        }
        Ok(found)
    }

    /// When a member of `cell` is looked at, given that `node` holds.
    fn evaluated(
        &mut self,
        node: Node,
        cell: &Cell,
        outermost: bool,
    ) -> Result<Facts, SchemaError> {
        let keywords = self.keywords(node)?;
        let own = &keywords.objects;
        if own.additional.is_some() || (!outermost && own.unevaluated.is_some()) {
            return Ok(Facts::always());
        }
        if let (Some(map), Some(key)) = (own.properties, cell.key)
            && self.document().member(map, self.names.text(key)).is_some()
        {
            return Ok(Facts::always());
        }
        if let Some(map) = own.patterns {
            for member in self.document().parts(map) {
                let keys = self.member_keys(member)?;
                let inside = match (keys, cell.key) {
                    (Keys::One(own), Some(key)) => own == key,
                    (keys, _) => cell.inside.contains(&keys),
                };
                if inside {
                    return Ok(Facts::always());
                }
            }
        }
        let mut any = Vec::new();
        for (condition, formula) in self.in_place(node, &keywords)? {
            let Form::Node(inner) = *self.formulas.get(formula) else { continue };
            let looked = self.nested(formula, |this| this.evaluated(inner, cell, false))?;
            if looked.is_never() {
                continue;
            }
            let when = match condition {
                None => Facts::always(),
                Some(Condition::Has(key)) => Facts::Fact(Fact::Has(key)),
                Some(Condition::Holds(formula)) => self.object_facts(formula)?,
            };
            any.push(Facts::all([when, looked]));
        }
        Ok(Facts::any(any))
    }
}

/// When what a schema in place has looked at counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Condition {
    Holds(Formula),
    Has(Key),
}
