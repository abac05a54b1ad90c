//! Strings: bounds on their length, and patterns lifted through the spellings of JSON.

use super::SchemaError;
use super::lower::{Key, Lowering};
use super::read::Keywords;
use super::reference::child;
use super::strings::{Escapes, PatternFault, Spelling, StringLanguage, TooLarge};
use crate::ir::Ir;

impl Lowering<'_> {
    /// The strings that are valid for `keywords`, with their quotation marks.
    pub(super) fn string(
        &mut self,
        keywords: &Keywords<'_>,
        pointer: &str,
    ) -> Result<Ir, SchemaError> {
        let (min, max) = (keywords.min_length, keywords.max_length);
        let Some(pattern) = keywords.pattern else {
            let any = min == 0 && max.is_none();
            return Ok(if any { self.call(Key::String) } else { self.string_of(min, max) });
        };
        let place = child(pointer, "pattern");
        let found = search(pattern, &place)?;
        let held = StringLanguage::length(u64::from(min), max.map(u64::from));
        let large = |error: TooLarge| SchemaError::too_large(&place, error.to_string());
        let held = found.intersection(&held).map_err(large)?;
        if held.is_never() {
            self.note(&place, "no string has the pattern and the length");
        }
        held.to_ir(Spelling::Json(Escapes::All)).map_err(large)
    }
}

/// The strings in which `pattern`, which stands at `place`, is found.
pub(super) fn search(pattern: &str, place: &str) -> Result<StringLanguage, SchemaError> {
    StringLanguage::pattern(pattern).map_err(|fault| match fault {
        PatternFault::Refused(error) => {
            let range = error.range.clone();
            let message = format!("{} (bytes {} to {})", error, range.start, range.end);
            SchemaError::unsupported(place, message)
        }
        PatternFault::TooLarge(error) => SchemaError::too_large(place, error.to_string()),
    })
}
