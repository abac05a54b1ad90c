//! The schemas in use: their keywords, the formulas over them, and what is known of each.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::SchemaError;
use super::document::{Document, Item, Json};
use super::draft::{Draft, Types};
use super::empty::Looking;
use super::formula::{Form, Formula, Formulas, Node};
use super::keywords::{self, Keywords};
use super::normal::Known;
use super::objects::names::Names;
use super::options::{Formats, SchemaOptions};
use super::reference::{Resources, Scope};
use super::strings::{FormatMeaning, PatternFault, StringLanguage, TooLarge};

/// The most references that lead from one to the next.
const REFERENCES_MAX: usize = 256;
/// So many sets are joined one after the other.
const FEW_SETS: usize = 1_000;
/// The most schemas that are read.
const SCHEMAS_MAX: usize = 1 << 18;
/// The deepest nest of formulas inside one another at one place of the text.
pub(super) const DEPTH_MAX: usize = 256;

/// Schemas on their way to languages.
#[derive(Debug)]
pub(super) struct Schemas {
    pub(super) resources: Resources,
    pub(super) options: SchemaOptions,
    pub(super) formulas: Formulas,
    pub(super) known: Known,
    pub(super) names: Names,
    pub(super) root: Formula,
    pub(super) relaxed: Vec<SchemaError>,
    /// Older spellings that were read as they were meant.
    pub(super) repaired: Vec<SchemaError>,
    keywords: HashMap<Item, keywords::Form>,
    applied: HashMap<Node, Arc<[Formula]>>,
    patterns: HashMap<Box<str>, StringLanguage>,
    /// How deep the formulas that are being looked at are nested.
    pub(super) depth: usize,
    pub(super) looking: Looking,
    /// How many formulas were looked into for values.
    pub(super) work: usize,
    /// Values of the document by a text that equal ones have in common.
    pub(super) constants: HashMap<String, Item>,
    /// Formulas by what they say.
    pub(super) representatives: HashMap<String, Formula>,
    /// The formulas that references lead to.
    pub(super) targets: HashSet<Formula>,
}

impl Schemas {
    /// The schemas of `source`; none but the root is read.
    ///
    /// # Errors
    /// If it nests too deep, or the root is no schema.
    pub(super) fn new(source: &Value, options: &SchemaOptions) -> Result<Self, SchemaError> {
        let (resources, root) = Resources::new(source, Arc::clone(&options.remotes))?;
        let mut schemas = Self {
            resources,
            options: options.clone(),
            formulas: Formulas::default(),
            known: Known::default(),
            names: Names::default(),
            root: Formula::FALSE,
            relaxed: Vec::new(),
            repaired: Vec::new(),
            keywords: HashMap::new(),
            applied: HashMap::new(),
            patterns: HashMap::new(),
            depth: 0,
            looking: Looking::default(),
            work: 0,
            constants: HashMap::new(),
            targets: HashSet::new(),
            representatives: HashMap::new(),
        };
        schemas.root = schemas.formula(root, Scope::default())?;
        Ok(schemas)
    }

    pub(super) fn document(&self) -> &Document {
        &self.resources.document
    }

    pub(super) fn pointer(&self, item: Item) -> String {
        self.resources.document.pointer(item)
    }

    pub(super) fn draft(&self, schema: Item) -> Draft {
        self.resources.dialect_of(schema).draft
    }

    /// The keywords of `schema`.
    ///
    /// # Errors
    /// If it is no schema.
    pub(super) fn read(&mut self, schema: Item) -> Result<keywords::Form, SchemaError> {
        if let Some(known) = self.keywords.get(&schema) {
            return Ok(known.clone());
        }
        if self.keywords.len() >= SCHEMAS_MAX {
            let message = format!("there are more than {SCHEMAS_MAX} schemas");
            return Err(SchemaError::too_large(self.pointer(schema), message));
        }
        let dialect = self.resources.dialect_of(schema);
        let mut form = keywords::read(&self.resources.document, schema, dialect.draft)?;
        if !dialect.asserts
            && let keywords::Form::Keywords(keywords) = &mut form
        {
            Arc::make_mut(keywords).drop_assertions();
        }
        self.keywords.insert(schema, form.clone());
        Ok(form)
    }

