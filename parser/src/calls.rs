//! The one shape of what tool formats say: reasoning, content, tool calls.

use serde_json::{Map, Value, json};

use crate::tree::{Captured, Parsed};

/// What a model said, whatever its format.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ToolCalls {
    /// The captures `reasoning`, one after the other; `None` if there is none.
    pub reasoning: Option<String>,
    /// The captures `content`, one after the other, with what a lenient parser read as text.
    /// White space alone that follows a call only separates it from what is next.
    pub content: Option<String>,
    /// The captures `tool_calls`, in order.
    pub tool_calls: Vec<ToolCall>,
}

/// One call of a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolCall {
    /// Its id, if the format has one.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments; `{}` if the format leaves them out.
    pub arguments: Value,
    /// The arguments as the model spelled them.
    pub spelled: String,
}

/// A capture `tool_calls` that is no call.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("bytes {from} to {to}: the capture `tool_calls` has no `name`")]
pub struct NamelessCall {
    /// Its first byte.
    pub from: usize,
    /// The byte behind its last one.
    pub to: usize,
}

impl Parsed {
    /// What was read in the shape of tool formats: of the captures `reasoning`, `content` and
    /// `tool_calls`, the last with `id`, `name` and `arguments` in it or as JSON.
    ///
    /// # Errors
    /// [`NamelessCall`] for a call without a name.
    pub fn calls(&self) -> Result<ToolCalls, NamelessCall> {
        let mut calls = ToolCalls::default();
        for captured in self.captures() {
            match captured.name() {
                "reasoning" => {
                    let reasoning = calls.reasoning.get_or_insert_default();
                    reasoning.push_str(self.text_of(captured));
                }
                "content" => {
                    let text = self.text_of(captured);
                    if calls.tool_calls.is_empty() || !text.trim().is_empty() {
                        calls.content.get_or_insert_default().push_str(text);
                    }
                }
                "tool_calls" => calls.tool_calls.extend(self.calls_of(captured)?),
                _ => {}
            }
        }
        if let Some(left) = self.left() {
            let rest = self.text().get(left.from..).unwrap_or_default();
            if !rest.is_empty() {
                calls.content.get_or_insert_default().push_str(rest);
            }
        }
        Ok(calls)
    }

    fn calls_of(&self, captured: &Captured) -> Result<Vec<ToolCall>, NamelessCall> {
        let span = captured.span();
        let nameless = NamelessCall { from: span.start, to: span.end };
        let part = |name: &str| captured.parts().iter().rfind(|part| part.name() == name);
        if let Some(name) = part("name") {
            let arguments = part("arguments").or_else(|| part("parameters"));
            return Ok(vec![ToolCall {
                id: part("id").map(|id| plain(self.value_of(id))),
                name: plain(self.value_of(name)),
                arguments: arguments.map_or_else(|| json!({}), |part| self.value_of(part)),
                spelled: arguments.map_or("{}", |part| self.text_of(part)).to_owned(),
            }]);
        }
        let calls = match self.value_of(captured) {
            Value::Array(calls) => calls,
            call => vec![call],
        };
        let call = |call: Value| match call {
            Value::Object(call) => from_object(call),
            _ => None,
        };
        calls.into_iter().map(call).collect::<Option<_>>().ok_or(nameless)
    }
}

/// A call that was captured as JSON.
pub(crate) fn from_object(mut call: Map<String, Value>) -> Option<ToolCall> {
    let name = call.get("name")?.as_str()?.to_owned();
    let id = call.remove("id").map(plain);
    let arguments = call.remove("arguments").or_else(|| call.remove("parameters"));
    let arguments = arguments.unwrap_or_else(|| json!({}));
    let spelled = arguments.to_string();
    Some(ToolCall { id, name, arguments, spelled })
}

pub(crate) fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

impl ToolCalls {
    /// The shape as JSON: `{"reasoning", "content", "tool_calls": [{"id"?, "name", "arguments"}]}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let calls = self.tool_calls.iter().map(|call| {
            let mut object = Map::new();
            object.extend(call.id.clone().map(|id| ("id".to_owned(), id.into())));
            object.insert("name".into(), call.name.clone().into());
            object.insert("arguments".into(), call.arguments.clone());
            Value::Object(object)
        });
        let calls: Vec<Value> = calls.collect();
        json!({ "reasoning": self.reasoning, "content": self.content, "tool_calls": calls })
    }
}
