//! Places in a schema: JSON pointers, and the references that name them.

use serde_json::Value;

use super::SchemaError;

/// The pointer of the member or item `name` of what `pointer` points at.
pub(super) fn child(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The pointer that `reference`, which stands at `place`, resolves to in `root`.
pub(super) fn resolve(root: &Value, reference: &str, place: &str) -> Result<String, SchemaError> {
    let unresolved =
        |why: &str| SchemaError::unresolved(place, format!("the reference `{reference}` {why}"));
    let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let id = root.get("$id").or(root.get("id")).and_then(Value::as_str);
    let own = id.is_some_and(|id| id.trim_end_matches('#') == resource);
    if !resource.is_empty() && !own {
        return Err(unresolved("leads out of the schema"));
    }
    let fragment = percent_decoded(fragment).ok_or_else(|| unresolved("has a bad escape"))?;
    if fragment.is_empty() {
        return Ok(String::new());
    }
    if !fragment.starts_with('/') {
        return Err(unresolved("is no JSON pointer; names are not supported"));
    }
    let mut pointer = String::new();
    let mut value = root;
    for part in fragment[1..].split('/') {
        if !pointer.is_empty() && value.get("$id").is_some_and(Value::is_string) {
            return Err(SchemaError::unsupported(
                place,
                format!("the reference `{reference}` crosses an `$id`, which is not supported"),
            ));
        }
        let name = unescaped(part).ok_or_else(|| unresolved("has a bad escape"))?;
        value = match value {
            Value::Object(members) => members.get(&name),
            Value::Array(items) => index(&name).and_then(|at| items.get(at)),
            _ => None,
        }
        .ok_or_else(|| unresolved("leads nowhere"))?;
        pointer = child(&pointer, &name);
    }
    Ok(pointer)
}

/// What `pointer`, made by [`resolve`] or [`child`], points at.
pub(super) fn value_at<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    root.pointer(pointer)
}

fn index(name: &str) -> Option<usize> {
    let canonical = name == "0" || !name.starts_with('0');
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits { name.parse().ok() } else { None }
}

fn unescaped(part: &str) -> Option<String> {
    let mut text = String::with_capacity(part.len());
    let mut characters = part.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '~' => match characters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            other => other,
        });
    }
    Some(text)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let high = char::from(rest.next()?).to_digit(16)?;
        let low = char::from(rest.next()?).to_digit(16)?;
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).ok()
}
