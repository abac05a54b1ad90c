//! Placeholder until its layer lands.

#[cfg(feature = "decode")]
pub mod decode;
