//! One side of zero as a reader of digits sees it: its numbers by their distance from zero.

use std::sync::Arc;

use num_bigint::BigUint;
use num_integer::Integer;

use super::decimal::Decimal;
use super::grid::{Grid, scaled};
use super::{Line, TooLarge};

/// The most powers of ten that are tried one by one.
const POWERS_MAX: i64 = 2_000;

/// A point of one side.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Point {
    pub(super) value: Decimal,
    /// Whether it is in the set.
    pub(super) inside: bool,
    /// Where its digits are among all digits of points.
    rank: u32,
}

/// The numbers of a set on one side of zero, without zero.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Side {
    /// Ascending.
    pub(super) points: Vec<Point>,
    /// Below the first point, between two, and above the last.
    pub(super) between: Vec<Arc<Grid>>,
    /// The digits of the points, ascending as fractions, each once.
    strings: Vec<Arc<str>>,
    /// The points by their rank.
    ranked: Vec<u32>,
    /// Which of `between` have numbers.
    pub(super) filled: Vec<u32>,
    /// The greatest length of them.
    pub(super) digits_max: i64,
    /// What every period divides.
    pub(super) modulus: BigUint,
    /// Whether divisors matter.
    pub(super) has_grid: bool,
    /// The least power of ten that a unit has, 0 at most.
    pub(super) finest: i64,
}

/// The powers of ten from one to another, inclusive; `None` is no bound.
pub(super) type Powers = (Option<i64>, Option<i64>);

/// Neighbouring powers of ten, and the interval in which a number of that magnitude lies.
pub(super) struct Segment {
    pub(super) powers: Powers,
    /// The number of points below it.
    pub(super) below: usize,
    /// The point that it is.
    pub(super) at: Option<usize>,
}

impl Side {
    /// The side of `line` above zero, or that below it. If `rescaled`, all units have the same
    /// power of ten, which is 0 or less.
    pub(super) fn new(line: &Line, negative: bool, rescaled: bool) -> Result<Self, TooLarge> {
        let zero = line.points.partition_point(|point| point.0 < Decimal::zero());
        let is_zero = line.points.get(zero).is_some_and(|point| point.0.is_zero());
        let (mut points, mut between): (Vec<_>, Vec<Arc<Grid>>) = if negative {
            let below = line.points[..zero].iter().rev();
            let mirrored = |grid: &Arc<Grid>| match grid.is_constant() {
                true => Arc::clone(grid),
                false => Arc::new(grid.mirrored()),
            };
            let grids = line.between[..=zero].iter().rev().map(mirrored);
            (below.collect(), grids.collect())
        } else {
            let first = zero + usize::from(is_zero);
            (line.points[first..].iter().collect(), line.between[first..].to_vec())
        };
        let mut strings: Vec<Arc<str>> =
            points.iter().map(|point| Arc::clone(&point.0.digits)).collect();
        strings.sort_unstable();
        strings.dedup();
        strings.shrink_to_fit();
        let used = || between.iter().filter(|grid| !grid.is_constant());
        let has_grid = used().next().is_some();
        let finest = used().map(|grid| grid.exponent).min().unwrap_or(0).min(0);
        if rescaled {
            for grid in between.iter_mut().filter(|grid| !grid.is_constant()) {
                let grid = Arc::make_mut(grid);
                grid.unit = scaled(&grid.unit, grid.exponent - finest)?;
                grid.exponent = finest;
            }
        }
        let periods = between.iter().filter(|grid| !grid.is_constant()).map(|grid| grid.period());
        let modulus = periods.fold(BigUint::from(1_u32), |all, one| all.lcm(&one));
        let points: Vec<Point> = points
            .drain(..)
            .map(|(value, inside)| Point {
                value: value.absolute(),
                inside: *inside,
                rank: strings.binary_search(&value.digits).unwrap_or(0) as u32,
            })
            .collect();
        let digits_max = strings.iter().map(|string| string.len()).max().unwrap_or(0) as i64;
        let mut ranked: Vec<u32> = (0..points.len() as u32).collect();
        ranked.sort_by_key(|at| points[*at as usize].rank);
        let filled = (0..between.len()).filter(|at| !between[*at].is_never());
        let filled = filled.map(|at| at as u32).collect();
        let side = Self {
            points,
            between,
            strings,
            ranked,
            filled,
            digits_max,
            modulus,
            has_grid,
            finest,
        };
        side.check_powers()?;
        Ok(side)
    }

