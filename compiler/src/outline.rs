//! A blueprint bound to a context.

use crate::ir::Ir;

/// A blueprint bound to a context: what a model may write.
#[derive(Clone, PartialEq, Debug)]
pub struct Outline {
    ir: Ir,
}

impl Outline {
    /// Its meaning.
    #[must_use]
    pub fn ir(&self) -> &Ir {
        &self.ir
    }
}

impl From<Ir> for Outline {
    fn from(ir: Ir) -> Self {
        Self { ir }
    }
}
