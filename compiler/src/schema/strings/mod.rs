//! Sets of strings, closed under union, intersection and complement.
//!
//! A set is pieces, for each range of lengths an automaton, and a list of words for which it is
//! the other way round. So a bound on the length stays a number, whatever its size, lists of words
//! stay lists, and pattern, format and length intersect exactly.

mod counted;
mod enumerate;
mod formats;
mod keys;
mod pattern;
mod pieces;
mod spelled;
mod trie;

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

pub(crate) use formats::FormatMeaning;
pub(crate) use keys::KeyClasses;
pub(crate) use spelled::Spelling;
pub(super) use spelled::edges;

use self::pieces::Piece;
use crate::chars::automaton::Automaton;
pub(crate) use crate::chars::automaton::TooLarge;
pub(crate) use crate::chars::json::Escapes;
pub(crate) use crate::chars::python::Quote;
pub(crate) use crate::chars::search::PatternFault;

/// A set of strings, which are sequences of characters. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct StringLanguage {
    base: Base,
    /// The words that are in the set and not in the base, and the other way round (`false`);
    /// sorted. Lists of words are so joined as lists, whatever the base.
    words: Arc<[Apart]>,
    /// The strings of it among those that the rule of host names does not hold of, if they are not
    /// the same: the rest of this value then says which of the others are in it.
    outside: Option<Arc<StringLanguage>>,
}

/// A word for which a set is not as its base, and whether it is in the set.
type Apart = (Box<str>, bool);

#[derive(Clone, Debug)]
enum Base {
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

impl Join {
    fn of(self, one: bool, other: bool) -> bool {
        match self {
            Self::Union => one || other,
            Self::Intersection => one && other,
            Self::Difference => one && !other,
        }
    }
}

impl Base {
    fn of(automaton: Arc<Automaton>) -> Self {
        Self::Pieces(Arc::new([Piece { last: None, automaton }]))
    }

    fn all() -> Self {
        static ALL: LazyLock<Base> = LazyLock::new(|| Base::of(Automaton::all()));
        ALL.clone()
    }

    fn never() -> Self {
        static NEVER: LazyLock<Base> = LazyLock::new(|| Base::of(Automaton::never()));
        NEVER.clone()
    }

    fn is_never(&self) -> bool {
        // A piece without any string is the empty automaton: that is seen where it is made.
        matches!(self, Self::Pieces(pieces) if pieces.iter().all(|p| p.automaton.is_never()))
    }

    fn is_all(&self) -> bool {
        matches!(self, Self::Pieces(pieces) if pieces.iter().all(|p| p.automaton.is_all()))
    }

    fn contains(&self, text: &str) -> bool {
        match self {
            Self::Named(named) => named.automaton().is_ok_and(|found| found.run(text) != 0),
            Self::Pieces(pieces) if pieces.len() == 1 => pieces[0].automaton.run(text) != 0,
            Self::Pieces(pieces) => {
                let length = text.chars().count() as u64;
                let holds = |piece: &&Piece| piece.last.is_none_or(|last| length <= last);
                pieces.iter().find(holds).is_some_and(|piece| piece.automaton.run(text) != 0)
            }
        }
    }

    fn pieces(&self) -> Result<Arc<[Piece]>, TooLarge> {
        match self {
            Self::Pieces(pieces) => Ok(Arc::clone(pieces)),
            Self::Named(named) => {
                Ok(Arc::new([Piece { last: None, automaton: named.automaton()? }]))
            }
        }
    }

