//! Sets of numbers and their spellings against rational arithmetic.

use num_bigint::BigInt;

use super::lead::Forms;
use super::machine::NumberMachine;
use super::{Decimal, NumberLanguage, Numbers, TooLarge};
use crate::ir::{Ir, Kind};

/// Numbers from a fixed seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// A condition on numbers, by its meaning.
#[derive(Clone, Debug)]
enum Wanted {
    AtLeast(String),
    Above(String),
    AtMost(String),
    Below(String),
    Multiple(String),
    OneOf(Vec<String>),
    Not(Box<Wanted>),
    And(Vec<Wanted>),
    Or(Vec<Wanted>),
}

/// `text` as an integer times ten to minus `PLACES`.
fn scaled(text: &str) -> BigInt {
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let power: i64 = power.parse().unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
    let shift = power - fraction.len() as i64 + PLACES;
    digits * BigInt::from(10).pow(u32::try_from(shift).expect("few places"))
}

const PLACES: i64 = 1_200;

impl Wanted {
    fn holds(&self, value: &BigInt) -> bool {
        match self {
            Self::AtLeast(bound) => *value >= scaled(bound),
            Self::Above(bound) => *value > scaled(bound),
            Self::AtMost(bound) => *value <= scaled(bound),
            Self::Below(bound) => *value < scaled(bound),
            Self::Multiple(divisor) => value % scaled(divisor) == BigInt::ZERO,
            Self::OneOf(values) => values.iter().any(|one| scaled(one) == *value),
            Self::Not(inner) => !inner.holds(value),
            Self::And(all) => all.iter().all(|one| one.holds(value)),
            Self::Or(any) => any.iter().any(|one| one.holds(value)),
        }
    }

    fn language(&self) -> Result<NumberLanguage, TooLarge> {
        let decimal = |text: &String| Decimal::parse(text).unwrap();
        Ok(match self {
            Self::AtLeast(bound) => NumberLanguage::at_least(&decimal(bound)),
            Self::Above(bound) => NumberLanguage::above(&decimal(bound)),
            Self::AtMost(bound) => NumberLanguage::at_most(&decimal(bound)),
            Self::Below(bound) => NumberLanguage::below(&decimal(bound)),
            Self::Multiple(divisor) => NumberLanguage::multiple_of(&decimal(divisor)),
            Self::OneOf(values) => NumberLanguage::one_of(values.iter().map(decimal).collect()),
            Self::Not(inner) => inner.language()?.complement()?,
            Self::And(all) => all
                .iter()
                .try_fold(NumberLanguage::all(), |sum, one| sum.intersection(&one.language()?))?,
            Self::Or(any) => any
                .iter()
                .try_fold(NumberLanguage::never(), |sum, one| sum.union(&one.language()?))?,
        })
    }
}

fn wanted(random: &mut Random, bounds: &[&str], divisors: &[&str], depth: u32) -> Wanted {
    let bound = random.pick(bounds).to_string();
    match random.below(if depth == 0 { 6 } else { 10 }) {
        0 => Wanted::AtLeast(bound),
        1 => Wanted::Above(bound),
        2 => Wanted::AtMost(bound),
        3 => Wanted::Below(bound),
        4 => Wanted::Multiple(random.pick(divisors).to_string()),
        5 => {
            Wanted::OneOf((0..=random.below(3)).map(|_| random.pick(bounds).to_string()).collect())
        }
        6 => Wanted::Not(Box::new(wanted(random, bounds, divisors, depth - 1))),
        7 => Wanted::Or((0..2).map(|_| wanted(random, bounds, divisors, depth - 1)).collect()),
        _ => Wanted::And((0..3).map(|_| wanted(random, bounds, divisors, depth - 1)).collect()),
    }
}

/// Whether the machine reads all of `text`, and whether it may end there.
fn run(machine: &NumberMachine, text: &str) -> Option<bool> {
    let mut value = machine.start();
    for byte in text.bytes() {
        value = machine.read(&value, byte)?;
    }
    Some(machine.end(&value))
}

/// All spellings of numbers of `length_max` characters over `alphabet`.
fn spellings(alphabet: &str, length_max: usize) -> Vec<String> {
    let all = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$";
    let all = regex::Regex::new(all).unwrap();
    let (mut found, mut layer) = (Vec::new(), vec![String::new()]);
    for _ in 0..length_max {
        let longer = |text: &String| {
            let text = text.clone();
            alphabet.chars().map(move |character| format!("{text}{character}"))
        };
        layer = layer.iter().flat_map(longer).collect();
        found.extend(layer.iter().filter(|text| all.is_match(text)).cloned());
        let begins = |text: &&String| {
            ["", "0", "e0"].iter().any(|rest| all.is_match(&format!("{text}{rest}")))
        };
        layer = layer.iter().filter(begins).cloned().collect();
    }
    found
}

