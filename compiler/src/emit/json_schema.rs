//! Says an [`Ir`] as a JSON Schema.
//!
//! Text is read as JSON with holes: a schema, or a choice of values, stands where a value does;
//! a choice of texts may stand in a string; a list of parts stands in an array or an object. A
//! schema speaks of values, so how they are spelled is lost.

use serde_json::{Map, Value, json};

use super::{DEPTH_MAX, EmitError, Emitted, Exactness, Loss, Lost, Place, Step, capture, finish};
use crate::ir::{Ir, Joined, Kind, Repeat};

/// The most strings that choices inside one string may make.
const STRINGS_MAX: usize = 1000;

pub(super) fn emit(ir: &Ir, exactness: Exactness) -> Result<Emitted, EmitError> {
    let mut emitter = Emitter { losses: Vec::new(), resources: 0, depth: 0 };
    let schema = emitter.value(&[(ir, Place::default())], true)?;
    finish(format!("{schema:#}\n"), emitter.losses, exactness)
}

struct Emitter {
    losses: Vec<Loss>,
    /// How many schemas have got an identifier.
    resources: usize,
    depth: usize,
}

/// A character, or a part that stands for more.
#[derive(Clone)]
enum Item {
    Character(char, Place),
    Hole(Ir, Place),
}

impl Item {
    fn place(&self) -> &Place {
        match self {
            Self::Character(_, place) | Self::Hole(_, place) => place,
        }
    }
}

/// JSON with holes, as far as it is read.
struct Text {
    items: Vec<Item>,
    at: usize,
    whole: Place,
}

impl Text {
    fn peek(&self) -> Option<&Item> {
        self.items.get(self.at)
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(Item::Character(' ' | '\n' | '\r' | '\t', _))) {
            self.at += 1;
        }
    }

    /// Passes `mark` if it is next, behind white space.
    fn has(&mut self, mark: char) -> bool {
        self.blank();
        let found = matches!(self.peek(), Some(Item::Character(c, _)) if *c == mark);
        self.at += usize::from(found);
        found
    }

    fn fail<T>(&self, reason: &'static str) -> Result<T, EmitError> {
        let place = self.peek().map_or(&self.whole, Item::place).clone();
        Err(EmitError::NotJson { place, reason })
    }
}

impl Emitter {
    /// The schema of the value that `parts` spell, nothing else around it.
    fn value(&mut self, parts: &[(&Ir, Place)], top: bool) -> Result<Value, EmitError> {
        if self.depth == DEPTH_MAX {
            return Err(EmitError::TooDeep { depth_max: DEPTH_MAX });
        }
        self.depth += 1;
        let whole = parts.first().map_or_else(Place::default, |(_, place)| place.clone());
        let mut text = Text { items: Vec::new(), at: 0, whole };
        for (ir, place) in parts {
            self.items(ir, place.clone(), &mut text.items);
        }
        let spelled = text.items.iter().any(|item| matches!(item, Item::Character(..)));
        if spelled && top {
            let reason = "a schema speaks of values".into();
            let place = text.whole.clone();
            self.losses.push(Loss { lost: Lost::Spelling, place, reason });
        }
        let schema = self.read(&mut text)?;
        text.blank();
        if text.peek().is_some() {
            return text.fail("it goes on behind the value");
        }
        self.depth -= 1;
        Ok(schema)
    }

