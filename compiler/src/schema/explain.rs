//! Says why nothing is valid for a schema: the two places that contradict each other, where two
//! are enough.

use super::SchemaError;
use super::document::Item;
use super::draft::Types;
use super::formula::{Form, Formula, Node};
use super::keywords::Keywords;
use super::objects::facts::Group;
use super::schemas::Schemas;

/// How many schemas are looked into, one after the other.
const STEPS_MAX: usize = 64;

impl Schemas {
    /// Why nothing is valid for `formula`, which is empty.
    pub(super) fn unsatisfiable(&mut self, formula: Formula) -> SchemaError {
        let mut at = formula;
        for _ in 0..STEPS_MAX {
            let found = match *self.formulas.get(at) {
                Form::Node(node) => self.contradiction(node),
                _ => Ok(None),
            };
            match found {
                Ok(Some(Why::Places(error))) => return error,
                Ok(Some(Why::Inside(inner))) if inner != at => at = inner,
                _ => break,
            }
        }
        let pointer = self.pointer(self.place(at));
        SchemaError::unsatisfiable(pointer, "no JSON text of finite length is valid")
    }

    fn contradiction(&mut self, node: Node) -> Result<Option<Why>, SchemaError> {
        let keywords = self.keywords(node)?;
        if let Some(error) = self.crossed(node, &keywords) {
            return Ok(Some(Why::Places(error)));
        }
        if let Some(list) = keywords.enumeration.or(keywords.constant) {
            let name = self.document().key(list).to_owned();
            let message = format!("no value of `{name}` is valid for the rest of the schema");
            return Ok(Some(self.at(list, message)));
        }
        if keywords.types == Types::STRING
            && let Some(place) = keywords.strings.pattern.or(keywords.strings.format)
            && self.applied(node)?.is_empty()
        {
            return Ok(Some(self.at(place, "no string has the pattern, format and length")));
        }
        if let Some(why) = self.missing_member(node, &keywords)? {
            return Ok(Some(why));
        }
        if keywords.types == Types::ARRAY
            && let Some(rest) = keywords.arrays.rest
            && keywords.arrays.length_min > 0
            && let Some(place) = self.document().member(node.schema, "minItems")
        {
            let value = self.formula(rest, node.scope)?;
            if self.is_empty(value)? {
                let rest = self.pointer(rest);
                let message = format!("no item is valid (at {rest}), and there must be some");
                return Ok(Some(self.at(place, message)));
            }
        }
        let applied = self.applied(node)?;
        for (at, one) in applied.iter().enumerate() {
            if self.is_empty(*one)? {
                return Ok(Some(Why::Inside(*one)));
            }
            for two in &applied[at + 1..] {
                if self.disjoint(*one, *two)? {
                    let [first, second] = [*one, *two].map(|part| self.place(part));
                    let first = self.pointer(first);
                    let message = format!("no value is valid both here and at {first}");
                    return Ok(Some(self.at(second, message)));
                }
            }
        }
        Ok(None)
    }

    /// Two bounds of one schema of which the upper is below the lower.
    fn crossed(&self, node: Node, keywords: &Keywords) -> Option<SchemaError> {
        let (strings, arrays, objects) = (&keywords.strings, &keywords.arrays, &keywords.objects);
        let bounds = [
            ("minLength", strings.length_min, "maxLength", strings.length_max),
            ("minItems", arrays.length_min, "maxItems", arrays.length_max),
            ("minProperties", objects.size_min, "maxProperties", objects.size_max),
        ];
        for (low, min, high, max) in bounds {
            if max.is_some_and(|max| max < min) {
                let pointer = |name| {
                    let place = self.document().member(node.schema, name);
                    place.map(|place| self.pointer(place)).unwrap_or_default()
                };
                let message = format!("`{high}` is less than `{low}` (at {})", pointer(low));
                return Some(SchemaError::unsatisfiable(pointer(high), message));
            }
        }
        let numbers = &keywords.numbers;
        let low = numbers.minimum.or(numbers.above)?;
        let high = numbers.maximum.or(numbers.below)?;
        let limits = self.limits(keywords).into_iter().filter_map(|(_, set)| set.ok());
        let both = limits.reduce(|one, two| one.intersection(&two).unwrap_or(one))?;
        let [low_name, high_name] = [low, high].map(|place| self.document().key(place));
        let low = self.pointer(low);
        both.is_never().then(|| {
            let message = format!("no number is within `{high_name}` and `{low_name}` (at {low})");
            SchemaError::unsatisfiable(self.pointer(high), message)
        })
    }

    /// A required key without values.
    fn missing_member(
        &mut self,
        node: Node,
        keywords: &Keywords,
    ) -> Result<Option<Why>, SchemaError> {
        let Some(list) = keywords.objects.required else { return Ok(None) };
        let parts = self.parts(Group::Node(node))?;
        for name in self.document().parts(list) {
            let text = self.document().string(name).unwrap_or_default().to_owned();
            let key = self.names.key(&text);
            let own = parts.keys.iter().find(|(own, _)| *own == key);
            let inside = parts.sets.iter().filter(|(keys, _)| self.names.contains(*keys, key));
            let mut values: Vec<Formula> = own.iter().map(|(_, value)| *value).collect();
            values.extend(inside.map(|(_, value)| *value));
            if values.is_empty() {
                values.push(parts.rest);
            }
            let declared = own.is_some();
            let value = self.formulas.all(values);
            if !self.is_empty(value)? {
                continue;
            }
            let required = self.pointer(name);
            let map = keywords.objects.properties.filter(|_| declared);
            let place = map.and_then(|map| self.document().member(map, &text));
            return Ok(Some(match place {
                Some(place) => {
                    let message = format!(
                        "the key is required (at {required}), and no value is valid for it"
                    );
                    self.at(place, message)
                }
                None => {
                    let rest = keywords.objects.additional.map(|rest| self.pointer(rest));
                    let by = rest.map_or_else(String::new, |rest| format!(" (at {rest})"));
                    self.at(list, format!("`{text}` is required, but no such key is let in{by}"))
                }
            }));
        }
        Ok(None)
    }

    fn at(&self, place: Item, message: impl Into<String>) -> Why {
        Why::Places(SchemaError::unsatisfiable(self.pointer(place), message))
    }
}

/// What is found.
enum Why {
    Places(SchemaError),
    /// It is for the same reason as this one.
    Inside(Formula),
}
