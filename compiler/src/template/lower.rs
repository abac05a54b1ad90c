//! Lowers the parts of a rendering to an [`Ir`].
//!
//! Here free text finds its delimiter, parts in any order and numbered iterations are spelled
//! out, and a block outside of where it belongs is found.

use std::sync::Arc;

use crate::diagnostic::problem::{Problem, quoted};
use crate::ir::{self, FreeTextError, Ir, Literal, Triggers};
use crate::limits::Limits;
use crate::template::arena::Placed;
use crate::template::delimiters;
use crate::template::doubts::Doubts;
use crate::template::follow::{Lookout, Rest};
use crate::template::part::{Dispatch, Free, Kind, Part, Parts, Place};

pub(super) struct Lowering<'a> {
    pub(super) lookout: Lookout<'a>,
    pub(super) limits: &'a Limits,
    problems: Vec<Placed>,
    doubts: Doubts,
    /// The numbers of the iterations that are spelled out, the innermost last; `None` in a repeat
    /// that has no numbers.
    iterations: Vec<Option<u32>>,
    /// The parts that were lowered for the iterations of numbered repeats.
    spelled: usize,
}

/// The language of `parts`, one after the other, and what is doubtful about it.
///
/// # Errors
/// All problems with free text and with blocks.
pub(crate) fn lower(
    parts: &[Arc<Part>],
    limits: &Limits,
) -> Result<(Ir, Vec<Placed>), Vec<Placed>> {
    let mut lowering = Lowering {
        lookout: Lookout::new(limits),
        limits,
        problems: Vec::new(),
        doubts: Doubts::default(),
        iterations: Vec::new(),
        spelled: 0,
    };
    let ir = lowering.row(parts, &Rest::End);
    let doubts = lowering.doubts.finish();
    if lowering.problems.is_empty() && ir.is_never() {
        // What makes it so is among the doubts.
        let cause = doubts.into_iter().find(|(problem, _)| problem.is_impossible());
        let place = cause.and_then(|(_, place)| place);
        return Err(vec![(Problem::empty_choice(), place)]);
    }
    match lowering.problems.is_empty() {
        true => Ok((ir, doubts)),
        false => Err(lowering.problems),
    }
}

