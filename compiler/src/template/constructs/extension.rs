//! Filters, functions and globals of the host, which may return parts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use minijinja::value::{Kwargs, Object, ObjectRepr, Rest, Value, from_args};
use minijinja::{Environment, Error, State};
use serde_json::Value as Json;

use super::{add, place, settle};
use crate::diagnostic::problem::Problem;
use crate::ir::Ir;
use crate::template::expression::RESERVED_PREFIX;
use crate::template::fault::Fault;
use crate::template::part::{Kind, Place};
use crate::template::value::{from_json, to_json};
use crate::template::{constructs, filters};

/// What a host adds to the language of templates.
///
/// # Examples
/// ```
/// use blueprints_compiler::{Blueprint, Extensions, Ir, Made};
///
/// let shout = |call: &blueprints_compiler::HostCall| {
///     let text = call.value.as_ref().and_then(|value| value.as_str()).ok_or("a text, please")?;
///     Ok(Made::Part(Ir::repeat(Ir::value(text), 1, Some(3), Some(Ir::text("!")))))
/// };
/// let extensions = Extensions::default().filter("shout", shout);
/// let blueprint = Blueprint::extended("{{ 'ho' | shout }}", extensions)?;
/// assert_eq!(blueprint.outline(())?.to_string(), "'ho'{1,3 sep \"!\"}");
/// # Ok::<(), blueprints_compiler::Diagnostics>(())
/// ```
#[derive(Clone, Default)]
pub struct Extensions {
    pub(crate) filters: BTreeMap<String, Host>,
    pub(crate) functions: BTreeMap<String, Host>,
    pub(crate) globals: BTreeMap<String, Made>,
    pub(crate) clock: Option<Clock>,
}

pub(crate) type Host = Arc<dyn Fn(&HostCall) -> Result<Made, HostError> + Send + Sync>;
pub(crate) type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Why a host's filter or function has no result, in words for the author of the template.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct HostError(pub String);

impl From<&str> for HostError {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

impl From<String> for HostError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

/// What a host's filter or function returns.
#[derive(Clone, PartialEq, Debug)]
pub enum Made {
    /// Structure.
    Part(Ir),
    /// Data.
    Value(Json),
}

/// The arguments of one call of a host's filter or function. Parts cannot be among them.
#[derive(Clone, PartialEq, Default, Debug)]
#[non_exhaustive]
pub struct HostCall {
    /// What the filter stands behind; `None` for a function.
    pub value: Option<Json>,
    /// The arguments without a name.
    pub positional: Vec<Json>,
    /// The arguments with a name.
    pub named: BTreeMap<String, Json>,
}

impl Extensions {
    /// Adds the filter `name`. What it says in an error is shown at the place of its use.
    #[must_use]
    pub fn filter(
        mut self,
        name: &str,
        filter: impl Fn(&HostCall) -> Result<Made, HostError> + Send + Sync + 'static,
    ) -> Self {
        self.filters.insert(name.to_owned(), Arc::new(filter));
        self
    }

    /// Adds the function `name`. What it says in an error is shown at the place of its call.
    #[must_use]
    pub fn function(
        mut self,
        name: &str,
        function: impl Fn(&HostCall) -> Result<Made, HostError> + Send + Sync + 'static,
    ) -> Self {
        self.functions.insert(name.to_owned(), Arc::new(function));
        self
    }

    /// Adds the variable `name`, which every template sees.
    #[must_use]
    pub fn global(mut self, name: &str, value: Made) -> Self {
        self.globals.insert(name.to_owned(), value);
        self
    }

    /// Tells `strftime_now` the time, in seconds since 1970 in UTC. Without a clock the function
    /// is an error, for the same template then means the same every time.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// The names that cannot be: those of our own constructs, and what is no name.
    pub(crate) fn bad_name(&self) -> Option<&str> {
        let is_name = |name: &str| {
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        };
        let taken = |name: &str| {
            constructs::is_function(name)
                || filters::is_ours(name)
                || name.starts_with(RESERVED_PREFIX)
        };
        let names = self.filters.keys().chain(self.functions.keys()).chain(self.globals.keys());
        names.map(String::as_str).find(|name| !is_name(name) || taken(name))
    }

