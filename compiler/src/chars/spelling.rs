//! Lowers a pattern without anchors to an [`Ir`], with each character as it is spelled.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};

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

/// Characters as in XML, where these are entities.
pub(crate) struct Entities(pub(crate) &'static str);

/// The characters that are written as entities.
const ENTITIES: [(char, &str); 4] = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")];

impl Spelling for Entities {
    fn class(&mut self, set: &ClassUnicode) -> Ir {
        let single = |c: char| ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
        let mut plain = set.clone();
        let mut arms = Vec::new();
        for (character, entity) in ENTITIES.into_iter().filter(|known| self.0.contains(known.0)) {
            let mut common = single(character);
            common.intersect(set);
            if !common.ranges().is_empty() {
                plain.difference(&common);
                arms.push(Ir::value(entity));
            }
        }
        Ir::choice([Ir::class(plain)].into_iter().chain(arms))
    }

    fn character(&mut self, character: char) -> Ir {
        let escaped = self.0.contains(character);
        let entity = ENTITIES.iter().find(|(known, _)| escaped && *known == character);
        Ir::value(entity.map_or(character.encode_utf8(&mut [0; 4]), |(_, entity)| entity))
    }

    fn text(&mut self, text: &str) -> Ir {
        let spelled: Vec<Ir> = text.chars().map(|c| self.character(c)).collect();
        Ir::sequence(spelled)
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
