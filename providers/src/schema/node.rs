//! Makes one schema inside a schema fit, and those inside it.

use serde_json::{Map, Value};

use super::{DEPTH_MAX, NODES_MAX, Options, intersect, refs, walk};
use crate::facts::{RefSiblings, Root, SchemaFacts};
use crate::intent::OnUnsupported;
use crate::pointer;
use crate::problem::{Problem, Warning};

/// How often one schema may be an alias of another.
const ALIASES_MAX: usize = 64;

pub(super) type Schema = Map<String, Value>;

/// What came up on the way.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) problems: Vec<Problem>,
    pub(super) warnings: Vec<Warning>,
}

/// Makes the schemas of a document fit.
pub(super) struct Normaliser<'a> {
    pub(super) document: &'a Value,
    references: &'a refs::References,
    pub(super) facts: &'a SchemaFacts,
    pub(super) options: Options<'a>,
    pub(super) found: Found,
    depth: usize,
    nodes: usize,
}

/// A schema on its way, and what of it becomes prose.
pub(super) struct Node<'a> {
    pub(super) at: &'a str,
    pub(super) schema: Schema,
    pub(super) described: Vec<(String, Value)>,
    /// A keyword was refused, so what the schema lacks without it is no news.
    pub(super) refused: bool,
}

impl<'a> Normaliser<'a> {
    pub(super) fn new(
        document: &'a Value,
        references: &'a refs::References,
        facts: &'a SchemaFacts,
        options: Options<'a>,
    ) -> Self {
        let found = Found::default();
        Self { document, references, facts, options, found, depth: 0, nodes: 0 }
    }

    pub(super) fn found(self) -> Found {
        self.found
    }

    /// The whole document.
    pub(super) fn root(&mut self) -> Value {
        let mut document = self.document.clone();
        // A root that is an alias takes its target's place, where a root must be something.
        if let (Value::Object(members), true) = (&document, self.facts.root != Root::Any)
            && members.contains_key("$ref")
            && let Some(inlined) = self.without_reference(members.clone(), "")
        {
            document = Value::Object(inlined);
        }
        self.schema(&document, "")
    }

