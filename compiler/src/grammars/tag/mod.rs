//! Reads structural tags: the JSON formats of XGrammar 0.2.9.
//!
//! Free text inside a tag holds none of the strings that may end the tag, as there. Strings mean
//! bytes; a token that is named by its spelling means that token. What steers an engine, or is
//! about tokens by their numbers, is a fault with its JSON pointer.

mod fields;
mod free;
mod schema;
mod styles;

use serde_json::Value;
use thiserror::Error;

use self::fields::Fields;
use super::{NEST_MAX, Syntax, pattern};
use crate::ir::{FreeText, Ir, Literal, Origin};

/// What is wrong with a structural tag, or what of it an [`Ir`] cannot say.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}, at `{pointer}`")]
pub struct TagFault {
    /// What is wrong.
    pub message: String,
    /// The JSON pointer to it.
    pub pointer: String,
}

/// The language of the structural tag `tag`, `{"type": "structural_tag", "format": …}`.
///
/// # Errors
/// [`TagFault`] for the first thing that is wrong with it, and for the first thing in it that an
/// [`Ir`] cannot say.
pub fn read_structural_tag(tag: &Value) -> Result<Ir, TagFault> {
    let top = Fields::of(tag, &Place::Top)?;
    if let Some(kind) = top.get("type")
        && kind != "structural_tag"
    {
        return Err(top.fault("type", "the type of a structural tag is `structural_tag`"));
    }
    top.only(&["type", "format"])?;
    Reader { ends: &[], depth: 0 }.format(top.need("format")?, &top.at("format"))
}

/// The way from the top of a tag to a part of it.
enum Place<'a> {
    Top,
    Field(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl Place<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Top => String::new(),
            Self::Field(outer, name) => {
                format!("{}/{}", outer.pointer(), name.replace('~', "~0").replace('/', "~1"))
            }
            Self::Item(outer, at) => format!("{}/{at}", outer.pointer()),
        }
    }

    fn fault(&self, message: impl Into<String>) -> TagFault {
        TagFault { message: message.into(), pointer: self.pointer() }
    }
}

type Read = Result<Ir, TagFault>;

/// What stands around a format.
#[derive(Clone, Copy)]
struct Reader<'a> {
    /// The strings that may end the enclosing tag.
    ends: &'a [String],
    depth: usize,
}

impl Reader<'_> {
    fn format(self, format: &Value, place: &Place<'_>) -> Read {
        if self.depth == NEST_MAX {
            return Err(place.fault(format!("formats nest deeper than {NEST_MAX}")));
        }
        let inner = Reader { depth: self.depth + 1, ..self };
        let fields = Fields::of(format, place)?;
        let kind = match fields.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(_) => return Err(fields.fault("type", "the type is no string")),
            None => guessed(&fields).ok_or_else(|| place.fault("the format has no type"))?,
        };
        match kind {
            "const_string" => {
                fields.only(&["type", "value"])?;
                Ok(Ir::value(fields.string("value")?))
            }
            "json_schema" | "qwen_xml_parameter" => schema::read(&fields, kind),
            "grammar" => grammar(&fields),
            "regex" => {
                fields.only(&["type", "pattern", "excludes"])?;
                fields.none("excludes")?;
                let pattern = pattern::translated(fields.string("pattern")?);
                Ir::regex(&pattern).map_err(|error| fields.fault("pattern", error.message))
            }
            "any_text" => inner.any_text(&fields),
            "sequence" => inner.elements(&fields).map(Ir::sequence),
            "or" => inner.elements(&fields).map(Ir::choice),
            "optional" => inner.repeat(&fields, 0, Some(1)),
            "plus" => inner.repeat(&fields, 1, None),
            "star" => inner.repeat(&fields, 0, None),
            "repeat" => inner.counted(&fields),
            "tag" => inner.tag(&fields).map(|tag| tag.whole()),
            "triggered_tags" => inner.triggered_tags(&fields),
            "tags_with_separator" => inner.tags_with_separator(&fields),
            "dispatch" => inner.dispatch(&fields),
            "token" => token(&fields),
            "exclude_token" | "any_tokens" | "token_triggered_tags" | "token_dispatch" => {
                let message = format!("`{kind}` is about tokens, a language here is about text");
                Err(fields.fault("type", message))
            }
            _ => Err(fields.fault("type", format!("there is no format `{kind}`"))),
        }
    }

    fn any_text(self, fields: &Fields<'_>) -> Read {
        fields.only(&["type", "excludes", "max_tokens", "max_chars"])?;
        let mut excludes = fields.strings("excludes")?;
        excludes.extend(self.ends.iter().filter(|end| !end.is_empty()).cloned());
        let limits = FreeText {
            excludes: literals(&excludes),
            max_chars: fields.count("max_chars")?,
            max_tokens: fields.count("max_tokens")?,
            ..FreeText::default()
        };
        Ir::free_text([], limits).map_err(|error| fields.place.fault(error.to_string()))
    }

    fn elements(self, fields: &Fields<'_>) -> Result<Vec<Ir>, TagFault> {
        fields.only(&["type", "elements"])?;
        let place = fields.at("elements");
        let elements = fields.list("elements")?;
        if elements.is_empty() {
            return Err(place.fault("there are no elements"));
        }
        let each = elements.iter().enumerate();
        each.map(|(at, element)| self.format(element, &Place::Item(&place, at))).collect()
    }

    fn content(self, fields: &Fields<'_>) -> Read {
        self.format(fields.need("content")?, &fields.at("content"))
    }

    fn repeat(self, fields: &Fields<'_>, min: u32, max: Option<u32>) -> Read {
        fields.only(&["type", "content"])?;
        Ok(Ir::repeat(self.content(fields)?, min, max, None))
    }

    fn counted(self, fields: &Fields<'_>) -> Read {
        fields.only(&["type", "content", "min", "max"])?;
        fields.need("min")?;
        fields.need("max")?;
        let min = fields.count("min")?.unwrap_or(0);
        let max = match fields.get("max").and_then(Value::as_i64) {
            Some(-1) => None,
            // XGrammar drops a bound beyond its counts.
            Some(max) if max > i64::from(i32::MAX) => None,
            _ => fields.count("max")?,
        };
        if max.is_some_and(|max| max < min) {
            return Err(fields.fault("max", "no count lies between `min` and `max`"));
        }
        Ok(Ir::repeat(self.content(fields)?, min, max, None))
    }
}

