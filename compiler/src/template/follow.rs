//! What text may follow a place among parts: the leading literal runs that can stand there.
//!
//! From them free text takes its delimiter. A run looks out through the ends of options,
//! optionals, captures and repeats, and through the beginning of a repeat again.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostic::problem::Problem;
use crate::ir::{self, Ir, Literal, Origin, Special};
use crate::limits::Limits;
use crate::template::part::{Kind, Part, Parts};

/// A literal beginning of what may follow, and how it goes on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Run {
    pub(crate) text: Literal,
    pub(crate) after: After,
}

/// What comes after a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum After {
    /// The end of the template.
    End,
    /// A token that ends the turn.
    Stop,
    /// What was faulty, and is reported already.
    Faulty,
    /// Something that is no literal text; its name for messages.
    Other(&'static str),
    /// More text than a delimiter may have.
    More,
}

pub(crate) type Runs = BTreeSet<Run>;

/// Where a part stands: what comes after it, from the inside out.
#[derive(Clone, Copy)]
pub(crate) enum Rest<'a> {
    /// The end of the template.
    End,
    /// More parts, and then what follows them.
    Parts(&'a [Arc<Part>], &'a Rest<'a>),
    /// The end of the body of a repeat, which may begin again.
    Again(&'a Part, &'a Rest<'a>),
    /// The end of an item, by its number, of parts in any order.
    Item(&'a Part, usize, &'a Rest<'a>),
    /// Something that is no literal text; its name for messages.
    Opaque(&'static str),
}

/// Parts in front, and what ends every run after them.
type Visible<'p> = (&'p [Arc<Part>], Option<After>);

/// A limited amount of looking ahead, for one outline.
pub(crate) struct Lookout<'a> {
    limits: &'a Limits,
    spent: usize,
}

impl<'a> Lookout<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self { limits, spent: 0 }
    }

    /// The runs that may stand at `rest`.
    pub(crate) fn runs(&mut self, rest: &Rest<'_>) -> Result<Runs, Problem> {
        self.spend(1)?;
        match rest {
            Rest::End => Ok(single("", After::End)),
            Rest::Parts(parts, outer) => {
                let (parts, closed) = self.visible(parts)?;
                let after = match closed {
                    Some(after) => single("", after),
                    None => self.runs(outer)?,
                };
                self.before_all(parts, after)
            }
            Rest::Again(repeat, outer) => {
                let after = self.runs(outer)?;
                self.after_iteration(repeat, after)
            }
            Rest::Item(part, number, outer) => {
                let after = self.runs(outer)?;
                self.after_item(part, *number, after)
            }
            Rest::Opaque(name) => Ok(single("", After::Other(name))),
        }
    }

    /// Counts `steps`, each about as much work as copying a byte.
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), Problem> {
        self.spent = self.spent.saturating_add(steps);
        let bound = self.limits.delimiter_steps;
        match self.spent > bound {
            true => Err(Problem::limit("steps to find the delimiters of free text", bound as u64)),
            false => Ok(()),
        }
    }

    /// The parts in front that can belong to a run, and what certainly ends it after them.
    fn visible<'p>(&mut self, parts: &'p [Arc<Part>]) -> Result<Visible<'p>, Problem> {
        let mut length = 0;
        for (at, part) in parts.iter().enumerate() {
            self.spend(1)?;
            match &part.kind {
                Kind::Text { string, .. } => length += string.chars().count(),
                Kind::Closed(ir) => match constant(ir) {
                    Some(text) => length += text.as_str().chars().count(),
                    None => return Ok((&parts[..at], Some(after(part)))),
                },
                Kind::Dispatch(dispatch) if dispatch.at_least_one => {}
                Kind::Anything(_) | Kind::Dispatch(_) | Kind::Iteration(_) | Kind::Faulty => {
                    return Ok((&parts[..at], Some(after(part))));
                }
                _ => {}
            }
            if length > self.limits.delimiter_length {
                return Ok((&parts[..=at], Some(After::More)));
            }
        }
        Ok((parts, None))
    }

    /// The runs of `parts` with `after` behind them.
    fn before_all(&mut self, parts: &[Arc<Part>], mut after: Runs) -> Result<Runs, Problem> {
        for part in parts.iter().rev() {
            after = self.before(part, after)?;
            if after.len() > self.limits.delimiters {
                let bound = self.limits.delimiters as u64;
                return Err(Problem::limit("texts that may follow free text", bound));
            }
        }
        Ok(after)
    }

    fn row(&mut self, parts: &Parts, after: Runs) -> Result<Runs, Problem> {
        let (parts, closed) = self.visible(parts)?;
        self.before_all(parts, closed.map_or(after, |closed| single("", closed)))
    }

    /// The runs of `part` with `after` behind it.
    fn before(&mut self, part: &Part, after: Runs) -> Result<Runs, Problem> {
        self.spend(after.iter().map(|run| run.text.as_str().len() + 16).sum())?;
        Ok(match &part.kind {
            Kind::Text { string, origin } => {
                after.into_iter().map(|run| self.joined(string, *origin, run)).collect()
            }
            Kind::Closed(ir) => match constant(ir) {
                Some(text) => after.into_iter().map(|run| self.led(&text, run)).collect(),
                None => single("", self::after(part)),
            },
            Kind::Dispatch(dispatch) if dispatch.at_least_one => {
                let mut runs = Runs::new();
                for (triggers, body) in &dispatch.rules {
                    let end = single("", self::after(part));
                    for run in self.row(body, end)? {
                        runs.extend(triggers.iter().map(|one| self.led(one, run.clone())));
                    }
                }
                runs
            }
            Kind::Anything(_) | Kind::Dispatch(_) | Kind::Iteration(_) | Kind::Faulty => {
                single("", self::after(part))
            }
            Kind::Option(body)
            | Kind::Capture { body, .. }
            | Kind::On { body, .. }
            | Kind::Item { body, .. } => self.row(body, after)?,
            Kind::AnyOrder { items, .. } => {
                let mut runs = Runs::new();
                for (number, (body, _)) in items.iter().enumerate() {
                    let next = self.after_item(part, number, after.clone())?;
                    runs.extend(self.row(body, next)?);
                }
                if items.iter().all(|(_, required)| !required) {
                    runs.extend(after);
                }
                runs
            }
            Kind::Optional(body) => {
                let mut runs = self.row(body, after.clone())?;
                runs.extend(after);
                runs
            }
            Kind::Choice(options) => {
                let mut runs = Runs::new();
                for option in options {
                    runs.extend(self.row(option, after.clone())?);
                }
                runs
            }
            Kind::Repeat { body, min, max, .. } => {
                if *max == Some(0) {
                    return Ok(after);
                }
                let tail = match *min {
                    0 | 1 => self.after_iteration(part, after.clone())?,
                    min => self.further_iterations(part, min - 1, after.clone())?,
                };
                let mut runs = self.row(body, tail)?;
                if *min == 0 {
                    runs.extend(after);
                }
                runs
            }
        })
    }

    /// What may follow an iteration of which it is not known how many there were: the next one,
    /// as far as its own end, or `after`.
    fn after_iteration(&mut self, repeat: &Part, after: Runs) -> Result<Runs, Problem> {
        let Kind::Repeat { body, max, separator, .. } = &repeat.kind else { return Ok(after) };
        let mut runs = after;
        if *max != Some(1) {
            let next = self.row(body, single("", After::Other("a repeat")))?;
            runs.extend(self.row(separator, next)?);
        }
        Ok(runs)
    }

    /// What may follow an item of parts in any order: another one, as far as its own end, or
    /// `after`.
    fn after_item(&mut self, part: &Part, number: usize, after: Runs) -> Result<Runs, Problem> {
        let Kind::AnyOrder { items, separator } = &part.kind else { return Ok(after) };
        let mut runs = after;
        for (other, (body, _)) in items.iter().enumerate() {
            if other != number {
                let next = self.row(body, single("", After::Other(part.kind.name())))?;
                runs.extend(self.row(separator, next)?);
            }
        }
        Ok(runs)
    }

    /// What follows when `count` more iterations must come.
    fn further_iterations(
        &mut self,
        repeat: &Part,
        count: u32,
        after: Runs,
    ) -> Result<Runs, Problem> {
        /// More iterations than this are not looked through.
        const ITERATIONS_MAX: u32 = 32;
        let Kind::Repeat { body, min, max, separator } = &repeat.kind else { return Ok(after) };
        let mut runs = match (count > ITERATIONS_MAX, *max == Some(*min)) {
            (true, _) => single("", After::Other("a repeat")),
            (false, true) => after,
            (false, false) => self.after_iteration(repeat, after)?,
        };
        for _ in 0..count.min(ITERATIONS_MAX) {
            let next = self.row(body, runs)?;
            runs = self.row(separator, next)?;
        }
        Ok(runs)
    }

    /// `text` in front of `run`, cut to the length of a delimiter.
    fn joined(&self, text: &str, origin: Origin, run: Run) -> Run {
        self.led(&Literal::new(text, origin), run)
    }

    fn led(&self, text: &Literal, run: Run) -> Run {
        let mut whole = text.clone();
        run.text.stretches().for_each(|(string, origin)| whole.push(string, origin));
        match whole.as_str().char_indices().nth(self.limits.delimiter_length) {
            Some((end, _)) => Run { text: whole.prefix(end), after: After::More },
            None => Run { text: whole, after: run.after },
        }
    }
}

/// What stands where `part`, which is no text, begins.
fn after(part: &Part) -> After {
    match &part.kind {
        Kind::Faulty => After::Faulty,
        Kind::Closed(ir) if matches!(ir.kind(), ir::Kind::Special(Special::Stop)) => After::Stop,
        kind => After::Other(kind.name()),
    }
}

/// The text of a part that is always the same.
pub(crate) fn constant(ir: &Ir) -> Option<Literal> {
    let mut literal = Literal::default();
    let parts = match ir.kind() {
        ir::Kind::Sequence(parts) => parts.as_slice(),
        _ => std::slice::from_ref(ir),
    };
    for part in parts {
        match part.kind() {
            ir::Kind::Text(text) => literal.push(&text.string, text.origin),
            ir::Kind::Special(Special::Spelled(spelling)) => {
                literal.push(spelling, Origin::Source);
            }
            _ => return None,
        }
    }
    Some(literal)
}

fn single(text: &str, after: After) -> Runs {
    Runs::from([Run { text: Literal::from(text), after }])
}
