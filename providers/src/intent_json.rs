//! Reads an intent from JSON, in the words of the request cases.
//!
//! By hand, since serde's buffering of tagged enums does not keep numbers of any length.

use serde_json::{Map, Value};
use thiserror::Error;

use crate::intent::{
    Intent, Kind, Lower, OnUnsupported, Optional, PropertyOrder, RootWrap, Tool, ToolChoice, Tools,
};

/// A JSON value that is no intent.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum IntentError {
    /// A member is not what it must be.
    #[error("`{member}` must be {expected}")]
    Malformed {
        /// The member.
        member: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A member that no intent has.
    #[error("an intent of kind `{kind}` has no `{member}`")]
    Unknown {
        /// The kind.
        kind: String,
        /// The member.
        member: String,
    },
}

/// Members that every kind may have.
const COMMON: &[&str] = &[
    "kind",
    "name",
    "description",
    "on_unsupported",
    "optional",
    "root_wrap",
    "property_order",
    "lower",
    "allow_json_wrap",
    "model",
    "thinking",
    "effort",
    "also",
];

/// How many intents may hang together.
const ALSO_MAX: usize = 8;

impl Intent {
    /// Reads an intent: `kind` and its own members (`schema`, `choices`, `pattern`, `syntax` and
    /// `grammar`, `structural_tag`, `tools`), and the options by their names.
    ///
    /// # Errors
    /// [`IntentError`] if a member is missing, malformed, or of no meaning.
    pub fn from_json(value: &Value) -> Result<Self, IntentError> {
        let mut chain = Vec::new();
        let mut next = Some(value);
        while let Some(value) = next {
            let members = value.as_object().ok_or(malformed("intent", "an object"))?;
            if chain.len() == ALSO_MAX {
                return Err(malformed("also", "at most seven intents deep"));
            }
            chain.push(one(members)?);
            next = members.get("also");
        }
        let mut whole = None;
        while let Some(mut intent) = chain.pop() {
            intent.also = whole.map(Box::new);
            whole = Some(intent);
        }
        whole.ok_or(malformed("intent", "an object"))
    }
}

fn one(members: &Map<String, Value>) -> Result<Intent, IntentError> {
    let kind_name = text(members, "kind")?.ok_or(malformed("kind", "a text"))?;
    let (kind, own) = kind(members, &kind_name)?;
    if kind_name != "raw" {
        let stranger = members
            .keys()
            .find(|key| !COMMON.contains(&key.as_str()) && !own.contains(&key.as_str()));
        if let Some(member) = stranger {
            return Err(IntentError::Unknown { kind: kind_name, member: member.clone() });
        }
    }
    let word = |member| text(members, member);
    let on_unsupported = match word("on_unsupported")?.as_deref() {
        None | Some("error") => OnUnsupported::Error,
        Some("describe") => OnUnsupported::Describe,
        Some("degrade") => OnUnsupported::Degrade,
        Some(_) => return Err(malformed("on_unsupported", "error, describe or degrade")),
    };
    let optional = match word("optional")?.as_deref() {
        None | Some("nullable") => Optional::Nullable,
        Some("error") => Optional::Error,
        Some(_) => return Err(malformed("optional", "nullable or error")),
    };
    let root_wrap = match members.get("root_wrap") {
        None | Some(Value::Bool(true)) => RootWrap::Auto,
        Some(Value::Bool(false)) => RootWrap::Never,
        Some(Value::String(word)) if word == "auto" => RootWrap::Auto,
        Some(Value::String(word)) if word == "never" || word == "error" => RootWrap::Never,
        Some(_) => return Err(malformed("root_wrap", "auto or never")),
    };
    let lower = match word("lower")?.as_deref() {
        None | Some("schema") => Lower::Schema,
        Some("grammar") => Lower::Grammar,
        Some(_) => return Err(malformed("lower", "schema or grammar")),
    };
    let property_order = match word("property_order")?.as_deref() {
        None | Some("implicit") => PropertyOrder::Implicit,
        Some("explicit") => PropertyOrder::Explicit,
        Some(_) => return Err(malformed("property_order", "implicit or explicit")),
    };
    Ok(Intent {
        name: word("name")?,
        description: word("description")?,
        on_unsupported,
        optional,
        root_wrap,
        property_order,
        lower,
        allow_json_wrap: flag(members, "allow_json_wrap")?.unwrap_or(false),
        model: word("model")?,
        thinking: flag(members, "thinking")?.unwrap_or(false),
        effort: word("effort")?,
        also: None,
        kind,
    })
}

