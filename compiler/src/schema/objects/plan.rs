//! A conjunction of facts about members as classes of keys and a machine that watches them.

use std::collections::HashMap;

use super::super::SchemaError;
use super::super::boolean::Boolean;
use super::super::document::Item;
use super::super::formula::Formula;
use super::super::options::Order;
use super::super::schemas::Schemas;
use super::super::strings::{KeyClasses, StringLanguage};
use super::conjunction::Conjunction;
use super::facts::{Fact, Facts, Group};
use super::names::{Key, Keys};
use crate::ir::machine::{Asked, Member, Members, Test};

/// Sets of at most this many keys are taken key by key, so that none of them repeats.
const LISTED_MAX: usize = 64;
/// The most declared keys of one object.
const KEYS_MAX: usize = 1 << 15;
/// The most bytes of them.
const KEY_BYTES_MAX: usize = 1 << 19;
/// The most patterns of keys in one schema.
const PATTERNS_MAX: usize = 1_000;
/// The most ways in which the members of one class may make facts true.
const WAYS_MAX: usize = 1_024;

/// The most ways in which members may make facts true, beside one for each class of keys.
const MEMBERS_MAX: usize = 1_024;
/// The most facts that the end of an object may depend on.
const TESTED_MAX: usize = 2_000;

/// Classes of keys, what their values are, and the machine.
#[derive(Debug)]
pub(in super::super) struct Plan {
    /// The declared keys, in order; each is a class, and the open classes follow.
    pub(in super::super) keys: Vec<Key>,
    pub(in super::super) classes: KeyClasses,
    /// For each class, the ways in which a member may be in it: action and value.
    pub(in super::super) ways: Vec<Vec<(u32, Formula)>>,
    pub(in super::super) machine: Members,
    /// Whether nothing but presence and order of keys is asked for.
    pub(in super::super) simple: bool,
}

/// Where the members of a class may be: under one key, or in sets of keys.
struct Class {
    key: Option<Key>,
    inside: Vec<Keys>,
}

impl Plan {
    /// Whether there may be keys that are not declared.
    pub(in super::super) fn is_open(&self) -> bool {
        self.ways.iter().skip(self.keys.len()).any(|ways| !ways.is_empty())
    }
}

impl Schemas {
    /// Whether some object satisfies `one`, where what is being looked at counts as empty.
    pub(in super::super) fn has_object(&mut self, one: &Conjunction) -> Result<bool, SchemaError> {
        let fits = one.max.is_none_or(|max| one.has.len() as u64 <= max);
        if !fits || one.has.iter().any(|key| one.lacks.contains(key)) {
            return Ok(false);
        }
        for key in &one.has {
            let value = self.value_of(one, *key)?;
            if self.is_empty(value)? {
                return Ok(false);
            }
        }
        if one.clauses.is_empty() && one.some.is_empty() && one.min <= one.has.len() as u64 {
            return Ok(true);
        }
        Ok(self.plan(one)?.machine.is_alive())
    }

    /// The classes and the machine of `one`.
    ///
    /// # Errors
    /// For values that cannot be held, and above limits.
    pub(in super::super) fn plan(&mut self, one: &Conjunction) -> Result<Plan, SchemaError> {
        let mut watched = Watched::default();
        for (keys, value) in &one.some {
            self.watch(Fact::Some(*keys, *value), &mut watched)?;
        }
        for clause in &one.clauses {
            self.watch_all(clause, &mut watched)?;
        }
        let (keys, sets) = self.declared(one, &watched)?;
        let place = one.groups.first().map_or(Item(0), |g| g.place());
        self.check_keys(&keys, place)?;
        let classes = {
            let words: Vec<&str> = keys.iter().map(|key| self.names.text(*key)).collect();
            let languages: Vec<StringLanguage> =
                sets.iter().map(|set| self.names.language(*set)).collect();
            let languages: Vec<&StringLanguage> = languages.iter().collect();
            KeyClasses::new(&words, &languages)
        };
        let classes = classes.map_err(|error| self.too_large(place, &error))?;
        let mut asked = self.asked(one, &keys, &watched);
        let mut all = Vec::with_capacity(classes.len());
        for number in 0..classes.len() {
            let inside = classes.members(number).iter().map(|at| sets[*at]).collect();
            let class = Class { key: keys.get(number).copied(), inside };
            let ways = self.ways(one, &class, &watched)?;
            let mut actions = Vec::with_capacity(ways.len());
            for (value, facts) in ways {
                actions.push((asked.members.len() as u32, value));
                let key = class.key.map(|_| number as u32);
                asked.members.push(Member { key, facts });
            }
            all.push(actions);
            if asked.members.len() > MEMBERS_MAX + classes.len() {
                let message = format!("members combine in more than {MEMBERS_MAX} ways");
                return Err(SchemaError::too_large(self.pointer(place), message));
            }
        }
        if asked.tests.iter().map(Test::size).sum::<usize>() > TESTED_MAX {
            let message = format!("more than {TESTED_MAX} facts decide whether an object is valid");
            return Err(SchemaError::too_large(self.pointer(place), message));
        }
        let simple = asked.tests.is_empty()
            && asked.min as usize <= asked.required.len()
            && asked.max.is_none();
        Ok(Plan { keys, classes, ways: all, machine: Members::new(asked), simple })
    }

