//! Parts with a name for what reads a text back, and parts that are one special token.

use std::sync::Arc;

use super::{Ir, Kind};

/// A part with a name. The language is that of its body.
#[derive(Clone, PartialEq, Debug)]
pub struct Capture {
    /// The name of the result.
    pub name: Arc<str>,
    /// What the text becomes.
    pub kind: CaptureKind,
    /// What is named.
    pub body: Ir,
}

/// What the text of a [`Capture`] becomes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum CaptureKind {
    /// Itself, or an object of the captures inside it if there are any.
    #[default]
    Text,
    /// Always its text, whatever is inside.
    String,
    /// The JSON value that it spells.
    Json,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`, in any case.
    Boolean,
    /// An object of the captures inside it, `{}` where there are none.
    Object,
    /// An object: the captures inside it are called `key` and `value` by turns.
    Entries,
    /// An array of the captures inside it that are called `value`.
    Items,
    /// The value that a Python literal spells.
    Python,
    /// The value that Gemma's notation spells: bare keys, strings between `<|"|>` or `<escape>`.
    Gemma,
}

impl CaptureKind {
    /// Every kind with its name.
    pub const ALL: [(Self, &'static str); 11] = [
        (Self::Text, "text"),
        (Self::String, "string"),
        (Self::Json, "json"),
        (Self::Integer, "integer"),
        (Self::Number, "number"),
        (Self::Boolean, "boolean"),
        (Self::Object, "object"),
        (Self::Entries, "entries"),
        (Self::Items, "items"),
        (Self::Python, "python"),
        (Self::Gemma, "gemma"),
    ];

    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("text", |(_, name)| name)
    }
}

/// One token by what it is, never by bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Special {
    /// The token of this spelling; its bytes where a vocabulary has no such special token, and
    /// where there is no vocabulary.
    Spelled(Arc<str>),
    /// Any token that ends the turn; nothing where there is no vocabulary.
    Stop,
    /// Any special token but these; none where there is no vocabulary.
    Any {
        /// The spellings of those that it is not.
        except: Vec<Arc<str>>,
    },
}

impl Ir {
    /// `body` with a name for what reads a text back.
    ///
    /// # Examples
    /// ```
    /// use blueprints_compiler::Ir;
    /// use blueprints_compiler::ir::CaptureKind;
    /// let age = Ir::capture("age", CaptureKind::Integer, Ir::regex("[0-9]+")?);
    /// assert_eq!(age.to_string(), "capture age as integer (regex /[0-9]+/)");
    /// # Ok::<(), blueprints_compiler::PatternError>(())
    /// ```
    #[must_use]
    pub fn capture(name: &str, kind: CaptureKind, body: Self) -> Self {
        match body.is_never() {
            true => body,
            false => Self::new(Kind::Capture(Capture { name: name.into(), kind, body })),
        }
    }

    /// Exactly the token of this spelling, by id.
    #[must_use]
    pub fn token(spelling: &str) -> Self {
        Self::special(Special::Spelled(spelling.into()))
    }

    /// One token by what it is.
    #[must_use]
    pub fn special(special: Special) -> Self {
        match special {
            Special::Spelled(spelling) if spelling.is_empty() => Self::empty(),
            Special::Any { mut except } => {
                except.retain(|spelling| !spelling.is_empty());
                except.sort();
                except.dedup();
                Self::new(Kind::Special(Special::Any { except }))
            }
            special => Self::new(Kind::Special(special)),
        }
    }
}
