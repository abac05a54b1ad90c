//! Measures a written checkpoint as it is used: it generates, greedily, under a grammar.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use blueprints_runtime::decode::{
    Chat, Checkpoint, Ending, ForcedText, GenerateOptions, OnBudget, Sampling, generate,
    skip_header,
};
use blueprints_runtime::{Limits, Program};
use serde_json::{Value, json};

use crate::data::{Document, Source, document};
use crate::grammar;
use crate::random::Random;
use crate::tools::HandWritten;

/// Far more tokens than any right answer has.
const TOKENS_MAX: usize = 160;

/// How many prompts were answered right under the grammar.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    prompts: usize,
    names: usize,
    arguments: usize,
    arguments_right: usize,
    calls: usize,
}

impl Held {
    pub(crate) fn to_json(self) -> Value {
        let share = |right: usize, of: usize| (1000 * right / of.max(1)) as f64 / 10.0;
        json!({
            "prompts": self.prompts,
            "name_right_percent": share(self.names, self.prompts),
            "arguments_right_percent": share(self.arguments_right, self.arguments),
            "call_right_percent": share(self.calls, self.prompts),
        })
    }
}

/// Generates for `count` prompts of one kind.
pub(crate) fn measure(
    folder: &Path,
    hand: &HandWritten,
    source: Source,
    count: usize,
) -> Result<Held, Box<dyn Error>> {
    let checkpoint = Checkpoint::from_folder(folder)?;
    let mut held = Held::default();
    for index in 0..count {
        let mut random = Random::fork(u64::MAX, index as u64);
        let document = document(&mut random, hand, source, 1);
        let Some(turn) = document.turns.first() else { continue };
        let call = call(&checkpoint, &document)?;
        let name = call["name"] == *turn.name;
        let right =
            turn.arguments.iter().filter(|(key, value)| call["arguments"].get(key) == Some(value));
        let right = if name { right.count() } else { 0 };
        held.prompts += 1;
        held.names += usize::from(name);
        held.arguments += turn.arguments.len();
        held.arguments_right += right;
        held.calls +=
            usize::from(name && call["arguments"] == Value::Object(turn.arguments.clone()));
    }
    Ok(held)
}

/// The call that the model writes for a document's first request; null where it breaks off.
fn call(checkpoint: &Checkpoint, document: &Document) -> Result<Value, Box<dyn Error>> {
    let request = document.turns.first().map_or("", |turn| &turn.request);
    let messages = [json!({ "role": "user", "content": request })];
    let ending = Ending::GenerationPrompt;
    let prompt =
        checkpoint.prompt(&Chat { messages: &messages, tools: &document.tools, ending })?;
    let tokenizer = checkpoint.tokenizer();
    let prompt = tokenizer.encode(&prompt)?;
    let ir = grammar::answer(&document.tools).map_err(|error| error.to_string())?;
    let mut matcher =
        Program::compile_ir(&ir, tokenizer.vocabulary(), Limits::default())?.matcher();
    skip_header(&mut matcher, tokenizer.vocabulary(), &prompt)?;
    let options = GenerateOptions {
        sampling: Sampling::greedy(),
        tokens_max: TOKENS_MAX,
        forced: ForcedText::Block(tokenizer),
        on_budget: OnBudget::BreakOff,
    };
    let mut session = checkpoint.session();
    let generated =
        generate(&mut session, &mut matcher, &prompt, options, &mut |_| ControlFlow::Continue(()))?;
    let text = generated.text.trim_start_matches("<tool_call>\n");
    Ok(text.split('\n').next().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default())
}
