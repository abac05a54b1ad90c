//! The way back: from a value of the schema that was sent to one of the schema that was meant.

use std::collections::BTreeSet;

use serde_json::Value;

use super::walk;
use crate::facts::CaseOfEnums;
use crate::pointer;

/// Marks a property that may be null only because the provider wants it to be there.
pub(super) const MADE_NULLABLE: &str = "\u{0}made_nullable";

/// How many steps one value may take.
const STEPS_MAX: usize = 4_000_000;

/// How deep a value or a chain of references is followed.
const DEPTH_MAX: usize = 256;

/// How many places of nulls are listed.
const PLACES_MAX: usize = 1_000;

/// What becomes of a value of the schema that was sent.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Restore {
    schema: Value,
    /// Where the value's own schema is.
    start: String,
    /// The properties that were made nullable.
    nullable: BTreeSet<String>,
    enum_case: CaseOfEnums,
}

/// A value that takes too long to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooComplex;

impl Restore {
    /// Takes the marks out of a schema. `wrapped`: the value is the one member of an object.
    pub(super) fn of(schema: Value, wrapped: bool, enum_case: CaseOfEnums) -> (Value, Self) {
        let mut nullable = BTreeSet::new();
        let mut waiting = vec![(String::new(), &schema)];
        while let Some((at, part)) = waiting.pop() {
            if part.get(MADE_NULLABLE).is_some() {
                nullable.insert(at.clone());
            }
            waiting.extend(walk::children(part, &at));
            waiting.extend(walk::definitions(part, &at));
        }
        let mut plain = schema;
        for at in &nullable {
            if let Some(Value::Object(members)) = plain.pointer_mut(at) {
                members.shift_remove(MADE_NULLABLE);
            }
        }
        let start =
            if wrapped { format!("/properties/{}", super::wrap::MEMBER) } else { "".into() };
        let restore = Self { schema: plain.clone(), start, nullable, enum_case };
        (plain, restore)
    }

    /// The places in the value at which null means that there is nothing: pointers, in which `*`
    /// is any item or member, and `**` any number of steps.
    pub(crate) fn places(&self) -> Vec<String> {
        let mut places = Vec::new();
        if !self.nullable.is_empty() {
            let mut on_way = vec![(self.start.clone(), 0, false)];
            self.list(&self.start, "", &mut on_way, &mut places, 0);
            if on_way.first().is_some_and(|(_, _, recursive)| *recursive) {
                places.iter_mut().for_each(|place| *place = format!("/**{place}"));
            }
        }
        places
    }

    fn list(
        &self,
        at: &str,
        place: &str,
        on_way: &mut Vec<(String, usize, bool)>,
        places: &mut Vec<String>,
        depth: usize,
    ) {
        if places.len() >= PLACES_MAX || depth > DEPTH_MAX {
            return;
        }
        let Some(schema) = self.schema.pointer(at) else { return };
        if let Some(target) = target(schema) {
            if let Some(seen) = on_way.iter_mut().find(|(own, ..)| *own == target) {
                seen.2 = true;
                return;
            }
            let from = places.len();
            on_way.push((target.clone(), from, false));
            self.list(&target, place, on_way, places, depth + 1);
            if let Some((_, from, true)) = on_way.pop() {
                for known in &mut places[from..] {
                    let rest = known.strip_prefix(place).unwrap_or(known).to_owned();
                    *known = format!("{place}/**{rest}");
                }
            }
        }
        for (inner, _) in walk::children(schema, at) {
            let step = inner.strip_prefix(at).unwrap_or_default();
            let mut steps = pointer::steps(step);
            let place = match steps.next().as_deref() {
                Some("properties") => pointer::join(place, &steps.next().unwrap_or_default()),
                Some("items" | "additionalProperties" | "patternProperties") => {
                    format!("{place}/*")
                }
                Some("prefixItems") => pointer::join(place, &steps.next().unwrap_or_default()),
                _ => place.to_owned(),
            };
            if self.nullable.contains(&inner) && !places.contains(&place) {
                places.push(place.clone());
            }
            self.list(&inner, &place, on_way, places, depth + 1);
        }
    }

    /// Makes the value one of the schema that was meant.
    ///
    /// Where alternatives differ in what null means, the first that fits decides; the result is
    /// valid for it.
    pub(crate) fn apply(&self, value: &mut Value) -> Result<(), TooComplex> {
        if self.nullable.is_empty() && self.enum_case == CaseOfEnums::Exact {
            return Ok(());
        }
        let mut steps = Steps(STEPS_MAX);
        self.value(value, &self.start, &mut steps, 0)
    }

