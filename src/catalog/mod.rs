//! Catalogs of templates, one for each output format: the one that ships with the crate, and
//! folders of a user's own that build on it.

mod metadata;

use std::collections::BTreeMap;
use std::sync::Arc;

use blueprints_compiler::{Blueprint, Diagnostics, Folder, LoadError, Loader};

pub use metadata::{Metadata, fingerprint};

/// Names and texts, in the order of the names.
const TEMPLATES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/catalog.rs"));
/// The pieces that templates share: names with their folder, and texts.
const SHARED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shared.rs"));
/// How the files of a catalog end whose names are those of its templates.
const ENDING: &str = ".blueprint.jinja";

/// A catalog of templates by name.
///
/// As a [`Loader`] it lets other templates include or extend its own.
///
/// # Examples
/// ```
/// use blueprints::{Catalog, MatchText};
///
/// let hermes = Catalog::builtin().get("hermes")?;
/// let request = r#"{"tools": [{"name": "now"}], "tool_choice": "required"}"#;
/// let outline = hermes.outline(serde_json::from_str::<serde_json::Value>(request)?)?;
/// let call = r#"{"name": "now", "arguments": {}}"#;
/// assert!(outline.is_match(&format!("<tool_call>\n{call}\n</tool_call><|im_end|>"))?);
/// assert!(!outline.is_match(call)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Catalog {
    /// The files of a folder by their paths; `None` for what ships with the crate.
    own: Option<Arc<BTreeMap<String, String>>>,
}

impl Catalog {
    /// The catalog of this crate.
    #[must_use]
    pub fn builtin() -> Self {
        Self::default()
    }

    /// The catalog of the files `NAME.blueprint.jinja` in a folder. Its templates include each
    /// other, the other `.jinja` files of the folder, and those of the catalog of this crate:
    /// `{% extends "hermes" %}`.
    ///
    /// # Errors
    /// [`LoadError`] if the folder or a file in it cannot be read.
    pub fn from_folder(folder: &Folder) -> Result<Self, LoadError> {
        let mut own = BTreeMap::new();
        for path in folder.paths(".jinja")? {
            if let Some(text) = folder.load(&path)? {
                own.insert(path, text);
            }
        }
        Ok(Self { own: Some(Arc::new(own)) })
    }

    /// The names of its templates, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().flat_map(|own| own.keys());
        let own = own.filter_map(|path| path.strip_suffix(ENDING));
        let own = own.filter(|name| !name.contains('/'));
        let builtin = if self.own.is_none() { TEMPLATES } else { &[] };
        own.chain(builtin.iter().map(|(name, _)| *name))
    }

    /// The text of the template `name`.
    #[must_use]
    pub fn source(&self, name: &str) -> Option<&str> {
        match &self.own {
            Some(own) => own.get(&format!("{name}{ENDING}")).map(String::as_str),
            None => found(TEMPLATES, name),
        }
    }

    /// The blueprint `name`.
    ///
    /// # Errors
    /// [`Code::NotFound`](blueprints_compiler::Code::NotFound) if there is no such template.
    pub fn get(&self, name: &str) -> Result<Blueprint, Diagnostics> {
        Blueprint::with_loader(name, self.clone())
    }

    /// What the header comment of the template `name` says of it.
    #[must_use]
    pub fn metadata(&self, name: &str) -> Option<Metadata> {
        self.source(name).and_then(Metadata::read)
    }

    /// The templates for a model, by its name on a hub such as `Qwen/Qwen3-8B`: those whose header
    /// comment names what the name begins with, or what stands in it first; of several the longest.
    ///
    /// # Complexity
    /// O(size of the catalog).
    #[must_use]
    pub fn for_model(&self, model: &str) -> Vec<&str> {
        let fit = |name: &str| self.metadata(name).and_then(|known| known.fit(model));
        let fits: Vec<_> = self.names().filter_map(|name| Some((name, fit(name)?))).collect();
        let best = fits.iter().map(|(_, fit)| *fit).max();
        fits.into_iter().filter(|(_, fit)| Some(*fit) == best).map(|(name, _)| name).collect()
    }

    /// The templates whose header comment has the [`fingerprint`] of a chat template.
    ///
    /// # Complexity
    /// O(size of the catalog + bytes of the chat template).
    #[must_use]
    pub fn for_chat_template(&self, template: &str) -> Vec<&str> {
        let print = fingerprint(template);
        let has = |name: &&str| {
            self.metadata(name).is_some_and(|known| known.fingerprints.contains(&print))
        };
        self.names().filter(has).collect()
    }
}

impl Loader for Catalog {
    fn load(&self, name: &str) -> Result<Option<String>, LoadError> {
        let own = self.own.as_deref();
        let file = own.and_then(|own| own.get(name)).map(String::as_str);
        let builtin = || found(TEMPLATES, name).or_else(|| found(SHARED, name));
        Ok(file.or_else(|| self.source(name)).or_else(builtin).map(str::to_owned))
    }
}

fn found(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    let at = table.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(table[at].1)
}
