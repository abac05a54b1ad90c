//! The escapes and bracketed classes of an ECMA-262 pattern, as sets of characters.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use super::automaton::Letters;
use super::ecma::Reader;
use super::until::every_character;
use crate::regex::PatternError;

/// What an escape or one item of a class is.
pub(super) enum Atom {
    /// One code point, perhaps a surrogate.
    One(u32),
    /// Any character of a set.
    Set(ClassUnicode),
}

/// Where an escape stands.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Where {
    Outside,
    InBrackets,
}

/// What `.` matches.
pub(super) fn any_but_line_ends() -> ClassUnicode {
    let mut set = every_character();
    set.difference(&set_of(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')]));
    set
}

/// The class whose opening bracket, at `begin`, was read.
pub(super) fn brackets(reader: &mut Reader, begin: usize) -> Result<ClassUnicode, PatternError> {
    let negated = reader.eat("^");
    let mut set = ClassUnicode::empty();
    while !reader.eat("]") {
        let item_begin = reader.at();
        let item = item(reader, begin)?;
        let after = reader.at();
        let opens_range = reader.eat("-") && !reader.rest().starts_with(']');
        if !opens_range {
            reader.back_to(after);
            add(&mut set, item);
            continue;
        }
        match (item, self::item(reader, begin)?) {
            (Atom::One(first), Atom::One(last)) if first <= last => {
                characters(first, last).into_iter().for_each(|range| set.push(range));
            }
            (Atom::One(_), Atom::One(_)) => {
                return Err(reader.error("the range has its smaller end last", item_begin));
            }
            (first, last) => {
                // Without the flag `u`, a hyphen beside a class is a hyphen.
                add(&mut set, first);
                add(&mut set, Atom::One(u32::from('-')));
                add(&mut set, last);
            }
        }
    }
    if negated {
        set = all_but(&set);
    }
    Ok(set)
}

fn item(reader: &mut Reader, begin: usize) -> Result<Atom, PatternError> {
    let item_begin = reader.at();
    match reader.take() {
        None => Err(reader.error("unclosed class", begin)),
        Some('\\') => escape(reader, item_begin, Where::InBrackets),
        Some(character) => Ok(Atom::One(u32::from(character))),
    }
}

fn add(set: &mut ClassUnicode, atom: Atom) {
    match atom {
        Atom::One(point) => characters(point, point).into_iter().for_each(|range| set.push(range)),
        Atom::Set(other) => set.union(&other),
    }
}

/// The escape whose backslash, at `begin`, was read.
pub(super) fn escape(
    reader: &mut Reader,
    begin: usize,
    place: Where,
) -> Result<Atom, PatternError> {
    let Some(letter) = reader.take() else {
        return Err(reader.error("the pattern ends after a backslash", begin));
    };
    let control = |character: char| Ok(Atom::One(u32::from(character)));
    match letter {
        'd' => Ok(Atom::Set(digits())),
        'D' => Ok(Atom::Set(all_but(&digits()))),
        'w' => Ok(Atom::Set(word())),
        'W' => Ok(Atom::Set(all_but(&word()))),
        's' => Ok(Atom::Set(space())),
        'S' => Ok(Atom::Set(all_but(&space()))),
        'b' if place == Where::InBrackets => control('\u{8}'),
        'b' | 'B' => Err(reader.error("a word boundary is no character", begin)),
        'f' => control('\u{c}'),
        'n' => control('\n'),
        'r' => control('\r'),
        't' => control('\t'),
        'v' => control('\u{b}'),
        '0' if !reader.peek().is_some_and(|next| next.is_ascii_digit()) => control('\0'),
        '0' => Err(reader.error("octal escapes are not supported", begin)),
        '1'..='9' | 'k' => Err(reader.error("backreferences are not supported", begin)),
        'c' => match reader.take() {
            Some(next) if next.is_ascii_alphabetic() => Ok(Atom::One(u32::from(next) % 32)),
            _ => Err(reader.error("a letter must follow `\\c`", begin)),
        },
        'x' => hexadecimal(reader, 2, begin).map(Atom::One),
        'u' => unicode(reader, begin).map(Atom::One),
        'p' | 'P' => property(reader, letter == 'P', begin),
        other if other.is_ascii_alphanumeric() => {
            Err(reader.error(format!("`\\{other}` is no escape of ECMA-262"), begin))
        }
        other => control(other),
    }
}

fn hexadecimal(reader: &mut Reader, digits: usize, begin: usize) -> Result<u32, PatternError> {
    let mut number = 0;
    for _ in 0..digits {
        match reader.take().and_then(|digit| digit.to_digit(16)) {
            Some(digit) => number = number * 16 + digit,
            None => return Err(reader.error("a hexadecimal digit is missing", begin)),
        }
    }
    Ok(number)
}

fn unicode(reader: &mut Reader, begin: usize) -> Result<u32, PatternError> {
    if reader.eat("{") {
        let mut number = 0;
        loop {
            match reader.take() {
                Some('}') if reader.at() > begin + 4 => return Ok(number),
                Some(digit) if digit.is_ascii_hexdigit() && number <= 0x10_FFFF => {
                    number = number * 16 + digit.to_digit(16).unwrap_or(0);
                }
                _ => return Err(reader.error("`\\u{…}` takes a code point", begin)),
            }
            if number > 0x10_FFFF {
                return Err(reader.error("`\\u{…}` takes a code point", begin));
            }
        }
    }
    let high = hexadecimal(reader, 4, begin)?;
    let after = reader.at();
    // Two escapes that make a surrogate pair are one character.
    if (0xD800..0xDC00).contains(&high)
        && reader.eat("\\u")
        && let Ok(low @ 0xDC00..0xE000) = hexadecimal(reader, 4, begin)
    {
        return Ok(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
    }
    reader.back_to(after);
    Ok(high)
}

fn property(reader: &mut Reader, negated: bool, begin: usize) -> Result<Atom, PatternError> {
    let unknown = "`\\p{…}` takes the name of a Unicode property";
    let name = match reader.eat("{").then(|| reader.rest().find('}')).flatten() {
        Some(length) => reader.rest()[..length].to_owned(),
        None => return Err(reader.error(unknown, begin)),
    };
    reader.back_to(reader.at() + name.len() + 1);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '=';
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(reader.error(unknown, begin));
    }
    let letter = if negated { 'P' } else { 'p' };
    let parsed = regex_syntax::parse(&format!("\\{letter}{{{name}}}"));
    match parsed.map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(set))) => Ok(Atom::Set(set)),
        _ => Err(reader.error(unknown, begin)),
    }
}