    /// Makes a schema fit.
    pub(super) fn schema(&mut self, schema: &Value, at: &str) -> Value {
        self.nodes += 1;
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(_) if self.facts.boolean_schemas => return schema.clone(),
            Value::Bool(_) => return self.fail(self.problem("boolean_schema").at(at), schema),
            _ => return self.fail(Problem::new("schema", "malformed").at(at), schema),
        };
        if self.depth >= DEPTH_MAX || self.nodes > NODES_MAX {
            let (rule, over) = match self.depth >= DEPTH_MAX {
                true => ("too_deep", format!("nests deeper than {DEPTH_MAX}")),
                false => ("too_large", format!("has more than {NODES_MAX} parts")),
            };
            if self.found.problems.iter().any(|problem| problem.rule == rule) {
                return schema.clone();
            }
            return self.fail(Problem::new("schema", rule).detail(over), schema);
        }
        self.depth += 1;
        let fitted = self.members(members.clone(), at);
        self.depth -= 1;
        Value::Object(fitted)
    }

    fn members(&mut self, schema: Schema, at: &str) -> Schema {
        let schema = self.reference(schema, at);
        let mut node = Node { at, schema, described: Vec::new(), refused: false };
        self.all_of(&mut node);
        self.one_of(&mut node);
        self.alternatives(&mut node);
        self.constants(&mut node);
        let keywords: Vec<String> = node.schema.keys().cloned().collect();
        for keyword in &keywords {
            self.keyword(&mut node, keyword);
        }
        self.object(&mut node);
        self.lacks(&mut node);
        describe(&mut node.schema, &node.described);
        node.schema
    }

    /// What a schema must say and does not.
    fn lacks(&mut self, node: &mut Node<'_>) {
        let says = ["type", "enum", "const", "anyOf", "$ref"];
        let silent = !says.iter().any(|keyword| node.schema.contains_key(*keyword));
        if self.facts.needs_type && silent && !node.refused {
            self.found.problems.push(self.problem("type_missing").at(node.at));
        }
        let array = walk::types(&node.schema).is_some_and(|types| types.contains(&"array"));
        if self.facts.array_needs_items && array && !node.schema.contains_key("items") {
            self.found.problems.push(self.problem("items_missing").at(node.at));
        }
    }

    /// What stands beside `$ref`, where the provider loses it.
    fn reference(&mut self, schema: Schema, at: &str) -> Schema {
        if !schema.contains_key("$ref") {
            return schema;
        }
        let beside = |keyword: &&String| {
            *keyword != "$ref" && !walk::is_structure(keyword) && !keyword.starts_with('$')
        };
        let inlines = match self.facts.ref_siblings {
            RefSiblings::Keep => false,
            RefSiblings::Inline => schema.keys().any(|keyword| beside(&keyword)),
            RefSiblings::InlineConstraints => {
                schema.keys().any(|keyword| beside(&keyword) && walk::constrains(keyword))
            }
        };
        if !inlines {
            return schema;
        }
        match self.without_reference(schema.clone(), at) {
            Some(inlined) => inlined,
            None => {
                self.found.problems.push(self.problem("ref_with_siblings").at(at));
                schema
            }
        }
    }

    /// The schema with the target of its reference joined in; `None` if they cannot be joined.
    pub(super) fn without_reference(&mut self, mut schema: Schema, at: &str) -> Option<Schema> {
        for _ in 0..ALIASES_MAX {
            let Some(Value::String(text)) = schema.shift_remove("$ref") else {
                return Some(schema);
            };
            let mut target = match refs::resolve(self.document, &text)? {
                Value::Object(target) => target.clone(),
                Value::Bool(true) => Schema::new(),
                _ => return None,
            };
            // The document keeps its definitions in one place; here they would be a second.
            if !at.is_empty() || text == "#" {
                walk::DEFINITIONS.iter().for_each(|keyword| drop(target.shift_remove(*keyword)));
            }
            target.shift_remove("$anchor");
            let constrained = schema.keys().any(|keyword| walk::constrains(keyword));
            schema = match constrained {
                true => intersect::intersect(&schema, &target)?,
                // Own annotations win, in the place of the target's.
                false => {
                    let mut joined = target;
                    joined.extend(schema);
                    joined
                }
            };
        }
        None
    }

    /// Whether a reference leads to a schema that contains itself.
    pub(super) fn is_recursive(&self, schema: &Schema) -> bool {
        let text = schema.get("$ref").and_then(Value::as_str);
        let target = text.and_then(|text| text.strip_prefix('#'));
        target.is_some_and(|target| self.references.is_recursive(target))
    }

    /// Makes the schemas below a keyword fit.
    pub(super) fn inner(&mut self, node: &mut Node<'_>, keyword: &str) {
        let place = pointer::join(node.at, keyword);
        let Some(value) = node.schema.get(keyword).cloned() else { return };
        let fitted = match value {
            Value::Object(map) if is_map(keyword) => {
                let members = map.iter().map(|(name, schema)| {
                    (name.clone(), self.schema(schema, &pointer::join(&place, name)))
                });
                Value::Object(members.collect())
            }
            Value::Array(list) => {
                let items = list.iter().enumerate();
                let items = items.map(|(n, schema)| self.schema(schema, &format!("{place}/{n}")));
                Value::Array(items.collect())
            }
            schema => self.schema(&schema, &place),
        };
        node.schema.insert(keyword.to_owned(), fitted);
    }

    /// A keyword that the provider does not hold: an error, or prose.
    pub(super) fn not_held(&mut self, node: &mut Node<'_>, keyword: &str, rule: &str) {
        node.refused = true;
        let Some(value) = node.schema.shift_remove(keyword) else { return };
        if self.options.on_unsupported == OnUnsupported::Error {
            let problem = self.problem(rule).detail(keyword).at(node.at);
            self.found.problems.push(problem);
            return;
        }
        node.described.push((keyword.to_owned(), value));
        self.found.warnings.push(Warning::KeywordMovedToDescription {
            keyword: keyword.to_owned(),
            pointer: node.at.to_owned(),
        });
    }

    pub(super) fn problem(&self, rule: &str) -> Problem {
        Problem::new(self.options.family, rule)
    }

    fn fail(&mut self, problem: Problem, schema: &Value) -> Value {
        self.found.problems.push(problem);
        schema.clone()
    }
}

fn is_map(keyword: &str) -> bool {
    ["properties", "patternProperties", "dependentSchemas", "dependencies"].contains(&keyword)
        || walk::DEFINITIONS.contains(&keyword)
}

/// Adds keywords to the description, as `{keyword: value, …}` after a blank line.
fn describe(schema: &mut Schema, described: &[(String, Value)]) {
    if described.is_empty() {
        return;
    }
    let spelled = described.iter().map(|(keyword, value)| match value {
        Value::String(text) => format!("{keyword}: {text}"),
        value => format!("{keyword}: {value}"),
    });
    let prose = format!("{{{}}}", spelled.collect::<Vec<_>>().join(", "));
    let whole = match schema.get("description").and_then(Value::as_str) {
        Some(before) if !before.is_empty() => format!("{before}\n\n{prose}"),
        _ => prose,
    };
    schema.insert("description".into(), Value::String(whole));
}
