//! Our filters that make a part of a value.

use std::sync::Arc;

use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Environment, Error, State};

use super::arguments::Arguments;
use super::{add, arena, place, settle};
use crate::chars::factor;
use crate::diagnostic::problem::Problem;
use crate::grammars::{self, Syntax};
use crate::ir::{CaptureKind, Ir};
use crate::schema::SchemaOptions;
use crate::template::arena as handles;
use crate::template::fault::Fault;
use crate::template::part::{Kind, Place};
use crate::template::value::{describe, to_json};

/// One use of a filter of ours.
pub(super) struct Use<'a> {
    pub(super) arguments: Arguments<'a>,
    pub(super) place: Option<&'a Place>,
}

type Maker = fn(&Use<'_>, &mut State<'_, '_>, &Value) -> Result<Value, Fault>;

/// The names of our filters that make parts and what each does.
const FILTERS: &[(&str, Maker)] = &[
    ("json_schema", json_schema),
    ("regex", regex),
    ("grammar", grammar),
    ("choice", choice),
    ("literal", literal),
    ("substring", substring),
];

/// The most characters whose substrings are made.
const SUBSTRING_MAX: usize = 100_000;

/// Adds the filters.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    for (name, make) in FILTERS {
        environment.add_filter(
            *name,
            move |state: &mut State<'_, '_>, value: Value, kwargs: Kwargs| -> Result<_, Error> {
                let at = kwargs.peek::<Vec<usize>>("bp_at").ok();
                let place = at.map(|at| place(&at));
                let arguments = Arguments { owner: name, kwargs: &kwargs };
                let used = Use { arguments, place: place.as_ref() };
                let made = make(&used, state, &value);
                settle(state, made, place.as_ref())
            },
        );
    }
}

impl Use<'_> {
    fn closed(&self, state: &mut State<'_, '_>, ir: Ir, kind: CaptureKind) -> MadeValue {
        let part = add(state, Kind::Closed(ir), self.place)?;
        self.arguments.named(state, part, kind, self.place)
    }
}

type MadeValue = Result<Value, Fault>;

/// The text of a value that holds no part.
fn plain<'a>(owner: &str, value: &'a Value) -> Result<Option<&'a str>, Fault> {
    match value.as_str() {
        Some(text) if handles::is_reserved(text) => {
            Err(Problem::part_as_text(&format!("`{owner}`")).into())
        }
        text => Ok(text),
    }
}

fn json_schema(used: &Use<'_>, state: &mut State<'_, '_>, value: &Value) -> MadeValue {
    // A call without parameters has arguments all the same: none.
    let styled = used.arguments.kwargs.args().any(|name| name == "style");
    if value.is_undefined() && !styled {
        return Err(Problem::undefined("the schema is undefined", None).into());
    }
    let json = match value.kind() {
        ValueKind::String => {
            let text = plain("json_schema", value)?.unwrap_or_default();
            serde_json::from_str(text)
                .map_err(|error| Problem::schema_not_json(&error.to_string()))?
        }
        ValueKind::Undefined => serde_json::Value::Null,
        _ => to_json(value)?,
    };
    let mut arguments = Vec::new();
    for name in used.arguments.kwargs.args() {
        if !matches!(name, "bp_at" | "name" | "type") {
            let argument = used.arguments.given(name).unwrap_or_default();
            arguments.push((name.to_owned(), to_json(&argument)?));
        }
    }
    let options = SchemaOptions::from_arguments(&arguments)
        .map_err(|error| Problem::bad_schema_option(&error.to_string()))?;
    let kind = options.style.as_ref().map_or(CaptureKind::Json, |style| style.kind());
    let ir = Ir::schema(Arc::new(json), options).map_err(|error| Problem::bad_schema(&error))?;
    used.closed(state, ir, kind)
}

fn regex(used: &Use<'_>, state: &mut State<'_, '_>, value: &Value) -> MadeValue {
    used.arguments.only(&["name", "type"])?;
    let Some(pattern) = plain("regex", value)? else {
        return Err(Problem::pattern_not_text(&describe(value)).into());
    };
    let ir = Ir::regex(pattern).map_err(|error| Problem::bad_pattern(pattern, &error))?;
    used.closed(state, ir, CaptureKind::Text)
}

