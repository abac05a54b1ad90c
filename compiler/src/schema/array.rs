//! Arrays: one schema for all items, and bounds on their number.

use super::SchemaError;
use super::lower::Lowering;
use super::read::{Keywords, Types};
use super::reference::child;
use crate::ir::Ir;

impl<'a> Lowering<'a> {
    /// The arrays that are valid for `keywords`.
    pub(super) fn array(
        &mut self,
        keywords: &Keywords<'a>,
        pointer: &str,
    ) -> Result<Ir, SchemaError> {
        let item = match keywords.items {
            Some(items) => self.schema(items, &child(pointer, "items"), Types::ALL)?,
            None => self.any(Types::ALL),
        };
        if item.is_never() && keywords.min_items > 0 {
            self.note(&child(pointer, "minItems"), "no item is valid, and there must be some");
            return Ok(Ir::never());
        }
        let item = Ir::sequence([item, self.gap()]);
        let comma = self.comma();
        let items = Ir::repeat(item, keywords.min_items, keywords.max_items, Some(comma));
        Ok(self.brackets(items))
    }
}
