//! A text that a command asks a blueprint about: how it is judged, and how its places are named.

use std::fmt::Write;

use blueprints::{Limits, Outline, Recogniser, Verdict};

use super::failure::Failure;

/// Whether `text` fits `outline`; `name` is that of the template.
pub(crate) fn judge(outline: &Outline, name: &str, text: &str) -> Result<Verdict, Failure> {
    let mut recogniser = Recogniser::new(outline.ir(), Limits::default())
        .map_err(|error| Failure::of(name, &error))?;
    recogniser.check(text).map_err(|error| Failure::of(name, &error))
}

/// The place of byte `at`: `byte 7, 2:3`, line and column from 1.
pub(crate) fn place(text: &[u8], at: usize) -> String {
    let before = String::from_utf8_lossy(&text[..at.min(text.len())]);
    let line = before.matches('\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].chars().count() + 1;
    format!("byte {at}, {line}:{column}")
}

/// `bytes` on one line: control characters escaped, what is not UTF-8 as `\xNN`.
pub(crate) fn escaped(bytes: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => shown.push_str("\\\\"),
                _ if character.is_control() => shown.extend(character.escape_default()),
                _ => shown.push(character),
            }
        }
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}