const ALL: Forms = Forms { exponent: true, fraction: true };
const PLAIN: Forms = Forms { exponent: false, fraction: true };

/// Whether a text that the machine accepts begins with `text`.
fn completes(machine: &NumberMachine, text: &str) -> bool {
    let mut value = machine.start();
    for byte in text.bytes() {
        value = machine.read(&value, byte).unwrap();
    }
    let mut seen = std::collections::HashSet::new();
    let mut layer = vec![value];
    for _ in 0..400 {
        let mut next = Vec::new();
        for value in layer {
            if machine.end(&value) {
                return true;
            }
            for byte in *b"eE+-.0123456789" {
                next.extend(machine.read(&value, byte).filter(|next| seen.insert(next.clone())));
            }
        }
        // An exponent is the shortest way home; keep the search narrow.
        next.truncate(3_000);
        layer = next;
    }
    false
}

const BOUNDS: [&str; 14] =
    ["0", "1", "-1", "5", "10", "-10", "0.5", "1.5", "-0.05", "15", "100", "0.15", "51", "1e-3"];
const DIVISORS: [&str; 9] = ["1", "2", "5", "0.5", "10", "0.05", "15", "3", "2.5"];

#[test]
fn every_spelling_is_answered_as_its_value_is() {
    let texts = spellings("-0159.e", 6);
    let values: Vec<BigInt> = texts.iter().map(|text| scaled(text)).collect();
    let mut random = Random(7);
    for round in 0..40 {
        let wanted = wanted(&mut random, &BOUNDS, &DIVISORS, 2);
        let language = wanted.language().unwrap();
        for forms in [ALL, PLAIN] {
            let machine = NumberMachine::new(&language, forms).unwrap();
            for (text, value) in texts.iter().zip(&values) {
                if !forms.exponent && text.contains('e') {
                    continue;
                }
                let expected = wanted.holds(value);
                let got = run(&machine, text) == Some(true);
                assert_eq!(got, expected, "{round}: {wanted:?} on {text} ({machine})");
            }
        }
    }
}

#[test]
fn what_is_read_can_be_completed() {
    let texts = spellings("-015.e", 5);
    let mut random = Random(99);
    for round in 0..60 {
        let wanted = wanted(&mut random, &BOUNDS, &DIVISORS, 2);
        let language = wanted.language().unwrap();
        for forms in [ALL, PLAIN] {
            let machine = NumberMachine::new(&language, forms).unwrap();
            if language.is_never() {
                continue;
            }
            for text in &texts {
                if run(&machine, text) == Some(false) {
                    assert!(completes(&machine, text), "{round}: {wanted:?} {text} ({machine})");
                }
            }
        }
    }
}

/// Digits, some of them repeated, as people and models write them.
fn digits(random: &mut Random, most: u64) -> String {
    let mut text = String::new();
    while text.is_empty() || random.below(3) > 0 {
        let digit = char::from(b'0' + random.below(10) as u8);
        let times = 1 + random.below(most / 3 + 1) as usize;
        text.extend(std::iter::repeat_n(digit, if random.below(3) == 0 { times } else { 1 }));
    }
    text.truncate(most as usize);
    text
}

/// A number with up to 40 digits before the point and 12 after it.
fn long_number(random: &mut Random) -> String {
    let whole = digits(random, 40);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let sign = if random.below(3) == 0 { "-" } else { "" };
    match random.below(3) {
        0 => format!("{sign}{whole}.{}", digits(random, 12)),
        _ => format!("{sign}{whole}"),
    }
}

/// The number times the unit of its last digit more or less, or a digit longer.
fn beside(random: &mut Random, text: &str) -> String {
    let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let value: BigInt = text.replace('.', "").parse().unwrap();
    let value = value + BigInt::from(random.below(3) as i64 - 1);
    let digits = value.magnitude().to_string();
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if value < BigInt::ZERO { "-" } else { "" };
    let more = ["", "0", "00", "1", "9"][random.below(5) as usize];
    match (fraction, more) {
        ("", "") => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}{more}"),
    }
}

