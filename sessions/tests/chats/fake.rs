//! A transport that keeps the requests and answers from a list, in the shape of each API.

use blueprints_providers::Providers;
use blueprints_sessions::{Api, ApiOptions, Response, Session, Transport, TransportError};
use serde_json::{Value, json};

/// Answers from a list, and keeps what it was asked.
#[derive(Debug, Default)]
pub(crate) struct Fake {
    pub(crate) asked: Vec<(String, Value)>,
    pub(crate) answers: Vec<Value>,
}

impl Transport for Fake {
    fn post(
        &mut self,
        address: &str,
        _: &[(String, String)],
        body: &Value,
    ) -> Result<Response, TransportError> {
        self.asked.push((address.to_owned(), body.clone()));
        if self.answers.is_empty() {
            return Ok(Response { status: 500, body: json!({ "error": "no more answers" }) });
        }
        Ok(Response { status: 200, body: self.answers.remove(0) })
    }
}

/// A response of the provider that says `text`.
pub(crate) fn response(provider: &str, text: &str) -> Value {
    match provider {
        "anthropic" => json!({
            "content": [{ "type": "thinking", "thinking": "…" }, { "type": "text", "text": text }],
            "stop_reason": "end_turn",
        }),
        "gemini" => json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [
            { "text": "…", "thought": true }, { "text": text },
        ] } }] }),
        "ollama" => json!({ "message": { "content": text }, "done_reason": "stop" }),
        "openai_responses" => json!({ "output": [{ "type": "reasoning" }, {
            "type": "message", "content": [{ "type": "output_text", "text": text }],
        }] }),
        _ => json!({ "choices": [{
            "message": { "content": text, "refusal": null }, "finish_reason": "stop",
        }] }),
    }
}

/// A session over a provider whose answers say these texts.
pub(crate) fn session(provider: &str, model: &str, texts: &[&str]) -> Session<Api<Fake>> {
    let answers = texts.iter().map(|text| response(provider, text)).collect();
    over(provider, ApiOptions { model: model.into(), ..ApiOptions::default() }, answers)
}

/// A session over a provider with these responses.
pub(crate) fn over(provider: &str, options: ApiOptions, answers: Vec<Value>) -> Session<Api<Fake>> {
    let options = ApiOptions { base: "http://fake".into(), ..options };
    let fake = Fake { asked: Vec::new(), answers };
    let api = Api::new(&Providers::builtin(), provider, options, fake).expect("a known provider");
    Session::new(api)
}

/// The body of the request `n`.
pub(crate) fn body(session: &Session<Api<Fake>>, n: usize) -> &Value {
    &session.backend().transport().asked[n].1
}
