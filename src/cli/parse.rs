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
#[command(allow_missing_positional = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    template: template::Arguments,

    /// The text, or `-`
    #[arg(value_name = "TEXT", allow_negative_numbers = true)]
    text: String,
}

/// Prints the whole match.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let outline = arguments.template.outline(inputs)?;
    let text = inputs.argument(&arguments.text)?;
    match judge(&outline, &arguments.template.name(), &text)? {
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
