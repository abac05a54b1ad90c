//! Random tools, and turns that call them.

use serde_json::{Map, Value, json};

use super::{Format, Turn};
use crate::toy::Random;

const TOOLS: &[&str] = &["dim_lights", "log_sample", "f", "get_tide2", "harbor", "harbor_tide"];
const WILD_TOOLS: &[&str] = &["save-note", "net.ping", "A-1.b_2"];
const KEYS: &[&str] = &["room", "level", "x", "name", "value", "arguments", "labels", "item_2"];
const WILD_KEYS: &[&str] = &["max-age", "geo.lat", "type", "is ok", "größe"];
/// What strings are made of: letters, quotes and escapes, beginnings of markup, other values.
const PIECES: &[&str] = &[
    "a", "Brest", " ", "  ", "é", "日本", "🌙", "\n", "\n\n", "\t", "\"", "'", "\\", "\\n", "<",
    ">", "</", "&", "&amp;", "{", "}", "[", "]", "(", ")", ",", ", ", ": ", "true", "null", "-1.5",
    "</param", "</arg_", "<tool", "｜", "<|", "|>", "```", "None", "=", "#", "%}", "{{", "\\u00e9",
];
/// What prose is made of.
const WORDS: &[&str] = &[
    "Let me see",
    "so",
    " ",
    "\n",
    "\n\n",
    "42 < 43",
    "ça va?",
    "\"yes\"",
    "</b>",
    "<i>",
    "a",
    "it's 日本",
    "🌙",
    ". ",
    "{x}",
    "[1]",
    "(f)",
    "<",
    "</",
    "&",
    "\\",
    "<thin",
    "</think",
];

/// A word of `from` that was not picked before.
fn fresh<'a>(random: &mut Random, from: &[&'a str], taken: &[&str]) -> Option<&'a str> {
    let left: Vec<&str> = from.iter().copied().filter(|word| !taken.contains(word)).collect();
    (!left.is_empty()).then(|| random.pick(&left))
}

fn names(
    random: &mut Random,
    plain: &[&'static str],
    wild: &[&'static str],
    wilds: bool,
) -> Vec<&'static str> {
    let mut all = plain.to_vec();
    if wilds {
        all.extend(wild);
    }
    let mut taken = Vec::new();
    for _ in 0..random.below(4) {
        taken.extend(fresh(random, &all, &taken));
    }
    taken
}

/// Letters or digits of which the last is a digit.
pub(super) fn id(random: &mut Random, letters: &[u8], length: usize) -> String {
    let letters = (1..length).map(|_| char::from(letters[random.below(letters.len())]));
    let id: String = letters.collect();
    format!("{id}{}", random.below(10))
}

/// One to four tools that the format can call.
pub(crate) fn tools(random: &mut Random, format: &Format) -> Vec<Value> {
    let mut chosen = names(random, TOOLS, WILD_TOOLS, !format.identifiers);
    if chosen.is_empty() {
        chosen.push("status_report");
    }
    let tool = |name: &str| {
        let function = match random.below(8) {
            0 => json!({ "name": name }),
            1 => json!({ "name": name, "parameters": { "type": "object", "properties": {} } }),
            _ => json!({ "name": name, "parameters": parameters(random, format) }),
        };
        match random.below(4) {
            0 => function,
            _ => json!({ "type": "function", "function": function }),
        }
    };
    chosen.into_iter().map(tool).collect()
}

fn parameters(random: &mut Random, format: &Format) -> Value {
    let keys = names(random, KEYS, WILD_KEYS, !format.identifiers);
    let mut properties = Map::new();
    for key in &keys {
        properties.insert((*key).to_owned(), schema(random, format, 2));
    }
    let required: Vec<&str> = keys.into_iter().filter(|_| random.below(2) == 0).collect();
    let mut object = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if object.to_string().contains("#/$defs/unit") {
        object["$defs"] = json!({ "unit": { "enum": ["m", "km/h", "true"] } });
    }
    object
}

fn schema(random: &mut Random, format: &Format, depth: usize) -> Value {
    let deep = depth > 0;
    match random.below(12) {
        0..=2 => json!({ "type": "string" }),
        3 => json!({ "type": "integer" }),
        4 => json!({ "type": "number" }),
        5 => json!({ "type": "boolean" }),
        6 => json!({ "type": "string", "enum": ["on", "off", "it's", "a b"] }),
        7 => json!({ "$ref": "#/$defs/unit" }),
        8 if format.nulls => json!({ "type": ["string", "null"] }),
        9 => json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] }),
        10 if deep => json!({ "type": "array", "items": schema(random, format, depth - 1) }),
        11 if deep => {
            let own = json!({ "type": "integer" });
            let inner = schema(random, format, depth - 1);
            json!({
                "type": "object",
                "properties": { "qty": own, "sku": inner },
                "required": ["qty"],
                "additionalProperties": false,
            })
        }
        _ => json!({ "type": "string" }),
    }
}

