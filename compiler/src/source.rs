//! A named text in which places are found by line and column.

use std::ops::Range;

/// A template's text with its name and the starts of its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl Source {
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Self { name: name.into(), text, line_starts }
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
        let start = self.text.floor_char_boundary(range.start.min(self.text.len()));
        let end = self.text.floor_char_boundary(range.end.min(self.text.len()));
        start..end.max(start)
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub(crate) fn line_column(&self, at: usize) -> (usize, usize) {
        let at = self.text.floor_char_boundary(at.min(self.text.len()));
        let line = self.line_starts.partition_point(|&start| start <= at);
        let start = self.line_starts[line - 1];
        (line, self.text[start..at].chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn columns_count_characters() {
        let source = Source::new("t", "aé😀x\r\nb\n");
        let places = [(0, (1, 1)), (1, (1, 2)), (3, (1, 3)), (7, (1, 4)), (10, (2, 1)), (99, (3, 1))];
        for (at, expected) in places {
            assert_eq!(source.line_column(at), expected, "byte {at}");
        }
        assert_eq!(source.line_column(4), (1, 3), "inside a character");
        assert_eq!(source.slice(&(1..3)), "é");
        assert_eq!(source.slice(&(2..99)), "é😀x\r\nb\n");
    }
}
