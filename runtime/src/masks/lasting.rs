//! For how many letters a local state goes on, whatever they are.
//!
//! A label of a host or the name of a thing has a most length, so its states never return to
//! themselves, but far from that length all short enough tokens of such characters are known.

use crate::engine::{Locals, NOWHERE};
use crate::limits::LimitError;
use crate::vocabulary::Index;

/// The most states that the texts may pass.
const STATES_MAX: usize = 160;

/// Of how many characters, at least, any text of letters leads on from `local`.
///
/// # Complexity
/// O(states that the texts pass), once for all of them that go on for long.
pub(super) fn of(table: &Locals, local: u32, index: &Index) -> Result<u16, LimitError> {
    if let Some(&known) = table.get(local).lasting.get() {
        return Ok(known);
    }
    let Some(class) = index.letters.filter(|_| table.get(local).is_free()) else { return Ok(0) };
    let class = &index.classes[class];
    let bytes = (0..0x80_u8).filter(|&byte| class.characters.contains(byte));
    let bytes: Vec<u8> = bytes.collect();
    let (mut all, mut layers) = (vec![local], vec![0]);
    // Those from the last of `layers` on are first met after that many characters.
    let length = loop {
        let from = layers[layers.len() - 1];
        if from == all.len() {
            break u16::MAX;
        }
        let length = layers.len() as u16 - 1;
        layers.push(all.len());
        if all.len() > STATES_MAX || !passed(table, &mut all, from, &bytes)? {
            break length;
        }
    };
    // What goes on from one of them was read from here on.
    for (depth, pair) in layers.windows(2).enumerate() {
        let left = if length == u16::MAX { length } else { length.saturating_sub(depth as u16) };
        if usize::from(left) < class.longest() {
            break;
        }
        all[pair[0]..pair[1]].iter().for_each(|&at| _ = table.get(at).lasting.set(left));
    }
    Ok(*table.get(local).lasting.get_or_init(|| length))
}

/// Adds to `all` what its states from `from` on lead to; whether all of `bytes` lead on from each.
fn passed(
    table: &Locals,
    all: &mut Vec<u32>,
    from: usize,
    bytes: &[u8],
) -> Result<bool, LimitError> {
    for at in from..all.len() {
        let state = table.get(all[at]);
        let mut last = 0;
        for &byte in bytes {
            let class = state.shape.class(byte);
            if class == 0 {
                return Ok(false);
            }
            if std::mem::replace(&mut last, class) == class {
                continue;
            }
            let next = table.next(state, byte)?;
            if next == NOWHERE || !table.get(next).is_free() {
                return Ok(false);
            }
            if !all.contains(&next) {
                all.push(next);
            }
        }
    }
    Ok(true)
}
