//! Texts around structure: escapes for constants, what is compared and set, and exceptions.

use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, Error, State};

use super::read;
use crate::diagnostic::problem::Problem;
use crate::ir::Origin;
use crate::template::arena;
use crate::template::part::Kind;
use crate::template::value::describe;

/// Says a text anew.
pub(crate) type Escape = fn(&str) -> String;

/// The escapes for constants: the name of the filter, and what it does.
pub(crate) const ESCAPES: &[(&str, Escape)] =
    &[("xml_attr", xml_attr), ("xml_text", xml_text), ("py_str", py_str), ("json_str", json_str)];

/// Adds the filters and functions.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter("bp_settled", settled);
    environment.add_function("bp_plain", plain);
    environment.add_function("bp_source", source);
    environment.add_function("raise_exception", raise);
    for (name, escape) in ESCAPES {
        environment.add_filter(*name, move |value: Value| match value.as_str() {
            Some(text) if arena::is_reserved(text) => {
                Err(Error::from(Problem::part_as_text(&format!("`{name}`"))))
            }
            Some(text) => Ok(escape(text)),
            None => Err(Problem::filter_of_no_text(name, &describe(&value)).into()),
        });
    }
}

/// What a `set` block holds: if it is printed values and nothing else it is a plain text again,
/// so that it can be compared and changed like any other.
fn settled(state: &mut State<'_, '_>, body: Value) -> Result<Value, Error> {
    if !body.as_str().is_some_and(arena::is_reserved) {
        return Ok(body);
    }
    let mut plain = String::new();
    for part in read(state, &body)? {
        match &part.kind {
            Kind::Text { string, origin: Origin::Value } => plain.push_str(string),
            _ => return Ok(body),
        }
    }
    Ok(Value::from(plain))
}

/// What is compared: rendered text without structure is its characters, whoever wrote them.
fn plain(state: &mut State<'_, '_>, value: Value) -> Result<Value, Error> {
    if !value.is_safe() || !value.as_str().is_some_and(arena::is_reserved) {
        return Ok(value);
    }
    let mut plain = String::new();
    for part in read(state, &value)? {
        match &part.kind {
            Kind::Text { string, .. } => plain.push_str(string),
            _ => return Err(Problem::part_as_text("a comparison").into()),
        }
    }
    Ok(Value::from(plain))
}

/// A text that stands as a literal in a tag of ours: it is the author's.
fn source(literal: String) -> Result<Value, Error> {
    match arena::is_reserved(&literal) {
        true => Err(Problem::torn_part().into()),
        false => Ok(Value::from_safe_string(literal)),
    }
}

/// `raise_exception("...")`, as the chat templates of Hugging Face have it.
fn raise(state: &mut State<'_, '_>, message: Value) -> Result<Value, Error> {
    let message = match message.as_str() {
        Some(_) => {
            let parts = read(state, &message)?;
            let texts = parts.iter().map(|part| match &part.kind {
                Kind::Text { string, .. } => string.to_string(),
                kind => kind.name().to_owned(),
            });
            texts.collect::<Vec<_>>().concat()
        }
        None if message.kind() == ValueKind::Undefined => "an undefined value".to_owned(),
        None => message.to_string(),
    };
    Err(Problem::raised(&message).into())
}

/// For an attribute in double quotes.
fn xml_attr(text: &str) -> String {
    xml_text(text).replace('"', "&quot;")
}

fn xml_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A Python string with its quotation marks, as `repr` writes it.
fn py_str(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() && u32::from(c) < 0x100 => {
                out.push_str(&format!("\\x{:02x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// What stands between the quotation marks of a JSON string.
fn json_str(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
