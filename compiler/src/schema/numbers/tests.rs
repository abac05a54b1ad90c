//! Sets of numbers and their spellings against rational arithmetic.

use num_bigint::BigInt;

use super::lead::Forms;
use super::machine::NumberMachine;
use super::{Decimal, NumberLanguage};

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

    fn language(&self) -> NumberLanguage {
        let decimal = |text: &String| Decimal::parse(text).unwrap();
        match self {
            Self::AtLeast(bound) => NumberLanguage::at_least(&decimal(bound)),
            Self::Above(bound) => NumberLanguage::above(&decimal(bound)),
            Self::AtMost(bound) => NumberLanguage::at_most(&decimal(bound)),
            Self::Below(bound) => NumberLanguage::below(&decimal(bound)),
            Self::Multiple(divisor) => NumberLanguage::multiple_of(&decimal(divisor)),
            Self::OneOf(values) => NumberLanguage::one_of(values.iter().map(decimal).collect()),
            Self::Not(inner) => inner.language().complement().unwrap(),
            Self::And(all) => all
                .iter()
                .fold(NumberLanguage::all(), |sum, one| sum.intersection(&one.language()).unwrap()),
            Self::Or(any) => any
                .iter()
                .fold(NumberLanguage::never(), |sum, one| sum.union(&one.language()).unwrap()),
        }
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
        let language = wanted.language();
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
        let language = wanted.language();
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

#[test]
fn tmp_sizes() {
    let n = |t: &str| Decimal::parse(t).unwrap();
    let ints = NumberLanguage::integers();
    let between = |a: &str, b: &str| {
        NumberLanguage::at_least(&n(a)).intersection(&NumberLanguage::at_most(&n(b))).unwrap()
    };
    let cases = [
        ("int", ints.clone()),
        ("all", NumberLanguage::all()),
        (">=0", NumberLanguage::at_least(&n("0"))),
        ("int>=0", NumberLanguage::at_least(&n("0")).intersection(&ints).unwrap()),
        ("int>=1", NumberLanguage::at_least(&n("1")).intersection(&ints).unwrap()),
        ("int 0..255", between("0", "255").intersection(&ints).unwrap()),
        ("int 0..65535", between("0", "65535").intersection(&ints).unwrap()),
        ("int32", between("-2147483648", "2147483647").intersection(&ints).unwrap()),
        ("0..1", between("0", "1")),
        ("-180..180", between("-180", "180")),
        ("mult .01", NumberLanguage::multiple_of(&n("0.01"))),
        ("mult 7", NumberLanguage::multiple_of(&n("7"))),
        ("0..1e40 int", between("0", "1e40").intersection(&ints).unwrap()),
    ];
    for (name, language) in &cases {
        for form in [super::Numbers::Json, super::Numbers::Plain] {
            let begin = std::time::Instant::now();
            let ir = language.to_ir(form).unwrap();
            let took = begin.elapsed();
            let size = match ir.kind() {
                crate::ir::Kind::Automaton(a) => a.states.len(),
                _ => 0,
            };
            println!(
                "{name} {form:?} {took:?} states {size} {:.300}",
                if size == 0 { format!("{:?}", ir.kind()).len() } else { 0 }
            );
        }
    }
    for text in ["100000000000", "12.5e1", "255", "-0.000e-5", "1234567", "77e3"] {
        for (name, language) in [&cases[0], &cases[5], &cases[8]] {
            let machine = NumberMachine::new(language, ALL).unwrap();
            let begin = std::time::Instant::now();
            println!("{name} {text} {:?} {:?}", run(&machine, text), begin.elapsed());
        }
    }
}
