//! Takes the anchors out of a pattern whose whole text must match.
//!
//! Where a pattern stands is known by two facts: whether nothing is read before it and whether
//! nothing is read after it. Given both, `^` and `$` are the empty text or no text at all. The
//! one difficulty is a part that may be empty beside an anchor, as in `a*^b`: there the empty
//! text of the part is told apart from its other texts.

use regex_syntax::hir::{Hir, HirKind, Look, Repetition};
use thiserror::Error;

/// The most nodes that are made on the way. Only many parts that may be empty between many
/// anchors come near it; nobody writes such patterns on purpose.
const NODES_MAX: usize = 1 << 20;

/// Why anchors cannot be taken out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub(crate) enum AnchorError {
    /// It looks at the text around it: a word boundary, or an anchor at lines.
    #[error("looks at the text around it")]
    LooksAround(Look),
    /// More than `NODES_MAX` nodes.
    #[error("has too many anchors beside parts that may be empty")]
    TooLarge,
}

/// What is known about where a part stands.
#[derive(Clone, Copy)]
struct Place {
    /// Nothing is read before it.
    start: bool,
    /// Nothing is read after it.
    end: bool,
}

/// Which texts of a part are wanted.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    All,
    NonEmpty,
}

/// The texts that `pattern` matches as a whole, without anchors.
pub(crate) fn resolve(pattern: &Hir) -> Result<Hir, AnchorError> {
    if let Some(look) =
        pattern.properties().look_set().iter().find(|look| !matches!(look, Look::Start | Look::End))
    {
        return Err(AnchorError::LooksAround(look));
    }
    Resolver { nodes: 0 }.language(pattern, Place { start: true, end: true }, Wanted::All)
}

struct Resolver {
    nodes: usize,
}

impl Resolver {
    fn language(&mut self, hir: &Hir, place: Place, wanted: Wanted) -> Result<Hir, AnchorError> {
        if hir.properties().look_set().is_empty() {
            return match wanted {
                Wanted::All => self.made(hir.clone()),
                Wanted::NonEmpty => self.non_empty(hir),
            };
        }
        match hir.kind() {
            HirKind::Capture(capture) => self.language(&capture.sub, place, wanted),
            HirKind::Alternation(arms) => {
                let arms: Result<_, _> =
                    arms.iter().map(|arm| self.language(arm, place, wanted)).collect();
                self.made(alternation(arms?))
            }
            HirKind::Concat(parts) => self.concat(parts, place, wanted),
            HirKind::Repetition(repetition) => self.repetition(repetition, place, wanted),
            HirKind::Look(_) if wanted == Wanted::All && may_be_empty(hir, place) => {
                Ok(Hir::empty())
            }
            _ => Ok(Hir::fail()),
        }
    }

    fn concat(&mut self, parts: &[Hir], place: Place, wanted: Wanted) -> Result<Hir, AnchorError> {
        // Parts without anchors up to the next one with some are one part.
        let plain = parts.iter().take_while(|part| part.properties().look_set().is_empty()).count();
        let joined;
        let (first, rest) = match parts {
            [] => return Ok(if wanted == Wanted::All { Hir::empty() } else { Hir::fail() }),
            [only] => return self.language(only, place, wanted),
            _ if plain == parts.len() => {
                joined = Hir::concat(parts.to_vec());
                return self.language(&joined, place, wanted);
            }
            _ if plain > 1 => {
                joined = Hir::concat(parts[..plain].to_vec());
                (&joined, &parts[plain..])
            }
            [first, rest @ ..] => (first, rest),
        };
        let (before, after) = (Place { end: false, ..place }, Place { start: false, ..place });
        let first_empty = may_be_empty(first, before);
        let rest_empty = all_may_be_empty(rest, after);
        let anchored_end = first.properties().look_set().contains(Look::End);
        let anchored_start =
            rest.iter().any(|part| part.properties().look_set().contains(Look::Start));
        let mut arms = Vec::new();
        if wanted == Wanted::All && !anchored_end && (!anchored_start || !first_empty) {
            // Neither asks whether the other is empty.
            let head = self.language(first, before, Wanted::All)?;
            let tail = self.concat(rest, after, Wanted::All)?;
            return self.made(concat(vec![head, tail]));
        } else if !anchored_end {
            let head = self.language(first, before, Wanted::NonEmpty)?;
            let tail = self.concat(rest, after, Wanted::All)?;
            arms.push(concat(vec![head, tail]));
            if first_empty {
                arms.push(self.concat(rest, place, wanted)?);
            }
        } else {
            let head = self.language(first, before, Wanted::NonEmpty)?;
            let tail = self.concat(rest, after, Wanted::NonEmpty)?;
            arms.push(concat(vec![head, tail]));
            if rest_empty {
                arms.push(self.language(first, place, Wanted::NonEmpty)?);
            }
            if first_empty {
                arms.push(self.concat(rest, place, Wanted::NonEmpty)?);
            }
            let empty = may_be_empty(first, place) && all_may_be_empty(rest, place);
            if wanted == Wanted::All && empty {
                arms.push(Hir::empty());
            }
        }
        self.made(alternation(arms))
    }