    /// The keywords of a node, which are known to be an object.
    pub(super) fn keywords(&mut self, node: Node) -> Result<Arc<Keywords>, SchemaError> {
        Ok(match self.read(node.schema)? {
            keywords::Form::Keywords(keywords) => keywords,
            _ => Arc::default(),
        })
    }

    /// The formula of the schema at `item`, which was reached in `scope`.
    ///
    /// # Errors
    /// If it is no schema, or a reference leads nowhere or in a circle.
    pub(super) fn formula(&mut self, item: Item, scope: Scope) -> Result<Formula, SchemaError> {
        let (mut schema, mut scope) = (item, self.resources.enter(scope, item));
        for _ in 0..REFERENCES_MAX {
            let keywords = match self.read(schema)? {
                keywords::Form::Always => return Ok(Formula::TRUE),
                keywords::Form::Never => return Ok(Formula::FALSE),
                keywords::Form::Keywords(keywords) => keywords,
            };
            match (keywords.count, keywords.reference) {
                (0, _) => return Ok(Formula::TRUE),
                (1, Some(place)) => {
                    schema = self.resources.resolve(place)?;
                    scope = self.resources.enter(scope, schema);
                }
                _ => {
                    let found = self.formulas.node(Node { schema, scope });
                    if schema != item {
                        self.targets.insert(found);
                    }
                    return Ok(found);
                }
            }
        }
        let message = "the schema refers to itself without anything between";
        Err(SchemaError::invalid(self.pointer(item), message))
    }

    /// The formulas that a value of `node` must also satisfy, besides what its own keywords say.
    ///
    /// # Errors
    /// As [`Schemas::formula`].
    pub(super) fn applied(&mut self, node: Node) -> Result<Arc<[Formula]>, SchemaError> {
        if let Some(known) = self.applied.get(&node) {
            return Ok(Arc::clone(known));
        }
        let keywords = self.keywords(node)?;
        let mut parts = Vec::new();
        if let Some(place) = keywords.reference {
            let target = self.resources.resolve(place)?;
            let target = self.formula(target, node.scope)?;
            self.targets.insert(target);
            parts.push(target);
        }
        if let Some(place) = keywords.dynamic_reference {
            let target = self.resources.resolve_dynamic(place, node.scope)?;
            let target = self.formula(target, node.scope)?;
            self.targets.insert(target);
            parts.push(target);
        }
        if let Some(list) = keywords.all_of {
            parts.extend(self.list(list, node.scope)?);
        }
        if let Some(list) = keywords.any_of {
            let arms = self.list(list, node.scope)?;
            parts.push(self.formulas.any(arms));
        }
        if let Some(list) = keywords.one_of {
            let arms = self.list(list, node.scope)?;
            parts.push(self.formulas.one(arms));
        }
        if let Some(not) = keywords.not {
            let inner = self.formula(not, node.scope)?;
            parts.push(self.formulas.not(inner));
        }
        if let Some([condition, then, otherwise]) = self.condition(&keywords, node.scope)? {
            let not = self.formulas.not(condition);
            parts.push(self.formulas.any([not, then]));
            parts.push(self.formulas.any([condition, otherwise]));
        }
        parts.retain(|part| *part != Formula::TRUE);
        let parts: Arc<[Formula]> = parts.into();
        self.applied.insert(node, Arc::clone(&parts));
        Ok(parts)
    }

    /// The formulas of `if`, `then` and `else`, if there is an `if` and either of them.
    pub(super) fn condition(
        &mut self,
        keywords: &Keywords,
        scope: Scope,
    ) -> Result<Option<[Formula; 3]>, SchemaError> {
        let Some(condition) = keywords.condition else { return Ok(None) };
        let mut formula = |schema: Option<Item>| match schema {
            Some(schema) => self.formula(schema, scope),
            None => Ok(Formula::TRUE),
        };
        let condition = formula(Some(condition))?;
        Ok(Some([condition, formula(keywords.then)?, formula(keywords.otherwise)?]))
    }

    /// The formulas of a list of schemas.
    pub(super) fn list(&mut self, list: Item, scope: Scope) -> Result<Vec<Formula>, SchemaError> {
        self.document().parts(list).map(|schema| self.formula(schema, scope)).collect()
    }

