//! Reads the keywords of one schema: checks each one's value, and notes where it stands.

use std::sync::Arc;

use super::SchemaError;
use super::document::{Document, Item, Json};
use super::draft::{Draft, Types};
use super::numbers::Decimal;

/// The keywords of a schema that mean something, by the places of their values.
#[derive(Clone, Debug)]
pub(super) struct Keywords {
    pub(super) types: Types,
    pub(super) reference: Option<Item>,
    pub(super) dynamic_reference: Option<Item>,
    pub(super) all_of: Option<Item>,
    pub(super) any_of: Option<Item>,
    pub(super) one_of: Option<Item>,
    pub(super) not: Option<Item>,
    pub(super) condition: Option<Item>,
    pub(super) then: Option<Item>,
    pub(super) otherwise: Option<Item>,
    pub(super) enumeration: Option<Item>,
    pub(super) constant: Option<Item>,
    pub(super) numbers: Numbers,
    pub(super) strings: Strings,
    pub(super) arrays: Arrays,
    pub(super) objects: Objects,
    /// How many keywords mean something.
    pub(super) count: u32,
}

/// The keywords that limit numbers.
#[derive(Clone, Default, Debug)]
pub(super) struct Numbers {
    pub(super) minimum: Option<Item>,
    pub(super) maximum: Option<Item>,
    pub(super) above: Option<Item>,
    pub(super) below: Option<Item>,
    pub(super) multiple_of: Option<Item>,
}

/// The keywords that limit strings.
#[derive(Clone, Default, Debug)]
pub(super) struct Strings {
    pub(super) length_min: u64,
    pub(super) length_max: Option<u64>,
    pub(super) pattern: Option<Item>,
    pub(super) format: Option<Item>,
}

/// The keywords that limit arrays.
#[derive(Clone, Default, Debug)]
pub(super) struct Arrays {
    /// The list of schemas of the first items.
    pub(super) first: Option<Item>,
    /// The schema of the other items.
    pub(super) rest: Option<Item>,
    pub(super) contains: Option<Item>,
    pub(super) contains_min: u64,
    pub(super) contains_max: Option<u64>,
    pub(super) unique: bool,
    pub(super) length_min: u64,
    pub(super) length_max: Option<u64>,
    pub(super) unevaluated: Option<Item>,
}

/// The keywords that limit objects.
#[derive(Clone, Default, Debug)]
pub(super) struct Objects {
    pub(super) properties: Option<Item>,
    pub(super) patterns: Option<Item>,
    pub(super) additional: Option<Item>,
    pub(super) names: Option<Item>,
    pub(super) required: Option<Item>,
    pub(super) size_min: u64,
    pub(super) size_max: Option<u64>,
    /// Members are lists of keys or schemas.
    pub(super) dependencies: Vec<Item>,
    pub(super) unevaluated: Option<Item>,
}

impl Default for Keywords {
    fn default() -> Self {
        Self {
            types: Types::ALL,
            reference: None,
            dynamic_reference: None,
            all_of: None,
            any_of: None,
            one_of: None,
            not: None,
            condition: None,
            then: None,
            otherwise: None,
            enumeration: None,
            constant: None,
            numbers: Numbers::default(),
            strings: Strings::default(),
            arrays: Arrays { contains_min: 1, ..Arrays::default() },
            objects: Objects::default(),
            count: 0,
        }
    }
}

/// What a place that should hold a schema holds.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Always,
    Never,
    Keywords(Arc<Keywords>),
}

impl Keywords {
    /// The types whose values its own keywords limit further than by their type.
    pub(super) fn limited(&self) -> Types {
        if self.enumeration.is_some() || self.constant.is_some() {
            return Types::ALL;
        }
        self.limited_by_others()
    }

    /// Whether anything but their list limits the values.
    pub(super) fn limited_beside_values(&self) -> bool {
        self.limited_by_others() != Types::NONE
    }

