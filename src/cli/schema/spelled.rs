//! Writes a JSON value as text, with or without blanks after commas and colons.

use serde_json::Value;

/// `value` as Python's `json.dumps` writes it, or without blanks.
pub(super) fn spelled(value: &Value, spaces: bool) -> String {
    let mut text = String::new();
    let [comma, colon] = if spaces { [", ", ": "] } else { [",", ":"] };
    write(value, comma, colon, &mut text);
    text
}

/// The depth is that of a value which was read from text, and so bounded.
fn write(value: &Value, comma: &str, colon: &str, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { comma });
                write(item, comma, colon, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (at, (key, member)) in members.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { comma });
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push_str(colon);
                write(member, comma, colon, text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}
