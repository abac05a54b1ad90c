//! Texts beside an instance that no instance gives: its value in other spellings, a key that
//! repeats, and text that is cut off or goes on.

use serde_json::Value;

/// A text with what it is, and what must be answered.
pub(super) struct Variant {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) expected: Expected,
}

/// What a text has instead of what the instance gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// Every character of strings and keys as an escape.
    Escaped,
    /// White space wherever it may stand.
    Spread,
    /// Integers with a fraction and an exponent.
    Numbers,
    /// The first member of the first object twice.
    Repeated,
    /// A beginning that is no JSON text.
    Cut,
    /// More after the end.
    Trailing,
}

impl Kind {
    /// A word for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Escaped => "escaped",
            Self::Spread => "spread",
            Self::Numbers => "numbers",
            Self::Repeated => "repeated",
            Self::Cut => "cut",
            Self::Trailing => "trailing",
        }
    }
}

/// What must be answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    /// What is answered to the instance.
    Same,
    /// What is answered to the instance, or that it is refused: some keys may repeat.
    AtMostSame,
    Refused,
}

/// How many beginnings are cut off.
const CUTS: usize = 8;

/// The texts beside `text`, which is `value` spelled. Numbers are not respelled if `plain`.
pub(super) fn variants(value: &Value, text: &str, plain: bool) -> Vec<Variant> {
    let mut all = Vec::new();
    let mut add = |kind, text: String, expected| all.push(Variant { kind, text, expected });
    for kind in [Kind::Escaped, Kind::Spread, Kind::Numbers] {
        let mut spelled = String::new();
        write(value, kind, &mut spelled);
        if !(kind == Kind::Numbers && plain) && spelled != text {
            add(kind, spelled, Expected::Same);
        }
    }
    let mut repeated = String::new();
    if repeat(value, &mut false, &mut repeated) {
        add(Kind::Repeated, repeated, Expected::AtMostSame);
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for at in ends.iter().step_by(ends.len().div_ceil(CUTS).max(1)) {
        let cut = &text[..*at];
        if serde_json::from_str::<Value>(cut).is_err() {
            add(Kind::Cut, cut.to_owned(), Expected::Refused);
        }
    }
    for more in [" ", "\n", "x", "}", ",", "{}"] {
        add(Kind::Trailing, format!("{text}{more}"), Expected::Refused);
    }
    all
}

fn string(text: &str, kind: Kind, to: &mut String) {
    if kind != Kind::Escaped {
        to.push_str(&Value::from(text).to_string());
        return;
    }
    to.push('"');
    for unit in text.encode_utf16() {
        to.push_str(&format!("\\u{unit:04X}"));
    }
    to.push('"');
}

fn scalar(value: &Value, kind: Kind, to: &mut String) {
    match value {
        Value::String(text) => string(text, kind, to),
        Value::Number(number) => {
            to.push_str(number.as_str());
            let is_plain = !number.as_str().contains(['.', 'e', 'E']);
            if kind == Kind::Numbers && is_plain {
                to.push_str(".0E+0");
            }
        }
        other => to.push_str(&other.to_string()),
    }
}

/// The depth is that of a value which was read from text, and so bounded.
fn write(value: &Value, kind: Kind, to: &mut String) {
    let gap = if kind == Kind::Spread { " \n\t" } else { "" };
    let separator = |at: usize, to: &mut String| {
        to.push_str(if at == 0 { "" } else { "," });
        to.push_str(gap);
    };
    match value {
        Value::Array(items) => {
            to.push('[');
            for (at, item) in items.iter().enumerate() {
                separator(at, to);
                write(item, kind, to);
                to.push_str(gap);
            }
            to.push(']');
        }
        Value::Object(members) => {
            to.push('{');
            for (at, (key, member)) in members.iter().enumerate() {
                separator(at, to);
                string(key, kind, to);
                to.push_str(gap);
                to.push(':');
                to.push_str(gap);
                write(member, kind, to);
                to.push_str(gap);
            }
            to.push('}');
        }
        other => scalar(other, kind, to),
    }
}

/// Writes `value` with the first member of its first object twice; whether it has one.
fn repeat(value: &Value, done: &mut bool, to: &mut String) -> bool {
    match value {
        Value::Object(members) if !*done && !members.is_empty() => {
            *done = true;
            to.push('{');
            let twice = members.iter().take(1).chain(members);
            for (at, (key, member)) in twice.enumerate() {
                to.push_str(if at == 0 { "" } else { "," });
                string(key, Kind::Repeated, to);
                to.push(':');
                write(member, Kind::Repeated, to);
            }
            to.push('}');
        }
        Value::Array(items) => {
            to.push('[');
            for (at, item) in items.iter().enumerate() {
                to.push_str(if at == 0 { "" } else { "," });
                repeat(item, done, to);
            }
            to.push(']');
        }
        other => write(other, Kind::Repeated, to),
    }
    *done
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_text_comes_up() {
        let value = json!([{"a": 1, "b": "é"}, {"c": []}]);
        let text = value.to_string();
        let all = variants(&value, &text, false);
        let of = |kind| all.iter().find(|variant| variant.kind == kind).map(|v| v.text.as_str());
        assert_eq!(of(Kind::Escaped), Some(r#"[{"\u0061":1,"\u0062":"\u00E9"},{"\u0063":[]}]"#));
        assert_eq!(of(Kind::Numbers), Some(r#"[{"a":1.0E+0,"b":"é"},{"c":[]}]"#));
        assert_eq!(of(Kind::Repeated), Some(r#"[{"a":1,"a":1,"b":"é"},{"c":[]}]"#));
        assert!(of(Kind::Cut).is_some() && of(Kind::Trailing).is_some());
        for variant in all.iter().filter(|variant| variant.expected == Expected::Same) {
            let read: Value = serde_json::from_str(&variant.text).unwrap();
            assert_eq!(read.to_string().replace("1.0e+0", "1"), text, "{:?}", variant.kind);
        }
        assert!(variants(&json!(1), "1", true).iter().all(|v| v.kind != Kind::Numbers));
    }
}
