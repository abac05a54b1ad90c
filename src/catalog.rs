//! The templates that ship with the crate: one file for each output format, below blueprints/.

use blueprints_compiler::{Blueprint, Diagnostics, LoadError, Loader};

/// Names and texts, in the order of the names.
const TEMPLATES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/catalog.rs"));

/// A catalog of templates by name.
///
/// As a [`Loader`] it lets other templates include or extend its own.
///
/// # Examples
/// ```
/// use blueprints::{Catalog, MatchText};
///
/// let hermes = Catalog::builtin().get("hermes")?;
/// let tools = r#"{"tools": [{"name": "now", "parameters": {"type": "object"}}]}"#;
/// let outline = hermes.outline(serde_json::from_str::<serde_json::Value>(tools)?)?;
/// let call = r#"{"name": "now", "arguments": {}}"#;
/// assert!(outline.is_match(&format!("<tool_call>\n{call}\n</tool_call><|im_end|>"))?);
/// assert!(!outline.is_match(call)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Catalog {
    templates: &'static [(&'static str, &'static str)],
}

impl Catalog {
    /// The catalog of this crate.
    #[must_use]
    pub fn builtin() -> Self {
        Self { templates: TEMPLATES }
    }

    /// The names of its templates, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.templates.iter().map(|(name, _)| *name)
    }

    /// The text of the template `name`.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<&'static str> {
        let at = self.templates.binary_search_by_key(&name, |(name, _)| name).ok()?;
        Some(self.templates[at].1)
    }

    /// The blueprint `name`.
    ///
    /// # Errors
    /// [`Code::NotFound`](blueprints_compiler::Code::NotFound) if there is no such template.
    pub fn get(&self, name: &str) -> Result<Blueprint, Diagnostics> {
        Blueprint::with_loader(name, *self)
    }
}

impl Loader for Catalog {
    fn load(&self, name: &str) -> Result<Option<String>, LoadError> {
        Ok(self.source(name).map(str::to_owned))
    }
}
