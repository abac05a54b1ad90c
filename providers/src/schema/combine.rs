//! `allOf`, `oneOf`, `anyOf`, `enum` and `const`, as far as a provider holds them.

use serde_json::{Map, Value, json};

use super::node::{Node, Normaliser, Schema};
use super::{disjoint, intersect, walk};
use crate::facts::{CaseOfEnums, Const};
use crate::pointer;

impl Normaliser<'_> {
    fn holds(&self, keyword: &str) -> bool {
        self.facts.keywords.iter().any(|own| own == keyword)
    }

    /// Joins the branches of `allOf` into the schema, where the provider does not.
    pub(super) fn all_of(&mut self, node: &mut Node<'_>) {
        let Some(Value::Array(branches)) = node.schema.get("allOf").cloned() else { return };
        if self.holds("allOf") {
            return;
        }
        let mut rest = node.schema.clone();
        rest.shift_remove("allOf");
        let mut joined = Some(rest);
        let mut waiting: Vec<Value> = branches.into_iter().rev().collect();
        // Branches may have branches; each is taken apart once.
        while let (Some(so_far), Some(branch)) = (&joined, waiting.pop()) {
            let branch = match branch {
                Value::Bool(true) => continue,
                Value::Object(branch) if branch.contains_key("$ref") => {
                    let recursive = self.is_recursive(&branch);
                    let plain = (!recursive).then(|| self.without_reference(branch, node.at));
                    plain.flatten()
                }
                Value::Object(branch) => Some(branch),
                _ => None,
            };
            joined = branch.and_then(|mut branch| {
                if let Some(Value::Array(more)) = branch.shift_remove("allOf") {
                    waiting.extend(more.into_iter().rev());
                }
                intersect::intersect(so_far, &branch)
            });
        }
        match joined {
            Some(joined) => node.schema = joined,
            None => self.refuse(node, "allOf"),
        }
    }

    /// Says `oneOf` as `anyOf` where that is the same and the provider wants it.
    pub(super) fn one_of(&mut self, node: &mut Node<'_>) {
        let Some(Value::Array(branches)) = node.schema.get("oneOf").cloned() else { return };
        if !disjoint::pairwise(self.document, &branches) {
            return self.refuse(node, "oneOf");
        }
        if self.holds("oneOf") {
            return;
        }
        if node.schema.contains_key("anyOf") {
            return self.refuse(node, "oneOf");
        }
        let renamed = node.schema.iter().map(|(keyword, value)| {
            let keyword = if keyword == "oneOf" { "anyOf" } else { keyword };
            (keyword.to_owned(), value.clone())
        });
        node.schema = renamed.collect();
    }

    /// Moves what stands beside alternatives into them, where the provider would lose it.
    pub(super) fn alternatives(&mut self, node: &mut Node<'_>) {
        for keyword in ["anyOf", "oneOf"] {
            let alone = self.facts.alone.iter().any(|own| own == keyword);
            let Some(Value::Array(branches)) = node.schema.get(keyword).cloned() else { continue };
            let (beside, rest): (Schema, Schema) =
                node.schema.clone().into_iter().partition(|(own, value)| {
                    own != keyword && walk::constrains(own) && !walk::is_vacuous(own, value)
                });
            if !alone || beside.is_empty() {
                continue;
            }
            let mut joined = Vec::new();
            for branch in &branches {
                let Some(branch) = branch.as_object() else { break };
                let own = match branch.contains_key("$ref") && !self.is_recursive(branch) {
                    true => self.without_reference(branch.clone(), node.at),
                    false => (!branch.contains_key("$ref")).then(|| branch.clone()),
                };
                let Some(both) = own.and_then(|own| intersect::intersect(&beside, &own)) else {
                    break;
                };
                joined.push(Value::Object(both));
            }
            if joined.len() < branches.len() {
                let names: Vec<String> = beside.keys().cloned().collect();
                names.iter().for_each(|name| self.refuse(node, name));
                continue;
            }
            node.schema = rest;
            node.schema.insert(keyword.to_owned(), Value::Array(joined));
        }
    }

    /// `enum` and `const`, beside each other and the type.
    pub(super) fn constants(&mut self, node: &mut Node<'_>) {
        self.constant_as_enum(node);
        let scalar = |value: &Value| !value.is_object() && !value.is_array();
        for keyword in ["enum", "const"] {
            let Some(value) = node.schema.get(keyword).cloned() else { continue };
            let values = match (&value, keyword) {
                (Value::Array(values), "enum") => values.clone(),
                (_, "const") => vec![value.clone()],
                _ => continue,
            };
            if self.facts.scalar_enums && !values.iter().all(scalar) {
                self.refuse(node, keyword);
                continue;
            }
            if self.facts.enum_case == CaseOfEnums::Loose && differ_only_in_case(&values) {
                let problem = self.problem("enum_differs_only_in_case").at(node.at);
                self.found.problems.push(problem);
            }
            if self.facts.alone.iter().any(|own| own == keyword) {
                self.beside_values(node, keyword, values);
            }
        }
    }

    /// Leaves out the values that the type excludes; other constraints beside values are lost.
    fn beside_values(&mut self, node: &mut Node<'_>, keyword: &str, values: Vec<Value>) {
        if let Some(types) = walk::types(&node.schema) {
            let fits = |value: &Value| types.iter().any(|name| walk::is_of(value, name));
            let kept: Vec<Value> = values.iter().filter(|value| fits(value)).cloned().collect();
            if kept.is_empty() {
                let problem = self.problem("no_value_left").detail(keyword).at(node.at);
                return self.found.problems.push(problem);
            }
            if keyword == "enum" && kept.len() < values.len() {
                node.schema.insert("enum".into(), Value::Array(kept));
            }
        }
        let beside: Vec<String> = node
            .schema
            .iter()
            .filter(|(own, value)| {
                *own != keyword
                    && *own != "type"
                    && walk::constrains(own)
                    && !walk::is_vacuous(own, value)
            })
            .map(|(own, _)| own.clone())
            .collect();
        beside.iter().for_each(|own| self.refuse(node, own));
    }

    /// A constant as an enum of one, where the provider knows only enums.
    fn constant_as_enum(&mut self, node: &mut Node<'_>) {
        if self.facts.constant != Const::Enum || node.schema.contains_key("enum") {
            return;
        }
        let kind = match node.schema.get("const") {
            Some(Value::String(_)) => "string",
            Some(value @ Value::Number(_)) if walk::is_of(value, "integer") => "integer",
            Some(Value::Number(_)) => "number",
            // The type says it all.
            Some(Value::Null) => {
                node.schema = replaced(&node.schema, &json!({ "type": "null" }));
                return;
            }
            _ => return,
        };
        let constant = node.schema["const"].clone();
        let typed = node.schema.get("type").cloned().unwrap_or(json!(kind));
        node.schema = replaced(&node.schema, &json!({ "type": typed, "enum": [constant] }));
    }

    pub(super) fn refuse(&mut self, node: &mut Node<'_>, keyword: &str) {
        let rule = self.rule_of(keyword);
        self.not_held(node, keyword, rule);
    }

    /// Whether the provider refuses a keyword or drops it in silence.
    pub(super) fn rule_of(&self, keyword: &str) -> &'static str {
        let refused = self.facts.others == crate::facts::OtherKeywords::Unsupported
            || self.facts.unsupported.iter().any(|own| own == keyword);
        if refused { "unsupported_keyword" } else { "ignored_keyword" }
    }

    /// Makes all schemas of `$defs` and `definitions` fit.
    pub(super) fn definitions(&mut self, node: &mut Node<'_>, keyword: &str) {
        let Some(Value::Object(map)) = node.schema.get(keyword).cloned() else { return };
        let place = pointer::join(node.at, keyword);
        let members = map.iter().map(|(name, schema)| {
            (name.clone(), self.schema(schema, &pointer::join(&place, name)))
        });
        let fitted: Map<String, Value> = members.collect();
        node.schema.insert(keyword.to_owned(), Value::Object(fitted));
    }
}

/// The members of `constant` in place of `const` and `type`.
fn replaced(schema: &Schema, constant: &Value) -> Schema {
    let own = constant.as_object().cloned().unwrap_or_default();
    let rest = schema.iter().filter(|(keyword, _)| !["const", "type"].contains(&keyword.as_str()));
    own.into_iter().chain(rest.map(|(keyword, value)| (keyword.clone(), value.clone()))).collect()
}

/// Whether two texts are the same but for the case of their letters.
pub(crate) fn differ_only_in_case(values: &[Value]) -> bool {
    let mut seen = std::collections::BTreeMap::new();
    values
        .iter()
        .filter_map(Value::as_str)
        .any(|text| seen.insert(text.to_lowercase(), text).is_some_and(|before| before != text))
}
