//! An outline: a blueprint bound to a context, the language that a model may write.

use std::fmt;

use crate::diagnostic::Diagnostics;
use crate::emit::{Dialect, EmitError, Emitted, Exactness, RegexLimits, TagFormats};
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

    /// Says the language as a regular expression, within [`RegexLimits::default`].
    ///
    /// # Errors
    /// As [`Ir::to_regex`].
    pub fn to_regex(&self, exactness: Exactness) -> Result<Emitted, EmitError> {
        self.ir.to_regex(exactness, RegexLimits::default())
    }

    /// Says the language as a grammar of `dialect`.
    ///
    /// # Errors
    /// As [`Ir::to_ebnf`].
    pub fn to_ebnf(&self, dialect: Dialect, exactness: Exactness) -> Result<Emitted, EmitError> {
        self.ir.to_ebnf(dialect, exactness)
    }

    /// Says the language as an XGrammar structural tag.
    ///
    /// # Errors
    /// As [`Ir::to_structural_tag`].
    pub fn to_structural_tag(&self, exactness: Exactness) -> Result<Emitted, EmitError> {
        self.ir.to_structural_tag(exactness)
    }

    /// Says the language as an XGrammar structural tag of formats of the given kind.
    ///
    /// # Errors
    /// As [`Ir::to_structural_tag_of`].
    pub fn to_structural_tag_of(
        &self,
        formats: TagFormats,
        exactness: Exactness,
    ) -> Result<Emitted, EmitError> {
        self.ir.to_structural_tag_of(formats, exactness)
    }

    /// Says the language as a JSON Schema, if it is JSON.
    ///
    /// # Errors
    /// As [`Ir::to_json_schema`].
    pub fn to_json_schema(&self, exactness: Exactness) -> Result<Emitted, EmitError> {
        self.ir.to_json_schema(exactness)
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
