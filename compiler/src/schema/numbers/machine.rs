//! Reads the spelling of a number byte by byte, as long as it can become a number of a set.
//!
//! With an exponent the value of a number depends on how its digits and its exponent compare,
//! which no finite automaton can tell. The register holds of the digits what matters for the
//! set, and after the `e` the exponents that fit. Nothing is limited but by machine integers.

use num_bigint::BigUint;

use super::lead::{Forms, Lead};
use super::powers::PowerSet;
use super::side::Side;
use super::{Decimal, NumberLanguage, TooLarge};
use crate::ir::machine::Value;

/// The machine of a set of numbers. Its one action, 0, is the end of the number.
#[derive(Clone, PartialEq, Debug)]
pub struct NumberMachine {
    language: NumberLanguage,
    positive: Side,
    negative: Side,
    zero: bool,
    forms: Forms,
}

/// How far the spelling is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Register {
    Start,
    Minus,
    Integer(bool, Lead),
    Point(bool, Lead),
    Fraction(bool, Lead),
    /// After the `e`; after a sign behind it; within the digits, of which this many are read.
    Exponent(PowerSet),
    Signed(PowerSet),
    Digits(PowerSet, i64),
}

impl NumberMachine {
    /// The machine of `language`.
    pub(super) fn new(language: &NumberLanguage, forms: Forms) -> Result<Self, TooLarge> {
        let side = |negative| Side::new(&language.0, negative, !forms.exponent);
        let (positive, negative) = (side(false)?, side(true)?);
        let zero = language.contains(&Decimal::zero());
        Ok(Self { language: language.clone(), positive, negative, zero, forms })
    }

    pub(super) fn language(&self) -> &NumberLanguage {
        &self.language
    }

    pub(super) fn forms(&self) -> Forms {
        self.forms
    }

    /// Whether the digits of a number never matter, only its sign.
    pub(super) fn is_coarse(&self) -> bool {
        [&self.positive, &self.negative].iter().all(|side| side.points.is_empty() && !side.has_grid)
    }

    pub(crate) fn start(&self) -> Value {
        encode(&Register::Start)
    }

    pub(crate) fn end(&self, value: &[u32]) -> bool {
        match decode(value) {
            Some(Register::Integer(negative, lead) | Register::Fraction(negative, lead)) => {
                self.exponents(negative, &lead).contains(0)
            }
            Some(Register::Digits(powers, digits)) => powers.contains(digits),
            _ => false,
        }
    }

    pub(crate) fn read(&self, value: &[u32], byte: u8) -> Option<Value> {
        let next = self.next(decode(value)?, byte)?;
        self.is_alive(&next).then(|| encode(&next))
    }

    fn side(&self, negative: bool) -> &Side {
        if negative { &self.negative } else { &self.positive }
    }

    fn next(&self, register: Register, byte: u8) -> Option<Register> {
        let digit = byte.is_ascii_digit().then(|| byte.wrapping_sub(b'0'));
        let push = |negative, lead: &Lead, digit, after| {
            self.side(negative).push(lead, digit, after, self.forms)
        };
        let is_e = matches!(byte, b'e' | b'E') && self.forms.exponent;
        Some(match (register, byte) {
            (Register::Start, b'-') => Register::Minus,
            (register @ (Register::Start | Register::Minus), _) => {
                let negative = register == Register::Minus;
                Register::Integer(negative, push(negative, &Lead::Zero { low: 0 }, digit?, false))
            }
            (Register::Integer(negative, lead), b'.') if self.forms.fraction => {
                Register::Point(negative, lead)
            }
            (Register::Integer(negative, lead) | Register::Fraction(negative, lead), _) if is_e => {
                Register::Exponent(self.exponents(negative, &lead))
            }
            (Register::Integer(_, Lead::Zero { .. }), _) => return None,
            (Register::Integer(negative, lead), _) => {
                Register::Integer(negative, push(negative, &lead, digit?, false))
            }
            (Register::Point(negative, lead) | Register::Fraction(negative, lead), _) => {
                Register::Fraction(negative, push(negative, &lead, digit?, true))
            }
            (Register::Exponent(powers), b'+' | b'-') => {
                Register::Signed(powers.signed(byte == b'-'))
            }
            (Register::Exponent(powers), _) => digits(powers.signed(false), digit?)?,
            (Register::Signed(powers), _) => digits(powers, digit?)?,
            (Register::Digits(powers, read), _) => {
                let (powers, read) = powers.read(read * 10 + i64::from(digit?))?;
                Register::Digits(powers, read)
            }
        })
    }

    /// The exponents that take the digits into the set.
    fn exponents(&self, negative: bool, lead: &Lead) -> PowerSet {
        match lead {
            Lead::Zero { .. } => PowerSet::constant(self.zero),
            lead => self.side(negative).exponents(lead),
        }
    }

