//! `blueprint compile`: a blueprint in the language of another engine.

use std::process::ExitCode;

use blueprints::Outline;
use blueprints::emit::{Dialect, EmitError, Emitted, Exactness, TagFormats};

use super::failure::Failure;
use super::input::Inputs;
use super::{Outcome, output, template};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    /// The language
    #[arg(long, value_enum)]
    to: Target,

    /// Fail where the target cannot say all of it
    #[arg(long)]
    exact: bool,

    #[command(flatten)]
    template: template::Arguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Target {
    /// The intermediate form, which reads back
    Ir,
    /// A regular expression
    Regex,
    /// XGrammar's EBNF
    #[value(name = "xgrammar")]
    XGrammar,
    /// The grammar of llama.cpp
    Gbnf,
    /// Lark, as llguidance reads it
    Lark,
    /// XGrammar's structural tag
    StructuralTag,
    /// The same in formats that older versions know, as web-llm carries them
    StructuralTagLegacy,
    /// JSON Schema, where all texts are JSON
    JsonSchema,
}

/// What the target cannot say is told on standard error.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let outline = arguments.template.outline(inputs)?;
    let exactness = if arguments.exact { Exactness::Exact } else { Exactness::Lossy };
    let emitted = emit(&outline, arguments.to, exactness)
        .map_err(|error| Failure::of(&arguments.template.name(), &error))?;
    for loss in &emitted.losses {
        output::message(&format!("loss: {loss}"));
    }
    output::lines(&emitted.text)?;
    Ok(ExitCode::SUCCESS)
}

fn emit(outline: &Outline, target: Target, exactness: Exactness) -> Result<Emitted, EmitError> {
    match target {
        Target::Ir => Ok(Emitted { text: outline.to_string(), losses: Vec::new() }),
        Target::Regex => outline.to_regex(exactness),
        Target::XGrammar => outline.to_ebnf(Dialect::XGrammar, exactness),
        Target::Gbnf => outline.to_ebnf(Dialect::Gbnf, exactness),
        Target::Lark => outline.to_ebnf(Dialect::Lark, exactness),
        Target::StructuralTag => outline.to_structural_tag(exactness),
        Target::StructuralTagLegacy => outline.to_structural_tag_of(TagFormats::Legacy, exactness),
        Target::JsonSchema => outline.to_json_schema(exactness),
    }
}