/// Another spelling of the same number.
fn respelled(random: &mut Random, text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    let lead = ["", "+", "0", "+0"][random.below(4) as usize];
    let e = if random.below(2) == 0 { "e" } else { "E" };
    // The point moved by so many digits.
    match random.below(4) {
        0 if !significant.is_empty() => {
            format!("{sign}{significant}{e}-{}", fraction.len())
        }
        1 if significant.len() > 1 => {
            let power = significant.len() as i64 - 1 - fraction.len() as i64;
            let (first, rest) = significant.split_at(1);
            let power = if power < 0 { format!("{power}") } else { format!("{lead}{power}") };
            format!("{sign}{first}.{rest}{e}{power}")
        }
        2 => {
            let power = whole.len();
            let power = if all.is_empty() { 0 } else { power };
            format!("{sign}0.{all}{e}{lead}{power}")
        }
        _ if fraction.is_empty() => format!("{sign}{whole}.000"),
        _ => format!("{text}00"),
    }
}

#[test]
fn long_numbers_are_answered_as_their_values_are() {
    let mut random = Random(2024);
    let divisors = ["1", "2", "7", "0.01", "1e3", "2.5", "0.000000000001", "123456789", "1e-9"];
    let (mut checked, mut inside, mut large) = (0, 0, 0);
    for round in 0..700 {
        let bounds: Vec<String> = (0..4).map(|_| long_number(&mut random)).collect();
        let named: Vec<&str> = bounds.iter().map(String::as_str).collect();
        let wanted = wanted(&mut random, &named, &divisors, 1 + round % 2);
        let Ok(language) = wanted.language() else {
            large += 1;
            continue;
        };
        let json = NumberMachine::new(&language, ALL).unwrap();
        let plain = NumberMachine::new(&language, PLAIN).unwrap();
        for _ in 0..60 {
            let near = random.pick(&bounds).clone();
            let text = match random.below(4) {
                0 => long_number(&mut random),
                1 => near,
                _ => beside(&mut random, &near),
            };
            let expected = wanted.holds(&scaled(&text));
            inside += usize::from(expected);
            checked += 1;
            assert_eq!(run(&plain, &text) == Some(true), expected, "{wanted:?} {text} ({plain})");
            for other in [text.clone(), respelled(&mut random, &text)] {
                assert_eq!(scaled(&other), scaled(&text), "{other} {text}");
                let got = run(&json, &other) == Some(true);
                assert_eq!(got, expected, "{wanted:?} on {other} ({json})");
            }
            let value = Decimal::parse(&text).unwrap();
            assert_eq!(language.contains(&value), expected, "{wanted:?} contains {text}");
        }
        let printed = json.to_string();
        assert_eq!(printed.parse().as_ref(), Ok(&json), "{printed}");
        let none = language.intersection(&language.complement().unwrap()).unwrap();
        assert!(none.is_never(), "{wanted:?}");
        if let Some(values) = language.values(100).unwrap() {
            assert!(values.is_sorted());
            let listed = NumberLanguage::one_of(values);
            assert!(listed.difference(&language).unwrap().is_never());
            assert!(language.difference(&listed).unwrap().is_never());
        }
    }
    assert!(large < 70, "{large} too large");
    assert!(inside * 4 > checked && inside * 4 < checked * 3, "{inside} of {checked}");
}

#[test]
fn written_numbers_are_what_their_machine_reads() {
    let mut random = Random(5);
    let texts = spellings("-0159.", 5);
    for _ in 0..60 {
        let wanted = wanted(&mut random, &BOUNDS, &DIVISORS, 1);
        let language = wanted.language().unwrap();
        let ir = language.to_ir(Numbers::Plain).unwrap();
        for text in &texts {
            let expected = wanted.holds(&scaled(text));
            assert_eq!(read(&ir, text), expected, "{wanted:?} on {text}: {ir}");
        }
        let digits = language.to_ir(Numbers::Digits).unwrap();
        for text in texts.iter().filter(|text| !text.contains('.')) {
            assert_eq!(read(&digits, text), wanted.holds(&scaled(text)), "{wanted:?} on {text}");
        }
        assert!(texts.iter().filter(|text| text.contains('.')).all(|text| !read(&digits, text)));
    }
}

/// Whether an automaton of single characters reads `text`.
fn read(ir: &Ir, text: &str) -> bool {
    let Kind::Automaton(automaton) = ir.kind() else { return false };
    let mut state = 0;
    for character in text.chars() {
        let next = automaton.states[state].edges.iter().find(|(label, _)| match label.kind() {
            Kind::Class(set) => {
                set.ranges().iter().any(|range| (range.start()..=range.end()).contains(&character))
            }
            Kind::Text(text) => *text.string == *character.to_string(),
            _ => false,
        });
        match next {
            Some((_, to)) => state = *to,
            None => return false,
        }
    }
    automaton.states[state].accepting
}
