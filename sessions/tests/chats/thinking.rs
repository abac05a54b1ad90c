//! Structured output while the model thinks: one case for each row of the proposal's table.

use blueprints_sessions::{Api, ApiOptions, Format, Session};
use serde_json::{Value, json};

use crate::fake::{Fake, body, over, response};

fn schema() -> Value {
    json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] })
}

/// A session whose body turns thinking on, with one response.
fn thinking(provider: &str, model: &str, on: Value, answer: Value) -> Session<Api<Fake>> {
    let options = ApiOptions {
        model: model.into(),
        thinking: true,
        body: on.as_object().cloned().expect("an object"),
        ..ApiOptions::default()
    };
    over(provider, options, vec![answer])
}

fn ask(own: &mut Session<Api<Fake>>) -> Value {
    own.chat_with("A number", &Format::JsonSchema(schema())).unwrap().value().unwrap().clone()
}

#[test]
fn openai_holds_the_schema() {
    let on = json!({ "reasoning_effort": "high" });
    let mut own = thinking("openai_chat", "o3", on, response("openai_chat", "{\"n\":1}"));
    assert_eq!(ask(&mut own), json!({ "n": 1 }));
    assert_eq!(body(&own, 0)["response_format"]["json_schema"]["strict"], json!(true));
    assert!(own.warnings().is_empty());
}

#[test]
fn claude_holds_the_schema_by_its_own_format() {
    let on = json!({ "thinking": { "type": "adaptive" }, "output_config": { "effort": "high" } });
    let answer = response("anthropic", "{\"n\":1}");
    let mut own = thinking("anthropic", "claude-opus-4-8", on, answer);
    assert_eq!(ask(&mut own), json!({ "n": 1 }));
    let config = &body(&own, 0)["output_config"];
    assert_eq!(config["effort"], json!("high"), "merged, not overwritten");
    assert_eq!(config["format"]["type"], json!("json_schema"));
    assert!(own.warnings().is_empty());
}

#[test]
fn an_older_claude_is_forced_to_call_a_tool_and_not_while_it_thinks() {
    let input = json!({ "content": [{ "type": "tool_use", "name": "answer", "input": { "n": 1 } }],
        "stop_reason": "tool_use" });
    let options = ApiOptions { model: "claude-3-5-haiku-20241022".into(), ..ApiOptions::default() };
    let mut own = over("anthropic", options, vec![input]);
    assert_eq!(ask(&mut own), json!({ "n": 1 }));
    let asked = body(&own, 0);
    assert_eq!(asked["tool_choice"], json!({ "type": "tool", "name": "answer" }));
    assert_eq!(asked["tools"][0]["input_schema"], schema());
    assert_eq!(asked.get("output_config"), None);

    let on = json!({ "thinking": { "type": "enabled", "budget_tokens": 1024 } });
    let answer = response("anthropic", "It is {\"n\": 1}.");
    let mut own = thinking("anthropic", "claude-3-7-sonnet-20250219", on, answer);
    assert_eq!(ask(&mut own), json!({ "n": 1 }));
    assert_eq!(body(&own, 0).get("tool_choice"), None);
    assert_eq!(own.warnings().len(), 1, "{:?}", own.warnings());
}

#[test]
fn gemini_holds_the_schema_beside_its_thinking_config() {
    let on = json!({ "generationConfig": { "thinkingConfig": { "includeThoughts": true } } });
    let mut own = thinking("gemini", "gemini-3-pro", on, response("gemini", "{\"n\":1}"));
    assert_eq!(ask(&mut own), json!({ "n": 1 }), "thoughts are no part of the answer");
    let config = &body(&own, 0)["generationConfig"];
    assert_eq!(config["thinkingConfig"]["includeThoughts"], json!(true));
    assert_eq!(config["responseJsonSchema"], schema());
    let (address, _) = &own.backend().transport().asked[0];
    assert_eq!(address, "http://fake/v1beta/models/gemini-3-pro:generateContent");
}

#[test]
fn ollama_holds_the_schema_once_the_thinking_ends() {
    let mut own =
        thinking("ollama", "qwen3", json!({ "think": true }), response("ollama", "{\"n\":1}"));
    assert_eq!(ask(&mut own), json!({ "n": 1 }));
    assert_eq!(body(&own, 0)["think"], json!(true));
    assert_eq!(body(&own, 0)["format"], schema());
    assert!(own.warnings().is_empty());
}
