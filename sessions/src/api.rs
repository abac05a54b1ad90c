//! A provider's API as a backend, over any transport.

use blueprints_providers::{
    AnswerError, Facts, FactsError, Providers, Request, Warning, blueprint, request,
};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::backend::{Answered, Ask, Backend, BackendError, Degraded, Held, Message, Role};
use crate::conversation;
use crate::format::Format;

/// What came back for a request.
#[derive(Clone, PartialEq, Debug)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Value,
}

/// A request that got no response.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct TransportError {
    /// Why.
    pub message: String,
}

/// Carries requests to where they are answered.
pub trait Transport {
    /// Posts a JSON body, with headers of the caller's.
    ///
    /// # Errors
    /// [`TransportError`] if there is no response, or one that is no JSON.
    fn post(
        &mut self,
        address: &str,
        headers: &[(String, String)],
        body: &Value,
    ) -> Result<Response, TransportError>;
}

/// What all requests of a backend have.
#[derive(Clone, Default, Debug)]
pub struct ApiOptions {
    /// The model.
    pub model: String,
    /// Where the API is, without the path: `http://localhost:11434`.
    pub base: String,
    /// Headers, such as those that let one in.
    pub headers: Vec<(String, String)>,
    /// The most tokens of an answer, where the provider can be told.
    pub tokens_max: Option<u32>,
    /// Whether `body` turns thinking on.
    pub thinking: bool,
    /// Fields of the caller's own, such as the temperature.
    pub body: Map<String, Value>,
}

/// A provider's API as a backend.
#[derive(Clone, Debug)]
pub struct Api<T> {
    facts: Facts,
    options: ApiOptions,
    transport: T,
}

impl<T: Transport> Api<T> {
    /// The API of the provider `name`.
    ///
    /// # Errors
    /// [`FactsError`] if there is none of this name.
    pub fn new(
        providers: &Providers,
        name: &str,
        options: ApiOptions,
        transport: T,
    ) -> Result<Self, FactsError> {
        let facts = providers.facts(name, Some(&options.model))?;
        Ok(Self { facts, options, transport })
    }

    /// What carries the requests.
    #[must_use]
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// The request for a form, degraded where it must be.
    fn request(&self, format: &Format) -> Result<Request, BackendError> {
        let mut intent = format.intent();
        intent.model = Some(self.options.model.clone());
        intent.thinking = self.options.thinking;
        let request = match format {
            Format::Blueprint(outline) => blueprint(&self.facts, outline, &intent),
            _ => request(&self.facts, &intent),
        };
        request.map_err(|error| self.other(Box::new(error)))
    }

    /// The body of the request for these messages.
    fn body(&self, messages: &[Message], request: &Request) -> Result<Value, BackendError> {
        let mut messages = messages.to_vec();
        if let (Some(words), Some(last)) = (&request.prompt, messages.last_mut()) {
            last.content = format!("{}\n\n{words}", last.content);
        } else if let Some(words) = &request.prompt {
            messages.push(Message::new(Role::User, words));
        }
        let (model, tokens) = (&self.options.model, self.options.tokens_max);
        let fields = conversation::fields(&self.facts, &messages, model, tokens);
        let name = || self.facts.title.clone();
        let mut body = fields.ok_or_else(|| BackendError::NoChat { name: name() })?;
        body.extend(self.options.body.iter().map(|(key, value)| (key.clone(), value.clone())));
        let mut body = Value::Object(body);
        request.merge_into(&mut body).map_err(|error| self.other(Box::new(error)))?;
        Ok(body)
    }

    fn address(&self) -> String {
        let endpoint = self.facts.endpoint.as_deref().unwrap_or_default();
        let path = endpoint.split_whitespace().last().unwrap_or_default();
        let path = path.replace("{model}", &self.options.model);
        format!("{}{path}", self.options.base.trim_end_matches('/'))
    }

    fn other(&self, source: Box<dyn std::error::Error + Send + Sync>) -> BackendError {
        BackendError::Other { name: self.facts.title.clone(), source }
    }

    fn failed(&self, message: String, status: Option<u16>) -> BackendError {
        BackendError::Failed { name: self.facts.title.clone(), message, status }
    }
}

impl<T: Transport> Backend for Api<T> {
    fn name(&self) -> &str {
        &self.facts.title
    }

    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answered, BackendError> {
        let request = self.request(ask.format)?;
        let body = self.body(ask.messages, &request)?;
        let (address, headers) = (self.address(), self.options.headers.clone());
        let response = self.transport.post(&address, &headers, &body);
        let response = response.map_err(|error| self.failed(error.message, None))?;
        if !(200..300).contains(&response.status) {
            return Err(self.failed(message_of(&response.body), Some(response.status)));
        }
        let held = match request.answer.is_prompted() {
            true => Held::Prompted,
            false => Held::Constrained,
        };
        let mut answered = match request.answer.read(&response.body) {
            Ok(Value::String(text)) if !ask.format.is_json() => Answered::text(text, held),
            Ok(value) => {
                Answered { text: value.to_string(), value: Some(value), held, degraded: Vec::new() }
            }
            // The session knows what to make of it.
            Err(AnswerError::NotAChoice { text }) => Answered::text(text, held),
            Err(AnswerError::NotJson { text, .. }) if held == Held::Prompted => {
                Answered::text(text, held)
            }
            Err(error) => return Err(error.into()),
        };
        answered.degraded = degraded(&request);
        Ok(answered)
    }
}

/// What of a request was not held.
fn degraded(request: &Request) -> Vec<Degraded> {
    let mut found = Vec::new();
    for warning in &request.warnings {
        let (feature, reason) = match warning {
            Warning::DegradedToPrompt { feature } => (feature.clone(), String::new()),
            Warning::KeywordMovedToDescription { keyword, pointer } => {
                (format!("{keyword} in schemas"), format!("it is only described, at {pointer}"))
            }
            Warning::Weaker { loss } => ("blueprint".to_owned(), loss.clone()),
            _ => continue,
        };
        found.push(Degraded { feature, reason });
    }
    let told = |feature: &str, found: &[Degraded]| found.iter().any(|own| own.feature == feature);
    for loss in &request.losses {
        if !told(&loss.lost, &found) {
            found.push(Degraded { feature: loss.lost.clone(), reason: loss.reason.clone() });
        }
    }
    found
}

/// What the body of an error says.
fn message_of(body: &Value) -> String {
    let places = ["/error/message", "/error", "/message", "/detail"];
    let found = places.iter().find_map(|place| body.pointer(place)?.as_str());
    found.map_or_else(|| body.to_string(), str::to_owned)
}
