//! Tool calls while they come: the events of a stream as deltas in the style of OpenAI's API.

use serde_json::Value;

use crate::calls::{from_object, plain};
use crate::respell::Respelled;
use crate::teller::Event;

/// What a stream adds to the shape of [`ToolCalls`](crate::ToolCalls).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ToolDelta {
    /// More reasoning.
    Reasoning(String),
    /// More content.
    Content(String),
    /// More of a call. The name comes before any arguments; the arguments of all deltas of a call,
    /// one after the other, are JSON.
    Call {
        /// The number of the call, from 0.
        index: usize,
        /// Its id.
        id: Option<String>,
        /// The tool.
        name: Option<String>,
        /// More of the arguments' text.
        arguments: String,
    },
    /// A lenient parser found that a call it told of is none: the text left the blueprint inside
    /// it, and comes again as content.
    Void {
        /// The number of the call. The next call has it again.
        index: usize,
    },
}

/// Turns events into deltas.
///
/// # Examples
/// ```
/// use blueprints_compiler::Ir;
/// use blueprints_compiler::ir::CaptureKind::{Json, Text};
/// use blueprints_parser::{ParseText, ToolDelta, ToolDeltas};
/// let name = Ir::capture("name", Text, Ir::regex("[a-z]+")?);
/// let arguments = Ir::capture("arguments", Json, Ir::regex(r"\{[^{}]*\}")?);
/// let call = Ir::capture("tool_calls", Text, Ir::sequence([name, arguments]));
/// let mut parser = call.parser()?;
/// let mut deltas = ToolDeltas::default();
/// let mut arguments = String::new();
/// for text in ["ad", "d{\"a\"", ": 1}"] {
///     for delta in parser.push(text)?.iter().flat_map(|event| deltas.push(event)) {
///         let ToolDelta::Call { arguments: more, .. } = delta else { continue };
///         arguments.push_str(&more);
///     }
/// }
/// assert_eq!(arguments, "{\"a\": 1}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct ToolDeltas {
    /// The names of what is open.
    open: Vec<Box<str>>,
    /// Calls so far, without the one that is open.
    calls: usize,
    call: Call,
    /// Whether the content that is open has said something.
    spoken: bool,
    /// White space after a call, as long as the content there is nothing else.
    blank: String,
    /// Whether the text left the blueprint, so that the rest is content.
    left: bool,
}

/// The call that is open.
#[derive(Default)]
struct Call {
    id: Option<String>,
    named: bool,
    /// Arguments that came before the name.
    held: String,
    arguments: Option<Respelled>,
    /// Whether arguments were spelled.
    spelled: bool,
}

impl ToolDeltas {
    /// The deltas that `event` makes.
    #[must_use]
    pub fn push(&mut self, event: &Event) -> Vec<ToolDelta> {
        let mut deltas = Vec::new();
        match event {
            Event::Opened { name, kind, holds, .. } => {
                self.open.push((**name).into());
                self.spoken &= self.open.len() > 1;
                let is_arguments = matches!(&**name, "arguments" | "parameters");
                if self.open.len() == 2 && self.is_call() && is_arguments {
                    let mut json = String::new();
                    self.call.arguments = Some(Respelled::new(*kind, *holds, &mut json));
                    self.call.spelled = true;
                    self.arguments(json, &mut deltas);
                } else {
                    self.respell(event, &mut deltas);
                }
            }
            Event::Text(text) => match self.open.first().map(|name| &**name) {
                Some("reasoning") => deltas.push(ToolDelta::Reasoning(text.clone())),
                Some("content") => self.content(text, &mut deltas),
                _ => self.respell(event, &mut deltas),
            },
            Event::Closed { name, value, .. } => {
                self.respell(event, &mut deltas);
                match self.open.len() {
                    2 if self.is_call() => self.part(name, value, &mut deltas),
                    1 if self.is_call() => self.ended(value, &mut deltas),
                    _ => {}
                }
                self.open.pop();
                self.blank.clear();
            }
            Event::Left { text, .. } => {
                self.open.clear();
                self.blank.clear();
                if std::mem::take(&mut self.call).named {
                    deltas.push(ToolDelta::Void { index: self.calls });
                }
                deltas.push(ToolDelta::Content(text.clone()));
                deltas.retain(|delta| *delta != ToolDelta::Content(String::new()));
                self.left = true;
            }
            Event::Outside(text) if self.left => deltas.push(ToolDelta::Content(text.clone())),
            Event::Outside(_) => {}
        }
        deltas
    }

    /// White space after a call waits: alone it is no content.
    fn content(&mut self, text: &str, deltas: &mut Vec<ToolDelta>) {
        if self.calls > 0 && text.trim().is_empty() && (!self.blank.is_empty() || !self.spoken) {
            self.blank.push_str(text);
            return;
        }
        self.spoken = true;
        deltas.push(ToolDelta::Content(std::mem::take(&mut self.blank) + text));
    }

    fn is_call(&self) -> bool {
        self.open.first().is_some_and(|name| &**name == "tool_calls")
    }

    fn respell(&mut self, event: &Event, deltas: &mut Vec<ToolDelta>) {
        let Some(respelled) = &mut self.call.arguments else { return };
        let mut json = String::new();
        respelled.push(event, &mut json);
        if respelled.is_done() {
            self.call.arguments = None;
        }
        self.arguments(json, deltas);
    }

    /// More of the arguments; they wait for the name.
    fn arguments(&mut self, json: String, deltas: &mut Vec<ToolDelta>) {
        if !self.call.named {
            self.call.held.push_str(&json);
        } else if !json.is_empty() {
            deltas.push(self.delta(None, None, json));
        }
    }

    fn delta(&self, id: Option<String>, name: Option<String>, arguments: String) -> ToolDelta {
        ToolDelta::Call { index: self.calls, id, name, arguments }
    }

    /// A part of the call ended.
    fn part(&mut self, name: &str, value: &Value, deltas: &mut Vec<ToolDelta>) {
        match name {
            "id" if self.call.named => {
                deltas.push(self.delta(Some(plain(value.clone())), None, String::new()))
            }
            "id" => self.call.id = Some(plain(value.clone())),
            "name" if !self.call.named => {
                self.call.named = true;
                let id = self.call.id.take();
                let held = std::mem::take(&mut self.call.held);
                deltas.push(self.delta(id, Some(plain(value.clone())), held));
            }
            _ => {}
        }
    }

    /// The call ended; one that was captured as JSON is told now.
    fn ended(&mut self, value: &Value, deltas: &mut Vec<ToolDelta>) {
        if self.call.named {
            if !self.call.spelled {
                deltas.push(self.delta(None, None, "{}".to_owned()));
            }
            self.calls += 1;
        } else {
            let calls = match value {
                Value::Array(calls) => calls.clone(),
                call => vec![call.clone()],
            };
            for call in calls {
                let Value::Object(call) = call else { continue };
                let Some(call) = from_object(call) else { continue };
                deltas.push(self.delta(call.id, Some(call.name), call.spelled));
                self.calls += 1;
            }
        }
        self.call = Call::default();
    }
}

impl std::fmt::Debug for ToolDeltas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolDeltas").field("calls", &self.calls).finish_non_exhaustive()
    }
}
