//! The schema as a document: its size, its anchors, where its references lead.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{DEPTH_MAX, NODES_MAX, refs, walk};
use crate::facts::{Recursion, SchemaFacts};
use crate::problem::Problem;

/// The problem of a value that nests too deep or is too large to be followed.
pub(crate) fn too_much(schema: &Value) -> Option<Problem> {
    let mut waiting = vec![(schema, 0)];
    let mut count = 0;
    while let Some((value, depth)) = waiting.pop() {
        count += 1;
        if depth > DEPTH_MAX {
            let detail = format!("nests deeper than {DEPTH_MAX}");
            return Some(Problem::new("schema", "too_deep").detail(detail));
        }
        if count > 10 * NODES_MAX {
            let detail = format!("has more than {} values", 10 * NODES_MAX);
            return Some(Problem::new("schema", "too_large").detail(detail));
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                waiting.extend(members.values().map(|member| (member, depth + 1)));
            }
            _ => {}
        }
    }
    None
}

/// The schema with references to anchors and to its own `$id` written as pointers.
pub(crate) fn with_pointers(schema: &Value, problems: &mut Vec<Problem>) -> Value {
    let own = schema.get("$id").or_else(|| schema.get("id")).and_then(Value::as_str);
    let own = own.map(|id| id.trim_end_matches('#').to_owned());
    let mut anchors = BTreeMap::new();
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), schema)];
    while let Some((at, schema)) = waiting.pop() {
        if let Some(name) = schema.get("$anchor").and_then(Value::as_str) {
            anchors.insert(format!("#{name}"), format!("#{at}"));
        }
        let nested = !at.is_empty() && schema.get("$id").is_some_and(Value::is_string);
        if nested {
            problems.push(Problem::new("schema", "nested_id").at(&at));
        }
        if let Some(text) = schema.get("$ref").and_then(Value::as_str) {
            found.push((at.clone(), text.to_owned()));
        }
        waiting.extend(walk::children(schema, &at));
        waiting.extend(walk::definitions(schema, &at));
    }
    let mut changed = schema.clone();
    for (at, text) in found {
        let local = own.as_ref().and_then(|own| text.strip_prefix(own.as_str()));
        let local = local.filter(|rest| rest.is_empty() || rest.starts_with('#'));
        let text =
            local.map_or(text.clone(), |rest| if rest.is_empty() { "#" } else { rest }.into());
        let text = anchors.get(&text).cloned().unwrap_or(text);
        set_reference(&mut changed, &at, text);
    }
    changed
}

fn set_reference(schema: &mut Value, at: &str, text: String) {
    if let Some(Value::Object(members)) = schema.pointer_mut(at) {
        members.insert("$ref".into(), Value::String(text));
    }
}

/// The problems of a schema that contains itself where the provider does not follow.
pub(crate) fn recursion(
    references: &refs::References,
    facts: &SchemaFacts,
    family: &str,
    problems: &mut Vec<Problem>,
) {
    let mut found: Vec<Problem> = Vec::new();
    for reference in references.cyclic() {
        let rule = match facts.recursion {
            Recursion::Any => continue,
            Recursion::Optional if reference.optional => continue,
            Recursion::Optional => "cyclic_ref_in_required_property",
            Recursion::None => "recursive_schema",
        };
        let problem = Problem::new(family, rule).at(&reference.owner);
        if !found.contains(&problem) {
            found.push(problem);
        }
    }
    problems.extend(found);
}

/// The schema with every target of a reference as the root or a definition.
pub(crate) fn with_definitions(mut root: Value) -> Value {
    let references = refs::References::of(&root, &mut Vec::new());
    let mut moved: BTreeMap<String, String> = BTreeMap::new();
    for reference in references.all() {
        let steps = reference.target.split('/').count() - 1;
        let defined = steps == 2
            && walk::DEFINITIONS.iter().any(|keyword| {
                reference.target.strip_prefix('/').is_some_and(|rest| rest.starts_with(keyword))
            });
        if !reference.target.is_empty() && !defined {
            let name = format!("part{}", moved.len() + 1);
            moved.entry(reference.target.clone()).or_insert(name);
        }
    }
    if moved.is_empty() {
        return root;
    }
    let taken = root.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    for name in moved.values_mut() {
        while taken.contains_key(name) {
            name.push('_');
        }
    }
    let ats: Vec<(String, String)> =
        references.all().iter().map(|own| (own.at.clone(), own.target.clone())).collect();
    for (at, target) in ats {
        if let Some(name) = moved.get(&target) {
            set_reference(&mut root, &at, format!("#/$defs/{name}"));
        }
    }
    let copies: Map<String, Value> = moved
        .iter()
        .filter_map(|(target, name)| Some((name.clone(), root.pointer(target)?.clone())))
        .collect();
    if let Value::Object(members) = &mut root {
        let definitions = members.entry("$defs").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(definitions) = definitions {
            definitions.extend(copies);
        }
    }
    root
}
