//! Local states that go on for ever: any text of a class of characters leads on from them.
//!
//! A pattern that is only looked for somewhere in a string never returns to one state, but
//! whatever comes it is still looking. Of such a state all tokens of the class are known at once.

use crate::engine::{Locals, NOWHERE};
use crate::limits::LimitError;
use crate::vocabulary::{Characters, Index, Reading};

/// The most states that a text of the class may pass.
const STATES_MAX: usize = 64;

/// The loop class with most tokens whose texts lead on from `local` whatever they are, if one was
/// found among a few states.
///
/// # Complexity
/// O(byte classes of the states that the texts pass), once for all of them.
pub(super) fn of(table: &Locals, local: u32, index: &Index) -> Result<Option<usize>, LimitError> {
    if let Some(known) = table.get(local).endless.get() {
        return Ok(*known);
    }
    let mut found = None;
    for (number, class) in index.classes.iter().enumerate() {
        if let Some(passed) = passed(table, local, class.characters)? {
            // The same texts lead on from each of these; what was known of one stays as it is.
            passed.into_iter().for_each(|other| _ = table.get(other).endless.set(Some(number)));
            found = Some(number);
            break;
        }
    }
    Ok(*table.get(local).endless.get_or_init(|| found))
}

/// The states that texts of `characters` pass from `start` on; `None` if one of them leads
/// nowhere, asks a register, or if they are too many.
fn passed(
    table: &Locals,
    start: u32,
    characters: Characters,
) -> Result<Option<Vec<u32>>, LimitError> {
    let mut all = vec![start];
    let mut at = 0;
    while let Some(&local) = all.get(at) {
        at += 1;
        let state = table.get(local);
        if !state.is_free() || !reads(table, local, characters) {
            return Ok(None);
        }
        let mut last = 0;
        for byte in (0..0x80).chain(0xC2..=0xF4_u8).filter(|&byte| characters.contains(byte)) {
            let class = state.shape.class(byte);
            if byte < 0x80 && std::mem::replace(&mut last, class) == class {
                continue;
            }
            let next = table.next(state, byte)?;
            if !ends(table, next, Reading::Between.after(byte), &mut all)? || all.len() > STATES_MAX
            {
                return Ok(None);
            }
        }
    }
    Ok(Some(all))
}

/// Whether `local` reads the first bytes of all `characters`.
fn reads(table: &Locals, local: u32, characters: Characters) -> bool {
    let shape = &table.get(local).shape;
    let bytes = (0..0x80).chain(0xC2..=0xF4_u8);
    bytes.filter(|&byte| characters.contains(byte)).all(|byte| shape.class(byte) != 0)
}

/// Adds the states at the ends of the character that `at` stands in; whether all ways on within
/// it lead to one.
fn ends(table: &Locals, at: u32, reading: Reading, all: &mut Vec<u32>) -> Result<bool, LimitError> {
    if at == NOWHERE {
        return Ok(false);
    }
    let Reading::Within(_, low, high) = reading else {
        if !all.contains(&at) {
            all.push(at);
        }
        return Ok(reading == Reading::Between);
    };
    let state = table.get(at);
    if state.asks.is_some() {
        return Ok(false);
    }
    let mut last = None;
    for byte in low..=high {
        let class = state.shape.class(byte);
        if last.replace(class) == Some(class) {
            continue;
        }
        let next = table.next(state, byte)?;
        if !ends(table, next, reading.after(byte), all)? {
            return Ok(false);
        }
    }
    Ok(true)
}
