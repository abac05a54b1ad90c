//! What is read back: against an exhaustive parser, in pieces, from hostile texts, as tool calls.

mod calls;
mod hostile;
mod language;
mod oracle;
mod random;
mod streams;
mod tokens;
