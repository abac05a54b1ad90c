//! The structure that a rendering makes, before it is an [`Ir`].

use std::ops::Range;
use std::sync::Arc;

use crate::ir::{CaptureKind, FreeText, Ir, Literal, Origin};
use crate::template::rewrite::TemplateId;

/// A piece of structure made while a template renders.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Part {
    pub(crate) kind: Kind,
    pub(crate) place: Option<Place>,
    /// It and the parts in it, each as often as it is used.
    pub(crate) size: usize,
    pub(crate) depth: usize,
    /// Whether the number of an iteration stands in it, outside of repeats in it.
    pub(crate) counted: bool,
}

/// Parts in a row.
pub(crate) type Parts = Arc<[Arc<Part>]>;

/// The kinds of parts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    Text {
        string: Arc<str>,
        origin: Origin,
    },
    /// What a filter or function made, complete in itself.
    Closed(Ir),
    Repeat {
        body: Parts,
        min: u32,
        max: Option<u32>,
        separator: Parts,
    },
    Choice(Vec<Parts>),
    /// An option on its way into its choice.
    Option(Parts),
    Optional(Parts),
    Anything(Box<Free>),
    Capture {
        name: Arc<str>,
        kind: CaptureKind,
        body: Parts,
    },
    /// Free text in which triggers start structure.
    Dispatch(Box<Dispatch>),
    /// A trigger on its way into its free text.
    On {
        triggers: Vec<Literal>,
        body: Parts,
    },
    /// Parts in any order, each required or not.
    AnyOrder {
        items: Vec<(Parts, bool)>,
        separator: Parts,
    },
    /// One of them on its way.
    Item {
        body: Parts,
        required: bool,
    },
    /// The number of the iteration it stands in, counted from this one.
    Iteration(u32),
    /// What was faulty; the fault is reported.
    Faulty,
}

/// Free text as it was asked for.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Free {
    pub(crate) until: Option<Vec<Literal>>,
    pub(crate) limits: FreeText,
    /// Whether the delimiter is part of it.
    pub(crate) include: bool,
}

/// Free text with triggers as it was asked for.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Dispatch {
    pub(crate) rules: Vec<(Vec<Literal>, Parts)>,
    pub(crate) at_least_one: bool,
    pub(crate) stop_after_first: bool,
    pub(crate) excludes: Vec<Literal>,
    pub(crate) until: Option<Vec<Literal>>,
    /// The name of each run of free text.
    pub(crate) text: Option<Arc<str>>,
}

/// A place in one of the templates of a blueprint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) template: TemplateId,
    pub(crate) range: Range<usize>,
    /// The call of a macro, or the include, from which it is reached.
    pub(crate) caller: Option<Arc<Place>>,
    /// The argument of the tag here that is meant.
    pub(crate) argument: Option<&'static str>,
}

impl Place {
    pub(crate) fn in_argument(self, argument: Option<&'static str>) -> Self {
        Self { argument, ..self }
    }
}

impl Kind {
    /// Tells `found` of each row of parts in it.
    pub(crate) fn each_row(&self, found: &mut dyn FnMut(&[Arc<Part>])) {
        match self {
            Self::Text { .. }
            | Self::Closed(_)
            | Self::Anything(_)
            | Self::Iteration(_)
            | Self::Faulty => {}
            Self::Repeat { body, separator, .. } => {
                found(body);
                found(separator);
            }
            Self::Choice(options) => options.iter().for_each(|option| found(option)),
            Self::Option(body)
            | Self::Optional(body)
            | Self::Capture { body, .. }
            | Self::On { body, .. }
            | Self::Item { body, .. } => found(body),
            Self::Dispatch(dispatch) => dispatch.rules.iter().for_each(|(_, body)| found(body)),
            Self::AnyOrder { items, separator } => {
                items.iter().for_each(|(body, _)| found(body));
                found(separator);
            }
        }
    }

    /// What it is called in a message.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Text { .. } => "text",
            Self::Closed(ir) => crate::diagnostic::problem::name_of(ir),
            Self::Repeat { .. } => "a repeat",
            Self::Choice(_) => "a choice",
            Self::Option(_) => "an option",
            Self::Optional(_) => "an optional",
            Self::Anything(_) => "free text",
            Self::Capture { .. } => "a capture",
            Self::Dispatch(_) => "free text with triggers",
            Self::On { .. } => "an `on` block",
            Self::AnyOrder { .. } => "parts in any order",
            Self::Item { .. } => "a part of an `anyorder`",
            Self::Iteration(_) => "the number of an iteration",
            Self::Faulty => "a part",
        }
    }
}

impl Part {
    /// A text of a template as a part.
    pub(crate) fn source(text: &str) -> Self {
        let kind = Kind::Text { string: text.into(), origin: Origin::Source };
        Self { kind, place: None, size: 1, depth: 1, counted: false }
    }

    /// The part, a text, with other characters.
    pub(crate) fn with_text(&self, text: &str) -> Self {
        let origin = match &self.kind {
            Kind::Text { origin, .. } => *origin,
            _ => Origin::Value,
        };
        Self { kind: Kind::Text { string: text.into(), origin }, ..Self::source("") }
    }
}
