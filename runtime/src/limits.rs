//! The bounds on what a program may build; each is an option.

use blueprints_compiler::ir::RuleError;

/// Bounds on the size of a program and of what its matchers build while they run. Crossing one
/// is a typed error that names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nodes of the compiled automata.
    pub nodes_max: usize,
    /// Nesting of the outline.
    pub depth_max: usize,
    /// Distinct states that all matchers of a program may reach.
    pub states_max: usize,
    /// Distinct frames (calls and counted loops in progress).
    pub frames_max: usize,
    /// Readings of the text that are open at one place.
    pub items_max: usize,
    /// Steps of one search for a short way to the end of a text; the last resort may take four
    /// times as many.
    pub ending_steps_max: usize,
    /// Bytes of forced text that one call returns.
    pub forced_bytes_max: usize,
    /// Bytes that the states and masks of a program may take before new matchers begin anew
    /// beside it. Matchers in progress keep what they have; it is freed when the last one ends.
    pub memory_max: usize,
    /// Steps of the recogniser that one call may take, for a mask, a token or a byte: a bound on
    /// the time of a call which is the same on every machine.
    pub work_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes_max: 4_000_000,
            depth_max: 1_000,
            states_max: 2_000_000,
            frames_max: 4_000_000,
            items_max: 20_000,
            ending_steps_max: 50_000,
            forced_bytes_max: 1 << 20,
            memory_max: 256 << 20,
            work_max: 100_000_000,
        }
    }
}

/// The limit that was crossed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// A limit of the schema whose rules were being made.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// [`Limits::nodes_max`].
    #[error("the outline needs more than {0} automaton nodes")]
    Nodes(usize),
    /// [`Limits::depth_max`].
    #[error("the outline is nested more than {0} levels deep")]
    Depth(usize),
    /// [`Limits::states_max`].
    #[error("more than {0} states were reached")]
    States(usize),
    /// [`Limits::frames_max`].
    #[error("more than {0} frames were reached")]
    Frames(usize),
    /// [`Limits::ending_steps_max`].
    #[error("no way to the end of the text was found in {0} steps")]
    EndingSteps(usize),
    /// [`Limits::items_max`].
    #[error("more than {0} readings of the text are open at one place")]
    Items(usize),
    /// [`Limits::work_max`].
    #[error("one call took more than {0} steps")]
    Work(u64),
    /// The program's work was called off.
    #[error("the work was called off")]
    Cancelled,
}
