//! Reads a model's text back by the blueprint that constrained it.
//!
//! Turns text into a tree of captures with their places and values ([`Parsed`]), whole or piece
//! by piece ([`Parser`]), and that into tool calls ([`ToolCalls`], [`ToolDeltas`]). Knows outlines
//! and the runtime's recogniser of their parts; a vocabulary only to read tokens.
//!
//! # Which reading wins
//! A text may fit a blueprint in several ways. Going through it from left to right, at the first
//! place where two readings part the one is preferred that
//! - ends free text as early as it can (`anything`, and the text of `free`);
//! - has what is optional, if it can be there;
//! - goes on with a repeat, if it can; an iteration that reads nothing is none;
//! - takes the earlier option of a choice.
//!
//! A run of parts in which nothing is captured is one piece, and takes as much as it can. An event
//! of a stream goes out only when all readings that are still open agree on it.

mod calls;
mod deltas;
mod error;
mod exits;
mod limits;
mod marks;
mod parser;
mod readings;
mod respell;
mod rows;
mod skeleton;
mod stack;
mod teller;
mod tree;
mod values;

pub use calls::{NamelessCall, ToolCall, ToolCalls};
pub use deltas::{ToolDelta, ToolDeltas};
pub use error::{Bound, ParseError};
pub use limits::{ParseOptions, ParserLimits, Strictness};
pub use parser::{ParseText, Parser};
pub use teller::Event;
pub use tree::{Captured, Left, Parsed};
