//! What to put into a provider's request for an intent, and how to read the answer.
//!
//! [`Providers`] hold the facts, one data file each; [`Intent`] says what is wanted; [`request`]
//! turns both into a [`Request`]: fields to merge into a body, the place of the answer and how to
//! decode it, warnings and losses. No I/O: requests out, answers in.
//!
//! ```
//! use blueprints_providers::{Intent, Kind, Providers, request};
//!
//! let providers = Providers::builtin();
//! let facts = providers.facts("openai_chat", None)?;
//! let wanted = Intent::new(Kind::Choice(vec!["north".into(), "south".into()]));
//! let request = request(&facts, &wanted)?;
//! let mut body = serde_json::json!({ "model": "gpt-5", "messages": [] });
//! request.merge_into(&mut body)?;
//! let response = serde_json::json!({
//!     "choices": [{ "message": { "content": "{\"choice\":\"south\"}" } }]
//! });
//! assert_eq!(request.answer.read(&response)?, "south");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod blueprint;
mod facts;
mod fill;
mod intent;
mod intent_json;
mod lenient;
mod matrix;
mod merge;
mod place;
mod pointer;
mod problem;
mod prompt;
mod raw;
mod request;
mod schema;
mod sense;
mod spell;
mod tools;
mod way;

pub use answer::{Answer, AnswerError, Call, Calls};
pub use blueprint::blueprint;
pub use facts::{Conversation, Facts, FactsError, Providers};
pub use intent::{
    Intent, Kind, Lower, OnUnsupported, Optional, PropertyOrder, RootWrap, Tool, ToolChoice, Tools,
};
pub use intent_json::IntentError;
pub use lenient::json_in;
pub use matrix::matrix;
pub use merge::MergeConflict;
pub use place::{Place, PlaceError};
pub use problem::{Problem, RequestError, RequestLoss, Warning};
pub use prompt::words as prompt_words;
pub use request::{Request, Support, request, supports};
