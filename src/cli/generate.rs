//! `blueprint generate`: what is asked of a model.

// Without the decoder the command stays and says so.
#[cfg(feature = "decode")]
mod decode;
#[cfg(not(feature = "decode"))]
#[path = "generate/no_decode.rs"]
mod decode;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::failure::Failure;
use super::input::{self, Inputs};
use super::{Outcome, template};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    /// A checkpoint's folder; by default the small model that comes along
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,

    /// What the user says, or `-`
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,

    /// The messages of a chat, a JSON array; they are the variable `messages` too
    #[arg(long, value_name = "F.json", conflicts_with = "prompt")]
    messages: Option<PathBuf>,

    /// The most tokens that are written; by default what the model's context has room for
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,

    /// Bring the text to its end before the tokens run out
    #[arg(long)]
    finish: bool,

    /// Tell on standard error what it took
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    template: template::Arguments,

    #[command(flatten)]
    sampling: Sampling,
}

/// How tokens are chosen.
#[derive(Clone, Copy, Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Sampling")]
struct Sampling {
    /// Logits are divided by it; 0 takes the most likely token
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    temperature: f32,

    /// Draw from the K most likely tokens
    #[arg(long, value_name = "K")]
    top_k: Option<usize>,

    /// Draw from the most likely tokens that reach this probability together
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    top_p: Option<f32>,

    /// Draws follow from it alone
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Streams the text to standard output.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    decode::run(arguments, inputs)
}

impl Arguments {
    /// The variables of the blueprint and of the chat template.
    #[cfg_attr(not(feature = "decode"), expect(dead_code, reason = "there is no decoder"))]
    fn context(&self, inputs: &mut Inputs) -> Result<Map<String, Value>, Failure> {
        let mut context = self.template.context.read(inputs)?;
        if let Some(path) = &self.messages {
            let messages = inputs.json(path)?;
            if !messages.is_array() {
                let name = input::shown(path);
                return Err(Failure::Input(format!("{name}: the messages must be a JSON array")));
            }
            context.insert("messages".to_owned(), messages);
        }
        if let Some(prompt) = &self.prompt {
            let prompt = inputs.argument(prompt)?;
            let messages = json!([{ "role": "user", "content": prompt }]);
            context.insert("messages".to_owned(), messages);
        }
        if !context.contains_key("messages") {
            let message = "nothing to answer: give --prompt or --messages";
            return Err(Failure::Input(message.into()));
        }
        Ok(context)
    }
}
