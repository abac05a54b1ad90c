//! Which delimiters free text has: those that the template names, or those that follow.

use crate::diagnostic::problem::{Problem, quoted};
use crate::ir::{Ir, Literal};
use crate::limits::Limits;
use crate::template::follow::{After, Run, Runs};
use crate::template::lower::Lowering;

/// The delimiters of free text before `runs`, and whether nothing but the end of the template
/// may end it.
pub(super) fn of(
    lowering: &Lowering<'_>,
    until: Option<&[Literal]>,
    runs: &Runs,
) -> Result<(Vec<Literal>, bool), Problem> {
    if runs.iter().any(|run| run.after == After::Faulty) {
        // What follows is at fault, and that is said already.
        return Ok((Vec::new(), false));
    }
    let limits = lowering.limits;
    let found = match until {
        Some(until) => given(limits, until, runs)?,
        None => following(limits, runs)?,
    };
    let endless = found.is_empty() && !runs.iter().any(|run| run.after == After::Stop);
    Ok((found, endless))
}

/// Fails for texts that are longer or more than the limits allow.
pub(super) fn check_lengths(limits: &Limits, until: &[Literal]) -> Result<(), Problem> {
    let bound = limits.delimiter_length;
    if until.iter().any(|delimiter| delimiter.as_str().chars().count() > bound) {
        return Err(Problem::limit("characters of a delimiter", bound as u64));
    }
    if until.len() > limits.delimiters {
        let bound = limits.delimiters as u64;
        return Err(Problem::limit("delimiters of one `anything`", bound));
    }
    Ok(())
}

/// The delimiters that the template names, once each of them is sure to follow.
fn given(limits: &Limits, until: &[Literal], runs: &Runs) -> Result<Vec<Literal>, Problem> {
    check_lengths(limits, until)?;
    let led = |run: &Run, delimiter: &Literal| run.text.as_str().starts_with(delimiter.as_str());
    if let Some(run) = runs.iter().find(|run| !until.iter().any(|d| led(run, d))) {
        return Err(Problem::missing_delimiter(until[0].as_str(), &follows(run)));
    }
    match until.iter().find(|delimiter| !runs.iter().any(|run| led(run, delimiter))) {
        Some(unused) => Err(Problem::unused_delimiter(unused.as_str())),
        // Who wrote the delimiter is what the text that follows says.
        None => {
            let mut found = Vec::new();
            for run in runs {
                let leading = until.iter().filter(|delimiter| led(run, delimiter));
                found.extend(leading.map(|delimiter| run.text.prefix(delimiter.as_str().len())));
            }
            Ok(found)
        }
    }
}

/// The delimiters that follow by themselves; none if only the end of the template does.
fn following(limits: &Limits, runs: &Runs) -> Result<Vec<Literal>, Problem> {
    for run in runs {
        match run.after {
            After::Other(kind) if run.text.is_empty() => {
                return Err(Problem::unnamed_delimiter(kind));
            }
            After::More => {
                let bound = limits.delimiter_length as u64;
                return Err(Problem::limit("characters of a delimiter", bound)
                    .with_help("name a shorter one: `anything(until=\"...\")`"));
            }
            After::End | After::Stop | After::Faulty | After::Other(_) => {}
        }
    }
    let texts = runs.iter().filter(|run| !run.text.is_empty());
    let delimiters: Vec<Literal> = texts.map(|run| run.text.clone()).collect();
    let may_end = delimiters.len() < runs.len();
    if may_end && let Some(delimiter) = overlapping(&delimiters) {
        // Before the end of the template other texts are right than before this delimiter.
        return Err(Problem::overlapping_delimiters(&format!(
            "the end of the template or {} may follow, and the text ends elsewhere before each",
            quoted(delimiter)
        )));
    }
    Ok(delimiters)
}

/// For each of `following` the first of `given` that it begins with, if all are used.
pub(super) fn among(given: &[Literal], following: &[Literal]) -> Option<Vec<Literal>> {
    let led = |one: &Literal, by: &Literal| one.as_str().starts_with(by.as_str());
    let found: Option<Vec<Literal>> = following
        .iter()
        .map(|one| Some(one.prefix(given.iter().find(|by| led(one, by))?.as_str().len())))
        .collect();
    let found = found?;
    let used = |by: &&Literal| found.iter().any(|one| one.as_str() == by.as_str());
    (given.iter().filter(used).count() == given.len()).then_some(found)
}

/// What the automaton for `delimiters` costs: its states times all their characters.
pub(super) fn automaton_steps(delimiters: &[Literal]) -> usize {
    let mut sorted: Vec<&str> = delimiters.iter().map(Literal::as_str).collect();
    sorted.sort_unstable();
    let shared = sorted.windows(2).map(|pair| {
        pair[0].chars().zip(pair[1].chars()).take_while(|(one, other)| one == other).count()
    });
    let characters: usize = sorted.iter().map(|delimiter| delimiter.chars().count()).sum();
    let states = characters - shared.sum::<usize>() + 1;
    states.saturating_mul(characters)
}

/// A delimiter that can begin before another one ends.
fn overlapping(delimiters: &[Literal]) -> Option<&str> {
    let delimiters: Vec<&str> = delimiters.iter().map(Literal::as_str).collect();
    let begins_in = |one: &str, other: &str| {
        let ends = other.char_indices().map(|(at, _)| &other[at..]);
        ends.skip(1).any(|end| one.starts_with(end) || end.starts_with(one))
    };
    let found = delimiters.iter().find(|one| delimiters.iter().any(|d| begins_in(one, d)));
    found.copied()
}

/// A literal as it is read, each stretch with who wrote it.
pub(super) fn spelled(literal: &Literal) -> Ir {
    Ir::sequence(literal.stretches().map(|(text, origin)| Ir::literal(text, origin)))
}

/// What a run says in a message.
fn follows(run: &Run) -> String {
    let after = match run.after {
        After::End => "the end of the template",
        After::Stop => "the end of the turn",
        After::Other(kind) => kind,
        After::More => "more text",
        After::Faulty => "a faulty part",
    };
    match run.text.as_str() {
        "" => format!("{after} may"),
        text => format!("{} and then {after} may", quoted(text)),
    }
}
