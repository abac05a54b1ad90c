//! Reads a text by a blueprint: whether it fits, and what the parser says, whole and in two
//! chunks.

use std::collections::BTreeMap;

use blueprints::{
    Blueprint, Catalog, Limits, ParseError, ParseOptions, Parser, Recogniser, ToolCalls, Verdict,
};
use serde_json::{Map, Number, Value, json};

/// The readers of one blueprint by the variables that it is bound to.
pub(super) struct Bound<'a> {
    catalog: &'a Catalog,
    name: String,
    blueprint: Result<Blueprint, String>,
    readers: BTreeMap<String, Result<Reader, String>>,
}

/// What reads texts by a blueprint with its variables.
pub(super) struct Reader {
    recogniser: Recogniser,
    parser: Parser,
}

impl<'a> Bound<'a> {
    pub(super) fn new(catalog: &'a Catalog) -> Self {
        let blueprint = Err(String::new());
        Self { catalog, name: String::new(), blueprint, readers: BTreeMap::new() }
    }

    /// The reader for the blueprint, the tools and the settings of `case`.
    pub(super) fn reader(&mut self, case: &Value, mode: &Value) -> Result<&mut Reader, String> {
        let name = case["blueprint"].as_str().unwrap_or_default();
        if self.name != name {
            self.readers.clear();
            name.clone_into(&mut self.name);
            self.blueprint = self.catalog.get(name).map_err(|faults| faults.to_string());
        }
        let mut context = case["settings"].as_object().cloned().unwrap_or_default();
        context.insert("tools".into(), case["tools"].clone());
        context.insert("tool_choice".into(), mode.clone());
        let key = Value::Object(context.clone()).to_string();
        let blueprint = self.blueprint.as_ref();
        let made = self.readers.entry(key).or_insert_with(|| {
            let blueprint = blueprint.map_err(|error| error.clone())?;
            let outline = blueprint.outline(&context).map_err(|faults| faults.to_string())?;
            let recogniser = Recogniser::new(outline.ir(), Limits::default());
            let parser = Parser::new(outline.ir(), ParseOptions::default());
            Ok(Reader {
                recogniser: recogniser.map_err(|error| error.to_string())?,
                parser: parser.map_err(|error| error.to_string())?,
            })
        });
        made.as_mut().map_err(|error| error.clone())
    }
}

impl Reader {
    /// Whether the output of `case` fits, as it is or with a stop token that may have ended it,
    /// and the text that was judged.
    pub(super) fn verdict(&mut self, case: &Value) -> Result<(String, Verdict), String> {
        let text = case["output"].as_str().unwrap_or_default();
        let stops = case["eos"].as_str().unwrap_or_default().split(" / ");
        let stops = stops.filter(|stop| !stop.is_empty() && !text.ends_with(stop));
        let mut check = |text: &str| self.recogniser.check(text).map_err(|error| error.to_string());
        let verdict = check(text)?;
        for stop in stops {
            let stopped = format!("{text}{stop}");
            if verdict != Verdict::Matches && check(&stopped)? == Verdict::Matches {
                return Ok((stopped, Verdict::Matches));
            }
        }
        Ok((text.to_owned(), verdict))
    }

    /// What the parser reads from `text`.
    pub(super) fn read(&mut self, text: &str) -> Result<ToolCalls, String> {
        let parsed = self.parser.parse(text).map_err(|error| error.to_string())?;
        parsed.calls().map_err(|error| error.to_string())
    }

    /// Whether two chunks say what the whole says, wherever the cut is.
    pub(super) fn same_when_cut(&mut self, text: &str, whole: &Result<ToolCalls, String>) -> bool {
        (1..text.len()).all(|at| match (self.cut(text.as_bytes().split_at(at)), whole) {
            (Ok(calls), Ok(whole)) => calls.as_ref() == Some(whole),
            (Ok(calls), Err(_)) => calls.is_none(),
            (Err(_), whole) => whole.is_err(),
        })
    }

    /// What is read from two chunks; `None` for a call without a name.
    fn cut(&mut self, parts: (&[u8], &[u8])) -> Result<Option<ToolCalls>, ParseError> {
        self.parser.restart()?;
        self.parser.push_bytes(parts.0)?;
        self.parser.push_bytes(parts.1)?;
        let (_, parsed) = self.parser.finish()?;
        Ok(parsed.calls().ok())
    }
}

/// The fields of a line: `calls`, `content`, `reasoning`.
pub(super) fn told(calls: &ToolCalls) -> Map<String, Value> {
    let one =
        |call: &blueprints::ToolCall| json!({ "name": call.name, "arguments": call.arguments });
    let list: Vec<Value> = calls.tool_calls.iter().map(one).collect();
    let mut told = Map::new();
    told.insert("calls".into(), list.into());
    told.insert("content".into(), json!(calls.content));
    told.insert("reasoning".into(), json!(calls.reasoning));
    told
}

/// Whether two values are the same, numbers by what they are and not by how they are spelled.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || near(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|other| same(value, other))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        _ => one == other,
    }
}

fn near(one: &Number, other: &Number) -> bool {
    matches!((one.as_f64(), other.as_f64()), (Some(one), Some(other)) if one == other)
}