    fn check_keys(&self, keys: &[Key], place: Item) -> Result<(), SchemaError> {
        let bytes = keys.iter().map(|key| self.names.text(*key).len()).sum();
        self.check_size(keys.len(), bytes, place)
    }

    /// Refuses the patterns of keys at `place` if they are too many.
    ///
    /// # Errors
    /// Above a limit.
    pub(in super::super) fn check_patterns(&self, place: Item) -> Result<(), SchemaError> {
        if self.document().size(place) <= PATTERNS_MAX {
            return Ok(());
        }
        let message = format!("there are more than {PATTERNS_MAX} patterns of keys");
        Err(SchemaError::too_large(self.pointer(place), message))
    }

    /// Refuses the declared keys of the object at `place` if they are too many.
    ///
    /// # Errors
    /// Above a limit.
    pub(in super::super) fn check_properties(&self, place: Item) -> Result<(), SchemaError> {
        let bytes = self.document().members(place).map(|(key, _)| key.len()).sum();
        self.check_size(self.document().size(place), bytes, place)
    }

    fn check_size(&self, keys: usize, bytes: usize, place: Item) -> Result<(), SchemaError> {
        if keys <= KEYS_MAX && bytes <= KEY_BYTES_MAX {
            return Ok(());
        }
        let message = format!(
            "{keys} declared keys of {bytes} bytes are more than an object can have: \
             {KEYS_MAX} keys of {KEY_BYTES_MAX} bytes"
        );
        Err(SchemaError::too_large(self.pointer(place), message))
    }

    /// The keys that are classes of their own, in order, and the sets that cut the others.
    fn declared(
        &mut self,
        one: &Conjunction,
        watched: &Watched,
    ) -> Result<(Vec<Key>, Vec<Keys>), SchemaError> {
        let mut seen = HashMap::new();
        let (mut keys, mut sets) = (Vec::new(), Vec::new());
        let mut add = |key: Key| {
            if seen.insert(key, ()).is_none() {
                keys.push(key);
            }
        };
        for group in &one.groups {
            match *group {
                Group::Constant(item) => {
                    for member in self.resources.document.parts(item) {
                        add(self.names.key(self.resources.document.key(member)));
                    }
                }
                Group::Node(node) => {
                    let keywords = self.keywords(node)?;
                    let properties = keywords.objects.properties;
                    for member in
                        properties.iter().flat_map(|map| self.resources.document.parts(*map))
                    {
                        add(self.names.key(self.resources.document.key(member)));
                    }
                    if let Some(map) = keywords.objects.patterns {
                        for member in self.document().parts(map) {
                            sets.push(self.member_keys(member)?);
                        }
                    }
                }
            }
        }
        sets.extend(one.each.iter().map(|(keys, _)| *keys));
        sets.extend(watched.facts.iter().map(|fact| fact.keys));
        sets.sort_unstable();
        sets.dedup();
        let mut open = Vec::new();
        for set in sets {
            match set {
                Keys::One(key) => add(key),
                set => match self.names.language(set).words(LISTED_MAX) {
                    Some(words) => words.iter().for_each(|word| add(self.names.key(word))),
                    None => open.push(set),
                },
            }
        }
        one.has.iter().chain(&one.lacks).for_each(|key| add(*key));
        for clause in &one.clauses {
            keys_in(clause, &mut add);
        }
        if self.options.order == Order::Sorted {
            // A sort that keeps the order of equals, as Jinja's `dictsort` does.
            keys.sort_by_key(|key| self.names.text(*key).to_lowercase());
        }
        if self.options.order == Order::RequiredFirst {
            let (mut first, rest): (Vec<Key>, Vec<Key>) =
                keys.into_iter().partition(|key| one.has.contains(key));
            first.extend(rest);
            return Ok((first, open));
        }
        Ok((keys, open))
    }

