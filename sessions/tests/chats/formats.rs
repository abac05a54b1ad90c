//! The response format of a session: kept, overridden, cleared, its own; and what answers become.

use blueprints_sessions::{ApiOptions, Format, Held, SessionError, get};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::fake::{body, over, response, session};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { "action": { "type": "string" }, "confidence": { "type": "number" } },
        "required": ["action"],
    })
}

const ANSWER: &str = r#"{"action":"explore","confidence":0.85}"#;

#[test]
fn a_format_stays_is_overridden_and_is_cleared() {
    let texts = [ANSWER, "hi", ANSWER, "free again"];
    let mut own = session("openai_chat", "gpt-5", &texts);
    own.set_response_format(Format::JsonSchema(schema()));
    assert_eq!(own.chat("What should agent 1 do?").unwrap().text, ANSWER);
    assert!(body(&own, 0).get("response_format").is_some());
    assert_eq!(own.chat_with("Say hi", &Format::Text).unwrap().text, "hi");
    assert_eq!(body(&own, 1).get("response_format"), None);
    own.chat("What should agent 2 do?").unwrap();
    assert_eq!(body(&own, 2)["response_format"], body(&own, 0)["response_format"]);
    own.clear_response_format();
    assert_eq!(own.chat("And now?").unwrap().text, "free again");
    assert_eq!(body(&own, 3).get("response_format"), None);
    assert!(own.response_format().is_none());
    let said: Vec<&str> = own.messages().iter().map(|message| message.content.as_str()).collect();
    assert_eq!(said[..4], ["What should agent 1 do?", ANSWER, "Say hi", "hi"]);
}

#[test]
fn a_format_belongs_to_its_session() {
    let mut one = session("ollama", "llama3.1", &[ANSWER]);
    let mut other = session("ollama", "llama3.1", &["words"]);
    one.set_response_format(Format::JsonSchema(schema()));
    one.chat("a").unwrap();
    other.chat("b").unwrap();
    assert_eq!(body(&one, 0)["format"], schema());
    assert_eq!(body(&other, 0).get("format"), None);
    assert_eq!(body(&one, 0)["stream"], json!(false));
}

#[derive(Deserialize, PartialEq, Debug)]
struct Decision {
    action: String,
    confidence: Option<f64>,
}

