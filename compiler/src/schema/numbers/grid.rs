//! Periodic sets of numbers: what is left of divisors under Boolean operations.
//!
//! A set has a unit and a modulus: whether a multiple of the unit is in it depends on how many
//! times the unit it is, modulo the modulus; all other numbers are in it or none of them is.

use std::sync::{Arc, LazyLock};

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;

use super::decimal::Decimal;
use crate::chars::automaton::TooLarge;

/// The greatest modulus.
const MODULUS_MAX: u64 = 1 << 19;
/// The most powers of ten between two numbers that are put on one scale.
const SCALE_MAX: u64 = 1 << 13;

/// A periodic set, in its canonical form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Grid {
    /// The unit is this, which ten does not divide, ...
    pub(super) unit: BigUint,
    /// ... times ten to this.
    pub(super) exponent: i64,
    /// Whether the multiples with each remainder are in it.
    pub(super) residues: Vec<bool>,
    /// Whether the numbers that are no multiples are in it.
    pub(super) others: bool,
}

impl Grid {
    /// All numbers, or none.
    pub(super) fn constant(others: bool) -> Self {
        Self { unit: BigUint::from(1_u32), exponent: 0, residues: vec![others], others }
    }

    /// [`Grid::constant`], one for all sets: a list of values has one between any two of them.
    pub(super) fn shared(others: bool) -> Arc<Self> {
        static SHARED: LazyLock<[Arc<Grid>; 2]> =
            LazyLock::new(|| [false, true].map(|others| Arc::new(Grid::constant(others))));
        Arc::clone(&SHARED[usize::from(others)])
    }

    /// The multiples of `divisor`, which is not zero.
    pub(super) fn multiples(divisor: &Decimal) -> Self {
        let (unit, exponent) = (divisor.coefficient(), divisor.exponent);
        Self { unit, exponent, residues: vec![true], others: false }
    }

    /// Whether it is all numbers or none: which of them `others` says.
    pub(super) fn is_constant(&self) -> bool {
        self.residues.iter().all(|&is| is == self.others)
    }

    pub(super) fn is_never(&self) -> bool {
        !self.others && self.is_constant()
    }

    pub(super) fn is_all(&self) -> bool {
        self.others && self.is_constant()
    }

    /// The set of the numbers below zero where this has those above.
    pub(super) fn mirrored(&self) -> Self {
        let count = self.residues.len();
        let residues = (0..count).map(|at| self.residues[(count - at) % count]).collect();
        Self { residues, ..self.clone() }
    }

    /// The unit times the modulus, without the power of ten.
    pub(super) fn period(&self) -> BigUint {
        &self.unit * BigUint::from(self.residues.len())
    }

    /// Whether a number is in it that is `rest` times ten to `exponent`, where `rest` is given
    /// modulo [`Grid::period`] and ten does not divide the number it is the rest of.
    pub(super) fn contains_rest(&self, rest: &BigUint, exponent: i64) -> bool {
        let Ok(power) = u64::try_from(exponent - self.exponent) else { return self.others };
        let period = self.period();
        let power = BigUint::from(10_u32).modpow(&BigUint::from(power), &period);
        let (times, left) = ((rest * power) % &period).div_rem(&self.unit);
        if left != BigUint::ZERO {
            return self.others;
        }
        let times = usize::try_from(&times).unwrap_or(0);
        self.residues[times % self.residues.len()]
    }

    /// Whether `number` is in it.
    pub(super) fn contains(&self, number: &Decimal) -> bool {
        if number.is_zero() || self.is_constant() {
            return self.residues[0];
        }
        let grid = if number.negative { &self.mirrored() } else { self };
        grid.contains_rest(&(number.coefficient() % grid.period()), number.exponent)
    }

    /// The numbers of which `join` says so.
    ///
    /// # Errors
    /// [`TooLarge`] if the modulus is above `MODULUS_MAX`.
    pub(super) fn joined(
        &self,
        other: &Self,
        join: impl Fn(bool, bool) -> bool,
    ) -> Result<Self, TooLarge> {
        if self.is_constant() && other.is_constant() {
            return Ok(Self::constant(join(self.others, other.others)));
        }
        let (one, two, exponent) = match (self.is_constant(), other.is_constant()) {
            (true, _) => (other.unit.clone(), other.unit.clone(), other.exponent),
            (_, true) => (self.unit.clone(), self.unit.clone(), self.exponent),
            _ => {
                let exponent = self.exponent.min(other.exponent);
                let scaled = |grid: &Self| scaled(&grid.unit, grid.exponent - exponent);
                (scaled(self)?, scaled(other)?, exponent)
            }
        };
        let others = join(self.others, other.others);
        // Where the numbers off one grid are all alike, only that grid is looked at.
        let on_one = other.residues.iter().all(|&is| join(self.others, is) == others);
        let on_two = self.residues.iter().all(|&is| join(is, other.others) == others);
        let unit = match (on_one, on_two) {
            (true, true) => one.lcm(&two),
            (true, false) => one.clone(),
            (false, true) => two.clone(),
            (false, false) => one.gcd(&two),
        };
        let period = |own: &BigUint, grid: &Self| own * BigUint::from(grid.residues.len());
        let period = period(&one, self).lcm(&period(&two, other));
        let modulus = u64::try_from(&period / period.gcd(&unit)).ok();
        let Some(modulus) = modulus.filter(|modulus| *modulus <= MODULUS_MAX) else {
            return Err(TooLarge("divisors that together repeat too late"));
        };
        let (first, second) = (Walk::new(&unit, &one, self), Walk::new(&unit, &two, other));
        let residues = (0..modulus).map(|at| join(first.contains(at), second.contains(at)));
        let residues = residues.collect();
        Ok(Self { unit, exponent, residues, others }.canonical())
    }

