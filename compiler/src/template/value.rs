//! The context of a template as values that minijinja can work with, and values as JSON again.
//!
//! A caller's context comes in as JSON only, never as a value of minijinja, so that it cannot
//! bring a string that is marked safe. Objects and arrays stay our own, so that JSON taken back
//! out is exactly what came in: the order of keys, and numbers digit by digit.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ObjectRepr, Value, ValueKind};
use minijinja::{Error, ErrorKind, State};
use serde_json::{Map, Number, Value as Json};

use crate::diagnostic::problem::Problem;
use crate::template::arena;

/// A JSON object.
#[derive(Debug)]
struct JsonObject {
    entries: Vec<(Arc<str>, Item)>,
    places: BTreeMap<Arc<str>, usize>,
}

/// A JSON array.
#[derive(Debug)]
struct JsonArray(Vec<Item>);

/// A JSON value inside of an object or array.
#[derive(Debug)]
struct Item {
    value: Value,
    /// The number as it was spelled, if it is one.
    number: Option<Number>,
}

impl Item {
    fn to_json(&self, depth: usize) -> Result<Json, Problem> {
        match &self.number {
            Some(number) => Ok(Json::Number(number.clone())),
            None => to_json_within(&self.value, depth),
        }
    }
}

impl Object for JsonObject {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.places.get(key).map(|&at| self.entries[at].1.value.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.entries.iter().map(|(key, _)| Value::from(key.clone())).collect())
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.entries.len())
    }

    /// As in Python, `x.items()` is the method even where there is a key of that name.
    fn call_method(
        self: &Arc<Self>,
        _state: &mut State<'_, '_>,
        _method: &str,
        _args: &[Value],
    ) -> Result<Value, Error> {
        Err(Error::from(ErrorKind::UnknownMethod))
    }
}

impl Object for JsonArray {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(key.as_usize()?).map(|item| item.value.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.0.len())
    }
}

/// The value of `json`, whose objects and arrays may be `depth` deep.
///
/// # Errors
/// If it is deeper.
pub(crate) fn from_json(json: Json, depth: usize) -> Result<Value, Problem> {
    Ok(item(json, depth, depth)?.value)
}

fn item(json: Json, depth: usize, depth_max: usize) -> Result<Item, Problem> {
    let plain = |value| Item { value, number: None };
    let too_deep = || Problem::limit("objects and arrays inside one another", depth_max as u64);
    Ok(match json {
        Json::Null => plain(Value::from(())),
        Json::Bool(bool) => plain(Value::from(bool)),
        Json::String(string) => plain(Value::from(string)),
        Json::Number(number) => Item { value: number_value(&number), number: Some(number) },
        Json::Array(items) => {
            let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
            let items = items.into_iter().map(|json| item(json, depth, depth_max));
            plain(Value::from_object(JsonArray(items.collect::<Result<_, _>>()?)))
        }
        Json::Object(map) => {
            let depth = depth.checked_sub(1).ok_or_else(too_deep)?;
            let mut entries: Vec<(Arc<str>, Item)> = Vec::with_capacity(map.len());
            for (key, json) in map {
                entries.push((key.into(), item(json, depth, depth_max)?));
            }
            let names = entries.iter().enumerate();
            let places = names.map(|(at, (key, _))| (key.clone(), at)).collect();
            plain(Value::from_object(JsonObject { entries, places }))
        }
    })
}

/// A number that minijinja can compute with, or a value that fails when it is used: a number is
/// never rounded in silence.
fn number_value(number: &Number) -> Value {
    let spelling = number.to_string();
    if let Ok(integer) = spelling.parse::<i64>() {
        return Value::from(integer);
    }
    if let Ok(integer) = spelling.parse::<i128>() {
        return Value::from(integer);
    }
    if let Ok(integer) = spelling.parse::<u128>() {
        return Value::from(integer);
    }
    match spelling.parse::<f64>() {
        Ok(float) if float.is_finite() && is_exact(&spelling, float) => Value::from(float),
        _ => Value::from(minijinja::Error::from(Problem::inexact_number(&spelling))),
    }
}

/// Whether the shortest spelling of `float` means the same number as `spelling`.
fn is_exact(spelling: &str, float: f64) -> bool {
    match (decimal(spelling), decimal(&format!("{float:e}"))) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}

