//! The spelling of a template: a flat list of items that together are its whole text.
//!
//! Blocks are pairs of tags found by [`blocks`](crate::template::blocks). Printing an [`Ast`]
//! gives the template back, character by character.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::source::Source;

/// A template as it is spelled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ast {
    pub(crate) source: Arc<Source>,
    pub(crate) items: Vec<Item>,
}

/// One stretch of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// Text as it is.
    Text(Range<usize>),
    /// `{# ... #}`
    Comment(Delimited),
    /// `{% raw %} ... {% endraw %}`; its own marks are those that face inwards.
    Raw(Raw),
    /// `{{ ... }}`
    Output(Delimited),
    /// `{% name ... %}`
    Tag(Tag),
}

/// Something between an opening and a closing delimiter, both of which may bear a mark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Delimited {
    pub(crate) open: Delimiter,
    pub(crate) inner: Range<usize>,
    pub(crate) close: Delimiter,
    /// Empty for a comment.
    pub(crate) tokens: Vec<Token>,
}

/// A tag and its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tag {
    pub(crate) body: Delimited,
    pub(crate) name: String,
    /// Where the name stands; empty if there is none.
    pub(crate) name_range: Range<usize>,
}

/// A raw block: `{%1 raw 2%} inner {%3 endraw 4%}` with its four marks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Raw {
    pub(crate) open: Range<usize>,
    pub(crate) inner: Range<usize>,
    pub(crate) close: Range<usize>,
    pub(crate) marks: [Mark; 4],
}

/// A delimiter with its mark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Delimiter {
    pub(crate) range: Range<usize>,
    pub(crate) mark: Mark,
}

/// What a delimiter does to the white space beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// What the rules of white space say.
    Plain,
    /// `-`: takes it away.
    Strip,
    /// `+`: keeps it.
    Keep,
}

/// A word of an expression. Blanks are none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) range: Range<usize>,
}

/// The kinds of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Name,
    Number,
    Text,
    Opening,
    Closing,
    Symbol,
}

impl Item {
    pub(crate) fn range(&self) -> Range<usize> {
        match self {
            Self::Text(range) => range.clone(),
            Self::Comment(delimited) | Self::Output(delimited) => delimited.range(),
            Self::Raw(raw) => raw.open.start..raw.close.end,
            Self::Tag(tag) => tag.body.range(),
        }
    }

    pub(crate) fn as_tag(&self) -> Option<&Tag> {
        match self {
            Self::Tag(tag) => Some(tag),
            _ => None,
        }
    }

    /// The marks that face the items before and after this one.
    pub(crate) fn outer_marks(&self) -> (Mark, Mark) {
        match self {
            Self::Text(_) => (Mark::Plain, Mark::Plain),
            Self::Comment(delimited) | Self::Output(delimited) => {
                (delimited.open.mark, delimited.close.mark)
            }
            Self::Raw(raw) => (raw.marks[0], raw.marks[3]),
            Self::Tag(tag) => (tag.body.open.mark, tag.body.close.mark),
        }
    }
}

impl Delimited {
    pub(crate) fn range(&self) -> Range<usize> {
        self.open.range.start..self.close.range.end
    }
}

impl Tag {
    pub(crate) fn range(&self) -> Range<usize> {
        self.body.range()
    }
}

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut write = |range: &Range<usize>| f.write_str(self.source.slice(range));
        for item in &self.items {
            match item {
                Item::Text(range) => write(range)?,
                Item::Comment(Delimited { open, inner, close, .. })
                | Item::Output(Delimited { open, inner, close, .. })
                | Item::Tag(Tag { body: Delimited { open, inner, close, .. }, .. }) => {
                    write(&open.range)?;
                    write(inner)?;
                    write(&close.range)?;
                }
                Item::Raw(raw) => {
                    write(&raw.open)?;
                    write(&raw.inner)?;
                    write(&raw.close)?;
                }
            }
        }
        Ok(())
    }
}
