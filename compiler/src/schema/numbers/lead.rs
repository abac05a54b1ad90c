//! What must be known of the digits read so far, and whether some number of the set begins so.

use num_bigint::BigUint;

use super::decimal::Decimal;
use super::grid::Grid;
use super::side::{Powers, Side, lowered, within};

/// The most steps in which multiples of a unit are looked for by powers of ten.
const STEPS_MAX: i64 = 4_096;

/// The digits read so far, up to what no continuation tells apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Lead {
    /// Zeros only; `low` is the power of ten of the last digit.
    Zero { low: i64 },
    /// Digits with which some point begins, without zeros at their end; `length` counts these
    /// too, and `top` is the power of ten of the first digit.
    Literal { digits: Vec<u8>, length: i64, top: i64 },
    /// Digits with which no point begins: `rank` strings of digits of points are below them.
    /// `last` is the power of ten of the last digit that is not zero, `low` that of the last
    /// digit, and `rest` is what the digits leave modulo the side's modulus.
    Gap { rank: usize, top: i64, last: i64, low: i64, rest: BigUint },
}

/// Which spellings there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Forms {
    pub(super) exponent: bool,
    pub(super) fraction: bool,
}

impl Side {
    /// `lead` with one more digit, before the point or after it.
    pub(super) fn push(&self, lead: &Lead, digit: u8, after_point: bool, forms: Forms) -> Lead {
        let shift = i64::from(!after_point);
        let number = BigUint::from(u32::from(digit));
        match lead {
            Lead::Zero { low } if digit == 0 => self.zero(low - i64::from(after_point), forms),
            Lead::Zero { low } => {
                let top = if after_point { low - 1 } else { 0 };
                self.literal(vec![b'0' + digit], 1, top, forms)
            }
            Lead::Literal { digits, length, top } => {
                let mut all = digits.clone();
                if digit != 0 {
                    all.resize(*length as usize, b'0');
                    all.push(b'0' + digit);
                }
                self.literal(all, length + 1, top + shift, forms)
            }
            Lead::Gap { rank, top, last, low, rest } => {
                let (last, low) = (last + shift, low + shift - 1);
                let gap = |last: i64, low: i64, rest: BigUint| {
                    self.gap(Lead::Gap { rank: *rank, top: top + shift, last, low, rest }, forms)
                };
                if !self.has_grid {
                    return gap(0, 0, BigUint::ZERO);
                }
                if !forms.exponent {
                    // Zeros count as digits, down to the finest unit.
                    if low < self.finest {
                        let off = digit != 0 || last < self.finest;
                        let rest = if off { BigUint::ZERO } else { rest.clone() };
                        let last = if off { self.finest - 1 } else { self.finest };
                        return gap(last, self.finest, rest);
                    }
                    return gap(low, low, (rest * 10_u32 + number) % &self.modulus);
                }
                if digit == 0 {
                    return gap(last, low, rest.clone());
                }
                let power = BigUint::from((last - low) as u64);
                let scaled = rest * BigUint::from(10_u32).modpow(&power, &self.modulus);
                gap(low, low, (scaled + number) % &self.modulus)
            }
        }
    }

    /// Zeros only.
    pub(super) fn zero(&self, low: i64, forms: Forms) -> Lead {
        let least = self.magnitudes().map_or(0, |found| found.0);
        let low = match (forms.exponent, self.has_grid || !self.points.is_empty()) {
            (true, true) => low,
            (true, false) => 0,
            (false, _) => low.max(least.min(self.finest).min(0)),
        };
        Lead::Zero { low }
    }

    fn literal(&self, digits: Vec<u8>, length: i64, top: i64, forms: Forms) -> Lead {
        let mut all = digits.clone();
        all.resize(length as usize, b'0');
        let beyond = self.magnitudes().is_none_or(|found| top > found.1);
        let rank = match self.rank(&all) {
            Err(()) if !beyond || forms.exponent => {
                let longest = match (self.has_grid, forms.exponent) {
                    (true, true) => length,
                    (true, false) => self.digits_max.max(top - self.finest + 1),
                    (false, _) => self.digits_max,
                };
                let length = length.min(longest.max(digits.len() as i64));
                return Lead::Literal { digits, length, top };
            }
            Err(()) => 0,
            Ok(rank) => rank,
        };
        let (mut last, mut low) = (top - digits.len() as i64 + 1, top - length + 1);
        let coefficient = |digits: &[u8]| {
            let parsed = BigUint::parse_bytes(digits, 10).unwrap_or_default();
            parsed % &self.modulus
        };
        let mut rest = coefficient(&digits);
        if !forms.exponent {
            if last < self.finest {
                (last, rest) = (self.finest - 1, BigUint::ZERO);
            } else {
                low = low.max(self.finest);
                all.truncate((top - low + 1) as usize);
                (last, rest) = (low, coefficient(&all));
            }
            low = low.max(self.finest);
        }
        self.gap(Lead::Gap { rank, top, last, low, rest }, forms)
    }

    /// A gap without what does not matter.
    fn gap(&self, lead: Lead, forms: Forms) -> Lead {
        let Lead::Gap { mut rank, mut top, mut last, mut low, rest } = lead else { return lead };
        match self.magnitudes() {
            None => (rank, top) = (0, 0),
            // Without an exponent a number only grows.
            Some((_, most)) if top > most && !forms.exponent => (rank, top) = (0, most + 1),
            Some(_) => {}
        }
        if !self.has_grid {
            (last, low) = (0, 0);
        }
        Lead::Gap { rank, top, last, low, rest }
    }

