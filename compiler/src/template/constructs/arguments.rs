//! Reads the arguments of our tags, filters and functions.

use std::sync::Arc;

use minijinja::State;
use minijinja::value::{Kwargs, Value, ValueKind};

use super::{add, arena};
use crate::diagnostic::problem::Problem;
use crate::diagnostic::suggest;
use crate::ir::{CaptureKind, Literal, Origin};
use crate::template::arena as handles;
use crate::template::fault::Fault;
use crate::template::part::{Kind, Part, Parts, Place};
use crate::template::value::describe;

/// The named arguments of one tag, filter or function.
pub(crate) struct Arguments<'a> {
    /// How messages name the tag, filter or function.
    pub(crate) owner: &'static str,
    pub(crate) kwargs: &'a Kwargs,
}

impl Arguments<'_> {
    /// Fails for an argument that is none of `known`. Those of rewritten templates are fine.
    pub(crate) fn only(&self, known: &[&'static str]) -> Result<(), Fault> {
        let hidden = crate::template::expression::RESERVED_PREFIX;
        let mut given = self.kwargs.args().filter(|name| !name.starts_with(hidden));
        match given.find(|name| !known.contains(name)) {
            Some(unknown) => {
                let guess = suggest::nearest(unknown, known.iter().copied());
                Err(Problem::unknown_argument(self.owner, unknown, guess).into())
            }
            None => Ok(()),
        }
    }

    /// The value of an argument, `none` and the undefined value included.
    pub(crate) fn given(&self, name: &str) -> Option<Value> {
        self.kwargs.has(name).then(|| self.kwargs.peek::<Value>(name).unwrap_or_default())
    }

    fn defined(&self, name: &'static str) -> Result<Option<Value>, Fault> {
        match self.given(name) {
            Some(value) if value.is_undefined() => {
                let message = format!("the value of `{name}` is undefined");
                Err(Fault::from(Problem::undefined(&message, None)).in_argument(name))
            }
            other => Ok(other),
        }
    }

    /// A whole number that counts something; `none` is as if it were not given.
    pub(crate) fn count(&self, name: &'static str) -> Result<Option<u32>, Fault> {
        let Some(value) = self.defined(name)?.filter(|value| !value.is_none()) else {
            return Ok(None);
        };
        let integer = i128::try_from(value.clone()).ok().filter(|_| value.is_integer());
        match integer.and_then(|integer| u32::try_from(integer).ok()) {
            Some(count) => Ok(Some(count)),
            None => {
                let problem = Problem::bad_count(name, &describe(&value));
                Err(Fault::from(problem).in_argument(name))
            }
        }
    }

    /// `true` or `false`; `false` if it is not given.
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool, Fault> {
        match self.defined(name)? {
            None => Ok(false),
            Some(value) if value.kind() == ValueKind::Bool => Ok(value.is_true()),
            Some(value) => Err(self.wrong(name, "true or false", &value)),
        }
    }

    /// A text without parts.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<String>, Fault> {
        let Some(value) = self.defined(name)? else { return Ok(None) };
        match value.as_str() {
            Some(text) if !handles::is_reserved(text) => Ok(Some(text.to_owned())),
            _ => Err(self.wrong(name, "a text", &value)),
        }
    }

    pub(crate) fn wrong(&self, name: &'static str, what: &str, found: &Value) -> Fault {
        let problem = Problem::bad_argument(self.owner, name, what, &describe(found));
        Fault::from(problem).in_argument(name)
    }

    /// One literal text or several of them; their parts keep who wrote them.
    pub(crate) fn literals(
        &self,
        state: &mut State<'_, '_>,
        name: &'static str,
    ) -> Result<Option<Vec<Literal>>, Fault> {
        let Some(value) = self.defined(name)? else { return Ok(None) };
        literals(state, name, &value).map(Some).map_err(|fault| fault.in_argument(name))
    }

    /// A separator: parts if it holds any, otherwise data.
    pub(crate) fn parts(
        &self,
        state: &mut State<'_, '_>,
        name: &'static str,
    ) -> Result<Parts, Fault> {
        let Some(value) = self.defined(name)? else { return Ok(Arc::new([])) };
        let rendered = match value.as_str() {
            Some(text) if value.is_safe() => text.to_owned(),
            Some(text) => arena(state)
                .add_value(text)
                .map_err(|problem| Fault::from(problem).in_argument(name))?,
            None => {
                let problem = format!("`{name}` must be a text, not {}", describe(&value));
                return Err(Fault::from(Problem::failed_expression(&problem)).in_argument(name));
            }
        };
        let parts = arena(state).read(&rendered);
        Ok(parts.map_err(|problem| Fault::from(problem).in_argument(name))?.into())
    }

    /// `part` with the name that was given, if one was.
    pub(crate) fn named(
        &self,
        state: &mut State<'_, '_>,
        part: Value,
        default: CaptureKind,
        place: Option<&Place>,
    ) -> Result<Value, Fault> {
        match self.name(default)? {
            Some((name, kind)) => {
                let body = super::read(state, &part)?.into();
                add(state, Kind::Capture { name, kind, body }, place)
            }
            None => Ok(part),
        }
    }

    /// The name of a capture.
    pub(crate) fn word(&self, argument: &'static str) -> Result<Option<Arc<str>>, Fault> {
        match self.text(argument)? {
            Some(name) if name.is_empty() => {
                Err(self.wrong(argument, "a text that is not empty", &Value::from("")))
            }
            name => Ok(name.map(Into::into)),
        }
    }

    /// The name and the type of a capture, if there is a name.
    pub(crate) fn name(
        &self,
        default: CaptureKind,
    ) -> Result<Option<(Arc<str>, CaptureKind)>, Fault> {
        let kind = match self.text("type")? {
            None => default,
            Some(word) => CaptureKind::from_name(&word).ok_or_else(|| {
                let names = CaptureKind::ALL.iter().map(|(_, name)| *name);
                let guess = suggest::nearest(&word, names);
                Fault::from(Problem::unknown_type(&word, guess)).in_argument("type")
            })?,
        };
        match (self.word("name")?, self.given("type")) {
            (Some(name), _) => Ok(Some((name, kind))),
            (None, Some(_)) => Err(Fault::from(Problem::type_without_name(self.owner))),
            (None, None) => Ok(None),
        }
    }
}

