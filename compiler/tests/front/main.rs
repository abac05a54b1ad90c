//! The front end: from a template and a context to the meaning or to what is wrong.

mod accepts;
mod anything;
mod constructs;
mod faults;
mod files;
mod formatted;
mod host;
mod hostile;
mod injection;
mod language;
mod limits;
#[path = "../language/matcher.rs"]
mod matcher;
mod soup;
mod whitespace;

use blueprints_compiler::ir::{Kind, Literal, Origin};
use blueprints_compiler::{Blueprint, Ir};
use serde_json::{Value, json};

/// A short form of an outline: `"text"`, `'value'`, `any[...]`, `(a|b)`, `(a){1,2;sep}`.
pub(crate) fn short(ir: &Ir) -> String {
    let all =
        |parts: &[Ir], between: &str| parts.iter().map(short).collect::<Vec<_>>().join(between);
    match ir.kind() {
        Kind::Text(text) => match text.origin {
            Origin::Source => format!("{:?}", text.string),
            Origin::Value => format!("'{}'", text.string),
        },
        Kind::Sequence(parts) => all(parts, " "),
        Kind::Choice(arms) => format!("({})", all(arms, "|")),
        Kind::Repeat(repeat) => {
            let count = match (repeat.min, repeat.max) {
                (0, Some(1)) => "?".to_owned(),
                (0, None) => "*".to_owned(),
                (1, None) => "+".to_owned(),
                (min, None) => format!("{{{min},}}"),
                (min, Some(max)) => format!("{{{min},{max}}}"),
            };
            let separator = repeat.separator.as_ref().map(short).unwrap_or_default();
            match separator.is_empty() {
                true => format!("({}){count}", short(&repeat.body)),
                false => format!("({}){count};{separator}", short(&repeat.body)),
            }
        }
        Kind::Anything(anything) => {
            format!("any{:?}", anything.until.iter().map(Literal::as_str).collect::<Vec<_>>())
        }
        Kind::Regex(regex) => format!("/{}/", regex.pattern),
        Kind::Schema(schema) => format!("<{}>", schema.source),
        other => format!("{other:?}"),
    }
}

pub(crate) fn context() -> Value {
    json!({"var": "V", "schemas": ["p", "q"], "f": true, "s1": "p", "s2": "q", "s3": "r"})
}

pub(crate) fn lowered(template: &str) -> String {
    match Blueprint::from_str(template).and_then(|blueprint| blueprint.outline(context())) {
        Ok(outline) => short(outline.ir()),
        Err(faults) => panic!("{template}\n{faults}"),
    }
}
