//! Sets of strings, closed under union, intersection and complement.
//!
//! A set is a list of words, or pieces: for each range of lengths an automaton. So a bound on the
//! length stays a number, whatever its size, and pattern, format and length intersect exactly.

mod counted;
mod enumerate;
mod formats;
mod keys;
mod pattern;
mod pieces;
mod spelled;
mod trie;

use std::sync::{Arc, LazyLock};

pub(crate) use formats::FormatMeaning;
pub(crate) use keys::KeyClasses;
pub(crate) use spelled::Spelling;
pub(super) use spelled::edges;

use self::pieces::Piece;
use crate::chars::automaton::Automaton;
pub(crate) use crate::chars::automaton::TooLarge;
pub(crate) use crate::chars::json::Escapes;
pub(crate) use crate::chars::search::PatternFault;

/// A set of strings, which are sequences of characters. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct StringLanguage(Form);

#[derive(Clone, Debug)]
enum Form {
    /// Sorted and different.
    Words(Arc<[Box<str>]>),
    /// One piece after the other, the last of which has no bound.
    Pieces(Arc<[Piece]>),
    /// A format.
    Named(&'static formats::Named),
}

/// How two sets are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Union,
    Intersection,
    Difference,
}

impl StringLanguage {
    /// Every string.
    pub(crate) fn all() -> Self {
        static ALL: LazyLock<Arc<[Piece]>> =
            LazyLock::new(|| Arc::new([Piece { last: None, automaton: Automaton::all() }]));
        Self(Form::Pieces(Arc::clone(&ALL)))
    }

    /// No string.
    pub(crate) fn never() -> Self {
        Self(Form::Words(Arc::new([])))
    }

    /// This string alone.
    pub(crate) fn exactly(word: &str) -> Self {
        Self(Form::Words(Arc::new([word.into()])))
    }

    /// Each of these strings.
    ///
    /// # Complexity
    /// O(n log n) in their number.
    pub(crate) fn one_of<S: Into<Box<str>>>(words: impl IntoIterator<Item = S>) -> Self {
        let mut words: Vec<Box<str>> = words.into_iter().map(Into::into).collect();
        words.sort_unstable();
        words.dedup();
        Self(Form::Words(words.into()))
    }

    /// The strings of `min` to `max` characters; no `max` is no bound.
    pub(crate) fn length(min: u64, max: Option<u64>) -> Self {
        if max.is_some_and(|max| max < min) {
            return Self::never();
        }
        let mut pieces = Vec::with_capacity(3);
        if let Some(last) = min.checked_sub(1) {
            pieces.push(Piece { last: Some(last), automaton: Automaton::never() });
        }
        pieces.push(Piece { last: max, automaton: Automaton::all() });
        if max.is_some() {
            pieces.push(Piece { last: None, automaton: Automaton::never() });
        }
        Self(Form::Pieces(pieces.into()))
    }

    /// The strings in which `pattern` of ECMA-262 is found somewhere.
    ///
    /// # Errors
    /// [`PatternFault`] for what is no pattern or no regular language, and above a limit.
    pub(crate) fn pattern(pattern: &str) -> Result<Self, PatternFault> {
        pattern::language(pattern)
    }

    /// The strings that `automaton` gives an output other than 0.
    fn of_automaton(automaton: Arc<Automaton>) -> Self {
        if automaton.is_never() {
            return Self::never();
        }
        Self(Form::Pieces(Arc::new([Piece { last: None, automaton }])))
    }