type Own = (Kind, &'static [&'static str]);

fn kind(members: &Map<String, Value>, name: &str) -> Result<Own, IntentError> {
    let needed = |member| text(members, member)?.ok_or(malformed(member, "a text"));
    Ok(match name {
        "text" => (Kind::Text, &[]),
        "json_object" => (Kind::JsonObject, &[]),
        "json_schema" => {
            let schema = members.get("schema").ok_or(malformed("schema", "a JSON Schema"))?;
            (Kind::JsonSchema(schema.clone()), &["schema"])
        }
        "choice" => {
            let fault = malformed("choices", "a list of texts");
            let choices = members.get("choices").and_then(Value::as_array).ok_or(fault.clone())?;
            let texts: Option<Vec<String>> =
                choices.iter().map(|choice| choice.as_str().map(str::to_owned)).collect();
            (Kind::Choice(texts.ok_or(fault)?), &["choices"])
        }
        "regex" => (Kind::Regex(needed("pattern")?), &["pattern"]),
        "grammar" => {
            let (syntax, text) = (needed("syntax")?, needed("grammar")?);
            (Kind::Grammar { syntax, text }, &["syntax", "grammar"])
        }
        "structural_tag" => (Kind::StructuralTag(tag(members)?), &["structural_tag"]),
        "tools" => (Kind::Tools(tools(members)?), &["tools", "tool_choice", "strict"]),
        "raw" => {
            let own = members.iter().filter(|(key, _)| !COMMON.contains(&key.as_str()));
            (Kind::Raw(own.map(|(key, value)| (key.clone(), value.clone())).collect()), &[])
        }
        _ => return Err(malformed("kind", "the name of a kind of intent")),
    })
}

/// A structural tag, an object or its text.
fn tag(members: &Map<String, Value>) -> Result<Value, IntentError> {
    let fault = malformed("structural_tag", "an object, or the text of one");
    let tag = match members.get("structural_tag") {
        Some(Value::String(text)) => serde_json::from_str(text).map_err(|_| fault.clone())?,
        Some(value) => value.clone(),
        None => return Err(fault),
    };
    if tag.is_object() { Ok(tag) } else { Err(fault) }
}

fn tools(members: &Map<String, Value>) -> Result<Tools, IntentError> {
    let list = members.get("tools").and_then(Value::as_array);
    let list = list.ok_or(malformed("tools", "a list of tools"))?;
    let tools: Result<Vec<Tool>, IntentError> = list.iter().map(tool).collect();
    let choice = match members.get("tool_choice") {
        None => None,
        Some(Value::String(word)) => Some(match word.as_str() {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" | "any" => ToolChoice::Required,
            _ => return Err(malformed("tool_choice", "auto, none, required or a named tool")),
        }),
        Some(Value::Object(named)) => {
            let name = text(named, "name")?.ok_or(malformed("tool_choice", "a named tool"))?;
            Some(ToolChoice::Named(name))
        }
        Some(_) => return Err(malformed("tool_choice", "auto, none, required or a named tool")),
    };
    Ok(Tools { tools: tools?, choice, strict: flag(members, "strict")? })
}

/// A tool, with or without the envelope `{"type": "function", "function": …}`.
fn tool(value: &Value) -> Result<Tool, IntentError> {
    let fault = malformed("tools", "a list of tools with a name each");
    let value = value.get("function").unwrap_or(value);
    let members = value.as_object().ok_or(fault.clone())?;
    let parameters = match members.get("parameters") {
        Some(schema) => schema.clone(),
        None => serde_json::json!({ "type": "object", "properties": {} }),
    };
    Ok(Tool {
        name: text(members, "name")?.ok_or(fault)?,
        description: text(members, "description")?,
        parameters,
    })
}

fn text(members: &Map<String, Value>, member: &'static str) -> Result<Option<String>, IntentError> {
    match members.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(malformed(member, "a text")),
    }
}

fn flag(members: &Map<String, Value>, member: &'static str) -> Result<Option<bool>, IntentError> {
    match members.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(malformed(member, "true or false")),
    }
}

fn malformed(member: &'static str, expected: &'static str) -> IntentError {
    IntentError::Malformed { member, expected }
}
