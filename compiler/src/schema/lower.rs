//! Lowers the schemas that are reached to rules, each once for each set of types it is asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::SchemaError;
use super::evaluate::Evaluator;
use super::options::SchemaOptions;
use super::read::{self, Form, Keywords, Reader, Types};
use super::reference::{child, resolve, value_at};
use crate::chars::json::JsonCharacters;
use crate::ir::{GrammarError, Ir, Kind, Rule, RuleId};

/// What a rule is the language of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Key {
    Gap,
    Number,
    Integer,
    String,
    Value,
    Array,
    Object,
    /// The values of some types that are valid for the schema at a pointer.
    Target(String, Types),
}

/// Schemas on their way to rules.
pub(super) struct Lowering<'a> {
    pub(super) root: &'a Value,
    pub(super) reader: Reader,
    pub(super) characters: JsonCharacters,
    pub(super) evaluator: Evaluator<'a>,
    /// The pointers that references lead to; these schemas are rules.
    targets: &'a BTreeSet<String>,
    /// The rules without any text, where that is known.
    dead: &'a BTreeSet<Key>,
    keys: Vec<Key>,
    index: BTreeMap<Key, RuleId>,
    /// The first place seen where nothing is valid.
    note: Option<SchemaError>,
}

/// The JSON texts that are valid for `root`.
pub(super) fn lower(root: &Value, options: &SchemaOptions) -> Result<Ir, SchemaError> {
    let reader = Reader { draft: read::draft(root)?, options: *options };
    let targets = targets(root, reader)?;
    let mut dead = BTreeSet::new();
    loop {
        let mut lowering = Lowering {
            root,
            reader,
            characters: JsonCharacters::default(),
            evaluator: Evaluator::new(root, reader),
            targets: &targets,
            dead: &dead,
            keys: Vec::new(),
            index: BTreeMap::new(),
            note: None,
        };
        let bodies = lowering.bodies()?;
        if let [only] = bodies.as_slice()
            && only.facts().is_some()
        {
            return lowering.satisfiable(only.clone());
        }
        let grammar = lowering.grammar(bodies)?;
        let found = lowering.unproductive(&grammar);
        // Calls of rules without any text are taken out; that gives no others, so once is enough.
        if found.is_empty() || !dead.is_empty() {
            return lowering.satisfiable(grammar);
        }
        dead = found;
    }
}

impl<'a> Lowering<'a> {
    /// The bodies of all rules that are reached from the root, which is rule 0.
    fn bodies(&mut self) -> Result<Vec<Ir>, SchemaError> {
        self.rule(Key::Target(String::new(), Types::ALL));
        let mut bodies = Vec::new();
        while let Some(key) = self.keys.get(bodies.len()).cloned() {
            let root = self.root;
            bodies.push(match &key {
                Key::Target(pointer, types) => match value_at(root, pointer) {
                    Some(source) => self.body(source, pointer, *types)?,
                    None => Ir::never(),
                },
                shared => self.shared(shared),
            });
        }
        Ok(bodies)
    }

    fn rule(&mut self, key: Key) -> RuleId {
        if let Some(rule) = self.index.get(&key) {
            return *rule;
        }
        let rule = RuleId(self.keys.len() as u32);
        self.keys.push(key.clone());
        self.index.insert(key, rule);
        rule
    }

    /// A call of the rule for `key`.
    pub(super) fn call(&mut self, key: Key) -> Ir {
        if self.dead.contains(&key) {
            return Ir::never();
        }
        Ir::call(self.rule(key))
    }

    /// The values of `types` that are valid for `source`, which stands at `pointer`.
    pub(super) fn schema(
        &mut self,
        source: &'a Value,
        pointer: &str,
        types: Types,
    ) -> Result<Ir, SchemaError> {
        if self.targets.contains(pointer) {
            return Ok(self.call(Key::Target(pointer.to_owned(), types)));
        }
        self.body(source, pointer, types)
    }

    fn body(&mut self, source: &'a Value, pointer: &str, types: Types) -> Result<Ir, SchemaError> {
        let keywords = match self.reader.read(source, pointer)? {
            Form::Always => return Ok(self.any(types)),
            Form::Never => return Ok(Ir::never()),
            Form::Keywords(keywords) => keywords,
        };
        if keywords.constant.is_some() || keywords.enumeration.is_some() {
            return self.listed(&keywords, source, pointer, types);
        }
        let types = types.and(keywords.types);
        if let Some(reference) = keywords.reference {
            let place = child(pointer, "$ref");
            if let Some((sibling, _)) = keywords.limits.first() {
                let message = format!("`{sibling}` beside `$ref` is not supported");
                return Err(SchemaError::unsupported(child(pointer, sibling), message));
            }
            let target = resolve(self.root, reference, &place)?;
            return Ok(self.call(Key::Target(target, types)));
        }
        if let Some(arms) = keywords.any_of {
            let others = keywords
                .limits
                .iter()
                .find(|(name, limited)| *name != "anyOf" && limited.meets(types));
            if let Some((sibling, _)) = others {
                let message = format!("`{sibling}` beside `anyOf` is not supported");
                return Err(SchemaError::unsupported(child(pointer, sibling), message));
            }
            let place = child(pointer, "anyOf");
            let arms = arms
                .iter()
                .enumerate()
                .map(|(at, arm)| self.schema(arm, &child(&place, &at.to_string()), types));
            let arms: Vec<Ir> = arms.collect::<Result<_, _>>()?;
            return Ok(Ir::choice(arms));
        }
        self.by_type(&keywords, pointer, types)
    }

