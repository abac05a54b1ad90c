//! The lengths of a pattern's texts in characters, and the pattern held to other lengths.

use regex_syntax::hir::{Hir, HirKind, Repetition};

/// Inclusive bounds on a number of characters; no `max` is no bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lengths {
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
}

impl Lengths {
    fn exactly(self) -> Option<u64> {
        self.max.filter(|max| *max == self.min)
    }

    fn less(self, length: u64) -> Self {
        let min = self.min.saturating_sub(length);
        Self { min, max: self.max.map(|max| max.saturating_sub(length)) }
    }
}

/// Bounds on the lengths of the texts of `hir`; both are reached where it has any text.
pub(crate) fn lengths(hir: &Hir) -> Lengths {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Lengths { min: 0, max: Some(0) },
        HirKind::Literal(literal) => {
            let count = String::from_utf8_lossy(&literal.0).chars().count() as u64;
            Lengths { min: count, max: Some(count) }
        }
        HirKind::Class(_) => Lengths { min: 1, max: Some(1) },
        HirKind::Capture(capture) => lengths(&capture.sub),
        HirKind::Repetition(repetition) => {
            let body = lengths(&repetition.sub);
            let max = match (body.max, repetition.max) {
                (Some(0), _) => Some(0),
                (Some(length), Some(count)) => Some(length.saturating_mul(u64::from(count))),
                _ => None,
            };
            Lengths { min: body.min.saturating_mul(u64::from(repetition.min)), max }
        }
        HirKind::Concat(parts) => {
            parts.iter().map(lengths).fold(Lengths { min: 0, max: Some(0) }, |sum, part| Lengths {
                min: sum.min.saturating_add(part.min),
                max: sum.max.zip(part.max).map(|(sum, part)| sum.saturating_add(part)),
            })
        }
        HirKind::Alternation(arms) => arms
            .iter()
            .map(lengths)
            .reduce(|all, arm| Lengths {
                min: all.min.min(arm.min),
                max: all.max.zip(arm.max).map(|(all, arm)| all.max(arm)),
            })
            .unwrap_or(Lengths { min: 0, max: Some(0) }),
    }
}

/// The texts of `hir` whose length is within `bounds`, with counts as numbers; `None` if only an
/// automaton can say it. That is where two parts share one length between them.
pub(crate) fn bounded(hir: &Hir, bounds: Lengths) -> Option<Hir> {
    let own = lengths(hir);
    let above = bounds.max.is_some_and(|max| max < own.min);
    if above || own.max.is_some_and(|max| max < bounds.min) {
        return Some(Hir::fail());
    }
    let fits = bounds.max.is_none_or(|max| own.max.is_some_and(|own| own <= max));
    if fits && own.min >= bounds.min {
        return Some(hir.clone());
    }
    match hir.kind() {
        HirKind::Capture(capture) => bounded(&capture.sub, bounds),
        HirKind::Alternation(arms) => {
            let arms: Option<Vec<Hir>> = arms.iter().map(|arm| bounded(arm, bounds)).collect();
            Some(Hir::alternation(arms?))
        }
        HirKind::Concat(parts) => {
            let mut flexible = parts.iter().filter(|part| lengths(part).exactly().is_none());
            let one = flexible.next()?;
            if flexible.next().is_some() {
                return None;
            }
            let others: u64 = parts.iter().filter_map(|part| lengths(part).exactly()).sum();
            let held = bounded(one, bounds.less(others))?;
            let held = parts.iter().map(|part| match lengths(part).exactly() {
                Some(_) => part.clone(),
                None => held.clone(),
            });
            Some(Hir::concat(held.collect()))
        }
        HirKind::Repetition(repetition) => repeated(repetition, bounds),
        _ => None,
    }
}

fn repeated(repetition: &Repetition, bounds: Lengths) -> Option<Hir> {
    let length = lengths(&repetition.sub).exactly().filter(|length| *length > 0)?;
    let min = u32::try_from(bounds.min.div_ceil(length)).ok()?.max(repetition.min);
    let max = bounds.max.map(|max| u32::try_from(max / length).unwrap_or(u32::MAX));
    let max = match (max, repetition.max) {
        (Some(held), Some(own)) => Some(held.min(own)),
        (held, own) => held.or(own),
    };
    if max.is_some_and(|max| max < min) {
        return Some(Hir::fail());
    }
    Some(Hir::repetition(Repetition { min, max, greedy: true, sub: repetition.sub.clone() }))
}
