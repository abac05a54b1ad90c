//! Arrays: what a formula says about their items, and the texts of those that satisfy it.

pub(super) mod conjunction;
pub(super) mod evaluated;
pub(super) mod facts;
pub(super) mod lower;
mod unique;
