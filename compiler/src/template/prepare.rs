//! Prepares one template text for rendering: parse, check, settle white space, rewrite.

use std::sync::Arc;

use crate::diagnostic::problem::Problem;
use crate::diagnostic::source::Source;
use crate::diagnostic::{Diagnostic, Severity};
use crate::limits::Limits;
use crate::template::ast::Ast;
use crate::template::blocks;
use crate::template::expression::{self, Words};
use crate::template::insert::Known;
use crate::template::parse;
use crate::template::rewrite::{self, Rewritten, TemplateId};
use crate::template::specials;
use crate::template::whitespace::{self, Ends};

/// A template that is ready to render.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) source: Arc<Source>,
    pub(crate) ast: Ast,
    pub(crate) rewritten: Rewritten,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Prepares `source`, which is template number `template` of its blueprint.
///
/// # Errors
/// All that is wrong with it before anything renders.
pub(crate) fn prepare(
    source: Arc<Source>,
    template: TemplateId,
    ends: Ends,
    words: &Words,
    limits: &Limits,
) -> Result<Prepared, Vec<Diagnostic>> {
    let (ast, mut faults) = parse::parse(&source, limits);
    if !faults.is_empty() {
        return Err(faults);
    }
    let (blocks, found) = blocks::find(&ast, limits);
    faults.extend(found);
    faults.extend(expression::check(&ast, words, limits));
    faults.extend(specials::nearly_special(&ast, specials::KNOWN));
    let whitespace = whitespace::apply(&ast, &blocks, ends);
    let known = Known::new(&ast, template, words);
    let (rewritten, found) =
        rewrite::rewrite(&ast, &blocks, &whitespace, known, ends != Ends::Included);
    faults.extend(found);
    let (warnings, errors): (Vec<_>, Vec<_>) = faults
        .into_iter()
        .chain(whitespace.warnings)
        .partition(|fault| fault.severity == Severity::Warning);
    if errors.is_empty() {
        return Ok(Prepared { source, ast, rewritten, warnings });
    }
    Err(cut(errors, &source, limits.problems))
}

/// The first problems, and that there are more.
fn cut(mut errors: Vec<Diagnostic>, source: &Source, bound: usize) -> Vec<Diagnostic> {
    errors.sort_by_key(|fault| (fault.range.start, fault.range.end, fault.code));
    errors.dedup();
    if errors.len() > bound {
        let place = errors[bound].range.clone();
        errors.truncate(bound);
        let problem = Problem::limit("problems in one template", bound as u64);
        errors.push(Diagnostic::new(problem, source, &place));
    }
    errors
}
