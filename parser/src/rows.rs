//! The steps from places in rows of a table: a byte costs one look.
//!
//! A row is filled from the walker as bytes are read. When the table is full, places without a row
//! are read through the walker.

use blueprints_compiler::ir::ByteSet;
use blueprints_runtime::{LimitError, Place, Walker};
use rustc_hash::FxHashMap;

/// Not asked yet.
const UNKNOWN: u32 = u32::MAX;
/// The byte does not fit, or what comes after it has no row.
const NONE: u32 = u32::MAX - 1;

struct Row {
    place: Place,
    may_end: bool,
    next: Box<[u32; 256]>,
}

/// The table.
pub(crate) struct Rows {
    numbers: FxHashMap<Place, u32>,
    all: Vec<Row>,
    rows_max: usize,
}

/// A place that has a row.
#[derive(Clone, Copy)]
pub(crate) struct RowId(u32);

impl Rows {
    pub(crate) fn new(rows_max: usize) -> Self {
        Self { numbers: FxHashMap::default(), all: Vec::new(), rows_max }
    }

    /// The row of `place`; `None` if the table is full.
    pub(crate) fn of(&mut self, place: Place, walker: &Walker) -> Option<RowId> {
        if let Some(&number) = self.numbers.get(&place) {
            return Some(RowId(number));
        }
        if self.all.len() >= self.rows_max {
            return None;
        }
        let number = self.all.len() as u32;
        let next = Box::new([UNKNOWN; 256]);
        self.all.push(Row { place, may_end: walker.may_end(place), next });
        self.numbers.insert(place, number);
        Some(RowId(number))
    }

    pub(crate) fn place(&self, row: RowId) -> Place {
        self.all[row.0 as usize].place
    }

    pub(crate) fn may_end(&self, row: RowId) -> bool {
        self.all[row.0 as usize].may_end
    }

    /// Reads `bytes` from `at` on, up to a byte that does not fit, or a place without a row, or a
    /// byte of `ends` at a place where the part may end; without `ends`, up to such a place.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed.
    pub(crate) fn run(
        &mut self,
        walker: &Walker,
        mut row: RowId,
        (bytes, mut at): (&[u8], usize),
        ends: Option<&ByteSet>,
    ) -> Result<(RowId, usize), LimitError> {
        while let Some(&byte) = bytes.get(at) {
            let Row { may_end, next, .. } = &self.all[row.0 as usize];
            let ended = |byte| *may_end && ends.is_none_or(|ends| ends.contains(byte));
            if ended(byte) {
                break;
            }
            match next[byte as usize] {
                UNKNOWN => {
                    if !self.learn(walker, row, byte)? {
                        break;
                    }
                }
                NONE => break,
                to if to == row.0 => {
                    let stays = |byte: &&u8| next[**byte as usize] == to && !ended(**byte);
                    at += bytes[at..].iter().take_while(stays).count();
                }
                to => {
                    row = RowId(to);
                    at += 1;
                }
            }
        }
        Ok((row, at))
    }

    /// Asks the walker for the step; whether there is one.
    fn learn(&mut self, walker: &Walker, row: RowId, byte: u8) -> Result<bool, LimitError> {
        let next = match walker.step(self.place(row), byte)? {
            Some(place) => self.of(place, walker).map(|RowId(number)| number),
            None => None,
        };
        self.all[row.0 as usize].next[byte as usize] = next.unwrap_or(NONE);
        Ok(next.is_some())
    }
}
