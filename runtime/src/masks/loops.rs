//! On which characters a local state returns to itself.

use crate::engine::{Locals, NOWHERE};
use crate::limits::LimitError;
use crate::vocabulary::{Characters, Reading};

/// The characters after any of which `local` is as it was.
pub(super) fn of(table: &Locals, local: u32) -> Result<Characters, LimitError> {
    let state = table.get(local);
    if let Some(known) = state.loops.get() {
        return Ok(*known);
    }
    let loops = toward(table, local, local)?;
    Ok(*state.loops.get_or_init(|| loops))
}

/// The characters that lead from `local` to `target`: in ASCII one by one, beyond it all that
/// begin with the same byte.
///
/// # Complexity
/// O(byte classes of the state and of the states within characters).
pub(super) fn toward(table: &Locals, local: u32, target: u32) -> Result<Characters, LimitError> {
    let shape = &table.get(local).shape;
    let mut loops = Characters::default();
    // What each class leads to, by one byte of it.
    let mut found: Vec<Option<(u32, bool)>> = vec![None; shape.samples().len() + 1];
    for byte in (0..0x80).chain(0xC2..=0xF4_u8) {
        let class = shape.class(byte);
        if class == 0 {
            continue;
        }
        if byte < 0x80 {
            let (_, same) = match found[class] {
                Some(known) => known,
                None => {
                    let next = table.step(local, byte)?;
                    *found[class].insert((next, next == target))
                }
            };
            if same {
                loops.insert(byte);
            }
        } else {
            let next = table.step(local, byte)?;
            // A class of first bytes with the same rule of UTF-8 need be followed once.
            let plain = !matches!(byte, 0xE0 | 0xED | 0xF0 | 0xF4);
            let same = match found[class] {
                Some((known, same)) if plain && known == next => same,
                _ => returns(table, next, Reading::Between.after(byte), target)?,
            };
            if plain {
                found[class] = Some((next, same));
            }
            if same {
                loops.insert(byte);
            }
        }
    }
    Ok(loops)
}

/// Whether all ways on from `at` within a character lead to `target`.
fn returns(table: &Locals, at: u32, reading: Reading, target: u32) -> Result<bool, LimitError> {
    let Reading::Within(left, low, high) = reading else { return Ok(false) };
    if at == NOWHERE {
        return Ok(false);
    }
    let shape = &table.get(at).shape;
    let mut last = None;
    for byte in low..=high {
        let class = shape.class(byte);
        if last == Some(class) {
            continue;
        }
        last = Some(class);
        let next = table.step(at, byte)?;
        let same = match left {
            1 => next == target,
            _ => returns(table, next, reading.after(byte), target)?,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}
