//! A chat that keeps its messages, its response format and what it has warned of.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use crate::backend::{Answered, Ask, Backend, BackendError, Held, Message, Role};
use crate::choose::{NoMatch, matched};
use crate::format::Format;
use crate::pairs::{Item, pairs};

/// Why a session has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The backend has none.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The answer should be JSON, and nothing held it to that.
    #[error("the answer is not JSON: {text:?}")]
    NotJson {
        /// The answer.
        text: String,
    },
    /// The answer is JSON of another type.
    #[error("the answer is of another type: {source}")]
    Type {
        /// What does not fit.
        source: serde_json::Error,
    },
    /// There is nothing to choose from.
    #[error("there is no option to choose")]
    NoOptions,
    /// The answer means none of the options.
    #[error("the answer {text:?} means none of: {}", .options.join(", "))]
    NoMatch {
        /// The answer.
        text: String,
        /// The options.
        options: Vec<String>,
    },
}

/// An answer of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The text; of a JSON answer, its JSON.
    pub text: String,
    /// What held it to its form.
    pub held: Held,
    value: Option<Value>,
}

impl Answer {
    /// The JSON value.
    ///
    /// # Errors
    /// [`SessionError::NotJson`] if nothing held the answer to JSON, and it is none.
    pub fn value(&self) -> Result<&Value, SessionError> {
        self.value.as_ref().ok_or_else(|| SessionError::NotJson { text: self.text.clone() })
    }

    /// The JSON value as a type.
    ///
    /// # Errors
    /// [`SessionError`] if it is no JSON, or of another type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, SessionError> {
        // From text, since a value's numbers of any length do not go through all types.
        let text = self.value()?.to_string();
        serde_json::from_str(&text).map_err(|source| SessionError::Type { source })
    }

    /// The JSON value as nested lists.
    ///
    /// # Errors
    /// [`SessionError::NotJson`] if nothing held the answer to JSON, and it is none.
    pub fn pairs(&self) -> Result<Item, SessionError> {
        self.value().map(pairs)
    }
}

/// Hears a warning.
type Listener = Box<dyn FnMut(&str) + Send>;

/// A chat over a backend.
pub struct Session<B> {
    backend: B,
    messages: Vec<Message>,
    response_format: Option<Format>,
    no_match: NoMatch,
    warned: BTreeSet<(String, String)>,
    warnings: Vec<String>,
    listener: Option<Listener>,
}

impl<B: fmt::Debug> fmt::Debug for Session<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Session");
        shown.field("backend", &self.backend).field("messages", &self.messages);
        shown.field("response_format", &self.response_format).finish_non_exhaustive()
    }
}

impl<B: Backend> Session<B> {
    /// A chat without messages.
    #[must_use]
    pub fn new(backend: B) -> Self {
        Self {
            backend,
            messages: Vec::new(),
            response_format: None,
            no_match: NoMatch::default(),
            warned: BTreeSet::new(),
            warnings: Vec::new(),
            listener: None,
        }
    }

    /// The same, with the task that a system message sets.
    #[must_use]
    pub fn with_system(mut self, content: impl Into<String>) -> Self {
        self.messages.push(Message::new(Role::System, content));
        self
    }

