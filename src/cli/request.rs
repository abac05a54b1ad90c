//! `blueprint request`: what to put into a provider's request.

mod cases;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blueprints::providers::{
    self, Facts, Intent, Kind, Lower, OnUnsupported, Optional, Providers, Request, RequestError,
};
use serde_json::Value;

use super::failure::Failure;
use super::input::{self, Inputs};
use super::{Outcome, output, template};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(override_usage = "\
blueprint request [OPTIONS] <PROVIDER> <T | -e TEMPLATE | --schema F | --intent JSON|@F>
       blueprint request --cases <F.jsonl>
       blueprint request --matrix")]
pub(crate) struct Arguments {
    /// The provider: openai_chat, anthropic, gemini, ollama, vllm and so on; --matrix lists them
    #[arg(value_name = "PROVIDER")]
    provider: Option<String>,

    #[command(flatten)]
    template: template::Arguments,

    /// What is wanted, as the request cases say it: {"kind": "choice", "choices": ["a", "b"]}
    #[arg(long, value_name = "JSON|@F", conflicts_with_all = ["template", "expression"])]
    intent: Option<String>,

    /// The name of the schema or of the tool
    #[arg(long)]
    name: Option<String>,

    /// The model, for what depends on it
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Whether the body turns thinking on
    #[arg(long)]
    thinking: bool,

    /// What happens to what the provider cannot hold
    #[arg(long, value_enum)]
    on_unsupported: Option<Policy>,

    /// Send a schema as a grammar of our own, which holds all of it
    #[arg(long)]
    as_grammar: bool,

    /// Let text come inside a JSON string, where a pattern can be held only there
    #[arg(long)]
    allow_json_wrap: bool,

    /// What happens to optional properties where the provider wants all of them
    #[arg(long, value_enum)]
    optional: Option<Missing>,

    /// A request body, a JSON object, to put the fields into
    #[arg(long, value_name = "F.json")]
    body: Option<PathBuf>,

    /// Facts that change a provider's, or say a new one's; may be given more than once
    #[arg(long, value_name = "F.json")]
    facts: Vec<PathBuf>,

    /// One line of JSON for each intent of a file, and a summary
    #[arg(long, value_name = "F.jsonl", conflicts_with_all = ["provider", "intent", "matrix"])]
    cases: Option<PathBuf>,

    /// The providers side by side
    #[arg(long, conflicts_with_all = ["provider", "intent"])]
    matrix: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Policy {
    /// It is an error with its place
    Error,
    /// Keywords move to the description; the rest is an error
    Describe,
    /// What remains is asked for in the prompt
    Degrade,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Missing {
    /// They may be null
    Nullable,
    /// They are an error
    Error,
}

/// Fields go to standard output; warnings, losses and the place of the answer to standard error.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let providers = known(arguments, inputs)?;
    if arguments.matrix {
        let table = providers::matrix(&providers).map_err(|error| Failure::of("facts", &error))?;
        output::data(&table)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(path) = &arguments.cases {
        return cases::run(&providers, path, inputs);
    }
    let Some(name) = &arguments.provider else {
        let known = providers.names().collect::<Vec<_>>().join(", ");
        return Err(Failure::Input(format!("no provider; known are {known}")));
    };
    let intent = options(arguments, intent(arguments, inputs)?);
    let facts = providers.facts(name, intent.model.as_deref());
    let facts = facts.map_err(|error| Failure::of("request", &error))?;
    let request = asked(arguments, &facts, &intent, inputs)?;
    let request = request.map_err(|error| Failure::of(name, &error))?;
    told(&request);
    let mut body = match &arguments.body {
        Some(path) => inputs.json(path)?,
        None => Value::Object(serde_json::Map::new()),
    };
    request.merge_into(&mut body).map_err(|error| Failure::of("the body", &error))?;
    output::lines(&format!("{body:#}"))?;
    Ok(ExitCode::SUCCESS)
}

/// The providers, with the caller's own facts.
fn known(arguments: &Arguments, inputs: &mut Inputs) -> Result<Providers, Failure> {
    let mut providers = Providers::builtin();
    for path in &arguments.facts {
        let facts = inputs.json(path)?;
        let fault = |error| Failure::of(&input::shown(path), &error);
        providers = providers.with(&facts).map_err(fault)?;
    }
    Ok(providers)
}

/// What is wanted; without an intent, JSON for the schema, or text of a template.
fn intent(arguments: &Arguments, inputs: &mut Inputs) -> Result<Intent, Failure> {
    let value = match &arguments.intent {
        Some(text) => match text.strip_prefix('@') {
            Some(path) => inputs.json(Path::new(path))?,
            None => input::json("--intent", text.as_bytes())?,
        },
        None if arguments.template.is_given() => return Ok(Intent::new(Kind::Text)),
        None => {
            let variables = arguments.template.context.read(inputs)?;
            let schema = variables.get("schema").ok_or(Failure::Input(
                "nothing is wanted: give T, -e TEMPLATE, --schema F or --intent".into(),
            ))?;
            return Ok(Intent::new(Kind::JsonSchema(schema.clone())));
        }
    };
    Intent::from_json(&value).map_err(|error| Failure::of("--intent", &error))
}

/// The intent with the options of the command line.
fn options(arguments: &Arguments, mut intent: Intent) -> Intent {
    if arguments.name.is_some() {
        intent.name.clone_from(&arguments.name);
    }
    if arguments.model.is_some() {
        intent.model.clone_from(&arguments.model);
    }
    intent.thinking |= arguments.thinking;
    intent.allow_json_wrap |= arguments.allow_json_wrap;
    if arguments.as_grammar {
        intent.lower = Lower::Grammar;
    }
    match arguments.on_unsupported {
        None => {}
        Some(Policy::Error) => intent.on_unsupported = OnUnsupported::Error,
        Some(Policy::Describe) => intent.on_unsupported = OnUnsupported::Describe,
        Some(Policy::Degrade) => intent.on_unsupported = OnUnsupported::Degrade,
    }
    match arguments.optional {
        None => {}
        Some(Missing::Nullable) => intent.optional = Optional::Nullable,
        Some(Missing::Error) => intent.optional = Optional::Error,
    }
    intent
}

fn asked(
    arguments: &Arguments,
    facts: &Facts,
    intent: &Intent,
    inputs: &mut Inputs,
) -> Result<Result<Request, RequestError>, Failure> {
    if !arguments.template.is_given() {
        return Ok(providers::request(facts, intent));
    }
    let outline = arguments.template.outline(inputs)?;
    Ok(providers::blueprint(facts, &outline, intent))
}

/// Tells what is no field.
fn told(request: &Request) {
    for warning in &request.warnings {
        output::message(&format!("warning: {warning}"));
    }
    for loss in &request.losses {
        output::message(&format!("loss: {loss}"));
    }
    if let Some(prompt) = &request.prompt {
        output::message(&format!("prompt: {prompt}"));
    }
    output::message(&format!("answer: {}", request.answer_json()));
}
