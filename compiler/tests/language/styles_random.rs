//! Random schemas in styles: what a plain renderer writes of valid values is accepted, and of
//! other texts just those that a plain reader reads as a valid value, as the crate `jsonschema`
//! says.

use std::sync::Arc;

use blueprints_compiler::{Ir, SchemaOptions};
use serde_json::{Map, Value, json};

use crate::matcher::matches;
use crate::random::Random;

/// A flat style, taken apart.
struct Flat {
    name: &'static str,
    open: &'static str,
    /// Between the key and the value, with `#` for the word about the value.
    middle: &'static str,
    close: &'static str,
    separator: &'static str,
    after: &'static str,
}

const FLAT: [Flat; 5] = [
    Flat {
        name: "qwen_xml",
        open: "<parameter=",
        middle: ">\n",
        close: "\n</parameter>",
        separator: "\n",
        after: "\n",
    },
    Flat {
        name: "minimax_xml",
        open: "<parameter name=\"",
        middle: "\">",
        close: "</parameter>",
        separator: "\n",
        after: "\n",
    },
    Flat {
        name: "glm_xml",
        open: "<arg_key>",
        middle: "</arg_key><arg_value>",
        close: "</arg_value>",
        separator: "",
        after: "",
    },
    Flat {
        name: "deepseek_xml",
        open: "<｜DSML｜parameter name=\"",
        middle: "\" string=\"#\">",
        close: "</｜DSML｜parameter>",
        separator: "\n",
        after: "",
    },
    Flat {
        name: "kimi_k3_xml",
        open: "<|open|>argument key=\"",
        middle: "\" type=\"#\"<|sep|>",
        close: "<|close|>argument<|sep|>",
        separator: "",
        after: "",
    },
];

impl Flat {
    /// What the style calls `value`; nothing if it has no words.
    fn word(&self, value: &Value) -> &'static str {
        match (self.name, value) {
            ("deepseek_xml", Value::String(_)) => "true",
            ("deepseek_xml", _) => "false",
            ("kimi_k3_xml", Value::String(_)) => "string",
            ("kimi_k3_xml", Value::Number(_)) => "number",
            ("kimi_k3_xml", Value::Bool(_)) => "boolean",
            ("kimi_k3_xml", Value::Null) => "null",
            ("kimi_k3_xml", Value::Array(_)) => "array",
            ("kimi_k3_xml", Value::Object(_)) => "object",
            _ => "",
        }
    }

    fn write(&self, value: &Map<String, Value>) -> String {
        let entries: Vec<String> = value
            .iter()
            .map(|(key, value)| {
                let middle = self.middle.replace('#', self.word(value));
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("{}{key}{middle}{text}{}", self.open, self.close)
            })
            .collect();
        let after = if entries.is_empty() { "" } else { self.after };
        entries.join(self.separator) + after
    }

    /// Each value that `text` may be read as.
    fn read(&self, text: &str) -> Vec<Map<String, Value>> {
        let Some(mut rest) = text.strip_suffix(self.after) else {
            return if text.is_empty() { vec![Map::new()] } else { Vec::new() };
        };
        let mut all = vec![Map::new()];
        while !rest.is_empty() {
            let Some((key, values, after)) = self.entry(rest) else { return Vec::new() };
            if all.iter().any(|one| one.contains_key(&key)) {
                return Vec::new();
            }
            let mut longer = Vec::with_capacity(all.len() * values.len());
            for one in &all {
                for value in &values {
                    let mut one = one.clone();
                    one.insert(key.clone(), value.clone());
                    longer.push(one);
                }
            }
            all = longer;
            rest = after;
            if !rest.is_empty() {
                match rest.strip_prefix(self.separator).filter(|rest| !rest.is_empty()) {
                    Some(after) => rest = after,
                    None => return Vec::new(),
                }
            }
        }
        // Entries have something after them, and nothing has not.
        all.retain(|one| !one.is_empty() || text.is_empty());
        all
    }

    fn entry<'a>(&self, text: &'a str) -> Option<(String, Vec<Value>, &'a str)> {
        let rest = text.strip_prefix(self.open)?;
        let (begin, end) = self.middle.split_once('#').unwrap_or((self.middle, ""));
        let (key, rest) = rest.split_once(begin)?;
        let (word, rest) = if end.is_empty() { ("", rest) } else { rest.split_once(end)? };
        // JSON may hold what would end a string, so only plain values are read here.
        let (text, rest) = rest.split_once(self.close)?;
        let mut values = vec![json!(text)];
        if let Ok(value) = serde_json::from_str::<Value>(text)
            && text.trim() == text
            && !value.is_string()
        {
            values.push(value);
        }
        if self.name == "qwen_xml" && (text == "True" || text == "False") {
            values.push(json!(text == "True"));
        }
        values.retain(|value| self.word(value) == word);
        Some((key.to_owned(), values, rest))
    }
}

