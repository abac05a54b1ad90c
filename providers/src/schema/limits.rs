//! How much a schema holds, counted as providers count it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{object, walk};
use crate::facts::Limits;
use crate::problem::Problem;

/// How deep levels are counted.
const LEVELS_MAX: u64 = 200;

/// How much a schema holds.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    depth: u64,
    properties: u64,
    enum_values: u64,
    characters: u64,
    /// The characters and the values of the enum of texts that has most characters.
    largest_enum: (u64, u64),
    pub(crate) optional: u64,
    pub(crate) unions: u64,
}

impl Counts {
    /// Counts; each definition once.
    pub(super) fn of(schema: &Value) -> Self {
        let mut counts = Self { depth: levels(schema), ..Self::default() };
        let mut waiting = vec![(String::new(), schema)];
        while let Some((at, part)) = waiting.pop() {
            counts.add(part);
            let definitions = walk::definitions(part, &at);
            counts.characters += definitions.iter().map(|(at, _)| last(at)).sum::<u64>();
            waiting.extend(definitions);
            waiting.extend(walk::children(part, &at));
        }
        counts
    }

    fn add(&mut self, schema: &Value) {
        let Some(members) = schema.as_object() else { return };
        let names = object::names(members);
        let required = object::required(members);
        self.properties += count(names.len());
        self.optional += count(names.iter().filter(|name| !required.contains(name)).count());
        self.characters += names.iter().map(|name| count(name.chars().count())).sum::<u64>();
        let several = members.get("type").is_some_and(Value::is_array);
        self.unions += u64::from(several || members.contains_key("anyOf"));
        if let Some(Value::Array(values)) = members.get("enum") {
            let texts: u64 = values.iter().map(length).sum();
            self.enum_values += count(values.len());
            self.characters += texts;
            if values.iter().all(|value| value.is_string() || value.is_null()) {
                self.largest_enum = self.largest_enum.max((texts, count(values.len())));
            }
        }
        self.characters += members.get("const").map_or(0, length);
    }

    /// Another schema of the same request.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            optional: self.optional + other.optional,
            unions: self.unions + other.unions,
            ..self
        }
    }
}

/// The limits that are exceeded.
pub(super) fn check(counts: &Counts, limits: &Limits, family: &str, problems: &mut Vec<Problem>) {
    let mut over = |rule: &str, count: u64, max: Option<u64>| {
        if let Some(max) = max.filter(|max| count > *max) {
            let detail = format!("{count} exceeds {max}");
            problems.push(Problem::new(family, rule).detail(detail));
        }
    };
    over("depth", counts.depth, limits.depth);
    over("properties", counts.properties, limits.properties);
    over("enum_values", counts.enum_values, limits.enum_values);
    over("characters", counts.characters, limits.characters);
    let (characters, values) = counts.largest_enum;
    if values > limits.enum_characters_above {
        over("enum_characters", characters, limits.enum_characters);
    }
}

/// The limits that hold for all schemas of a request together.
pub(crate) fn check_together(counts: &Counts, limits: &Limits, family: &str) -> Vec<Problem> {
    let parameters = [
        ("optional_parameters", counts.optional, limits.optional_parameters),
        ("union_parameters", counts.unions, limits.union_parameters),
    ];
    let mut problems = Vec::new();
    for (rule, count, max) in parameters {
        if let Some(max) = max.filter(|max| count > *max) {
            let detail = format!("{count} exceeds {max}");
            problems.push(Problem::new(family, rule).detail(detail));
        }
    }
    problems
}

/// The levels of objects and arrays; what refers to itself counts once.
fn levels(root: &Value) -> u64 {
    let mut known = BTreeMap::new();
    below(root, root, &mut known, 0)
}

/// `None` in `known` is a target that is being counted.
fn below(
    root: &Value,
    schema: &Value,
    known: &mut BTreeMap<String, Option<u64>>,
    depth: u64,
) -> u64 {
    let Some(members) = schema.as_object() else { return 0 };
    if depth > LEVELS_MAX {
        return 0;
    }
    let mut deepest = 0;
    if let Some(text) = members.get("$ref").and_then(Value::as_str) {
        deepest = match known.get(text) {
            Some(levels) => levels.unwrap_or(0),
            None => {
                known.insert(text.to_owned(), None);
                let target = super::refs::resolve(root, text).unwrap_or(&Value::Null);
                let levels = below(root, target, known, depth + 1);
                known.insert(text.to_owned(), Some(levels));
                levels
            }
        };
    }
    let types = walk::types(members).unwrap_or_default();
    let own = types.contains(&"object")
        || types.contains(&"array")
        || members.contains_key("properties")
        || members.contains_key("items");
    for (at, child) in walk::children(schema, "") {
        let combined = ["/anyOf", "/oneOf", "/allOf", "/not"];
        let combined = combined.iter().any(|keyword| at.starts_with(keyword));
        let levels = below(root, child, known, depth + 1) + u64::from(own && !combined);
        deepest = deepest.max(levels);
    }
    deepest.max(u64::from(own))
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// The characters of a text, or of how another value is spelled.
fn length(value: &Value) -> u64 {
    match value {
        Value::String(text) => count(text.chars().count()),
        Value::Null => 0,
        other => count(other.to_string().len()),
    }
}

/// The characters of the last step of a pointer.
fn last(pointer: &str) -> u64 {
    count(pointer.rsplit('/').next().unwrap_or_default().chars().count())
}
