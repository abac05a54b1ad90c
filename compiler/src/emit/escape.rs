//! Spells characters so that every target reads them as themselves.

use std::fmt::Write;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// Writes `c` with a backslash if it is one of `marks`, and by its number if it would not be
/// seen for what it is. `\n`, `\r`, `\t`, `\uHHHH` and `\UHHHHHHHH` mean the same to the crate
/// `regex`, to Python's `re` and to XGrammar.
pub(super) fn character(c: char, marks: &str, out: &mut String) {
    let code = u32::from(c);
    let written = match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        _ if marks.contains(c) => write!(out, "\\{c}"),
        _ if !is_hidden(c) => out.write_char(c),
        _ if code <= 0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    written.expect("a string takes all that is written");
}

/// Writes the ranges of `set`, without brackets, each character by `write`.
pub(super) fn ranges(set: &ClassUnicode, out: &mut String, write: impl Fn(char, &mut String)) {
    for range in set.ranges() {
        write(range.start(), out);
        if range.start() < range.end() {
            if u32::from(range.end()) > u32::from(range.start()) + 1 {
                out.push('-');
            }
            write(range.end(), out);
        }
    }
}

/// The set to write behind `^`, if `set` is one that reads better so: it holds the last
/// character, so it is meant as "all but".
pub(super) fn all_but(set: &ClassUnicode) -> Option<ClassUnicode> {
    set.ranges().last().filter(|range| range.end() == char::MAX)?;
    let mut rest = set.clone();
    rest.negate();
    Some(rest)
}

/// The only character of `string` as a set.
pub(super) fn single(string: &str) -> Option<ClassUnicode> {
    let mut characters = string.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) => Some(ClassUnicode::new([ClassUnicodeRange::new(c, c)])),
        _ => None,
    }
}

/// Whether `c` would not be seen for what it is.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control() || (!c.is_ascii() && (c.is_whitespace() || c.escape_debug().count() > 1))
}