/// A value of such a schema.
fn value(random: &mut Random, format: &Format, schema: &Value) -> Value {
    if schema.get("$ref").is_some() {
        return (*random.pick(&["m", "km/h", "true"])).into();
    }
    if let Some(Value::Array(options)) = schema.get("enum") {
        return options[random.below(options.len())].clone();
    }
    if schema.get("anyOf").is_some() {
        // A text that is no number reads as text wherever the two share a place.
        return match random.below(2) {
            0 => number(random, true),
            _ => (*random.pick(&["few", "a\nb", "7 days"])).into(),
        };
    }
    if schema["type"].is_array() {
        return match random.below(2) {
            0 => Value::Null,
            _ => (*random.pick(&["nil", "it's null", "x < y"])).into(),
        };
    }
    match schema["type"].as_str().unwrap_or_default() {
        "string" => text(random, format).into(),
        "integer" => number(random, true),
        "number" => number(random, false),
        "boolean" => (random.below(2) == 0).into(),
        "array" => {
            let item = &schema["items"];
            (0..random.below(4)).map(|_| value(random, format, item)).collect()
        }
        _ => Value::Object(members(random, format, schema)),
    }
}

fn number(random: &mut Random, whole: bool) -> Value {
    let wholes = ["0", "7", "-12", "4200", "123456789012345678901234567890"];
    let others = ["2.5", "-0.125", "0.1", "12.50"];
    let digits = if whole || random.below(2) == 0 { &wholes[..] } else { &others[..] };
    serde_json::from_str(random.pick(digits)).expect("a number")
}

/// A text that the format can spell where strings stand raw: its end must be the first one.
fn text(random: &mut Random, format: &Format) -> String {
    let mut text: String = (0..random.below(6)).map(|_| random.pick(PIECES)).collect();
    if let Some(closer) = format.closer() {
        // The beginning of what ends the text, so that the end is not taken for it.
        if random.below(3) == 0 {
            let ends: Vec<usize> = closer.char_indices().map(|(at, _)| at).collect();
            text += &closer[..ends[random.below(ends.len())]];
            text += random.pick(&["a", " ", "\n"]);
        }
        let tag = closer.trim();
        // MiniMax-M3 has one token before each tag, which no text holds.
        while text.contains("]<]minimax[>[")
            || text.contains(tag)
            || (text.clone() + closer).find(closer) != Some(text.len())
        {
            text.pop();
        }
    }
    text
}

fn members(random: &mut Random, format: &Format, schema: &Value) -> Map<String, Value> {
    let Some(Value::Object(properties)) = schema.get("properties") else { return Map::new() };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut members = Map::new();
    for (key, schema) in properties {
        if required.contains(&key.as_str().into()) || random.below(2) == 0 {
            members.insert(key.clone(), value(random, format, schema));
        }
    }
    members
}

/// A turn that calls some of `tools`, with text and a thought where the format has them.
pub(crate) fn turn(random: &mut Random, format: &Format, tools: &[Value], thinks: bool) -> Turn {
    let thought = (thinks && format.thought.is_some()).then(|| {
        let [_, close] = format.thought.unwrap_or_default();
        prose(random, &[close.trim(), format.opener()])
    });
    let most = if format.many { 3 } else { 1 };
    let calls: Vec<(String, Map<String, Value>)> = (0..random.below(most + 1))
        .map(|_| {
            let tool = &tools[random.below(tools.len())];
            let function = tool.get("function").unwrap_or(tool);
            let name = function["name"].as_str().unwrap_or_default().to_owned();
            (name, members(random, format, &function["parameters"]))
        })
        .collect();
    let says = calls.is_empty() || (format.preamble.is_some() && random.below(2) == 0);
    let content = says.then(|| {
        let [open, close] = format.answer;
        let before_calls = format.preamble.map_or("", |[_, close]| close.trim());
        format!("Well{}", prose(random, &[open, close, before_calls, format.opener(), "[", "{"]))
    });
    Turn { thought, content, calls }
}

/// Prose without blanks at its ends that holds none of `excluded`.
fn prose(random: &mut Random, excluded: &[&str]) -> String {
    let mut text: String = (0..random.below(7)).map(|_| random.pick(WORDS)).collect();
    // Nor may its end be taken for the beginning of one that follows.
    let early = |text: &str, word: &str| format!("{text}{word}").find(word) != Some(text.len());
    let bad = |text: &str| excluded.iter().any(|word| !word.is_empty() && early(text, word));
    while bad(&text) || text.ends_with(char::is_whitespace) {
        text.pop();
    }
    text.trim().to_owned()
}
