//! The fields of a JSON object, with their places for faults.

use serde_json::{Map, Value};

use super::{Place, TagFault};

/// An object and where it stands.
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    pub(super) place: &'a Place<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(value: &'a Value, place: &'a Place<'a>) -> Result<Self, TagFault> {
        match value {
            Value::Object(map) => Ok(Self { map, place }),
            _ => Err(place.fault("this is no object")),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name)
    }

    pub(super) fn at<'b>(&'b self, name: &'b str) -> Place<'b> {
        Place::Field(self.place, name)
    }

    pub(super) fn fault(&self, name: &str, message: impl Into<String>) -> TagFault {
        self.at(name).fault(message)
    }

    /// A fault for the first field that is not one of `names`.
    pub(super) fn only(&self, names: &[&str]) -> Result<(), TagFault> {
        match self.map.keys().find(|name| !names.contains(&name.as_str())) {
            Some(name) => Err(self.fault(name, format!("there is no field `{name}`"))),
            None => Ok(()),
        }
    }

    pub(super) fn need(&self, name: &str) -> Result<&'a Value, TagFault> {
        self.get(name).ok_or_else(|| self.place.fault(format!("the field `{name}` is missing")))
    }

    pub(super) fn string(&self, name: &str) -> Result<&'a str, TagFault> {
        self.need(name)?.as_str().ok_or_else(|| self.fault(name, "this is no string"))
    }

    pub(super) fn list(&self, name: &str) -> Result<&'a [Value], TagFault> {
        match self.need(name)? {
            Value::Array(list) => Ok(list),
            _ => Err(self.fault(name, "this is no array")),
        }
    }

    /// The strings of a list that may be absent; none of them is empty.
    pub(super) fn strings(&self, name: &str) -> Result<Vec<String>, TagFault> {
        if matches!(self.get(name), None | Some(Value::Null)) {
            return Ok(Vec::new());
        }
        let strings = self.list(name)?.iter().map(|value| value.as_str().map(str::to_owned));
        let strings: Option<Vec<String>> = strings.collect();
        let strings = strings.filter(|strings| strings.iter().all(|string| !string.is_empty()));
        strings.ok_or_else(|| self.fault(name, "these must be strings, and none empty"))
    }

    /// A count that may be absent.
    pub(super) fn count(&self, name: &str) -> Result<Option<u32>, TagFault> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64().filter(|count| *count <= i32::MAX as u64) {
                Some(count) => Ok(Some(count as u32)),
                None => Err(self.fault(name, "this is no count up to 2147483647")),
            },
        }
    }

    /// A switch, off if it is absent.
    pub(super) fn switch(&self, name: &str) -> Result<bool, TagFault> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(on)) => Ok(*on),
            Some(_) => Err(self.fault(name, "this is neither true nor false")),
        }
    }

    /// A fault if the list `name` has anything in it.
    pub(super) fn none(&self, name: &str) -> Result<(), TagFault> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(()),
            Some(Value::Array(list)) if list.is_empty() => Ok(()),
            Some(_) => Err(self.fault(name, format!("`{name}` is not supported here"))),
        }
    }
}
