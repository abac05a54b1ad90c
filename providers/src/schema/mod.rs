//! Turns a JSON Schema into one that a provider holds, with the way back from its answers.
//!
//! Knows the provider by its [`SchemaFacts`] alone. What the provider does not hold is an error
//! with its pointer, or moves to the description; nothing is dropped in silence.

mod combine;
mod disjoint;
mod document;
mod drafts;
mod intersect;
mod keyword;
mod limits;
mod node;
mod object;
mod pattern;
pub(crate) mod refs;
mod restore;
pub(crate) mod walk;
mod wrap;

use serde_json::Value;

use crate::facts::{RefTargets, SchemaFacts};
use crate::intent::{OnUnsupported, Optional, PropertyOrder, RootWrap};
use crate::problem::{Problem, Warning};
pub(crate) use combine::differ_only_in_case;
pub(crate) use limits::{Counts, check_together};
pub(crate) use restore::Restore;

/// How deep a schema may nest, its targets in place of references included.
const DEPTH_MAX: usize = 128;

/// How many schemas there may be in one.
const NODES_MAX: usize = 50_000;

/// How a schema is made to fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    /// The scope of problems.
    pub(crate) family: &'a str,
    pub(crate) on_unsupported: OnUnsupported,
    pub(crate) optional: Optional,
    pub(crate) root_wrap: RootWrap,
    pub(crate) property_order: PropertyOrder,
}

/// A schema that a provider holds.
#[derive(Clone, Debug)]
pub(crate) struct Normalised {
    pub(crate) schema: Value,
    /// Where in an answer the value is, if it is not the whole.
    pub(crate) unwrap: Option<String>,
    /// How a value becomes one that is valid for the caller's schema.
    pub(crate) restore: Restore,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) counts: limits::Counts,
}

/// Makes a schema fit a provider.
///
/// # Errors
/// All problems; those of a schema after those of the schemas inside it.
///
/// # Complexity
/// O(schema), and O(references · targets); inlined targets count, up to [`NODES_MAX`].
pub(crate) fn normalise(
    schema: &Value,
    facts: &SchemaFacts,
    options: Options<'_>,
) -> Result<Normalised, Vec<Problem>> {
    if let Some(problem) = document::too_much(schema) {
        return Err(vec![problem]);
    }
    let mut problems = Vec::new();
    let modern = drafts::modern(schema);
    let mut root = document::with_pointers(&modern, &mut problems);
    let references = refs::References::of(&root, &mut problems);
    document::recursion(&references, facts, options.family, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    if facts.ref_targets == RefTargets::Definitions {
        root = document::with_definitions(root);
    }
    let references = refs::References::of(&root, &mut problems);
    let mut normaliser = node::Normaliser::new(&root, &references, facts, options);
    let mut schema = normaliser.root();
    let node::Found { mut problems, mut warnings } = normaliser.found();
    if problems.iter().any(|problem| problem.scope == "schema") {
        return Err(problems);
    }
    let mut unwrap = None;
    if !wrap::is_taken(&schema, facts.root) {
        match options.root_wrap {
            _ if !problems.is_empty() => {}
            RootWrap::Auto => {
                schema = wrap::wrap(schema, facts.objects);
                unwrap = Some(format!("/{}", wrap::MEMBER));
                warnings.push(Warning::RootWrapped);
            }
            RootWrap::Never => {
                let rule = match facts.root {
                    crate::facts::Root::Properties => "root_must_have_properties",
                    _ => "root_must_be_object",
                };
                problems.push(Problem::new(options.family, rule).at(""));
            }
        }
    }
    let (schema, restore) = Restore::of(schema, unwrap.is_some(), facts.enum_case);
    let counts = limits::Counts::of(&schema);
    if problems.is_empty() {
        limits::check(&counts, &facts.limits, options.family, &mut problems);
    }
    if problems.is_empty() {
        Ok(Normalised { schema, unwrap, restore, warnings, counts })
    } else {
        Err(problems)
    }
}
