//! Reads a regular expression and lowers it to an [`Ir`].

use thiserror::Error;

use crate::ir::Ir;

/// Why a pattern is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct PatternError {
    /// What is wrong.
    pub message: String,
    /// The byte range in the pattern.
    pub range: std::ops::Range<usize>,
}

pub(crate) fn lower(pattern: &str) -> Result<Ir, PatternError> {
    Err(PatternError { message: "not built yet".into(), range: 0..pattern.len() })
}