const KEYS: [&str; 3] = ["b", "a", "c d"];

fn schema(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 9 } else { 12 }) {
        0 => json!({"type": "string"}),
        1 => json!({"type": "string", "maxLength": random.below(4)}),
        2 => json!({"type": "string", "pattern": *random.of(&["^a*$", "<", "^[^/]*$", "e.$"])}),
        3 => json!({"enum": ["x", 1, null, "</", true]}),
        4 => json!({"type": "integer", "minimum": random.below(3)}),
        5 => json!({"type": "number", "maximum": 2.5}),
        6 => json!({"type": ["boolean", "null"]}),
        7 => json!({"const": *random.of(&["a<b", "", "-1"])}),
        8 => json!({"anyOf": [{"type": "string", "minLength": 2}, {"type": "integer"}]}),
        9 => json!({"type": "array", "items": schema(random, 0), "maxItems": 2}),
        10 => json!({"not": {"type": "string"}}),
        _ => object(random, depth - 1),
    }
}

fn object(random: &mut Random, depth: usize) -> Value {
    let mut properties = Map::new();
    for key in KEYS.iter().take(random.below(KEYS.len() + 1)) {
        properties.insert((*key).to_owned(), schema(random, depth));
    }
    let required: Vec<&String> = properties.keys().filter(|_| random.below(2) == 0).collect();
    let mut made = json!({
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": false,
    });
    if random.below(4) == 0 {
        made["minProperties"] = json!(1);
    }
    made
}

fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 8 } else { 10 }) {
        0 | 1 => json!(*random.of(&["", "a", "x", "aa", "1", "null", "é\"", "\\n"])),
        2 => json!(*random.of(&["a<b", "</", "true", "e\n", "<e/>", "[]"])),
        3 | 4 => json!(random.below(4) as i64 - 1),
        5 => json!(1.5),
        6 => json!(random.below(2) == 0),
        7 => Value::Null,
        8 => Value::Array((0..random.below(3)).map(|_| value(random, depth - 1)).collect()),
        _ => Value::Object(members(random, depth - 1)),
    }
}

fn members(random: &mut Random, depth: usize) -> Map<String, Value> {
    let mut members = Map::new();
    for key in KEYS {
        if random.below(2) == 0 {
            members.insert(key.to_owned(), value(random, depth));
        }
    }
    members
}

fn styled(schema: &Value, style: &str) -> Option<Ir> {
    // As the renderers write.
    let whitespace = if style == "python" { "spaced" } else { "compact" };
    let arguments = [("style", style), ("whitespace", whitespace)];
    let arguments = arguments.map(|(name, value)| (name.to_owned(), json!(value)));
    let options = SchemaOptions::from_arguments(&arguments).expect("options");
    // A schema may be without any value, or without any that the style can write.
    Ir::schema(Arc::new(schema.clone()), options).ok()
}

/// `text` with one change.
fn mutated(random: &mut Random, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let at = random.below(characters.len() + 1);
    let added = *random.of(&['<', '>', '/', '1', 'a', '"', '\n', '-', 'e', '=', '|']);
    match (random.below(3), at < characters.len()) {
        (0, true) => {
            characters.remove(at);
        }
        (1, true) => characters[at] = added,
        _ => characters.insert(at, added),
    }
    characters.into_iter().collect()
}