    fn joined(&self, other: &Self, join: Join) -> Result<Self, TooLarge> {
        let same = |one: &Self| Ok(one.clone());
        match join {
            Join::Union if self.is_never() || other.is_all() => return same(other),
            Join::Union if other.is_never() || self.is_all() => return same(self),
            Join::Intersection if self.is_all() || other.is_never() => return same(other),
            Join::Intersection if other.is_all() || self.is_never() => return same(self),
            Join::Difference if self.is_never() || other.is_never() => return same(self),
            Join::Difference if other.is_all() => return Ok(Self::never()),
            _ => {}
        }
        let (one, two) = (self.pieces()?, other.pieces()?);
        let joined = pieces::joined(&one, &two, join)?;
        // A format that is not narrowed stays one.
        for (operand, pieces) in [(self, one), (other, two)] {
            if let ([result], [piece]) = (&*joined, &*pieces)
                && Arc::ptr_eq(&result.automaton, &piece.automaton)
            {
                return Ok(operand.clone());
            }
        }
        Ok(Self::Pieces(joined))
    }
}

impl StringLanguage {
    fn of(base: Base) -> Self {
        static NONE: LazyLock<Arc<[Apart]>> = LazyLock::new(|| Arc::new([]));
        Self { base, words: Arc::clone(&NONE), outside: None }
    }

    /// Every string.
    pub(crate) fn all() -> Self {
        Self::of(Base::all())
    }

    /// No string.
    pub(crate) fn never() -> Self {
        Self::of(Base::never())
    }

    /// This string alone.
    pub(crate) fn exactly(word: &str) -> Self {
        let words = Arc::new([(word.into(), true)]);
        Self { base: Base::never(), words, outside: None }
    }

    /// Each of these strings.
    ///
    /// # Complexity
    /// O(n log n) in their number.
    pub(crate) fn one_of<S: Into<Box<str>>>(words: impl IntoIterator<Item = S>) -> Self {
        let mut words: Vec<(Box<str>, bool)> =
            words.into_iter().map(|word| (word.into(), true)).collect();
        words.sort_unstable();
        words.dedup();
        Self { base: Base::never(), words: words.into(), outside: None }
    }

    /// Every string but these.
    pub(crate) fn all_but<S: Into<Box<str>>>(words: impl IntoIterator<Item = S>) -> Self {
        let listed = Self::one_of(words);
        let words = listed.words.iter().map(|(word, _)| (word.clone(), false)).collect();
        Self { base: Base::all(), words, outside: None }
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
        Self::of(Base::Pieces(pieces.into()))
    }

    /// The strings in which `pattern` of ECMA-262 is found somewhere.
    ///
    /// # Errors
    /// [`PatternFault`] for what is no pattern or no regular language, and above a limit.
    pub(crate) fn pattern(pattern: &str) -> Result<Self, PatternFault> {
        pattern::language(pattern)
    }

    /// The strings that `automaton` gives an output other than 0.
    pub(super) fn of_automaton(automaton: Arc<Automaton>) -> Self {
        Self::of(Base::of(automaton))
    }

    /// The strings of either.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn union(&self, other: &Self) -> Result<Self, TooLarge> {
        self.joined(other, Join::Union)
    }

