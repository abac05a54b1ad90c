//! A problem on its way through minijinja, which carries it as the source of its own error.

use minijinja::{Error, ErrorKind};
use thiserror::Error as ThisError;

use crate::diagnostic::code::Code;
use crate::diagnostic::problem::Problem;
use crate::template::part::Place;

/// A problem met while a template renders, and where it lies if that is known better than
/// minijinja knows it.
#[derive(Clone, Debug, ThisError)]
#[error("{problem}")]
pub(crate) struct Fault {
    pub(crate) problem: Box<Problem>,
    pub(crate) place: Option<Place>,
    /// The argument of the tag at `place` that it lies in.
    pub(crate) argument: Option<&'static str>,
}

impl Fault {
    pub(crate) fn at(self, place: Option<&Place>) -> Self {
        Self { place: self.place.or_else(|| place.cloned()), ..self }
    }

    /// Whether the rendering cannot go on: a limit would be crossed again and again, and what an
    /// author raises is meant to end it.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.problem.code, Code::LimitExceeded | Code::Raised)
    }

    pub(crate) fn in_argument(self, argument: &'static str) -> Self {
        Self { argument: Some(argument), ..self }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self { problem: problem.into(), place: None, argument: None }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::new(ErrorKind::InvalidOperation, fault.problem.message.clone()).with_source(fault)
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Fault::from(problem).into()
    }
}
