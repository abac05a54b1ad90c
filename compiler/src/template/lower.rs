//! Lowers the parts of a rendering to an [`Ir`].
//!
//! Here free text finds its delimiter, and an option outside of a choice is found.

use std::sync::Arc;

use crate::diagnostic::problem::{Problem, quoted};
use crate::ir::{Ir, Literal};
use crate::limits::Limits;
use crate::template::arena::{Kind, Part, Place};
use crate::template::follow::{After, Lookout, Rest, Run, Runs};

/// A problem and where it lies, if that is known.
pub(crate) type Placed = (Problem, Option<Place>);

struct Lowering<'a> {
    lookout: Lookout<'a>,
    limits: &'a Limits,
    problems: Vec<Placed>,
}

/// The language of `parts`, one after the other.
///
/// # Errors
/// All problems with free text and with options.
pub(crate) fn lower(parts: &[Arc<Part>], limits: &Limits) -> Result<Ir, Vec<Placed>> {
    let mut lowering = Lowering { lookout: Lookout::new(limits), limits, problems: Vec::new() };
    let ir = lowering.row(parts, &Rest::End);
    match lowering.problems.is_empty() {
        true => Ok(ir),
        false => Err(lowering.problems),
    }
}

impl Lowering<'_> {
    fn row(&mut self, parts: &[Arc<Part>], rest: &Rest<'_>) -> Ir {
        let lowered: Vec<Ir> = parts
            .iter()
            .enumerate()
            .map(|(at, part)| self.part(part, &Rest::Parts(&parts[at + 1..], rest)))
            .collect();
        Ir::sequence(lowered)
    }

    fn part(&mut self, part: &Part, rest: &Rest<'_>) -> Ir {
        match &part.kind {
            Kind::Text { string, origin } => Ir::literal(string, *origin),
            Kind::Closed(ir) => ir.clone(),
            Kind::Repeat { body, min, max, separator } => {
                let again = Rest::Again(part, rest);
                let body_again = Rest::Parts(body, &again);
                let separator = self.row(separator, &body_again);
                let body = self.row(body, &again);
                Ir::repeat(body, *min, *max, Some(separator))
            }
            Kind::Choice(options) => {
                Ir::choice(options.iter().map(|option| self.row(option, rest)).collect::<Vec<_>>())
            }
            Kind::Option { body, place } => {
                self.problems.push((Problem::option_outside_choice(), Some(place.clone())));
                self.row(body, rest)
            }
            Kind::Optional(body) => Ir::optional(self.row(body, rest)),
            Kind::Anything { until, place } => match self.anything(until.as_deref(), rest) {
                Ok(ir) => ir,
                Err(problem) => {
                    self.problems.push((problem, place.clone()));
                    Ir::empty()
                }
            },
        }
    }

    fn anything(&mut self, until: Option<&[Arc<str>]>, rest: &Rest<'_>) -> Result<Ir, Problem> {
        let runs = self.lookout.runs(rest)?;
        let delimiters = match until {
            Some(until) => self.given(until, &runs)?,
            None => self.found(&runs)?,
        };
        self.lookout.spend(automaton_steps(&delimiters))?;
        Ir::anything(delimiters)
            .map_err(|overlap| Problem::overlapping_delimiters(&overlap.to_string()))
    }

    /// The delimiters that the template names, once each of them is sure to follow.
    fn given(&self, until: &[Arc<str>], runs: &Runs) -> Result<Vec<Literal>, Problem> {
        let bound = self.limits.delimiter_length;
        if until.iter().any(|delimiter| delimiter.chars().count() > bound) {
            return Err(Problem::limit("characters of a delimiter", bound as u64));
        }
        if until.len() > self.limits.delimiters {
            let bound = self.limits.delimiters as u64;
            return Err(Problem::limit("delimiters of one `anything`", bound));
        }
        let led =
            |run: &Run, delimiter: &Arc<str>| run.text.as_str().starts_with(delimiter.as_ref());
        if let Some(run) = runs.iter().find(|run| !until.iter().any(|d| led(run, d))) {
            return Err(Problem::missing_delimiter(&until[0], &follows(run)));
        }
        match until.iter().find(|delimiter| !runs.iter().any(|run| led(run, delimiter))) {
            Some(unused) => Err(Problem::unused_delimiter(unused)),
            // Who wrote the delimiter is what the text that follows says.
            None => {
                let mut found = Vec::new();
                for run in runs {
                    let leading = until.iter().filter(|delimiter| led(run, delimiter));
                    found.extend(leading.map(|delimiter| run.text.prefix(delimiter.len())));
                }
                Ok(found)
            }
        }
    }

    /// The delimiters that follow by themselves; none if only the end of the template does.
    fn found(&self, runs: &Runs) -> Result<Vec<Literal>, Problem> {
        for run in runs {
            match run.after {
                After::Other(kind) if run.text.is_empty() => {
                    return Err(Problem::unnamed_delimiter(kind));
                }
                After::More => {
                    let bound = self.limits.delimiter_length as u64;
                    return Err(Problem::limit("characters of a delimiter", bound)
                        .with_help("name a shorter one: `anything(until=\"...\")`"));
                }
                After::End | After::Other(_) => {}
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
}

/// What the automaton for `delimiters` costs: its states times all their characters.
fn automaton_steps(delimiters: &[Literal]) -> usize {
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

/// What a run says in a message.
fn follows(run: &Run) -> String {
    let after = match run.after {
        After::End => "the end of the template",
        After::Other(kind) => kind,
        After::More => "more text",
    };
    match run.text.as_str() {
        "" => format!("{after} may"),
        text => format!("{} and then {after} may", quoted(text)),
    }
}
