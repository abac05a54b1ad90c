//! What a provider does with a JSON Schema.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What a provider does with a JSON Schema.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SchemaFacts {
    pub(crate) root: Root,
    pub(crate) objects: Objects,
    pub(crate) required: Required,
    /// Each schema must say what type it is.
    #[serde(default)]
    pub(crate) needs_type: bool,
    #[serde(default)]
    pub(crate) array_needs_items: bool,
    #[serde(default = "yes")]
    pub(crate) boolean_schemas: bool,
    /// The keywords that are held.
    pub(crate) keywords: Vec<String>,
    /// Keywords that are held where the type is `integer`.
    #[serde(default)]
    pub(crate) integer_keywords: Vec<String>,
    /// Keywords that are held where the type is `integer` or `number`.
    #[serde(default)]
    pub(crate) number_keywords: Vec<String>,
    /// What happens to all others …
    pub(crate) others: OtherKeywords,
    /// … but to these, which are refused.
    #[serde(default)]
    pub(crate) unsupported: Vec<String>,
    /// The formats that are held; all, if there are none here.
    #[serde(default)]
    pub(crate) formats: Vec<String>,
    #[serde(default)]
    pub(crate) annotations_refused: Vec<String>,
    /// A keyword is not held beside any of these.
    #[serde(default)]
    pub(crate) loses_beside: BTreeMap<String, Vec<String>>,
    /// What stands beside these is not held.
    #[serde(default)]
    pub(crate) alone: Vec<String>,
    #[serde(default)]
    pub(crate) pattern: Patterns,
    /// How a group begins that stands around a whole pattern.
    #[serde(default = "group")]
    pub(crate) pattern_group: String,
    #[serde(default, rename = "const")]
    pub(crate) constant: Const,
    #[serde(default)]
    pub(crate) scalar_enums: bool,
    #[serde(default)]
    pub(crate) enum_case: CaseOfEnums,
    pub(crate) min_items_max: Option<u64>,
    #[serde(default)]
    pub(crate) property_ordering: PropertyOrdering,
    pub(crate) ref_targets: RefTargets,
    pub(crate) recursion: Recursion,
    pub(crate) ref_siblings: RefSiblings,
    #[serde(default)]
    pub(crate) limits: Limits,
}

/// What the root must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Root {
    Any,
    /// A schema of objects.
    Object,
    /// A schema with `properties`.
    Properties,
}

/// What objects may have besides their properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Objects {
    /// Nothing, and it must be said.
    Closed,
    /// What the schema says.
    Open,
}

/// Which properties must be required.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Required {
    All,
    Some,
}

/// What happens to keywords that are not held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OtherKeywords {
    /// They are refused.
    Unsupported,
    /// They are dropped in silence.
    Ignored,
}

/// Which patterns are held.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Patterns {
    /// All.
    #[default]
    All,
    /// Those without look-around, back-references and word boundaries.
    Subset,
    /// Those of llama.cpp: anchored, of plain characters, classes and groups.
    Anchored,
}

/// How a constant is said.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Const {
    #[default]
    Const,
    /// As an enum of one.
    Enum,
}

/// Whether the letters of an enum come back as they are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CaseOfEnums {
    #[default]
    Exact,
    /// Their case may change.
    Loose,
}

/// Whether `propertyOrdering` is written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PropertyOrdering {
    /// There is no such keyword.
    #[default]
    Never,
    OnRequest,
    Always,
}

/// Where `$ref` may point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RefTargets {
    /// Anywhere in the schema.
    Any,
    /// To the root, and to members of `$defs` and `definitions`.
    Definitions,
}

/// Whether a schema may contain itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Recursion {
    Any,
    /// Only in properties that are not required.
    Optional,
    None,
}

/// What happens to what stands beside `$ref`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RefSiblings {
    /// It is held.
    Keep,
    /// Nothing may stand there: the target takes the place of the reference.
    Inline,
    /// Constraints are lost: for them, the target takes the place of the reference.
    InlineConstraints,
}

/// How much there may be.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// Levels of objects and arrays.
    pub(crate) depth: Option<u64>,
    pub(crate) properties: Option<u64>,
    /// Values of all enums.
    pub(crate) enum_values: Option<u64>,
    /// Characters of all names, enum values and constants.
    pub(crate) characters: Option<u64>,
    /// Characters of one enum of texts …
    pub(crate) enum_characters: Option<u64>,
    /// … that has more values than this.
    pub(crate) enum_characters_above: u64,
    pub(crate) optional_parameters: Option<u64>,
    pub(crate) union_parameters: Option<u64>,
}

fn yes() -> bool {
    true
}

fn group() -> String {
    "(?:".to_owned()
}
