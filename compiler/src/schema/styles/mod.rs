//! Styles: how the arguments of a tool call are written where they are not one JSON object.
//!
//! A style writes each member of an object as an entry of its own, after a pattern
//! ([`pattern`]), with strings as raw text ([`raw`]) and other values in a notation
//! ([`notation`]). Where a style nests, objects and arrays are entries and items again
//! ([`entries`], [`items`]). Entries come with captures, so that what reads a text back needs no
//! knowledge of the style. Knows `ir`; which members and values there may be is found out as for
//! JSON.

mod entries;
mod items;
mod notation;
mod parse;
mod pattern;
mod presets;
mod raw;
mod style;

pub(super) use style::Notation;
pub use style::Style;
