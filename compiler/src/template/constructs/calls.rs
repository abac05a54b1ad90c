//! Our functions: those that make parts, and what tells a call where it stands.

use std::sync::Arc;

use minijinja::value::{Kwargs, Object, ObjectRepr, Rest, Value, from_args};
use minijinja::{Environment, Error, ErrorKind, State};

use super::arguments::Arguments;
use super::{add, arena, free, place, settle, simple};
use crate::diagnostic::problem::Problem;
use crate::ir::{CaptureKind, Ir, Special};
use crate::template::fault::Fault;
use crate::template::part::{Kind, Place};
use crate::template::value::describe;

/// One call of a function of ours.
pub(super) struct Call<'a> {
    pub(super) arguments: Arguments<'a>,
    pub(super) positional: &'a [Value],
    pub(super) place: Option<&'a Place>,
}

type Maker = fn(&Call<'_>, &mut State<'_, '_>) -> Result<Value, Fault>;

/// The names of our functions and what each does.
const FUNCTIONS: &[(&str, Maker)] = &[
    ("anything", free::anything),
    ("token", token),
    ("iteration", simple::iteration),
    ("integer", simple::integer),
    ("number", simple::number),
    ("string", simple::string),
    ("boolean", simple::boolean),
    ("null", simple::null),
    ("date", |call, state| simple::format(call, state, "date")),
    ("time", |call, state| simple::format(call, state, "time")),
    ("datetime", |call, state| simple::format(call, state, "datetime")),
    ("duration", |call, state| simple::format(call, state, "duration")),
    ("uuid", |call, state| simple::format(call, state, "uuid")),
    ("email", |call, state| simple::format(call, state, "email")),
    ("hostname", |call, state| simple::format(call, state, "hostname")),
    ("ipv4", |call, state| simple::format(call, state, "ipv4")),
    ("ipv6", |call, state| simple::format(call, state, "ipv6")),
    ("uri", |call, state| simple::format(call, state, "uri")),
];

/// The value of `eos`: what `token(eos)` knows it by.
#[derive(Debug)]
struct EndOfTurn;

impl Object for EndOfTurn {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }
}

/// Adds the functions, and `bp_place` and `bp_call` that tell them and macros their place.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    for (name, make) in FUNCTIONS {
        let function = PartFunction { name, make: *make, place: None };
        environment.add_global(*name, Value::from_object(function));
    }
    environment.add_global("eos", Value::from_object(EndOfTurn));
    environment.add_function("bp_place", placed);
    environment.add_function("bp_call", called);
    environment.add_function("bp_enter", |state: &mut State<'_, '_>, at: Vec<usize>| {
        arena(state).enter(place(&at));
        Value::from_safe_string(String::new())
    });
    environment.add_function("bp_leave", |state: &mut State<'_, '_>| {
        arena(state).leave();
        Value::from_safe_string(String::new())
    });
}

impl Call<'_> {
    /// Fails if there is an argument without a name.
    pub(super) fn no_positional(&self, example: &str) -> Result<(), Fault> {
        match self.positional {
            [] => Ok(()),
            _ => Err(Problem::positional_argument(self.arguments.owner, example).into()),
        }
    }

    /// A complete part, with a name if one was given.
    pub(super) fn closed(
        &self,
        state: &mut State<'_, '_>,
        ir: Ir,
        kind: CaptureKind,
    ) -> Result<Value, Fault> {
        let part = add(state, Kind::Closed(ir), self.place)?;
        self.arguments.named(state, part, kind, self.place)
    }
}

/// A function of ours, which may know where it is called.
#[derive(Clone, Debug)]
struct PartFunction {
    name: &'static str,
    make: Maker,
    place: Option<Place>,
}

impl Object for PartFunction {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let (positional, kwargs): (Rest<Value>, Kwargs) = from_args(args)?;
        let call = Call {
            arguments: Arguments { owner: self.name, kwargs: &kwargs },
            positional: &positional,
            place: self.place.as_ref(),
        };
        let made = (self.make)(&call, state);
        settle(state, made, self.place.as_ref())
    }
}

/// Tells `function` where it is called, if it is ours and not something of the same name.
fn placed(at: Vec<usize>, function: Value) -> Value {
    match function.downcast_object_ref::<PartFunction>() {
        Some(ours) => {
            let place = Some(place(&at));
            Value::from_object(PartFunction { place, ..ours.clone() })
        }
        None => match function.downcast_object_ref::<super::extension::HostFunction>() {
            Some(host) => Value::from_object(host.at(place(&at))),
            None => function,
        },
    }
}

/// `macro` with the place of its call.
fn called(at: Vec<usize>, r#macro: Value) -> Value {
    Value::from_object(MacroCall { inner: r#macro, place: place(&at) })
}

/// The call of a macro, which remembers where it stands while the macro renders.
#[derive(Debug)]
struct MacroCall {
    inner: Value,
    place: Place,
}

impl Object for MacroCall {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        arena(state).enter(self.place.clone());
        let result = self.inner.call(state, args);
        arena(state).leave();
        result.map_err(|error| match error.kind() {
            // The call itself is at fault.
            ErrorKind::UnknownFunction | ErrorKind::MissingArgument => error,
            _ if error.name().is_none() => error,
            _ => Error::new(ErrorKind::EvalBlock, MACRO).with_source(error),
        })
    }
}

/// What marks an error as passed on by a macro's call.
pub(crate) const MACRO: &str = "in a macro that is called here";

/// `token("<|im_end|>")` and `token(eos)`
fn token(call: &Call<'_>, state: &mut State<'_, '_>) -> Result<Value, Fault> {
    call.arguments.only(&["name", "type"])?;
    let ir = match call.positional {
        [value] if value.downcast_object_ref::<EndOfTurn>().is_some() => Ir::special(Special::Stop),
        [value] => match value.as_str() {
            Some(text) if !text.is_empty() && !crate::template::arena::is_reserved(text) => {
                Ir::token(text)
            }
            _ => return Err(Problem::bad_token(&describe(value)).into()),
        },
        _ => return Err(Problem::bad_token("nothing or several values").into()),
    };
    call.closed(state, ir, CaptureKind::Text)
}

/// Whether `name` is a function of ours.
pub(crate) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(known, _)| *known == name)
}
