//! Which parts hold actions of a machine that is not their own.

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{self, Kind};

/// Whether an iteration holds actions of a machine outside of it.
pub(super) fn holds_acts(repeat: &ir::Repeat) -> bool {
    acts(&repeat.body) || repeat.separator.as_ref().is_some_and(acts)
}

fn acts(ir: &Ir) -> bool {
    match ir.kind() {
        Kind::Act(_) | Kind::Observed(_) => true,
        Kind::Sequence(parts) | Kind::Choice(parts) => parts.iter().any(acts),
        Kind::Repeat(repeat) => holds_acts(repeat),
        Kind::Capture(capture) => acts(&capture.body),
        Kind::Joined(joined) => {
            acts(&joined.separator) || joined.parts.iter().any(|part| acts(&part.body))
        }
        Kind::Automaton(automaton) => {
            automaton.states.iter().flat_map(|state| &state.edges).any(|edge| acts(&edge.0))
        }
        Kind::Text(_)
        | Kind::Class(_)
        | Kind::Call(_)
        | Kind::Grammar(_)
        | Kind::Regex(_)
        | Kind::Schema(_)
        | Kind::Anything(_)
        | Kind::Dispatch(_)
        | Kind::Special(_)
        | Kind::Tracked(_) => false,
    }
}