/// The type of a format that does not say it: the first that has the fields of this one.
fn guessed(fields: &Fields<'_>) -> Option<&'static str> {
    const KINDS: [(&str, &[&str]); 13] = [
        ("tag", &["begin", "content", "end"]),
        ("const_string", &["value"]),
        ("json_schema", &["json_schema"]),
        ("sequence", &["elements"]),
        ("triggered_tags", &["triggers", "tags"]),
        ("tags_with_separator", &["tags", "separator"]),
        ("repeat", &["content", "min", "max"]),
        ("optional", &["content"]),
        ("dispatch", &["rules"]),
        ("grammar", &["grammar"]),
        ("regex", &["pattern"]),
        ("token", &["token"]),
        ("any_text", &[]),
    ];
    let has = |names: &&[&str]| names.iter().all(|name| fields.get(name).is_some());
    let known = KINDS.iter().find(|(_, names)| has(names)).map(|(kind, _)| *kind);
    known.filter(|kind| {
        *kind != "any_text" || fields.only(&["excludes", "max_tokens", "max_chars"]).is_ok()
    })
}

fn grammar(fields: &Fields<'_>) -> Read {
    fields.only(&["type", "grammar", "syntax"])?;
    let syntax = match fields.get("syntax") {
        None | Some(Value::Null) => Syntax::Ebnf,
        Some(name) => match name.as_str() {
            Some("ebnf") => Syntax::Ebnf,
            Some("lark") => Syntax::Lark,
            _ => return Err(fields.fault("syntax", "the syntax is `ebnf` or `lark`")),
        },
    };
    super::read(syntax, fields.string("grammar")?).map_err(|fault| {
        let range = fault.range;
        let message = format!("{} (bytes {} to {})", fault.message, range.start, range.end);
        fields.fault("grammar", message)
    })
}

fn token(fields: &Fields<'_>) -> Read {
    fields.only(&["type", "token"])?;
    match fields.need("token")? {
        Value::String(spelling) if !spelling.is_empty() => Ok(Ir::token(spelling)),
        Value::Number(_) => {
            let message = "a token is named by its spelling here, numbers differ by vocabulary";
            Err(fields.fault("token", message))
        }
        _ => Err(fields.fault("token", "the token is no string")),
    }
}

fn literals(strings: &[String]) -> Vec<Literal> {
    strings.iter().map(|string| Literal::new(string, Origin::Value)).collect()
}
