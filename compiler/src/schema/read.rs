//! Reads one schema: checks each keyword's value, and sorts what is held from what is noted.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::numbers::Decimal;
use super::options::{Formats, SchemaOptions};
use super::reference::child;
use super::{SchemaError, SchemaFault};

/// A draft of the standard, as far as it changes the meaning of what is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Draft {
    Four,
    Six,
    Seven,
    Later,
}

/// A set of JSON types. A number is an integer or it is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const STRING: Self = Self(4);
    pub(super) const INTEGER: Self = Self(8);
    /// Integers and all other numbers.
    pub(super) const NUMBER: Self = Self(8 | 16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ALL: Self = Self(127);

    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "string" => Self::STRING,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A schema that was read.
pub(super) enum Form<'a> {
    /// `true`.
    Always,
    /// `false`.
    Never,
    /// An object.
    Keywords(Box<Keywords<'a>>),
}

/// The keywords of a schema that are held.
pub(super) struct Keywords<'a> {
    pub(super) types: Types,
    pub(super) reference: Option<&'a str>,
    pub(super) any_of: Option<&'a [Value]>,
    pub(super) enumeration: Option<&'a [Value]>,
    pub(super) constant: Option<&'a Value>,
    pub(super) min_length: u32,
    pub(super) max_length: Option<u32>,
    pub(super) pattern: Option<&'a str>,
    pub(super) items: Option<&'a Value>,
    pub(super) min_items: u32,
    pub(super) max_items: Option<u32>,
    pub(super) properties: Option<&'a Map<String, Value>>,
    pub(super) required: Vec<&'a str>,
    pub(super) additional: Option<&'a Value>,
    /// The keywords present that only limit values of these types, in the schema's order.
    pub(super) limits: Vec<(&'a str, Types)>,
}

/// How a schema is read.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub(super) draft: Draft,
    pub(super) options: SchemaOptions,
}

const ANNOTATIONS: [&str; 17] = [
    "title",
    "description",
    "default",
    "examples",
    "$comment",
    "readOnly",
    "writeOnly",
    "deprecated",
    "contentMediaType",
    "contentEncoding",
    "contentSchema",
    "$defs",
    "definitions",
    "$anchor",
    "$dynamicAnchor",
    "minContains",
    "maxContains",
];

/// Keywords of the standard that are refused, and the types that they limit.
const REFUSED: [(&str, Types); 32] = [
    ("allOf", Types::ALL),
    ("oneOf", Types::ALL),
    ("not", Types::ALL),
    ("if", Types::ALL),
    ("$dynamicRef", Types::ALL),
    ("$recursiveRef", Types::ALL),
    ("$recursiveAnchor", Types::ALL),
    ("$vocabulary", Types::ALL),
    ("extends", Types::ALL),
    ("disallow", Types::ALL),
    ("minimum", Types::NUMBER),
    ("maximum", Types::NUMBER),
    ("exclusiveMinimum", Types::NUMBER),
    ("exclusiveMaximum", Types::NUMBER),
    ("multipleOf", Types::NUMBER),
    ("divisibleBy", Types::NUMBER),
    ("prefixItems", Types::ARRAY),
    ("additionalItems", Types::ARRAY),
    ("contains", Types::ARRAY),
    ("uniqueItems", Types::ARRAY),
    ("unevaluatedItems", Types::ARRAY),
    ("patternProperties", Types::OBJECT),
    ("propertyNames", Types::OBJECT),
    ("minProperties", Types::OBJECT),
    ("maxProperties", Types::OBJECT),
    ("dependencies", Types::OBJECT),
    ("dependentRequired", Types::OBJECT),
    ("dependentSchemas", Types::OBJECT),
    ("unevaluatedProperties", Types::OBJECT),
    ("then", Types::ALL),
    ("else", Types::ALL),
    ("format", Types::STRING),
];

/// The formats of 2020-12. Any other is a note to the reader.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

