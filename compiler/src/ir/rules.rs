//! Rules whose bodies are made when they are first called.
//!
//! A schema may have thousands of rules of which a text meets a few; so the engine asks for a
//! body when it first needs it.

use std::fmt::Debug;

use thiserror::Error;

use super::{Ir, RuleId};

/// A limit that was crossed while a rule's body was made.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct RuleError(pub String);

/// Rules by number, made on demand. No rule is nullable or without any text, none calls itself
/// before it has read a byte.
pub trait Rules: Send + Sync + Debug {
    /// The rule whose language this is.
    fn start(&self) -> RuleId;

    /// What `rule` means, where [`Kind::Call`](super::Kind::Call) is a rule of these again. The
    /// same for the same rule every time.
    ///
    /// # Errors
    /// [`RuleError`] if a limit is crossed. What cannot be held is refused before there are rules.
    fn body(&self, rule: RuleId) -> Result<Ir, RuleError>;
}
