//! A run of exact text whose stretches may come from the author and from data in turn.

use super::Origin;

/// Exact text, each stretch with who wrote it: what a delimiter of free text is made of.
///
/// # Examples
/// ```
/// use blueprints_compiler::ir::{Literal, Origin};
/// let mut literal = Literal::from("</a>");
/// literal.push("x", Origin::Value);
/// assert_eq!(literal.as_str(), "</a>x");
/// assert_eq!(literal.stretches().count(), 2);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Literal {
    string: String,
    /// Where each stretch ends, and who wrote it; neighbours differ in their origin.
    stretches: Vec<(usize, Origin)>,
}

impl Literal {
    /// Text of one origin.
    #[must_use]
    pub fn new(string: &str, origin: Origin) -> Self {
        let mut literal = Self::default();
        literal.push(string, origin);
        literal
    }

    /// Appends `string`.
    pub fn push(&mut self, string: &str, origin: Origin) {
        if string.is_empty() {
            return;
        }
        self.string.push_str(string);
        let end = self.string.len();
        match self.stretches.last_mut() {
            Some((last, own)) if *own == origin => *last = end,
            _ => self.stretches.push((end, origin)),
        }
    }

    /// All of its characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.string
    }

    /// Whether it has no characters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.string.is_empty()
    }

    /// The stretches in order, none of them empty.
    pub fn stretches(&self) -> impl Iterator<Item = (&str, Origin)> {
        let starts = std::iter::once(0).chain(self.stretches.iter().map(|(end, _)| *end));
        starts
            .zip(&self.stretches)
            .map(|(start, (end, origin))| (&self.string[start..*end], *origin))
    }

    /// Its first `length` bytes, which must end between two characters, or all of it.
    pub(crate) fn prefix(&self, length: usize) -> Self {
        let mut prefix = Self::default();
        for (string, origin) in self.stretches() {
            let room = length - prefix.string.len();
            prefix.push(string.get(..room).unwrap_or(string), origin);
        }
        prefix
    }
}

impl From<&str> for Literal {
    /// The author's own text.
    fn from(string: &str) -> Self {
        Self::new(string, Origin::Source)
    }
}
