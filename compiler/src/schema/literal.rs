//! The values that `enum` and `const` list: those that the keywords beside them let in.

use serde_json::Value;

use super::SchemaError;
use super::evaluate::{equal, types_of};
use super::lower::Lowering;
use super::number;
use super::numbers::Decimal;
use super::read::{Keywords, Types};
use super::reference::child;
use crate::ir::Ir;

impl<'a> Lowering<'a> {
    /// The listed values of `types` that are valid for `source`, which stands at `pointer`.
    pub(super) fn listed(
        &mut self,
        keywords: &Keywords<'a>,
        source: &'a Value,
        pointer: &str,
        types: Types,
    ) -> Result<Ir, SchemaError> {
        let (name, values) = match (keywords.constant, keywords.enumeration) {
            (Some(constant), _) => ("const", std::slice::from_ref(constant)),
            (None, values) => ("enum", values.unwrap_or_default()),
        };
        let place = child(pointer, name);
        let draft = self.reader.draft;
        let mut valid = Vec::new();
        for value in values {
            let own = types_of(value, draft).ok_or_else(|| too_large(&place))?;
            if self.evaluator.is_valid(source, pointer, value)? {
                valid.push((value, own));
            }
        }
        if valid.is_empty() {
            let message = format!("no value of `{name}` is valid for the rest of the schema");
            self.note(&place, &message);
            return Ok(Ir::never());
        }
        let mut arms = Vec::new();
        for (value, own) in valid {
            if types.holds(own) {
                arms.push(self.literal(value, &place)?);
            }
        }
        Ok(Ir::choice(arms))
    }

    fn literal(&mut self, value: &Value, place: &str) -> Result<Ir, SchemaError> {
        Ok(match value {
            Value::Null | Value::Bool(_) => Ir::value(&value.to_string()),
            Value::String(text) => self.characters.quoted(text),
            Value::Number(spelled) => {
                let spelled = spelled.to_string();
                let value = Decimal::parse(&spelled).ok_or_else(|| too_large(place))?;
                number::exactly(&value, spelled.len(), self.reader.draft)
            }
            Value::Array(items) => {
                let mut parts = Vec::new();
                for item in items {
                    if !parts.is_empty() {
                        parts.push(self.comma());
                    }
                    parts.extend([self.literal(item, place)?, self.gap()]);
                }
                self.brackets(Ir::sequence(parts))
            }
            Value::Object(members) => {
                let mut parts = Vec::new();
                for (key, value) in members {
                    if !parts.is_empty() {
                        parts.push(self.comma());
                    }
                    let (key, value) = (self.characters.quoted(key), self.literal(value, place)?);
                    parts.push(self.member(key, value));
                }
                self.braces(Ir::sequence(parts))
            }
        })
    }
}

/// `{"const": 1e99999999999999999999}`
pub(super) fn too_large(place: &str) -> SchemaError {
    SchemaError::too_large(place, "a number has too big an exponent")
}

/// Whether `value` is one of `values`.
pub(super) fn is_one_of(value: &Value, values: &[Value]) -> bool {
    // A value that is asked about is most often one of the list itself.
    let itself = values.as_ptr_range().contains(&std::ptr::from_ref(value));
    itself || values.iter().any(|other| equal(value, other))
}
