//! The form that an answer is asked to have.

use blueprints_compiler::Outline;
use blueprints_providers::{Intent, Kind};
use serde_json::Value;

/// The form that an answer is asked to have.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Format {
    /// Any text.
    Text,
    /// Any JSON object.
    JsonObject,
    /// JSON that is valid for a schema.
    JsonSchema(Value),
    /// One of these texts.
    Choice(Vec<String>),
    /// A text that a regular expression matches as a whole.
    Regex(String),
    /// A text of a grammar.
    Grammar {
        /// `ebnf` (XGrammar's), `gbnf` or `lark`.
        syntax: String,
        /// The grammar.
        text: String,
    },
    /// A structural tag of XGrammar.
    StructuralTag(Value),
    /// The language of a blueprint.
    Blueprint(Box<Outline>),
}

impl Format {
    /// Its kind, as requests call it.
    #[must_use]
    pub fn feature(&self) -> &'static str {
        self.kind().map_or("blueprint", |kind| kind.feature())
    }

    /// Whether an answer is a JSON value.
    #[must_use]
    pub fn is_json(&self) -> bool {
        matches!(self, Self::JsonObject | Self::JsonSchema(_))
    }

    /// The same as a kind of intent; a blueprint is none.
    fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Text => Kind::Text,
            Self::JsonObject => Kind::JsonObject,
            Self::JsonSchema(schema) => Kind::JsonSchema(schema.clone()),
            Self::Choice(choices) => Kind::Choice(choices.clone()),
            Self::Regex(pattern) => Kind::Regex(pattern.clone()),
            Self::Grammar { syntax, text } => {
                Kind::Grammar { syntax: syntax.clone(), text: text.clone() }
            }
            Self::StructuralTag(tag) => Kind::StructuralTag(tag.clone()),
            Self::Blueprint(_) => return None,
        })
    }

    /// The same as an intent that degrades; a blueprint has no kind of its own.
    pub(crate) fn intent(&self) -> Intent {
        Intent::new(self.kind().unwrap_or(Kind::Text)).degrading()
    }

    /// The words that ask for it where nothing holds it.
    #[cfg(feature = "decode")]
    pub(crate) fn words(&self) -> Option<String> {
        match self {
            Self::Blueprint(outline) => {
                Some(format!("Answer with a text of this form, and nothing else:\n{outline}"))
            }
            _ => blueprints_providers::prompt_words(&self.kind()?),
        }
    }
}