    fn items(&mut self, ir: &Ir, place: Place, found: &mut Vec<Item>) {
        let step = |step: Step| {
            let mut place = place.clone();
            place.0.push(step);
            place
        };
        match ir.kind() {
            Kind::Text(text) => {
                found.extend(text.string.chars().map(|c| Item::Character(c, place.clone())));
            }
            Kind::Sequence(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    self.items(part, step(Step::Part(at)), found);
                }
            }
            Kind::Capture(part) => {
                self.losses.push(capture(&part.name, place.clone()));
                self.items(&part.body, step(Step::Body), found);
            }
            _ => found.push(Item::Hole(ir.clone(), place)),
        }
    }

    fn read(&mut self, text: &mut Text) -> Result<Value, EmitError> {
        text.blank();
        match text.peek().cloned() {
            Some(Item::Hole(ir, place)) => {
                text.at += 1;
                self.hole(&ir, &place)
            }
            Some(Item::Character('{', _)) => self.object(text),
            Some(Item::Character('[', _)) => self.array(text),
            Some(Item::Character('"', _)) => {
                let strings = self.strings(text)?;
                Ok(one_of(strings.into_iter().map(Value::String).collect()))
            }
            Some(Item::Character(..)) => scalar(text),
            None => text.fail("a value is missing"),
        }
    }

    fn hole(&mut self, ir: &Ir, place: &Place) -> Result<Value, EmitError> {
        let fail = |reason| Err(EmitError::NotJson { place: place.clone(), reason });
        match ir.kind() {
            Kind::Schema(schema) => {
                if schema.options.style.is_some() {
                    return fail("a style writes no JSON");
                }
                if !schema.options.arguments().is_empty() {
                    let reason = "a schema speaks of values".into();
                    let place = place.clone();
                    self.losses.push(Loss { lost: Lost::Spelling, place, reason });
                }
                Ok(self.resource(&schema.source, place))
            }
            Kind::Choice(arms) if !arms.is_empty() => {
                let mut schemas = Vec::with_capacity(arms.len());
                for (at, arm) in arms.iter().enumerate() {
                    let mut place = place.clone();
                    place.0.push(Step::Arm(at));
                    schemas.push(self.value(&[(arm, place)], false)?);
                }
                let constant = |schema: &Value| match schema.as_object() {
                    Some(fields) if fields.len() == 1 => fields.get("const").cloned(),
                    _ => None,
                };
                Ok(match schemas.iter().map(constant).collect::<Option<Vec<_>>>() {
                    Some(values) => one_of(values),
                    None => json!({ "anyOf": schemas }),
                })
            }
            Kind::Anything(_) | Kind::Regex(_) | Kind::Class(_) => fail("free text is no value"),
            Kind::Grammar(_) | Kind::Call(_) => fail("the texts of a grammar are not looked into"),
            _ => fail("it is not one value"),
        }
    }

    /// `schema` where it stands inside another: its references are to itself.
    fn resource(&mut self, schema: &Value, place: &Place) -> Value {
        let mut schema = schema.clone();
        if !place.0.is_empty()
            && refers(&schema)
            && let Some(fields) = schema.as_object_mut()
            && !fields.contains_key("$id")
        {
            self.resources += 1;
            fields.insert("$id".into(), format!("urn:blueprint:{}", self.resources).into());
        }
        schema
    }

    fn object(&mut self, text: &mut Text) -> Result<Value, EmitError> {
        text.has('{');
        let (mut properties, mut required) = (Map::new(), Vec::new());
        if !text.has('}') {
            text.blank();
            if let Some(Item::Hole(ir, place)) = text.peek().cloned()
                && let Kind::Joined(joined) = ir.kind()
            {
                text.at += 1;
                self.members(joined, &place, &mut properties, &mut required)?;
            } else {
                loop {
                    self.member(text, true, &mut properties, &mut required)?;
                    if !text.has(',') {
                        break;
                    }
                }
            }
            if !text.has('}') {
                return text.fail("the object does not end here");
            }
        }
        Ok(json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        }))
    }

    /// Members in order, some of which may be absent.
    fn members(
        &mut self,
        joined: &Joined,
        place: &Place,
        properties: &mut Map<String, Value>,
        required: &mut Vec<Value>,
    ) -> Result<(), EmitError> {
        if !is_comma(Some(&joined.separator)) {
            let reason = "no comma stands between the members";
            return Err(EmitError::NotJson { place: place.clone(), reason });
        }
        for (at, part) in joined.parts.iter().enumerate() {
            let mut place = place.clone();
            place.0.push(Step::Part(at));
            let mut text = Text { items: Vec::new(), at: 0, whole: place.clone() };
            self.items(&part.body, place, &mut text.items);
            self.member(&mut text, part.required, properties, required)?;
            text.blank();
            if text.peek().is_some() {
                return text.fail("the member goes on");
            }
        }
        Ok(())
    }

    fn member(
        &mut self,
        text: &mut Text,
        needed: bool,
        properties: &mut Map<String, Value>,
        required: &mut Vec<Value>,
    ) -> Result<(), EmitError> {
        text.blank();
        let mut names = self.strings(text)?;
        let (Some(name), true) = (names.pop(), names.is_empty()) else {
            return text.fail("a key is one text");
        };
        if !text.has(':') {
            return text.fail("a colon is missing");
        }
        let value = self.read(text)?;
        if needed {
            required.push(name.clone().into());
        }
        match properties.insert(name, value) {
            Some(_) => text.fail("a key stands twice"),
            None => Ok(()),
        }
    }

    fn array(&mut self, text: &mut Text) -> Result<Value, EmitError> {
        text.has('[');
        let mut items = Vec::new();
        if !text.has(']') {
            text.blank();
            if let Some(Item::Hole(ir, place)) = text.peek().cloned()
                && let Kind::Repeat(repeat) = ir.kind()
            {
                text.at += 1;
                let array = self.list(repeat, place)?;
                return match text.has(']') {
                    true => Ok(array),
                    false => text.fail("the array does not end here"),
                };
            }
            loop {
                items.push(self.read(text)?);
                if !text.has(',') {
                    break;
                }
            }
            if !text.has(']') {
                return text.fail("the array does not end here");
            }
        }
        let count = items.len();
        let mut array = json!({ "type": "array", "minItems": count, "maxItems": count });
        if count > 0 {
            array["prefixItems"] = items.into();
        }
        Ok(array)
    }

    /// As many items as a repeat has iterations.
    fn list(&mut self, repeat: &Repeat, mut place: Place) -> Result<Value, EmitError> {
        if !is_comma(repeat.separator.as_ref()) && repeat.max != Some(1) {
            return Err(EmitError::NotJson { place, reason: "no comma stands between the items" });
        }
        place.0.push(Step::Body);
        let items = self.value(&[(&repeat.body, place)], false)?;
        let mut array = json!({ "type": "array", "items": items });
        if repeat.min > 0 {
            array["minItems"] = repeat.min.into();
        }
        if let Some(max) = repeat.max {
            array["maxItems"] = max.into();
        }
        Ok(array)
    }

    /// The strings that the next one may be: texts, and choices of texts in it.
    fn strings(&mut self, text: &mut Text) -> Result<Vec<String>, EmitError> {
        if !text.has('"') {
            return text.fail("a string is missing");
        }
        let mut spellings = vec![String::new()];
        let mut escaped = false;
        loop {
            match text.peek().cloned() {
                Some(Item::Character('"', _)) if !escaped => break,
                Some(Item::Character(c, _)) => {
                    escaped = c == '\\' && !escaped;
                    spellings.iter_mut().for_each(|spelling| spelling.push(c));
                }
                Some(Item::Hole(ir, _)) => {
                    let Some(texts) = texts(&ir) else {
                        return text.fail("only choices of texts can stand in a string");
                    };
                    let longer = spellings.iter().flat_map(|spelling| {
                        texts.iter().map(move |text| format!("{spelling}{text}"))
                    });
                    spellings = longer.take(STRINGS_MAX + 1).collect();
                    if spellings.len() > STRINGS_MAX {
                        return text.fail("too many strings are possible");
                    }
                }
                None => return text.fail("the string does not end"),
            }
            text.at += 1;
        }
        text.at += 1;
        let read = |spelling: &String| serde_json::from_str(&format!("\"{spelling}\"")).ok();
        match spellings.iter().map(read).collect() {
            Some(strings) => Ok(strings),
            None => text.fail("the string is not spelled as JSON spells it"),
        }
    }
}

