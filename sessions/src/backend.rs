//! What answers a session: messages and a form in, a text out.

use std::error::Error;

use blueprints_providers::AnswerError;
use serde_json::Value;
use thiserror::Error;

use crate::format::Format;

/// Who says a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Who sets the task.
    System,
    /// Who asks.
    User,
    /// Who answers.
    Assistant,
}

impl Role {
    /// Its name in most APIs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A message of a chat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}

/// What a backend is asked.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The messages so far; the last is the one to answer.
    pub messages: &'a [Message],
    /// The form of the answer.
    pub format: &'a Format,
}

/// What held the answer to its form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// The sampling of its tokens.
    Constrained,
    /// Only the prompt.
    Prompted,
}

/// A form that a backend could not hold, or not all of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Degraded {
    /// The kind of form, or what of it.
    pub feature: String,
    /// Why, where it is known.
    pub reason: String,
}

/// An answer of a backend.
#[derive(Clone, PartialEq, Debug)]
pub struct Answered {
    /// The text.
    pub text: String,
    /// The JSON value, where the form is JSON and the text is.
    pub value: Option<Value>,
    /// What held it to its form.
    pub held: Held,
    /// What was not held.
    pub degraded: Vec<Degraded>,
}

impl Answered {
    /// An answer that is text.
    #[must_use]
    pub fn text(text: impl Into<String>, held: Held) -> Self {
        Self { text: text.into(), value: None, held, degraded: Vec::new() }
    }
}

/// Why a backend has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The response holds no answer of the form.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The backend answers no chats.
    #[error("{name} answers no chats")]
    NoChat {
        /// The backend.
        name: String,
    },
    /// The request was not answered, or with an error.
    #[error("{name}: {message}")]
    Failed {
        /// The backend.
        name: String,
        /// What it says.
        message: String,
        /// The HTTP status, if there is one.
        status: Option<u16>,
    },
    /// The backend failed for a reason of its own.
    #[error("{name}: {source}")]
    Other {
        /// The backend.
        name: String,
        /// The reason.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// What answers a session.
pub trait Backend {
    /// The name that warnings use.
    fn name(&self) -> &str;

    /// Answers the last message in the form, or as near to it as can be: what cannot be held is
    /// asked for in the prompt and told in the answer, and is no error.
    ///
    /// # Errors
    /// [`BackendError`] if there is no answer at all, a refusal, or one that breaks off.
    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answered, BackendError>;
}

impl<B: Backend + ?Sized> Backend for Box<B> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answered, BackendError> {
        (**self).answer(ask)
    }
}
