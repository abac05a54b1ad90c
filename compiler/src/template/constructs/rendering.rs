//! What one rendering brings along: where its problems go, and the parts it begins with.

use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Value};
use minijinja::{Environment, Error, State};

use super::arena_with;
use crate::diagnostic::problem::Problem;
use crate::ir::Ir;
use crate::template::arena::Reports;

/// One rendering, as the value of the variable `bp_rendering`.
#[derive(Clone, Debug)]
pub(crate) struct Rendering {
    pub(crate) reports: Reports,
    /// The parts of the host's globals.
    pub(crate) globals: Vec<Ir>,
}

impl Object for Rendering {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }
}

/// Adds the functions.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_function("bp_begin", begin);
}

/// Makes the arena of a rendering, before anything else is in it.
fn begin(state: &mut State<'_, '_>, rendering: Value) -> Result<Value, Error> {
    let Some(rendering) = rendering.downcast_object::<Rendering>() else {
        return Err(Problem::failed_expression("a rendering has no beginning").into());
    };
    arena_with(state, rendering.reports.clone(), &rendering.globals);
    Ok(Value::from_safe_string(String::new()))
}
