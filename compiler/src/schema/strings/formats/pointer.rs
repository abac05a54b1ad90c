//! JSON pointers, absolute and relative.

use super::automaton_of;
use crate::chars::automaton::{Automaton, TooLarge};

/// RFC 6901.
pub(super) fn json_pointer() -> Result<Automaton, TooLarge> {
    automaton_of("^(?:/(?:[^~/]|~[01])*)*$")
}

/// The draft of relative JSON pointers that 2020-12 names.
pub(super) fn relative_json_pointer() -> Result<Automaton, TooLarge> {
    automaton_of(r"^(?:0|[1-9]\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)$")
}
