//! One keyword of a schema: held, refused, or silent.

use serde_json::Value;

use super::node::{Node, Normaliser};
use super::{pattern, walk};
use crate::facts::OtherKeywords;

impl Normaliser<'_> {
    /// Keeps a keyword that is held, and makes what is below it fit.
    pub(super) fn keyword(&mut self, node: &mut Node<'_>, keyword: &str) {
        let Some(value) = node.schema.get(keyword).cloned() else { return };
        if walk::DEFINITIONS.contains(&keyword) {
            return self.definitions(node, keyword);
        }
        if !walk::constrains(keyword) {
            let refused = self.facts.annotations_refused.iter().any(|own| own == keyword);
            if refused {
                self.not_held(node, keyword, "unsupported_keyword");
            } else if keyword == "$anchor" && !self.knows(node, keyword) {
                // Nothing refers to it by its name any more.
                node.schema.shift_remove(keyword);
            } else if keyword == "default" && value.is_null() {
                node.schema.shift_remove(keyword);
            }
            return;
        }
        // What closed objects may have besides is decided with the object.
        if keyword == "additionalProperties" && self.closes() {
            return;
        }
        if !self.knows(node, keyword) {
            return match walk::is_vacuous(keyword, &value) {
                true if self.facts.others == OtherKeywords::Ignored => {}
                true => drop(node.schema.shift_remove(keyword)),
                false => self.refuse(node, keyword),
            };
        }
        if self.is_lost(node, keyword) {
            return self.not_held(node, keyword, "ignored_keyword");
        }
        if !self.holds_value(node, keyword, &value) {
            return;
        }
        self.inner_of(node, keyword);
    }

    /// Whether the provider holds a keyword of this name here.
    fn knows(&self, node: &Node<'_>, keyword: &str) -> bool {
        let has = |list: &[String]| list.iter().any(|own| own == keyword);
        let only = |names: &[&str]| {
            walk::types(&node.schema).is_some_and(|types| {
                types.iter().all(|name| names.contains(name) || *name == "null")
            })
        };
        has(&self.facts.keywords)
            || (has(&self.facts.integer_keywords) && only(&["integer"]))
            || (has(&self.facts.number_keywords) && only(&["integer", "number"]))
    }

    /// Whether another keyword takes this one's force.
    fn is_lost(&self, node: &Node<'_>, keyword: &str) -> bool {
        let takers = self.facts.loses_beside.get(keyword).into_iter().flatten();
        let mut takers = takers.filter(|taker| node.schema.contains_key(*taker));
        takers.next().is_some()
    }

    /// Whether the provider holds the keyword with this value; if not, it is dealt with.
    fn holds_value(&mut self, node: &mut Node<'_>, keyword: &str, value: &Value) -> bool {
        let held = match keyword {
            "format" => {
                let name = value.as_str().unwrap_or_default();
                self.facts.formats.is_empty() || self.facts.formats.iter().any(|own| own == name)
            }
            "minItems" => match self.facts.min_items_max {
                Some(max) => value.as_u64().is_some_and(|least| least <= max),
                None => true,
            },
            // An array of schemas is a tuple, in the spelling of older drafts.
            "items" => !value.is_array() || self.facts.keywords.iter().any(|k| k == "prefixItems"),
            "pattern" => {
                let text = value.as_str().unwrap_or_default();
                if !pattern::is_held(text, self.facts.pattern) {
                    match self.facts.pattern {
                        crate::facts::Patterns::Anchored => self.pattern_not_enforced(node),
                        _ => self.not_held(node, "pattern", "unsupported_keyword"),
                    }
                    return false;
                }
                true
            }
            _ => true,
        };
        if !held {
            self.refuse(node, keyword);
        }
        held
    }

    /// A pattern that the server reads as something else.
    fn pattern_not_enforced(&mut self, node: &mut Node<'_>) {
        if self.options.on_unsupported == crate::intent::OnUnsupported::Error {
            let problem = self.problem("pattern_not_enforced").at(node.at);
            self.found.problems.push(problem);
        } else {
            self.not_held(node, "pattern", "pattern_not_enforced");
        }
    }

    fn inner_of(&mut self, node: &mut Node<'_>, keyword: &str) {
        let schemas = [
            "anyOf",
            "oneOf",
            "allOf",
            "prefixItems",
            "items",
            "additionalProperties",
            "propertyNames",
            "contains",
            "not",
            "if",
            "then",
            "else",
            "unevaluatedItems",
            "unevaluatedProperties",
            "additionalItems",
            "properties",
            "patternProperties",
            "dependentSchemas",
        ];
        // `additionalProperties: false` and its like are no schemas to the providers.
        let plain = node.schema.get(keyword).is_some_and(Value::is_boolean);
        if schemas.contains(&keyword) && !(plain && is_switch(keyword)) {
            self.inner(node, keyword);
        }
    }
}

/// Keywords that providers take as a flag.
fn is_switch(keyword: &str) -> bool {
    ["additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems"]
        .contains(&keyword)
}