fn digits() -> ClassUnicode {
    set_of(&[('0', '9')])
}

pub(super) fn word() -> ClassUnicode {
    set_of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')])
}

/// White space and line ends of ECMA-262.
fn space() -> ClassUnicode {
    set_of(&[
        ('\t', '\r'),
        (' ', ' '),
        ('\u{a0}', '\u{a0}'),
        ('\u{1680}', '\u{1680}'),
        ('\u{2000}', '\u{200a}'),
        ('\u{2028}', '\u{2029}'),
        ('\u{202f}', '\u{202f}'),
        ('\u{205f}', '\u{205f}'),
        ('\u{3000}', '\u{3000}'),
        ('\u{feff}', '\u{feff}'),
    ])
}

fn all_but(set: &ClassUnicode) -> ClassUnicode {
    // The library's own negation goes wrong where only the surrogates part two ranges.
    let (letters, inside) = Letters::of_sets(std::slice::from_ref(set));
    let mut others = ClassUnicode::empty();
    for (letter, characters) in letters.sets().iter().enumerate() {
        if !inside[0].contains(&(letter as u32)) {
            others.union(characters);
        }
    }
    others
}

fn set_of(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|&(first, last)| ClassUnicodeRange::new(first, last)))
}

/// The characters from `first` to `last`, without surrogates.
fn characters(first: u32, last: u32) -> Option<ClassUnicodeRange> {
    let surrogate = |point: &u32| (0xD800..0xE000).contains(point);
    let first = if surrogate(&first) { 0xE000 } else { first };
    let last = if surrogate(&last) { 0xD7FF } else { last };
    (first <= last).then_some(())?;
    Some(ClassUnicodeRange::new(char::from_u32(first)?, char::from_u32(last)?))
}
