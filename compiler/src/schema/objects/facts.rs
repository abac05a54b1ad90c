//! What a formula says about the members of an object, as a Boolean formula over facts.

use super::super::SchemaError;
use super::super::boolean::Boolean;
use super::super::document::{Item, Json};
use super::super::draft::Types;
use super::super::formula::{Form, Formula, Node};
use super::super::keywords::Keywords;
use super::super::schemas::Schemas;
use super::super::strings::StringLanguage;
use super::names::{Key, Keys};

/// The most schemas of one `oneOf` that objects are asked about.
const ARMS_MAX: usize = 300;

/// A fact about the members of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in super::super) enum Fact {
    /// Each member's value is what the group says of its key.
    Members(Group),
    /// Each member with one of these keys has a value of the formula.
    Each(Keys, Formula),
    /// Some member with one of these keys has a value of the formula.
    Some(Keys, Formula),
    Has(Key),
    Lacks(Key),
    /// There are at least this many members.
    AtLeast(u64),
    /// There are at most this many members.
    AtMost(u64),
}

impl Fact {
    /// Whether it is about keys and their number alone.
    pub(in super::super) fn is_about_keys(&self) -> bool {
        matches!(self, Self::Has(_) | Self::Lacks(_) | Self::AtLeast(_) | Self::AtMost(_))
    }
}

/// What says of each key what its value is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in super::super) enum Group {
    /// `properties`, `patternProperties` and `additionalProperties` of a schema.
    Node(Node),
    /// The members of a value; other keys have none.
    Constant(Item),
}

pub(in super::super) type Facts = Boolean<Fact>;

/// The parts of a group: its keys and sets of keys with their formulas, and that of all others.
pub(in super::super) struct Parts {
    pub(in super::super) keys: Vec<(Key, Formula)>,
    pub(in super::super) sets: Vec<(Keys, Formula)>,
    pub(in super::super) rest: Formula,
}

impl Schemas {
    /// What `formula` says about the members of an object.
    ///
    /// # Errors
    /// As [`Schemas::applied`], and for patterns that cannot be held.
    pub(in super::super) fn object_facts(
        &mut self,
        formula: Formula,
    ) -> Result<Facts, SchemaError> {
        let bounds = self.bounds(formula)?;
        if !bounds.may.meets(Types::OBJECT) {
            return Ok(Facts::never());
        }
        if bounds.must.meets(Types::OBJECT) {
            return Ok(Facts::always());
        }
        self.nested(formula, |this| match this.formulas.get(formula).clone() {
            Form::True => Ok(Facts::always()),
            Form::False => Ok(Facts::never()),
            Form::Node(node) => this.node_facts(node),
            Form::Constant(item) => Ok(this.constant_facts(item)),
            Form::Not(inner) => {
                let inner = this.object_facts(inner)?;
                this.opposite(&inner)
            }
            Form::All(parts) => {
                let parts: Result<Vec<_>, _> =
                    parts.iter().map(|f| this.object_facts(*f)).collect();
                Ok(Facts::all(parts?))
            }
            Form::Any(parts) => {
                let parts: Result<Vec<_>, _> =
                    parts.iter().map(|f| this.object_facts(*f)).collect();
                Ok(Facts::any(parts?))
            }
            Form::One(parts) => {
                let arms: Result<Vec<_>, _> = parts.iter().map(|f| this.object_facts(*f)).collect();
                this.exactly_one(&parts, &arms?)
            }
        })
    }

    fn exactly_one(&mut self, formulas: &[Formula], arms: &[Facts]) -> Result<Facts, SchemaError> {
        if arms.len() > ARMS_MAX {
            let message = format!("`oneOf` has more than {ARMS_MAX} schemas of objects");
            let place = self.pointer(self.place(formulas[0]));
            return Err(SchemaError::too_large(place, message));
        }
        let mut opposites: Vec<Option<Facts>> = vec![None; arms.len()];
        let mut any = Vec::new();
        for (at, arm) in arms.iter().enumerate() {
            if arm.is_never() {
                continue;
            }
            let mut all = vec![arm.clone()];
            for (other, facts) in arms.iter().enumerate() {
                if other == at
                    || facts.is_never()
                    || self.disjoint(formulas[at], formulas[other])?
                {
                    continue;
                }
                if opposites[other].is_none() {
                    opposites[other] = Some(self.opposite(facts)?);
                }
                all.extend(opposites[other].clone());
            }
            any.push(Facts::all(all));
        }
        Ok(Facts::any(any))
    }

