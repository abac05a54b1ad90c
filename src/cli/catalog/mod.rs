//! `blueprint catalog`: the templates that come along, or those of a folder.

mod cases;
mod matrix;
mod reading;
mod targets;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blueprints::{Catalog, Folder};

use super::failure::Failure;
use super::input::{self, Inputs};
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
    /// Print names, families, variants and models
    List(List),
    /// Print a template
    Show {
        /// Its name
        name: String,
    },
    /// Compile every template with a matrix of tools and settings, or run cases
    Check(Check),
}

#[derive(Debug, clap::Args)]
struct List {
    /// The folder of a catalog, in place of the one that comes along
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Only what this model writes, by its name on a hub
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Only what answers this chat template
    #[arg(long, value_name = "F", conflicts_with = "model")]
    chat_template: Option<PathBuf>,

    /// Names alone
    #[arg(long)]
    names: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// The folder of a catalog, in place of the one that comes along
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Texts that fit and texts that do not, one case a line
    #[arg(long, value_name = "F.jsonl")]
    cases: Option<PathBuf>,

    /// Read each text also in two chunks, cut at every byte
    #[arg(long, value_enum, value_name = "WHERE")]
    split: Option<Split>,

    /// Only these blueprints
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Write what each blueprint lowers to below DIR/snapshots, in place of comparing
    #[arg(long, requires = "folder", conflicts_with = "cases")]
    update: bool,
}

/// Where texts are cut in two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Split {
    /// At every byte
    Every,
}

/// Prints names or a template, or checks all of them.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    match &arguments.action {
        Action::List(arguments) => list(arguments, inputs),
        Action::Show { name } => show(name),
        Action::Check(arguments) => {
            let catalog = catalog(arguments.folder.as_deref())?;
            for name in &arguments.only {
                known(&catalog, name)?;
            }
            match &arguments.cases {
                Some(path) => cases::run(&catalog, arguments, path, inputs),
                None => matrix::run(&catalog, arguments, inputs),
            }
        }
    }
}

/// The catalog of a folder, or the one that comes along.
fn catalog(folder: Option<&Path>) -> Result<Catalog, Failure> {
    let Some(folder) = folder else { return Ok(Catalog::builtin()) };
    Catalog::from_folder(&Folder::new(folder))
        .map_err(|error| Failure::of(&input::shown(folder), &error))
}

/// The text of the template `name`.
fn known<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a str, Failure> {
    catalog.source(name).ok_or_else(|| {
        let names: Vec<&str> = catalog.names().collect();
        Failure::Input(format!("`{name}` is not in the catalog, which has {}", names.join(", ")))
    })
}

fn show(name: &str) -> Outcome {
    output::data(known(&Catalog::builtin(), name)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Four columns: name, family, variant, models.
fn list(arguments: &List, inputs: &mut Inputs) -> Outcome {
    let catalog = catalog(arguments.folder.as_deref())?;
    let names: Vec<&str> = match (&arguments.model, &arguments.chat_template) {
        (Some(model), _) => catalog.for_model(model),
        (None, Some(path)) => catalog.for_chat_template(&inputs.text(path)?),
        (None, None) => catalog.names().collect(),
    };
    let mut rows = Vec::new();
    for name in names {
        let known = catalog.metadata(name).unwrap_or_default();
        rows.push(match arguments.names {
            true => vec![name.to_owned()],
            false => vec![name.to_owned(), known.family, known.variant, known.models.join(", ")],
        });
    }
    output::lines(&table(&rows))?;
    Ok(ExitCode::SUCCESS)
}

/// Columns as wide as their widest cell, the last one as it is.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
