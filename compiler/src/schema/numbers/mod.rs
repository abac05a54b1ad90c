//! Sets of decimal numbers, closed under union, intersection and complement.
//!
//! The signatures that the rest of the schema's lowering is written against:
//!
//! ```text
//! pub(crate) struct Decimal                   // Clone, Eq, Ord, Hash; by value, any spelling
//!   fn parse(&str) -> Option<Self>            // None: exponent out of reach
//!   fn is_integer(&self) -> bool
//! pub(crate) struct NumberLanguage            // Clone, Debug, cheap to clone
//!   fn all() / never() / integers() -> Self
//!   fn one_of(Vec<Decimal>) -> Self
//!   fn at_least(&Decimal) / above / at_most / below -> Self
//!   fn multiple_of(&Decimal) -> Result<Self, TooLarge>    // the divisor is above zero
//!   fn union/intersection/difference(&self, &Self) -> Result<Self, TooLarge>
//!   fn complement(&self) -> Self
//!   fn is_never/is_all/is_finite(&self) -> bool
//!   fn contains(&self, &Decimal) -> bool
//!   fn values(&self, most: usize) -> Option<Vec<Decimal>>
//!   fn to_ir(&self, Numbers) -> Result<Ir, TooLarge>
//! pub(crate) enum Numbers { Json, Plain, Digits }   // all spellings; no exponent; neither exponent nor fraction (integers of draft 4)
//! ```
