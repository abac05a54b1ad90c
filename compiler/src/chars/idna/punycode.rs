//! Punycode, RFC 3492: a label's characters as letters and digits of ASCII.

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const BIAS: u32 = 72;
const FIRST: u32 = 128;

/// How far a text has been decoded.
#[derive(Clone, Debug)]
pub(super) struct Decoding {
    label: Vec<char>,
    /// Whether some character beyond ASCII is in it.
    inserted: bool,
    /// The character and the place from which on the next one is inserted.
    point: u32,
    place: u32,
    bias: u32,
    /// The number that is being read: what it comes to so far, the weight of its next digit, and
    /// how many digits it has.
    number: u32,
    weight: u32,
    digits: u32,
}

impl Decoding {
    /// The state after `text`, in lower case, whose last hyphen ends the letters of ASCII; `None`
    /// if it is no beginning of an encoding.
    pub(super) fn of(text: &str) -> Option<Self> {
        let (basic, digits) = match text.rfind('-') {
            Some(0) => return None,
            Some(at) => (&text[..at], &text[at + 1..]),
            None => ("", text),
        };
        let mut decoding = Self {
            label: basic.chars().collect(),
            inserted: false,
            point: FIRST,
            place: 0,
            bias: BIAS,
            number: 0,
            weight: 1,
            digits: 0,
        };
        for byte in digits.bytes() {
            let digit = match byte {
                b'a'..=b'z' => byte - b'a',
                b'0'..=b'9' => byte - b'0' + 26,
                _ => return None,
            };
            decoding = decoding.after(u32::from(digit))?;
        }
        Some(decoding)
    }

    /// The characters so far.
    pub(super) fn label(&self) -> &[char] {
        &self.label
    }

    /// Whether it may end here.
    pub(super) fn is_whole(&self) -> bool {
        self.inserted && self.is_between()
    }

    /// Whether no number is being read.
    pub(super) fn is_between(&self) -> bool {
        self.digits == 0
    }

    /// Whether a character was inserted that no label has: none is ever taken away.
    pub(super) fn is_hopeless(&self) -> bool {
        let wrong = |c: &char| super::character::standing(*c) == super::Standing::Disallowed;
        self.label.iter().any(wrong)
    }

    fn threshold(&self) -> u32 {
        let k = BASE.saturating_mul(self.digits + 1);
        k.saturating_sub(self.bias).clamp(T_MIN, T_MAX)
    }

    /// The state after one more digit; `None` if it leads to no character.
    pub(super) fn after(&self, digit: u32) -> Option<Self> {
        let mut next = self.clone();
        let threshold = self.threshold();
        next.number = self.number.checked_add(digit.checked_mul(self.weight)?)?;
        let length = self.label.len() as u32 + 1;
        let end = self.place.checked_add(next.number)?;
        // More digits only make it larger.
        let point = self.point.checked_add(end / length).filter(|point| *point <= 0x10_FFFF)?;
        if digit >= threshold {
            next.weight = self.weight.checked_mul(BASE - threshold)?;
            next.digits += 1;
            return Some(next);
        }
        let place = end % length;
        next.label.insert(place as usize, char::from_u32(point)?);
        next.bias = adapted(next.number, length, !self.inserted);
        (next.point, next.place, next.inserted) = (point, place + 1, true);
        (next.number, next.weight, next.digits) = (0, 1, 0);
        Some(next)
    }

    /// The label with `character` inserted next, at `place`, and how many digits say so; `None`
    /// if it cannot come next, or if a number is being read.
    pub(super) fn inserted(&self, character: char, place: usize) -> Option<(Vec<char>, usize)> {
        let length = self.label.len() as u32 + 1;
        let steps = u32::from(character).checked_sub(self.point)?.checked_mul(length)?;
        let mut rest = steps.checked_add(place as u32)?.checked_sub(self.place)?;
        let mut at = Self { digits: 0, ..self.clone() };
        loop {
            let threshold = at.threshold();
            at.digits += 1;
            if rest < threshold {
                break;
            }
            rest = (rest - threshold) / (BASE - threshold);
        }
        let mut label = self.label.clone();
        label.insert(place, character);
        Some((label, at.digits as usize))
    }
}

/// The bias after a number, RFC 3492, section 6.1.
fn adapted(number: u32, length: u32, first: bool) -> u32 {
    let mut delta = if first { number / DAMP } else { number / 2 };
    delta += delta / length;
    let mut k = 0;
    while delta > ((BASE - T_MIN) * T_MAX) / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

#[cfg(test)]
mod tests {
    use super::Decoding;

    #[test]
    fn decodes_what_others_encode() {
        for (encoded, label) in [
            ("9n2bp8q", "실례"),
            ("bcher-kva", "bücher"),
            ("ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"),
            ("zca29lwxobi7a", "ßς་〇"),
        ] {
            let decoding = Decoding::of(encoded).unwrap();
            assert!(decoding.is_whole());
            assert_eq!(decoding.label().iter().collect::<String>(), label);
        }
        assert!(!Decoding::of("x").unwrap().is_whole());
        assert!(Decoding::of("99999999").is_none());
    }
}
