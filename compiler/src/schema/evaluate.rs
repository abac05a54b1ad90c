//! Says whether one value is valid for a schema: what `enum` and `const` need of their siblings.

use std::collections::HashMap;

use serde_json::Value;

use super::literal::{is_one_of, too_large};
use super::numbers::Decimal;
use super::read::{Draft, Form, Keywords, Reader, Types};
use super::reference::{child, resolve, value_at};
use super::string::search;
use super::strings::StringLanguage;
use super::{SchemaError, SchemaFault};

/// The most schemas that are asked about values, all together.
const STEPS_MAX: usize = 1_000_000;
/// The most schemas that are open at once; more only where references go round in a circle.
const OPEN_MAX: usize = 600;

/// Validates values against parts of one schema.
pub(super) struct Evaluator<'a> {
    root: &'a Value,
    reader: Reader,
    patterns: HashMap<&'a str, StringLanguage>,
    steps: usize,
    open: usize,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(root: &'a Value, reader: Reader) -> Self {
        Self { root, reader, patterns: HashMap::new(), steps: 0, open: 0 }
    }

    /// Whether `value` is valid for `source`, which stands at `pointer`.
    pub(super) fn is_valid(
        &mut self,
        source: &'a Value,
        pointer: &str,
        value: &Value,
    ) -> Result<bool, SchemaError> {
        self.steps += 1;
        if self.steps > STEPS_MAX || self.open > OPEN_MAX {
            let message = "its values take too many steps to validate against their siblings";
            return Err(SchemaError::new(SchemaFault::TooLarge, pointer, message));
        }
        let keywords = match self.reader.read(source, pointer)? {
            Form::Always => return Ok(true),
            Form::Never => return Ok(false),
            Form::Keywords(keywords) => keywords,
        };
        self.open += 1;
        let valid = self.holds(&keywords, pointer, value);
        self.open -= 1;
        valid
    }

    fn holds(
        &mut self,
        keywords: &Keywords<'a>,
        pointer: &str,
        value: &Value,
    ) -> Result<bool, SchemaError> {
        let own = types_of(value, self.reader.draft).ok_or_else(|| too_large(pointer))?;
        let listed = keywords.constant.is_none_or(|constant| equal(constant, value))
            && keywords.enumeration.is_none_or(|values| is_one_of(value, values));
        if !listed || !keywords.types.holds(own) {
            return Ok(false);
        }
        if let Some(reference) = keywords.reference {
            let target = resolve(self.root, reference, &child(pointer, "$ref"))?;
            if let Some(source) = value_at(self.root, &target)
                && !self.is_valid(source, &target, value)?
            {
                return Ok(false);
            }
        }
        if let Some(arms) = keywords.any_of {
            let place = child(pointer, "anyOf");
            let mut any = false;
            for (at, arm) in arms.iter().enumerate() {
                any = any || self.is_valid(arm, &child(&place, &at.to_string()), value)?;
            }
            if !any {
                return Ok(false);
            }
        }
        match value {
            Value::String(text) => self.string(keywords, pointer, text),
            Value::Array(items) => self.array(keywords, pointer, items),
            Value::Object(members) => self.object(keywords, pointer, members),
            _ => Ok(true),
        }
    }

    fn string(
        &mut self,
        keywords: &Keywords<'a>,
        pointer: &str,
        text: &str,
    ) -> Result<bool, SchemaError> {
        let length = text.chars().count() as u64;
        let fits = length >= u64::from(keywords.min_length)
            && keywords.max_length.is_none_or(|max| length <= u64::from(max));
        let Some(pattern) = keywords.pattern else { return Ok(fits) };
        if !self.patterns.contains_key(pattern) {
            let place = child(pointer, "pattern");
            self.patterns.insert(pattern, search(pattern, &place)?);
        }
        Ok(fits && self.patterns.get(pattern).is_some_and(|found| found.contains(text)))
    }

    fn array(
        &mut self,
        keywords: &Keywords<'a>,
        pointer: &str,
        items: &[Value],
    ) -> Result<bool, SchemaError> {
        let count = items.len() as u64;
        if count < u64::from(keywords.min_items)
            || keywords.max_items.is_some_and(|max| count > u64::from(max))
        {
            return Ok(false);
        }
        let Some(source) = keywords.items else { return Ok(true) };
        let place = child(pointer, "items");
        for item in items {
            if !self.is_valid(source, &place, item)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn object(
        &mut self,
        keywords: &Keywords<'a>,
        pointer: &str,
        members: &serde_json::Map<String, Value>,
    ) -> Result<bool, SchemaError> {
        if !keywords.required.iter().all(|key| members.contains_key(*key)) {
            return Ok(false);
        }
        for (key, value) in members {
            let property = keywords.properties.and_then(|properties| properties.get(key));
            let (source, place) = match (property, keywords.additional) {
                (Some(source), _) => (source, child(&child(pointer, "properties"), key)),
                (None, Some(source)) => (source, child(pointer, "additionalProperties")),
                (None, None) => continue,
            };
            if !self.is_valid(source, &place, value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The least set of types that holds `value`; `None` if its exponent is out of reach.
pub(super) fn types_of(value: &Value, draft: Draft) -> Option<Types> {
    Some(match value {
        Value::Null => Types::NULL,
        Value::Bool(_) => Types::BOOLEAN,
        Value::String(_) => Types::STRING,
        Value::Array(_) => Types::ARRAY,
        Value::Object(_) => Types::OBJECT,
        Value::Number(number) => {
            let text = number.to_string();
            let integer = match draft {
                Draft::Four => !text.contains(['.', 'e', 'E']),
                _ => Decimal::parse(&text)?.is_integer(),
            };
            if integer { Types::INTEGER } else { Types::NUMBER }
        }
    })
}

/// Whether two values are equal: numbers by value, objects whatever the order of their keys.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.to_string(), other.to_string());
            one == other
                || Decimal::parse(&one)
                    .zip(Decimal::parse(&other))
                    .is_some_and(|(one, other)| one == other)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => one == other,
    }
}
