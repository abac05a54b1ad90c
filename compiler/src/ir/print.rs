//! Prints an [`Ir`](super::Ir) in a form that reads back.