    /// Whether a number of this side begins with `lead`, where the point may move by `moves`
    /// powers of ten.
    pub(super) fn is_alive(&self, lead: &Lead, moves: Powers) -> bool {
        match lead {
            Lead::Zero { low } => {
                let Some(moved) = moves.1 else { return !self.is_never() };
                let bound = Decimal::new(false, &BigUint::from(1_u32), low + moved);
                self.has_below(&bound)
            }
            Lead::Literal { digits, length, top } => {
                self.literal_is_alive(digits, *length, *top, moves)
            }
            Lead::Gap { rank, top, last, low, rest } => {
                self.segments(*rank, false).into_iter().any(|segment| {
                    let grid = &self.between[segment.below];
                    let powers = within(lowered(segment.powers, *top), moves);
                    powers.is_some_and(|powers| gap_is_alive(grid, (rest, *last, *low), powers))
                })
            }
        }
    }

    /// Whether a number of this side is below `bound`.
    fn has_below(&self, bound: &Decimal) -> bool {
        let zero = Decimal::zero();
        let mut low = &zero;
        for (at, grid) in self.between.iter().enumerate() {
            let point = self.points.get(at);
            let high = point.map_or(bound, |point| bound.min(&point.value));
            if low < high && grid.meets(Some(low), Some(high)).unwrap_or(true) {
                return true;
            }
            match point {
                Some(point) if point.value < *bound => {
                    if point.inside {
                        return true;
                    }
                    low = &point.value;
                }
                _ => return false,
            }
        }
        false
    }

    fn literal_is_alive(&self, digits: &[u8], length: i64, top: i64, moves: Powers) -> bool {
        let mut all = digits.to_vec();
        all.resize(length as usize, b'0');
        let reached = |power: i64| within((Some(power), Some(power)), moves).is_some();
        let mut points = self.beginning_with(&all);
        points.any(|point| point.inside && reached(point.value.magnitude() - top))
            || self.filled.iter().any(|at| {
                let at = *at as usize;
                let grid = &self.between[at];
                let low = at.checked_sub(1).map(|at| &self.points[at].value);
                let high = self.points.get(at).map(|point| &point.value);
                let powers = (low.map(Decimal::magnitude), high.map(Decimal::magnitude));
                let Some(powers) = within(lowered(powers, top), moves) else { return false };
                interval_is_alive(grid, &all, top, (low, high), powers)
            })
    }
}

/// Whether between `ends` there is a number of `grid` that begins with `digits`, the first of
/// which stands for ten to `top` moved by one of `moves`.
fn interval_is_alive(
    grid: &Grid,
    digits: &[u8],
    top: i64,
    (low, high): (Option<&Decimal>, Option<&Decimal>),
    moves: Powers,
) -> bool {
    let coefficient = BigUint::parse_bytes(digits, 10).unwrap_or_default();
    let last = top - digits.len() as i64 + 1;
    let zero = Decimal::zero();
    let low = low.unwrap_or(&zero);
    // Far enough from zero, or near enough to it, there is always one.
    let Some(most) = moves.1 else { return true };
    let least = match moves.0 {
        Some(least) => least,
        None if grid.others => return true,
        None => grid.exponent - top,
    };
    let mut tried = 0;
    let mut power = most;
    while power >= least && tried < STEPS_MAX {
        let first = Decimal::new(false, &coefficient, last + power);
        let next = Decimal::new(false, &(&coefficient + 1_u32), last + power);
        let inside = first > *low && high.is_none_or(|high| first < *high);
        if inside && grid.contains(&first) {
            return true;
        }
        let (begin, end) = (low.max(&first), high.map_or(&next, |high| high.min(&next)));
        if begin < end && grid.meets(Some(begin), Some(end)).unwrap_or(true) {
            return true;
        }
        power -= 1;
        tried += 1;
    }
    false
}

/// Whether `grid` has a number that begins with digits which leave `rest`, moved by `moves`.
fn gap_is_alive(grid: &Grid, (rest, last, low): (&BigUint, i64, i64), moves: Powers) -> bool {
    if grid.others || grid.is_never() {
        return grid.others;
    }
    let Some(most) = moves.1 else { return true };
    let least = moves.0.unwrap_or(i64::MIN).max(grid.exponent - last);
    let period = grid.period();
    let enough = period.to_string().len() as i64;
    let mut power = most;
    let mut tried = 0;
    while power >= least && tried < STEPS_MAX {
        let room = low + power - grid.exponent;
        if room >= enough {
            return true;
        }
        let room = BigUint::from(10_u32).pow(room.max(0) as u32);
        let shift = BigUint::from((last + power - grid.exponent) as u64);
        let at = rest * BigUint::from(10_u32).modpow(&shift, &period) % &period;
        let mut wanted = grid.residues.iter().enumerate().filter(|residue| *residue.1);
        if wanted.any(|(times, _)| {
            let target = &grid.unit * BigUint::from(times);
            (target + &period - &at) % &period < room
        }) {
            return true;
        }
        power -= 1;
        tried += 1;
    }
    false
}
