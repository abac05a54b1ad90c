//! `blueprint parse`: a text, read by a blueprint, as JSON.

use std::process::ExitCode;

use blueprints::{
    Event, ParseError, ParseOptions, Parsed, Parser, Strictness, ToolDelta, ToolDeltas,
};
use serde_json::{Value, json};

use super::failure::Failure;
use super::input::Inputs;
use super::{Outcome, output, template};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(override_usage = "blueprint parse [OPTIONS] <T | -e TEMPLATE> <TEXT>")]
pub(crate) struct Arguments {
    /// Print reasoning, content and tool calls in one shape, whatever the format
    #[arg(long)]
    calls: bool,

    /// Print what each character adds, a line each
    #[arg(long)]
    stream: bool,

    /// Read on as text where the text does not fit
    #[arg(long)]
    lenient: bool,

    #[command(flatten)]
    input: template::WithText,
}

/// Prints the captures, or the shape of tool calls.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    let (template, text) = arguments.input.split()?;
    let outline = template.outline(inputs)?;
    let text = inputs.argument(text)?;
    let name = template.name();
    let strictness = if arguments.lenient { Strictness::Lenient } else { Strictness::Strict };
    let options = ParseOptions { strictness, ..ParseOptions::default() };
    let mut parser =
        Parser::new(outline.ir(), options).map_err(|error| Failure::of(&name, &error))?;
    let parsed = match arguments.stream {
        true => streamed(&mut parser, &text, arguments.calls)?,
        false => parser.parse(&text).map(|parsed| (parsed, None)),
    };
    match parsed {
        Ok((parsed, lines)) => {
            output::lines(&match lines {
                Some(lines) => lines,
                None if arguments.calls => shape(&parsed, &name)?.to_string(),
                None => parsed.value().to_string(),
            })?;
            if let Some(left) = parsed.left() {
                output::message(&left.mismatch.to_string());
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ (ParseError::Mismatch { .. } | ParseError::Value { .. })) => {
            output::message(&error.to_string());
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(Failure::of(&name, &error)),
    }
}

fn shape(parsed: &Parsed, name: &str) -> Result<Value, Failure> {
    let calls = parsed.calls().map_err(|error| Failure::of(name, &error))?;
    Ok(calls.to_value())
}

type Streamed = Result<(Parsed, Option<String>), ParseError>;

/// Reads a character at a time, and prints what each adds as far as it fits.
fn streamed(parser: &mut Parser, text: &str, calls: bool) -> Result<Streamed, Failure> {
    let mut deltas = ToolDeltas::default();
    let mut lines = |events: &[Event]| {
        let mut lines = String::new();
        for event in events {
            let shown = match calls {
                false => vec![event_json(event)],
                true => deltas.push(event).iter().map(delta_json).collect(),
            };
            shown.iter().for_each(|line| lines += &format!("{line}\n"));
        }
        lines
    };
    let mut place = [0; 4];
    for character in text.chars() {
        match parser.push(character.encode_utf8(&mut place)) {
            Ok(events) => output::data(&lines(&events))?,
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(parser.finish().map(|(events, parsed)| (parsed, Some(lines(&events)))))
}

fn event_json(event: &Event) -> Value {
    match event {
        Event::Opened { path, at, .. } => json!({ "opened": &**path, "at": at }),
        Event::Text(text) => json!({ "text": text }),
        Event::Outside(text) => json!({ "outside": text }),
        Event::Closed { path, at, value, .. } => {
            json!({ "closed": &**path, "at": at, "value": value })
        }
        Event::Left { left, text } => {
            json!({ "left": left.mismatch.to_string(), "from": left.from, "text": text })
        }
        _ => Value::Null,
    }
}

fn delta_json(delta: &ToolDelta) -> Value {
    match delta {
        ToolDelta::Reasoning(text) => json!({ "reasoning": text }),
        ToolDelta::Content(text) => json!({ "content": text }),
        ToolDelta::Void { index } => json!({ "tool_calls": [{ "index": index, "void": true }] }),
        ToolDelta::Call { index, id, name, arguments } => {
            json!({ "index": index, "id": id, "name": name, "arguments": arguments })
        }
        _ => Value::Null,
    }
}
