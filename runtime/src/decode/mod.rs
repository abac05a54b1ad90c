//! The decoder: a checkpoint's tokens, weights and chat template, and sampling under masks.
//!
//! candle is named here only. Nothing in this module knows how masks are made.

mod attend;
mod cache;
mod chat;
mod config;
mod model;
mod ops;

pub use chat::{Chat, ChatError, ChatTemplate, Ending, spaced_json};
pub use config::{ConfigError, ModelConfig};
pub use model::{Llama, ModelError, Weights};
