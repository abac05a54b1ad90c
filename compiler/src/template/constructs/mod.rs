//! What makes parts: the filters behind our block tags, and our own filters and functions.
//!
//! Each takes rendered text or values, puts a part into the arena and returns its handle as a
//! string that is marked safe.

pub(crate) mod arguments;
mod blocks;
mod calls;
pub(crate) mod extension;
mod free;
mod made;
mod rendering;
mod simple;
mod texts;

use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Value};
use minijinja::{Environment, State};

use crate::ir::Ir;
use crate::limits::Limits;
use crate::template::arena::{Arena, Reports};
use crate::template::fault::Fault;
use crate::template::part::{Kind, Part, Place};
use crate::template::rewrite::TemplateId;

pub(crate) use calls::{MACRO, is_function};
pub(crate) use made::part_filters;
pub(crate) use rendering::Rendering;
pub(crate) use texts::ESCAPES;

/// Adds everything that makes parts to `environment`.
pub(crate) fn add_to(environment: &mut Environment<'static>, limits: &Limits) {
    environment.add_global("bp_limits", Value::from_object(Bounds(limits.clone())));
    blocks::add_to(environment);
    free::add_to(environment);
    texts::add_to(environment);
    calls::add_to(environment);
    made::add_to(environment);
    rendering::add_to(environment);
}

/// The arena of the rendering that `state` belongs to.
pub(crate) fn arena<'a>(state: &'a mut State<'_, '_>) -> &'a mut Arena {
    arena_with(state, Reports::default(), &[])
}

/// As [`arena`]; if it is made now, problems go to `reports`.
fn arena_with<'a>(state: &'a mut State<'_, '_>, reports: Reports, globals: &[Ir]) -> &'a mut Arena {
    let known = state.env();
    state.get_or_insert_extension_with(|| {
        let bounds = known.globals().find(|(name, _)| *name == "bp_limits");
        let bounds = bounds.and_then(|(_, value)| value.downcast_object::<Bounds>());
        Arena::new(&bounds.map(|bounds| bounds.0.clone()).unwrap_or_default(), reports, globals)
    })
}

/// The limits, as a value that the arena finds in the environment.
#[derive(Debug)]
struct Bounds(Limits);

impl Object for Bounds {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }
}

/// Puts a part into the arena.
fn add(state: &mut State<'_, '_>, kind: Kind, place: Option<&Place>) -> Result<Value, Fault> {
    Ok(Value::from_safe_string(arena(state).add(kind, place.cloned())?))
}

/// The place that the rewritten template hands to a construct, as template, start and end.
pub(crate) fn place(at: &[usize]) -> Place {
    let part = |index: usize| at.get(index).copied().unwrap_or_default();
    let template = TemplateId(u32::try_from(part(0)).unwrap_or(u32::MAX));
    Place { template, range: part(1)..part(2), caller: None, argument: None }
}

/// The parts of a rendered text.
fn read(state: &mut State<'_, '_>, body: &Value) -> Result<Vec<Arc<Part>>, Fault> {
    Ok(arena(state).read(body.as_str().unwrap_or_default())?)
}

/// What was made; a fault whose place is known is reported, and the rendering goes on to find
/// more of them. Limits end it.
fn settle(
    state: &mut State<'_, '_>,
    made: Result<Value, Fault>,
    place: Option<&Place>,
) -> Result<Value, minijinja::Error> {
    match (made, place) {
        (Ok(value), _) => Ok(value),
        (Err(fault), Some(place)) if !fault.is_final() => {
            let arena = arena(state);
            let place = arena.located(fault.place.clone().unwrap_or_else(|| place.clone()));
            arena.reports.push(*fault.problem, Some(place.in_argument(fault.argument)));
            Ok(add(state, Kind::Faulty, None)?)
        }
        (Err(fault), place) => Err(fault.at(place).into()),
    }
}