    fn asked(&self, one: &Conjunction, keys: &[Key], watched: &Watched) -> Asked {
        let numbers: HashMap<Key, u32> =
            keys.iter().enumerate().map(|(at, key)| (*key, at as u32)).collect();
        let mut required: Vec<u32> = one.has.iter().map(|key| numbers[key]).collect();
        required.sort_unstable();
        let test = |facts: &Facts| test(facts, &numbers, watched);
        let some = one.some.iter().map(|(keys, value)| Facts::Fact(Fact::Some(*keys, *value)));
        Asked {
            keys: keys.len() as u32,
            members: Vec::new(),
            required,
            facts: watched.facts.len() as u32,
            min: clipped(one.min),
            max: one.max.map(clipped).filter(|max| *max < COUNT_MAX),
            tests: some.map(|fact| test(&fact)).chain(one.clauses.iter().map(test)).collect(),
            ordered: self.options.order != Order::Any,
        }
    }

    /// The value that `one` asks of a member with `key`.
    fn value_of(&mut self, one: &Conjunction, key: Key) -> Result<Formula, SchemaError> {
        self.base(one, &Class { key: Some(key), inside: Vec::new() })
    }

    /// What every member of `class` must be.
    fn base(&mut self, one: &Conjunction, class: &Class) -> Result<Formula, SchemaError> {
        if class.key.is_some_and(|key| one.lacks.contains(&key)) {
            return Ok(Formula::FALSE);
        }
        let mut parts = Vec::new();
        for group in &one.groups {
            self.group_value(*group, class, &mut parts)?;
        }
        for (keys, value) in &one.each {
            if self.is_in(class, *keys) {
                parts.push(*value);
            }
        }
        Ok(self.formulas.all(parts))
    }

    /// Whether the keys of `class` are in `keys`.
    fn is_in(&self, class: &Class, keys: Keys) -> bool {
        match class.key {
            Some(key) => self.names.contains(keys, key),
            None => class.inside.contains(&keys),
        }
    }

    fn group_value(
        &mut self,
        group: Group,
        class: &Class,
        parts: &mut Vec<Formula>,
    ) -> Result<(), SchemaError> {
        let member = |this: &Self, map| {
            let key = class.key?;
            this.document().member(map, this.names.text(key))
        };
        let node = match group {
            Group::Constant(item) => {
                parts.push(match member(self, item) {
                    Some(value) => self.constant(value),
                    None => Formula::FALSE,
                });
                return Ok(());
            }
            Group::Node(node) => node,
        };
        let keywords = self.keywords(node)?;
        let mut named = false;
        if let Some(value) = keywords.objects.properties.and_then(|map| member(self, map)) {
            named = true;
            parts.push(self.formula(value, node.scope)?);
        }
        if let Some(map) = keywords.objects.patterns {
            for value in self.document().parts(map) {
                let keys = self.member_keys(value)?;
                if self.is_in(class, keys) {
                    named = true;
                    parts.push(self.formula(value, node.scope)?);
                }
            }
        }
        if let Some(rest) = keywords.objects.additional.filter(|_| !named) {
            parts.push(self.formula(rest, node.scope)?);
        }
        Ok(())
    }

