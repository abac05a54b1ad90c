//! `blueprint schema`: schemas with instances, each compiled and asked about its instances.
//!
//! Every line of a file is `{"id", "schema", "tests": [{"data", "valid"}]}`. The answer is one
//! line for each and a summary at the end, so that anyone can judge it by other means. With a
//! tokenizer, each instance goes token by token through mask and matcher, which must agree.

mod case;
mod spelled;
mod timing;
mod variants;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use blueprints::{Formats, Order, Remotes, SchemaOptions, Tokenizer};
use serde_json::{Map, Value, json};

use super::Outcome;
use super::failure::Failure;
use super::input::{self, Inputs};
use super::tokens;
use case::{Report, Run};
use timing::Times;

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    /// Files of JSON lines `{"id", "schema", "tests": [{"data", "valid"}]}`
    #[arg(required = true, value_name = "FILES")]
    files: Vec<PathBuf>,

    /// The `tokenizer.json` whose tokens the instances are driven by; bytes without it
    #[arg(long, value_name = "F")]
    tokenizer: Option<PathBuf>,

    /// Write instances with a blank after each comma and colon
    #[arg(long, conflicts_with = "compact")]
    spaces: bool,

    /// Write instances without white space (the default)
    #[arg(long)]
    compact: bool,

    /// In which order keys may stand
    #[arg(long, value_enum, default_value_t = OrderArgument::Any)]
    order: OrderArgument,

    /// What `format` means
    #[arg(long, value_enum, default_value_t = FormatsArgument::Assert)]
    formats: FormatsArgument,

    /// An object of schemas by their addresses, which references may lead to
    #[arg(long, value_name = "F")]
    remotes: Option<PathBuf>,

    /// At most so many lines of each file
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Ask about texts beside the instances, too: other spellings of the same value, keys that
    /// repeat, text that is cut off or goes on
    #[arg(long)]
    variants: bool,

    /// Leave out what cannot be held
    #[arg(long)]
    lenient: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum OrderArgument {
    Any,
    Declared,
    #[value(name = "required_first")]
    RequiredFirst,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum FormatsArgument {
    Assert,
    Annotate,
}

/// Answers every line of every file.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let tokenizer = match &arguments.tokenizer {
        Some(path) => Some(tokens::tokenizer(path, inputs)?),
        None => None,
    };
    let run = Run {
        options: options(arguments, inputs)?,
        tokenizer: tokenizer.as_ref(),
        spaces: arguments.spaces,
        variants: arguments.variants,
    };
    warm(&run);
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut totals = Totals::default();
    for path in &arguments.files {
        let text = inputs.text(path)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        for (number, line) in lines.take(arguments.limit.unwrap_or(usize::MAX)) {
            let name = format!("{}:{}", input::shown(path), number + 1);
            let case = input::json(&name, line.as_bytes())?;
            let report = run.case(case, &name)?;
            writeln!(out, "{}", report.line())?;
            totals.add(report);
        }
    }
    writeln!(out, "{}", json!({ "summary": totals.summary() }))?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn options(arguments: &Arguments, inputs: &mut Inputs) -> Result<SchemaOptions, Failure> {
    let remotes: Remotes = match &arguments.remotes {
        None => Remotes::new(),
        Some(path) => match inputs.json(path)? {
            Value::Object(members) => members.into_iter().collect(),
            _ => {
                let message = format!("{}: not an object of schemas", input::shown(path));
                return Err(Failure::Input(message));
            }
        },
    };
    Ok(SchemaOptions {
        order: match arguments.order {
            OrderArgument::Any => Order::Any,
            OrderArgument::Declared => Order::Declared,
            OrderArgument::RequiredFirst => Order::RequiredFirst,
        },
        formats: match arguments.formats {
            FormatsArgument::Assert => Formats::Assert,
            FormatsArgument::Annotate => Formats::Annotate,
        },
        lenient: arguments.lenient,
        remotes: Arc::new(remotes),
        ..SchemaOptions::default()
    })
}

/// Makes what all schemas of a tokenizer share, so that it is in nobody's time.
fn warm(run: &Run<'_>) {
    let case =
        json!({ "id": "", "schema": true, "tests": [{ "data": {"a": [1, "b"]}, "valid": true }] });
    // Whatever is wrong is found again by the cases themselves.
    let _ = run.case(case, "");
}

/// What all cases come to.
#[derive(Default)]
struct Totals {
    schemas: usize,
    compiled: usize,
    /// Compiled, or known to have no values.
    answered: usize,
    right: usize,
    wrong: usize,
    refused_valid: usize,
    accepted_invalid: usize,
    tokens: usize,
    errors: BTreeMap<String, usize>,
    beside: BTreeMap<&'static str, usize>,
    compile: Times,
    first: Times,
    masks: Times,
    accepts: Times,
}

impl Totals {
    fn add(&mut self, report: Report) {
        self.schemas += 1;
        self.compiled += usize::from(report.error.is_none());
        let empty = |error: &case::Refusal| error.code == "unsatisfiable";
        self.answered += usize::from(report.error.as_ref().is_none_or(empty));
        if let Some(error) = &report.error {
            *self.errors.entry(error.code.to_owned()).or_default() += 1;
        }
        self.right += report.right;
        for (kind, count) in &report.beside {
            *self.beside.entry(kind).or_default() += count;
        }
        self.wrong += report.wrong.len();
        self.refused_valid += report.wrong.iter().filter(|wrong| wrong.expected).count();
        self.accepted_invalid += report.wrong.iter().filter(|wrong| !wrong.expected).count();
        self.tokens += report.tokens;
        self.compile.push(report.compile_us);
        self.first.extend(report.first_us);
        self.masks.append(report.masks);
        self.accepts.append(report.accepts);
    }

    fn summary(&mut self) -> Value {
        let mut summary = Map::new();
        let counts = [
            ("schemas", self.schemas),
            ("compiled", self.compiled),
            ("answered", self.answered),
            ("right", self.right),
            ("wrong", self.wrong),
            ("valid_refused", self.refused_valid),
            ("invalid_accepted", self.accepted_invalid),
            ("tokens", self.tokens),
        ];
        for (name, count) in counts {
            summary.insert(name.into(), count.into());
        }
        if !self.beside.is_empty() {
            summary.insert("variants".into(), json!(self.beside));
        }
        summary.insert("errors".into(), json!(self.errors));
        summary.insert("compile_us".into(), self.compile.statistics());
        summary.insert("ttfm_us".into(), self.first.statistics());
        summary.insert("mask_us".into(), self.masks.statistics());
        summary.insert("accept_us".into(), self.accepts.statistics());
        Value::Object(summary)
    }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("options", &self.options).finish_non_exhaustive()
    }
}

type SomeTokenizer<'a> = Option<&'a Tokenizer>;
