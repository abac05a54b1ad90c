//! Numbers of JSON by their value, exactly, whatever their spelling.

/// A decimal number: its sign, and its digits times a power of ten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Decimal {
    /// Whether it is below zero; never for zero itself, which JSON can spell `-0`.
    pub(super) negative: bool,
    /// Without zeros at either end; empty for zero.
    pub(super) digits: String,
    /// The power of ten that the digits, as an integer, are multiplied with; 0 for zero.
    pub(super) exponent: i64,
}

impl Decimal {
    /// The value of the JSON number `text`, or `None` if its exponent is out of reach.
    pub(super) fn parse(text: &str) -> Option<Self> {
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
            return Some(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        let power: i64 = match power {
            Some(power) => power.parse().ok()?,
            None => 0,
        };
        let zeros = (significant.len() - digits.len()) as i64;
        let exponent = power.checked_sub(fraction.len() as i64)?.checked_add(zeros)?;
        Some(Self { negative, digits: digits.to_owned(), exponent })
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The digits of an integer, without its sign, if there are at most `digits_max`.
    pub(super) fn plain_integer(&self, digits_max: usize) -> Option<String> {
        if self.is_zero() {
            return Some("0".into());
        }
        let zeros = usize::try_from(self.exponent).ok()?;
        let fits = self.digits.len().checked_add(zeros)? <= digits_max;
        fits.then(|| format!("{}{}", self.digits, "0".repeat(zeros)))
    }

    /// The digits before and after the point, without the sign, if there are at most
    /// `digits_max` of them.
    pub(super) fn plain(&self, digits_max: usize) -> Option<(String, String)> {
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
