//! Tags: what begins them, what is in them, what ends them.
//!
//! Free text in a tag holds no end of it, whether that is said or not; so a tag is made only
//! where that changes nothing.

use serde_json::{Value, json};

use crate::ir::{Ir, Kind};

/// `begin` and what `arm` begins with, what is in the middle, and what `arm` ends with.
pub(super) fn cut<'a>(begin: &str, arm: &'a Ir) -> (String, &'a [Ir], Vec<&'a str>) {
    let parts = match arm.kind() {
        Kind::Sequence(parts) => parts.as_slice(),
        _ => std::slice::from_ref(arm),
    };
    let mut begin = begin.to_owned();
    let parts = match parts {
        [first, rest @ ..] => match super::text(Some(first)) {
            Some(text) => {
                begin.push_str(text);
                rest
            }
            None => parts,
        },
        [] => parts,
    };
    match parts {
        [rest @ .., last] => match ends(last) {
            Some(ends) => (begin, rest, ends),
            None => (begin, parts, vec![""]),
        },
        [] => (begin, parts, vec![""]),
    }
}

/// The texts of a part that is one or a choice of some.
fn ends(ir: &Ir) -> Option<Vec<&str>> {
    match ir.kind() {
        Kind::Choice(arms) if !arms.is_empty() => {
            arms.iter().map(|arm| super::text(Some(arm))).collect()
        }
        _ => super::text(Some(ir)).map(|end| vec![end]),
    }
}

/// A tag, unless its end changes what free text in it is.
pub(super) fn tag(begin: String, content: Value, ends: &[&str]) -> Option<Value> {
    if !ends.iter().all(|end| is_closed(&content, end)) {
        return None;
    }
    let end = match ends {
        [end] => json!(end),
        _ => json!(ends),
    };
    Some(json!({ "type": "tag", "begin": begin, "content": content, "end": end }))
}

/// Free text between `begin` and `end` as a tag, if it holds no `end` and nothing else is
/// excluded from it.
pub(super) fn around(begin: &str, free: Option<&Ir>, end: Option<&str>) -> Option<Value> {
    let (Kind::Anything(anything), end) = (free?.kind(), end?) else { return None };
    let format = super::any_text(anything, false)?;
    let plain = json!({ "type": "any_text" });
    let excluding = |end: &str| json!({ "type": "any_text", "excludes": [end] });
    let tag =
        |end: &str| json!({ "type": "tag", "begin": begin, "content": plain.clone(), "end": end });
    if format == excluding(end) {
        return Some(tag(end));
    }
    // What follows may go on behind what ends the text.
    let delimiter = anything.until.first()?.as_str();
    let rest = end.strip_prefix(delimiter)?;
    (format == excluding(delimiter)).then(|| {
        let rest = super::constant(rest);
        json!({ "type": "sequence", "elements": [tag(delimiter), rest] })
    })
}

/// Whether all free text of `format`, outside of tags in it, excludes `end` by itself.
fn is_closed(format: &Value, end: &str) -> bool {
    let excludes = || {
        let listed = format["excludes"].as_array();
        !end.is_empty() && listed.is_some_and(|all| all.iter().any(|one| one == end))
    };
    match format["type"].as_str() {
        Some("any_text" | "triggered_tags") => excludes(),
        Some("dispatch") => false,
        Some("sequence" | "or") => {
            format["elements"].as_array().is_some_and(|all| all.iter().all(|f| is_closed(f, end)))
        }
        Some("optional" | "plus" | "star" | "repeat") => is_closed(&format["content"], end),
        _ => true,
    }
}
