//! `blueprint fmt`: lays templates out anew.

use std::path::PathBuf;
use std::process::ExitCode;

use blueprints::Blueprint;

use super::failure::Failure;
use super::input::{self, Inputs};
use super::{Outcome, output};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    /// Templates; `-` is standard input, whose layout goes to standard output
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,

    /// Change nothing; name the files that would change, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

/// Files that are well laid out are not touched.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let mut changed = Vec::new();
    for path in &arguments.files {
        let name = input::shown(path);
        let text = inputs.text(path)?;
        let formatted = Blueprint::format(&name, &text)?;
        let from_stdin = path.to_str() == Some("-");
        if from_stdin && !arguments.check {
            output::data(&formatted)?;
        }
        if formatted != text {
            if !arguments.check && !from_stdin {
                std::fs::write(path, &formatted).map_err(|error| Failure::of(&name, &error))?;
            }
            changed.push(name);
        }
    }
    if arguments.check && !changed.is_empty() {
        output::message(&changed.join("\n"));
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
