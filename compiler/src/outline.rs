//! An outline: a blueprint bound to a context, the language that a model may write.

use std::fmt;

use crate::diagnostic::Diagnostics;
use crate::ir::Ir;

/// The language of a blueprint under a context.
#[derive(Clone, PartialEq, Debug)]
pub struct Outline {
    ir: Ir,
    warnings: Diagnostics,
}

impl Outline {
    pub(crate) fn new(ir: Ir, warnings: Diagnostics) -> Self {
        Self { ir, warnings }
    }

    /// The language.
    #[must_use]
    pub fn ir(&self) -> &Ir {
        &self.ir
    }

    /// What is doubtful about the blueprint.
    #[must_use]
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }
}

impl From<Ir> for Outline {
    fn from(ir: Ir) -> Self {
        Self { ir, warnings: Diagnostics::default() }
    }
}

impl fmt::Display for Outline {
    /// The printed form of the language.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ir.fmt(f)
    }
}
