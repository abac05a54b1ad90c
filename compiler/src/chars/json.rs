//! Characters as they may be spelled inside a JSON string.
//!
//! A set of characters becomes every legal spelling of one of them: itself unless it must be
//! escaped, the short escapes, `\uXXXX` in either case, and a pair of them above U+FFFF. A lone
//! surrogate is no character and is never spelled.

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::spelling::Spelling;
use crate::ir::{ByteSet, Facts, Ir};

/// Which characters are written as escapes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Escapes {
    /// Any character may be, in every legal way.
    #[default]
    All,
    /// Only those that must be: with a short escape where there is one, else with `\u`.
    Minimal,
}

/// The short escapes: the character, and what follows the backslash.
const SHORT: [(char, char); 8] = [
    ('"', '"'),
    ('\\', '\\'),
    ('/', '/'),
    ('\u{8}', 'b'),
    ('\u{c}', 'f'),
    ('\n', 'n'),
    ('\r', 'r'),
    ('\t', 't'),
];

/// Inclusive ranges of numbers, ascending and apart.
pub(super) type Ranges = Vec<(u32, u32)>;

/// Spells characters inside JSON strings; each set is spelled once and shared.
#[derive(Default)]
pub(crate) struct JsonCharacters {
    escapes: Escapes,
    spelled: HashMap<Ranges, Ir>,
    hexadecimal: HashMap<(Ranges, u32), Ir>,
}

impl Spelling for JsonCharacters {
    fn class(&mut self, set: &ClassUnicode) -> Ir {
        if let Some(shared) = self.escapes.shared().slot(set) {
            return shared.get_or_init(|| self.spell(set)).clone();
        }
        let ranges: Ranges =
            set.ranges().iter().map(|r| (u32::from(r.start()), u32::from(r.end()))).collect();
        if let Some(ir) = self.spelled.get(&ranges) {
            return ir.clone();
        }
        let known = self.escapes.shared().others.lock().unwrap_or_else(PoisonError::into_inner);
        let ir = known.get(&ranges).cloned();
        drop(known);
        let ir = ir.unwrap_or_else(|| {
            let (escapes, kept) = (self.escapes, set.clone());
            Ir::made_by(facts(set, escapes), move || Self::new(escapes).spell(&kept))
        });
        let mut known = self.escapes.shared().others.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < KEPT_MAX {
            known.insert(ranges.clone(), ir.clone());
        }
        drop(known);
        self.spelled.insert(ranges, ir.clone());
        ir
    }

    fn character(&mut self, character: char) -> Ir {
        match self.escapes.shared().one.get(character as usize) {
            Some(shared) => shared.get_or_init(|| self.spell(&single(character))).clone(),
            None => self.class(&single(character)),
        }
    }

    fn text(&mut self, text: &str) -> Ir {
        let spelled: Vec<Ir> = text.chars().map(|c| self.character(c)).collect();
        Ir::sequence(spelled)
    }
}

/// Spelled sets that come up in most schemas, made once for all of them.
struct Shared {
    every: OnceLock<Ir>,
    /// Each character of ASCII alone.
    one: [OnceLock<Ir>; 128],
    /// Every character but that one of ASCII.
    all_but_one: [OnceLock<Ir>; 128],
    /// Other sets, as they came up first.
    others: Mutex<HashMap<Ranges, Ir>>,
}

/// The most other sets that are kept for all schemas.
const KEPT_MAX: usize = 4_096;

impl Shared {
    fn new() -> Self {
        let slots = || std::array::from_fn(|_| OnceLock::new());
        Self {
            every: OnceLock::new(),
            one: slots(),
            all_but_one: slots(),
            others: Mutex::default(),
        }
    }

    /// The place for the spelling of `set`, if it is one of the shared ones.
    fn slot(&self, set: &ClassUnicode) -> Option<&OnceLock<Ir>> {
        match set.ranges() {
            [one] if one.start() == one.end() => self.one.get(one.start() as usize),
            [all] if all.start() == '\0' && all.end() == char::MAX => Some(&self.every),
            [low, high] if low.start() == '\0' && high.end() == char::MAX => {
                let missing = u32::from(low.end()) + 1;
                let alone = missing + 1 == u32::from(high.start());
                alone.then(|| self.all_but_one.get(missing as usize)).flatten()
            }
            _ => None,
        }
    }
}

impl Escapes {
    fn shared(self) -> &'static Shared {
        static ALL: LazyLock<Shared> = LazyLock::new(Shared::new);
        static MINIMAL: LazyLock<Shared> = LazyLock::new(Shared::new);
        match self {
            Self::All => &ALL,
            Self::Minimal => &MINIMAL,
        }
    }
}

impl JsonCharacters {
    /// Spells characters with these escapes.
    pub(crate) fn new(escapes: Escapes) -> Self {
        Self { escapes, ..Self::default() }
    }

