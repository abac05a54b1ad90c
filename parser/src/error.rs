//! Why a text cannot be read.

use std::ops::Range;

use blueprints_runtime::{CompileError, LimitError, Mismatch};

use crate::tree::Parsed;

/// Why a text cannot be read.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The text leaves the blueprint's language, or breaks off.
    #[error("{mismatch}")]
    Mismatch {
        /// Where, and what could stand there.
        mismatch: Mismatch,
        /// What was read before: the captures that were closed.
        read: Box<Parsed>,
    },
    /// The bytes are not UTF-8.
    #[error("byte {at}: this is no UTF-8")]
    Utf8 {
        /// The first byte that is not.
        at: usize,
    },
    /// A capture's text is not what its type says.
    #[error("bytes {} to {} (`{name}`): {reason}", span.start, span.end)]
    Value {
        /// The capture.
        name: String,
        /// Its text.
        span: Range<usize>,
        /// Why not.
        reason: String,
    },
    /// A token that the vocabulary does not have.
    #[error("the vocabulary has no token {token}")]
    NoToken {
        /// Its id.
        token: u32,
    },
    /// An outline that no parser can be made for.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A bound of the parser.
    #[error(transparent)]
    Bound(#[from] Bound),
}

/// The bound that was crossed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Bound {
    /// [`ParserLimits::readings_max`](crate::ParserLimits::readings_max).
    #[error("more than {0} readings of the text are open at one place")]
    Readings(usize),
    /// [`ParserLimits::nodes_max`](crate::ParserLimits::nodes_max).
    #[error("the outline needs more than {0} nodes for its captures")]
    Nodes(usize),
    /// [`ParserLimits::depth_max`](crate::ParserLimits::depth_max).
    #[error("the outline is nested more than {0} levels deep")]
    Depth(usize),
    /// [`ParserLimits::frames_max`](crate::ParserLimits::frames_max).
    #[error("more than {0} calls and loops were begun")]
    Frames(usize),
    /// [`ParserLimits::closure_max`](crate::ParserLimits::closure_max).
    #[error("more than {0} steps read nothing between two bytes")]
    Closure(usize),
    /// [`ParserLimits::pending_max`](crate::ParserLimits::pending_max).
    #[error("more than {0} captures are still undecided")]
    Pending(usize),
    /// [`ParserLimits::nesting_max`](crate::ParserLimits::nesting_max).
    #[error("captures or values are nested more than {0} levels deep")]
    Nesting(usize),
}

impl From<LimitError> for ParseError {
    fn from(error: LimitError) -> Self {
        Self::Compile(error.into())
    }
}