/// A number, or one of the words of JSON.
fn scalar(text: &mut Text) -> Result<Value, EmitError> {
    let mut spelling = String::new();
    while let Some(Item::Character(c, _)) = text.peek()
        && (c.is_ascii_alphanumeric() || "+-.".contains(*c))
    {
        spelling.push(*c);
        text.at += 1;
    }
    match serde_json::from_str::<Value>(&spelling) {
        Ok(value) => Ok(json!({ "const": value })),
        Err(_) => text.fail("this is no value"),
    }
}

fn one_of(mut values: Vec<Value>) -> Value {
    match values.len() {
        1 => json!({ "const": values.remove(0) }),
        _ => json!({ "enum": values }),
    }
}

/// The texts of `ir`, if it is one or a choice of some.
fn texts(ir: &Ir) -> Option<Vec<String>> {
    match ir.kind() {
        Kind::Text(text) => Some(vec![text.string.to_string()]),
        Kind::Sequence(parts) if parts.is_empty() => Some(vec![String::new()]),
        Kind::Choice(arms) => {
            let each: Option<Vec<Vec<String>>> = arms.iter().map(texts).collect();
            each.map(|each| each.concat())
        }
        Kind::Repeat(repeat) if (repeat.min, repeat.max) == (0, Some(1)) => {
            let mut texts = texts(&repeat.body)?;
            texts.push(String::new());
            Some(texts)
        }
        _ => None,
    }
}

fn is_comma(separator: Option<&Ir>) -> bool {
    match separator.map(Ir::kind) {
        Some(Kind::Text(text)) => text.string.trim() == ",",
        _ => false,
    }
}

/// Whether a reference stands anywhere in `schema`.
fn refers(schema: &Value) -> bool {
    let mut queue = vec![schema];
    while let Some(value) = queue.pop() {
        match value {
            Value::Object(fields) => {
                if fields.contains_key("$ref") {
                    return true;
                }
                queue.extend(fields.values());
            }
            Value::Array(all) => queue.extend(all),
            _ => {}
        }
    }
    false
}