impl Lowering<'_> {
    fn row(&mut self, parts: &[Arc<Part>], rest: &Rest<'_>) -> Ir {
        let mut lowered: Vec<Ir> = Vec::with_capacity(parts.len());
        let mut at = 0;
        while at < parts.len() {
            let part = &parts[at];
            let after = Rest::Parts(&parts[at + 1..], rest);
            if let Kind::Anything(free) = &part.kind
                && let Some(next) = parts.get(at + 1)
                && let Kind::Choice(options) = &next.kind
            {
                let beyond = Rest::Parts(&parts[at + 2..], rest);
                if let Some(both) = self.before_options(part, free, (next, options), &beyond) {
                    // One for each part, so that the two lists go side by side.
                    lowered.extend([both, Ir::empty()]);
                    at += 2;
                    continue;
                }
            }
            lowered.push(self.part(part, &after));
            at += 1;
        }
        self.doubts.row(parts, &lowered);
        Ir::sequence(lowered)
    }

    fn part(&mut self, part: &Part, rest: &Rest<'_>) -> Ir {
        match &part.kind {
            Kind::Text { string, origin } => Ir::literal(string, *origin),
            Kind::Closed(ir) => {
                self.doubts.schema(part, ir);
                ir.clone()
            }
            Kind::Faulty => Ir::empty(),
            Kind::Repeat { .. } => self.repeat(part, rest),
            Kind::Choice(options) => {
                let lowered: Vec<Ir> =
                    options.iter().map(|option| self.row(option, rest)).collect();
                self.doubts.choice(part, options, &lowered);
                Ir::choice(lowered)
            }
            Kind::Option(body) => self.stray(part, body, "option", "choice", rest),
            Kind::On { body, .. } => self.stray(part, body, "on", "free", rest),
            Kind::Item { body, .. } => self.stray(part, body, "part", "anyorder", rest),
            Kind::Optional(body) => Ir::optional(self.row(body, rest)),
            Kind::Capture { name, kind, body } => {
                let body = self.row(body, rest);
                Ir::capture(name, *kind, body)
            }
            Kind::Anything(free) => match self.anything(free, rest) {
                Ok((ir, endless)) => {
                    self.doubts.free_text(part, endless && free.limits.max_tokens.is_none());
                    ir
                }
                Err(problem) => self.refused(problem, part.place.as_ref()),
            },
            Kind::Dispatch(dispatch) => {
                let made = self.dispatch(part, dispatch, rest);
                made.unwrap_or_else(|problem| self.refused(problem, part.place.as_ref()))
            }
            Kind::AnyOrder { items, separator } => self.any_order(part, items, separator, rest),
            Kind::Iteration(start) => match self.iterations.last() {
                Some(Some(number)) => Ir::value(&start.saturating_add(*number).to_string()),
                _ => self.refused(Problem::unnumbered_iteration(), part.place.as_ref()),
            },
        }
    }

    fn refused(&mut self, problem: Problem, place: Option<&Place>) -> Ir {
        let placed = (problem, place.cloned());
        // A part that is used several times is at fault once.
        if !self.problems.contains(&placed) {
            self.problems.push(placed);
        }
        Ir::empty()
    }

    fn stray(
        &mut self,
        part: &Part,
        body: &Parts,
        name: &str,
        container: &str,
        rest: &Rest<'_>,
    ) -> Ir {
        self.refused(Problem::outside_container(name, container), part.place.as_ref());
        self.row(body, rest)
    }

    fn repeat(&mut self, part: &Part, rest: &Rest<'_>) -> Ir {
        let Kind::Repeat { body, min, max, separator } = &part.kind else { return Ir::empty() };
        let again = Rest::Again(part, rest);
        let body_again = Rest::Parts(body, &again);
        let counted = body.iter().chain(separator.iter()).any(|part| part.counted);
        let Some(max) = max.filter(|_| counted) else {
            self.iterations.push(None);
            let separator = self.row(separator, &body_again);
            let body = self.row(body, &again);
            self.iterations.pop();
            self.doubts.repeat(part, &body, (*min, *max), &separator);
            return Ir::repeat(body, *min, *max, Some(separator));
        };
        self.spelled = self.spelled.saturating_add((max as usize).saturating_mul(part.size));
        if self.spelled > self.limits.parts {
            let problem = Problem::limit("parts in numbered iterations", self.limits.parts as u64);
            return self.refused(problem, part.place.as_ref());
        }
        let mut states = Vec::with_capacity(max as usize + 1);
        for number in 0..max {
            self.iterations.push(Some(number));
            let mut edge = self.row(body, &again);
            if number > 0 {
                edge = Ir::sequence([self.row(separator, &body_again), edge]);
            }
            self.iterations.pop();
            let edges = vec![(edge, number as usize + 1)];
            states.push(ir::State { edges, accepting: number >= *min });
        }
        states.push(ir::State { edges: Vec::new(), accepting: true });
        Ir::automaton(states)
    }

    /// One state for each set of items that are written.
    fn any_order(
        &mut self,
        part: &Part,
        items: &[(Parts, bool)],
        separator: &Parts,
        rest: &Rest<'_>,
    ) -> Ir {
        let lowered: Vec<Ir> = items
            .iter()
            .enumerate()
            .map(|(at, (body, _))| self.row(body, &Rest::Item(part, at, rest)))
            .collect();
        let separator = self.row(separator, &Rest::Opaque(part.kind.name()));
        let required = items.iter().enumerate().filter(|(_, item)| item.1);
        let required: usize = required.map(|(at, _)| 1 << at).sum();
        let states = (0..1_usize << items.len()).map(|written| {
            let missing = lowered.iter().enumerate().filter(|(at, _)| written & (1 << at) == 0);
            let edges = missing.map(|(at, body)| {
                let edge = match written {
                    0 => body.clone(),
                    _ => Ir::sequence([separator.clone(), body.clone()]),
                };
                (edge, written | (1 << at))
            });
            let accepting = written & required == required;
            ir::State { edges: edges.collect(), accepting }
        });
        Ir::automaton(states.collect())
    }

    /// Free text, and whether nothing that can be seen ends it.
    fn anything(&mut self, free: &Free, rest: &Rest<'_>) -> Result<(Ir, bool), Problem> {
        if free.include {
            let until = free.until.as_deref().unwrap_or_default();
            return self.with_delimiter(free, until).map(|ir| (ir, false));
        }
        let runs = self.lookout.runs(rest)?;
        let (until, endless) = delimiters::of(self, free.until.as_deref(), &runs)?;
        let ir = self.free_text(until, free)?;
        Ok((ir, endless && free.limits.max_chars.is_none()))
    }

    fn free_text(&mut self, until: Vec<Literal>, free: &Free) -> Result<Ir, Problem> {
        self.lookout.spend(delimiters::automaton_steps(&until))?;
        Ir::free_text(until, free.limits.clone()).map_err(|error| Problem::free_text(&error))
    }

    /// Free text with the delimiter at its end. Where it ends may depend on which one that is.
    fn with_delimiter(&mut self, free: &Free, until: &[Literal]) -> Result<Ir, Problem> {
        delimiters::check_lengths(self.limits, until)?;
        let steps = delimiters::automaton_steps(until).saturating_mul(until.len());
        self.lookout.spend(steps)?;
        match Ir::free_text(until.to_vec(), free.limits.clone()) {
            Ok(text) => {
                let ends = Ir::choice(until.iter().map(delimiters::spelled).collect::<Vec<_>>());
                Ok(Ir::sequence([text, ends]))
            }
            Err(FreeTextError::Overlap(_)) => {
                let ways = until.iter().map(|one| {
                    let before = Some(one.clone());
                    let limits = ir::FreeText { before, ..free.limits.clone() };
                    let text = Ir::free_text(until.to_vec(), limits);
                    let text = text.map_err(|error| Problem::free_text(&error))?;
                    Ok(Ir::sequence([text, delimiters::spelled(one)]))
                });
                Ok(Ir::choice(ways.collect::<Result<Vec<_>, Problem>>()?))
            }
            Err(error) => Err(Problem::free_text(&error)),
        }
    }

    /// Free text and the choice behind it, where the text ends elsewhere before each option: the
    /// text is then said once for each. `None` if it is the same before all of them.
    fn before_options(
        &mut self,
        part: &Part,
        free: &Free,
        (next, options): (&Part, &[Parts]),
        beyond: &Rest<'_>,
    ) -> Option<Ir> {
        if free.include || options.len() < 2 {
            return None;
        }
        let mut each = Vec::with_capacity(options.len());
        for option in options {
            let runs = self.lookout.runs(&Rest::Parts(option, beyond)).ok()?;
            let (until, _) = delimiters::of(self, None, &runs).ok()?;
            let [one] = until.as_slice() else { return None };
            each.push(one.clone());
        }
        if let Some(given) = &free.until {
            each = delimiters::among(given, &each)?;
        }
        let limits = free.limits.clone();
        self.lookout.spend(delimiters::automaton_steps(&each)).ok()?;
        match Ir::free_text(each.clone(), limits.clone()) {
            Err(FreeTextError::Overlap(_)) => {}
            _ => return None,
        }
        let mut ways = Vec::with_capacity(options.len());
        for (option, one) in options.iter().zip(&each) {
            let limits = ir::FreeText { before: Some(one.clone()), ..limits.clone() };
            self.lookout.spend(delimiters::automaton_steps(&each)).ok()?;
            let text = Ir::free_text(each.clone(), limits).ok()?;
            ways.push(Ir::sequence([text, self.row(option, beyond)]));
        }
        self.doubts.choice(next, options, &ways);
        self.doubts.free_text(part, false);
        Some(Ir::choice(ways))
    }

    fn dispatch(
        &mut self,
        part: &Part,
        dispatch: &Dispatch,
        rest: &Rest<'_>,
    ) -> Result<Ir, Problem> {
        let (until, endless) = match dispatch.stop_after_first && dispatch.at_least_one {
            true => (Vec::new(), false),
            false => {
                let runs = self.lookout.runs(rest)?;
                delimiters::of(self, dispatch.until.as_deref(), &runs)?
            }
        };
        self.doubts.free_text(part, endless);
        let opaque = Rest::Opaque(part.kind.name());
        let after = if dispatch.stop_after_first { rest } else { &opaque };
        let mut rules = Vec::new();
        for (triggers, body) in &dispatch.rules {
            let body = self.row(body, after);
            rules.extend(triggers.iter().map(|trigger| (trigger.clone(), body.clone())));
        }
        let mut texts: Vec<Literal> = rules.iter().map(|(trigger, _)| trigger.clone()).collect();
        texts.extend(until.iter().chain(&dispatch.excludes).cloned());
        delimiters::check_lengths(self.limits, &texts)?;
        self.lookout.spend(delimiters::automaton_steps(&texts))?;
        let triggers = Triggers {
            rules,
            at_least_one: dispatch.at_least_one,
            stop_after_first: dispatch.stop_after_first,
            excludes: dispatch.excludes.clone(),
            until,
            text: dispatch.text.clone(),
        };
        Ir::dispatch(triggers).map_err(|error| Problem::free_text(&error))
    }
}

impl Problem {
    /// What free text cannot be.
    fn free_text(error: &FreeTextError) -> Self {
        match error {
            FreeTextError::Overlap(overlap) => Self::overlapping_delimiters(&overlap.to_string()),
            FreeTextError::Covered { trigger, by } => {
                Self::covered_trigger(&quoted(trigger), &quoted(by))
            }
            FreeTextError::Empty { min, max } => Self::empty_length(*min, *max),
        }
    }
}
