//! The JSON pointer of the place at which a JSON text breaks off.

use blueprints_compiler::Ir;
use blueprints_compiler::ir::Kind;

/// A value that is open.
enum Open {
    /// An object: the key of the member that is being read, once it is known.
    Object(Option<String>),
    /// An array: the place of the item that is being read.
    Array(usize),
}

/// Where the JSON value of the texts of `ir` begins, if it begins in one place.
pub(crate) fn json_start(ir: &Ir) -> Option<usize> {
    match ir.kind() {
        Kind::Schema(schema) if schema.options.style.is_none() => Some(0),
        Kind::Capture(capture) => json_start(&capture.body),
        Kind::Sequence(parts) => {
            let mut start = 0;
            for part in parts.iter() {
                if let Kind::Text(text) = part.kind() {
                    start += text.string.len();
                } else {
                    return json_start(part).map(|inner| start + inner);
                }
            }
            None
        }
        _ => None,
    }
}

/// The pointer of the innermost value that is being read at the end of `text`, the beginning of
/// a JSON value.
///
/// # Complexity
/// O(bytes of `text`).
pub(crate) fn pointer(text: &str) -> String {
    let mut open: Vec<Open> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match first {
            '{' => open.push(Open::Object(None)),
            '[' => open.push(Open::Array(0)),
            '}' | ']' => drop(open.pop()),
            ',' => match open.last_mut() {
                Some(Open::Object(key)) => *key = None,
                Some(Open::Array(at)) => *at += 1,
                None => {}
            },
            '"' => {
                let length = string(rest);
                let (spelled, after) = rest.split_at(length.unwrap_or(rest.len()));
                if let Some(Open::Object(key @ None)) = open.last_mut()
                    && length.is_some()
                {
                    *key = serde_json::from_str(spelled).ok();
                }
                rest = after;
                continue;
            }
            _ => {}
        }
        rest = &rest[first.len_utf8()..];
    }
    let parts = open.into_iter().filter_map(|part| match part {
        Open::Object(key) => key.map(|key| key.replace('~', "~0").replace('/', "~1")),
        Open::Array(at) => Some(at.to_string()),
    });
    parts.fold(String::new(), |pointer, part| pointer + "/" + &part)
}

/// How many bytes the string that `text` begins with takes; `None` if it breaks off.
fn string(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::pointer;

    #[test]
    fn points_at_the_innermost_open_value() {
        for (text, expected) in [
            ("", ""),
            ("{", ""),
            ("{\"a", ""),
            ("{\"a\"", "/a"),
            ("{\"a\": [1, {\"b/~\": \"]}\\\"", "/a/1/b~1~0"),
            ("{\"a\": [1, 2]", "/a"),
            ("{\"a\": [1, 2], ", ""),
            ("[\"\\", "/0"),
            ("[[],[[],", "/1/1"),
            ("{\"\\u0061\":", "/a"),
        ] {
            assert_eq!(pointer(text), expected, "{text}");
        }
    }
}
