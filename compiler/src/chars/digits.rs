//! Whole numbers between two bounds, in decimal digits without needless zeros.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::ir::Ir;

/// The whole numbers from `min` to `max`, both included; [`Ir::never`] if there is none. Zero has
/// no sign, and no number a zero in front.
pub(crate) fn between(min: Option<i128>, max: Option<i128>) -> Ir {
    let zero = |bound: Option<i128>| bound.unwrap_or(0).unsigned_abs();
    let mut arms = Vec::new();
    if max.is_none_or(|max| max >= 0) {
        let low = if min.is_some_and(|min| min > 0) { zero(min) } else { 0 };
        arms.push(naturals(low, max.map(i128::unsigned_abs)));
    }
    if min.is_none_or(|min| min < 0) {
        let low = if max.is_some_and(|max| max < 0) { zero(max) } else { 1 };
        let below = naturals(low, min.map(i128::unsigned_abs));
        arms.push(Ir::sequence([Ir::value("-"), below]));
    }
    Ir::choice(arms)
}

fn naturals(low: u128, high: Option<u128>) -> Ir {
    let shortest = low.to_string();
    let Some(high) = high else {
        let longer = [digit('1', '9'), any(shortest.len() as u32, None)];
        return Ir::choice([at_least(&shortest), Ir::sequence(longer)]);
    };
    if high < low {
        return Ir::never();
    }
    let longest = high.to_string();
    if shortest.len() == longest.len() {
        return within(&shortest, &longest);
    }
    let (first, last) = (shortest.len() as u32 + 1, longest.len() as u32 - 1);
    let mut arms = vec![at_least(&shortest)];
    if first <= last {
        arms.push(Ir::sequence([digit('1', '9'), any(first - 1, Some(last - 1))]));
    }
    arms.push(within(&format!("1{}", "0".repeat(longest.len() - 1)), &longest));
    Ir::choice(arms)
}

/// The digits from `low` to `high`, which are equally many.
fn within(low: &str, high: &str) -> Ir {
    let shared = low.bytes().zip(high.bytes()).take_while(|(one, other)| one == other).count();
    let (prefix, low) = low.split_at(shared);
    let high = &high[shared..];
    let (Some(first), Some(last)) = (low.chars().next(), high.chars().next()) else {
        return Ir::value(prefix);
    };
    let rest = low.len() as u32 - 1;
    let mut arms = vec![Ir::sequence([exactly(first), at_least(&low[1..])])];
    if let (Some(next), Some(before)) = (step(first, 1), step(last, -1))
        && next <= before
    {
        arms.push(Ir::sequence([digit(next, before), any(rest, Some(rest))]));
    }
    arms.push(Ir::sequence([exactly(last), at_most(&high[1..])]));
    Ir::sequence([Ir::value(prefix), Ir::choice(arms)])
}

/// Equally many digits that are not below `low`.
fn at_least(low: &str) -> Ir {
    bounded(low, &|first| step(first, 1).map(|next| (next, '9')))
}

/// Equally many digits that are not above `high`.
fn at_most(high: &str) -> Ir {
    bounded(high, &|first| step(first, -1).map(|before| ('0', before)))
}

/// `digits` itself, or at some place a digit of `others` and then any digits.
fn bounded(digits: &str, others: &dyn Fn(char) -> Option<(char, char)>) -> Ir {
    let mut tail = Ir::empty();
    for (at, character) in digits.char_indices().rev() {
        let rest = (digits.len() - at - 1) as u32;
        let mut arms = vec![Ir::sequence([exactly(character), tail])];
        if let Some((first, last)) = others(character) {
            arms.push(Ir::sequence([digit(first, last), any(rest, Some(rest))]));
        }
        tail = Ir::choice(arms);
    }
    tail
}

fn step(digit: char, by: i32) -> Option<char> {
    let next = digit.to_digit(10)?.checked_add_signed(by)?;
    char::from_digit(next, 10)
}

fn exactly(digit: char) -> Ir {
    Ir::value(digit.encode_utf8(&mut [0; 4]))
}

fn digit(first: char, last: char) -> Ir {
    Ir::class(ClassUnicode::new([ClassUnicodeRange::new(first, last)]))
}

fn any(min: u32, max: Option<u32>) -> Ir {
    Ir::repeat(digit('0', '9'), min, max, None)
}
