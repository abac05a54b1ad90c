//! What is asked of a provider, whichever it is.

use serde_json::{Map, Value};

/// What the answer should be, and how it is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Intent {
    /// What the answer should be.
    pub kind: Kind,
    /// The name of the schema or of the custom tool, where the provider wants one.
    pub name: Option<String>,
    /// What the schema is about.
    pub description: Option<String>,
    /// What happens to what the provider cannot hold.
    pub on_unsupported: OnUnsupported,
    /// What happens to optional properties where the provider wants all of them.
    pub optional: Optional,
    /// Whether a root that the provider does not take may become a member of an object.
    pub root_wrap: RootWrap,
    /// Whether the order of properties is written out.
    pub property_order: PropertyOrder,
    /// Whether text may come inside a JSON string, where a pattern can be held only there.
    pub allow_json_wrap: bool,
    /// Whether a schema is sent as one, or as a grammar of our own.
    pub lower: Lower,
    /// The model, for what depends on it; without one, the newest generation.
    pub model: Option<String>,
    /// Whether the body turns thinking on.
    pub thinking: bool,
    /// How much effort the model should make, in the provider's own words.
    pub effort: Option<String>,
    /// Another intent for the same request.
    pub also: Option<Box<Intent>>,
}

/// What the answer should be.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Any text.
    Text,
    /// Any JSON object.
    JsonObject,
    /// JSON that is valid for a schema.
    JsonSchema(Value),
    /// One of these texts.
    Choice(Vec<String>),
    /// A text that a pattern matches as a whole.
    Regex(String),
    /// A text of a grammar.
    Grammar {
        /// `ebnf` (XGrammar's), `gbnf`, `lark` or `llguidance`.
        syntax: String,
        /// The grammar.
        text: String,
    },
    /// A structural tag of XGrammar.
    StructuralTag(Value),
    /// Calls of tools.
    Tools(Tools),
    /// Fields of the provider's own, only checked.
    Raw(Map<String, Value>),
}

/// Tools that may be called.
#[derive(Clone, PartialEq, Debug)]
pub struct Tools {
    /// The tools.
    pub tools: Vec<Tool>,
    /// Which must be called; `None` leaves it to the provider.
    pub choice: Option<ToolChoice>,
    /// Whether arguments are held to their schema; `None` leaves it to the provider.
    pub strict: Option<bool>,
}

/// A tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The schema of its arguments.
    pub parameters: Value,
}

/// Whether tools are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolChoice {
    /// As the model likes.
    Auto,
    /// None is.
    None,
    /// At least one is.
    Required,
    /// This one is.
    Named(String),
}

/// What happens to what the provider cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnUnsupported {
    /// It is an error with its place.
    #[default]
    Error,
    /// Keywords move to the description; the rest is an error.
    Describe,
    /// Keywords move to the description; what remains is asked for in the prompt.
    Degrade,
}

/// What happens to optional properties where the provider wants all of them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Optional {
    /// They may be null, and nulls are dropped on reading.
    #[default]
    Nullable,
    /// They are an error.
    Error,
}

/// Whether a root may be wrapped.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RootWrap {
    /// It is, where the provider does not take it.
    #[default]
    Auto,
    /// It is an error instead.
    Never,
}

/// Whether the order of properties is written out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PropertyOrder {
    /// Only where the model needs it.
    #[default]
    Implicit,
    /// Always, where the provider has a keyword for it.
    Explicit,
}

/// How a schema is sent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lower {
    /// As the provider's field for schemas.
    #[default]
    Schema,
    /// As a grammar that holds all of it, where the provider takes grammars: its own subset of
    /// schemas plays no part then.
    Grammar,
}

impl Intent {
    /// An intent with every option at its default.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            name: None,
            description: None,
            on_unsupported: OnUnsupported::default(),
            optional: Optional::default(),
            root_wrap: RootWrap::default(),
            property_order: PropertyOrder::default(),
            allow_json_wrap: false,
            lower: Lower::default(),
            model: None,
            thinking: false,
            effort: None,
            also: None,
        }
    }

    /// The same, degrading where the provider cannot constrain.
    #[must_use]
    pub fn degrading(self) -> Self {
        Self { on_unsupported: OnUnsupported::Degrade, ..self }
    }
}

impl Kind {
    /// The name that facts, errors and warnings use.
    #[must_use]
    pub fn feature(&self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::JsonObject => "json_object",
            Self::JsonSchema(_) => "json_schema",
            Self::Choice(_) => "choice",
            Self::Regex(_) => "regex",
            Self::Grammar { .. } => "grammar",
            Self::StructuralTag(_) => "structural_tag",
            Self::Tools(_) => "tools",
            Self::Raw(_) => "raw",
        }
    }
}