#[test]
fn answers_are_typed_and_nested_lists() {
    let null = r#"{"action":"rest","confidence":null}"#;
    let mut own = session("openai_chat", "gpt-5", &[ANSWER, null, "{\"a\": [1, null]}"]);
    let decision: Decision = own.chat_as("What now?", schema()).unwrap();
    assert_eq!(decision, Decision { action: "explore".into(), confidence: Some(0.85) });
    // The property is optional in the schema, so the null that stands for it is dropped.
    let answer = own.chat_with("And now?", &Format::JsonSchema(schema())).unwrap();
    assert_eq!(answer.text, r#"{"action":"rest"}"#);
    assert_eq!(answer.held, Held::Constrained);
    let list = answer.pairs().unwrap();
    assert_eq!(get(&list, "action").unwrap().as_text(), Some("rest"));
    let missing = get(&list, "confidence").unwrap_err();
    assert_eq!(missing.keys, ["action"]);
    let json = own.chat_json("List something").unwrap();
    let list = blueprints_sessions::pairs(&serde_json::from_str(&json).unwrap());
    assert_eq!(list.to_string(), r#"[["a",[1,""]]]"#);
}

/// Objects, arrays, texts, numbers, booleans and null, as P3 maps them.
#[test]
fn every_kind_of_json_becomes_lists() {
    let cases = [
        (json!({ "name": "Alice", "age": 30 }), r#"[["name","Alice"],["age",30]]"#),
        (json!(["a", "b"]), r#"["a","b"]"#),
        (json!("hello"), r#""hello""#),
        (json!(3.25), "3.25"),
        (json!(true), "true"),
        (Value::Null, r#""""#),
        (json!({ "a": { "b": [null] } }), r#"[["a",[["b",[""]]]]]"#),
    ];
    for (value, lists) in cases {
        assert_eq!(blueprints_sessions::pairs(&value).to_string(), lists, "{value}");
    }
    let list = blueprints_sessions::pairs(&json!({ "Key": 1 }));
    assert!(get(&list, "key").is_err(), "keys are compared with their case");
}

#[test]
fn what_cannot_be_held_is_asked_for_with_one_warning() {
    let fenced = "Sure!\n```json\n{\"a\": 1}\n```";
    let mut own = session("anthropic", "claude-sonnet-5", &[fenced, "{}", "no JSON here"]);
    assert_eq!(own.chat_json("An object").unwrap(), r#"{"a":1}"#);
    assert_eq!(own.chat_json("Another").unwrap(), "{}");
    assert_eq!(own.warnings().len(), 1, "{:?}", own.warnings());
    assert!(own.warnings()[0].contains("Anthropic Messages does not support"));
    let asked = body(&own, 0)["messages"][0]["content"].as_str().unwrap();
    assert!(asked.starts_with("An object\n\nAnswer with one JSON object"), "{asked}");
    // What the prompt was given is no part of the history.
    assert_eq!(own.messages()[0].content, "An object");
    assert!(matches!(own.chat_json("Once more"), Err(SessionError::NotJson { .. })));
    let mut wrapped = session("anthropic", "claude-sonnet-5", &["{\"value\":\"a\"}"]);
    let answer = wrapped.chat_with("letters", &Format::Regex("[a-z]+".into())).unwrap();
    assert_eq!(answer.text, "a");
    assert!(wrapped.warnings().is_empty(), "{:?}", wrapped.warnings());
}

#[test]
fn each_feature_has_its_own_warning() {
    let (said, heard) = std::sync::mpsc::channel();
    let texts = ["a", "b", "{}", "c"];
    let own = session("ollama", "gpt-oss:20b-cloud", &texts);
    let mut own = own.on_warning(move |warning| drop(said.send(warning.to_owned())));
    own.chat_with("1", &Format::Regex("[ab]".into())).unwrap();
    own.chat_with("2", &Format::Regex("[ab]".into())).unwrap();
    own.chat_json("3").unwrap();
    own.chat("4").unwrap();
    let heard: Vec<String> = heard.try_iter().collect();
    assert_eq!(heard, own.warnings());
    assert_eq!(heard.len(), 2, "{heard:?}");
}

#[test]
fn failures_are_told_and_change_nothing() {
    let refused = json!({ "choices": [{ "message": { "content": null, "refusal": "I won't" } }] });
    let cut = json!({ "choices": [{ "message": { "content": "{" }, "finish_reason": "length" }] });
    let model = ApiOptions { model: "gpt-5".into(), ..ApiOptions::default() };
    let mut own = over("openai_chat", model, vec![refused, cut, response("", "[1]")]);
    let messages: Vec<String> =
        (0..2).map(|_| own.chat_json("x").unwrap_err().to_string()).collect();
    assert_eq!(messages, ["the model refused: I won't", "the answer breaks off: length"]);
    assert!(own.messages().is_empty());
    assert!(matches!(own.chat_as::<Decision>("x", schema()), Err(SessionError::Type { .. })));
    let failed = own.chat("x").unwrap_err().to_string();
    assert_eq!(failed, "OpenAI Chat Completions: no more answers");
}

#[test]
fn every_chat_api_gets_its_messages_and_fields() {
    for provider in ["openai_chat", "openai_responses", "anthropic", "gemini", "ollama", "vllm"] {
        let mut own = session(provider, "m", &["{\"choice\":\"b\"}"]).with_system("Be brief.");
        let options = own.choose("Which?", &["a", "b"]);
        let body = body(&own, 0).to_string();
        assert_eq!(options.unwrap(), "b", "{provider}: {body}");
        assert!(body.contains("Be brief.") && body.contains("Which?"), "{provider}: {body}");
        assert!(body.contains("\"a\""), "{provider}: {body}");
        assert!(own.warnings().is_empty(), "{provider}");
        let system_apart = ["anthropic", "gemini"].contains(&provider);
        assert_eq!(body.contains("\"role\":\"system\""), !system_apart, "{provider}: {body}");
    }
}

#[test]
fn an_endpoint_without_chats_says_so() {
    let mut own = session("tgi_generate", "m", &["x"]);
    assert_eq!(own.chat("x").unwrap_err().to_string(), "TGI /generate answers no chats");
}