    /// The same, with a listener that hears each warning as it comes.
    #[must_use]
    pub fn on_warning(mut self, listener: impl FnMut(&str) + Send + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// The same, with what becomes of a choice that means none of the options.
    #[must_use]
    pub fn on_no_match(mut self, no_match: NoMatch) -> Self {
        self.no_match = no_match;
        self
    }

    /// Answers in the response format of the session, or in any text if it has none.
    ///
    /// # Errors
    /// [`SessionError`] if there is no answer; the messages are then as they were.
    pub fn chat(&mut self, prompt: impl Into<String>) -> Result<Answer, SessionError> {
        let format = self.response_format.clone().unwrap_or(Format::Text);
        self.chat_with(prompt, &format)
    }

    /// Answers in this form, whatever the session's is.
    ///
    /// # Errors
    /// As [`chat`](Self::chat).
    pub fn chat_with(
        &mut self,
        prompt: impl Into<String>,
        format: &Format,
    ) -> Result<Answer, SessionError> {
        let prompt = Message::new(Role::User, prompt);
        let answered = self.ask(&prompt, format)?;
        let answer = Answer {
            text: answered
                .value
                .as_ref()
                .filter(|_| format.is_json())
                .map_or(answered.text, ToString::to_string),
            held: answered.held,
            value: answered.value,
        };
        self.keep(prompt, answer.text.clone());
        Ok(answer)
    }

    /// Answers with a JSON object of any shape: its JSON text.
    ///
    /// # Errors
    /// As [`chat`](Self::chat), and if nothing held the answer to JSON and it is none.
    pub fn chat_json(&mut self, prompt: impl Into<String>) -> Result<String, SessionError> {
        let answer = self.chat_with(prompt, &Format::JsonObject)?;
        answer.value()?;
        Ok(answer.text)
    }

    /// Answers with a value of a type, in the form of its schema.
    ///
    /// # Errors
    /// As [`chat`](Self::chat), and if the answer is not of the type.
    pub fn chat_as<T: DeserializeOwned>(
        &mut self,
        prompt: impl Into<String>,
        schema: Value,
    ) -> Result<T, SessionError> {
        self.chat_with(prompt, &Format::JsonSchema(schema))?.parse()
    }

    /// Answers with one of the options, always: where the backend cannot hold the model to them,
    /// the one that its answer means.
    ///
    /// # Errors
    /// [`SessionError`] if there is no answer, or one that means none of the options and the
    /// session does not take the first.
    pub fn choose(
        &mut self,
        prompt: impl Into<String>,
        options: &[&str],
    ) -> Result<String, SessionError> {
        let mut distinct: Vec<&str> = Vec::new();
        for option in options {
            if !distinct.contains(option) {
                distinct.push(option);
            }
        }
        let first = *distinct.first().ok_or(SessionError::NoOptions)?;
        let prompt = Message::new(Role::User, prompt);
        let texts = distinct.iter().map(|option| (*option).to_owned()).collect();
        let answered = self.ask(&prompt, &Format::Choice(texts))?;
        let chosen = match (matched(&answered.text, &distinct), self.no_match) {
            (Some(option), _) => option,
            (None, NoMatch::First) => first,
            (None, NoMatch::Error) => {
                let options = distinct.iter().map(|option| (*option).to_owned()).collect();
                return Err(SessionError::NoMatch { text: answered.text, options });
            }
        };
        // The history has the choice and not the words around it.
        self.keep(prompt, chosen.to_owned());
        Ok(chosen.to_owned())
    }

    /// Sets the form of all answers of this session, until it is cleared.
    pub fn set_response_format(&mut self, format: Format) {
        self.response_format = Some(format);
    }

    /// Answers are any text again.
    pub fn clear_response_format(&mut self) {
        self.response_format = None;
    }

    /// The form of all answers of this session, if one is set.
    #[must_use]
    pub fn response_format(&self) -> Option<&Format> {
        self.response_format.as_ref()
    }

    /// The messages so far.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Forgets all messages but the system's.
    pub fn clear_messages(&mut self) {
        self.messages.retain(|message| message.role == Role::System);
    }

    /// The warnings so far: one for each backend and kind of form.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What answers.
    #[must_use]
    pub fn backend(&self) -> &B {
        &self.backend
    }

    fn ask(&mut self, prompt: &Message, format: &Format) -> Result<Answered, SessionError> {
        let mut messages = self.messages.clone();
        messages.push(prompt.clone());
        let answered = self.backend.answer(&Ask { messages: &messages, format })?;
        let name = self.backend.name().to_owned();
        for degraded in &answered.degraded {
            if !self.warned.insert((name.clone(), degraded.feature.clone())) {
                continue;
            }
            let feature = &degraded.feature;
            let mut warning = format!(
                "note: {name} does not support structured output ({feature}); using prompt-based \
                 constraints"
            );
            if !degraded.reason.is_empty() {
                warning = format!("{warning}: {}", degraded.reason);
            }
            if let Some(listener) = &mut self.listener {
                listener(&warning);
            }
            self.warnings.push(warning);
        }
        Ok(answered)
    }

    fn keep(&mut self, prompt: Message, answer: String) {
        self.messages.push(prompt);
        self.messages.push(Message::new(Role::Assistant, answer));
    }
}
