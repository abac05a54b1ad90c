//! Sets of decimal numbers, closed under union, intersection and complement.
//!
//! A set cuts the line of numbers at points; each point is in it or not, and between two points
//! it is a periodic set. Bounds, divisors and lists of values are all of that form. Numbers are
//! values here: how they are spelled is a question of `to_ir` alone.

mod decimal;
mod grid;
mod lead;
mod machine;
mod powers;
mod printed;
mod side;
mod spelled;

use std::cmp::Ordering;
use std::sync::{Arc, LazyLock};

pub(crate) use decimal::Decimal;
use grid::Grid;
pub use machine::NumberMachine;
pub(crate) use spelled::Numbers;

/// A text that equal numbers have in common; `None` for what is no number within reach.
pub(crate) fn canonical_number(text: &str) -> Option<String> {
    Decimal::parse(text).map(|decimal| format!("{decimal:?}"))
}

pub(crate) use crate::chars::automaton::TooLarge;

/// A set of decimal numbers. Cheap to clone.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NumberLanguage(Arc<Line>);

/// The line of numbers, cut at points.
#[derive(PartialEq, Debug)]
struct Line {
    /// The points, ascending, and whether each is in the set.
    points: Vec<(Decimal, bool)>,
    /// What is in the set before the first point, between two, and after the last.
    between: Vec<Arc<Grid>>,
}

impl NumberLanguage {
    fn constant(is: bool) -> Self {
        Self(Arc::new(Line { points: Vec::new(), between: vec![Grid::shared(is)] }))
    }

    /// Every number.
    pub(crate) fn all() -> Self {
        static ALL: LazyLock<NumberLanguage> = LazyLock::new(|| NumberLanguage::constant(true));
        ALL.clone()
    }

    /// No number.
    pub(crate) fn never() -> Self {
        static NEVER: LazyLock<NumberLanguage> = LazyLock::new(|| NumberLanguage::constant(false));
        NEVER.clone()
    }

    /// The integers, however they are spelled.
    pub(crate) fn integers() -> Self {
        static INTEGERS: LazyLock<NumberLanguage> = LazyLock::new(|| {
            let one = Decimal { negative: false, digits: "1".into(), exponent: 0 };
            NumberLanguage::multiple_of(&one)
        });
        INTEGERS.clone()
    }

    /// The multiples of `divisor`; of zero, zero alone.
    pub(crate) fn multiple_of(divisor: &Decimal) -> Self {
        if divisor.is_zero() {
            return Self::one_of(vec![Decimal::zero()]);
        }
        let between = vec![Arc::new(Grid::multiples(divisor))];
        Self(Arc::new(Line { points: Vec::new(), between }))
    }

    /// Each of `values`.
    ///
    /// # Complexity
    /// O(n log n) in their number.
    pub(crate) fn one_of(mut values: Vec<Decimal>) -> Self {
        values.sort_unstable();
        values.dedup();
        let between = vec![Grid::shared(false); values.len() + 1];
        let points = values.into_iter().map(|value| (value, true)).collect();
        Self(Arc::new(Line { points, between }))
    }

    fn cut(bound: &Decimal, below: bool, at: bool, above: bool) -> Self {
        let points = vec![(bound.clone(), at)];
        Self(Arc::new(Line { points, between: vec![Grid::shared(below), Grid::shared(above)] }))
    }

    /// The numbers from `bound` on.
    pub(crate) fn at_least(bound: &Decimal) -> Self {
        Self::cut(bound, false, true, true)
    }

    /// The numbers above `bound`.
    pub(crate) fn above(bound: &Decimal) -> Self {
        Self::cut(bound, false, false, true)
    }

    /// The numbers up to `bound`.
    pub(crate) fn at_most(bound: &Decimal) -> Self {
        Self::cut(bound, true, true, false)
    }

    /// The numbers below `bound`.
    pub(crate) fn below(bound: &Decimal) -> Self {
        Self::cut(bound, true, false, false)
    }

    /// The numbers of either.
    ///
    /// # Errors
    /// [`TooLarge`] for divisors that together repeat too late.
    pub(crate) fn union(&self, other: &Self) -> Result<Self, TooLarge> {
        self.joined(other, |one, two| one || two)
    }

    /// The numbers of both.
    ///
    /// # Errors
    /// [`TooLarge`] for divisors that together repeat too late.
    pub(crate) fn intersection(&self, other: &Self) -> Result<Self, TooLarge> {
        if self.is_all() {
            return Ok(other.clone());
        }
        if other.is_all() {
            return Ok(self.clone());
        }
        self.joined(other, |one, two| one && two)
    }

