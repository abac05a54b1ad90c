//! Reads the printed form of an [`Ir`](super::Ir).

use thiserror::Error;

use super::Ir;

/// Where a text stops being a printed form, and why.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message} at byte {at}")]
pub struct ReadError {
    /// What is wrong.
    pub message: String,
    /// The byte.
    pub at: usize,
}

pub(super) fn read(printed: &str) -> Result<Ir, ReadError> {
    Err(ReadError { message: "not built yet".into(), at: printed.len() })
}
