//! Jinja's own filters, tests and functions, as far as a blueprint can have them.
//!
//! Those that look at text refuse a part, whose text they would not see. `safe`, `escape` and
//! `e` are left out, and `tojson` is our own, because they make safe text of data.

use std::sync::Arc;

use minijinja::filters as built_in;
use minijinja::functions;
use minijinja::tests;
use minijinja::value::{Rest, Value, ValueKind};
use minijinja::{Environment, Error, State};

use crate::diagnostic::problem::Problem;
use crate::template::arena;
use crate::template::constructs;
use crate::template::part::{Kind, Part};
use crate::template::python_json;

/// Filters of Jinja that a blueprint does not have.
pub(crate) const REFUSED: &[&str] = &["safe", "escape", "e", "forceescape", "urlize", "xmlattr"];

/// The filters that look at text.
const READING: &[&str] = &[
    "lower",
    "upper",
    "title",
    "capitalize",
    "replace",
    "length",
    "count",
    "split",
    "lines",
    "round",
    "abs",
    "int",
    "float",
    "min",
    "max",
    "sort",
    "bool",
    "sum",
    "indent",
    "unique",
    "groupby",
    "pprint",
    "format",
    "dictsort",
    "reverse",
];

/// The filters that pass parts on as they are.
const PASSING: &[&str] = &[
    "items",
    "join",
    "default",
    "d",
    "attr",
    "first",
    "last",
    "list",
    "string",
    "batch",
    "slice",
    "select",
    "reject",
    "selectattr",
    "rejectattr",
    "map",
    "chain",
    "zip",
];

/// Our own.
const OURS: &[&str] = &["tojson", "trim"];

/// The names of all filters.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let parts = constructs::part_filters();
    let escapes = constructs::ESCAPES.iter().map(|(name, _)| *name);
    OURS.iter().chain(READING).chain(PASSING).copied().chain(parts).chain(escapes)
}

/// Whether a filter of this name makes a part or is otherwise our own.
pub(crate) fn is_ours(name: &str) -> bool {
    names().skip(OURS.len() + READING.len() + PASSING.len()).any(|known| known == name)
        || OURS.contains(&name)
}

/// Adds the filters, tests and functions of Jinja to `environment`.
pub(crate) fn add_to(environment: &mut Environment<'static>) {
    for name in READING {
        if let Some(filter) = built_in_filter(name) {
            environment.add_filter(
                *name,
                move |state: &mut State<'_, '_>, arguments: Rest<Value>| {
                    refuse_parts(name, &arguments)?;
                    filter.call(state, &arguments)
                },
            );
        }
    }
    for name in PASSING {
        if let Some(filter) = built_in_filter(name) {
            environment.add_filter(
                *name,
                move |state: &mut State<'_, '_>, arguments: Rest<Value>| {
                    filter.call(state, &arguments)
                },
            );
        }
    }
    environment.add_filter("tojson", python_json::tojson);
    environment.add_filter("trim", trim);
    add_tests(environment);
    environment.set_unknown_method_callback(method);
    environment.add_function("range", functions::range);
    environment.add_function("dict", functions::dict);
    environment.add_function("namespace", functions::namespace);
}

/// A method of Python's texts, lists and dictionaries. Its result is data, whatever it was.
fn method(
    state: &mut State<'_, '_>,
    value: &Value,
    name: &str,
    arguments: &[Value],
) -> Result<Value, Error> {
    if value.kind() == ValueKind::String {
        refuse_parts(name, std::slice::from_ref(value))?;
        refuse_parts(name, arguments)?;
    }
    let result =
        minijinja_contrib::pycompat::unknown_method_callback(state, value, name, arguments)?;
    Ok(match result.as_str() {
        Some(text) if result.is_safe() && value.kind() == ValueKind::String => Value::from(text),
        _ => result,
    })
}

fn built_in_filter(name: &str) -> Option<Value> {
    Some(match name {
        "lower" => Value::from_function(built_in::lower),
        "upper" => Value::from_function(built_in::upper),
        "title" => Value::from_function(built_in::title),
        "capitalize" => Value::from_function(built_in::capitalize),
        "replace" => Value::from_function(built_in::replace),
        "length" | "count" => Value::from_function(built_in::length),
        "split" => Value::from_function(built_in::split),
        "lines" => Value::from_function(built_in::lines),
        "round" => Value::from_function(built_in::round),
        "abs" => Value::from_function(built_in::abs),
        "int" => Value::from_function(built_in::int),
        "float" => Value::from_function(built_in::float),
        "min" => Value::from_function(built_in::min),
        "max" => Value::from_function(built_in::max),
        "sort" => Value::from_function(built_in::sort),
        "bool" => Value::from_function(built_in::bool),
        "sum" => Value::from_function(built_in::sum),
        "indent" => Value::from_function(built_in::indent),
        "unique" => Value::from_function(built_in::unique),
        "groupby" => Value::from_function(built_in::groupby),
        "pprint" => Value::from_function(built_in::pprint),
        "format" => Value::from_function(built_in::format),
        "dictsort" => Value::from_function(built_in::dictsort),
        "reverse" => Value::from_function(built_in::reverse),
        "items" => Value::from_function(built_in::items),
        "join" => Value::from_function(built_in::join),
        "default" | "d" => Value::from_function(built_in::default),
        "attr" => Value::from_function(built_in::attr),
        "first" => Value::from_function(built_in::first),
        "last" => Value::from_function(built_in::last),
        "list" => Value::from_function(built_in::list),
        "string" => Value::from_function(built_in::string),
        "batch" => Value::from_function(built_in::batch),
        "slice" => Value::from_function(built_in::slice),
        "select" => Value::from_function(built_in::select),
        "reject" => Value::from_function(built_in::reject),
        "selectattr" => Value::from_function(built_in::selectattr),
        "rejectattr" => Value::from_function(built_in::rejectattr),
        "map" => Value::from_function(built_in::map),
        "chain" => Value::from_function(built_in::chain),
        "zip" => Value::from_function(built_in::zip),
        _ => return None,
    })
}