    /// The numbers of the first that are not of the second.
    ///
    /// # Errors
    /// [`TooLarge`] for divisors that together repeat too late.
    pub(crate) fn difference(&self, other: &Self) -> Result<Self, TooLarge> {
        self.joined(other, |one, two| one && !two)
    }

    /// All other numbers.
    ///
    /// # Errors
    /// [`TooLarge`] for bounds and divisors too many powers of ten apart.
    pub(crate) fn complement(&self) -> Result<Self, TooLarge> {
        Self::all().difference(self)
    }

    fn joined(&self, other: &Self, join: impl Fn(bool, bool) -> bool) -> Result<Self, TooLarge> {
        let (one, two) = (&*self.0, &*other.0);
        let (mut at, mut beside) = (0, 0);
        let (mut points, mut between) = (Vec::new(), Vec::new());
        loop {
            let (left, right) = (&one.between[at], &two.between[beside]);
            between.push(match left.is_constant() && right.is_constant() {
                true => Grid::shared(join(left.others, right.others)),
                false => Arc::new(left.joined(right, &join)?),
            });
            let order = match (one.points.get(at), two.points.get(beside)) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(first), Some(second)) => first.0.cmp(&second.0),
            };
            let first = one.points.get(at).filter(|_| order.is_le());
            let second = two.points.get(beside).filter(|_| order.is_ge());
            let Some((place, _)) = first.or(second) else { break };
            let is = first.map_or_else(|| left.contains(place), |point| point.1);
            let is_other = second.map_or_else(|| right.contains(place), |point| point.1);
            points.push((place.clone(), join(is, is_other)));
            at += usize::from(first.is_some());
            beside += usize::from(second.is_some());
        }
        tidy(points, between)
    }

    /// Whether no number is in it.
    pub(crate) fn is_never(&self) -> bool {
        self.0.points.is_empty() && self.0.between[0].is_never()
    }

    /// Whether every number is in it.
    pub(crate) fn is_all(&self) -> bool {
        self.0.points.is_empty() && self.0.between[0].is_all()
    }

    /// Whether `number` is in it.
    pub(crate) fn contains(&self, number: &Decimal) -> bool {
        match self.0.points.binary_search_by(|point| point.0.cmp(number)) {
            Ok(at) => self.0.points[at].1,
            Err(at) => self.0.between[at].contains(number),
        }
    }

    /// All its numbers, ascending, if there are at most `most`.
    ///
    /// # Errors
    /// [`TooLarge`] for bounds and divisors too many powers of ten apart.
    pub(crate) fn values(&self, most: usize) -> Result<Option<Vec<Decimal>>, TooLarge> {
        let (points, between) = (&self.0.points, &self.0.between);
        let mut values = Vec::new();
        for (at, grid) in between.iter().enumerate() {
            if !grid.is_never() {
                let low = at.checked_sub(1).map(|at| &points[at].0);
                let (Some(low), Some((high, _))) = (low, points.get(at)) else { return Ok(None) };
                let room = most.saturating_sub(values.len()).saturating_add(1);
                match grid.list(low, high, room)? {
                    Some(found) => values.extend(found),
                    None => return Ok(None),
                }
            }
            values.extend(points.get(at).filter(|point| point.1).map(|point| point.0.clone()));
            if values.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(values))
    }
}

/// The set with the cuts that are needed: intervals without any number are empty, and points
/// where nothing changes are dropped.
fn tidy(
    points: Vec<(Decimal, bool)>,
    mut between: Vec<Arc<Grid>>,
) -> Result<NumberLanguage, TooLarge> {
    for (at, grid) in between.iter_mut().enumerate() {
        let low = at.checked_sub(1).map(|at| &points[at].0);
        let high = points.get(at).map(|point| &point.0);
        if !grid.meets(low, high)? {
            *grid = Grid::shared(false);
        }
    }
    let mut kept: Vec<(Decimal, bool)> = Vec::with_capacity(points.len());
    let mut grids: Vec<Arc<Grid>> = Vec::with_capacity(between.len());
    let mut points = points.into_iter();
    for grid in between {
        // The point before this interval is needed if something changes there.
        if let (Some(before), Some((place, is))) = (grids.last(), kept.last())
            && *before == grid
            && *is == grid.contains(place)
        {
            kept.pop();
        } else {
            grids.push(grid);
        }
        kept.extend(points.next());
    }
    kept.shrink_to_fit();
    grids.shrink_to_fit();
    Ok(NumberLanguage(Arc::new(Line { points: kept, between: grids })))
}

#[cfg(test)]
mod tests;
