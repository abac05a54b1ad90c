//! What no provider could hold, because it means nothing: patterns, grammars, schemas and tools
//! that are none.

use std::collections::BTreeSet;
use std::sync::Arc;

use blueprints_compiler::grammars::{self, Syntax};
use blueprints_compiler::{Ir, SchemaFault, SchemaOptions};
use serde_json::Value;

use crate::intent::{Kind, Tools};
use crate::problem::Problem;
use crate::tools::place_of;

/// What is wrong with `kind`, whichever provider is asked.
///
/// Grammars in the syntax `llguidance` are not read.
///
/// # Complexity
/// That of compiling the schemas.
pub(crate) fn problems(kind: &Kind) -> Vec<Problem> {
    match kind {
        Kind::Regex(pattern) => match Ir::regex(pattern) {
            Ok(_) => Vec::new(),
            Err(error) => {
                let (start, end) = (error.range.start, error.range.end);
                let detail = format!("at bytes {start} to {end}: {error}");
                vec![Problem::new("intent", "pattern").detail(detail)]
            }
        },
        Kind::Grammar { syntax, text } => {
            let read = Syntax::named(syntax).map(|syntax| grammars::read(syntax, text));
            let fault = read.and_then(Result::err);
            let problem = fault.map(|fault| {
                let (start, end) = (fault.range.start, fault.range.end);
                let detail = format!("at bytes {start} to {end}: {fault}");
                Problem::new("intent", "grammar").detail(detail)
            });
            problem.into_iter().collect()
        }
        Kind::JsonSchema(schema) => invalid(schema, "").into_iter().collect(),
        Kind::Tools(own) => tools(own),
        Kind::Text | Kind::JsonObject | Kind::Choice(_) | Kind::StructuralTag(_) | Kind::Raw(_) => {
            Vec::new()
        }
    }
}

/// Why `schema`, which stands at `pointer`, is no schema.
fn invalid(schema: &Value, pointer: &str) -> Option<Problem> {
    let options = SchemaOptions { lenient: true, ..SchemaOptions::default() };
    let error = Ir::schema(Arc::new(schema.clone()), options).err()?;
    let problem = Problem::new("schema", "invalid").detail(&error);
    let problem = problem.at(&(pointer.to_owned() + &error.pointer));
    (error.code == SchemaFault::Invalid).then_some(problem)
}

fn tools(own: &Tools) -> Vec<Problem> {
    let mut names = BTreeSet::new();
    let mut problems = Vec::new();
    for tool in &own.tools {
        if !names.insert(&tool.name) {
            problems.push(Problem::new("intent", "duplicate_tool").detail(&tool.name));
        }
        problems.extend(invalid(&tool.parameters, &place_of(own, tool)));
    }
    problems
}