    /// The opposite of `facts`.
    pub(in super::super) fn opposite(&mut self, facts: &Facts) -> Result<Facts, SchemaError> {
        facts.negated(&mut |fact| {
            Ok(match *fact {
                Fact::Each(keys, value) => {
                    let value = self.formulas.not(value);
                    some(keys, value)
                }
                Fact::Some(keys, value) => {
                    let value = self.formulas.not(value);
                    each(keys, value)
                }
                Fact::Has(key) => Facts::Fact(Fact::Lacks(key)),
                Fact::Lacks(key) => Facts::Fact(Fact::Has(key)),
                Fact::AtLeast(0) => Facts::never(),
                Fact::AtLeast(count) => Facts::Fact(Fact::AtMost(count - 1)),
                Fact::AtMost(count) => Facts::Fact(Fact::AtLeast(count.saturating_add(1))),
                Fact::Members(group) => {
                    let parts = self.parts(group)?;
                    let mut any = Vec::new();
                    for (key, value) in &parts.keys {
                        let value = self.formulas.not(*value);
                        any.push(some(Keys::One(*key), value));
                    }
                    for (keys, value) in &parts.sets {
                        let value = self.formulas.not(*value);
                        any.push(some(*keys, value));
                    }
                    if parts.rest != Formula::TRUE {
                        let value = self.formulas.not(parts.rest);
                        let rest = self.rest(&parts, group)?;
                        any.push(some(rest, value));
                    }
                    Facts::any(any)
                }
            })
        })
    }

    /// The keys that no other part of `group` is about.
    fn rest(&mut self, parts: &Parts, group: Group) -> Result<Keys, SchemaError> {
        let texts: Vec<&str> = parts.keys.iter().map(|(key, _)| self.names.text(*key)).collect();
        let mut taken = StringLanguage::one_of(texts);
        for (keys, _) in &parts.sets {
            let union = taken.union(&self.names.language(*keys));
            taken = union.map_err(|error| self.too_large(group.place(), &error))?;
        }
        let rest = taken.complement().map_err(|error| self.too_large(group.place(), &error))?;
        Ok(self.names.set(rest))
    }

    /// The parts of `group`.
    ///
    /// # Errors
    /// As [`Schemas::formula`], and for patterns that cannot be held.
    pub(in super::super) fn parts(&mut self, group: Group) -> Result<Parts, SchemaError> {
        let mut parts = Parts { keys: Vec::new(), sets: Vec::new(), rest: Formula::TRUE };
        match group {
            Group::Constant(item) => {
                parts.rest = Formula::FALSE;
                for member in self.document().parts(item) {
                    let value = self.constant(member);
                    let key = self.member_key(member);
                    parts.keys.push((key, value));
                }
            }
            Group::Node(node) => {
                let keywords = self.keywords(node)?;
                if let Some(map) = keywords.objects.properties {
                    for member in self.document().parts(map) {
                        let value = self.formula(member, node.scope)?;
                        let key = self.member_key(member);
                        parts.keys.push((key, value));
                    }
                }
                if let Some(map) = keywords.objects.patterns {
                    for member in self.document().parts(map) {
                        let value = self.formula(member, node.scope)?;
                        parts.sets.push((self.member_keys(member)?, value));
                    }
                }
                if let Some(rest) = keywords.objects.additional {
                    parts.rest = self.formula(rest, node.scope)?;
                }
            }
        }
        Ok(parts)
    }

    /// The key of a member of the document.
    pub(in super::super) fn member_key(&mut self, member: Item) -> Key {
        self.names.key(self.resources.document.key(member))
    }

    /// The keys in which the key of a member, a pattern, is found.
    pub(in super::super) fn member_keys(&mut self, member: Item) -> Result<Keys, SchemaError> {
        let pattern = self.document().key(member).to_owned();
        let language = self.pattern(&pattern, member)?;
        Ok(self.names.pattern(&pattern, language))
    }

    /// The formula of the values that equal `item`.
    pub(in super::super) fn constant(&mut self, item: Item) -> Formula {
        let item = self.first_equal(item);
        self.formulas.constant(item)
    }

