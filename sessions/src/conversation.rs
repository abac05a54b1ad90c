//! Messages as a provider's body has them.

use blueprints_providers::{Conversation, Facts};
use serde_json::{Map, Value, json};

use crate::backend::{Message, Role};

/// The fields of a body that hold the messages; `None` if the endpoint takes no chats.
pub(crate) fn fields(
    facts: &Facts,
    messages: &[Message],
    model: &str,
    tokens_max: Option<u32>,
) -> Option<Map<String, Value>> {
    let mut body = match facts.conversation? {
        Conversation::Messages => json!({ "model": model, "messages": roles(messages) }),
        Conversation::SystemApart => apart(messages, model),
        Conversation::Contents => contents(messages),
        Conversation::Input => json!({ "model": model, "input": roles(messages) }),
        Conversation::Steps => steps(messages, model),
    };
    if let (Some(tokens), Some(place)) = (tokens_max, &facts.tokens_max) {
        set(&mut body, place, json!(tokens));
    }
    match body {
        Value::Object(mut body) => {
            body.extend(facts.body.iter().map(|(name, value)| (name.clone(), value.clone())));
            Some(body)
        }
        _ => None,
    }
}

/// Sets what a path of members names.
fn set(body: &mut Value, path: &str, value: Value) {
    let mut place = body;
    for name in path.split('.') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(members) = place else { return };
        place = members.entry(name.to_owned()).or_insert(Value::Null);
    }
    *place = value;
}

fn roles(messages: &[Message]) -> Value {
    messages
        .iter()
        .map(|message| json!({ "role": message.role.name(), "content": message.content }))
        .collect()
}

/// All that the system says.
fn system(messages: &[Message]) -> Option<String> {
    let said: Vec<&str> = messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(|message| message.content.as_str())
        .collect();
    (!said.is_empty()).then(|| said.join("\n\n"))
}

fn rest(messages: &[Message]) -> impl Iterator<Item = &Message> {
    messages.iter().filter(|message| message.role != Role::System)
}

fn apart(messages: &[Message], model: &str) -> Value {
    let own: Vec<Message> = rest(messages).cloned().collect();
    let mut body = json!({ "model": model, "messages": roles(&own) });
    if let Some(system) = system(messages) {
        body["system"] = json!(system);
    }
    body
}

fn contents(messages: &[Message]) -> Value {
    let role = |role| if role == Role::Assistant { "model" } else { "user" };
    let contents: Vec<Value> = rest(messages)
        .map(
            |message| json!({ "role": role(message.role), "parts": [{ "text": message.content }] }),
        )
        .collect();
    let mut body = json!({ "contents": contents });
    if let Some(system) = system(messages) {
        body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
    }
    body
}

fn steps(messages: &[Message], model: &str) -> Value {
    let kind = |role| if role == Role::Assistant { "model_output" } else { "user_input" };
    let steps: Vec<Value> = rest(messages)
        .map(|message| {
            let content = json!([{ "type": "text", "text": message.content }]);
            json!({ "type": kind(message.role), "content": content })
        })
        .collect();
    let mut body = json!({ "model": model, "input": steps });
    if let Some(system) = system(messages) {
        body["system_instruction"] = json!(system);
    }
    body
}
