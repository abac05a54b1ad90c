//! Reads strings and classes of characters as XGrammar's EBNF and GBNF spell them.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::cursor::Cursor;
use super::{GrammarFault, Syntax};
use crate::chars::until::every_character;
use crate::ir::Ir;

/// The string between double quotes, the first of which is next.
pub(super) fn string(cursor: &mut Cursor<'_>, syntax: Syntax) -> Result<String, GrammarFault> {
    let from = cursor.at;
    cursor.need("\"")?;
    let mut string = String::new();
    loop {
        match cursor.peek() {
            Some('"') => {
                cursor.bump();
                return Ok(string);
            }
            Some('\n' | '\r') if syntax == Syntax::Ebnf => {
                return cursor.fail("the string goes over the end of its line", from..cursor.at);
            }
            Some(_) => string.push(character(cursor, syntax, false)?),
            None => return cursor.fail("the string has no closing quote", from..cursor.at),
        }
    }
}

/// The set of characters between brackets, the first of which is next.
pub(super) fn class(cursor: &mut Cursor<'_>, syntax: Syntax) -> Result<Ir, GrammarFault> {
    let from = cursor.at;
    cursor.need("[")?;
    let negated = cursor.has("^");
    let mut set = ClassUnicode::empty();
    loop {
        match cursor.peek() {
            Some(']') => break,
            Some('\n' | '\r') if syntax == Syntax::Ebnf => {
                return cursor.fail("the class goes over the end of its line", from..cursor.at);
            }
            Some(_) => {}
            None => return cursor.fail("the class has no closing bracket", from..cursor.at),
        }
        let at = cursor.at;
        let first = character(cursor, syntax, true)?;
        let mut last = first;
        if cursor.rest().starts_with('-') && !cursor.rest().starts_with("-]") {
            cursor.bump();
            last = match cursor.peek() {
                Some(_) => character(cursor, syntax, true)?,
                None => return cursor.fail("the class has no closing bracket", from..cursor.at),
            };
        }
        if last < first {
            return cursor.fail("the range is reversed", at..cursor.at);
        }
        set.push(ClassUnicodeRange::new(first, last));
    }
    cursor.bump();
    if negated {
        let mut others = every_character();
        others.difference(&set);
        set = others;
    }
    Ok(Ir::class(set))
}

/// A character, or an escape for one.
fn character(
    cursor: &mut Cursor<'_>,
    syntax: Syntax,
    in_class: bool,
) -> Result<char, GrammarFault> {
    let from = cursor.at;
    match cursor.bump() {
        Some('\\') => {}
        Some(c) => return Ok(c),
        None => return cursor.unexpected("a character"),
    }
    let escape = cursor.bump();
    let simple = match (syntax, escape) {
        (_, Some('n')) => Some('\n'),
        (_, Some('r')) => Some('\r'),
        (_, Some('t')) => Some('\t'),
        (_, Some(c @ ('\\' | '"'))) => Some(c),
        (Syntax::Ebnf, Some(c)) => simple(c, in_class),
        (_, Some(c @ ('[' | ']' | '-'))) => Some(c),
        _ => None,
    };
    if let Some(simple) = simple {
        return Ok(simple);
    }
    let digits = match (syntax, escape) {
        // There are as many digits as there can be.
        (Syntax::Ebnf, Some('x')) => cursor.run(|c| c.is_ascii_hexdigit()),
        (_, Some('x')) => hex(cursor, 2),
        (_, Some('u')) => hex(cursor, 4),
        (_, Some('U')) => hex(cursor, 8),
        _ => return cursor.fail("there is no such escape", from..cursor.at),
    };
    match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
        Some(c) => Ok(c),
        None => cursor.fail("this is no character", from..cursor.at),
    }
}

/// Escapes of one character that XGrammar alone has.
fn simple(c: char, in_class: bool) -> Option<char> {
    Some(match c {
        '\'' | '?' | '/' => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'a' => '\u{7}',
        'v' => '\u{b}',
        '0' => '\0',
        'e' => '\u{1b}',
        _ if in_class && "^$.*+()[]{}|-".contains(c) => c,
        _ => return None,
    })
}

/// The next `count` characters if they are hexadecimal digits, else too few of them.
fn hex<'a>(cursor: &mut Cursor<'a>, count: usize) -> &'a str {
    let rest = cursor.rest();
    let digits = rest.bytes().take(count).take_while(u8::is_ascii_hexdigit).count();
    cursor.at += digits;
    if digits == count { &rest[..count] } else { "" }
}
