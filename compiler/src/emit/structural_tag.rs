//! Says an [`Ir`] as a structural tag: the JSON formats of XGrammar 0.2.9.
//!
//! Each part takes the most readable format that holds it exactly; what no other format holds is
//! an embedded EBNF grammar, which holds everything.

use serde_json::{Value, json};

use super::{DEPTH_MAX, Dialect, EmitError, Emitted, Exactness, Loss, ebnf, finish, plain};
use crate::ir::{Anything, FreeText, Ir, Kind, Literal, Repeat};

/// The largest count of a `repeat`: from there on XGrammar drops the bound.
const COUNT_MAX: u32 = i32::MAX as u32;

pub(super) fn emit(ir: &Ir, exactness: Exactness) -> Result<Emitted, EmitError> {
    let mut emitter = Emitter { exactness, losses: Vec::new(), depth: 0 };
    let format = emitter.format(ir)?;
    let tag = json!({ "type": "structural_tag", "format": format });
    finish(format!("{tag:#}\n"), emitter.losses, exactness)
}

struct Emitter {
    exactness: Exactness,
    losses: Vec<Loss>,
    depth: usize,
}

impl Emitter {
    fn format(&mut self, ir: &Ir) -> Result<Value, EmitError> {
        if self.depth == DEPTH_MAX {
            return Err(EmitError::TooDeep { depth_max: DEPTH_MAX });
        }
        self.depth += 1;
        let format = match ir.kind() {
            Kind::Text(text) => constant(&text.string),
            Kind::Sequence(parts) if parts.is_empty() => constant(""),
            Kind::Sequence(parts) => json!({ "type": "sequence", "elements": self.all(parts)? }),
            Kind::Choice(arms) if !arms.is_empty() => {
                json!({ "type": "or", "elements": self.all(arms)? })
            }
            Kind::Repeat(repeat) if repeat.min.max(repeat.max.unwrap_or(0)) <= COUNT_MAX => {
                self.repeat(repeat)?
            }
            Kind::Regex(regex) if plain::is_plain(&regex.pattern) => {
                json!({ "type": "regex", "pattern": &*regex.pattern })
            }
            Kind::Schema(schema) if is_held(&schema.source) => {
                json!({ "type": "json_schema", "json_schema": *schema.source })
            }
            Kind::Capture(capture) => self.format(&capture.body)?,
            Kind::Anything(anything) if excludes_suffice(anything) => any_text(anything),
            _ => self.grammar(ir)?,
        };
        self.depth -= 1;
        Ok(format)
    }

    fn all(&mut self, irs: &[Ir]) -> Result<Vec<Value>, EmitError> {
        irs.iter().map(|ir| self.format(ir)).collect()
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<Value, EmitError> {
        let body = self.format(&repeat.body)?;
        let Some(separator) = &repeat.separator else {
            return Ok(counted(body, repeat.min, repeat.max));
        };
        let separator = self.format(separator)?;
        let (min, max) = (repeat.min.saturating_sub(1), repeat.max.map(|max| max - 1));
        let some = match max {
            Some(0) => body,
            _ => {
                let more = json!({ "type": "sequence", "elements": [separator, body] });
                json!({ "type": "sequence", "elements": [body, counted(more, min, max)] })
            }
        };
        Ok(if repeat.min == 0 { counted(some, 0, Some(1)) } else { some })
    }

    fn grammar(&mut self, ir: &Ir) -> Result<Value, EmitError> {
        let emitted = ebnf::emit(ir, Dialect::XGrammar, self.exactness)?;
        self.losses.extend(emitted.losses);
        Ok(json!({ "type": "grammar", "grammar": emitted.text }))
    }
}

fn constant(text: &str) -> Value {
    json!({ "type": "const_string", "value": text })
}

fn counted(content: Value, min: u32, max: Option<u32>) -> Value {
    match (min, max) {
        (1, Some(1)) => content,
        (0, Some(1)) => json!({ "type": "optional", "content": content }),
        (0, None) => json!({ "type": "star", "content": content }),
        (1, None) => json!({ "type": "plus", "content": content }),
        (min, max) => {
            let max = max.map_or(-1, i64::from);
            json!({ "type": "repeat", "min": min, "max": max, "content": content })
        }
    }
}

/// Whether the texts that may stand before the delimiters are just those that hold none. It is
/// not so for a delimiter that overlaps itself: before `\n\n` no text may end in `\n`.
fn excludes_suffice(anything: &Anything) -> bool {
    match anything.body.kind() {
        Kind::Automaton(automaton) if anything.limits == FreeText::default() => {
            automaton.states.iter().all(|state| state.accepting)
        }
        _ => false,
    }
}

/// Whether XGrammar's own reading of a schema is ours: it is where a text has one spelling.
/// Elsewhere it lets more in or less: any white space between tokens, lone surrogates in
/// strings, `1` but not `1.0`, undeclared keys not at all, and neighbours of `const` without it.
fn is_held(schema: &Value) -> bool {
    let Some(keywords) = schema.as_object() else { return false };
    let notes = ["$comment", "$schema", "description", "title"];
    let mut keywords = keywords.iter().filter(|(name, _)| !notes.contains(&name.as_str()));
    let (Some((name, value)), None) = (keywords.next(), keywords.next()) else { return false };
    let one_spelling = |value: &Value| value.is_null() || value.is_boolean();
    let simple = |name: &Value| name == "boolean" || name == "null";
    match (name.as_str(), value.as_array()) {
        ("const", _) => one_spelling(value),
        ("enum", Some(values)) => values.iter().all(one_spelling),
        ("type", Some(names)) => names.iter().all(simple),
        ("type", None) => simple(value),
        _ => false,
    }
}

fn any_text(anything: &Anything) -> Value {
    let excludes: Vec<&str> = anything.until.iter().map(Literal::as_str).collect();
    match excludes.is_empty() {
        true => json!({ "type": "any_text" }),
        false => json!({ "type": "any_text", "excludes": excludes }),
    }
}
