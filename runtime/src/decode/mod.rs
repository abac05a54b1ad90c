//! The decoder: a checkpoint's model and chat template, and generation under a matcher.
//!
//! A [`Checkpoint`] renders prompts and starts [`Session`]s; [`generate`] drives a [`Model`] under
//! a [`Matcher`](crate::Matcher). candle is named here only, and nothing here knows how masks are
//! made.

mod attend;
mod budget;
mod cache;
mod chat;
mod checkpoint;
mod config;
mod forced;
mod generate;
mod model;
mod ops;
mod sampling;
mod session;
#[cfg(test)]
mod tests;
mod weights;

pub use budget::OnBudget;
pub use chat::{Chat, ChatError, ChatTemplate, Ending, spaced_json};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use config::{ConfigError, ModelConfig};
pub use forced::skip_header;
pub use generate::{
    DecodeError, Event, Finish, ForcedText, GenerateOptions, Generated, Origin, generate,
};
pub use model::{Llama, ModelError, Weights};
pub use sampling::{Sampler, Sampling, SamplingError};
pub use session::{Model, Session};
