//! Template text to an [`Ir`](crate::ir::Ir): parsed, rewritten for minijinja, rendered, lowered.
//!
//! Each construct renders to a handle into an arena of parts, so that data can never become
//! structure.

pub(crate) mod arena;
pub(crate) mod ast;
pub(crate) mod blame;
pub(crate) mod blocks;
pub(crate) mod blueprint;
pub(crate) mod comparison;
pub(crate) mod constructs;
pub(crate) mod delimiters;
pub(crate) mod doubts;
pub(crate) mod environment;
pub(crate) mod expression;
pub(crate) mod fault;
pub(crate) mod filters;
pub(crate) mod follow;
pub(crate) mod format;
pub(crate) mod insert;
pub(crate) mod lower;
pub(crate) mod member;
pub(crate) mod parse;
pub(crate) mod part;
pub(crate) mod prepare;
pub(crate) mod python_json;
pub(crate) mod rewrite;
pub(crate) mod specials;
pub(crate) mod strftime;
pub(crate) mod value;
pub(crate) mod whitespace;
