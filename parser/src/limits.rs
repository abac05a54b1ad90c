//! The bounds on what a parser may build, and how strict it is.

/// Bounds on the size of a parser and of what it keeps while a text is read. Crossing one is a
/// typed error that names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParserLimits {
    /// Readings of the text that are open at one place.
    pub readings_max: usize,
    /// Nodes of the skeleton: what holds captures, with each part between them as one node.
    pub nodes_max: usize,
    /// Nesting of the outline.
    pub depth_max: usize,
    /// Calls and counted loops in progress, in all readings and at all times.
    pub frames_max: usize,
    /// Places whose steps are kept in a table, a KiB each; others are read more slowly.
    pub rows_max: usize,
    /// Steps that read nothing between two bytes.
    pub closure_max: usize,
    /// Beginnings and ends of captures on which the readings do not agree yet.
    pub pending_max: usize,
    /// Captures open inside each other, and the nesting of values in other notations than JSON.
    pub nesting_max: usize,
    /// The bounds on the parts between captures.
    pub parts: blueprints_runtime::Limits,
}

impl Default for ParserLimits {
    fn default() -> Self {
        Self {
            readings_max: 1_000,
            nodes_max: 1_000_000,
            depth_max: 500,
            frames_max: 1_000_000,
            rows_max: 4_000,
            closure_max: 1_000_000,
            pending_max: 1_000_000,
            nesting_max: 120,
            parts: blueprints_runtime::Limits::default(),
        }
    }
}

/// What becomes of a text that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Strictness {
    /// It is an error.
    #[default]
    Strict,
    /// What was read stands, and the rest is text: see [`Parsed::left`](crate::Parsed::left).
    Lenient,
}

/// How a parser reads.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ParseOptions {
    /// What becomes of a text that does not fit.
    pub strictness: Strictness,
    /// The bounds.
    pub limits: ParserLimits,
}