    /// The strings of either.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn union(&self, other: &Self) -> Result<Self, TooLarge> {
        if self.is_never() || other.is_all() {
            return Ok(other.clone());
        }
        if other.is_never() || self.is_all() {
            return Ok(self.clone());
        }
        if let (Form::Words(one), Form::Words(two)) = (&self.0, &other.0) {
            return Ok(Self::one_of(one.iter().chain(two.iter()).cloned()));
        }
        self.joined(other, Join::Union)
    }

    /// The strings of both.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn intersection(&self, other: &Self) -> Result<Self, TooLarge> {
        match (&self.0, &other.0) {
            (Form::Words(words), _) => Ok(filtered(words, |word| other.contains(word))),
            (_, Form::Words(words)) => Ok(filtered(words, |word| self.contains(word))),
            _ if self.is_all() => Ok(other.clone()),
            _ if other.is_all() => Ok(self.clone()),
            _ => self.joined(other, Join::Intersection),
        }
    }

    /// The strings of the first that are not of the second.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn difference(&self, other: &Self) -> Result<Self, TooLarge> {
        match &self.0 {
            Form::Words(words) => Ok(filtered(words, |word| !other.contains(word))),
            _ if other.is_never() => Ok(self.clone()),
            _ => self.joined(other, Join::Difference),
        }
    }

    /// All other strings.
    ///
    /// # Errors
    /// [`TooLarge`] for a list of words with too many states.
    pub(crate) fn complement(&self) -> Result<Self, TooLarge> {
        if self.is_never() {
            return Ok(Self::all());
        }
        let pieces = self.pieces()?;
        let other = |piece: &Piece| Piece {
            last: piece.last,
            automaton: Arc::new(piece.automaton.complement()),
        };
        pieces::tidy(pieces.iter().map(other).collect())
    }

    /// Whether there is no string in it.
    pub(crate) fn is_never(&self) -> bool {
        // Pieces are never without any string: that is seen where they are made.
        matches!(&self.0, Form::Words(words) if words.is_empty())
    }

    /// Whether every string is in it, as far as its form tells; `true` is always right.
    pub(crate) fn is_all(&self) -> bool {
        match &self.0 {
            Form::Words(_) | Form::Named(_) => false,
            Form::Pieces(pieces) => pieces.iter().all(|piece| piece.automaton.is_all()),
        }
    }

    /// Whether `text` is in it.
    pub(crate) fn contains(&self, text: &str) -> bool {
        match &self.0 {
            Form::Words(words) => words.binary_search_by(|word| (**word).cmp(text)).is_ok(),
            Form::Named(named) => named.automaton().is_ok_and(|found| found.run(text) != 0),
            Form::Pieces(pieces) => {
                let length = || text.chars().count() as u64;
                let holds = |piece: &&Piece| piece.last.is_none_or(|last| length() <= last);
                pieces.iter().find(holds).is_some_and(|piece| piece.automaton.run(text) != 0)
            }
        }
    }

    /// Whether every string of it is one of `other`.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn is_subset(&self, other: &Self) -> Result<bool, TooLarge> {
        Ok(self.difference(other)?.is_never())
    }

    /// Whether the two have no string in common.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn is_disjoint(&self, other: &Self) -> Result<bool, TooLarge> {
        Ok(self.intersection(other)?.is_never())
    }

    /// Whether the two have the same strings.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn is_equal(&self, other: &Self) -> Result<bool, TooLarge> {
        Ok(self.is_subset(other)? && other.is_subset(self)?)
    }

    fn joined(&self, other: &Self, join: Join) -> Result<Self, TooLarge> {
        pieces::joined(&self.pieces()?, &other.pieces()?, join)
    }

    /// Its pieces, one after the other.
    fn pieces(&self) -> Result<Arc<[Piece]>, TooLarge> {
        match &self.0 {
            Form::Pieces(pieces) => Ok(Arc::clone(pieces)),
            Form::Named(named) => {
                Ok(Arc::new([Piece { last: None, automaton: named.automaton()? }]))
            }
            Form::Words(words) => {
                let automaton = Automaton::of_words(words.iter().map(|word| (&**word, 1)))?;
                Ok(Arc::new([Piece { last: None, automaton: Arc::new(automaton) }]))
            }
        }
    }
}

fn filtered(words: &[Box<str>], keep: impl Fn(&str) -> bool) -> StringLanguage {
    let words = words.iter().filter(|word| keep(word)).cloned().collect();
    StringLanguage(Form::Words(words))
}

#[cfg(test)]
mod tests;
