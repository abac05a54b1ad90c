//! What makes parts: the filters behind our block tags, `anything`, `json_schema` and `regex`.
//!
//! Each takes rendered text or values, puts a part into the arena and returns its handle as a
//! string that is marked safe.

use std::sync::Arc;

use minijinja::value::{Kwargs, Object, ObjectRepr, Rest, Value, ValueKind, from_args};
use minijinja::{Environment, Error, State};

use crate::diagnostic::problem::Problem;
use crate::diagnostic::suggest;
use crate::ir::{Ir, Origin};
use crate::limits::Limits;
use crate::schema::SchemaOptions;
use crate::template::arena::{self, Arena, Kind, Part, Parts, Place};
use crate::template::blocks;
use crate::template::fault::Fault;
use crate::template::rewrite::TemplateId;
use crate::template::value::{describe, to_json};

/// Adds everything that makes parts to `environment`.
pub(crate) fn add_to(environment: &mut Environment<'static>, limits: &Limits) {
    environment.add_global("bp_limits", Value::from_object(Bounds(limits.clone())));
    environment.add_filter("bp_repeat", repeat);
    environment.add_filter("bp_choice", choice);
    environment.add_filter("bp_option", option);
    environment.add_filter("bp_optional", optional);
    environment.add_filter("bp_settled", settled);
    environment.add_function("bp_source", source);
    environment.add_function("bp_plain", plain);
    environment.add_function("bp_place", placed);
    environment.add_function("bp_anything", anything_tag);
    environment.add_global("anything", Value::from_object(AnythingFunction { place: None }));
    environment.add_filter("json_schema", json_schema);
    environment.add_filter("regex", regex);
}

