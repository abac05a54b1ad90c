//! Which exponents may follow a mantissa: sets of integers, and their digits read one by one.

use num_bigint::BigUint;
use num_integer::Integer;

use super::grid::Grid;
use super::lead::Lead;
use super::side::{Powers, Side, lowered, within};

/// The most exponents that are tried one by one, where a divisor makes them periodic. Larger ones
/// are not accepted then.
const EXPONENTS_MAX: i64 = 4_096;

/// Integers as intervals, ascending and apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PowerSet(pub(super) Vec<Powers>);

impl PowerSet {
    /// Every integer, or none.
    pub(super) fn constant(is: bool) -> Self {
        Self(if is { vec![(None, None)] } else { Vec::new() })
    }

    fn add(&mut self, powers: Powers) {
        if let Some(before) = self.0.last_mut()
            && before.1.is_none_or(|end| powers.0.is_none_or(|begin| begin <= end + 1))
        {
            before.1 = before.1.and_then(|end| powers.1.map(|other| end.max(other)));
            return;
        }
        self.0.push(powers);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, power: i64) -> bool {
        self.0.iter().any(|powers| within(*powers, (Some(power), Some(power))).is_some())
    }

    /// Those of the given sign, without it.
    pub(super) fn signed(&self, negative: bool) -> Self {
        let natural = (Some(0), None);
        if !negative {
            return Self(self.0.iter().filter_map(|&powers| within(powers, natural)).collect());
        }
        let negated = |&(low, high): &Powers| (high.map(|high| -high), low.map(|low| -low));
        let all = self.0.iter().rev().filter_map(|powers| within(negated(powers), natural));
        Self(all.collect())
    }

    /// The set of natural numbers and the digits read of one of them, as long as some number
    /// that begins with these is in the set. What no continuation tells apart becomes the same.
    pub(super) fn read(mut self, digits: i64) -> Option<(Self, i64)> {
        let ends = self.0.iter().flat_map(|powers| [powers.0, powers.1]);
        let most = ends.flatten().max().unwrap_or(0);
        let endless = self.0.last().is_some_and(|powers| powers.1.is_none());
        let mut width = 1_i64;
        let alive = endless || {
            let mut found = false;
            while !found && digits * width <= most {
                let begun = (Some(digits * width), Some(digits * width + width - 1));
                found = self.0.iter().any(|&powers| within(powers, begun).is_some());
                width *= 10;
                if digits == 0 && width > most {
                    // Zeros in front change nothing.
                    found |= !self.0.is_empty();
                    break;
                }
            }
            found
        };
        if !alive {
            return None;
        }
        if endless && (digits > most || self.0 == [(Some(0), None)]) {
            return Some((Self(vec![(Some(0), None)]), 0));
        }
        if digits > 0 {
            self.0.retain(|powers| powers.1.is_none_or(|end| end >= digits));
        }
        Some((self, digits))
    }
}

impl Side {
    /// The powers of ten that take the number whose digits are `lead` into the set.
    pub(super) fn exponents(&self, lead: &Lead) -> PowerSet {
        let mut found = PowerSet(Vec::new());
        let (rank, exact, top, last, rest) = match lead {
            Lead::Zero { .. } => return found,
            Lead::Literal { digits, top, .. } => {
                let (rank, exact) = self.place(digits);
                let rest = BigUint::parse_bytes(digits, 10).unwrap_or_default() % &self.modulus;
                (rank, exact, *top, top - digits.len() as i64 + 1, rest)
            }
            Lead::Gap { rank, top, last, rest, .. } => (*rank, false, *top, *last, rest.clone()),
        };
        for segment in self.segments(rank, exact) {
            let powers = lowered(segment.powers, top);
            match segment.at {
                Some(at) if self.points[at].inside => found.add(powers),
                Some(_) => {}
                None => on_grid(&self.between[segment.below], &rest, last, powers, &mut found),
            }
        }
        found
    }
}

/// Adds those of `powers` for which `rest` times ten to `last` and the power is in `grid`.
fn on_grid(grid: &Grid, rest: &BigUint, last: i64, powers: Powers, found: &mut PowerSet) {
    if grid.is_constant() {
        if grid.others {
            found.add(powers);
        }
        return;
    }
    // Below this power, the number is no multiple of the unit.
    let first = grid.exponent - last;
    if grid.others
        && let Some(before) = within(powers, (None, Some(first - 1)))
    {
        found.add(before);
    }
    let Some((Some(low), high)) = within(powers, (Some(first), None)) else { return };
    let period = grid.period();
    let power = BigUint::from((low - first) as u64);
    let mut at = rest * BigUint::from(10_u32).modpow(&power, &period) % &period;
    // Powers of two and five come in one by one, after that the remainder repeats.
    let settles = grid.unit.bits() as i64;
    let single = grid.residues.len() == 1;
    let tried = if single { settles } else { EXPONENTS_MAX };
    let end = high.map_or(low + tried, |high| high.min(low + tried));
    for power in low..=end {
        let (times, left) = at.div_rem(&grid.unit);
        let is = match left == BigUint::ZERO {
            true => {
                let times = usize::try_from(&times).unwrap_or(0);
                grid.residues[times % grid.residues.len()]
            }
            false => grid.others,
        };
        let settled = single && power == low + tried;
        if is {
            found.add((Some(power), if settled { high } else { Some(power) }));
        }
        at = at * 10_u32 % &period;
    }
}