    /// The ways in which a member may be in `class`: its value, and the facts it makes true.
    fn ways(
        &mut self,
        one: &Conjunction,
        class: &Class,
        watched: &Watched,
    ) -> Result<Vec<(Formula, Vec<u32>)>, SchemaError> {
        let base = self.base(one, class)?;
        if self.is_empty(base)? {
            return Ok(Vec::new());
        }
        let mut ways = vec![(base, Vec::new())];
        for (number, fact) in watched.facts.iter().enumerate() {
            self.spend(ways.len(), fact.value)?;
            if !self.is_in(class, fact.keys) {
                continue;
            }
            let opposite = self.formulas.not(fact.value);
            let mut next = Vec::with_capacity(ways.len());
            for (base, facts) in ways {
                let is = self.formulas.all([base, fact.value]);
                // Where the fact does no harm, a member need not be told apart from it.
                let not = if fact.avoided { self.formulas.all([base, opposite]) } else { base };
                if !self.is_empty(is)? {
                    let mut facts = facts.clone();
                    facts.push(number as u32);
                    next.push((is, facts));
                }
                if not != is && !self.is_empty(not)? {
                    next.push((not, facts));
                }
            }
            ways = next;
            if ways.len() > WAYS_MAX {
                let message =
                    format!("the schemas of one member combine in more than {WAYS_MAX} ways");
                let place = self.place(fact.value);
                return Err(SchemaError::too_large(self.pointer(place), message));
            }
        }
        Ok(ways)
    }

    fn watch_all(&mut self, facts: &Facts, watched: &mut Watched) -> Result<(), SchemaError> {
        match facts {
            Boolean::Fact(fact) => self.watch(*fact, watched),
            Boolean::All(parts) | Boolean::Any(parts) => {
                parts.iter().try_for_each(|part| self.watch_all(part, watched))
            }
        }
    }

    /// Notes the fact that decides `fact`, if it is about values.
    fn watch(&mut self, fact: Fact, watched: &mut Watched) -> Result<(), SchemaError> {
        let (keys, value, avoided) = match fact {
            Fact::Some(keys, value) => (keys, value, false),
            Fact::Each(keys, value) => (keys, self.formulas.not(value), true),
            _ => return Ok(()),
        };
        let value = self.representative(value)?;
        let known =
            watched.facts.iter().position(|known| (known.keys, known.value) == (keys, value));
        let number = known.unwrap_or(watched.facts.len());
        if known.is_none() {
            watched.facts.push(WatchedFact { keys, value, avoided });
        }
        watched.facts[number].avoided |= avoided;
        watched.numbers.insert(fact, number as u32);
        Ok(())
    }
}

/// Facts about values that are decided at the closing brace.
#[derive(Default)]
struct Watched {
    facts: Vec<WatchedFact>,
    numbers: HashMap<Fact, u32>,
}

/// That some member with one of `keys` has a value of `value`.
struct WatchedFact {
    keys: Keys,
    value: Formula,
    /// Whether the object may depend on its not being so.
    avoided: bool,
}

/// A count from which on no text is short enough to matter.
const COUNT_MAX: u32 = u32::MAX >> 2;

fn clipped(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(COUNT_MAX).min(COUNT_MAX)
}

fn keys_in(facts: &Facts, add: &mut dyn FnMut(Key)) {
    match facts {
        Boolean::Fact(Fact::Has(key) | Fact::Lacks(key)) => add(*key),
        Boolean::Fact(_) => {}
        Boolean::All(parts) | Boolean::Any(parts) => parts.iter().for_each(|p| keys_in(p, add)),
    }
}

fn test(facts: &Facts, numbers: &HashMap<Key, u32>, watched: &Watched) -> Test {
    let all = |parts: &[Facts]| parts.iter().map(|part| test(part, numbers, watched)).collect();
    match facts {
        Boolean::Fact(fact) => match fact {
            Fact::Has(key) => Test::Has(numbers[key]),
            Fact::Lacks(key) => Test::Lacks(numbers[key]),
            Fact::AtLeast(count) => Test::AtLeast(clipped(*count)),
            Fact::AtMost(count) => Test::AtMost(clipped(*count)),
            Fact::Some(..) => Test::Is(watched.numbers[fact]),
            Fact::Each(..) => Test::IsNot(watched.numbers[fact]),
            // Groups are taken apart before they stand in a clause.
            Fact::Members(_) => Test::All(Vec::new()),
        },
        Boolean::All(parts) => Test::All(all(parts)),
        Boolean::Any(parts) => Test::Any(all(parts)),
    }
}
