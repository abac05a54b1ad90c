//! Turns an error of minijinja into diagnostics at the author's place.

use std::error::Error as _;
use std::ops::Range;
use std::sync::Arc;

use minijinja::{Error, ErrorKind};

use crate::diagnostic::problem::Problem;
use crate::diagnostic::suggest;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::template::constructs::MACRO;
use crate::template::fault::Fault;
use crate::template::prepare::Prepared;

/// The templates that an error can lie in.
pub(crate) struct Templates<'a> {
    /// All that were prepared; a template's number is its place in this list.
    pub(crate) prepared: &'a [Arc<Prepared>],
    /// The names of the variables, to guess at.
    pub(crate) variables: &'a [String],
    /// The steps that rendering may take.
    pub(crate) fuel: u64,
}

/// The diagnostics of `error`.
pub(crate) fn diagnose(error: &Error, templates: &Templates<'_>) -> Diagnostics {
    let mut chain = vec![error];
    let mut cause = error.source();
    let (mut fault, mut loaded) = (None, None);
    while let Some(found) = cause {
        if let Some(inner) = found.downcast_ref::<Error>() {
            chain.push(inner);
        } else if let Some(inner) = found.downcast_ref::<Fault>() {
            fault = Some(inner);
        } else if let Some(inner) = found.downcast_ref::<Diagnostics>() {
            loaded = Some(inner);
        }
        cause = found.source();
    }
    let (mut list, mut sources) = loaded.cloned().unwrap_or_default().into_parts();
    sources.extend(templates.prepared.iter().map(|prepared| prepared.source.clone()));
    let outer = match list.is_empty() {
        true => {
            let innermost = chain.pop().unwrap_or(error);
            list.push(templates.diagnostic(innermost, fault));
            chain
        }
        false => chain,
    };
    for diagnostic in &mut list {
        for outer in outer.iter().rev() {
            if let Some((prepared, place)) = templates.place(outer) {
                let message = match outer.kind() {
                    ErrorKind::EvalBlock if outer.detail() == Some(MACRO) => MACRO,
                    ErrorKind::EvalBlock => "in a block that stands here",
                    _ => "in a template that comes in here",
                };
                *diagnostic = diagnostic.clone().with_related(&prepared.source, &place, message);
            }
        }
    }
    Diagnostics::new(list, sources)
}

impl Templates<'_> {
    fn diagnostic(&self, error: &Error, fault: Option<&Fault>) -> Diagnostic {
        let problem = match fault {
            Some(fault) => fault.problem.as_ref().clone(),
            None => self.problem(error),
        };
        let known = fault.and_then(|fault| {
            let place = fault.place.as_ref()?;
            let prepared = self.prepared.get(place.template.0 as usize)?;
            let argument = fault
                .argument
                .and_then(|name| prepared.rewritten.argument(place.range.start, name));
            // A call in an output has no arguments of ours: minijinja knows its place better.
            Some((prepared, argument.unwrap_or_else(|| place.range.clone())))
        });
        match known.or_else(|| self.place(error)) {
            Some((prepared, place)) => Diagnostic::new(problem, &prepared.source, &place),
            None => Diagnostic::without_place(problem, error.name().unwrap_or("<template>")),
        }
    }

    /// Where `error` lies in the author's text.
    fn place(&self, error: &Error) -> Option<(&Arc<Prepared>, Range<usize>)> {
        let name = error.name()?;
        let prepared = self.prepared.iter().rfind(|prepared| prepared.source.name() == name)?;
        let place = match (error.range(), error.line()) {
            (Some(range), _) => {
                with_owner(prepared.source.text(), prepared.rewritten.place(&range))
            }
            (None, Some(line)) => prepared.rewritten.line_place(line),
            (None, None) => return None,
        };
        Some((prepared, place))
    }

    /// What minijinja complains of, in the author's words.
    fn problem(&self, error: &Error) -> Problem {
        let detail = error.detail().map(restored);
        let message = detail.clone().unwrap_or_else(|| error.kind().to_string());
        let full = match &detail {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        };
        match error.kind() {
            ErrorKind::SyntaxError | ErrorKind::BadEscape => Problem::syntax(&message),
            ErrorKind::UndefinedError => {
                let name = message.split('`').nth(1).unwrap_or_default();
                let known = self.variables.iter().map(String::as_str);
                Problem::undefined(&message, suggest::nearest(name, known))
            }
            ErrorKind::UnknownFilter => Problem::unknown_filter(&message, None),
            ErrorKind::TemplateNotFound => {
                let name = message.split(['"', '\'']).nth(1).unwrap_or(&message);
                Problem::not_found(name)
            }
            ErrorKind::OutOfFuel => {
                Problem::limit_reached(&format!("rendering takes more than {} steps", self.fuel))
                    .with_help("look for a loop that is too long")
            }
            ErrorKind::InvalidOperation if message == "recursion limit exceeded" => {
                Problem::limit_reached("macros or templates call each other too deeply")
            }
            ErrorKind::InvalidOperation => Problem::failed_expression(&message),
            _ => Problem::failed_expression(&full),
        }
    }
}

/// `place` with the names before it, if it begins at the dot of an attribute.
fn with_owner(text: &str, place: Range<usize>) -> Range<usize> {
    if !text.get(place.clone()).is_some_and(|text| text.starts_with('.')) {
        return place;
    }
    let before = text.get(..place.start).unwrap_or_default();
    let owner = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "_.".contains(c));
    owner.len()..place.end
}

/// `message` with the names of our tags instead of those they are rewritten to.
fn restored(message: &str) -> String {
    message.replace("bp_", "")
}