    fn spell(&mut self, set: &ClassUnicode) -> Ir {
        let mut escaped = set.clone();
        if self.escapes == Escapes::Minimal {
            escaped.intersect(&must_be_escaped());
        }
        let short =
            SHORT.iter().map(|(character, _)| *character).filter(|c| contains(&escaped, *c));
        let mut long = escaped.clone();
        if self.escapes == Escapes::Minimal {
            long.difference(&ClassUnicode::new(short.map(|c| range(c, c))));
        }
        let long: Ranges =
            long.ranges().iter().map(|r| (u32::from(r.start()), u32::from(r.end()))).collect();
        Ir::choice([raw(set), self.escaped(&escaped, &long)])
    }

    fn escaped(&mut self, set: &ClassUnicode, ranges: &Ranges) -> Ir {
        let short = SHORT.iter().filter(|(character, _)| contains(set, *character));
        let short = ClassUnicode::new(short.map(|(_, letter)| range(*letter, *letter)));
        let mut units = vec![self.hexadecimal(&within(ranges, 0, 0xD7FF, 0xE000, 0xFFFF), 4)];
        for (lows, highs) in surrogates(ranges) {
            let high = self.hexadecimal(&highs, 4);
            let low = self.hexadecimal(&lows, 4);
            units.push(Ir::sequence([high, Ir::value("\\u"), low]));
        }
        let units = Ir::sequence([Ir::value("u"), Ir::choice(units)]);
        Ir::sequence([Ir::value("\\"), Ir::choice([letters(&short), units])])
    }

    /// The numbers of `ranges` with exactly `digits` hexadecimal digits, in either case.
    pub(super) fn hexadecimal(&mut self, ranges: &Ranges, digits: u32) -> Ir {
        if digits == 0 {
            return if ranges.is_empty() { Ir::never() } else { Ir::empty() };
        }
        if let [(0, last)] = ranges.as_slice()
            && *last == (1 << (4 * digits)) - 1
        {
            static ANY: [OnceLock<Ir>; 7] = [const { OnceLock::new() }; 7];
            let digit = ClassUnicode::new([range('0', '9'), range('A', 'F'), range('a', 'f')]);
            let any = || Ir::sequence(vec![Ir::class(digit); digits as usize]);
            return ANY[digits as usize].get_or_init(any).clone();
        }
        let key = (ranges.clone(), digits);
        if let Some(ir) = self.hexadecimal.get(&key) {
            return ir.clone();
        }
        let width = 1 << (4 * (digits - 1));
        let mut leading: BTreeMap<Ranges, Vec<ClassUnicodeRange>> = BTreeMap::new();
        for digit in 0..16 {
            let (first, last) = (digit * width, (digit + 1) * width - 1);
            let rest: Ranges = ranges
                .iter()
                .filter(|(low, high)| *low <= last && *high >= first)
                .map(|(low, high)| (low.max(&first) - first, high.min(&last) - first))
                .collect();
            if !rest.is_empty() {
                let lower = char::from_digit(digit, 16).unwrap_or('0');
                let upper = lower.to_ascii_uppercase();
                leading.entry(rest).or_default().extend([range(lower, lower), range(upper, upper)]);
            }
        }
        let mut arms = Vec::new();
        for (rest, digits_of_rest) in leading {
            let first = letters(&ClassUnicode::new(digits_of_rest));
            arms.push(Ir::sequence([first, self.hexadecimal(&rest, digits - 1)]));
        }
        let ir = Ir::choice(arms);
        self.hexadecimal.insert(key, ir.clone());
        ir
    }
}

/// The facts of `set` as it is spelled.
fn facts(set: &ClassUnicode, escapes: Escapes) -> Facts {
    if set.ranges().is_empty() {
        return Ir::never()
            .facts()
            .cloned()
            .unwrap_or_else(|| Facts::bytes(ByteSet::default(), 1, 1));
    }
    let mut first = ByteSet::default();
    let (mut shortest, mut longest) = (u64::MAX, 0);
    let mut see = |least: usize, most: usize| {
        shortest = shortest.min(least as u64);
        longest = longest.max(most as u64);
    };
    let lead = |character: char| character.encode_utf8(&mut [0; 4]).as_bytes()[0];
    let escaped = |c: char| c < ' ' || c == '"' || c == '\\';
    for range in set.ranges() {
        let (begin, end) = (range.start(), range.end());
        for byte in lead(begin)..=lead(end) {
            let control = byte < 0x80 && escaped(char::from(byte));
            if !control && !(0x80..0xC2).contains(&byte) {
                first.insert(byte);
            }
        }
        let raw = (begin..=end).find(|&c| !escaped(c));
        see(raw.map_or(2, char::len_utf8), raw.map_or(2, |_| end.len_utf8()));
        if escapes == Escapes::All || (begin..=end.min('\\')).any(escaped) {
            first.insert(b'\\');
            let short = SHORT.iter().any(|(character, _)| (begin..=end).contains(character));
            let all = escapes == Escapes::All;
            let long = if all && end > '\u{ffff}' { 12 } else { 6 };
            see(if short { 2 } else { 6 }, long);
        }
    }
    Facts::bytes(first, shortest, longest)
}

