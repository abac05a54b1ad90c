//! Objects: what a formula says about their members, and the texts of those that satisfy it.
//!
//! A formula becomes a Boolean formula over facts about members ([`facts`]), that becomes
//! alternatives, each a conjunction ([`conjunction`]), and each of those a machine that watches
//! which members have been seen ([`plan`]).

pub(super) mod conjunction;
pub(super) mod evaluated;
pub(super) mod facts;
mod lower;
pub(super) mod names;
pub(super) mod plan;

pub(super) use lower::some_of;