    fn constant_facts(&mut self, item: Item) -> Facts {
        if self.document().get(item) != Json::Object {
            return Facts::never();
        }
        let mut all = vec![Facts::Fact(Fact::Members(Group::Constant(item)))];
        for member in self.document().parts(item) {
            all.push(Facts::Fact(Fact::Has(self.member_key(member))));
        }
        Facts::all(all)
    }

    fn node_facts(&mut self, node: Node) -> Result<Facts, SchemaError> {
        let keywords = self.keywords(node)?;
        let mut all = Vec::new();
        let mut lists: Vec<Vec<Item>> = Vec::new();
        lists.extend(keywords.enumeration.map(|list| self.document().parts(list).collect()));
        lists.extend(keywords.constant.map(|value| vec![value]));
        for list in lists {
            let arms: Vec<Facts> = list.into_iter().map(|item| self.constant_facts(item)).collect();
            all.push(Facts::any(arms));
        }
        self.own_facts(node, &keywords, &mut all)?;
        for part in self.applied(node)?.iter().copied() {
            all.push(self.object_facts(part)?);
        }
        if keywords.objects.unevaluated.is_some() {
            all.push(self.unevaluated_facts(node, &keywords)?);
        }
        Ok(Facts::all(all))
    }

    fn own_facts(
        &mut self,
        node: Node,
        keywords: &Keywords,
        all: &mut Vec<Facts>,
    ) -> Result<(), SchemaError> {
        let own = &keywords.objects;
        if own.properties.is_some() || own.patterns.is_some() || own.additional.is_some() {
            all.push(Facts::Fact(Fact::Members(Group::Node(node))));
        }
        if let Some(list) = own.required {
            for name in self.document().parts(list) {
                let text = self.resources.document.string(name).unwrap_or_default();
                all.push(Facts::Fact(Fact::Has(self.names.key(text))));
            }
        }
        if own.size_min > 0 {
            all.push(Facts::Fact(Fact::AtLeast(own.size_min)));
        }
        if let Some(max) = own.size_max {
            all.push(Facts::Fact(Fact::AtMost(max)));
        }
        if let Some(names) = own.names {
            let names = self.formula(names, node.scope)?;
            if names != Formula::TRUE {
                let names = self.strings(names)?;
                let others =
                    names.complement().map_err(|error| self.too_large(node.schema, &error))?;
                let keys = self.names.set(others);
                all.push(each(keys, Formula::FALSE));
            }
        }
        for map in &own.dependencies {
            for member in self.document().parts(*map) {
                let key = self.member_key(member);
                let then = self.dependency(member, node)?;
                all.push(Facts::any([Facts::Fact(Fact::Lacks(key)), then]));
            }
        }
        Ok(())
    }

    /// What must hold if the key of `member` of a map of dependencies is present.
    fn dependency(&mut self, member: Item, node: Node) -> Result<Facts, SchemaError> {
        let mut names = match self.document().get(member) {
            Json::Array => self.document().parts(member).collect(),
            Json::String(_) => vec![member],
            _ => {
                let formula = self.formula(member, node.scope)?;
                return self.object_facts(formula);
            }
        };
        names.retain(|name| self.document().string(*name).is_some());
        let mut all = Vec::new();
        for name in names {
            let text = self.resources.document.string(name).unwrap_or_default();
            all.push(Facts::Fact(Fact::Has(self.names.key(text))));
        }
        Ok(Facts::all(all))
    }
}

impl Group {
    /// Where it stands, for messages.
    pub(in super::super) fn place(self) -> Item {
        match self {
            Self::Node(node) => node.schema,
            Self::Constant(item) => item,
        }
    }
}

/// [`Fact::Each`], unless it says nothing.
pub(in super::super) fn each(keys: Keys, value: Formula) -> Facts {
    match (keys, value) {
        (_, Formula::TRUE) => Facts::always(),
        (Keys::One(key), Formula::FALSE) => Facts::Fact(Fact::Lacks(key)),
        _ => Facts::Fact(Fact::Each(keys, value)),
    }
}

/// [`Fact::Some`], unless it cannot be.
pub(in super::super) fn some(keys: Keys, value: Formula) -> Facts {
    match (keys, value) {
        (_, Formula::FALSE) => Facts::never(),
        (Keys::One(key), Formula::TRUE) => Facts::Fact(Fact::Has(key)),
        _ => Facts::Fact(Fact::Some(keys, value)),
    }
}