/// Every character of `set` that may stand for itself.
fn raw(set: &ClassUnicode) -> Ir {
    let mut set = set.clone();
    set.difference(&must_be_escaped());
    letters(&set)
}

fn must_be_escaped() -> ClassUnicode {
    ClassUnicode::new([range('\0', '\u{1f}'), range('"', '"'), range('\\', '\\')])
}

/// One character of `set`, as text if there is just one, so that texts join.
fn letters(set: &ClassUnicode) -> Ir {
    match set.ranges() {
        [one] if one.start() == one.end() => Ir::value(one.start().encode_utf8(&mut [0; 4])),
        _ => Ir::class(set.clone()),
    }
}

/// The parts of `ranges` within either of two ranges.
fn within(ranges: &Ranges, a: u32, b: u32, c: u32, d: u32) -> Ranges {
    let clip = |&(low, high): &(u32, u32), first: u32, last: u32| {
        (low <= last && high >= first).then(|| (low.max(first), high.min(last)))
    };
    let lower = ranges.iter().filter_map(|range| clip(range, a, b));
    lower.chain(ranges.iter().filter_map(|range| clip(range, c, d))).collect()
}

/// The characters of `ranges` above U+FFFF as pairs: low surrogates, with all the high ones that
/// they may follow.
fn surrogates(ranges: &Ranges) -> BTreeMap<Ranges, Ranges> {
    // For each high surrogate that some low ones may not follow, those that may.
    let mut partial: BTreeMap<u32, Ranges> = BTreeMap::new();
    let mut full: Ranges = Vec::new();
    for &(low, high) in ranges.iter().filter(|range| range.1 >= 0x1_0000) {
        let (first, last) = (low.max(0x1_0000) - 0x1_0000, high - 0x1_0000);
        let (begin, end) = (first >> 10, last >> 10);
        let mut add = |unit: u32, low: u32, high: u32| {
            partial.entry(0xD800 + unit).or_default().push((0xDC00 + low, 0xDC00 + high));
        };
        if begin == end {
            add(begin, first & 0x3FF, last & 0x3FF);
            continue;
        }
        add(begin, first & 0x3FF, 0x3FF);
        if begin + 1 < end {
            full.push((0xD800 + begin + 1, 0xD800 + end - 1));
        }
        add(end, 0, last & 0x3FF);
    }
    let mut pairs: BTreeMap<Ranges, Ranges> = BTreeMap::new();
    if !full.is_empty() {
        pairs.insert(vec![(0xDC00, 0xDFFF)], full);
    }
    for (high, lows) in partial {
        pairs.entry(lows).or_default().push((high, high));
    }
    for highs in pairs.values_mut() {
        highs.sort_unstable();
        let mut joined: Ranges = Vec::with_capacity(highs.len());
        for &(first, last) in highs.iter() {
            match joined.last_mut() {
                Some(before) if before.1 + 1 == first => before.1 = last,
                _ => joined.push((first, last)),
            }
        }
        *highs = joined;
    }
    pairs
}

fn contains(set: &ClassUnicode, character: char) -> bool {
    set.ranges().iter().any(|range| (range.start()..=range.end()).contains(&character))
}

fn single(character: char) -> ClassUnicode {
    ClassUnicode::new([range(character, character)])
}

fn range(first: char, last: char) -> ClassUnicodeRange {
    ClassUnicodeRange::new(first, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_of_a_spelled_set_are_those_of_its_spelling() {
        let sets = [
            vec![range('a', 'f'), range('\u{e9}', '\u{e9}')],
            vec![range('\0', '!'), range('#', '\u{10ffff}')],
            vec![range('\u{1}', '\u{1f}')],
            vec![range('"', '"'), range('\u{4e00}', '\u{9fff}')],
            vec![range('\u{10000}', '\u{1ffff}')],
            vec![range('\\', 'c'), range('\n', '\n')],
        ];
        for ranges in sets {
            for escapes in [Escapes::All, Escapes::Minimal] {
                let set = ClassUnicode::new(ranges.clone());
                let spelled = JsonCharacters::new(escapes).spell(&set);
                let (found, known) = (facts(&set, escapes), spelled.facts().expect("closed"));
                assert!(found.length_max >= known.length_max, "{set:?} {escapes:?}");
                let length_max = known.length_max;
                assert!(Facts { length_max, ..found } == *known, "{set:?} {escapes:?}");
            }
        }
    }
}