/// Fails if an argument is a part, or a list with one in it.
pub(crate) fn refuse_parts(name: &str, arguments: &[Value]) -> Result<(), Error> {
    for argument in arguments {
        let found = match argument.kind() {
            ValueKind::String => holds_part(argument).then_some(argument.is_safe()),
            ValueKind::Seq => {
                let mut items = argument.try_iter()?;
                items.find(holds_part).map(|item| item.is_safe())
            }
            _ => None,
        };
        match found {
            Some(true) => return Err(Problem::part_as_text(&format!("`{name}`")).into()),
            Some(false) => return Err(Problem::torn_part().into()),
            None => {}
        }
    }
    Ok(())
}

fn holds_part(value: &Value) -> bool {
    value.as_str().is_some_and(arena::is_reserved)
}

fn add_tests(environment: &mut Environment<'static>) {
    let reading: [(&'static str, Value); 12] = [
        ("startingwith", Value::from_function(tests::is_startingwith)),
        ("endingwith", Value::from_function(tests::is_endingwith)),
        ("lower", Value::from_function(tests::is_lower)),
        ("upper", Value::from_function(tests::is_upper)),
        ("in", Value::from_function(tests::is_in)),
        ("eq", Value::from_function(tests::is_eq)),
        ("equalto", Value::from_function(tests::is_eq)),
        ("ne", Value::from_function(tests::is_ne)),
        ("lt", Value::from_function(tests::is_lt)),
        ("le", Value::from_function(tests::is_le)),
        ("gt", Value::from_function(tests::is_gt)),
        ("ge", Value::from_function(tests::is_ge)),
    ];
    for (name, test) in reading {
        environment.add_test(name, move |state: &mut State<'_, '_>, arguments: Rest<Value>| {
            refuse_parts(name, &arguments)?;
            test.call(state, &arguments).map(|value| value.is_true())
        });
    }
    environment.add_test("undefined", tests::is_undefined);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("none", tests::is_none);
    environment.add_test("boolean", tests::is_boolean);
    environment.add_test("odd", tests::is_odd);
    environment.add_test("even", tests::is_even);
    environment.add_test("divisibleby", tests::is_divisibleby);
    environment.add_test("number", tests::is_number);
    environment.add_test("integer", tests::is_integer);
    environment.add_test("float", tests::is_float);
    environment.add_test("string", tests::is_string);
    environment.add_test("sequence", tests::is_sequence);
    environment.add_test("iterable", tests::is_iterable);
    environment.add_test("mapping", tests::is_mapping);
    environment.add_test("true", tests::is_true);
    environment.add_test("false", tests::is_false);
    environment.add_test("sameas", tests::is_sameas);
    environment.add_test("filter", tests::is_filter);
    environment.add_test("test", tests::is_test);
}

/// Takes white space off both ends; of a text with parts, off the texts at its ends.
fn trim(state: &mut State<'_, '_>, arguments: Rest<Value>) -> Result<Value, Error> {
    match arguments.as_slice() {
        [value] if holds_part(value) && value.is_safe() => {
            let text = value.as_str().unwrap_or_default();
            let mut parts = constructs::arena(state).read(text)?;
            trim_first(&mut parts, str::trim_start);
            parts.reverse();
            trim_first(&mut parts, str::trim_end);
            parts.reverse();
            Ok(Value::from_safe_string(constructs::arena(state).render(parts.into())))
        }
        _ => {
            refuse_parts("trim", &arguments)?;
            Value::from_function(built_in::trim).call(state, &arguments)
        }
    }
}

fn trim_first(parts: &mut Vec<Arc<Part>>, trim: fn(&str) -> &str) {
    while let Some(part) = parts.first() {
        let Kind::Text { string, .. } = &part.kind else { return };
        let shorter = trim(string);
        if !shorter.is_empty() {
            parts[0] = Arc::new(part.with_text(shorter));
            return;
        }
        parts.remove(0);
    }
}
