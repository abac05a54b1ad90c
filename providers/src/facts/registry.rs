//! The providers that are known, from the data files and from the caller's own.

use serde_json::Value;
use thiserror::Error;

use super::Facts;
use crate::merge;
use crate::place::{Place, PlaceError};

/// The data files, in the order in which they are listed.
const FILES: &[&str] = &[
    include_str!("../../facts/openai_chat.json"),
    include_str!("../../facts/openai_responses.json"),
    include_str!("../../facts/anthropic.json"),
    include_str!("../../facts/gemini.json"),
    include_str!("../../facts/gemini_interactions.json"),
    include_str!("../../facts/ollama.json"),
    include_str!("../../facts/webllm.json"),
    include_str!("../../facts/vllm.json"),
    include_str!("../../facts/sglang.json"),
    include_str!("../../facts/sglang_native.json"),
    include_str!("../../facts/llamacpp_chat.json"),
    include_str!("../../facts/llamacpp_completion.json"),
    include_str!("../../facts/tgi_generate.json"),
    include_str!("../../facts/tgi_chat.json"),
    include_str!("../../facts/mistralrs.json"),
    include_str!("../../facts/lmstudio_rest.json"),
    include_str!("../../facts/lmstudio_sdk.json"),
];

/// What the engines behind them do with schemas, by the name that data files use.
const SCHEMAS: &[(&str, &str)] = &[
    ("openai", include_str!("../../facts/schema/openai.json")),
    ("anthropic", include_str!("../../facts/schema/anthropic.json")),
    ("gemini", include_str!("../../facts/schema/gemini.json")),
    ("llamacpp", include_str!("../../facts/schema/llamacpp.json")),
    ("xgrammar", include_str!("../../facts/schema/xgrammar.json")),
    ("vllm", include_str!("../../facts/schema/vllm.json")),
    ("sglang", include_str!("../../facts/schema/sglang.json")),
    ("llguidance", include_str!("../../facts/schema/llguidance.json")),
    ("outlines", include_str!("../../facts/schema/outlines.json")),
];

/// Facts that cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FactsError {
    /// It is no JSON, or not of the form.
    #[error("the facts of `{provider}` are not of the form: {source}")]
    Form {
        /// Whose facts.
        provider: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// It says nobody's facts.
    #[error("facts without `provider`")]
    Nobody,
    /// `schema` or `extends` is the name of nothing.
    #[error("the facts of `{provider}` name `{name}`, which is not known")]
    Unknown {
        /// Whose facts.
        provider: String,
        /// The name.
        name: String,
    },
    /// There is no such provider.
    #[error("there is no provider `{name}`; known are {}", .known.join(", "))]
    NoProvider {
        /// The name.
        name: String,
        /// All names.
        known: Vec<String>,
    },
    /// A place in a response is misspelled.
    #[error("the facts of `{provider}`: {source}")]
    Place {
        /// Whose facts.
        provider: String,
        /// What is wrong.
        source: PlaceError,
    },
}

/// The providers that are known.
#[derive(Clone, Debug)]
pub struct Providers {
    /// The facts before the model is known, in the order of the list.
    raw: Vec<(String, Value)>,
}

impl Providers {
    /// Those of the data files that come along.
    #[must_use]
    pub fn builtin() -> Self {
        let raw = FILES.iter().map(|text| {
            let value: Value = serde_json::from_str(text).expect("the data files are JSON");
            let name = value["provider"].as_str().expect("each names its provider");
            (name.to_owned(), value)
        });
        Self { raw: raw.collect() }
    }

