//! The filters behind the block tags `repeat`, `choice`, `option`, `optional`, `capture` and
//! `anyorder`.

use std::sync::Arc;

use minijinja::value::{Kwargs, Value};
use minijinja::{Environment, Error, State};

use super::arguments::{Arguments, chomped};
use super::{add, place, read, settle};
use crate::diagnostic::problem::Problem;
use crate::ir::CaptureKind;
use crate::template::fault::Fault;
use crate::template::part::{Kind, Part, Parts, Place};

/// Adds the filters.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    for (name, owner, make) in BLOCKS {
        environment.add_filter(
            *name,
            move |state: &mut State<'_, '_>,
                  body: Value,
                  at: Vec<usize>,
                  kwargs: Kwargs|
                  -> Result<Value, Error> {
                let place = place(&at);
                let block = Block { arguments: Arguments { owner, kwargs: &kwargs }, place };
                let made = make(&block, state, &body);
                settle(state, made, Some(&block.place))
            },
        );
    }
}

/// One block of ours as it renders.
pub(super) struct Block<'a> {
    pub(super) arguments: Arguments<'a>,
    pub(super) place: Place,
}

type Maker = fn(&Block<'_>, &mut State<'_, '_>, &Value) -> Result<Value, Fault>;

const BLOCKS: &[(&str, &str, Maker)] = &[
    ("bp_repeat", "repeat", |block, state, body| block.repeat(state, body)),
    ("bp_choice", "choice", |block, state, body| block.choice(state, body)),
    ("bp_option", "option", |block, state, body| block.option(state, body)),
    ("bp_optional", "optional", |block, state, body| block.optional(state, body)),
    ("bp_capture", "capture", |block, state, body| block.capture(state, body)),
    ("bp_anyorder", "anyorder", |block, state, body| block.any_order(state, body)),
    ("bp_part", "part", |block, state, body| block.item(state, body)),
    ("bp_free", "free", |block, state, body| block.free(state, body)),
    ("bp_on", "on", |block, state, body| block.on(state, body)),
];

/// More parts than this in any order have too many orders.
const ANY_ORDER_MAX: usize = 8;

impl Block<'_> {
    pub(super) fn add(&self, state: &mut State<'_, '_>, kind: Kind) -> Result<Value, Fault> {
        add(state, kind, Some(&self.place))
    }

    /// The body without its last line break where the option rule holds, and with its name.
    pub(super) fn body(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Parts, Fault> {
        let parts = chomped(read(state, body)?, self.arguments.kwargs);
        match self.arguments.name(CaptureKind::Text)? {
            None => Ok(parts),
            Some((name, kind)) => {
                let capture = self.add(state, Kind::Capture { name, kind, body: parts })?;
                Ok(read(state, &capture)?.into())
            }
        }
    }

    fn named(&self, state: &mut State<'_, '_>, part: Value) -> Result<Value, Fault> {
        self.arguments.named(state, part, CaptureKind::Text, Some(&self.place))
    }

    /// Each iteration has the name, so that the result is a list.
    fn repeat(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
        let arguments = &self.arguments;
        let (min, max) = (arguments.count("min")?, arguments.count("max")?);
        let (min, max) = match arguments.count("times")? {
            Some(times) => (times, Some(times)),
            None => (min.unwrap_or(0), max),
        };
        if let Some(max) = max.filter(|max| *max < min) {
            return Err(Fault::from(Problem::empty_repeat(min, max)).in_argument("max"));
        }
        let separator = arguments.parts(state, "sep")?;
        let body = self.body(state, body)?;
        self.add(state, Kind::Repeat { body, min, max, separator })
    }

    fn choice(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
        let mut options = Vec::new();
        for part in read(state, body)? {
            match &part.kind {
                Kind::Option(body) => options.push(body.clone()),
                _ => stray(&part, "choice", "option")?,
            }
        }
        let choice = self.add(state, Kind::Choice(options))?;
        self.named(state, choice)
    }

    fn option(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
        let body = self.body(state, body)?;
        self.add(state, Kind::Option(body))
    }

    fn optional(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
        let body = self.body(state, body)?;
        self.add(state, Kind::Optional(body))
    }

    fn capture(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
        if self.arguments.given("name").is_none() {
            return Err(Problem::nameless_capture().into());
        }
        let parts = self.body(state, body)?;
        Ok(Value::from_safe_string(super::arena(state).render(parts)))
    }

    fn any_order(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
        let separator = self.arguments.parts(state, "sep")?;
        let mut items = Vec::new();
        for part in read(state, body)? {
            match &part.kind {
                Kind::Item { body, required } => items.push((body.clone(), *required)),
                _ => stray(&part, "anyorder", "part")?,
            }
        }
        if items.len() > ANY_ORDER_MAX {
            return Err(Problem::limit("parts in any order", ANY_ORDER_MAX as u64).into());
        }
        let part = self.add(state, Kind::AnyOrder { items, separator })?;
        self.named(state, part)
    }

    fn item(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
        let required = !self.arguments.flag("optional")?;
        let body = self.body(state, body)?;
        self.add(state, Kind::Item { body, required })
    }

    pub(super) fn finish(&self, state: &mut State<'_, '_>, kind: Kind) -> Result<Value, Fault> {
        let part = self.add(state, kind)?;
        self.named(state, part)
    }
}

/// Fails for what is neither blank nor a block that belongs there.
pub(super) fn stray(part: &Arc<Part>, owner: &str, block: &str) -> Result<(), Fault> {
    match &part.kind {
        Kind::Faulty => Ok(()),
        Kind::Text { string, .. } if string.chars().all(char::is_whitespace) => Ok(()),
        Kind::Text { string, .. } => {
            Err(Problem::text_in_container(owner, block, string.trim()).into())
        }
        kind => Err(Problem::part_in_container(owner, block, kind.name()).into()),
    }
}