    fn by_type(
        &mut self,
        keywords: &Keywords<'a>,
        pointer: &str,
        types: Types,
    ) -> Result<Ir, SchemaError> {
        if !keywords.limits(types) {
            return Ok(self.any(types));
        }
        let mut arms = self.scalars(types);
        if types.holds(Types::STRING) {
            arms.push(self.string(keywords, pointer)?);
        }
        if types.holds(Types::ARRAY) {
            arms.push(self.array(keywords, pointer)?);
        }
        if types.holds(Types::OBJECT) {
            arms.push(self.object(keywords, pointer)?);
        }
        Ok(Ir::choice(arms))
    }

    /// Notes a place where nothing is valid, to be told if nothing at all is.
    pub(super) fn note(&mut self, pointer: &str, message: &str) {
        if self.note.is_none() {
            self.note = Some(SchemaError::unsatisfiable(pointer, message));
        }
    }

    fn satisfiable(self, ir: Ir) -> Result<Ir, SchemaError> {
        if !ir.is_never() {
            return Ok(ir);
        }
        Err(self.note.unwrap_or_else(|| {
            SchemaError::unsatisfiable("", "no JSON text of finite length is valid")
        }))
    }

    fn grammar(&self, bodies: Vec<Ir>) -> Result<Ir, SchemaError> {
        let names = self.names();
        let rules = names.iter().zip(bodies);
        let rules = rules.map(|(name, body)| Rule { name: name.clone(), body }).collect();
        Ir::grammar(rules, RuleId(0)).map_err(|error| {
            let pointer = match &error {
                GrammarError::LeftRecursive { cycle } => {
                    let at = names.iter().position(|name| Some(name) == cycle.first());
                    at.and_then(|at| match &self.keys[at] {
                        Key::Target(pointer, _) => Some(pointer.clone()),
                        _ => None,
                    })
                }
                _ => None,
            };
            let message = "the schema refers to itself without anything between";
            SchemaError::invalid(pointer.unwrap_or_default(), message)
        })
    }

    /// The rules of `grammar` without any text.
    fn unproductive(&self, grammar: &Ir) -> BTreeSet<Key> {
        let Kind::Grammar(grammar) = grammar.kind() else { return BTreeSet::new() };
        let dead = |at: &usize| !grammar.rule_facts(RuleId(*at as u32)).productive;
        (0..self.keys.len()).filter(dead).map(|at| self.keys[at].clone()).collect()
    }

    /// A name for each rule, all different: the last part of its pointer, if there is one.
    fn names(&self) -> Vec<String> {
        let mut used = BTreeSet::new();
        let mut names = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let wanted = match key {
                Key::Gap => "gap".into(),
                Key::Number => "number".into(),
                Key::Integer => "integer".into(),
                Key::String => "string".into(),
                Key::Value => "value".into(),
                Key::Array => "array".into(),
                Key::Object => "object".into(),
                Key::Target(pointer, _) => rule_name(pointer),
            };
            let mut name = wanted.clone();
            let mut number = 1;
            while !used.insert(name.clone()) {
                number += 1;
                name = format!("{wanted}-{number}");
            }
            names.push(name);
        }
        names
    }
}

fn rule_name(pointer: &str) -> String {
    let last = pointer.rsplit('/').next().unwrap_or_default();
    if last.is_empty() {
        return "root".into();
    }
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = last.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// The pointers that the references of all schemas reached from the root lead to.
fn targets(root: &Value, reader: Reader) -> Result<BTreeSet<String>, SchemaError> {
    let mut targets = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut queue = vec![(root, String::new())];
    while let Some((source, pointer)) = queue.pop() {
        let keywords = match reader.read(source, &pointer)? {
            Form::Keywords(keywords) if seen.insert(pointer.clone()) => keywords,
            _ => continue,
        };
        if let Some(reference) = keywords.reference {
            let target = resolve(root, reference, &child(&pointer, "$ref"))?;
            if let Some(value) = value_at(root, &target) {
                queue.push((value, target.clone()));
            }
            targets.insert(target);
        }
        let place = child(&pointer, "anyOf");
        for (at, arm) in keywords.any_of.into_iter().flatten().enumerate() {
            queue.push((arm, child(&place, &at.to_string())));
        }
        if keywords.types.meets(Types::ARRAY)
            && let Some(items) = keywords.items
        {
            queue.push((items, child(&pointer, "items")));
        }
        if keywords.types.meets(Types::OBJECT) {
            let place = child(&pointer, "properties");
            for (name, property) in keywords.properties.into_iter().flatten() {
                queue.push((property, child(&place, name)));
            }
            if let Some(additional) = keywords.additional {
                queue.push((additional, child(&pointer, "additionalProperties")));
            }
        }
    }
    Ok(targets)
}
