//! Runs a checkpoint under a blueprint, and streams what it writes.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use blueprints::decode::{
    Chat, Checkpoint, CheckpointError, Ending, Finish, ForcedText, GenerateOptions, Generated,
    OnBudget, Sampling, generate, skip_header,
};
use blueprints::{Matcher, TokenId};
use serde_json::{Map, Value};

use super::super::failure::Failure;
use super::super::input::Inputs;
use super::super::{Outcome, output, template, tokens};
use super::Arguments;

pub(super) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let blueprint = arguments.template.blueprint(inputs)?;
    let context = arguments.context(inputs)?;
    let outline = template::bind(&blueprint, &context)?;
    let (checkpoint, model) = checkpoint(arguments)?;
    let vocabulary = checkpoint.tokenizer().vocabulary();
    let mut matcher = tokens::matcher(&outline, &arguments.template.name(), vocabulary)?;
    let prompt = prompt(&checkpoint, &model, &context)?;
    skip_header(&mut matcher, vocabulary, &prompt)
        .map_err(|error| Failure::of("the prompt", &error))?;
    let start = Instant::now();
    let generated = stream(arguments, &checkpoint, &mut matcher, &prompt)?;
    if arguments.stats {
        output::message(&stats(&generated, prompt.len(), start.elapsed()));
    }
    complete(&generated, &matcher)?;
    Ok(ExitCode::SUCCESS)
}

/// The checkpoint, and how messages name it.
fn checkpoint(arguments: &Arguments) -> Result<(Checkpoint, String), Failure> {
    let (name, checkpoint) = match &arguments.model {
        Some(folder) => (folder.display().to_string(), Checkpoint::from_folder(folder)),
        None => ("the embedded model".to_owned(), Checkpoint::embedded()),
    };
    match checkpoint {
        Ok(checkpoint) => Ok((checkpoint, name)),
        // It names the whole path itself.
        Err(CheckpointError::Read { path, source }) => {
            Err(Failure::of(&path.display().to_string(), &source))
        }
        Err(error) => Err(Failure::of(&name, &error)),
    }
}

/// The tokens of the prompt, by the checkpoint's own chat template.
fn prompt(
    checkpoint: &Checkpoint,
    model: &str,
    context: &Map<String, Value>,
) -> Result<Vec<TokenId>, Failure> {
    let ending = match context.get("add_generation_prompt") {
        None | Some(Value::Bool(true)) => Ending::GenerationPrompt,
        Some(Value::Bool(false)) => Ending::LastMessage,
        Some(_) => {
            let message = "`add_generation_prompt` must be true or false";
            return Err(Failure::Input(message.into()));
        }
    };
    let chat =
        Chat { messages: list(context, "messages")?, tools: list(context, "tools")?, ending };
    let text = checkpoint.prompt(&chat).map_err(|error| Failure::of(model, &error))?;
    checkpoint.tokenizer().encode(&text).map_err(|error| Failure::of(model, &error))
}

/// A variable that is a list, or is not there.
fn list<'a>(context: &'a Map<String, Value>, name: &str) -> Result<&'a [Value], Failure> {
    match context.get(name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(Failure::Input(format!("`{name}` must be a JSON array"))),
    }
}

/// Generates, and writes each piece of text as soon as it stands.
fn stream(
    arguments: &Arguments,
    checkpoint: &Checkpoint,
    matcher: &mut Matcher,
    prompt: &[TokenId],
) -> Result<Generated, Failure> {
    let super::Sampling { temperature, top_k, top_p, seed } = arguments.sampling;
    let options = GenerateOptions {
        sampling: Sampling { temperature, top_k, top_p, seed },
        tokens_max: arguments.max_tokens.unwrap_or(usize::MAX),
        forced: ForcedText::Block(checkpoint.tokenizer()),
        on_budget: if arguments.finish { OnBudget::Complete } else { OnBudget::BreakOff },
    };
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let mut session = checkpoint.session();
    let generated = generate(&mut session, matcher, prompt, options, &mut |event| {
        written = out.write_all(event.text.as_bytes()).and_then(|()| out.flush());
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .map_err(|error| Failure::of("generating", &error))?;
    written?;
    if out.is_terminal() {
        writeln!(out)?;
    }
    Ok(generated)
}

/// Fails if the text breaks off before it fits the blueprint.
fn complete(generated: &Generated, matcher: &Matcher) -> Result<(), Failure> {
    let cause = match generated.finish {
        Finish::Stop | Finish::Complete => return Ok(()),
        Finish::TokensMax => "--max-tokens",
        Finish::ContextFull => "the model's context",
        Finish::Cancelled => "the caller",
    };
    let lacks_only_stop = || matcher.lacks_only_stop();
    if matcher.is_accepting()
        || lacks_only_stop().map_err(|error| Failure::of("generating", &error))?
    {
        return Ok(());
    }
    let count = generated.tokens.len();
    Err(Failure::Input(format!("the text is not complete: {cause} ended it after {count} tokens")))
}

fn stats(generated: &Generated, prompt: usize, took: Duration) -> String {
    let Generated { tokens, forced, completing, passes, finish, .. } = generated;
    let count = tokens.len();
    let seconds = took.as_secs_f64();
    let steered = match completing {
        0 => String::new(),
        count => format!(", {count} to end in time"),
    };
    let rate = count as f64 / seconds.max(1e-9);
    format!(
        "prompt {prompt} tokens; wrote {count} tokens, {forced} forced{steered}, in {passes} passes and \
         {seconds:.3} s ({rate:.1} tokens/s); ended by {finish:?}"
    )
}
