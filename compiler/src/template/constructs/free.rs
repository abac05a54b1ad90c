//! Free text: the tag and function `anything`, and the blocks `free` and `on`.

use minijinja::value::{Kwargs, Value};
use minijinja::{Environment, Error, State};

use super::arguments::Arguments;
use super::blocks::{Block, stray};
use super::calls::Call;
use super::{add, place, read, settle};
use crate::diagnostic::problem::Problem;
use crate::ir::{CaptureKind, FreeText};
use crate::template::blocks;
use crate::template::fault::Fault;
use crate::template::part::{Dispatch, Free, Kind, Place};

/// Adds the function behind the tag `anything`.
pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_function("bp_anything", tag);
}

fn tag(state: &mut State<'_, '_>, at: Vec<usize>, kwargs: Kwargs) -> Result<Value, Error> {
    let place = place(&at);
    let arguments = Arguments { owner: "anything", kwargs: &kwargs };
    let made = make(state, &arguments, Some(&place));
    settle(state, made, Some(&place))
}

/// `anything(...)`
pub(super) fn anything(call: &Call<'_>, state: &mut State<'_, '_>) -> Result<Value, Fault> {
    let (known, example) = blocks::arguments_of("anything").unwrap_or_default();
    call.no_positional(example)?;
    call.arguments.only(known)?;
    make(state, &call.arguments, call.place)
}

fn make(
    state: &mut State<'_, '_>,
    arguments: &Arguments<'_>,
    place: Option<&Place>,
) -> Result<Value, Fault> {
    let free = Free {
        until: arguments.literals(state, "until")?,
        include: arguments.flag("include")?,
        limits: FreeText {
            excludes: arguments.literals(state, "excludes")?.unwrap_or_default(),
            min_chars: arguments.count("min_chars")?.unwrap_or(0),
            max_chars: arguments.count("max_chars")?,
            max_tokens: arguments.count("max_tokens")?,
            special: arguments.flag("special")?,
            before: None,
        },
    };
    let (min, max) = (free.limits.min_chars, free.limits.max_chars);
    if let Some(max) = max.filter(|max| *max < min) {
        return Err(Fault::from(Problem::empty_length(min, max)).in_argument("max_chars"));
    }
    if free.include && free.until.is_none() {
        return Err(Fault::from(Problem::include_without_until()).in_argument("include"));
    }
    let part = add(state, Kind::Anything(Box::new(free)), place)?;
    arguments.named(state, part, CaptureKind::Text, place)
}

impl Block<'_> {
    pub(super) fn free(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
        let mut dispatch = Dispatch {
            at_least_one: self.arguments.flag("at_least_one")?,
            stop_after_first: self.arguments.flag("stop_after_first")?,
            excludes: self.arguments.literals(state, "excludes")?.unwrap_or_default(),
            until: self.arguments.literals(state, "until")?,
            text: self.arguments.word("text")?,
            rules: Vec::new(),
        };
        for part in read(state, body)? {
            match &part.kind {
                Kind::On { triggers, body } => {
                    dispatch.rules.push((triggers.clone(), body.clone()));
                }
                _ => stray(&part, "free", "on")?,
            }
        }
        self.finish(state, Kind::Dispatch(Box::new(dispatch)))
    }

    pub(super) fn on(&self, state: &mut State<'_, '_>, body: &Value) -> Result<Value, Fault> {
        let Some(triggers) = self.arguments.literals(state, "trigger")? else {
            return Err(Problem::triggerless_on().into());
        };
        let body = self.body(state, body)?;
        self.add(state, Kind::On { triggers, body })
    }
}