fn literals(state: &mut State<'_, '_>, name: &str, value: &Value) -> Result<Vec<Literal>, Fault> {
    if value.kind() == ValueKind::String {
        return Ok(vec![literal(state, name, value)?]);
    }
    let items = match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => value.try_iter().ok(),
        _ => None,
    };
    let items = items.ok_or_else(|| Problem::bad_delimiter(name, &describe(value)))?;
    let found = items.map(|item| literal(state, name, &item)).collect::<Result<Vec<_>, _>>()?;
    match found.is_empty() {
        true => Err(Problem::bad_delimiter(name, "an empty list").into()),
        false => Ok(found),
    }
}

fn literal(state: &mut State<'_, '_>, name: &str, value: &Value) -> Result<Literal, Fault> {
    let bad = || Fault::from(Problem::bad_delimiter(name, &describe(value)));
    let text = value.as_str().ok_or_else(bad)?;
    let mut literal = Literal::default();
    if !value.is_safe() {
        if handles::is_reserved(text) {
            return Err(Problem::torn_part().into());
        }
        literal.push(text, Origin::Value);
    } else {
        for part in arena(state).read(text)? {
            match &part.kind {
                Kind::Text { string, origin } => literal.push(string, *origin),
                _ => return Err(bad()),
            }
        }
    }
    match literal.is_empty() {
        true => Err(Problem::empty_delimiter().into()),
        false => Ok(literal),
    }
}

/// `parts` without the line break at their end, if the block follows the option rule.
pub(crate) fn chomped(mut parts: Vec<Arc<Part>>, kwargs: &Kwargs) -> Parts {
    if kwargs.has("bp_chomp")
        && let Some(last) = parts.last()
        && let Kind::Text { string, origin: Origin::Source } = &last.kind
        && let Some(shorter) = string.strip_suffix('\n')
    {
        let shorter = Part::source(shorter);
        parts.pop();
        parts.push(Arc::new(shorter));
    }
    parts.into()
}