impl Reader {
    /// Reads the schema `source`, which stands at `pointer`.
    pub(super) fn read<'a>(
        &self,
        source: &'a Value,
        pointer: &str,
    ) -> Result<Form<'a>, SchemaError> {
        let members = match source {
            Value::Bool(true) => return Ok(Form::Always),
            Value::Bool(false) => return Ok(Form::Never),
            Value::Object(members) => members,
            _ => return Err(SchemaError::invalid(pointer, "a schema is an object or a boolean")),
        };
        if self.draft < Draft::Later
            && let Some(Value::String(reference)) = members.get("$ref")
        {
            // Up to draft 7, a reference makes its siblings mean nothing.
            let keywords = Keywords { reference: Some(reference), ..Keywords::new() };
            return Ok(Form::Keywords(Box::new(keywords)));
        }
        let mut keywords = Keywords::new();
        for (name, value) in members {
            self.keyword(&mut keywords, members, name, value, pointer)?;
        }
        let at = |name: &str| child(pointer, name);
        if keywords.max_length.is_some_and(|max| max < keywords.min_length) {
            let message = "`maxLength` is less than `minLength`";
            return Err(SchemaError::unsatisfiable(at("maxLength"), message));
        }
        if keywords.max_items.is_some_and(|max| max < keywords.min_items) {
            let message = "`maxItems` is less than `minItems`";
            return Err(SchemaError::unsatisfiable(at("maxItems"), message));
        }
        Ok(Form::Keywords(Box::new(keywords)))
    }

    fn keyword<'a>(
        &self,
        keywords: &mut Keywords<'a>,
        members: &'a Map<String, Value>,
        name: &'a str,
        value: &'a Value,
        pointer: &str,
    ) -> Result<(), SchemaError> {
        let place = child(pointer, name);
        let invalid = |message: &str| SchemaError::invalid(&place, format!("`{name}` {message}"));
        let mut limits = |types: Types| keywords.limits.push((name, types));
        match name {
            "type" => keywords.types = types(value, &place)?,
            "$ref" => keywords.reference = Some(value.as_str().ok_or(invalid("is a text"))?),
            "anyOf" => {
                limits(Types::ALL);
                let arms = value.as_array().filter(|arms| !arms.is_empty());
                keywords.any_of = Some(arms.ok_or(invalid("is a list with a schema in it"))?);
            }
            "enum" => keywords.enumeration = Some(value.as_array().ok_or(invalid("is a list"))?),
            "const" if self.draft == Draft::Four => {
                return Err(SchemaError::unsupported(place, "draft 4 has no `const`"));
            }
            "const" => keywords.constant = Some(value),
            "minLength" | "maxLength" => {
                limits(Types::STRING);
                match name {
                    "minLength" => keywords.min_length = count(value, &place)?,
                    _ => keywords.max_length = Some(count(value, &place)?),
                }
            }
            "pattern" => {
                limits(Types::STRING);
                keywords.pattern = Some(value.as_str().ok_or(invalid("is a text"))?);
            }
            "items" if value.is_array() => {
                let message = "a list of schemas in `items` is not supported";
                return Err(SchemaError::unsupported(place, message));
            }
            "items" => {
                limits(Types::ARRAY);
                keywords.items = Some(value);
            }
            "minItems" | "maxItems" => {
                limits(Types::ARRAY);
                match name {
                    "minItems" => keywords.min_items = count(value, &place)?,
                    _ => keywords.max_items = Some(count(value, &place)?),
                }
            }
            "properties" => {
                limits(Types::OBJECT);
                keywords.properties = Some(value.as_object().ok_or(invalid("is an object"))?);
            }
            "required" => {
                limits(Types::OBJECT);
                keywords.required = names(value).ok_or(invalid("is a list of different texts"))?;
            }
            "additionalProperties" => {
                limits(Types::OBJECT);
                keywords.additional = Some(value);
            }
            "$schema" | "$id" | "id" => self.identity(name, value, pointer, &place)?,
            name if ANNOTATIONS.contains(&name) => {}
            name => self.refuse(members, name, value, &place)?,
        }
        Ok(())
    }

    /// Identifiers mean nothing at the root, but change where references lead below it.
    fn identity(
        &self,
        name: &str,
        value: &Value,
        pointer: &str,
        place: &str,
    ) -> Result<(), SchemaError> {
        let means_something = match name {
            "id" => self.draft == Draft::Four && value.is_string(),
            "$schema" => named_draft(value, place)? != self.draft,
            _ => true,
        };
        if pointer.is_empty() || !means_something {
            return Ok(());
        }
        Err(SchemaError::unsupported(place, format!("`{name}` below the root is not supported")))
    }

    /// Refuses a keyword of the standard, unless it has no effect here. Others are annotations.
    fn refuse(
        &self,
        members: &Map<String, Value>,
        name: &str,
        value: &Value,
        place: &str,
    ) -> Result<(), SchemaError> {
        let Some((_, limited)) = REFUSED.iter().find(|(refused, _)| *refused == name) else {
            return Ok(());
        };
        let own = match members.get("type") {
            Some(types) => self::types(types, place)?,
            None => Types::ALL,
        };
        let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
        let without_effect = match name {
            "then" | "else" => !members.contains_key("if"),
            "uniqueItems" => value == &Value::Bool(false),
            "minProperties" => count(value, place)? == 0,
            "patternProperties" | "dependencies" | "dependentRequired" | "dependentSchemas" => {
                is_empty(value)
            }
            "propertyNames" | "unevaluatedItems" | "unevaluatedProperties" => {
                value == &Value::Bool(true) || is_empty(value)
            }
            "format" => {
                let known = value.as_str().is_some_and(|format| FORMATS.contains(&format));
                self.options.formats == Formats::Annotate || !known
            }
            _ => false,
        };
        if without_effect || !own.meets(*limited) {
            return Ok(());
        }
        Err(match (name, value.as_str()) {
            ("format", Some(format)) => SchemaError::unsupported(
                place,
                format!("format `{format}` is not supported; `formats=\"annotate\"` ignores it"),
            ),
            _ => SchemaError::unsupported(place, format!("`{name}` is not supported")),
        })
    }
}

