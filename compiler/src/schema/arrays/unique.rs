//! Arrays whose items are all different.

use super::super::SchemaError;
use super::super::document::Item;
use super::super::layout::Layout;
use super::super::values::Lowering;
use super::conjunction::Plan;
use crate::ir::Ir;

impl Lowering {
    /// The arrays of `plan` whose items are all different, as the schema at `place` asks.
    pub(super) fn distinct(
        &mut self,
        mut plan: Plan,
        place: Item,
        _layout: &Layout,
        depth: u32,
    ) -> Result<Ir, SchemaError> {
        let pointer = self.schemas.pointer(place) + "/uniqueItems";
        let message = "items of this kind cannot be told apart";
        self.schemas.relax(SchemaError::unsupported(pointer, message))?;
        plan.unique = None;
        self.array(plan, depth)
    }
}