    /// The parts of the globals, in order of their names.
    pub(crate) fn parts(&self) -> Vec<Ir> {
        let parts = self.globals.values().filter_map(|made| match made {
            Made::Part(ir) => Some(ir.clone()),
            Made::Value(_) => None,
        });
        parts.collect()
    }

    /// Adds all of it to `environment`.
    ///
    /// # Errors
    /// For a global that is nested deeper than `depth`.
    pub(crate) fn add_to(
        &self,
        environment: &mut Environment<'static>,
        depth: usize,
    ) -> Result<(), Problem> {
        for (name, host) in &self.filters {
            let (host, owner) = (host.clone(), name.clone());
            environment.add_filter(
                name.clone(),
                move |state: &mut State<'_, '_>,
                      value: Value,
                      positional: Rest<Value>,
                      kwargs: Kwargs|
                      -> Result<Value, Error> {
                    let at = kwargs.peek::<Vec<usize>>("bp_at").ok().map(|at| place(&at));
                    let value = Some(&value);
                    let made = run(state, &owner, &host, (value, &positional, &kwargs), &at);
                    settle(state, made, at.as_ref())
                },
            );
        }
        for (name, host) in &self.functions {
            let function = HostFunction { name: name.clone(), host: host.clone(), place: None };
            environment.add_global(name.clone(), Value::from_object(function));
        }
        let mut number = 0;
        for (name, made) in &self.globals {
            let value = match made {
                Made::Value(json) => from_json(json.clone(), depth)?,
                Made::Part(_) => {
                    number += 1;
                    Value::from_safe_string(crate::template::arena::handle(number - 1))
                }
            };
            environment.add_global(name.clone(), value);
        }
        Ok(())
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions")
            .field("filters", &self.filters.keys())
            .field("functions", &self.functions.keys())
            .field("globals", &self.globals)
            .finish_non_exhaustive()
    }
}

/// A function of the host, which may know where it is called.
#[derive(Clone)]
pub(crate) struct HostFunction {
    name: String,
    host: Host,
    place: Option<Place>,
}

impl HostFunction {
    pub(crate) fn at(&self, place: Place) -> Self {
        Self { place: Some(place), ..self.clone() }
    }
}

impl fmt::Debug for HostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Object for HostFunction {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let (positional, kwargs): (Rest<Value>, Kwargs) = from_args(args)?;
        let given: Given<'_> = (None, &positional, &kwargs);
        let made = run(state, &self.name, &self.host, given, &self.place);
        settle(state, made, self.place.as_ref())
    }
}

type Given<'a> = (Option<&'a Value>, &'a [Value], &'a Kwargs);

fn run(
    state: &mut State<'_, '_>,
    owner: &str,
    host: &Host,
    (value, positional, kwargs): Given<'_>,
    place: &Option<Place>,
) -> Result<Value, Fault> {
    let json = |value: &Value| match value.is_undefined() {
        true => Err(Problem::undefined(&format!("an argument of `{owner}` is undefined"), None)),
        false => to_json(value),
    };
    let mut call = HostCall { value: value.map(json).transpose()?, ..HostCall::default() };
    call.positional = positional.iter().map(json).collect::<Result<_, _>>()?;
    for name in kwargs.args().filter(|name| !name.starts_with(RESERVED_PREFIX)) {
        let argument = kwargs.peek::<Value>(name).unwrap_or_default();
        call.named.insert(name.to_owned(), json(&argument)?);
    }
    match host(&call) {
        Ok(Made::Part(ir)) => add(state, Kind::Closed(ir), place.as_ref()),
        Ok(Made::Value(json)) => Ok(from_json(json, 128)?),
        Err(error) => Err(Problem::host_failed(owner, &error.0).into()),
    }
}