    fn value(
        &self,
        value: &mut Value,
        at: &str,
        steps: &mut Steps,
        depth: usize,
    ) -> Result<(), TooComplex> {
        steps.take(depth)?;
        let Some(schema) = self.schema.pointer(at) else { return Ok(()) };
        if let Some(target) = target(schema) {
            self.value(value, &target, steps, depth + 1)?;
        }
        self.case(value, schema);
        for keyword in ["anyOf", "oneOf"] {
            let branches = schema.get(keyword).and_then(Value::as_array).map_or(0, Vec::len);
            for branch in (0..branches).map(|n| format!("{at}/{keyword}/{n}")) {
                if self.fits(value, &branch, steps, depth + 1)? {
                    self.value(value, &branch, steps, depth + 1)?;
                    break;
                }
            }
        }
        let branches = schema.get("allOf").and_then(Value::as_array).map_or(0, Vec::len);
        for n in 0..branches {
            self.value(value, &format!("{at}/allOf/{n}"), steps, depth + 1)?;
        }
        match value {
            Value::Object(members) => {
                let places: Vec<(String, String)> = members
                    .keys()
                    .filter_map(|name| Some((name.clone(), member(schema, at, name)?)))
                    .collect();
                for (name, place) in places {
                    let Some(own) = members.get_mut(&name) else { continue };
                    if own.is_null() && self.nullable.contains(&place) {
                        members.shift_remove(&name);
                    } else {
                        self.value(own, &place, steps, depth + 1)?;
                    }
                }
            }
            Value::Array(items) => {
                for (n, own) in items.iter_mut().enumerate() {
                    if let Some(place) = item(schema, at, n) {
                        self.value(own, &place, steps, depth + 1)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives a text its case back.
    fn case(&self, value: &mut Value, schema: &Value) {
        if self.enum_case == CaseOfEnums::Exact {
            return;
        }
        let Some(text) = value.as_str() else { return };
        let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let known: Vec<&str> =
            listed.chain(schema.get("const")).filter_map(Value::as_str).collect();
        if known.contains(&text) {
            return;
        }
        let folded = text.to_lowercase();
        let mut same = known.iter().filter(|own| own.to_lowercase() == folded);
        if let (Some(own), None) = (same.next(), same.next()) {
            *value = Value::String((*own).to_owned());
        }
    }

    /// Whether a value is of this alternative, as far as its types, constants and members tell.
    fn fits(
        &self,
        value: &Value,
        at: &str,
        steps: &mut Steps,
        depth: usize,
    ) -> Result<bool, TooComplex> {
        steps.take(depth)?;
        let Some(schema) = self.schema.pointer(at) else { return Ok(false) };
        let Some(keywords) = schema.as_object() else { return Ok(schema == &Value::Bool(true)) };
        if let Some(target) = target(schema)
            && !self.fits(value, &target, steps, depth + 1)?
        {
            return Ok(false);
        }
        let types = walk::types(keywords);
        if types.is_some_and(|types| !types.iter().any(|name| walk::is_of(value, name))) {
            return Ok(false);
        }
        let same = |own: &Value| own == value || (self.is_loose() && same_letters(own, value));
        let listed = keywords.get("enum").and_then(Value::as_array);
        if listed.is_some_and(|values| !values.iter().any(same))
            || keywords.get("const").is_some_and(|own| !same(own))
        {
            return Ok(false);
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(branches) = keywords.get(keyword).and_then(Value::as_array) else { continue };
            let mut any = false;
            for n in 0..branches.len() {
                any |= self.fits(value, &format!("{at}/{keyword}/{n}"), steps, depth + 1)?;
            }
            if !any {
                return Ok(false);
            }
        }
        self.parts_fit(value, schema, at, steps, depth)
    }

    fn parts_fit(
        &self,
        value: &Value,
        schema: &Value,
        at: &str,
        steps: &mut Steps,
        depth: usize,
    ) -> Result<bool, TooComplex> {
        match value {
            Value::Object(members) => {
                let required = schema.get("required").and_then(Value::as_array);
                let mut required = required.into_iter().flatten().filter_map(Value::as_str);
                if required.any(|name| !members.contains_key(name)) {
                    return Ok(false);
                }
                let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
                for (name, own) in members {
                    match member(schema, at, name) {
                        Some(place) if self.fits(own, &place, steps, depth + 1)? => {}
                        None if !closed => {}
                        _ => return Ok(false),
                    }
                }
            }
            Value::Array(items) => {
                for (n, own) in items.iter().enumerate() {
                    if let Some(place) = item(schema, at, n)
                        && !self.fits(own, &place, steps, depth + 1)?
                    {
                        return Ok(false);
                    }
                }
            }
            _ => {}
        }
        Ok(true)
    }

    fn is_loose(&self) -> bool {
        self.enum_case == CaseOfEnums::Loose
    }
}

/// The steps that are left.
struct Steps(usize);

impl Steps {
    fn take(&mut self, depth: usize) -> Result<(), TooComplex> {
        match self.0.checked_sub(1) {
            Some(left) if depth <= DEPTH_MAX => {
                self.0 = left;
                Ok(())
            }
            _ => Err(TooComplex),
        }
    }
}

fn target(schema: &Value) -> Option<String> {
    schema.get("$ref")?.as_str()?.strip_prefix('#').map(str::to_owned)
}

fn same_letters(a: &Value, b: &Value) -> bool {
    match (a.as_str(), b.as_str()) {
        (Some(a), Some(b)) => a.to_lowercase() == b.to_lowercase(),
        _ => false,
    }
}

/// Where the schema of a member is, if it is declared or all are alike.
fn member(schema: &Value, at: &str, name: &str) -> Option<String> {
    let declared = schema.get("properties").and_then(|all| all.get(name)).is_some();
    let place = pointer::join(at, if declared { "properties" } else { "additionalProperties" });
    match declared {
        true => Some(pointer::join(&place, name)),
        false => schema.get("additionalProperties")?.is_object().then_some(place),
    }
}

/// Where the schema of an item is.
fn item(schema: &Value, at: &str, n: usize) -> Option<String> {
    let tuple = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
    if n < tuple {
        return Some(format!("{at}/prefixItems/{n}"));
    }
    schema.get("items")?.is_object().then(|| format!("{at}/items"))
}