/// A decimal number as sign, digits without zeros at the ends, and the exponent of the last.
fn decimal(spelling: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = spelling.split_once(['e', 'E']).unwrap_or((spelling, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => (true, mantissa),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    let zeros = (digits.len() - kept.len()) as i64;
    let last = exponent.checked_sub(fraction.len() as i64)?.checked_add(zeros)?;
    let kept = kept.trim_start_matches('0').to_owned();
    let last = if kept.is_empty() { 0 } else { last };
    Some((negative, kept, last))
}

/// `value` as JSON, exactly as it came in if it came in with the context.
///
/// # Errors
/// If it holds a part, or something that JSON has not.
pub(crate) fn to_json(value: &Value) -> Result<Json, Problem> {
    to_json_within(value, 128)
}

fn to_json_within(value: &Value, depth: usize) -> Result<Json, Problem> {
    let Some(inner) = depth.checked_sub(1) else {
        return Err(Problem::limit("objects and arrays inside one another", 128));
    };
    if let Some(object) = value.downcast_object_ref::<JsonObject>() {
        let entries = object.entries.iter();
        let entries = entries.map(|(key, item)| Ok((key.to_string(), item.to_json(inner)?)));
        return entries.collect::<Result<Map<_, _>, Problem>>().map(Json::Object);
    }
    if let Some(array) = value.downcast_object_ref::<JsonArray>() {
        return array.0.iter().map(|item| item.to_json(inner)).collect();
    }
    let failed = |error: minijinja::Error| match as_problem(&error) {
        Some(problem) => problem,
        None => Problem::failed_expression(&error.to_string()),
    };
    match value.kind() {
        ValueKind::None => Ok(Json::Null),
        ValueKind::Bool => Ok(Json::Bool(value.is_true())),
        ValueKind::Number => serde_json::from_str(&value.to_string())
            .map_err(|_| Problem::failed_expression(&format!("JSON has no number {value}"))),
        ValueKind::String => text_of(value).map(Json::String),
        ValueKind::Seq | ValueKind::Iterable => {
            let items = value.try_iter().map_err(failed)?.checked();
            items.map(|item| to_json_within(&item.map_err(failed)?, inner)).collect()
        }
        ValueKind::Map => {
            let mut map = Map::new();
            for key in value.try_iter().map_err(failed)?.checked() {
                let key = key.map_err(failed)?;
                let item = value.get_item(&key).map_err(failed)?;
                map.insert(text_of(&key)?, to_json_within(&item, inner)?);
            }
            Ok(Json::Object(map))
        }
        kind => Err(Problem::failed_expression(&format!("JSON has no value for {kind}"))),
    }
}

fn text_of(value: &Value) -> Result<String, Problem> {
    match value.as_str() {
        Some(text) if arena::is_reserved(text) => Err(Problem::part_as_text("JSON")),
        Some(text) => Ok(text.to_owned()),
        None => Err(Problem::failed_expression("the keys of a JSON object are texts")),
    }
}

/// The problem that an error of minijinja carries.
fn as_problem(error: &minijinja::Error) -> Option<Problem> {
    use std::error::Error as _;
    let fault = error.source()?.downcast_ref::<crate::template::fault::Fault>()?;
    Some(fault.problem.as_ref().clone())
}

/// What a value is called in a message.
pub(crate) fn describe(value: &Value) -> String {
    match value.kind() {
        ValueKind::String => match value.as_str() {
            Some(text) if !arena::is_reserved(text) => crate::diagnostic::problem::quoted(text),
            _ => "a part".into(),
        },
        ValueKind::Number => value.to_string(),
        ValueKind::Undefined => "an undefined value".into(),
        ValueKind::None => "none".into(),
        ValueKind::Bool => "a truth value".into(),
        ValueKind::Seq => "a list".into(),
        ValueKind::Map => "a mapping".into(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{decimal, from_json, is_exact, to_json};

    #[test]
    fn json_comes_back_exactly() {
        let texts = [
            r#"{"z":1,"a":{"y":[1.50,1e400,-0.0],"b":123456789012345678901234567890123456789012}}"#,
            "[]",
            r#"{"":null,"b":[true,false,"x"]}"#,
        ];
        for text in texts {
            let json: serde_json::Value = serde_json::from_str(text).unwrap();
            let value = from_json(json.clone(), 10).unwrap();
            assert_eq!(to_json(&value).unwrap().to_string(), json.to_string());
        }
        let deep: serde_json::Value = serde_json::from_str("[[[1]]]").unwrap();
        assert!(from_json(deep, 2).is_err());
    }

    #[test]
    fn exact_numbers_are_told_from_others() {
        for exact in ["0.5", "0.50", "1e3", "-1.0", "1E+2", "0.1", "0.0", "1.7976931348623157e308"]
        {
            assert!(is_exact(exact, exact.parse().unwrap()), "{exact}");
        }
        for other in ["0.1000000000000000055511151231257827", "123456789.123456789012", "1e-400"] {
            assert!(!is_exact(other, other.parse().unwrap()), "{other}");
        }
        assert_eq!(decimal("0.0"), decimal("0"));
    }
}
