//! `blueprint check`: what is wrong with a template.

use std::path::PathBuf;
use std::process::ExitCode;

use blueprints::{Diagnostic, Diagnostics, Severity};
use serde_json::{Value, json};

use super::failure::Failure;
use super::input::Inputs;
use super::{Outcome, output, template, tokens};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    /// Diagnostics with carets on standard error, or one JSON object a line on standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Ask whether this `tokenizer.json` has the special tokens and can spell the blueprint
    #[arg(long, value_name = "F")]
    tokenizer: Option<PathBuf>,

    #[command(flatten)]
    template: template::Arguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Without a context, only what is wrong under any context can be found.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let found = match diagnose(arguments, inputs) {
        Ok(warnings) => warnings,
        Err(Failure::Template(diagnostics)) => *diagnostics,
        Err(other) => return Err(other),
    };
    match arguments.format {
        Format::Text => output::warnings(&found),
        Format::Json => {
            let lines: String = found.iter().map(|found| format!("{}\n", line(found))).collect();
            output::lines(&lines)?;
        }
    }
    Ok(if found.has_errors() { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn diagnose(arguments: &Arguments, inputs: &mut Inputs) -> Result<Diagnostics, Failure> {
    let template = &arguments.template;
    let blueprint = template.blueprint(inputs)?;
    let unbound = blueprint.undeclared_variables();
    if !template.context.is_given() && !unbound.is_empty() {
        // What a template lacks can come from the one it extends.
        if let Ok(outline) = blueprint.outline(()) {
            return Ok(outline.warnings().clone());
        }
        if arguments.format == Format::Text {
            let name = template.name();
            let unbound = unbound.join("`, `");
            output::message(&format!("{name}: checked without values for `{unbound}`"));
        }
        return Ok(blueprint.warnings());
    }
    let outline = blueprint.outline(template.context.read(inputs)?)?;
    let Some(path) = &arguments.tokenizer else { return Ok(outline.warnings().clone()) };
    let tokenizer = tokens::tokenizer(path, inputs)?;
    // A part that no token sequence can write is an error of its own.
    tokens::matcher(&outline, &template.name(), tokenizer.vocabulary())?;
    let special: Vec<&str> =
        tokenizer.vocabulary().special_tokens().map(|(spelling, _)| spelling).collect();
    Ok(outline.warnings().clone().and(blueprint.check_tokens(&special)))
}

fn line(found: &Diagnostic) -> Value {
    let severity = match found.severity {
        Severity::Error => "error",
        _ => "warning",
    };
    let related: Vec<Value> = found
        .related
        .iter()
        .map(|place| {
            json!({
                "file": place.file,
                "range": [place.range.start, place.range.end],
                "line": place.line,
                "column": place.column,
                "message": place.message,
            })
        })
        .collect();
    json!({
        "code": found.code.as_str(),
        "severity": severity,
        "message": found.message,
        "file": found.file,
        "range": [found.range.start, found.range.end],
        "line": found.line,
        "column": found.column,
        "pointer": found.pointer,
        "help": found.help,
        "related": related,
    })
}