/// The arena of the rendering that `state` belongs to.
pub(crate) fn arena<'a>(state: &'a mut State<'_, '_>) -> &'a mut Arena {
    let globals = state.env();
    state.get_or_insert_extension_with(|| {
        let bounds = globals.globals().find(|(name, _)| *name == "bp_limits");
        let bounds = bounds.and_then(|(_, value)| value.downcast_object::<Bounds>());
        Arena::new(&bounds.map(|bounds| bounds.0.clone()).unwrap_or_default())
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
pub(crate) fn add(state: &mut State<'_, '_>, kind: Kind) -> Result<Value, Fault> {
    Ok(Value::from_safe_string(arena(state).add(kind)?))
}

/// The place that the rewritten template hands to a construct, as template, start and end.
fn place(at: &[usize]) -> Place {
    let part = |index: usize| at.get(index).copied().unwrap_or_default();
    let template = TemplateId(u32::try_from(part(0)).unwrap_or(u32::MAX));
    Place { template, range: part(1)..part(2) }
}

fn read(state: &mut State<'_, '_>, body: &Value) -> Result<Vec<Arc<Part>>, Fault> {
    Ok(arena(state).read(body.as_str().unwrap_or_default())?)
}

fn repeat(
    state: &mut State<'_, '_>,
    body: Value,
    at: Vec<usize>,
    kwargs: Kwargs,
) -> Result<Value, Error> {
    let place = place(&at);
    let made = make_repeat(state, &body, &kwargs);
    Ok(made.map_err(|fault| fault.at(Some(&place)))?)
}

fn make_repeat(state: &mut State<'_, '_>, body: &Value, kwargs: &Kwargs) -> Result<Value, Fault> {
    let argument = |name: &'static str| -> Result<Option<u32>, Fault> {
        match given(kwargs, name) {
            Some(value) => count(name, &value).map(Some),
            None => Ok(None),
        }
    };
    let (min, max, times) = (argument("min")?, argument("max")?, argument("times")?);
    let (min, max) = match times {
        Some(times) => (times, Some(times)),
        None => (min.unwrap_or(0), max),
    };
    if let Some(max) = max.filter(|max| *max < min) {
        return Err(Fault::from(Problem::empty_repeat(min, max)).in_argument("max"));
    }
    let separator: Parts = match given(kwargs, "sep") {
        Some(value) => {
            text_or_parts(state, &value).map_err(|fault| fault.in_argument("sep"))?.into()
        }
        None => Arc::new([]),
    };
    let body = chomped(read(state, body)?, kwargs).into();
    add(state, Kind::Repeat { body, min, max, separator })
}

/// The value of an argument, `none` and the undefined value included.
fn given(kwargs: &Kwargs, name: &str) -> Option<Value> {
    kwargs.has(name).then(|| kwargs.peek::<Value>(name).unwrap_or_default())
}

/// A bound of a repeat.
fn count(name: &'static str, value: &Value) -> Result<u32, Fault> {
    let integer = i128::try_from(value.clone()).ok().filter(|_| value.is_integer());
    let count = integer.and_then(|integer| u32::try_from(integer).ok());
    count.ok_or_else(|| {
        let problem = match value.is_undefined() {
            true => Problem::undefined(&format!("the value of `{name}` is undefined"), None),
            false => Problem::bad_count(name, &describe(value)),
        };
        Fault::from(problem).in_argument(name)
    })
}

/// A separator: parts if it holds any, otherwise data.
fn text_or_parts(state: &mut State<'_, '_>, value: &Value) -> Result<Vec<Arc<Part>>, Fault> {
    let rendered = match value.as_str() {
        Some(text) if value.is_safe() => text.to_owned(),
        Some(text) => arena(state).add_value(text)?,
        None if value.is_undefined() => {
            return Err(Problem::undefined("the value of `sep` is undefined", None).into());
        }
        None => {
            let problem = format!("`sep` must be a text, not {}", describe(value));
            return Err(Problem::failed_expression(&problem).into());
        }
    };
    Ok(arena(state).read(&rendered)?)
}

/// `parts` without the line break at their end, if the block follows the option rule.
fn chomped(mut parts: Vec<Arc<Part>>, kwargs: &Kwargs) -> Vec<Arc<Part>> {
    if !kwargs.has("bp_chomp") {
        return parts;
    }
    if let Some(last) = parts.last()
        && let Kind::Text { string, origin: Origin::Source } = &last.kind
        && let Some(shorter) = string.strip_suffix('\n')
    {
        let shorter = arena::source_text(shorter);
        parts.pop();
        parts.push(Arc::new(shorter));
    }
    parts
}

fn choice(state: &mut State<'_, '_>, body: Value, at: Vec<usize>) -> Result<Value, Error> {
    let place = place(&at);
    let made = make_choice(state, &body);
    Ok(made.map_err(|fault| fault.at(Some(&place)))?)
}

fn make_choice(state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
    let mut options = Vec::new();
    for part in read(state, body)? {
        match &part.kind {
            Kind::Option { body, .. } => options.push(body.clone()),
            Kind::Text { string, .. } if string.chars().all(char::is_whitespace) => {}
            Kind::Text { string, .. } => return Err(Problem::text_in_choice(string.trim()).into()),
            _ => return Err(Problem::part_in_choice(arena::name_of(&part)).into()),
        }
    }
    match options.is_empty() {
        true => Err(Problem::empty_choice().into()),
        false => add(state, Kind::Choice(options)),
    }
}

fn option(
    state: &mut State<'_, '_>,
    body: Value,
    at: Vec<usize>,
    kwargs: Kwargs,
) -> Result<Value, Error> {
    let body = chomped(read(state, &body)?, &kwargs).into();
    Ok(add(state, Kind::Option { body, place: place(&at) })?)
}

fn optional(state: &mut State<'_, '_>, body: Value, _at: Vec<usize>) -> Result<Value, Error> {
    let body = read(state, &body)?.into();
    Ok(add(state, Kind::Optional(body))?)
}

/// What a `set` block holds: if it is printed values and nothing else it is a plain text again,
/// so that it can be compared and changed like any other.
fn settled(state: &mut State<'_, '_>, body: Value) -> Result<Value, Error> {
    if !body.as_str().is_some_and(arena::is_reserved) {
        return Ok(body);
    }
    let mut plain = String::new();
    for part in read(state, &body)? {
        match &part.kind {
            Kind::Text { string, origin: Origin::Value } => plain.push_str(string),
            _ => return Ok(body),
        }
    }
    Ok(Value::from(plain))
}

/// What is compared: rendered text without structure is its characters, whoever wrote them.
fn plain(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    if !value.is_safe() || !value.as_str().is_some_and(arena::is_reserved) {
        return Ok(value);
    }
    let mut plain = String::new();
    for part in read(state, &value)? {
        match &part.kind {
            Kind::Text { string, .. } => plain.push_str(string),
            _ => return Err(Problem::part_as_text("a comparison").into()),
        }
    }
    Ok(Value::from(plain))
}

/// A text that stands as a literal in a tag of ours: it is the author's.
fn source(literal: String) -> Result<Value, Error> {
    match arena::is_reserved(&literal) {
        true => Err(Problem::torn_part().into()),
        false => Ok(Value::from_safe_string(literal)),
    }
}

/// The function `anything`, which may know where it is called.
#[derive(Debug)]
struct AnythingFunction {
    place: Option<Place>,
}

impl Object for AnythingFunction {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        let (positional, kwargs): (Rest<Value>, Kwargs) = from_args(args)?;
        let made = make_anything(state, &positional, &kwargs, self.place.clone());
        Ok(made.map_err(|fault| fault.at(self.place.as_ref()))?)
    }
}

