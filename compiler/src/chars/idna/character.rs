//! What a character may do in a label: the derived property of RFC 5892.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, ClassUnicode, HirKind};
use unicode_normalization::UnicodeNormalization;

/// The derived property. Characters that are not assigned count as disallowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    Valid,
    /// Valid where the rule of its context holds.
    InContext,
    Disallowed,
}

/// The characters of a class in the syntax of `regex_syntax`.
pub(super) fn class(pattern: &str) -> ClassUnicode {
    match regex_syntax::parse(pattern).map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        // Only classes are written here, as a test sees.
        _ => ClassUnicode::empty(),
    }
}

pub(super) fn contains(class: &ClassUnicode, character: char) -> bool {
    let ranges = class.ranges();
    let after = ranges.partition_point(|range| range.start() <= character);
    after.checked_sub(1).is_some_and(|at| character <= ranges[at].end())
}

static LETTER_DIGITS: LazyLock<ClassUnicode> =
    LazyLock::new(|| class(r"[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}]"));
static MARKS: LazyLock<ClassUnicode> = LazyLock::new(|| class(r"\p{M}"));
static OLD_HANGUL: LazyLock<ClassUnicode> =
    LazyLock::new(|| class(r"[\p{gcb=L}\p{gcb=V}\p{gcb=T}]"));
static IGNORABLE: LazyLock<ClassUnicode> = LazyLock::new(|| {
    class(
        &[
            r"[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Noncharacter_Code_Point}",
            r"\x{20D0}-\x{20FF}\x{1D100}-\x{1D1FF}\x{1D200}-\x{1D24F}]",
        ]
        .concat(),
    )
});
static FOLDED: LazyLock<ClassUnicode> = LazyLock::new(|| class(r"\p{Changes_When_Casefolded}"));

/// Whether it is a combining mark.
pub(super) fn is_mark(character: char) -> bool {
    contains(&MARKS, character)
}

/// The derived property of `character`, by RFC 5892, section 3.
pub(super) fn standing(character: char) -> Standing {
    match character {
        'a'..='z' | '0'..='9' | '-' => return Standing::Valid,
        // Section 2.6, exceptions.
        'ß' | 'ς' | '\u{6FD}' | '\u{6FE}' | '\u{F0B}' | '\u{3007}' => return Standing::Valid,
        '\u{B7}' | '\u{375}' | '\u{5F3}' | '\u{5F4}' | '\u{30FB}' => return Standing::InContext,
        '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => return Standing::InContext,
        '\u{640}' | '\u{7FA}' | '\u{302E}' | '\u{302F}' => return Standing::Disallowed,
        '\u{3031}'..='\u{3035}' | '\u{303B}' => return Standing::Disallowed,
        // Section 2.8, join controls.
        '\u{200C}' | '\u{200D}' => return Standing::InContext,
        '\0'..='\x7F' => return Standing::Disallowed,
        _ => {}
    }
    let disallowed = !contains(&LETTER_DIGITS, character)
        || contains(&OLD_HANGUL, character)
        || contains(&IGNORABLE, character)
        || contains(&FOLDED, character)
        || !std::iter::once(character).nfkc().eq([character]);
    if disallowed { Standing::Disallowed } else { Standing::Valid }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_read() {
        for class in [&LETTER_DIGITS, &MARKS, &OLD_HANGUL, &IGNORABLE, &FOLDED] {
            assert!(!class.ranges().is_empty());
        }
    }

    #[test]
    fn characters_stand_as_the_rfc_says() {
        for valid in "azàéæ中か한אبक\u{301}0٠".chars() {
            assert_ne!(standing(valid), Standing::Disallowed, "{valid:?}");
        }
        for wrong in "A_ÀΩﬁ²Ⅳ①\u{AB70}\u{1100}\u{20D0}\u{FE0F}　!".chars() {
            assert_eq!(standing(wrong), Standing::Disallowed, "{wrong:?}");
        }
    }
}
