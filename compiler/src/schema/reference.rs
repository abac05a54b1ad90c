//! Where references lead: resources with their addresses, anchors, and the dynamic scope.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use super::SchemaError;
use super::address;
use super::document::{Document, Item, Json};
use super::draft::Draft;

/// Schemas by their addresses, which references may lead to.
pub type Remotes = BTreeMap<String, Value>;

/// The schemas of the drafts themselves, without their prose.
static METASCHEMAS: LazyLock<Remotes> =
    LazyLock::new(|| serde_json::from_str(include_str!("metaschemas.json")).unwrap_or_default());

/// How the schemas of one resource are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dialect {
    pub(super) draft: Draft,
    /// Whether the keywords that assert something beside applying schemas mean something.
    pub(super) asserts: bool,
    /// Whether formats are asserted whatever the options say.
    pub(super) formats: bool,
}

/// The resources that were entered on the way to a schema, outermost first, as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Scope(u32);

/// All resources of a schema, and of those that it refers to.
#[derive(Debug)]
pub(super) struct Resources {
    pub(super) document: Document,
    remotes: Arc<Remotes>,
    /// The root of each resource by its address.
    roots: HashMap<String, Item>,
    /// The address and the dialect of each resource by its root.
    resources: HashMap<Item, (String, Dialect)>,
    anchors: HashMap<(Item, String), Item>,
    dynamic: HashMap<(Item, String), Item>,
    scopes: Vec<Vec<Item>>,
    numbers: HashMap<Vec<Item>, Scope>,
    found: HashMap<Item, Item>,
    /// Whether identifiers below the roots mean anything.
    nested: bool,
    /// References that lead nowhere in their own resource and were followed in the whole text.
    pub(super) strayed: Vec<Item>,
}