    /// The same with the caller's own facts: a change of a known provider (RFC 7386), or a new one,
    /// which may build on another by `extends`.
    ///
    /// # Errors
    /// [`FactsError`] if what results cannot be read.
    pub fn with(mut self, facts: &Value) -> Result<Self, FactsError> {
        let name = facts["provider"].as_str().ok_or(FactsError::Nobody)?.to_owned();
        let mut change = facts.clone();
        let base = change.as_object_mut().and_then(|members| members.shift_remove("extends"));
        let known = |wanted: &str| self.raw.iter().position(|(name, _)| name == wanted);
        let mut value = match base.as_ref().and_then(Value::as_str) {
            Some(base) => {
                let unknown =
                    || FactsError::Unknown { provider: name.clone(), name: base.to_owned() };
                self.raw[known(base).ok_or_else(unknown)?].1.clone()
            }
            None => known(&name).map_or(Value::Null, |at| self.raw[at].1.clone()),
        };
        merge::patch(&mut value, &change);
        read(&name, &value, None)?;
        match known(&name) {
            Some(at) => self.raw[at].1 = value,
            None => self.raw.push((name, value)),
        }
        Ok(self)
    }

    /// The names of all, in the order of the list.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.raw.iter().map(|(name, _)| name.as_str())
    }

    /// What is known about a provider, for a model if one is given.
    ///
    /// # Errors
    /// [`FactsError`] if there is none of this name.
    pub fn facts(&self, name: &str, model: Option<&str>) -> Result<Facts, FactsError> {
        match self.raw.iter().find(|(known, _)| known == name) {
            Some((_, value)) => read(name, value, model),
            None => Err(FactsError::NoProvider {
                name: name.to_owned(),
                known: self.names().map(str::to_owned).collect(),
            }),
        }
    }
}

/// The facts for a model: those of its line, over those of the provider.
fn read(provider: &str, value: &Value, model: Option<&str>) -> Result<Facts, FactsError> {
    let mut value = value.clone();
    let models = value.as_object_mut().and_then(|members| members.shift_remove("models"));
    value["schema"] = schema(provider, &value["schema"])?;
    for line in models.as_ref().and_then(Value::as_array).into_iter().flatten() {
        let patterns = line["models"].as_array().into_iter().flatten();
        let mut patterns = patterns.filter_map(Value::as_str);
        if model.is_some_and(|model| patterns.any(|pattern| glob(pattern, model))) {
            merge::patch(&mut value, &line["facts"]);
        }
    }
    let facts: Facts = serde_json::from_value(value)
        .map_err(|source| FactsError::Form { provider: provider.to_owned(), source })?;
    places(&facts).map_err(|source| FactsError::Place { provider: provider.to_owned(), source })?;
    Ok(facts)
}

/// A schema's facts: those of a name, or an object with `extends` and changes.
fn schema(provider: &str, value: &Value) -> Result<Value, FactsError> {
    let named = |name: &str| {
        let unknown = || FactsError::Unknown { provider: provider.into(), name: name.into() };
        let (_, text) = SCHEMAS.iter().find(|(known, _)| *known == name).ok_or_else(unknown)?;
        serde_json::from_str::<Value>(text)
            .map_err(|source| FactsError::Form { provider: name.into(), source })
    };
    match value {
        Value::String(name) => named(name),
        Value::Object(members) => {
            let mut change = members.clone();
            match change.shift_remove("extends") {
                Some(Value::String(name)) => {
                    let mut base = named(&name)?;
                    merge::patch(&mut base, &Value::Object(change));
                    Ok(base)
                }
                _ => Ok(value.clone()),
            }
        }
        _ => Ok(value.clone()),
    }
}

/// Each place must be one.
fn places(facts: &Facts) -> Result<(), PlaceError> {
    let signs = facts.answer.refusals.iter().chain(&facts.answer.truncations);
    let tools = facts.tools.iter().flat_map(|tools| [&tools.calls, &tools.name, &tools.arguments]);
    let ways = facts.formats.values().filter_map(|way| way.answer.as_ref());
    let all = signs.map(|sign| &sign.at).chain(tools).chain(ways).chain([&facts.answer.text]);
    all.map(|text| text.parse::<Place>()).try_for_each(|place| place.map(drop))
}

/// Whether `text` is of the form `pattern`, in which `*` stands for any text.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
