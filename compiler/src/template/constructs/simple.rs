//! Parts for people who want no schema: numbers, strings, dates and the like, and the number of
//! an iteration.

use std::sync::Arc;

use minijinja::State;
use minijinja::value::Value;
use serde_json::{Map, Value as Json, json};

use super::add;
use super::calls::Call;
use crate::chars::digits;
use crate::diagnostic::problem::Problem;
use crate::ir::{CaptureKind, Ir};
use crate::schema::{SchemaOptions, Whitespace};
use crate::template::fault::Fault;
use crate::template::part::Kind;
use crate::template::value::to_json;

type Made = Result<Value, Fault>;

/// `integer(min=1, max=5)`: digits without needless zeros.
pub(super) fn integer(call: &Call<'_>, state: &mut State<'_, '_>) -> Made {
    call.arguments.only(&["min", "max", "name", "type"])?;
    call.no_positional("min=1, max=5")?;
    let bound = |name: &'static str| -> Result<Option<i128>, Fault> {
        let Some(value) = call.arguments.given(name) else { return Ok(None) };
        match i128::try_from(value.clone()).ok().filter(|_| value.is_integer()) {
            Some(bound) => Ok(Some(bound)),
            None => Err(call.arguments.wrong(name, "a whole number", &value)),
        }
    };
    let (min, max) = (bound("min")?, bound("max")?);
    let ir = digits::between(min, max);
    if let (true, Some(min), Some(max)) = (ir.is_never(), min, max) {
        return Err(Fault::from(Problem::empty_range(min, max)).in_argument("max"));
    }
    call.closed(state, ir, CaptureKind::Integer)
}

/// `number(min=0.5, max=1)`: a JSON number.
pub(super) fn number(call: &Call<'_>, state: &mut State<'_, '_>) -> Made {
    call.arguments.only(&["min", "max", "name", "type"])?;
    call.no_positional("min=0.5")?;
    let keywords = [("min", "minimum"), ("max", "maximum")];
    let ir = schema(call, "number", &keywords)?;
    call.closed(state, ir, CaptureKind::Number)
}

/// `string(max_length=20)`: a JSON string with its quotation marks.
pub(super) fn string(call: &Call<'_>, state: &mut State<'_, '_>) -> Made {
    call.arguments.only(&["min_length", "max_length", "pattern", "name", "type"])?;
    call.no_positional("max_length=20")?;
    let keywords =
        [("min_length", "minLength"), ("max_length", "maxLength"), ("pattern", "pattern")];
    let ir = schema(call, "string", &keywords)?;
    call.closed(state, ir, CaptureKind::Json)
}

/// `boolean()`: `true` or `false`.
pub(super) fn boolean(call: &Call<'_>, state: &mut State<'_, '_>) -> Made {
    call.arguments.only(&["name", "type"])?;
    call.no_positional("")?;
    let ir = Ir::choice([Ir::value("true"), Ir::value("false")]);
    call.closed(state, ir, CaptureKind::Boolean)
}

/// `null()`: `null`.
pub(super) fn null(call: &Call<'_>, state: &mut State<'_, '_>) -> Made {
    call.arguments.only(&["name", "type"])?;
    call.no_positional("")?;
    call.closed(state, Ir::value("null"), CaptureKind::Json)
}

/// `iteration(start=1)`: the number of the iteration of the repeat it stands in.
pub(super) fn iteration(call: &Call<'_>, state: &mut State<'_, '_>) -> Made {
    call.arguments.only(&["start", "name", "type"])?;
    call.no_positional("start=1")?;
    let start = call.arguments.count("start")?.unwrap_or(0);
    let part = add(state, Kind::Iteration(start), call.place)?;
    call.arguments.named(state, part, CaptureKind::Integer, call.place)
}

/// A text of a well-known form, without quotation marks.
pub(super) fn format(call: &Call<'_>, state: &mut State<'_, '_>, name: &'static str) -> Made {
    call.arguments.only(&["name", "type"])?;
    call.no_positional("")?;
    let pattern = pattern(name);
    let ir = Ir::regex(&pattern).map_err(|error| Problem::bad_pattern(&pattern, &error))?;
    call.closed(state, ir, CaptureKind::Text)
}

/// A JSON value of `type`, with what the arguments say about it.
fn schema(call: &Call<'_>, kind: &str, keywords: &[(&str, &str)]) -> Result<Ir, Fault> {
    let mut source = Map::from_iter([("type".to_owned(), Json::from(kind))]);
    for (argument, keyword) in keywords {
        if let Some(value) = call.arguments.given(argument) {
            source.insert((*keyword).to_owned(), to_json(&value)?);
        }
    }
    let options = SchemaOptions { whitespace: Whitespace::Compact, ..SchemaOptions::default() };
    let schema = Ir::schema(Arc::new(json!(source)), options);
    Ok(schema.map_err(|error| Problem::bad_schema(&error))?)
}

const DATE: &str = "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])\
    |(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))\
    |(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)";
const TIME: &str = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?\
    (?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
const LABEL: &str = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const BYTE: &str = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const HEX: &str = "[0-9A-Fa-f]";

/// The pattern of a form: RFC 3339 for dates, times (without leap seconds) and durations, RFC
/// 9562, the dot-atom of RFC 5322, RFC 1123, RFC 4291 and RFC 3986 without IP literals.
fn pattern(name: &str) -> String {
    match name {
        "date" => DATE.into(),
        "time" => TIME.into(),
        "datetime" => format!("{DATE}T{TIME}"),
        "duration" => {
            let time = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)";
            let day = "[0-9]+D";
            let month = format!("[0-9]+M(?:{day})?");
            let date = format!("(?:[0-9]+Y(?:{month})?|{month}|{day})");
            format!("P(?:{date}(?:{time})?|{time}|[0-9]+W)")
        }
        "uuid" => format!("{HEX}{{8}}(?:-{HEX}{{4}}){{3}}-{HEX}{{12}}"),
        "email" => {
            let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
            format!("{atom}(?:\\.{atom})*@{LABEL}(?:\\.{LABEL})*")
        }
        "hostname" => format!("{LABEL}(?:\\.{LABEL})*"),
        "ipv4" => format!("{BYTE}(?:\\.{BYTE}){{3}}"),
        "ipv6" => ipv6(),
        _ => {
            let one = "(?:[A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})";
            format!("[A-Za-z][A-Za-z0-9+.-]*:{one}*(?:#{one}*)?")
        }
    }
}

/// The nine forms of RFC 3986, by how many groups stand before `::`.
fn ipv6() -> String {
    let group = format!("{HEX}{{1,4}}");
    let last = format!("(?:{group}:{group}|{BYTE}(?:\\.{BYTE}){{3}})");
    let before = |most: usize| format!("(?:(?:{group}:){{0,{most}}}{group})?");
    let mut forms = vec![format!("(?:{group}:){{6}}{last}"), format!("::(?:{group}:){{5}}{last}")];
    for most in 0..5 {
        let front = if most == 0 { format!("(?:{group})?") } else { before(most) };
        forms.push(format!("{front}::(?:{group}:){{{}}}{last}", 4 - most));
    }
    forms.push(format!("{}::{group}", before(5)));
    forms.push(format!("{}::", before(6)));
    forms.join("|")
}
