//! What no provider could hold, because it means nothing: patterns, grammars, schemas and tools
//! that are none.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;
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
            Err(error) => vec![malformed("pattern", &error.range, &error)],
        },
        Kind::Grammar { syntax, text } => {
            let read = Syntax::named(syntax).map(|syntax| grammars::read(syntax, text));
            let fault = read.and_then(Result::err);
            let problem = fault.map(|fault| malformed("grammar", &fault.range, &fault));
            problem.into_iter().collect()
        }
        Kind::JsonSchema(schema) => invalid(schema, "").into_iter().collect(),
        Kind::Tools(own) => tools(own),
        Kind::Text | Kind::JsonObject | Kind::Choice(_) | Kind::StructuralTag(_) | Kind::Raw(_) => {
            Vec::new()
        }
    }
}

fn malformed(rule: &str, bytes: &Range<usize>, error: &dyn Display) -> Problem {
    let detail = format!("at bytes {} to {}: {error}", bytes.start, bytes.end);
    Problem::new("intent", rule).detail(detail)
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
