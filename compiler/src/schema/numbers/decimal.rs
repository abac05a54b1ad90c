//! Numbers of JSON by their value, exactly, whatever their spelling.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigUint;

/// A decimal number: its sign, and its digits times a power of ten.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Decimal {
    /// Whether it is below zero; never for zero itself, which JSON can spell `-0`.
    pub(in crate::schema) negative: bool,
    /// Without zeros at either end; empty for zero. A long list of numbers is held in several
    /// forms at once, which share them.
    pub(in crate::schema) digits: Arc<str>,
    /// The power of ten that the digits, as an integer, are multiplied with; 0 for zero.
    pub(in crate::schema) exponent: i64,
}

impl Decimal {
    /// The value of the JSON number `text`, or `None` if its exponent is out of reach.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{integer}{fraction}");
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self::zero());
        }
        // An `i32` leaves room for all sums of exponents and lengths.
        let power: i64 = match power {
            Some(power) => i64::from(power.parse::<i32>().ok()?),
            None => 0,
        };
        let zeros = (significant.len() - digits.len()) as i64;
        let exponent = power.checked_sub(fraction.len() as i64)?.checked_add(zeros)?;
        Some(Self { negative, digits: digits.into(), exponent })
    }

    /// Zero.
    pub(crate) fn zero() -> Self {
        Self { negative: false, digits: Arc::default(), exponent: 0 }
    }

    /// `digits`, an integer, times ten to `exponent`.
    pub(super) fn new(negative: bool, digits: &BigUint, exponent: i64) -> Self {
        let all = digits.to_string();
        let digits = all.trim_end_matches('0');
        if digits.is_empty() {
            return Self::zero();
        }
        let exponent = exponent + (all.len() - digits.len()) as i64;
        Self { negative, digits: digits.into(), exponent }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether it is an integer, however it is spelled.
    pub(crate) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The power of ten of its first digit; zero has none.
    pub(super) fn magnitude(&self) -> i64 {
        self.exponent + self.digits.len() as i64 - 1
    }

    /// The same distance from zero, above it.
    pub(super) fn absolute(&self) -> Self {
        Self { negative: false, ..self.clone() }
    }

    /// Its digits as an integer.
    pub(super) fn coefficient(&self) -> BigUint {
        self.digits.parse().unwrap_or_default()
    }

    /// The digits of an integer, without its sign, if there are at most `digits_max`.
    pub(in crate::schema) fn plain_integer(&self, digits_max: usize) -> Option<String> {
        if self.is_zero() {
            return Some("0".into());
        }
        let zeros = usize::try_from(self.exponent).ok()?;
        let fits = self.digits.len().checked_add(zeros)? <= digits_max;
        fits.then(|| format!("{}{}", self.digits, "0".repeat(zeros)))
    }

    /// The digits before and after the point, without the sign, if there are at most
    /// `digits_max` of them.
    pub(in crate::schema) fn plain(&self, digits_max: usize) -> Option<(String, String)> {
        if self.is_integer() {
            return Some((self.plain_integer(digits_max)?, String::new()));
        }
        let places = usize::try_from(self.exponent.checked_neg()?).ok()?;
        if places > digits_max || self.digits.len() > digits_max {
            return None;
        }
        let padded = format!("{:0>width$}", self.digits, width = places + 1);
        let (integer, fraction) = padded.split_at(padded.len() - places);
        Some((integer.to_owned(), fraction.to_owned()))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| match (decimal.is_zero(), decimal.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let by_sign = sign(self).cmp(&sign(other));
        // Digits without zeros at their ends compare like the fractions that they are.
        let distance = self
            .magnitude()
            .cmp(&other.magnitude())
            .then_with(|| self.digits.as_bytes().cmp(other.digits.as_bytes()));
        by_sign.then(if self.negative { distance.reverse() } else { distance })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