    pub(super) fn canonical(mut self) -> Self {
        if self.is_constant() {
            return Self::constant(self.others);
        }
        let differs = |at: &usize| self.residues[*at] != self.others;
        let step =
            (0..self.residues.len()).filter(differs).fold(self.residues.len(), |a, b| a.gcd(&b));
        let spaced: Vec<bool> = self.residues.iter().step_by(step).copied().collect();
        let count = spaced.len();
        let period = (1..=count)
            .find(|&period| {
                count.is_multiple_of(period)
                    && (period..count).all(|at| spaced[at] == spaced[at - period])
            })
            .unwrap_or(count);
        self.residues = spaced[..period].to_vec();
        self.unit *= BigUint::from(step);
        let ten = BigUint::from(10_u32);
        while self.unit.is_multiple_of(&ten) {
            self.unit /= &ten;
            self.exponent += 1;
        }
        self
    }

    /// The numbers strictly between the bounds, if that is a finite question: how many times the
    /// unit they are, from the first to the last.
    fn times(&self, low: &Decimal, high: &Decimal) -> Result<(BigInt, BigInt), TooLarge> {
        let first = self.floor(low)? + 1;
        let last = -self.floor(&Decimal { negative: !high.negative, ..high.clone() })? - 1;
        Ok((first, last))
    }

    /// How many times the unit fits into `number`, rounded down.
    fn floor(&self, number: &Decimal) -> Result<BigInt, TooLarge> {
        let exponent = number.exponent.min(self.exponent);
        let over = scaled(&number.coefficient(), number.exponent - exponent)?;
        let under = scaled(&self.unit, self.exponent - exponent)?;
        let sign = match (number.is_zero(), number.negative) {
            (true, _) => Sign::NoSign,
            (false, true) => Sign::Minus,
            (false, false) => Sign::Plus,
        };
        Ok(BigInt::from_biguint(sign, over).div_floor(&BigInt::from(under)))
    }

    /// Whether there is a number of it strictly between `low` and `high`, where `None` is no
    /// bound.
    ///
    /// # Errors
    /// [`TooLarge`] if the bounds and the unit are too many powers of ten apart.
    pub(super) fn meets(
        &self,
        low: Option<&Decimal>,
        high: Option<&Decimal>,
    ) -> Result<bool, TooLarge> {
        if self.others {
            return Ok(low.zip(high).is_none_or(|(low, high)| low < high));
        }
        if self.is_never() {
            return Ok(false);
        }
        let (Some(low), Some(high)) = (low, high) else { return Ok(true) };
        Ok(self.list(low, high, 1)?.is_some_and(|found| !found.is_empty()))
    }

    /// The first `most` numbers of it strictly between `low` and `high`; `None` if it has others
    /// than multiples of the unit.
    pub(super) fn list(
        &self,
        low: &Decimal,
        high: &Decimal,
        most: usize,
    ) -> Result<Option<Vec<Decimal>>, TooLarge> {
        if self.is_never() || low >= high {
            return Ok(Some(Vec::new()));
        }
        if self.others {
            return Ok(None);
        }
        let (first, last) = self.times(low, high)?;
        let modulus = BigInt::from(self.residues.len());
        let (mut found, mut at) = (Vec::new(), first);
        let mut missed = 0;
        while at <= last && found.len() < most && missed < self.residues.len() {
            let residue = usize::try_from(&at.mod_floor(&modulus)).unwrap_or(0);
            if self.residues[residue] {
                missed = 0;
                let distance = at.magnitude() * &self.unit;
                found.push(Decimal::new(at.sign() == Sign::Minus, &distance, self.exponent));
            } else {
                missed += 1;
            }
            at += 1;
        }
        Ok(Some(found))
    }
}

/// The multiples of a unit as they lie on a grid.
struct Walk<'a> {
    grid: &'a Grid,
    /// Every so many of them is on the grid, ...
    every: Option<u64>,
    /// ... and each of these so many units of the grid after the one before, modulo its period.
    stride: u64,
}

impl<'a> Walk<'a> {
    /// The multiples of `unit` on `grid`, whose unit is `own` on the same scale.
    fn new(unit: &BigUint, own: &BigUint, grid: &'a Grid) -> Self {
        let common = unit.gcd(own);
        let stride = (unit / &common) % BigUint::from(grid.residues.len());
        let stride = u64::try_from(stride).unwrap_or(0);
        Self { grid, every: u64::try_from(own / common).ok(), stride }
    }

    /// Whether the `at`th multiple is in the grid's set.
    fn contains(&self, at: u64) -> bool {
        let count = self.grid.residues.len() as u64;
        match self.every {
            Some(every) if at.is_multiple_of(every) => {
                self.grid.residues[(at / every % count * self.stride % count) as usize]
            }
            None if at == 0 => self.grid.residues[0],
            _ => self.grid.others,
        }
    }
}

/// `number` times ten to `power`.
pub(super) fn scaled(number: &BigUint, power: i64) -> Result<BigUint, TooLarge> {
    match u64::try_from(power).ok().filter(|power| *power <= SCALE_MAX) {
        Some(power) => Ok(number * BigUint::from(10_u32).pow(power as u32)),
        None => Err(TooLarge("numbers with too many powers of ten between them")),
    }
}
