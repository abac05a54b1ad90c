//! A problem on its way through minijinja, which carries it as the source of its own error.

use minijinja::{Error, ErrorKind};
use thiserror::Error as ThisError;

use crate::diagnostic::problem::Problem;
use crate::template::arena::Place;

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
