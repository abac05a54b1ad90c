//! The recogniser: an outline's rules as byte automata, and the states that texts lead to.
//!
//! Knows bytes and opaque markers (which stand for special tokens), and never sees a token id.
//! What a rule reads is kept in local states that know no frames; the frames that say what a rule
//! returns to, and what its register holds, stand beside them. Both are shared, and each step is
//! made once.

mod abstraction;
mod asks;
mod budget;
mod closure;
mod easing;
mod ending;
mod frames;
mod lengths;
mod locals;
mod lower;
mod nfa;
mod rules;
mod seen;
mod shape;
mod slab;
mod source;
mod states;
mod table;
mod values;
mod work;

pub(crate) use ending::Ending;
pub(crate) use frames::FrameId;
pub(crate) use locals::{Locals, NOWHERE};
pub(crate) use nfa::Marker;
pub(crate) use rules::{OWN, SharedLocals};
pub use source::Scope;
pub(crate) use source::{Binding, LowerError, Symbol};
pub(crate) use states::{Engine, LocalRef, StateId};
pub(crate) use work::{OpenKey, OpenStart, Work};
