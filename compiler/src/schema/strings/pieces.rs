//! Ranges of lengths with an automaton for each: how sets of strings are joined.

use std::sync::Arc;

use super::Join;
use crate::chars::automaton::{Automaton, TooLarge};

/// The strings of an automaton whose length is above that of the piece before.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The greatest length; only the last piece has none.
    pub(super) last: Option<u64>,
    pub(super) automaton: Arc<Automaton>,
}

/// The pieces with their least lengths.
pub(super) fn ranges(pieces: &[Piece]) -> impl Iterator<Item = (u64, &Piece)> {
    let mut first = 0;
    pieces.iter().map(move |piece| {
        let own = first;
        first = piece.last.map_or(u64::MAX, |last| last.saturating_add(1));
        (own, piece)
    })
}

/// The strings of `one` and `two`, joined.
pub(super) fn joined(one: &[Piece], two: &[Piece], join: Join) -> Result<Arc<[Piece]>, TooLarge> {
    let (mut at, mut beside) = (0, 0);
    let mut pieces: Vec<Piece> = Vec::with_capacity(one.len() + two.len());
    while let (Some(first), Some(second)) = (one.get(at), two.get(beside)) {
        let last = match (first.last, second.last) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        let automaton = automaton(&first.automaton, &second.automaton, join)?;
        pieces.push(Piece { last, automaton });
        at += usize::from(first.last == last);
        beside += usize::from(second.last == last);
    }
    tidy(pieces)
}

fn automaton(
    one: &Arc<Automaton>,
    two: &Arc<Automaton>,
    join: Join,
) -> Result<Arc<Automaton>, TooLarge> {
    let same = || Ok(Arc::clone(one));
    let joined = match join {
        Join::Union if one.is_all() || two.is_never() => return same(),
        Join::Union if one.is_never() => return Ok(Arc::clone(two)),
        Join::Union => one.union(two)?,
        Join::Intersection if one.is_never() || two.is_all() => return same(),
        Join::Intersection if one.is_all() => return Ok(Arc::clone(two)),
        Join::Intersection => one.intersection(two)?,
        Join::Difference if one.is_never() || two.is_never() => return same(),
        Join::Difference if one.is_all() => two.complement(),
        Join::Difference => one.difference(two)?,
    };
    // Equal automata are one, which is then known to be what it is.
    let known = [one, two].into_iter().find(|known| ***known == joined);
    Ok(known.map_or_else(|| Arc::new(joined), Arc::clone))
}

/// The same pieces: those without any string become the empty automaton, and neighbours
/// become one piece where one automaton serves both.
///
/// # Errors
/// [`TooLarge`] if the lengths of an automaton's texts take too many steps to find.
fn tidy(pieces: Vec<Piece>) -> Result<Arc<[Piece]>, TooLarge> {
    let mut kept: Vec<(u64, Piece)> = Vec::with_capacity(pieces.len());
    let mut pieces = pieces;
    let firsts: Vec<u64> = ranges(&pieces).map(|(first, _)| first).collect();
    for (first, piece) in firsts.into_iter().zip(&mut pieces) {
        if !has_length(&piece.automaton, first, piece.last)? {
            piece.automaton = Automaton::never();
        }
        if let Some((begin, before)) = kept.last_mut() {
            let (begin, end) = (*begin, before.last);
            let same = before.automaton == piece.automaton;
            // An automaton serves where it has no text, too.
            let serves = before.automaton.is_never() && !has_length(&piece.automaton, begin, end)?;
            let served =
                piece.automaton.is_never() && !has_length(&before.automaton, first, piece.last)?;
            if same || serves || served {
                before.last = piece.last;
                if serves {
                    before.automaton = Arc::clone(&piece.automaton);
                }
                continue;
            }
        }
        kept.push((first, piece.clone()));
    }
    Ok(kept.into_iter().map(|(_, piece)| piece).collect())
}

/// Whether `automaton` accepts a text of `first` to `last` characters.
fn has_length(automaton: &Automaton, first: u64, last: Option<u64>) -> Result<bool, TooLarge> {
    if automaton.is_never() || automaton.is_all() {
        return Ok(automaton.is_all());
    }
    if first == 0 && last.is_none() {
        return Ok(true);
    }
    Ok(automaton.lengths()?[0].meets(first, last))
}
