//! The rules of context of RFC 5892, appendix A.

use std::sync::LazyLock;

use regex_syntax::hir::ClassUnicode;
use unicode_joining_type::{JoiningType, get_joining_type};
use unicode_normalization::char::canonical_combining_class;

use super::character::{class, contains};

/// The canonical combining class of a virama.
const VIRAMA: u8 = 9;

static GREEK: LazyLock<ClassUnicode> = LazyLock::new(|| class(r"\p{sc=Greek}"));
static HEBREW: LazyLock<ClassUnicode> = LazyLock::new(|| class(r"\p{sc=Hebrew}"));
static KANA_OR_HAN: LazyLock<ClassUnicode> =
    LazyLock::new(|| class(r"[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]"));

/// Whether each character that asks for a context has it.
pub(super) fn holds(label: &[char]) -> bool {
    (0..label.len()).all(|at| {
        let before = at.checked_sub(1).map(|before| label[before]);
        let after = label.get(at + 1).copied();
        let after_virama = before.is_some_and(|c| canonical_combining_class(c) == VIRAMA);
        match label[at] {
            '\u{200C}' => after_virama || joins(&label[..at], &label[at + 1..]),
            '\u{200D}' => after_virama,
            '\u{B7}' => before == Some('l') && after == Some('l'),
            '\u{375}' => after.is_some_and(|c| contains(&GREEK, c)),
            '\u{5F3}' | '\u{5F4}' => before.is_some_and(|c| contains(&HEBREW, c)),
            '\u{30FB}' => label.iter().any(|c| contains(&KANA_OR_HAN, *c)),
            '\u{660}'..='\u{669}' => !label.iter().any(|c| ('\u{6F0}'..='\u{6F9}').contains(c)),
            '\u{6F0}'..='\u{6F9}' => !label.iter().any(|c| ('\u{660}'..='\u{669}').contains(c)),
            _ => true,
        }
    })
}

/// Appendix A.1: a non-joiner between letters that would join.
fn joins(before: &[char], after: &[char]) -> bool {
    let opaque = |kind: &JoiningType| *kind == JoiningType::Transparent;
    let left = before.iter().rev().map(|c| get_joining_type(*c)).find(|kind| !opaque(kind));
    let right = after.iter().map(|c| get_joining_type(*c)).find(|kind| !opaque(kind));
    let is_left = matches!(left, Some(JoiningType::LeftJoining | JoiningType::DualJoining));
    is_left && matches!(right, Some(JoiningType::RightJoining | JoiningType::DualJoining))
}
