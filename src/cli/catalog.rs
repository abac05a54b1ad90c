//! `blueprint catalog`: the templates that come along.

use std::process::ExitCode;

use blueprints::Catalog;

use super::failure::Failure;
use super::{Outcome, output};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print the names
    List,
    /// Print a template
    Show {
        /// Its name
        name: String,
    },
}

/// Prints names, or a template.
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let catalog = Catalog::builtin();
    match &arguments.action {
        Action::List => {
            let names: Vec<&str> = catalog.names().collect();
            output::lines(&names.join("\n"))?;
        }
        Action::Show { name } => match catalog.source(name) {
            Some(source) => output::data(source)?,
            None => {
                let names: Vec<&str> = catalog.names().collect();
                let names = names.join(", ");
                let message = format!("`{name}` is not in the catalog, which has {names}");
                return Err(Failure::Input(message));
            }
        },
    }
    Ok(ExitCode::SUCCESS)
}
