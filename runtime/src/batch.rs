//! Masks of many texts at once, on several threads where it pays.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

use crate::limits::LimitError;
use crate::matcher::Matcher;

/// A text of a batch, and where its mask goes.
#[derive(Debug)]
pub struct Row<'a> {
    /// The text.
    pub matcher: &'a mut Matcher,
    /// Its row of the packed masks, in the layout of [`Matcher::fill`].
    pub words: &'a mut [u32],
}

/// Rows that one thread fills before it is worth while to wake another.
const ROWS_A_THREAD: usize = 8;

/// Fills the mask of each row, in parallel on the threads of the current `rayon` pool, and
/// returns what came of each, in the order of the rows. The rows may follow one program or many.
///
/// # Complexity
/// As [`Matcher::fill`] for each row.
///
/// # Examples
/// ```
/// use blueprints_compiler::Ir;
/// use blueprints_runtime::{Limits, Program, Row, Token, Vocabulary, fill_batch};
/// let tokens = ["a", "b"].map(|text| Token::Bytes(text.as_bytes().into())).to_vec();
/// let vocabulary = Vocabulary::new(tokens)?;
/// let program = Program::compile_ir(&Ir::text("ab"), &vocabulary, Limits::default())?;
/// let (mut one, mut two) = (program.matcher(), program.matcher());
/// two.accept_bytes(b"a")?;
/// let mut words = [0; 2];
/// let (first, second) = words.split_at_mut(1);
/// let filled = fill_batch(&mut [
///     Row { matcher: &mut one, words: first },
///     Row { matcher: &mut two, words: second },
/// ]);
/// assert!(filled.iter().all(Result::is_ok));
/// assert_eq!(words, [0b01, 0b10]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fill_batch(rows: &mut [Row<'_>]) -> Vec<Result<(), LimitError>> {
    let fill = |row: &mut Row<'_>| row.matcher.fill(row.words);
    if rows.len() <= ROWS_A_THREAD {
        return rows.iter_mut().map(fill).collect();
    }
    rows.par_iter_mut().with_min_len(ROWS_A_THREAD).map(fill).collect()
}
