//! Numbers as a regular language, for targets that have no registers.
//!
//! Where a number is spelled with an exponent, whether it is an integer or within a bound depends
//! on how its digits and its exponent compare. Here such spellings are let in only as far as each
//! part of one tells by itself, so some spellings of numbers are left out.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::numbers::{Decimal, NumberLanguage, Numbers};
use super::strings::TooLarge;
use crate::ir::Ir;

/// A number of `enum` or `const` with more digits is only spelled with an exponent.
const PLAIN_DIGITS_MAX: usize = 4_000;

/// Sets of more numbers are not listed.
const LISTED_MAX: usize = 1_000;

/// Any JSON number.
fn any() -> Ir {
    let fraction = Ir::sequence([Ir::value("."), digits(1)]);
    let exponent = Ir::sequence([letter_e(), sign(), digits(1)]);
    Ir::sequence([minus(), natural(), Ir::optional(fraction), Ir::optional(exponent)])
}

/// The numbers of `set`.
///
/// # Errors
/// [`TooLarge`] for bounds and divisors too many powers of ten apart.
pub(super) fn text(set: &NumberLanguage) -> Result<Ir, TooLarge> {
    if set.is_all() {
        return Ok(any());
    }
    if *set == NumberLanguage::integers() {
        return Ok(integer());
    }
    match set.values(LISTED_MAX) {
        Ok(Some(values)) => Ok(Ir::choice(values.iter().map(exactly))),
        _ => set.to_ir(Numbers::Plain),
    }
}

/// Any JSON number that is an integer, as far as that is seen from each part alone: the fraction
/// is all zeros and the exponent not negative, or the number is zero.
fn integer() -> Ir {
    let scaled = Ir::choice([
        Ir::sequence([Ir::optional(Ir::value("+")), digits(1)]),
        Ir::sequence([Ir::value("-"), zeros(1)]),
    ]);
    let shifted = Ir::sequence([Ir::value("-"), digits(1)]);
    let fraction = || Ir::optional(Ir::sequence([Ir::value("."), zeros(1)]));
    let exponent = |power| Ir::optional(Ir::sequence([letter_e(), power]));
    let any_zero = Ir::sequence([letter_e(), shifted]);
    Ir::sequence([
        minus(),
        Ir::choice([
            Ir::sequence([natural(), fraction(), exponent(scaled)]),
            Ir::sequence([Ir::value("0"), fraction(), any_zero]),
        ]),
    ])
}

/// The spellings of one value.
fn exactly(value: &Decimal) -> Ir {
    if value.is_zero() {
        let fraction = Ir::optional(Ir::sequence([Ir::value("."), zeros(1)]));
        let exponent = Ir::sequence([letter_e(), sign(), digits(1)]);
        return Ir::sequence([minus(), Ir::value("0"), fraction, Ir::optional(exponent)]);
    }
    let mut arms = Vec::new();
    if let Some((integer, fraction)) = value.plain(PLAIN_DIGITS_MAX) {
        let scale = Ir::sequence([letter_e(), sign(), zeros(1)]);
        arms.push(Ir::sequence([mantissa(&integer, &fraction), Ir::optional(scale)]));
    }
    if value.exponent != 0 {
        arms.push(scaled(&value.digits, "", value.exponent));
    }
    let places = value.digits.len() as i64 - 1;
    let power = value.exponent.saturating_add(places);
    if places > 0 && power != 0 {
        let (first, rest) = value.digits.split_at(1);
        arms.push(scaled(first, rest, power));
    }
    Ir::sequence([sign_of(value), Ir::choice(arms)])
}

fn sign_of(value: &Decimal) -> Ir {
    if value.negative { Ir::value("-") } else { Ir::empty() }
}

fn mantissa(integer: &str, fraction: &str) -> Ir {
    let more = if fraction.is_empty() {
        Ir::optional(Ir::sequence([Ir::value("."), zeros(1)]))
    } else {
        Ir::sequence([Ir::value(&format!(".{fraction}")), zeros(0)])
    };
    Ir::sequence([Ir::value(integer), more])
}

fn scaled(integer: &str, fraction: &str, power: i64) -> Ir {
    let sign = if power < 0 { Ir::value("-") } else { Ir::optional(Ir::value("+")) };
    let power = Ir::value(&power.unsigned_abs().to_string());
    Ir::sequence([mantissa(integer, fraction), letter_e(), sign, zeros(0), power])
}

fn minus() -> Ir {
    Ir::optional(Ir::value("-"))
}

/// A natural number without zeros in front.
fn natural() -> Ir {
    Ir::choice([Ir::value("0"), Ir::sequence([range('1', '9'), digits(0)])])
}

fn digits(min: u32) -> Ir {
    Ir::repeat(range('0', '9'), min, None, None)
}

fn zeros(min: u32) -> Ir {
    Ir::repeat(Ir::value("0"), min, None, None)
}

fn letter_e() -> Ir {
    set(&[('E', 'E'), ('e', 'e')])
}

fn sign() -> Ir {
    Ir::optional(set(&[('+', '+'), ('-', '-')]))
}

fn range(first: char, last: char) -> Ir {
    set(&[(first, last)])
}

fn set(ranges: &[(char, char)]) -> Ir {
    let ranges = ranges.iter().map(|&(first, last)| ClassUnicodeRange::new(first, last));
    Ir::class(ClassUnicode::new(ranges))
}
