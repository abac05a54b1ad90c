//! `blueprint parse`: a text, read by a blueprint, as JSON.

use std::process::ExitCode;

use blueprints::Verdict;
use serde_json::json;

use super::input::Inputs;
use super::text::judge;
use super::{Outcome, output, template};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(override_usage = "blueprint parse [OPTIONS] <T | -e TEMPLATE> <TEXT>")]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: template::WithText,
}

/// Prints the whole match.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let (template, text) = arguments.input.split()?;
    let outline = template.outline(inputs)?;
    let text = inputs.argument(text)?;
    match judge(&outline, &template.name(), &text)? {
        Verdict::Matches => {
            output::lines(&json!({ "text": text }).to_string())?;
            Ok(ExitCode::SUCCESS)
        }
        Verdict::Fails(mismatch) => {
            output::message(&mismatch.to_string());
            Ok(ExitCode::FAILURE)
        }
    }
}
