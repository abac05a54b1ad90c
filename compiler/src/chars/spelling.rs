//! Lowers a pattern without anchors to an [`Ir`], with each character as it is spelled.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

use crate::ir::Ir;

/// How the characters that a pattern speaks of are written in the text.
pub(crate) trait Spelling {
    /// One character of `set`.
    fn class(&mut self, set: &ClassUnicode) -> Ir;

    /// This character.
    fn character(&mut self, character: char) -> Ir;

    /// These characters.
    fn text(&mut self, text: &str) -> Ir;
}

/// Characters that stand for themselves.
pub(crate) struct Plain;

impl Spelling for Plain {
    fn class(&mut self, set: &ClassUnicode) -> Ir {
        Ir::class(set.clone())
    }

    fn character(&mut self, character: char) -> Ir {
        Ir::value(character.encode_utf8(&mut [0; 4]))
    }

    fn text(&mut self, text: &str) -> Ir {
        Ir::value(text)
    }
}

/// The language of `hir`, which holds no anchors, or `None` if it reads bytes that are no
/// characters. Counts stay numbers; laziness has no meaning for a language.
pub(crate) fn lower(hir: &Hir, spelling: &mut dyn Spelling) -> Option<Ir> {
    Some(match hir.kind() {
        HirKind::Empty => Ir::empty(),
        HirKind::Literal(literal) => spelling.text(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => spelling.class(&characters(class)?),
        HirKind::Look(_) => return None,
        HirKind::Repetition(repetition) => {
            Ir::repeat(lower(&repetition.sub, spelling)?, repetition.min, repetition.max, None)
        }
        HirKind::Capture(capture) => lower(&capture.sub, spelling)?,
        HirKind::Concat(parts) => Ir::sequence(all(parts, spelling)?),
        HirKind::Alternation(arms) => Ir::choice(all(arms, spelling)?),
    })
}

/// The characters of `class`, or `None` if it holds bytes that are none.
pub(crate) fn characters(class: &Class) -> Option<ClassUnicode> {
    match class {
        Class::Unicode(set) => Some(set.clone()),
        Class::Bytes(set) => set.to_unicode_class(),
    }
}

fn all(parts: &[Hir], spelling: &mut dyn Spelling) -> Option<Vec<Ir>> {
    parts.iter().map(|part| lower(part, spelling)).collect()
}