    fn check_powers(&self) -> Result<(), TooLarge> {
        for (at, grid) in self.between.iter().enumerate() {
            let high = self.points.get(at).map(|point| point.value.magnitude());
            if !grid.is_constant() && high.is_some_and(|high| high - grid.exponent > POWERS_MAX) {
                return Err(TooLarge("a bound and a divisor too many powers of ten apart"));
            }
        }
        Ok(())
    }

    /// Whether there is no number on this side.
    pub(super) fn is_never(&self) -> bool {
        self.filled.is_empty() && !self.points.iter().any(|point| point.inside)
    }

    /// The least and the greatest magnitude of a point.
    pub(super) fn magnitudes(&self) -> Option<(i64, i64)> {
        let (first, last) = (self.points.first()?, self.points.last()?);
        Some((first.value.magnitude(), last.value.magnitude()))
    }

    /// How many of the strings of digits are below all continuations of `digits`; `Err` if one
    /// of them, with zeros added, is such a continuation.
    pub(super) fn rank(&self, digits: &[u8]) -> Result<usize, ()> {
        let against = |string: &[u8]| {
            let padded = string.iter().copied().chain(std::iter::repeat(b'0'));
            padded.take(digits.len()).cmp(digits.iter().copied())
        };
        let at = self.strings.partition_point(|string| against(string.as_bytes()).is_lt());
        match self.strings.get(at) {
            Some(string) if against(string.as_bytes()).is_eq() => Err(()),
            _ => Ok(at),
        }
    }

    /// Where numbers lie whose digits are above `rank` of the strings (and, if `exact`, are the
    /// next one), for each magnitude.
    pub(super) fn segments(&self, rank: usize, exact: bool) -> Vec<Segment> {
        let mut segments = Vec::new();
        let (mut at, mut free) = (0, None);
        while let Some(point) = self.points.get(at) {
            let magnitude = point.value.magnitude();
            let rest = &self.points[at..];
            let same = rest.partition_point(|point| point.value.magnitude() == magnitude);
            segments.push(Segment { powers: (free, Some(magnitude - 1)), below: at, at: None });
            let less = rest[..same].partition_point(|point| (point.rank as usize) < rank);
            let equal =
                rest[..same].get(less).is_some_and(|point| exact && point.rank as usize == rank);
            segments.push(Segment {
                powers: (Some(magnitude), Some(magnitude)),
                below: at + less,
                at: equal.then_some(at + less),
            });
            free = Some(magnitude + 1);
            at += same;
        }
        segments.push(Segment { powers: (free, None), below: at, at: None });
        segments.retain(|segment| {
            segment.powers.0.zip(segment.powers.1).is_none_or(|(low, high)| low <= high)
        });
        segments
    }

    /// The points whose digits, with zeros added, begin with `digits`.
    pub(super) fn beginning_with(&self, digits: &[u8]) -> impl Iterator<Item = &Point> {
        let against = |rank: u32| {
            let padded = self.strings[rank as usize].bytes().chain(std::iter::repeat(b'0'));
            padded.take(digits.len()).cmp(digits.iter().copied())
        };
        let rank = |at: &u32| self.points[*at as usize].rank;
        let first = self.ranked.partition_point(|at| against(rank(at)).is_lt());
        let same = self.ranked[first..].partition_point(|at| against(rank(at)).is_eq());
        self.ranked[first..first + same].iter().map(|at| &self.points[*at as usize])
    }

    /// The rank of `digits` among the strings, and whether they are one of them.
    pub(super) fn place(&self, digits: &[u8]) -> (usize, bool) {
        match self.strings.binary_search_by(|string| string.as_bytes().cmp(digits)) {
            Ok(at) => (at, true),
            Err(at) => (at, false),
        }
    }
}

/// The powers in both.
pub(super) fn within(one: Powers, two: Powers) -> Option<Powers> {
    let low = one.0.into_iter().chain(two.0).max();
    let high = match (one.1, two.1) {
        (Some(one), Some(two)) => Some(one.min(two)),
        (one, two) => one.or(two),
    };
    low.zip(high).is_none_or(|(low, high)| low <= high).then_some((low, high))
}

/// The powers, each lowered by `by`.
pub(super) fn lowered(powers: Powers, by: i64) -> Powers {
    (powers.0.map(|power| power - by), powers.1.map(|power| power - by))
}