/// A grammar that was written for another engine.
fn grammar(used: &Use<'_>, state: &mut State<'_, '_>, value: &Value) -> MadeValue {
    used.arguments.only(&["syntax", "name", "type"])?;
    let Some(text) = plain("grammar", value)? else {
        return Err(Problem::filter_of_no_text("grammar", &describe(value)).into());
    };
    let word = used.arguments.text("syntax")?.unwrap_or_else(|| "ebnf".to_owned());
    let Some(syntax) = Syntax::named(&word) else {
        let what = "`ebnf`, `gbnf` or `lark`";
        return Err(used.arguments.wrong("syntax", what, &Value::from(word)));
    };
    let ir = grammars::read(syntax, text)
        .map_err(|fault| Problem::bad_grammar(text, &fault.range, &fault.message))?;
    used.closed(state, ir, CaptureKind::Text)
}

/// Any one item of a list; an item may hold parts.
fn choice(used: &Use<'_>, state: &mut State<'_, '_>, value: &Value) -> MadeValue {
    used.arguments.only(&["name", "type"])?;
    let items = match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => value.try_iter().ok(),
        _ => None,
    };
    let items = items.ok_or_else(|| Problem::choice_of_no_list(&describe(value)))?;
    let mut options = Vec::new();
    for item in items {
        let rendered = match item.as_str() {
            Some(text) if item.is_safe() => text.to_owned(),
            Some(text) => arena(state).add_value(text)?,
            None => match item.kind() {
                ValueKind::Number | ValueKind::Bool | ValueKind::None => {
                    arena(state).add_value(&to_json(&item)?.to_string())?
                }
                _ => return Err(Problem::choice_of_no_text(&describe(&item)).into()),
            },
        };
        options.push(arena(state).read(&rendered)?.into());
    }
    let part = add(state, Kind::Choice(options), used.place)?;
    used.arguments.named(state, part, CaptureKind::Text, used.place)
}

/// The text itself, its letters in any case if that is asked for.
fn literal(used: &Use<'_>, state: &mut State<'_, '_>, value: &Value) -> MadeValue {
    used.arguments.only(&["ignore_case", "name", "type"])?;
    let Some(text) = plain("literal", value)? else {
        return Err(Problem::filter_of_no_text("literal", &describe(value)).into());
    };
    let ir = match used.arguments.flag("ignore_case")? {
        false => Ir::value(text),
        true => folded(text)?,
    };
    used.closed(state, ir, CaptureKind::Text)
}

/// `text` under simple case folding, a character at a time.
fn folded(text: &str) -> Result<Ir, Fault> {
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
    let mut parts = Vec::new();
    for character in text.chars() {
        let mut set = ClassUnicode::new([ClassUnicodeRange::new(character, character)]);
        set.try_case_fold_simple()
            .map_err(|error| Problem::failed_expression(&error.to_string()))?;
        let single = matches!(set.ranges(), [only] if only.start() == only.end());
        parts.push(match single {
            true => Ir::value(character.encode_utf8(&mut [0; 4])),
            false => Ir::class(set),
        });
    }
    Ok(Ir::sequence(parts))
}

fn substring(used: &Use<'_>, state: &mut State<'_, '_>, value: &Value) -> MadeValue {
    used.arguments.only(&["name", "type"])?;
    let Some(text) = plain("substring", value)? else {
        return Err(Problem::filter_of_no_text("substring", &describe(value)).into());
    };
    if text.chars().nth(SUBSTRING_MAX).is_some() {
        let what = "characters of a text whose substrings may follow";
        return Err(Problem::limit(what, SUBSTRING_MAX as u64).into());
    }
    used.closed(state, factor::substrings(text), CaptureKind::Text)
}

/// The names of our filters that make parts.
pub(crate) fn part_filters() -> impl Iterator<Item = &'static str> {
    FILTERS.iter().map(|(name, _)| *name)
}
