//! Patterns as sets of strings, with bounds on the length instead of long counts.

use std::sync::Arc;

use super::{PatternFault, StringLanguage};
use crate::chars::pattern::Pattern;
use crate::chars::{ecma, search};

/// A count above this becomes a bound on the length where it can.
const UNROLLED_MAX: u32 = 64;
/// So does a longer run of one set.
const RUN_MAX: u32 = 32;

/// The strings in which the pattern is found.
pub(super) fn language(pattern: &str) -> Result<StringLanguage, PatternFault> {
    let tree = ecma::read(pattern)?;
    of_tree(&tree).map_err(|fault| match fault {
        // What look-around says of itself is about the whole pattern.
        PatternFault::Refused(mut error) if error.range.is_empty() => {
            error.range = 0..pattern.len();
            PatternFault::Refused(error)
        }
        fault => fault,
    })
}

fn of_tree(tree: &Pattern) -> Result<StringLanguage, PatternFault> {
    let long = tree.any(&|part| match part {
        Pattern::Repeat { min, max, .. } => *min > UNROLLED_MAX || max.is_some_and(is_long),
        Pattern::Concat(parts) => parts.len() > RUN_MAX as usize,
        _ => false,
    });
    if long || tree.any(&|part| matches!(part, Pattern::Look { .. })) {
        if let Pattern::Alternation(arms) = tree {
            let mut all = StringLanguage::never();
            for arm in arms {
                all = all.union(&of_tree(arm)?)?;
            }
            return Ok(all);
        }
        let parts = flat(tree);
        if let Some(found) = looked_ahead(&parts)? {
            return Ok(found);
        }
        if let Some(found) = counted(&parts)? {
            return Ok(found);
        }
    }
    Ok(StringLanguage::of_automaton(Arc::new(search::search(tree)?)))
}

fn is_long(count: u32) -> bool {
    count > UNROLLED_MAX
}

/// The parts of a sequence, those of sequences in it included. A long run of one set is a count.
fn flat(tree: &Pattern) -> Vec<Pattern> {
    let Pattern::Concat(parts) = tree else { return vec![tree.clone()] };
    let parts: Vec<Pattern> = parts.iter().flat_map(flat).collect();
    let mut counted = Vec::with_capacity(parts.len());
    for run in parts.chunk_by(|one, other| one == other && matches!(one, Pattern::Set(_))) {
        match u32::try_from(run.len()) {
            Ok(count) if count > RUN_MAX => {
                let body = Box::new(run[0].clone());
                counted.push(Pattern::Repeat { body, min: count, max: Some(count) });
            }
            _ => counted.extend_from_slice(run),
        }
    }
    counted
}

/// `^(?=a)(?!b)c` is an intersection of `^a`, of what `^b` is not found in, and of `^c`.
fn looked_ahead(parts: &[Pattern]) -> Result<Option<StringLanguage>, PatternFault> {
    let ahead = |part: &Pattern| matches!(part, Pattern::Look { behind: false, .. });
    let head = parts.iter().take_while(|part| ahead(part) || **part == Pattern::Start).count();
    let (head, rest) = parts.split_at(head);
    if !head.contains(&Pattern::Start) || !head.iter().any(ahead) {
        return Ok(None);
    }
    let anchored = |parts: &[Pattern]| {
        let mut all = vec![Pattern::Start];
        all.extend_from_slice(parts);
        of_tree(&Pattern::Concat(all))
    };
    let mut found = anchored(rest)?;
    for look in head {
        if let Pattern::Look { negated, body, .. } = look {
            let body = anchored(std::slice::from_ref(body))?;
            found = if *negated { found.difference(&body)? } else { found.intersection(&body)? };
        }
    }
    Ok(Some(found))
}

/// `^ab[c-e]{2,900}f$` is `^ab[c-e]*f$` with lengths from 5 to 903: where one part alone has
/// texts of several lengths, the length says how often it stands there.
fn counted(parts: &[Pattern]) -> Result<Option<StringLanguage>, PatternFault> {
    let [Pattern::Start, inner @ .., Pattern::End] = parts else { return Ok(None) };
    let mut flexible = inner.iter().enumerate().filter(|(_, part)| part.length().is_none());
    let (Some((at, Pattern::Repeat { body, min, max })), None) = (flexible.next(), flexible.next())
    else {
        return Ok(None);
    };
    let others = inner.iter().enumerate().filter(|(place, _)| *place != at);
    let mut others = others.map(|(_, part)| part.length());
    let fixed = others.try_fold(0_u64, |sum, length| sum.checked_add(length?));
    let (Some(fixed), Some(step)) = (fixed, body.length().filter(|step| *step > 0)) else {
        return Ok(None);
    };
    let length = |count: u32| fixed.saturating_add(step.saturating_mul(u64::from(count)));
    let mut free = inner.to_vec();
    free[at] = Pattern::Repeat { body: body.clone(), min: 0, max: None };
    free.insert(0, Pattern::Start);
    free.push(Pattern::End);
    let free = search::search(&Pattern::Concat(free))?;
    let free = StringLanguage::of_automaton(Arc::new(free));
    let held = StringLanguage::length(length(*min), max.map(length));
    Ok(Some(free.intersection(&held)?))
}
