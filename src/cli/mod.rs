//! The command line: which command is asked for, and what its outcome is to the caller.
//!
//! Data goes to standard output, all else to standard error. The exit code is 0 if all is well,
//! 1 if `match` or `parse` says no, 2 for bad input of any kind.

mod catalog;
mod check;
mod compile;
mod context;
mod explain;
mod failure;
mod fmt;
mod generate;
mod input;
mod mask;
mod matches;
mod output;
mod parse;
mod railroad;
mod request;
mod schema;
mod template;
mod text;
mod tokens;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;
use input::Inputs;

/// What a command comes to.
type Outcome = Result<ExitCode, Failure>;

/// One template says what a language model may write
#[derive(Parser)]
#[command(name = "blueprint", version, propagate_version = true, after_help = FILES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const FILES: &str = "\
T is a path, a name of the catalog, or -e 'TEMPLATE'. `-` reads standard input exactly.
Exit code: 0 all is well; 1 `match` or `parse` says no; 2 bad input.";

#[derive(Subcommand)]
enum Command {
    /// Report what is wrong with a template
    Check(check::Arguments),
    /// Say a blueprint in the language of another engine
    Compile(compile::Arguments),
    /// Tell whether a text fits a blueprint
    Match(matches::Arguments),
    /// Read a text by a blueprint
    Parse(parse::Arguments),
    /// Let a model write under a blueprint
    Generate(generate::Arguments),
    /// Show what may follow each token of a text
    Mask(mask::Arguments),
    /// Say a blueprint in words or as a picture, or what a diagnostic code means
    Explain(explain::Arguments),
    /// Lay templates out anew; only what is not content changes
    Fmt(fmt::Arguments),
    /// Say a schema, a choice or a blueprint in the request of a provider
    Request(request::Arguments),
    /// Ask schemas about instances
    Schema(schema::Arguments),
    /// The templates that come along
    Catalog(catalog::Arguments),
}

/// Does what the command line asks for.
pub(crate) fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nobody is left to hear of a closed stream.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut inputs = Inputs::default();
    let outcome = match &arguments.command {
        Command::Check(arguments) => check::run(arguments, &mut inputs),
        Command::Compile(arguments) => compile::run(arguments, &mut inputs),
        Command::Match(arguments) => matches::run(arguments, &mut inputs),
        Command::Parse(arguments) => parse::run(arguments, &mut inputs),
        Command::Generate(arguments) => generate::run(arguments, &mut inputs),
        Command::Mask(arguments) => mask::run(arguments, &mut inputs),
        Command::Explain(arguments) => explain::run(arguments, &mut inputs),
        Command::Fmt(arguments) => fmt::run(arguments, &mut inputs),
        Command::Request(arguments) => request::run(arguments, &mut inputs),
        Command::Schema(arguments) => schema::run(arguments, &mut inputs),
        Command::Catalog(arguments) => catalog::run(arguments, &mut inputs),
    };
    outcome.unwrap_or_else(|failure| failure.report())
}