    fn is_alive(&self, register: &Register) -> bool {
        let still = (Some(0), Some(0));
        let free = (None, None);
        let (negative, lead, moves) = match register {
            Register::Start => return true,
            Register::Minus => return self.zero || !self.negative.is_never(),
            Register::Exponent(powers) | Register::Signed(powers) => return !powers.is_empty(),
            // What was read of an exponent is alive by how it is read.
            Register::Digits(..) => return true,
            Register::Integer(negative, lead)
            | Register::Point(negative, lead)
            | Register::Fraction(negative, lead)
                if self.forms.exponent =>
            {
                (*negative, lead, free)
            }
            Register::Integer(negative, lead @ Lead::Zero { .. }) if !self.forms.fraction => {
                return self.exponents(*negative, lead).contains(0);
            }
            Register::Integer(negative, lead @ Lead::Zero { .. }) => (*negative, lead, still),
            Register::Integer(negative, lead) => (*negative, lead, (Some(0), None)),
            Register::Point(negative, lead) | Register::Fraction(negative, lead) => {
                (*negative, lead, still)
            }
        };
        let is_zero = matches!(lead, Lead::Zero { .. });
        (is_zero && self.zero) || self.side(negative).is_alive(lead, moves)
    }
}

fn digits(powers: PowerSet, first: u8) -> Option<Register> {
    let (powers, read) = powers.read(i64::from(first))?;
    Some(Register::Digits(powers, read))
}

fn encode(register: &Register) -> Value {
    let mut words = Vec::new();
    let (phase, negative, lead, powers, digits) = match register {
        Register::Start => return Box::new([0]),
        Register::Minus => return Box::new([1]),
        Register::Integer(negative, lead) => (2, *negative, Some(lead), None, 0),
        Register::Point(negative, lead) => (3, *negative, Some(lead), None, 0),
        Register::Fraction(negative, lead) => (4, *negative, Some(lead), None, 0),
        Register::Exponent(powers) => (5, false, None, Some(powers), 0),
        Register::Signed(powers) => (6, false, None, Some(powers), 0),
        Register::Digits(powers, digits) => (7, false, None, Some(powers), *digits),
    };
    words.extend([phase, u32::from(negative)]);
    if let Some(lead) = lead {
        match lead {
            Lead::Zero { low } => {
                words.push(0);
                push(&mut words, *low);
            }
            Lead::Literal { digits, length, top } => {
                words.push(1);
                push(&mut words, *length);
                push(&mut words, *top);
                words.extend(digits.iter().map(|&digit| u32::from(digit)));
            }
            Lead::Gap { rank, top, last, low, rest } => {
                words.extend([2, *rank as u32]);
                [*top, *last, *low].into_iter().for_each(|number| push(&mut words, number));
                words.extend(rest.to_u32_digits());
            }
        }
    }
    if let Some(powers) = powers {
        push(&mut words, digits);
        for (low, high) in &powers.0 {
            words.extend([u32::from(low.is_some()), u32::from(high.is_some())]);
            push(&mut words, low.unwrap_or(0));
            push(&mut words, high.unwrap_or(0));
        }
    }
    words.into()
}

fn push(words: &mut Vec<u32>, number: i64) {
    words.extend([number as u32, (number >> 32) as u32]);
}

/// Takes an integer off the front.
fn take(words: &mut &[u32]) -> Option<i64> {
    let (&[low, high], rest) = words.split_first_chunk::<2>()?;
    *words = rest;
    Some(i64::from(low) | (i64::from(high as i32) << 32))
}

/// The register that `value` is, if it is one.
fn decode(value: &[u32]) -> Option<Register> {
    let (&phase, mut rest) = value.split_first()?;
    if phase <= 1 {
        return Some(if phase == 0 { Register::Start } else { Register::Minus });
    }
    let (&negative, after) = rest.split_first()?;
    rest = after;
    if phase <= 4 {
        let (&kind, mut rest) = rest.split_first()?;
        let lead = match kind {
            0 => Lead::Zero { low: take(&mut rest)? },
            1 => {
                let (length, top) = (take(&mut rest)?, take(&mut rest)?);
                let digits = rest.iter().map(|&digit| digit as u8).collect();
                Lead::Literal { digits, length, top }
            }
            _ => {
                let (&rank, mut rest) = rest.split_first()?;
                let (top, last, low) = (take(&mut rest)?, take(&mut rest)?, take(&mut rest)?);
                let rest = BigUint::new(rest.to_vec());
                Lead::Gap { rank: rank as usize, top, last, low, rest }
            }
        };
        let negative = negative != 0;
        return Some(match phase {
            2 => Register::Integer(negative, lead),
            3 => Register::Point(negative, lead),
            _ => Register::Fraction(negative, lead),
        });
    }
    let digits = take(&mut rest)?;
    let mut powers = Vec::new();
    while let Some((&[has_low, has_high], after)) = rest.split_first_chunk::<2>() {
        rest = after;
        let (low, high) = (take(&mut rest)?, take(&mut rest)?);
        powers.push(((has_low != 0).then_some(low), (has_high != 0).then_some(high)));
    }
    let powers = PowerSet(powers);
    Some(match phase {
        5 => Register::Exponent(powers),
        6 => Register::Signed(powers),
        _ => Register::Digits(powers, digits),
    })
}
