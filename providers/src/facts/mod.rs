//! What is known about a provider: one data file each, with its date and its sources.
//!
//! Request shapes are templates in the data, so that a new provider of a known kind needs no Rust.

mod registry;
mod schema;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use registry::glob;
pub use registry::{FactsError, Providers};
pub(crate) use schema::{
    CaseOfEnums, Const, Limits, Objects, OtherKeywords, Patterns, PropertyOrdering, Recursion,
    RefSiblings, RefTargets, Required, Root, SchemaFacts,
};

/// What is known about one provider.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The name that a request asks for.
    pub provider: String,
    /// The scope of its problems; providers of one maker share it.
    pub family: String,
    /// Its name for people.
    pub title: String,
    /// The method and the path of a request.
    pub endpoint: Option<String>,
    /// The day on which this was so.
    pub as_of: String,
    /// Where it was found.
    pub sources: Vec<String>,
    /// What could not be confirmed.
    #[serde(default)]
    pub doubtful: Vec<String>,
    /// How messages are sent; none if the endpoint takes no chats.
    pub conversation: Option<Conversation>,
    /// The field, with the way to it, that bounds the tokens of an answer.
    pub tokens_max: Option<String>,
    /// Fields of every request that is answered at once.
    #[serde(default)]
    pub body: Map<String, Value>,
    pub(crate) names: Option<Names>,
    pub(crate) formats: BTreeMap<String, Way>,
    /// The formats inside structural tags that it knows; all, if there are none here.
    #[serde(default)]
    pub(crate) structural_tags: Vec<String>,
    pub(crate) answer: AnswerFacts,
    pub(crate) schema: SchemaFacts,
    pub(crate) tools: Option<ToolFacts>,
    pub(crate) effort: Option<Effort>,
    #[serde(default)]
    pub(crate) conflicts: Vec<Conflict>,
    #[serde(default)]
    pub(crate) raw: Vec<RawRule>,
    /// The forms of a blueprint that it takes, the strongest first.
    #[serde(default)]
    pub(crate) blueprint: Vec<String>,
    /// How structured output goes together with thinking.
    #[serde(default)]
    pub(crate) thinking: String,
}

/// How the messages of a chat are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conversation {
    /// `messages` of `role` and `content`.
    Messages,
    /// The same, with the system's words in `system`.
    SystemApart,
    /// Gemini's `contents` of `role` and `parts`.
    Contents,
    /// OpenAI's `input`.
    Input,
    /// The steps of Gemini's interactions.
    Steps,
}

/// The names that it takes: these characters (single ones and ranges), and not too many.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Names {
    pub(crate) characters: String,
    pub(crate) length_max: usize,
}

/// How one kind of intent is said.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Way {
    /// The fields, with gaps.
    pub(crate) fields: Option<Map<String, Value>>,
    /// It is said as another kind: `json_schema`, `regex`, `grammar:gbnf`, `structural_tag`.
    pub(crate) via: Option<String>,
    /// It cannot be said, by this rule.
    pub(crate) refused: Option<String>,
    /// Only as a JSON string that holds the text, which the caller must allow.
    pub(crate) json_wrap: bool,
    /// The syntaxes of a grammar.
    pub(crate) syntaxes: Vec<String>,
    /// Where the answer is, if it is not where text is.
    pub(crate) answer: Option<String>,
    pub(crate) warnings: Vec<String>,
    /// What it does besides, for `conflicts`.
    pub(crate) traits: Vec<String>,
    /// The name, where the intent has none.
    pub(crate) default_name: Option<String>,
    /// The schema is no constraint, for this reason: it goes as it is, and is a loss.
    pub(crate) advice: Option<String>,
}

/// Where an answer is, and how one that is none is told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerFacts {
    pub(crate) text: String,
    /// Items with this member set are no part of the answer.
    pub(crate) skip: Option<String>,
    #[serde(default)]
    pub(crate) several: Several,
    #[serde(default)]
    pub(crate) refusals: Vec<Sign>,
    #[serde(default)]
    pub(crate) truncations: Vec<Sign>,
}

/// What several texts at the place of the answer are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Several {
    /// Pieces of one.
    #[default]
    Joined,
    /// The first is the answer.
    First,
}

/// A value in a response that says something about the answer: one of these, or any but null.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sign {
    pub(crate) at: String,
    #[serde(default)]
    pub(crate) values: Vec<String>,
}

/// How tools are offered, and where calls come back.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolFacts {
    pub(crate) tool: Value,
    pub(crate) fields: Map<String, Value>,
    pub(crate) strict: Strict,
    pub(crate) strict_max: Option<usize>,
    pub(crate) choice: BTreeMap<String, Map<String, Value>>,
    /// What `auto` is where calls are strict.
    pub(crate) strict_auto: Option<Map<String, Value>>,
    /// A named tool is the only one that is sent.
    #[serde(default)]
    pub(crate) named_alone: bool,
    /// The models that take tools; all, if there are none here.
    #[serde(default)]
    pub(crate) models: Vec<String>,
    pub(crate) calls: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// How arguments are held to their schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Strict {
    /// By a flag of the tool.
    Flag,
    /// By a flag of the tool that is always written.
    WrittenFlag,
    /// By the mode of the tool choice.
    Mode,
    /// Where a call is required.
    Forced,
    /// Whatever is asked.
    Always,
    /// They are not.
    None,
}

/// How the effort of thinking is said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Effort {
    pub(crate) fields: Map<String, Value>,
    pub(crate) values: Vec<String>,
    /// They are sent in capitals.
    #[serde(default)]
    pub(crate) capitals: bool,
}

/// Traits that do not go together.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Conflict {
    pub(crate) all: Vec<String>,
    pub(crate) error: String,
}

/// A rule about fields of the provider's own; `at` is a member, or the whole body if it is empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RawRule {
    pub(crate) at: String,
    pub(crate) error: String,
    /// If this member is there …
    pub(crate) present: Option<String>,
    /// … these must have these values.
    pub(crate) needs: Map<String, Value>,
    /// If these have these values …
    pub(crate) when: Map<String, Value>,
    /// … this member must be there.
    pub(crate) needs_present: Option<String>,
    pub(crate) exactly_one: Vec<String>,
    pub(crate) at_most_one: Vec<String>,
    pub(crate) not_both: Vec<String>,
    /// The rule is off if a member has this value.
    pub(crate) unless: Map<String, Value>,
    /// Members that are ignored or refused.
    pub(crate) removed: Vec<String>,
}
