//! Tells which patterns mean the same in every dialect, and so may be handed on as written.
//!
//! The dialects differ in shorthand classes, `.`, anchors, flags, lazy repeats, rare escapes and
//! brackets inside brackets, so a plain pattern has none of them.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    Ast, ClassSet, ClassSetItem, GroupKind, Literal, LiteralKind, RepetitionKind,
    SpecialLiteralKind,
};

/// Whether `pattern` is plain.
pub(super) fn is_plain(pattern: &str) -> bool {
    Parser::new().parse(pattern).is_ok_and(|ast| plain(&ast))
}

fn plain(ast: &Ast) -> bool {
    match ast {
        Ast::Literal(one) => literal(one),
        Ast::ClassBracketed(class) => match &class.kind {
            ClassSet::Item(item) => in_brackets(item),
            ClassSet::BinaryOp(_) => false,
        },
        Ast::Repetition(repeat) => {
            let counts = match &repeat.op.kind {
                RepetitionKind::Range(range) => range.is_valid(),
                _ => true,
            };
            let single = !matches!(*repeat.ast, Ast::Repetition(_));
            counts && repeat.greedy && single && plain(&repeat.ast)
        }
        Ast::Group(group) => {
            let silent = match &group.kind {
                GroupKind::CaptureIndex(_) => true,
                GroupKind::NonCapturing(flags) => flags.items.is_empty(),
                GroupKind::CaptureName { .. } => false,
            };
            silent && plain(&group.ast)
        }
        Ast::Alternation(alternation) => alternation.asts.iter().all(plain),
        Ast::Concat(concat) => concat.asts.iter().all(plain),
        Ast::Empty(_)
        | Ast::Flags(_)
        | Ast::Dot(_)
        | Ast::Assertion(_)
        | Ast::ClassUnicode(_)
        | Ast::ClassPerl(_) => false,
    }
}

fn in_brackets(item: &ClassSetItem) -> bool {
    let clear = |one: &Literal| literal(one) && !(is_verbatim(one) && "[^-&~|".contains(one.c));
    match item {
        ClassSetItem::Literal(one) => clear(one),
        ClassSetItem::Range(range) => clear(&range.start) && clear(&range.end),
        ClassSetItem::Union(union) => union.items.iter().all(in_brackets),
        ClassSetItem::Empty(_)
        | ClassSetItem::Ascii(_)
        | ClassSetItem::Unicode(_)
        | ClassSetItem::Perl(_)
        | ClassSetItem::Bracketed(_) => false,
    }
}

fn literal(literal: &Literal) -> bool {
    match &literal.kind {
        LiteralKind::Verbatim => !"]}/".contains(literal.c) && !literal.c.is_control(),
        LiteralKind::Meta => !"#&~".contains(literal.c),
        LiteralKind::Special(kind) => matches!(
            kind,
            SpecialLiteralKind::Tab
                | SpecialLiteralKind::LineFeed
                | SpecialLiteralKind::CarriageReturn
        ),
        _ => false,
    }
}

fn is_verbatim(literal: &Literal) -> bool {
    literal.kind == LiteralKind::Verbatim
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn only_what_all_dialects_read_alike_is_plain() {
        for pattern in
            ["a", "ab|c", "(a|b)+c?", "[a-z0-9_]{2,3}", "[^\\n\"]*", "a\\.b", "é", "[\\-x]"]
        {
            assert!(is_plain(pattern), "{pattern}");
        }
        for pattern in [
            "",
            "a|",
            "\\d",
            "\\w+",
            ".",
            "^a",
            "a$",
            "(?i)a",
            "(?i:a)",
            "a*?",
            "a**",
            "(?P<n>a)",
            "\\x41",
            "\\u{41}",
            "[[:alpha:]]",
            "[a[b]]",
            "[a&&b]",
            "[a-]",
            "\\pL",
            "\\b",
            "(",
            "]",
            "\\#",
            "[a~]",
        ] {
            assert!(!is_plain(pattern), "{pattern}");
        }
    }
}
