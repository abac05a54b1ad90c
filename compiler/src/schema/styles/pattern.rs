//! The pattern of one entry: its text, with places for the key, the value and words about it.

use std::fmt;
use std::sync::Arc;

/// The text of one entry, with places in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::schema) struct Pattern(Arc<[Piece]>);

/// A piece of a [`Pattern`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::schema) enum Piece {
    /// Exactly this text.
    Text(Arc<str>),
    /// `{key}`: the key.
    Key,
    /// `{value}`: the value.
    Value,
    /// `{type}`: the word for the value's JSON type.
    Type,
    /// `{blank}`: white space, where the style lets it in.
    Blank,
    /// `{is_string}`: `true` if the value is a string, else `false`.
    IsString,
}

const PLACES: [(&str, Piece); 5] = [
    ("key", Piece::Key),
    ("value", Piece::Value),
    ("type", Piece::Type),
    ("blank", Piece::Blank),
    ("is_string", Piece::IsString),
];

/// What is wrong with a style, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wrong(pub(super) String);

impl From<String> for Wrong {
    fn from(words: String) -> Self {
        Self(words)
    }
}

impl From<&str> for Wrong {
    fn from(words: &str) -> Self {
        Self(words.into())
    }
}

impl Pattern {
    /// Reads `{key}` and the like as places, `{{` and `}}` as braces.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub(super) fn parse(text: &str) -> Result<Self, Wrong> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let brace = &rest[at..at + 1];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                literal.push_str(brace);
                rest = after;
                continue;
            }
            let place = rest.find('}').filter(|_| brace == "{").map(|end| rest.split_at(end));
            let Some((name, after)) = place else {
                return Err(
                    format!("`{brace}` stands alone in `{text}`: write `{brace}{brace}`").into()
                );
            };
            let Some((_, piece)) = PLACES.iter().find(|(known, _)| *known == name) else {
                return Err(format!(
                    "`{{{name}}}` is no place: there are `{{key}}`, `{{value}}`, `{{type}}`, \
                     `{{is_string}}` and `{{blank}}`"
                )
                .into());
            };
            if !literal.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut literal).into()));
            }
            pieces.push(piece.clone());
            rest = &after[1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Text(literal.into()));
        }
        Ok(Self(pieces.into()))
    }

    /// The pieces in order.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// How often `piece` stands in it.
    pub(super) fn count(&self, piece: &Piece) -> usize {
        self.0.iter().filter(|own| *own == piece).count()
    }

    /// The text right after the first `piece`; empty if a place or nothing follows.
    pub(super) fn after(&self, piece: &Piece) -> &str {
        let at = self.0.iter().position(|own| own == piece);
        match at.and_then(|at| self.0.get(at + 1)) {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in self.0.iter() {
            if let Piece::Text(text) = piece {
                f.write_str(&text.replace('{', "{{").replace('}', "}}"))?;
            }
            let name = PLACES.iter().find(|(_, known)| known == piece);
            if let Some((name, _)) = name {
                write!(f, "{{{name}}}")?;
            }
        }
        Ok(())
    }
}
