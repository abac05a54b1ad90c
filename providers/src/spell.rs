//! Spells a choice and a pattern as the other kinds of constraints that providers take.

use blueprints_compiler::Ir;
use blueprints_compiler::emit::{Dialect, EmitError, Emitted, Exactness};
use blueprints_compiler::grammars::{self, GrammarFault};
use serde_json::{Value, json};
use thiserror::Error;

use crate::intent::Kind;

/// A schema of objects with the choice as their member `choice`.
pub(crate) fn choice_schema(choices: &[String]) -> Value {
    json!({
        "type": "object",
        "properties": { "choice": { "type": "string", "enum": choices } },
        "required": ["choice"],
    })
}

/// A schema of objects with a text of the pattern as their member `value`; `group` opens a group.
pub(crate) fn pattern_schema(pattern: &str, group: &str) -> Value {
    json!({
        "type": "object",
        "properties": { "value": { "type": "string", "pattern": format!("^{group}{pattern})$") } },
        "required": ["value"],
    })
}

/// A pattern of these texts.
pub(crate) fn choice_pattern(choices: &[String]) -> String {
    let escaped: Vec<String> = choices.iter().map(|choice| escaped(choice)).collect();
    format!("({})", escaped.join("|"))
}

/// A text as a pattern of itself, in every dialect.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        match character {
            '\n' => pattern.push_str("\\n"),
            '\r' => pattern.push_str("\\r"),
            '\t' => pattern.push_str("\\t"),
            _ => {
                if r"\.+*?()|[]{}^$".contains(character) {
                    pattern.push('\\');
                }
                pattern.push(character);
            }
        }
    }
    pattern
}

/// A grammar of these texts, as XGrammar's EBNF and GBNF both read it.
pub(crate) fn choice_ebnf(choices: &[String]) -> String {
    let quoted: Vec<String> = choices.iter().map(|choice| quoted(choice)).collect();
    format!("root ::= {}\n", quoted.join(" | "))
}

/// A grammar of these texts in llguidance's Lark; its texts are quoted as JSON's are.
pub(crate) fn choice_lark(choices: &[String]) -> String {
    let quoted: Vec<String> = choices.iter().map(|choice| json!(choice).to_string()).collect();
    format!("start: {}\n", quoted.join(" | "))
}

fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            control if control.is_control() => {
                literal.push_str(&format!("\\x{:02X}", u32::from(control)));
            }
            other => literal.push(other),
        }
    }
    literal.push('"');
    literal
}

/// A choice or a pattern as a grammar of a syntax.
pub(crate) fn as_grammar(kind: &Kind, syntax: &str) -> Option<String> {
    match (kind, syntax) {
        (Kind::Choice(choices), "ebnf" | "gbnf") => Some(choice_ebnf(choices)),
        (Kind::Choice(choices), "lark" | "llguidance") => Some(choice_lark(choices)),
        (Kind::Regex(pattern), _) => grammar(&Ir::regex(pattern).ok()?, syntax)?.ok(),
        _ => None,
    }
}

/// A grammar in one of the syntaxes that are taken, and which: its own, or the first that it can be
/// written in, all of it.
pub(crate) fn in_syntax(
    syntax: &str,
    text: &str,
    taken: &[String],
) -> Result<(String, String), NotWritten> {
    if taken.iter().any(|own| own == syntax) {
        return Ok((syntax.to_owned(), text.to_owned()));
    }
    let read = grammars::Syntax::named(syntax).ok_or(NotWritten::Unknown)?;
    let ir = grammars::read(read, text)?;
    let mut written = taken.iter().filter_map(|own| Some((own, grammar(&ir, own)?)));
    let (own, written) = written.next().ok_or(NotWritten::Unknown)?;
    Ok((own.clone(), written?))
}

/// Why a grammar cannot be written in another syntax.
#[derive(Debug, Error)]
pub(crate) enum NotWritten {
    /// Nothing reads it, or nothing writes what is taken.
    #[error("nothing rewrites it")]
    Unknown,
    /// It cannot be read.
    #[error("{0}")]
    Fault(#[from] GrammarFault),
    /// It cannot be written.
    #[error("{0}")]
    Emit(#[from] EmitError),
}

/// A structural tag with its `type` first.
pub(crate) fn whole_tag(tag: &Value) -> Value {
    let mut whole = json!({ "type": "structural_tag" });
    if let (Value::Object(whole), Value::Object(own)) = (&mut whole, tag) {
        whole.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    whole
}

/// The formats inside a structural tag, with their pointers.
pub(crate) fn formats(tag: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut waiting: Vec<(String, &Value)> =
        tag.get("format").map(|format| ("/format".to_owned(), format)).into_iter().collect();
    while let Some((at, format)) = waiting.pop() {
        let implied = if format.get("begin").is_some() { "tag" } else { "" };
        let name = format.get("type").and_then(Value::as_str).unwrap_or(implied);
        found.push((at.clone(), name.to_owned()));
        for keyword in ["content", "elements", "tags", "element"] {
            match format.get(keyword) {
                Some(Value::Array(list)) => {
                    let list = list.iter().enumerate();
                    waiting.extend(list.map(|(n, own)| (format!("{at}/{keyword}/{n}"), own)));
                }
                Some(own @ Value::Object(_)) => waiting.push((format!("{at}/{keyword}"), own)),
                _ => {}
            }
        }
    }
    found
}

/// The grammar of a language in a syntax, all of it; `None` for a syntax that nothing writes.
pub(crate) fn grammar(ir: &Ir, syntax: &str) -> Option<Result<String, EmitError>> {
    let emitted = ir.to_ebnf(dialect(syntax)?, Exactness::Lossy);
    Some(emitted.and_then(|Emitted { text, mut losses }| {
        losses.retain(|loss| !loss.is_harmless());
        if losses.is_empty() { Ok(text) } else { Err(EmitError::Inexact(losses)) }
    }))
}

/// The dialect of a syntax's name.
pub(crate) fn dialect(syntax: &str) -> Option<Dialect> {
    match syntax {
        "ebnf" => Some(Dialect::XGrammar),
        "gbnf" => Some(Dialect::Gbnf),
        "lark" => Some(Dialect::Lark),
        _ => None,
    }
}
