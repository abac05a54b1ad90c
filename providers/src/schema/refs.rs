//! The references of a schema: what they point to, and which of them lead back to where they stand.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::walk;
use crate::pointer;
use crate::problem::Problem;

/// A `$ref` in a schema.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// The schema that has it.
    pub(crate) at: String,
    /// What it points to.
    pub(crate) target: String,
    /// The innermost property or item that holds it; the pointer of the reference if there is none.
    pub(crate) owner: String,
    /// Whether that is a property that need not be there.
    pub(crate) optional: bool,
}

/// The references of a schema, by the definitions and targets that hold them.
#[derive(Debug)]
pub(crate) struct References {
    /// What each target (and the root) holds, definitions apart.
    inside: BTreeMap<String, Vec<Reference>>,
    all: Vec<Reference>,
}

/// The value that a reference to `#…` points to.
pub(crate) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(&unescaped(reference.strip_prefix('#')?)?)
}

/// A fragment with its percent signs decoded.
fn unescaped(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    let mut bytes = Vec::new();
    let mut rest = fragment.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

impl References {
    /// Finds all references, and says which point outside or to nothing.
    pub(crate) fn of(root: &Value, problems: &mut Vec<Problem>) -> Self {
        let mut all = collect(root, "");
        let mut roots: Vec<(String, &Value)> = walk::definitions(root, "");
        let mut definitions = BTreeSet::new();
        while let Some((at, schema)) = roots.pop() {
            if definitions.insert(at.clone()) {
                all.extend(collect(schema, &at));
                roots.extend(walk::definitions(schema, &at));
            }
        }
        let mut inside = BTreeMap::new();
        inside.insert(String::new(), collect(root, ""));
        all.retain(|reference| match fault(root, reference) {
            Some(problem) => {
                problems.push(problem);
                false
            }
            None => true,
        });
        for reference in &all {
            let target = &reference.target;
            if !inside.contains_key(target) {
                let found = root.pointer(target).map(|schema| collect(schema, target));
                inside.insert(target.clone(), found.unwrap_or_default());
            }
        }
        Self { inside, all }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Reference] {
        &self.all
    }

    /// The references that lead back to where they stand.
    ///
    /// # Complexity
    /// O(references · targets).
    pub(crate) fn cyclic(&self) -> Vec<&Reference> {
        self.all.iter().filter(|reference| self.leads_back(reference)).collect()
    }

    /// Whether the target can contain itself.
    pub(crate) fn is_recursive(&self, target: &str) -> bool {
        self.reached(target).iter().any(|reached| {
            let inside = self.inside.get(*reached).into_iter().flatten();
            inside.into_iter().any(|reference| reference.target == target)
        })
    }

    fn leads_back(&self, reference: &Reference) -> bool {
        self.reached(&reference.target).iter().any(|target| {
            let inside = self.inside.get(*target).into_iter().flatten();
            inside.into_iter().any(|other| other.at == reference.at)
        })
    }

    /// The targets that are reached from `target`, itself included.
    fn reached<'a>(&'a self, target: &'a str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::from([target]);
        let mut waiting = vec![target];
        while let Some(target) = waiting.pop() {
            for reference in self.inside.get(target).into_iter().flatten() {
                if reached.insert(&reference.target) {
                    waiting.push(&reference.target);
                }
            }
        }
        reached
    }
}

fn fault(root: &Value, reference: &Reference) -> Option<Problem> {
    let target = &reference.target;
    if !(target.is_empty() || target.starts_with('/')) {
        let outside = !target.starts_with('#');
        let rule = if outside { "external_ref" } else { "unresolved_ref" };
        return Some(Problem::new("schema", rule).at(&reference.at));
    }
    let missing = root.pointer(target).is_none();
    missing.then(|| Problem::new("schema", "unresolved_ref").at(&reference.at))
}

/// A schema on the way, and what holds it.
struct Held<'a> {
    at: String,
    schema: &'a Value,
    owner: Option<(String, bool)>,
}

/// The references that hold of instances of `schema`, in the order of the schema.
fn collect(schema: &Value, at: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut waiting = vec![Held { at: at.to_owned(), schema, owner: None }];
    while let Some(Held { at, schema, owner }) = waiting.pop() {
        if let Some(text) = schema.get("$ref").and_then(Value::as_str) {
            let target = match text.strip_prefix('#').and_then(unescaped) {
                Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => pointer,
                _ => {
                    if text.starts_with('#') {
                        text.to_owned()
                    } else {
                        format!(":{text}")
                    }
                }
            };
            let (owner, optional) = owner.clone().unwrap_or((at.clone(), false));
            found.push(Reference { at: at.clone(), target, owner, optional });
        }
        let mut inner = Vec::new();
        for (place, child) in walk::children(schema, &at) {
            let owner = owner_of(schema, &at, &place, owner.as_ref());
            inner.push(Held { at: place, schema: child, owner });
        }
        waiting.extend(inner.into_iter().rev());
    }
    found
}

/// What holds the schema at `place`, which is inside the schema at `at`, itself held by `outer`:
/// the innermost property or item, and whether it is in a property that may be absent.
fn owner_of(
    schema: &Value,
    at: &str,
    place: &str,
    outer: Option<&(String, bool)>,
) -> Option<(String, bool)> {
    let step = place.strip_prefix(at)?;
    match step.split('/').nth(1)? {
        "properties" => {
            let name = pointer::steps(step).nth(1)?;
            let required = schema.get("required").and_then(Value::as_array);
            let required = required.is_some_and(|names| names.iter().any(|own| *own == name));
            Some((place.to_owned(), !required))
        }
        "items" | "prefixItems" | "additionalProperties" | "patternProperties" => {
            Some((place.to_owned(), outer.is_some_and(|(_, optional)| *optional)))
        }
        _ => outer.cloned(),
    }
}