#[test]
fn flat_styles_mean_what_a_plain_reader_reads() {
    let mut random = Random::new(11);
    let (mut valid, mut others) = (0, 0);
    for _ in 0..150 {
        let schema = object(&mut random, 1);
        let oracle = jsonschema::validator_for(&schema).expect("a schema");
        for flat in &FLAT {
            let Some(ir) = styled(&schema, flat.name) else { continue };
            for _ in 0..6 {
                let text = flat.write(&members(&mut random, 1));
                let changed = mutated(&mut random, &text);
                for text in [text, changed] {
                    // The oracle takes other spellings of arrays and objects.
                    let readings = flat.read(&text);
                    let deep = |value: &Value| value.is_array() || value.is_object();
                    if readings.iter().any(|one| one.values().any(deep)) && text.contains(' ') {
                        continue;
                    }
                    let readings = readings.into_iter().map(Value::Object);
                    let in_order = in_order(&schema, &text, flat);
                    let right = in_order && readings.into_iter().any(|one| oracle.is_valid(&one));
                    valid += usize::from(right);
                    others += usize::from(!right);
                    let name = flat.name;
                    assert_eq!(matches(&ir, &text), right, "{name}: {text:?} for {schema}");
                }
            }
        }
    }
    assert!(valid > 200 && others > 500, "{valid} valid, {others} others");
}

/// Whether the keys of `text` stand as they are declared.
fn in_order(schema: &Value, text: &str, flat: &Flat) -> bool {
    let Some(first) = flat.read(text).into_iter().next() else { return false };
    let Some(properties) = schema["properties"].as_object() else { return true };
    let places: Vec<_> =
        first.keys().map(|key| properties.keys().position(|known| known == key)).collect();
    places.is_sorted()
}

/// `value` as Python writes it.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let text = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
            format!("'{text}'")
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("'{key}': {}", python(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

/// `value` in Gemma's notation.
fn gemma(value: &Value) -> String {
    match value {
        Value::String(text) => format!("<|\"|>{text}<|\"|>"),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(gemma).collect::<Vec<_>>().join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|member| member.0);
            let member = |(key, value): (&String, &Value)| format!("{key}:{}", gemma(value));
            format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// `value` as entries of a style that nests: `entry` and `item` write the key, the kind and the
/// text of the value.
fn nested(value: &Value, write: &dyn Fn(Option<&str>, &Value, &str) -> String) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().map(|item| write(None, item, &nested(item, write))).collect()
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, member)| write(Some(key), member, &nested(member, write)))
            .collect(),
        other => other.to_string(),
    }
}

fn cohere(key: Option<&str>, value: &Value, text: &str) -> String {
    let kind = match value {
        Value::String(_) => "raw",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
        _ => "json",
    };
    let name = key.map_or_else(String::new, |key| format!(" name=\"{key}\""));
    format!("<cofl:value{name} type=\"{kind}\">{text}</cofl:value>")
}

fn minimax(key: Option<&str>, _: &Value, text: &str) -> String {
    let key = key.unwrap_or("item");
    format!("]<]minimax[>[<{key}>{text}]<]minimax[>[</{key}>")
}

#[test]
fn deep_styles_write_just_the_valid_values() {
    let mut random = Random::new(12);
    let (mut valid, mut others) = (0, 0);
    for _ in 0..250 {
        let schema = object(&mut random, 2);
        let oracle = jsonschema::validator_for(&schema).expect("a schema");
        let irs = ["python", "gemma", "cohere_xml", "minimax_m3_xml"];
        let irs = irs.map(|style| (style, styled(&schema, style)));
        for _ in 0..12 {
            let value = Value::Object(members(&mut random, 2));
            let right = oracle.is_valid(&value);
            valid += usize::from(right);
            others += usize::from(!right);
            for (style, ir) in &irs {
                let Some(ir) = ir else {
                    assert!(!right || *style == "gemma", "{style}: {value} for {schema}");
                    continue;
                };
                let text = match *style {
                    "python" => python(&value),
                    "gemma" => gemma(&value),
                    "cohere_xml" => nested(&value, &cohere),
                    _ => nested(&value, &minimax),
                };
                // There no words say what a text is, so it may be read as another value.
                let matched = matches(ir, &text);
                let held = matched == right || *style == "minimax_m3_xml" && matched;
                assert!(held, "{style}: {text:?}, {right}, for {schema}");
            }
        }
    }
    assert!(valid > 100 && others > 500, "{valid} valid, {others} others");
}
