//! The filter `tojson`: JSON as Python writes it. The result is data.

use minijinja::Error;
use minijinja::value::{Kwargs, Value};
use serde_json::Value as Json;

use crate::template::value::to_json;

/// How the JSON is spelled.
struct Style {
    indent: Option<usize>,
    between: String,
    colon: String,
    ascii: bool,
    sorted: bool,
}

/// The arguments are those of Hugging Face's `tojson`: `indent`, `separators`, `ensure_ascii`
/// and `sort_keys`.
pub(crate) fn tojson(value: Value, kwargs: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = kwargs.get("indent")?;
    let separators: Option<Vec<String>> = kwargs.get("separators")?;
    let (ascii, sorted): (Option<bool>, Option<bool>) =
        (kwargs.get("ensure_ascii")?, kwargs.get("sort_keys")?);
    kwargs.assert_all_used()?;
    let (mut between, mut colon) =
        (if indent.is_some() { "," } else { ", " }.to_owned(), ": ".to_owned());
    if let Some([first, second]) = separators.as_deref() {
        (between, colon) = (first.clone(), second.clone());
    }
    let style = Style {
        indent: indent.map(|width| width.min(16)),
        between,
        colon,
        ascii: ascii.unwrap_or(false),
        sorted: sorted.unwrap_or(false),
    };
    let mut out = String::new();
    style.write(&to_json(&value)?, 0, &mut out);
    Ok(out)
}

impl Style {
    fn write(&self, json: &Json, depth: usize, out: &mut String) {
        let line = |out: &mut String, depth: usize| {
            if let Some(width) = self.indent {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', width * depth));
            }
        };
        match json {
            Json::Array(items) if !items.is_empty() => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { &self.between } else { "" });
                    line(out, depth + 1);
                    self.write(item, depth + 1, out);
                }
                line(out, depth);
                out.push(']');
            }
            Json::Object(map) if !map.is_empty() => {
                let mut entries: Vec<_> = map.iter().collect();
                if self.sorted {
                    entries.sort_by_key(|(key, _)| *key);
                }
                out.push('{');
                for (at, (key, item)) in entries.into_iter().enumerate() {
                    out.push_str(if at > 0 { &self.between } else { "" });
                    line(out, depth + 1);
                    self.string(key, out);
                    out.push_str(&self.colon);
                    self.write(item, depth + 1, out);
                }
                line(out, depth);
                out.push('}');
            }
            Json::String(text) => self.string(text, out),
            other => out.push_str(&other.to_string()),
        }
    }

    fn string(&self, text: &str, out: &mut String) {
        for character in Json::from(text).to_string().chars() {
            if self.ascii && !character.is_ascii() {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            } else {
                out.push(character);
            }
        }
    }
}
