//! What a pattern of ECMA-262 says, as a tree.

use regex_syntax::hir::ClassUnicode;

/// A pattern, without captures and laziness, which mean nothing for a language.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Pattern {
    /// One character of the set; nothing at all if it is empty.
    Set(ClassUnicode),
    /// One after the other; none is the empty text.
    Concat(Vec<Pattern>),
    /// Any one of them.
    Alternation(Vec<Pattern>),
    /// `body` from `min` to `max` times.
    Repeat { body: Box<Pattern>, min: u32, max: Option<u32> },
    /// `^`: nothing stands before.
    Start,
    /// `$`: nothing follows.
    End,
    /// `\b`, or `\B` if it is `negated`.
    WordBoundary { negated: bool },
    /// What follows begins with the body, or what stands before ends with it.
    Look { behind: bool, negated: bool, body: Box<Pattern> },
}

impl Pattern {
    /// Exactly this character.
    pub(crate) fn character(character: char) -> Self {
        let range = regex_syntax::hir::ClassUnicodeRange::new(character, character);
        Self::Set(ClassUnicode::new([range]))
    }

    /// The parts directly below.
    pub(crate) fn parts(&self) -> &[Self] {
        match self {
            Self::Concat(parts) | Self::Alternation(parts) => parts,
            Self::Repeat { body, .. } | Self::Look { body, .. } => std::slice::from_ref(body),
            _ => &[],
        }
    }

    /// Whether `is` is true of it or of any part of it.
    pub(crate) fn any(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self) || self.parts().iter().any(|part| part.any(is))
    }

    /// The number of characters of all its texts, if it is the same and nothing looks around.
    pub(crate) fn length(&self) -> Option<u64> {
        match self {
            Self::Set(_) => Some(1),
            Self::Concat(parts) => {
                parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.length()?))
            }
            Self::Alternation(arms) => {
                let first = arms.first()?.length()?;
                arms.iter().all(|arm| arm.length() == Some(first)).then_some(first)
            }
            Self::Repeat { body, min, max } => {
                let fixed = *max == Some(*min);
                fixed.then(|| body.length()?.checked_mul(u64::from(*min))).flatten()
            }
            _ => None,
        }
    }
}
