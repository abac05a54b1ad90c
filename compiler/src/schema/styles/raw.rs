//! Raw text that something ends: strings in which it does not occur earlier.

use crate::chars::automaton::{Automaton, Letters, Steps, TooLarge, explore};
use crate::chars::patterns::Patterns;
use crate::chars::until::{Unit, characters};
use crate::schema::strings::StringLanguage;

/// The texts `T` in which none of `excludes` occurs, and which `end` may follow so that its
/// first occurrence in what is written is right after `T`.
///
/// # Errors
/// [`TooLarge`] for too long texts.
///
/// # Complexity
/// O(n²) in their characters.
pub(super) fn before(end: &str, excludes: &[String]) -> Result<StringLanguage, TooLarge> {
    let ends = characters(end);
    let others: Vec<_> = excludes.iter().map(|text| characters(text)).collect();
    let patterns = others.iter().chain((!ends.is_empty()).then_some(&ends));
    let machine = Patterns::new(false, patterns.map(Vec::as_slice));
    let barred = |at: usize| !machine.matched(at).is_empty();
    let ended = |at: usize| machine.matched(at).contains(&others.len());
    let may_end = |mut at: usize| {
        for (place, unit) in ends.iter().enumerate() {
            match machine.next(at, unit) {
                Some(next) => at = next,
                None => return false,
            }
            if ended(at) && place + 1 < ends.len() {
                return false;
            }
        }
        true
    };
    let known: Vec<char> = machine
        .alphabet()
        .filter_map(|unit| match unit {
            Unit::Character(character) => Some(*character),
            Unit::Token(_) => None,
        })
        .collect();
    let letters = Letters::singles(&known);
    let next = |at: usize, unit: &Unit| machine.next(at, unit).filter(|at| !barred(*at));
    let steps = |at: &Option<usize>| {
        let Some(at) = *at else { return Ok(Steps { default: None, others: Vec::new() }) };
        let mut others: Vec<(u32, Option<usize>)> = known
            .iter()
            .map(|&character| (letters.of(character), next(at, &Unit::Character(character))))
            .filter(|edge| edge.1 != Some(0))
            .collect();
        others.sort_unstable();
        Ok(Steps { default: Some(0), others })
    };
    let output = |at: &Option<usize>| u32::from(at.is_some_and(may_end));
    let automaton: Automaton = explore(letters.clone(), Some(0), steps, output)?;
    Ok(StringLanguage::of_automaton(automaton.into()))
}
