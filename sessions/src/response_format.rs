//! web-llm's `response_format`: four types, and the rules about what goes with which.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::format::Format;

/// A response format with web-llm's field names; null counts as absent.
///
/// ```
/// use blueprints_sessions::{Format, ResponseFormat};
///
/// let text = r#"{"type": "json_object", "schema": "{\"type\": \"object\"}"}"#;
/// let format: ResponseFormat = serde_json::from_str(text)?;
/// let schema = serde_json::json!({ "type": "object" });
/// assert_eq!(Format::try_from(&format)?, Format::JsonSchema(schema));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResponseFormat {
    /// `text`, `json_object`, `grammar` or `structural_tag`; absent, it is `text`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// A JSON Schema as a text or as a value, for `json_object` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// A grammar in EBNF, for `grammar` only and always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grammar: Option<String>,
    /// A structural tag as an object or as the text of one, for `structural_tag` only and always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structural_tag: Option<Value>,
}

/// A rule of response formats that is broken.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ResponseFormatError {
    /// A schema with another type.
    #[error("`schema` needs the type `json_object`, not `{kind}`")]
    SchemaWithoutJsonObject {
        /// The type.
        kind: String,
    },
    /// A grammar with another type.
    #[error("`grammar` needs the type `grammar`, not `{kind}`")]
    GrammarWithoutTypeGrammar {
        /// The type.
        kind: String,
    },
    /// The type `grammar` without one.
    #[error("the type `grammar` needs `grammar`")]
    GrammarMissing,
    /// A structural tag with another type.
    #[error("`structural_tag` needs the type `structural_tag`, not `{kind}`")]
    StructuralTagWithoutType {
        /// The type.
        kind: String,
    },
    /// The type `structural_tag` without one.
    #[error("the type `structural_tag` needs `structural_tag`")]
    StructuralTagMissing,
    /// A type that there is not, which web-llm would take for no constraint.
    #[error("there is no type `{kind}`; it is text, json_object, grammar or structural_tag")]
    UnknownType {
        /// The type.
        kind: String,
    },
    /// A text that should be JSON.
    #[error("`{member}` is not JSON: {message}")]
    NotJson {
        /// The member.
        member: &'static str,
        /// What is wrong.
        message: String,
    },
}

impl ResponseFormat {
    /// Checks the rules, in web-llm's order.
    ///
    /// # Errors
    /// The first [`ResponseFormatError`].
    pub fn check(&self) -> Result<(), ResponseFormatError> {
        let kind = self.kind.clone().unwrap_or_else(|| "text".to_owned());
        let is = |name: &str| kind == name;
        let given = |member: &Option<Value>| member.as_ref().is_some_and(|own| !own.is_null());
        let (schema, tag) = (given(&self.schema), given(&self.structural_tag));
        if schema && !is("json_object") {
            return Err(ResponseFormatError::SchemaWithoutJsonObject { kind });
        }
        match (self.grammar.is_some(), is("grammar")) {
            (true, false) => return Err(ResponseFormatError::GrammarWithoutTypeGrammar { kind }),
            (false, true) => return Err(ResponseFormatError::GrammarMissing),
            _ => {}
        }
        match (tag, is("structural_tag")) {
            (true, false) => return Err(ResponseFormatError::StructuralTagWithoutType { kind }),
            (false, true) => return Err(ResponseFormatError::StructuralTagMissing),
            _ => {}
        }
        let known = ["text", "json_object", "grammar", "structural_tag"].iter().any(|own| is(own));
        if known { Ok(()) } else { Err(ResponseFormatError::UnknownType { kind }) }
    }
}

impl TryFrom<&ResponseFormat> for Format {
    type Error = ResponseFormatError;

    fn try_from(own: &ResponseFormat) -> Result<Self, ResponseFormatError> {
        own.check()?;
        let schema = own.schema.as_ref().filter(|schema| !schema.is_null());
        Ok(match (own.kind.as_deref(), schema, &own.grammar, &own.structural_tag) {
            (Some("json_object"), Some(schema), ..) => Self::JsonSchema(value("schema", schema)?),
            (Some("json_object"), None, ..) => Self::JsonObject,
            (_, _, Some(text), _) => Self::Grammar { syntax: "ebnf".into(), text: text.clone() },
            (Some("structural_tag"), _, _, Some(tag)) => {
                Self::StructuralTag(value("structural_tag", tag)?)
            }
            _ => Self::Text,
        })
    }
}

/// A value, or that of its text.
fn value(member: &'static str, own: &Value) -> Result<Value, ResponseFormatError> {
    match own {
        Value::String(text) => serde_json::from_str(text)
            .map_err(|error| ResponseFormatError::NotJson { member, message: error.to_string() }),
        value => Ok(value.clone()),
    }
}
