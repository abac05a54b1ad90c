//! Objects: closed, with all their properties required, in a written order, as a provider wants it.

use serde_json::{Value, json};

use super::node::{Node, Normaliser, Schema};
use super::restore::MADE_NULLABLE;
use super::walk;
use crate::facts::{Objects, PropertyOrdering, Required};
use crate::intent::{OnUnsupported, Optional, PropertyOrder};
use crate::pointer;
use crate::problem::Warning;

impl Normaliser<'_> {
    pub(super) fn closes(&self) -> bool {
        self.facts.objects == Objects::Closed
    }

    /// Makes a schema of objects fit.
    pub(super) fn object(&mut self, node: &mut Node<'_>) {
        let typed = walk::types(&node.schema).is_some_and(|types| types.contains(&"object"));
        let untyped = !node.schema.contains_key("type") && node.schema.contains_key("properties");
        if !typed && !untyped {
            return;
        }
        if self.closes() {
            self.close(node);
        }
        if self.facts.required == Required::All {
            self.require_all(node);
        }
        let explicit = self.options.property_order == PropertyOrder::Explicit;
        let ordered = match self.facts.property_ordering {
            PropertyOrdering::Never => false,
            PropertyOrdering::OnRequest => explicit,
            PropertyOrdering::Always => true,
        };
        let names = names(&node.schema);
        if ordered && names.len() > 1 && !node.schema.contains_key("propertyOrdering") {
            node.schema.insert("propertyOrdering".into(), json!(names));
        }
    }

    fn close(&mut self, node: &mut Node<'_>) {
        match node.schema.get("additionalProperties") {
            Some(Value::Bool(false)) => return self.declared(node),
            None => {
                let said = node.schema.contains_key("properties") || node.refused;
                if !said {
                    let pointer = if node.at.is_empty() { "/" } else { node.at };
                    let warning = format!("open_object_closed:{pointer}");
                    self.found.warnings.push(Warning::Fact(warning));
                }
            }
            Some(_) if self.options.on_unsupported == OnUnsupported::Error => {
                let problem = self.problem("additional_properties_must_be_false").at(node.at);
                self.found.problems.push(problem);
                return;
            }
            Some(_) => self.not_held(node, "additionalProperties", "unsupported_keyword"),
        }
        node.schema.insert("additionalProperties".into(), Value::Bool(false));
        self.declared(node);
    }

    /// What is required must be declared where nothing else is allowed.
    fn declared(&mut self, node: &Node<'_>) {
        let declared = names(&node.schema);
        for name in required(&node.schema) {
            if !declared.contains(&name) && !node.refused {
                let problem = self.problem("required_undeclared").detail(name).at(node.at);
                self.found.problems.push(problem);
            }
        }
    }

    /// Requires all properties; those that were optional may be null.
    fn require_all(&mut self, node: &mut Node<'_>) {
        let required = required(&node.schema);
        let declared = names(&node.schema);
        let place = pointer::join(node.at, "properties");
        for name in declared.iter().filter(|name| !required.contains(name)) {
            let pointer = pointer::join(&place, name);
            if self.options.optional == Optional::Error {
                self.found.problems.push(self.problem("optional_property").at(&pointer));
                continue;
            }
            let property = node.schema.get_mut("properties").and_then(|all| all.get_mut(name));
            let Some(property) = property else { continue };
            if admits_null(property) {
                continue;
            }
            *property = nullable(property);
            if let Value::Object(members) = property {
                members.insert(MADE_NULLABLE.into(), Value::Bool(true));
            }
            self.found.warnings.push(Warning::OptionalMadeNullable { pointer });
        }
        // Older drafts take no empty list.
        if !declared.is_empty() || node.schema.contains_key("required") {
            let undeclared = required.into_iter().filter(|name| !declared.contains(name));
            let all: Vec<String> = declared.iter().cloned().chain(undeclared).collect();
            set_after(&mut node.schema, "properties", "required", json!(all));
        }
    }
}

/// Sets a member; a new one stands right after `before`.
fn set_after(schema: &mut Schema, before: &str, name: &str, value: Value) {
    if schema.contains_key(name) {
        schema.insert(name.to_owned(), value);
        return;
    }
    let mut changed = Schema::new();
    for (keyword, own) in std::mem::take(schema) {
        let here = keyword == before;
        changed.insert(keyword, own);
        if here {
            changed.insert(name.to_owned(), value.clone());
        }
    }
    *schema = changed;
}

pub(super) fn names(schema: &Schema) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|all| all.keys().cloned().collect()).unwrap_or_default()
}

pub(super) fn required(schema: &Schema) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Whether null is plainly valid already.
pub(super) fn admits_null(schema: &Value) -> bool {
    let Some(members) = schema.as_object() else { return schema == &Value::Bool(true) };
    let is_null = |value: &Value| value.is_null();
    let typed = walk::types(members).map(|types| types.contains(&"null"));
    let listed = members.get("enum").and_then(Value::as_array);
    let listed = listed.map(|values| values.iter().any(is_null));
    let constant = members.get("const").map(is_null);
    let any = members.get("anyOf").and_then(Value::as_array);
    let any = any.map(|branches| branches.iter().any(admits_null));
    let said = [typed, listed, constant, any];
    said.iter().any(Option::is_some) && said.iter().all(|own| own.unwrap_or(true))
}

/// A schema for null and what `schema` allows.
fn nullable(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else { return schema.clone() };
    let mut members = members.clone();
    let joined = ["anyOf", "oneOf", "allOf", "not", "const", "$ref"];
    let joined = joined.iter().any(|keyword| members.contains_key(*keyword));
    match members.get("type").cloned() {
        Some(Value::String(name)) if !joined => {
            members.insert("type".into(), json!([name, "null"]));
        }
        Some(Value::Array(names)) if !joined => {
            let null = (!names.contains(&json!("null"))).then(|| json!("null"));
            let names: Vec<Value> = names.into_iter().chain(null).collect();
            members.insert("type".into(), Value::Array(names));
        }
        None if !joined && members.contains_key("enum") => {}
        _ => return either(members),
    }
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(members)
}

/// The schema or null, its annotations around both.
fn either(members: Schema) -> Value {
    let alternatives = members.len() == 1 && members.contains_key("anyOf");
    if let (true, Some(Value::Array(branches))) = (alternatives, members.get("anyOf")) {
        let branches: Vec<Value> =
            branches.iter().cloned().chain([json!({ "type": "null" })]).collect();
        return json!({ "anyOf": branches });
    }
    let (annotations, own): (Schema, Schema) = members
        .into_iter()
        .partition(|(keyword, _)| keyword == "description" || keyword == "title");
    let mut whole = annotations;
    whole.insert("anyOf".into(), json!([own, { "type": "null" }]));
    Value::Object(whole)
}
