//! A named text in which places are found by line and column.

use std::ops::Range;

/// A template's text with its name and the starts of its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
    /// The characters before every `STRIDE`th byte, so that a column costs no long walk.
    characters: Vec<usize>,
}

const STRIDE: usize = 1024;

impl Source {
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        let mut characters = vec![0];
        for block in text.as_bytes().chunks(STRIDE) {
            let before = characters.last().copied().unwrap_or(0);
            characters.push(before + block.iter().filter(|byte| begins(**byte)).count());
        }
        Self { name: name.into(), text, line_starts, characters }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text of `range`, cut to what there is.
    pub(crate) fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(self.clamp(range)).unwrap_or_default()
    }

    /// `range` with both ends inside the text and on character boundaries.
    pub(crate) fn clamp(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.boundary(range.start);
        let end = self.boundary(range.end);
        start..end.max(start)
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub(crate) fn line_column(&self, at: usize) -> (usize, usize) {
        let at = self.boundary(at);
        let line = self.line_starts.partition_point(|&start| start <= at);
        let start = self.line_starts[line - 1];
        (line, self.characters_before(at) - self.characters_before(start) + 1)
    }

    /// The last place that is not after `at` and not inside a character.
    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn characters_before(&self, at: usize) -> usize {
        let block = at / STRIDE;
        let rest = &self.text.as_bytes()[block * STRIDE..at];
        self.characters[block] + rest.iter().filter(|byte| begins(**byte)).count()
    }

    /// The bytes of the line that holds byte `at`.
    pub(crate) fn line_length(&self, at: usize) -> usize {
        let line = self.line_starts.partition_point(|&start| start <= at);
        let end = self.line_starts.get(line).copied().unwrap_or(self.text.len());
        end - self.line_starts[line - 1]
    }
}

/// Whether a character begins with `byte`.
fn begins(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn columns_count_characters() {
        let source = Source::new("t", "aé😀x\r\nb\n");
        let places =
            [(0, (1, 1)), (1, (1, 2)), (3, (1, 3)), (7, (1, 4)), (10, (2, 1)), (99, (3, 1))];
        for (at, expected) in places {
            assert_eq!(source.line_column(at), expected, "byte {at}");
        }
        assert_eq!(source.line_column(4), (1, 3), "inside a character");
        let long = Source::new("t", "é".repeat(3000));
        for at in [0, 1023, 1024, 1026, 4000, 6000] {
            assert_eq!(long.line_column(at), (1, at / 2 + 1), "byte {at}");
        }
        assert_eq!(source.slice(&(1..3)), "é");
        assert_eq!(source.slice(&(2..99)), "é😀x\r\nb\n");
    }
}
