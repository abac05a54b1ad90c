//! `blueprint mask`: for each token of a text, what may stand in its place.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use blueprints::{Forced, Matcher, TokenId, Vocabulary};
use serde_json::json;

use super::failure::Failure;
use super::input::Inputs;
use super::text::escaped;
use super::tokens::{self, Advance, Tokens};
use super::{Outcome, template};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(override_usage = "blueprint mask [OPTIONS] --tokenizer <F> <T | -e TEMPLATE> <TEXT>")]
pub(crate) struct Arguments {
    /// The `tokenizer.json` that splits the text
    #[arg(long, value_name = "F")]
    tokenizer: PathBuf,

    /// Lines of token, allowed tokens, microseconds and forced text, or JSON objects of them
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    input: template::WithText,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

/// One line.
struct Row {
    token: TokenId,
    spelling: String,
    allowed: usize,
    took: Duration,
    forced: String,
}

/// A line tells what the matcher says where the token is about to follow.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let (template, text) = arguments.input.split()?;
    let outline = template.outline(inputs)?;
    let text = inputs.argument(text)?;
    let tokenizer = tokens::tokenizer(&arguments.tokenizer, inputs)?;
    let vocabulary = tokenizer.vocabulary();
    let mut matcher = tokens::matcher(&outline, &template.name(), vocabulary)?;
    let tokens = Tokens::new(&tokenizer, &text)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for step in tokens.steps() {
        let row = row(&mut matcher, step.token, vocabulary)?;
        writeln!(out, "{}", shown(&row, arguments.format))?;
        if tokens::advance(&mut matcher, step.token)? == Advance::Refused {
            out.flush()?;
            let token = tokens.describe(&text, step);
            return Err(Failure::Input(format!("{token} may not come next")));
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn row(matcher: &mut Matcher, token: TokenId, vocabulary: &Vocabulary) -> Result<Row, Failure> {
    let start = Instant::now();
    let mask = matcher.mask().map_err(|error| Failure::of("the text", &error))?;
    let took = start.elapsed();
    let allowed = mask.count();
    let pieces = matcher.forced().map_err(|error| Failure::of("the text", &error))?;
    let mut forced = Vec::new();
    for piece in &pieces {
        match piece {
            Forced::Bytes(bytes) => forced.extend_from_slice(bytes),
            Forced::Special(token) => forced.extend_from_slice(vocabulary.spelling(*token)),
        }
    }
    let spelling = escaped(vocabulary.spelling(token));
    Ok(Row { token, spelling, allowed, took, forced: escaped(&forced) })
}

fn shown(row: &Row, format: Format) -> String {
    let Row { token, spelling, allowed, took, forced } = row;
    let micros = took.as_nanos() as f64 / 1000.0;
    match format {
        Format::Text => format!("{spelling}\t{allowed}\t{micros:.1}\t{forced}"),
        Format::Json => json!({
            "id": token.0,
            "token": spelling,
            "allowed": allowed,
            "us": micros,
            "forced": forced,
        })
        .to_string(),
    }
}