    /// The strings in which the pattern at `place`, a text or a key, is found.
    ///
    /// # Errors
    /// If it is no pattern, or cannot be held.
    pub(super) fn pattern(
        &mut self,
        pattern: &str,
        place: Item,
    ) -> Result<StringLanguage, SchemaError> {
        if let Some(known) = self.patterns.get(pattern) {
            return Ok(known.clone());
        }
        let language = match StringLanguage::pattern(pattern) {
            Ok(language) => language,
            Err(PatternFault::Refused(error)) => {
                let range = error.range.clone();
                let message = format!("{error} (bytes {} to {})", range.start, range.end);
                let error = SchemaError::unsupported(self.pointer(place), message);
                self.relax(error)?;
                StringLanguage::all()
            }
            Err(PatternFault::TooLarge(error)) => return Err(self.too_large(place, &error)),
        };
        self.patterns.insert(pattern.into(), language.clone());
        Ok(language)
    }

    /// The strings of the format at `place`; `None` if it says nothing.
    ///
    /// # Errors
    /// If it cannot be held.
    pub(super) fn format(&mut self, place: Item) -> Result<Option<StringLanguage>, SchemaError> {
        let dialect = self.resources.dialect_of(place);
        if self.options.formats == Formats::Annotate && !dialect.formats {
            return Ok(None);
        }
        let name = self.document().string(place).unwrap_or_default();
        let meaning = StringLanguage::format(name, dialect.draft <= Draft::Six);
        match meaning.map_err(|error| self.too_large(place, &error))? {
            FormatMeaning::Language(language) => Ok(Some(language)),
            FormatMeaning::Annotation => Ok(None),
            FormatMeaning::Refused(reason) => {
                let message = format!("format `{name}` cannot be held: {reason}");
                self.relax(SchemaError::unsupported(self.pointer(place), message))?;
                Ok(None)
            }
        }
    }

    /// Refuses what cannot be held, or notes that it is not.
    pub(super) fn relax(&mut self, error: SchemaError) -> Result<(), SchemaError> {
        if !self.options.lenient {
            return Err(error);
        }
        if !self.relaxed.contains(&error) {
            self.relaxed.push(error);
        }
        Ok(())
    }

    /// `sets` joined: many of them two by two, so that long lists are not gone through once for
    /// each of them; `None` if there are none. A few go one after the other, so that a limit is
    /// met before much else is made.
    pub(super) fn folded<T>(
        &self,
        formula: Formula,
        mut sets: Vec<T>,
        join: impl Fn(&T, &T) -> Result<T, TooLarge>,
    ) -> Result<Option<T>, SchemaError> {
        if sets.len() <= FEW_SETS {
            let mut all: Option<T> = None;
            for set in sets {
                all = Some(match all {
                    Some(all) => self.within(formula, join(&all, &set))?,
                    None => set,
                });
            }
            return Ok(all);
        }
        while sets.len() > 1 {
            let mut next = Vec::with_capacity(sets.len().div_ceil(2));
            let mut pairs = sets.into_iter();
            while let Some(one) = pairs.next() {
                next.push(match pairs.next() {
                    Some(two) => self.within(formula, join(&one, &two))?,
                    None => one,
                });
            }
            sets = next;
        }
        Ok(sets.pop())
    }

    pub(super) fn within<T>(
        &self,
        formula: Formula,
        found: Result<T, TooLarge>,
    ) -> Result<T, SchemaError> {
        found.map_err(|error| self.too_large(self.place(formula), &error))
    }

    pub(super) fn too_large(&self, place: Item, error: &TooLarge) -> SchemaError {
        SchemaError::too_large(self.pointer(place), error.to_string())
    }

    /// A schema that `formula` speaks of, for messages.
    pub(super) fn place(&self, formula: Formula) -> Item {
        let mut at = formula;
        loop {
            at = match self.formulas.get(at) {
                Form::True | Form::False => return Item(0),
                Form::Node(node) => return node.schema,
                Form::Constant(item) => return *item,
                Form::Not(inner) => *inner,
                Form::All(parts) | Form::Any(parts) | Form::One(parts) => parts[0],
            };
        }
    }

    /// The type of a value of the document, whose numbers are integers or not by their value.
    pub(super) fn types_of(&self, value: Item) -> Types {
        match self.document().get(value) {
            Json::Null => Types::NULL,
            Json::Bool(_) => Types::BOOLEAN,
            Json::String(_) => Types::STRING,
            Json::Number(_) => Types::NUMBER,
            Json::Array => Types::ARRAY,
            Json::Object => Types::OBJECT,
        }
    }
}
