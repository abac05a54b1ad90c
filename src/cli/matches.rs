//! `blueprint match`: whether a text fits a blueprint, and if not, where it fails.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blueprints::{Outline, Verdict};

use super::failure::Failure;
use super::input::Inputs;
use super::text::{judge, place};
use super::tokens::{self, Advance, Tokens};
use super::{Outcome, output, template};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(override_usage = "blueprint match [OPTIONS] <T | -e TEMPLATE> <TEXT>")]
pub(crate) struct Arguments {
    /// Ask by the tokens of this `tokenizer.json`, not by bytes
    #[arg(long, value_name = "F")]
    tokenizer: Option<PathBuf>,

    #[command(flatten)]
    input: template::WithText,
}

/// The text may lack the stop token that ends the blueprint.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let (template, text) = arguments.input.split()?;
    let outline = template.outline(inputs)?;
    let text = inputs.argument(text)?;
    let name = template.name();
    let refused = match &arguments.tokenizer {
        None => by_bytes(&outline, &name, &text)?,
        Some(path) => by_tokens(&outline, &name, &text, (path, inputs))?,
    };
    Ok(match refused {
        None => ExitCode::SUCCESS,
        Some(message) => {
            output::message(&message);
            ExitCode::FAILURE
        }
    })
}

/// Where `text` fails, if it does.
fn by_bytes(outline: &Outline, name: &str, text: &str) -> Result<Option<String>, Failure> {
    Ok(match judge(outline, name, text)? {
        Verdict::Matches => None,
        Verdict::Fails(mismatch) => Some(mismatch.to_string()),
    })
}

/// Where the tokens of `text` fail, if they do: the token, and what the bytes have to say.
fn by_tokens(
    outline: &Outline,
    name: &str,
    text: &str,
    (path, inputs): (&Path, &mut Inputs),
) -> Result<Option<String>, Failure> {
    let tokenizer = tokens::tokenizer(path, inputs)?;
    let mut matcher = tokens::matcher(outline, name, tokenizer.vocabulary())?;
    let tokens = Tokens::new(&tokenizer, text)?;
    for step in tokens.steps() {
        if tokens::advance(&mut matcher, step.token)? == Advance::Refused {
            let token = format!("{} may not come next", tokens.describe(text, step));
            return Ok(Some(match by_bytes(outline, name, text)? {
                Some(mismatch) => format!("{mismatch}\n{token}"),
                None => token,
            }));
        }
    }
    let lacks_only_stop = || matcher.lacks_only_stop();
    if matcher.is_accepting() || lacks_only_stop().map_err(|error| Failure::of(name, &error))? {
        return Ok(None);
    }
    let end = format!("{}: the tokens end here", place(text.as_bytes(), text.len()));
    Ok(Some(match by_bytes(outline, name, text)? {
        Some(mismatch) => format!("{mismatch}\n{end}"),
        None => end,
    }))
}