impl Keywords<'_> {
    fn new() -> Self {
        Self {
            types: Types::ALL,
            reference: None,
            any_of: None,
            enumeration: None,
            constant: None,
            min_length: 0,
            max_length: None,
            pattern: None,
            items: None,
            min_items: 0,
            max_items: None,
            properties: None,
            required: Vec::new(),
            additional: None,
            limits: Vec::new(),
        }
    }

    /// Whether a keyword limits values of `types` beyond their type.
    pub(super) fn limits(&self, types: Types) -> bool {
        self.limits.iter().any(|(_, limited)| limited.meets(types))
    }
}

/// The draft that `$schema` of the whole schema names.
pub(super) fn draft(source: &Value) -> Result<Draft, SchemaError> {
    source.get("$schema").map_or(Ok(Draft::Later), |name| named_draft(name, "/$schema"))
}

fn named_draft(name: &Value, place: &str) -> Result<Draft, SchemaError> {
    let Some(name) = name.as_str() else {
        return Err(SchemaError::invalid(place, "`$schema` is a text"));
    };
    let bare = name.trim_end_matches('#').trim_start_matches("https://");
    Ok(match bare.trim_start_matches("http://") {
        "json-schema.org/draft-04/schema" => Draft::Four,
        "json-schema.org/draft-06/schema" => Draft::Six,
        "json-schema.org/draft-07/schema" => Draft::Seven,
        "json-schema.org/draft/2019-09/schema"
        | "json-schema.org/draft/2020-12/schema"
        | "json-schema.org/schema" => Draft::Later,
        _ => {
            let message = format!("the dialect `{name}` is not supported");
            return Err(SchemaError::unsupported(place, message));
        }
    })
}

fn types(value: &Value, place: &str) -> Result<Types, SchemaError> {
    let invalid = |message: String| SchemaError::invalid(place, message);
    let one = |value: &Value| match value.as_str() {
        Some(name) => Types::of(name).ok_or(invalid(format!("there is no type `{name}`"))),
        None => Err(invalid("a type is a name or a list of names".into())),
    };
    match value {
        Value::Array(names) if names.is_empty() => {
            Err(invalid("the list of types is empty".into()))
        }
        Value::Array(names) => {
            names.iter().try_fold(Types(0), |all, name| Ok(Types(all.0 | one(name)?.0)))
        }
        _ => one(value),
    }
}

/// The texts of a list, if they are all different.
fn names(value: &Value) -> Option<Vec<&str>> {
    let names: Vec<&str> = value.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    let mut seen = BTreeSet::new();
    names.iter().all(|name| seen.insert(*name)).then_some(names)
}

/// A whole number that is not negative, however it is spelled.
fn count(value: &Value, place: &str) -> Result<u32, SchemaError> {
    let invalid = || SchemaError::invalid(place, format!("`{value}` is no number of things"));
    let decimal = match value {
        Value::Number(number) => Decimal::parse(&number.to_string()).ok_or_else(invalid)?,
        _ => return Err(invalid()),
    };
    if !decimal.is_integer() || (decimal.negative && !decimal.is_zero()) {
        return Err(invalid());
    }
    decimal.plain_integer(10).and_then(|digits| digits.parse().ok()).ok_or_else(|| {
        let message = format!("`{value}` is above the greatest count, {}", u32::MAX);
        SchemaError::new(SchemaFault::TooLarge, place, message)
    })
}
