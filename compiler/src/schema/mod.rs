//! Lowers a JSON Schema to an [`Ir`](crate::ir::Ir).

use thiserror::Error;

use crate::ir::Ir;

/// How JSON text for a schema may be spelled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SchemaOptions {}

/// Why a schema is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct SchemaError {
    /// The JSON pointer of the place in the schema.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

pub(crate) fn lower(
    _source: &serde_json::Value,
    _options: &SchemaOptions,
) -> Result<Ir, SchemaError> {
    Err(SchemaError { pointer: String::new(), message: "not built yet".into() })
}