    fn limited_by_others(&self) -> Types {
        let (numbers, strings) = (&self.numbers, &self.strings);
        let (arrays, objects) = (&self.arrays, &self.objects);
        let bounds = [numbers.minimum, numbers.maximum, numbers.above, numbers.below];
        let number = numbers.multiple_of.is_some() || bounds.iter().any(Option::is_some);
        let string = strings.length_min > 0
            || strings.length_max.is_some()
            || strings.pattern.is_some()
            || strings.format.is_some();
        let array = arrays.first.is_some()
            || arrays.rest.is_some()
            || arrays.contains.is_some()
            || arrays.unique
            || arrays.length_min > 0
            || arrays.length_max.is_some()
            || arrays.unevaluated.is_some();
        let object = objects.properties.is_some()
            || objects.patterns.is_some()
            || objects.additional.is_some()
            || objects.names.is_some()
            || objects.required.is_some()
            || objects.size_min > 0
            || objects.size_max.is_some()
            || !objects.dependencies.is_empty()
            || objects.unevaluated.is_some();
        let limited = [
            (number, Types::NUMBER),
            (string, Types::STRING),
            (array, Types::ARRAY),
            (object, Types::OBJECT),
        ];
        limited.iter().filter(|limit| limit.0).fold(Types::NONE, |all, limit| all.or(limit.1))
    }

    /// Leaves only the keywords that apply schemas: the dialect takes the others as notes.
    pub(super) fn drop_assertions(&mut self) {
        let plain = Self::default();
        self.types = plain.types;
        self.enumeration = None;
        self.constant = None;
        self.numbers = plain.numbers;
        self.strings = Strings { format: self.strings.format, ..plain.strings };
        self.arrays = Arrays {
            first: self.arrays.first,
            rest: self.arrays.rest,
            contains: self.arrays.contains,
            unevaluated: self.arrays.unevaluated,
            ..plain.arrays
        };
        self.objects.required = None;
        self.objects.size_min = 0;
        self.objects.size_max = None;
    }
}

/// Reads the schema at `item`.
///
/// # Errors
/// If a keyword has a value that it cannot have.
pub(super) fn read(document: &Document, item: Item, draft: Draft) -> Result<Form, SchemaError> {
    match document.get(item) {
        Json::Bool(true) => return Ok(Form::Always),
        Json::Bool(false) => return Ok(Form::Never),
        Json::Object => {}
        _ => {
            let message = "a schema is an object or a boolean";
            return Err(SchemaError::invalid(document.pointer(item), message));
        }
    }
    let mut reader = Reader { document, draft, keywords: Keywords::default() };
    if draft.reference_stands_alone()
        && let Some(reference) = document.member(item, "$ref")
        && document.string(reference).is_some()
    {
        reader.keywords.reference = Some(reference);
        reader.keywords.count = 1;
        return Ok(Form::Keywords(Arc::new(reader.keywords)));
    }
    let mut additional_items = None;
    for (name, value) in document.members(item) {
        if name == "additionalItems" && draft.items_may_be_listed() {
            additional_items = Some(value);
        } else if reader.common(name, value)?
            || reader.number(name, value, item)?
            || reader.string(name, value)?
            || reader.array(name, value)?
            || reader.object(name, value)?
        {
            reader.keywords.count += 1;
        }
    }
    let listed = reader.keywords.arrays.first.is_some();
    if listed && reader.keywords.arrays.rest.is_none() {
        reader.keywords.arrays.rest = additional_items;
    }
    Ok(Form::Keywords(Arc::new(reader.keywords)))
}

struct Reader<'a> {
    document: &'a Document,
    draft: Draft,
    keywords: Keywords,
}