    /// Iterations that read nothing only help to reach the minimum, so the others are counted.
    fn repetition(
        &mut self,
        repetition: &Repetition,
        place: Place,
        wanted: Wanted,
    ) -> Result<Hir, AnchorError> {
        let (body, min, max) = (&*repetition.sub, repetition.min, repetition.max);
        let (first, last) = (Place { end: false, ..place }, Place { start: false, ..place });
        let middle = Place { start: false, end: false };
        let mut arms = Vec::new();
        if wanted == Wanted::All && (min == 0 || may_be_empty(body, place)) {
            arms.push(Hir::empty());
        }
        let at_an_end = may_be_empty(body, first) || may_be_empty(body, last);
        if max != Some(0) && (min <= 1 || at_an_end) {
            arms.push(self.language(body, place, Wanted::NonEmpty)?);
        }
        if max.is_none_or(|max| max >= 2) {
            let filled = at_an_end || may_be_empty(body, middle);
            let between = Hir::repetition(Repetition {
                min: if filled { 0 } else { min.saturating_sub(2) },
                max: max.map(|max| max - 2),
                greedy: true,
                sub: Box::new(self.language(body, middle, Wanted::NonEmpty)?),
            });
            let head = self.language(body, first, Wanted::NonEmpty)?;
            let tail = self.language(body, last, Wanted::NonEmpty)?;
            arms.push(concat(vec![head, between, tail]));
        }
        self.made(alternation(arms))
    }

    /// The texts of a part without anchors, save the empty one.
    fn non_empty(&mut self, hir: &Hir) -> Result<Hir, AnchorError> {
        if hir.properties().minimum_len() != Some(0) {
            return self.made(hir.clone());
        }
        match hir.kind() {
            HirKind::Capture(capture) => self.non_empty(&capture.sub),
            HirKind::Alternation(arms) => {
                let arms: Result<_, _> = arms.iter().map(|arm| self.non_empty(arm)).collect();
                self.made(alternation(arms?))
            }
            HirKind::Repetition(repetition) if repetition.max != Some(0) => {
                let sub = Box::new(self.non_empty(&repetition.sub)?);
                let (max, greedy) = (repetition.max, true);
                self.made(Hir::repetition(Repetition { min: 1, max, greedy, sub }))
            }
            HirKind::Concat(parts) => {
                let mut arms = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    let mut rest = vec![self.non_empty(part)?];
                    rest.extend_from_slice(&parts[at + 1..]);
                    arms.push(self.made(concat(rest))?);
                }
                self.made(alternation(arms))
            }
            _ => Ok(Hir::fail()),
        }
    }

    fn made(&mut self, hir: Hir) -> Result<Hir, AnchorError> {
        self.nodes = self.nodes.saturating_add(nodes(&hir));
        if self.nodes > NODES_MAX { Err(AnchorError::TooLarge) } else { Ok(hir) }
    }
}

/// The parts one after the other; nothing if one of them is nothing.
fn concat(parts: Vec<Hir>) -> Hir {
    if parts.iter().any(is_nothing) { Hir::fail() } else { Hir::concat(parts) }
}

/// Any of the arms that are something.
fn alternation(mut arms: Vec<Hir>) -> Hir {
    arms.retain(|arm| !is_nothing(arm));
    Hir::alternation(arms)
}

fn is_nothing(hir: &Hir) -> bool {
    hir.properties().minimum_len().is_none()
}

fn all_may_be_empty(parts: &[Hir], place: Place) -> bool {
    parts.iter().all(|part| may_be_empty(part, place))
}

fn may_be_empty(hir: &Hir, place: Place) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        HirKind::Literal(_) | HirKind::Class(_) => false,
        HirKind::Look(Look::Start) => place.start,
        HirKind::Look(_) => place.end,
        HirKind::Repetition(repetition) => {
            repetition.min == 0 || may_be_empty(&repetition.sub, place)
        }
        HirKind::Capture(capture) => may_be_empty(&capture.sub, place),
        HirKind::Concat(parts) => all_may_be_empty(parts, place),
        HirKind::Alternation(arms) => arms.iter().any(|arm| may_be_empty(arm, place)),
    }
}

fn nodes(hir: &Hir) -> usize {
    1 + hir.kind().subs().iter().map(nodes).sum::<usize>()
}