    /// The strings of both.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn intersection(&self, other: &Self) -> Result<Self, TooLarge> {
        self.joined(other, Join::Intersection)
    }

    /// The strings of the first that are not of the second.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn difference(&self, other: &Self) -> Result<Self, TooLarge> {
        self.joined(other, Join::Difference)
    }

    /// All other strings.
    ///
    /// # Errors
    /// [`TooLarge`] if the lengths of an automaton's texts take too many steps to find.
    pub(crate) fn complement(&self) -> Result<Self, TooLarge> {
        Self::all().difference(self)
    }

    /// Whether there is no string in it.
    pub(crate) fn is_never(&self) -> bool {
        self.base.is_never() && self.words.is_empty() && self.outside.is_none()
    }

    /// Whether every string is in it, as far as its form tells; `true` is always right.
    pub(crate) fn is_all(&self) -> bool {
        self.base.is_all() && self.words.is_empty() && self.outside.is_none()
    }

    /// How many steps it counts for where sets are joined: lists that are joined again and again
    /// cost more than the formulas that they are of.
    pub(crate) fn cost(&self) -> usize {
        self.words.len() / 64
    }

    /// Whether `text` is in it.
    pub(crate) fn contains(&self, text: &str) -> bool {
        if let Some(outside) = &self.outside
            && !formats::is_hostname(text)
        {
            return outside.contains(text);
        }
        match self.words.binary_search_by(|word| (*word.0).cmp(text)) {
            Ok(at) => self.words[at].1,
            Err(_) => self.base.contains(text),
        }
    }

    /// Whether every string of it is one of `other`.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn is_subset(&self, other: &Self) -> Result<bool, TooLarge> {
        Ok(self.difference(other)?.is_never())
    }

    /// Whether the two have the same strings.
    ///
    /// # Errors
    /// [`TooLarge`] if the automata have too many states.
    pub(crate) fn is_equal(&self, other: &Self) -> Result<bool, TooLarge> {
        Ok(self.is_subset(other)? && other.is_subset(self)?)
    }

    fn joined(&self, other: &Self, join: Join) -> Result<Self, TooLarge> {
        if self.outside.is_some() || other.outside.is_some() {
            let [inside, beside] = [self, other].map(StringLanguage::inside);
            let [outside, without] = [self, other].map(StringLanguage::outside);
            return inside.joined(&beside, join)?.ruled(outside.joined(&without, join)?);
        }
        let base = self.base.joined(&other.base, join)?;
        if self.words.is_empty() && other.words.is_empty() {
            return Ok(Self::of(base));
        }
        let (one, two) = (&*self.words, &*other.words);
        let (mut at, mut beside) = (0, 0);
        let mut words: Vec<(Box<str>, bool)> = Vec::with_capacity(one.len().max(two.len()));
        loop {
            let order = match (one.get(at), two.get(beside)) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(first), Some(second)) => first.0.cmp(&second.0),
            };
            let first = one.get(at).filter(|_| order.is_le());
            let second = two.get(beside).filter(|_| order.is_ge());
            let Some((word, _)) = first.or(second) else { break };
            let is = first.map_or_else(|| self.base.contains(word), |word| word.1);
            let is_other = second.map_or_else(|| other.base.contains(word), |word| word.1);
            let joined = join.of(is, is_other);
            if joined != base.contains(word) {
                words.push((word.clone(), joined));
            }
            at += usize::from(first.is_some());
            beside += usize::from(second.is_some());
        }
        Self { base, words: words.into(), outside: None }.tidy()
    }

    /// The same set, with no base if all the words of it are taken out.
    fn tidy(self) -> Result<Self, TooLarge> {
        let out = self.words.iter().filter(|word| !word.1).count();
        let open = self.base.is_never() || self.base.is_all() || out == 0;
        if open || !Self::of(self.base.clone()).is_finite()? {
            return Ok(self);
        }
        let Some(all) = Self::of(self.base.clone()).words(out) else { return Ok(self) };
        if !all.iter().all(|word| !self.contains(word)) {
            return Ok(self);
        }
        let words = self.words.iter().filter(|word| word.1).cloned().collect();
        Ok(Self { base: Base::never(), words, outside: None })
    }

    /// The strings of `self` that the rule of host names holds of, and those of `outside` that it
    /// does not hold of.
    fn ruled(self, outside: Self) -> Result<Self, TooLarge> {
        let same = self.is_equal(&outside)?;
        Ok(Self { outside: (!same).then(|| Arc::new(outside)), ..self })
    }

    /// The set as it is among the strings that the rule of host names holds of.
    fn inside(&self) -> Self {
        Self { outside: None, ..self.clone() }
    }

    /// The set as it is among the strings that the rule of host names does not hold of.
    fn outside(&self) -> Self {
        self.outside.as_ref().map_or_else(|| self.clone(), |outside| (**outside).clone())
    }

    /// The set as pieces, one after the other.
    fn pieces(&self) -> Result<Arc<[Piece]>, TooLarge> {
        if self.outside.is_some() {
            return Err(TooLarge("host names with `xn--` are no regular language"));
        }
        let mut pieces = self.base.pieces()?;
        for (is, join) in [(true, Join::Union), (false, Join::Difference)] {
            let words = self.words.iter().filter(|word| word.1 == is);
            if words.clone().next().is_some() {
                let automaton = Automaton::of_words(words.map(|word| (&*word.0, 1)))?;
                let listed = [Piece { last: None, automaton: Arc::new(automaton) }];
                pieces = pieces::joined(&pieces, &listed, join)?;
            }
        }
        Ok(pieces)
    }
}

#[cfg(test)]
mod tests;