/// Tells `function` where it is called, if it is ours and not something of the same name.
fn placed(at: Vec<usize>, function: Value) -> Value {
    match function.downcast_object_ref::<AnythingFunction>() {
        Some(_) => {
            let place = Some(place(&at));
            Value::from_object(AnythingFunction { place })
        }
        None => function,
    }
}

fn anything_tag(state: &mut State<'_, '_>, at: Vec<usize>, kwargs: Kwargs) -> Result<Value, Error> {
    let place = place(&at);
    let made = make_anything(state, &[], &kwargs, Some(place.clone()));
    Ok(made.map_err(|fault| fault.at(Some(&place)))?)
}

fn make_anything(
    state: &mut State<'_, '_>,
    positional: &[Value],
    kwargs: &Kwargs,
    place: Option<Place>,
) -> Result<Value, Fault> {
    let (known, example) = blocks::arguments_of("anything").unwrap_or_default();
    if !positional.is_empty() {
        return Err(Problem::positional_argument("anything", example).into());
    }
    if let Some(unknown) = kwargs.args().find(|name| !known.contains(name)) {
        let guess = suggest::nearest(unknown, known.iter().copied());
        return Err(Problem::unknown_argument("anything", unknown, guess).into());
    }
    let until = match given(kwargs, "until") {
        Some(value) => Some(delimiters(state, &value).map_err(|fault| fault.in_argument("until"))?),
        None => None,
    };
    add(state, Kind::Anything { until, place })
}

fn delimiters(state: &mut State<'_, '_>, value: &Value) -> Result<Vec<Arc<str>>, Fault> {
    if value.is_undefined() {
        return Err(Problem::undefined("the value of `until` is undefined", None).into());
    }
    if value.kind() == ValueKind::String {
        return Ok(vec![delimiter(state, value)?]);
    }
    let items = match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => value.try_iter().ok(),
        _ => None,
    };
    let items = items.ok_or_else(|| Problem::bad_delimiter(&describe(value)))?;
    let found = items.map(|item| delimiter(state, &item)).collect::<Result<Vec<_>, _>>()?;
    match found.is_empty() {
        true => Err(Problem::bad_delimiter("an empty list").into()),
        false => Ok(found),
    }
}

fn delimiter(state: &mut State<'_, '_>, value: &Value) -> Result<Arc<str>, Fault> {
    let bad = || Fault::from(Problem::bad_delimiter(&describe(value)));
    let text = value.as_str().ok_or_else(bad)?;
    if arena::is_reserved(text) && !value.is_safe() {
        return Err(Problem::torn_part().into());
    }
    let mut whole = String::new();
    for part in arena(state).read(text)? {
        match &part.kind {
            Kind::Text { string, .. } => whole.push_str(string),
            _ => return Err(bad()),
        }
    }
    match whole.is_empty() {
        true => Err(Problem::empty_delimiter().into()),
        false => Ok(whole.into()),
    }
}

fn json_schema(state: &mut State<'_, '_>, value: Value, kwargs: Kwargs) -> Result<Value, Error> {
    if value.is_undefined() {
        return Err(Problem::undefined("the schema is undefined", None).into());
    }
    let json = match value.kind() {
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            if arena::is_reserved(text) {
                return Err(Problem::part_as_text("`json_schema`").into());
            }
            serde_json::from_str(text)
                .map_err(|error| Problem::schema_not_json(&error.to_string()))?
        }
        _ => to_json(&value)?,
    };
    let mut arguments = Vec::new();
    for name in kwargs.args() {
        let argument: Value = kwargs.peek(name)?;
        arguments.push((name.to_owned(), to_json(&argument)?));
    }
    let options = SchemaOptions::from_arguments(&arguments)
        .map_err(|error| Problem::bad_schema_option(&error.to_string()))?;
    let ir = Ir::schema(Arc::new(json), options).map_err(|error| Problem::bad_schema(&error))?;
    Ok(add(state, Kind::Closed(ir))?)
}

fn regex(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    let Some(pattern) = value.as_str() else {
        return Err(Problem::pattern_not_text(&describe(&value)).into());
    };
    if arena::is_reserved(pattern) {
        return Err(Problem::part_as_text("`regex`").into());
    }
    let ir = Ir::regex(pattern).map_err(|error| Problem::bad_pattern(pattern, &error))?;
    Ok(add(state, Kind::Closed(ir))?)
}
