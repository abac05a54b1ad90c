//! The white space between the tokens of JSON text.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::options::Whitespace;
use crate::ir::Ir;

/// What stands between the parts of an array or an object.
pub(super) struct Layout {
    /// After the opening bracket of one that has parts.
    pub(super) open: Ir,
    /// Between the brackets of one that has none.
    pub(super) nothing: Ir,
    /// Around the colon of a member, with the colon.
    pub(super) colon: Ir,
    /// After each part.
    pub(super) after: Ir,
    /// Between two parts, with the comma.
    pub(super) comma: Ir,
    /// Before the closing bracket of one that has parts.
    pub(super) close: Ir,
}

impl Layout {
    /// The layout at `depth`, where `gap` is white space of any kind.
    pub(super) fn new(whitespace: Whitespace, depth: u32, gap: impl FnOnce() -> Ir) -> Self {
        let value = Ir::value;
        match whitespace {
            Whitespace::Flexible | Whitespace::Any => {
                let gap = gap();
                Self {
                    open: gap.clone(),
                    nothing: gap.clone(),
                    colon: Ir::sequence([gap.clone(), value(":"), gap.clone()]),
                    after: gap.clone(),
                    comma: Ir::sequence([value(","), gap]),
                    close: Ir::empty(),
                }
            }
            Whitespace::Compact | Whitespace::Spaced => {
                let blank = whitespace == Whitespace::Spaced;
                Self {
                    open: Ir::empty(),
                    nothing: Ir::empty(),
                    colon: value(if blank { ": " } else { ":" }),
                    after: Ir::empty(),
                    comma: value(if blank { ", " } else { "," }),
                    close: Ir::empty(),
                }
            }
            Whitespace::Indent(step) => {
                let line = |depth: u32| {
                    let blanks = " ".repeat((step as usize).saturating_mul(depth as usize));
                    value(&format!("\n{blanks}"))
                };
                Self {
                    open: line(depth + 1),
                    nothing: Ir::empty(),
                    colon: value(": "),
                    after: Ir::empty(),
                    comma: Ir::sequence([value(","), line(depth + 1)]),
                    close: line(depth),
                }
            }
        }
    }

    /// `parts` between brackets, where there may be none only if `empty`. What closes comes
    /// before the closing bracket.
    pub(super) fn brackets(&self, pair: [&str; 2], parts: Ir, empty: bool, closing: &Ir) -> Ir {
        let [open, close] = pair.map(Ir::value);
        if self.close.is_empty() {
            let parts = if empty { Ir::optional(parts) } else { parts };
            return Ir::sequence([open, self.open.clone(), parts, closing.clone(), close]);
        }
        let some = [
            open.clone(),
            self.open.clone(),
            parts,
            closing.clone(),
            self.close.clone(),
            close.clone(),
        ];
        let some = Ir::sequence(some);
        if !empty {
            return some;
        }
        Ir::choice([Ir::sequence([open, self.nothing.clone(), closing.clone(), close]), some])
    }
}

/// Blanks, tabs and line breaks, at most `most`; not nothing where there must be `some`.
pub(super) fn any_gap(most: u32, some: bool) -> Ir {
    let blank = ['\t', '\n', '\r', ' '].map(|c| ClassUnicodeRange::new(c, c));
    let least = u32::from(some);
    Ir::repeat(Ir::class(ClassUnicode::new(blank)), least, Some(most.max(least)), None)
}

/// At most one line break, and at most `most` blanks and tabs on either side of it; not nothing
/// where there must be `some`.
pub(super) fn gap(most: u32, some: bool) -> Ir {
    let blank = Ir::class(ClassUnicode::new([
        ClassUnicodeRange::new('\t', '\t'),
        ClassUnicodeRange::new(' ', ' '),
    ]));
    let blanks = || Ir::repeat(blank.clone(), 0, Some(most), None);
    let line_break = Ir::choice([Ir::value("\n"), Ir::value("\r\n")]);
    if !some {
        return Ir::sequence([blanks(), Ir::optional(Ir::sequence([line_break, blanks()]))]);
    }
    let line = Ir::sequence([line_break, blanks()]);
    let indented =
        Ir::sequence([Ir::repeat(blank.clone(), 1, Some(most), None), Ir::optional(line.clone())]);
    if most == 0 { line } else { Ir::choice([indented, line]) }
}