/// Keywords whose value is a schema, a list of schemas, or an object of schemas.
const SINGLE: [&str; 12] = [
    "additionalProperties",
    "additionalItems",
    "items",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const MAPS: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

impl Resources {
    /// The resources of `source`.
    ///
    /// # Errors
    /// If it nests too deep.
    pub(super) fn new(source: &Value, remotes: Arc<Remotes>) -> Result<(Self, Item), SchemaError> {
        let mut resources = Self {
            document: Document::default(),
            remotes,
            roots: HashMap::new(),
            resources: HashMap::new(),
            anchors: HashMap::new(),
            dynamic: HashMap::new(),
            scopes: vec![Vec::new()],
            numbers: HashMap::from([(Vec::new(), Scope(0))]),
            found: HashMap::new(),
            nested: false,
            strayed: Vec::new(),
        };
        let root = resources.add(
            source,
            "",
            Dialect { draft: Draft::Unnamed, asserts: true, formats: false },
        )?;
        Ok((resources, root))
    }

    fn add(
        &mut self,
        source: &Value,
        address: &str,
        dialect: Dialect,
    ) -> Result<Item, SchemaError> {
        let root = self.document.add(source)?;
        let dialect = self.dialect(root).unwrap_or(dialect);
        self.roots.insert(address.to_owned(), root);
        self.resources.insert(root, (address.to_owned(), dialect));
        if self.document.is_named() {
            self.nested = true;
            self.index(root);
        }
        Ok(root)
    }

    /// The dialect that `$schema` of `schema` names.
    fn dialect(&self, schema: Item) -> Option<Dialect> {
        let name = self.document.string(self.document.member(schema, "$schema")?)?;
        if let Some(draft) = Draft::of(name) {
            return Some(Dialect { draft, asserts: true, formats: false });
        }
        let vocabularies = self.remotes.get(name.trim_end_matches('#'))?;
        let draft = vocabularies["$schema"].as_str().and_then(Draft::of)?;
        let listed = vocabularies["$vocabulary"].as_object()?;
        let asserts = listed.keys().any(|name| name.ends_with("/vocab/validation"));
        let formats = listed.keys().any(|name| name.ends_with("/vocab/format-assertion"));
        Some(Dialect { draft, asserts, formats })
    }

    /// Finds the identifiers and anchors of the schemas below `root`.
    fn index(&mut self, root: Item) {
        let mut queue = vec![(root, root)];
        while let Some((schema, resource)) = queue.pop() {
            if !self.document.is_object(schema) {
                continue;
            }
            let resource = self.identify(schema, resource);
            for part in self.document.parts(schema) {
                let key = self.document.key(part);
                let is_list = self.document.is_array(part);
                if LISTS.contains(&key) && is_list || MAPS.contains(&key) && !is_list {
                    queue.extend(self.document.parts(part).map(|schema| (schema, resource)));
                } else if SINGLE.contains(&key) {
                    queue.push((part, resource));
                }
            }
        }
    }

    /// Notes what `schema` in `resource` is called, and returns the resource that it is in.
    fn identify(&mut self, schema: Item, mut resource: Item) -> Item {
        let outer = &self.resources[&resource];
        let dialect = self.dialect(schema).unwrap_or(outer.1);
        let draft = dialect.draft;
        let text = |name: &str| {
            let value = self.document.member(schema, name)?;
            self.document.string(value).map(str::to_owned)
        };
        let ignored = draft.reference_stands_alone() && text("$ref").is_some();
        let old_name = draft == Draft::Unnamed && text("$id").is_none();
        let name = if old_name { None } else { text(draft.identifier()) };
        let (anchor, dynamic) = (text("$anchor"), text("$dynamicAnchor"));
        let recursive = self.document.member(schema, "$recursiveAnchor");
        let recursive = recursive.is_some_and(|v| self.document.get(v) == Json::Bool(true));
        if let Some(name) = name.filter(|_| !ignored) {
            let (place, fragment) = address::split(&name);
            let address = address::resolve(&outer.0, place);
            if !place.is_empty() {
                self.roots.insert(address.clone(), schema);
                self.resources.insert(schema, (address, dialect));
                resource = schema;
            }
            if !fragment.is_empty() && !fragment.starts_with('/') {
                self.anchors.insert((resource, fragment.to_owned()), schema);
            }
        }
        if draft >= Draft::Nineteen {
            if let Some(anchor) = anchor {
                self.anchors.insert((resource, anchor), schema);
            }
            if let Some(anchor) = dynamic {
                self.anchors.insert((resource, anchor.clone()), schema);
                self.dynamic.insert((resource, anchor), schema);
            }
            if recursive {
                self.dynamic.insert((resource, String::new()), schema);
            }
        }
        resource
    }

    /// The resource that `schema` is in.
    pub(super) fn resource(&self, schema: Item) -> Item {
        let mut at = schema;
        while !self.nested || !self.resources.contains_key(&at) {
            match self.document.parent(at) {
                Some(parent) => at = parent,
                None => return at,
            }
        }
        at
    }

    /// How `schema` is read.
    pub(super) fn dialect_of(&self, schema: Item) -> Dialect {
        if !self.nested {
            // There is one resource for each text.
            let root = self.document.root(schema);
            return self.resources[&root].1;
        }
        self.resources[&self.resource(schema)].1
    }

    /// The scope inside `schema`, which was reached in `scope`.
    pub(super) fn enter(&mut self, scope: Scope, schema: Item) -> Scope {
        if self.dynamic.is_empty() {
            return Scope::default();
        }
        let resource = self.resource(schema);
        let outer = &self.scopes[scope.0 as usize];
        if outer.contains(&resource) {
            return scope;
        }
        let mut inner = outer.clone();
        inner.push(resource);
        if let Some(known) = self.numbers.get(&inner) {
            return *known;
        }
        let number = Scope(self.scopes.len() as u32);
        self.scopes.push(inner.clone());
        self.numbers.insert(inner, number);
        number
    }

    /// The schema that the reference at `place` leads to.
    ///
    /// # Errors
    /// If it leads nowhere, or to a text that nests too deep.
    pub(super) fn resolve(&mut self, place: Item) -> Result<Item, SchemaError> {
        if let Some(found) = self.found.get(&place) {
            return Ok(*found);
        }
        let reference = self.document.string(place).unwrap_or_default().to_owned();
        let unresolved = |this: &Self, why: &str| {
            let message = format!("the reference `{reference}` {why}");
            SchemaError::unresolved(this.document.pointer(place), message)
        };
        let (to, fragment) = address::split(&reference);
        let own = self.resource(place);
        let resource = if to.is_empty() {
            own
        } else {
            let address = address::resolve(&self.resources[&own].0, to);
            match self.fetched(&address, own)? {
                Some(root) => root,
                None => return Err(unresolved(self, "leads out of the schema")),
            }
        };
        let target = if fragment.is_empty() {
            resource
        } else if fragment.starts_with('/') {
            let parts = address::pointer_parts(fragment);
            let parts = parts.ok_or_else(|| unresolved(self, "has a bad escape"))?;
            let from = |root| parts.iter().try_fold(root, |at, part| self.step(at, part));
            let mut found = from(resource);
            let whole = self.document.root(place);
            if found.is_none() && to.is_empty() && whole != resource {
                // Some tools give each part an identifier and refer to the whole text all the same.
                found = from(whole);
                if found.is_some() {
                    self.strayed.push(place);
                }
            }
            found.ok_or_else(|| unresolved(self, "leads nowhere"))?
        } else {
            let name = address::percent_decoded(fragment).unwrap_or_default();
            let found = self.anchors.get(&(resource, name)).copied();
            found.ok_or_else(|| unresolved(self, "names no anchor"))?
        };
        self.found.insert(place, target);
        Ok(target)
    }

    fn step(&self, at: Item, part: &str) -> Option<Item> {
        match self.document.get(at) {
            Json::Object => self.document.member(at, part),
            Json::Array => self.document.item(at, address::index(part)?),
            _ => None,
        }
    }

    fn fetched(&mut self, address: &str, from: Item) -> Result<Option<Item>, SchemaError> {
        if let Some(root) = self.roots.get(address) {
            return Ok(Some(*root));
        }
        let remotes = Arc::clone(&self.remotes);
        let given = remotes.get(address).or_else(|| remotes.get(&format!("{address}#")));
        let Some(source) = given.or_else(|| METASCHEMAS.get(address)) else { return Ok(None) };
        let dialect = self.resources[&from].1;
        self.nested = true;
        let root = self.add(source, address, dialect)?;
        self.nested = true;
        // Its own identifier may say otherwise, but it was asked for by this address.
        Ok(Some(root))
    }

    /// The schema that the dynamic reference at `place` leads to in `scope`.
    ///
    /// # Errors
    /// As [`Resources::resolve`].
    pub(super) fn resolve_dynamic(
        &mut self,
        place: Item,
        scope: Scope,
    ) -> Result<Item, SchemaError> {
        let target = self.resolve(place)?;
        let reference = self.document.string(place).unwrap_or_default();
        let name = address::split(reference).1.to_owned();
        let own = self.resource(target);
        if name.starts_with('/') || self.dynamic.get(&(own, name.clone())) != Some(&target) {
            return Ok(target);
        }
        let mut outer = self.scopes[scope.0 as usize].iter();
        let outermost = outer.find_map(|root| self.dynamic.get(&(*root, name.clone())));
        Ok(outermost.copied().unwrap_or(target))
    }
}
