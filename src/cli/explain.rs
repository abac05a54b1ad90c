//! `blueprint explain`: a blueprint in words or as a picture, or what a diagnostic code means.

use std::path::PathBuf;
use std::process::ExitCode;

use blueprints::{Code, Severity, Verdict};

use super::failure::Failure;
use super::input::Inputs;
use super::text::judge;
use super::{Outcome, output, railroad, template};

/// The command's arguments.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    /// Draw the blueprint as a railroad picture into this file; `-` is standard output
    #[arg(long, value_name = "F")]
    svg: Option<PathBuf>,

    /// Say where this text fails the blueprint, what was expected there, and after what
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,

    #[command(flatten)]
    template: template::Arguments,
}

/// A name such as `BP012` is a code, anything else a template.
pub(crate) fn run(arguments: &Arguments, inputs: &mut Inputs) -> Outcome {
    if let Some(code) = Code::from_name(&arguments.template.name()) {
        output::lines(&code_at_length(code))?;
        return Ok(ExitCode::SUCCESS);
    }
    let outline = arguments.template.outline(inputs)?;
    if let Some(text) = &arguments.text {
        let text = inputs.argument(text)?;
        let name = arguments.template.name();
        return match judge(&outline, &name, &text)? {
            Verdict::Matches => {
                output::lines("the text fits the blueprint")?;
                Ok(ExitCode::SUCCESS)
            }
            Verdict::Fails(mismatch) => {
                let at = mismatch.at;
                let (line, column) = (mismatch.line, mismatch.column);
                let shown = pointed(&text, line, column);
                let expected = &mismatch.expected;
                let mut answer =
                    format!("the text fails at byte {at}, line {line}, column {column}:\n{shown}");
                answer += &format!("expected: {expected}\n");
                let open = outline.ir().open_parts(&text[..at]);
                if !open.is_empty() {
                    answer += "for this is in progress there, from the outside in:\n";
                    open.iter().for_each(|part| answer += &format!("  {part}\n"));
                }
                output::message(&answer);
                Ok(ExitCode::FAILURE)
            }
        };
    }
    match &arguments.svg {
        None => output::lines(&outline.ir().describe())?,
        Some(path) => {
            let picture = railroad::picture(outline.ir());
            match path.to_str() {
                Some("-") => output::lines(&picture)?,
                _ => std::fs::write(path, picture)
                    .map_err(|error| Failure::of(&path.display().to_string(), &error))?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn code_at_length(code: Code) -> String {
    let severity = match code.severity() {
        Severity::Error => "error",
        _ => "warning",
    };
    let explanation = code.explanation();
    let mut text = format!("{code} ({severity}): {}\n\n{}\n", code.summary(), explanation.text);
    if !explanation.example.is_empty() {
        let example = explanation.example.escape_debug().to_string();
        let example = example.replace("\\'", "'").replace("\\\"", "\"").replace("\\n", "\n    ");
        text += &format!("\nFor example:\n\n    {example}\n");
    }
    text
}

/// The line of the text, with a caret under the column.
fn pointed(text: &str, line: usize, column: usize) -> String {
    const BEFORE_MAX: usize = 60;
    const AFTER_MAX: usize = 20;
    let characters: Vec<char> = text.lines().nth(line - 1).unwrap_or_default().chars().collect();
    let at = (column - 1).min(characters.len());
    let first = at.saturating_sub(BEFORE_MAX);
    let last = (at + AFTER_MAX).min(characters.len());
    let shown: String = characters[first..last].iter().collect();
    format!("  {shown}\n  {}^\n", " ".repeat(at - first))
}
