//! Tells which schemas XGrammar holds as they are meant.

use serde_json::Value;

/// Whether XGrammar's own reading of a schema is ours: it is where a text has one spelling.
/// Elsewhere it lets more in or less: any white space between tokens, lone surrogates in
/// strings, `1` but not `1.0`, undeclared keys not at all, and neighbours of `const` without it.
pub(super) fn is_held(schema: &Value) -> bool {
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
