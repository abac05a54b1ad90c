//! Labels of internationalised host names: IDNA2008, RFC 5890 to 5893.
//!
//! What a character may do follows from its Unicode properties by the rules of RFC 5892, not from
//! a table of one version of Unicode.

mod bidi;
mod character;
mod context;
mod punycode;

use unicode_normalization::is_nfc;

use self::character::Standing;
use self::punycode::Decoding;

/// The prefix of a label that encodes another.
pub(crate) const PREFIX: &str = "xn--";
/// The most bytes of a label.
pub(crate) const LABEL_MAX: usize = 63;

/// The most ways in which one question looks for a right end of a label.
const WAYS_MAX: u32 = 2_000;
/// The most digits that are tried one after the other.
const DIGITS_MAX: usize = 4;

/// Characters that end the search for a right label in most cases: letters of both directions, and
/// those that the rules of context ask for.
const SAMPLES: [char; 12] = ['ß', 'à', 'é', 'ē', 'α', 'κ', 'ж', 'א', 'ب', 'क', 'か', '中'];

/// Whether `label` is a label that is written in characters beyond ASCII.
fn is_right(label: &[char]) -> bool {
    let [Some(first), Some(last)] = [label.first(), label.last()] else { return false };
    let hyphen = *first == '-' || *last == '-' || label.get(2..4) == Some(&['-', '-']);
    !hyphen
        && !character::is_mark(*first)
        && label.iter().all(|character| character::standing(*character) != Standing::Disallowed)
        && context::holds(label)
        && bidi::holds(label)
        && is_nfc(&label.iter().collect::<String>())
}

/// Whether `encoded`, what stands after [`PREFIX`] in lower case, encodes a right label.
pub(crate) fn is_encoded(encoded: &str) -> bool {
    let decoding = Decoding::of(encoded);
    decoding.is_some_and(|found| found.is_whole() && is_right(found.label()))
}

/// Whether more letters, digits and hyphens, at most `room` of them, may make `encoded` encode a
/// right label. Above a limit on steps the answer is that they may.
///
/// # Complexity
/// O([`WAYS_MAX`] labels) at worst.
pub(crate) fn may_be_encoded(encoded: &str, room: usize) -> bool {
    if is_encoded(encoded) {
        return true;
    }
    // The last hyphen that is to come may end the letters of ASCII.
    let is_plain = !encoded.is_empty();
    if is_plain && room > 1 && with_letters(encoded, room) {
        return true;
    }
    let Some(decoding) = Decoding::of(encoded) else { return false };
    let mut ways = WAYS_MAX;
    let found = search(&decoding, room, 0, &mut ways);
    found != Some(false)
}

/// Whether `letters`, which are ASCII, are those of a right label that is encoded in `room` more.
fn with_letters(letters: &str, room: usize) -> bool {
    [letters.to_owned(), format!("{letters}a")].iter().any(|basic| {
        let more = basic.len() - letters.len();
        let Some(start) = Decoding::of(&format!("{basic}-")) else { return false };
        room > more + 1 && sampled(&start, room - more - 1)
    })
}

/// Whether one of the samples makes a right label within `room` digits.
fn sampled(decoding: &Decoding, room: usize) -> bool {
    SAMPLES.iter().any(|sample| {
        (0..=decoding.label().len()).any(|place| {
            let inserted = decoding.inserted(*sample, place);
            inserted.is_some_and(|(label, digits)| digits <= room && is_right(&label))
        })
    })
}

/// Whether further digits lead to a right label; `None` if that takes too many steps to tell.
fn search(decoding: &Decoding, room: usize, depth: usize, ways: &mut u32) -> Option<bool> {
    if decoding.is_hopeless() {
        return Some(false);
    }
    if decoding.is_whole() && is_right(decoding.label()) {
        return Some(true);
    }
    if room == 0 {
        return Some(false);
    }
    if decoding.is_between() && sampled(decoding, room) {
        return Some(true);
    }
    if depth == DIGITS_MAX {
        return None;
    }
    let mut answer = Some(false);
    for digit in 0..36 {
        *ways = ways.checked_sub(1)?;
        let Some(next) = decoding.after(digit) else { continue };
        match search(&next, room - 1, depth + 1, ways) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => answer = None,
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::{is_encoded, may_be_encoded};

    #[test]
    fn every_beginning_of_a_right_label_may_be_one() {
        for label in ["9n2bp8q", "9t4b11yi5a", "zca29lwxobi7a", "ll-0ea", "wva3je", "ngba1o"] {
            assert!(is_encoded(label), "{label}");
            for end in 0..label.len() {
                assert!(may_be_encoded(&label[..end], 40), "{}", &label[..end]);
            }
        }
    }

    #[test]
    fn what_was_read_and_is_wrong_stays_wrong() {
        // U+302E was inserted, and no digits take it away; but a hyphen makes letters of them.
        assert!(!is_encoded("07jt112bpxg"));
        assert!(!may_be_encoded("07jt112bpxg", 1));
        assert!(may_be_encoded("07jt112bpxg", 20));
        // The digits of a number that has no end yet, or never one.
        assert!(may_be_encoded("x", 8) && !may_be_encoded("x", 0));
        assert!(!may_be_encoded("99999999999", 2));
        // ASCII alone is not encoded.
        assert!(!is_encoded("example-") && may_be_encoded("example-", 8));
        assert!(!is_encoded("-9uc"));
    }
}
