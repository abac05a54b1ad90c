//! The printed form of a machine of numbers, and its reading.

use std::fmt::{self, Display, Write};
use std::str::FromStr;
use std::sync::Arc;

use num_bigint::BigUint;

use super::grid::Grid;
use super::lead::Forms;
use super::{Decimal, NumberLanguage, NumberMachine, tidy};

/// The most digits of a number that is read.
const DIGITS_MAX: usize = 1 << 16;

const FORMS: [(&str, Forms); 3] = [
    ("json", Forms { exponent: true, fraction: true }),
    ("plain", Forms { exponent: false, fraction: true }),
    ("digits", Forms { exponent: false, fraction: false }),
];

impl Display for NumberMachine {
    /// The line of numbers from below: what is between two points, and each point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = FORMS.iter().find(|(_, forms)| *forms == self.forms());
        write!(f, "numbers {}", name.map_or("json", |(name, _)| *name))?;
        let line = &self.language().0;
        for (at, grid) in line.between.iter().enumerate() {
            if let Some((value, is)) = at.checked_sub(1).and_then(|at| line.points.get(at)) {
                let sign = if value.negative { "-" } else { "" };
                let digits = if value.is_zero() { "0" } else { &value.digits };
                let is = if *is { "in" } else { "out" };
                write!(f, "; {is} {sign}{digits}e{}", value.exponent)?;
            }
            match (grid.is_constant(), grid.others) {
                (true, true) => f.write_str("; all")?,
                (true, false) => f.write_str("; none")?,
                (false, others) => {
                    let word = if others { "others" } else { "multiples" };
                    write!(f, "; {word} {}e{} ", grid.unit, grid.exponent)?;
                    let bits = grid.residues.iter().map(|&is| if is { '1' } else { '0' });
                    bits.into_iter().try_for_each(|bit| f.write_char(bit))?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for NumberMachine {
    type Err = ();

    fn from_str(printed: &str) -> Result<Self, ()> {
        let mut pieces = printed.split("; ");
        let name = pieces.next().and_then(|head| head.strip_prefix("numbers ")).ok_or(())?;
        let (_, forms) = FORMS.iter().find(|(known, _)| *known == name).ok_or(())?;
        let (mut points, mut between) = (Vec::new(), Vec::new());
        for piece in pieces {
            if between.len() > points.len() {
                let (word, number) = piece.split_once(' ').ok_or(())?;
                let is = match word {
                    "in" => true,
                    "out" => false,
                    _ => return Err(()),
                };
                points.push((number_of(number)?, is));
            } else {
                between.push(Arc::new(grid_of(piece)?));
            }
        }
        let ascending = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if between.len() != points.len() + 1 || !ascending {
            return Err(());
        }
        let language: NumberLanguage = tidy(points, between).map_err(|_| ())?;
        Self::new(&language, *forms).map_err(|_| ())
    }
}

fn grid_of(printed: &str) -> Result<Grid, ()> {
    let mut words = printed.split(' ');
    let others = match words.next() {
        Some("all") => return Ok(Grid::constant(true)),
        Some("none") => return Ok(Grid::constant(false)),
        Some("others") => true,
        Some("multiples") => false,
        _ => return Err(()),
    };
    let unit = number_of(words.next().ok_or(())?)?;
    let bits = words.next().ok_or(())?;
    if unit.is_zero() || unit.negative || bits.is_empty() || bits.len() > DIGITS_MAX {
        return Err(());
    }
    let residues: Option<Vec<bool>> = bits
        .chars()
        .map(|bit| match bit {
            '0' => Some(false),
            '1' => Some(true),
            _ => None,
        })
        .collect();
    let (residues, exponent) = (residues.ok_or(())?, unit.exponent);
    Ok(Grid { unit: unit.coefficient(), exponent, residues, others }.canonical())
}

fn number_of(printed: &str) -> Result<Decimal, ()> {
    let (mantissa, exponent) = printed.split_once('e').ok_or(())?;
    let exponent: i32 = exponent.parse().map_err(|_| ())?;
    let digits = mantissa.strip_prefix('-').unwrap_or(mantissa);
    if digits.len() > DIGITS_MAX || digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit())
    {
        return Err(());
    }
    let digits: BigUint = digits.parse().map_err(|_| ())?;
    Ok(Decimal::new(mantissa.starts_with('-'), &digits, i64::from(exponent)))
}