impl Reader<'_> {
    fn invalid(&self, value: Item, message: &str) -> SchemaError {
        let name = self.document.key(value);
        SchemaError::invalid(self.document.pointer(value), format!("`{name}` {message}"))
    }

    fn common(&mut self, name: &str, value: Item) -> Result<bool, SchemaError> {
        let keywords = &mut self.keywords;
        match name {
            "type" => self.keywords.types = self.types(value)?,
            "$ref" => {
                self.text(value)?;
                self.keywords.reference = Some(value);
            }
            "$dynamicRef" if self.draft >= Draft::Twenty => {
                self.text(value)?;
                self.keywords.dynamic_reference = Some(value);
            }
            "$recursiveRef" if self.draft == Draft::Nineteen => {
                self.text(value)?;
                self.keywords.dynamic_reference = Some(value);
            }
            "allOf" => self.keywords.all_of = Some(self.schemas(value)?),
            "anyOf" => self.keywords.any_of = Some(self.schemas(value)?),
            "oneOf" => self.keywords.one_of = Some(self.schemas(value)?),
            "not" => keywords.not = Some(value),
            "if" if self.draft >= Draft::Seven => keywords.condition = Some(value),
            "then" if self.draft >= Draft::Seven => keywords.then = Some(value),
            "else" if self.draft >= Draft::Seven => keywords.otherwise = Some(value),
            "enum" => {
                if !self.document.is_array(value) {
                    return Err(self.invalid(value, "is a list"));
                }
                self.keywords.enumeration = Some(value);
            }
            "const" if self.draft >= Draft::Six => keywords.constant = Some(value),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn number(&mut self, name: &str, value: Item, schema: Item) -> Result<bool, SchemaError> {
        let numbers = &mut self.keywords.numbers;
        let (slot, sibling) = match name {
            "minimum" => (&mut numbers.minimum, "exclusiveMinimum"),
            "maximum" => (&mut numbers.maximum, "exclusiveMaximum"),
            "exclusiveMinimum" => (&mut numbers.above, "minimum"),
            "exclusiveMaximum" => (&mut numbers.below, "maximum"),
            "multipleOf" => (&mut numbers.multiple_of, ""),
            _ => return Ok(false),
        };
        if let Json::Bool(strict) = self.document.get(value)
            && name.starts_with("exclusive")
            && matches!(self.draft, Draft::Four | Draft::Unnamed)
        {
            // Draft 4: it changes what its sibling means, and the other arm below skips that.
            *slot = self.document.member(schema, sibling).filter(|_| strict);
            return Ok(true);
        }
        let decimal = match self.document.get(value) {
            Json::Number(text) => Decimal::parse(text),
            _ => return Err(self.invalid(value, "is a number")),
        };
        *slot = Some(value);
        let Some(decimal) = decimal else {
            let message = "a number has too big an exponent";
            return Err(SchemaError::too_large(self.document.pointer(value), message));
        };
        if name == "multipleOf" && (decimal.negative || decimal.is_zero()) {
            return Err(self.invalid(value, "is above zero"));
        }
        Ok(true)
    }

    fn string(&mut self, name: &str, value: Item) -> Result<bool, SchemaError> {
        match name {
            "minLength" => self.keywords.strings.length_min = self.count(value)?,
            "maxLength" => self.keywords.strings.length_max = Some(self.count(value)?),
            "pattern" => {
                self.text(value)?;
                self.keywords.strings.pattern = Some(value);
            }
            "format" => {
                if self.document.string(value).is_some() {
                    self.keywords.strings.format = Some(value);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn array(&mut self, name: &str, value: Item) -> Result<bool, SchemaError> {
        match name {
            "items" if self.document.is_array(value) && self.draft.items_may_be_listed() => {
                self.keywords.arrays.first = Some(value);
            }
            "items" => self.keywords.arrays.rest = Some(value),
            "prefixItems" if self.draft >= Draft::Twenty => {
                self.keywords.arrays.first = Some(self.schemas(value)?);
            }
            "contains" if self.draft >= Draft::Six => self.keywords.arrays.contains = Some(value),
            "minContains" if self.draft >= Draft::Nineteen => {
                self.keywords.arrays.contains_min = self.count(value)?;
            }
            "maxContains" if self.draft >= Draft::Nineteen => {
                self.keywords.arrays.contains_max = Some(self.count(value)?);
            }
            "uniqueItems" => match self.document.get(value) {
                Json::Bool(unique) => self.keywords.arrays.unique = unique,
                _ => return Err(self.invalid(value, "is a boolean")),
            },
            "minItems" => self.keywords.arrays.length_min = self.count(value)?,
            "maxItems" => self.keywords.arrays.length_max = Some(self.count(value)?),
            "unevaluatedItems" if self.draft >= Draft::Nineteen => {
                self.keywords.arrays.unevaluated = Some(value);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn object(&mut self, name: &str, value: Item) -> Result<bool, SchemaError> {
        match name {
            "properties" => self.keywords.objects.properties = Some(self.map(value)?),
            "patternProperties" => self.keywords.objects.patterns = Some(self.map(value)?),
            "additionalProperties" => self.keywords.objects.additional = Some(value),
            "propertyNames" if self.draft >= Draft::Six => {
                self.keywords.objects.names = Some(value);
            }
            "required" => {
                // Draft 3 says it of each property; the later ones say nothing of a boolean.
                if matches!(self.document.get(value), Json::Bool(_)) && self.is_old() {
                    return Ok(false);
                }
                self.keywords.objects.required = Some(self.names(value)?);
            }
            "minProperties" => self.keywords.objects.size_min = self.count(value)?,
            "maxProperties" => self.keywords.objects.size_max = Some(self.count(value)?),
            "dependencies" => {
                let map = self.map(value)?;
                self.keywords.objects.dependencies.push(map);
            }
            "dependentRequired" | "dependentSchemas" if self.draft >= Draft::Nineteen => {
                let map = self.map(value)?;
                if name == "dependentRequired" {
                    for list in self.document.parts(map) {
                        self.names(list)?;
                    }
                }
                self.keywords.objects.dependencies.push(map);
            }
            "unevaluatedProperties" if self.draft >= Draft::Nineteen => {
                self.keywords.objects.unevaluated = Some(value);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn is_old(&self) -> bool {
        self.draft <= Draft::Seven || self.draft == Draft::Unnamed
    }

    fn text(&self, value: Item) -> Result<(), SchemaError> {
        match self.document.string(value) {
            Some(_) => Ok(()),
            None => Err(self.invalid(value, "is a text")),
        }
    }

    fn map(&self, value: Item) -> Result<Item, SchemaError> {
        if self.document.is_object(value) {
            return Ok(value);
        }
        Err(self.invalid(value, "is an object"))
    }

    fn schemas(&self, value: Item) -> Result<Item, SchemaError> {
        if self.document.is_array(value) && self.document.size(value) > 0 {
            return Ok(value);
        }
        Err(self.invalid(value, "is a list with a schema in it"))
    }

    /// A list of texts.
    fn names(&self, value: Item) -> Result<Item, SchemaError> {
        let document = self.document;
        let are_texts = document.parts(value).all(|name| document.string(name).is_some());
        if document.is_array(value) && are_texts {
            return Ok(value);
        }
        Err(self.invalid(value, "is a list of texts"))
    }

    fn types(&self, value: Item) -> Result<Types, SchemaError> {
        let one = |item: Item| match self.document.string(item) {
            Some(name) => Types::of(name).ok_or_else(|| {
                let message = format!("there is no type `{name}`");
                SchemaError::invalid(self.document.pointer(item), message)
            }),
            None => Err(self.invalid(value, "is a name or a list of names")),
        };
        if !self.document.is_array(value) {
            return one(value);
        }
        if self.document.size(value) == 0 {
            return Err(self.invalid(value, "is empty"));
        }
        let names = self.document.parts(value);
        names.map(one).try_fold(Types::NONE, |all, name| Ok(all.or(name?)))
    }

    /// A whole number that is not negative, however it is spelled. One that is too big to count
    /// to is as good as the biggest.
    fn count(&self, value: Item) -> Result<u64, SchemaError> {
        let decimal = match self.document.get(value) {
            Json::Number(text) => Decimal::parse(text),
            _ => return Err(self.invalid(value, "is a number of things")),
        };
        let Some(decimal) = decimal.filter(|d| d.is_integer() && (!d.negative || d.is_zero()))
        else {
            return Err(self.invalid(value, "is a number of things"));
        };
        Ok(decimal.plain_integer(20).and_then(|digits| digits.parse().ok()).unwrap_or(u64::MAX))
    }
}
