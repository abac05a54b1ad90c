//! Stands in for the decoder where it was not built.

use super::super::Outcome;
use super::super::failure::Failure;
use super::super::input::Inputs;
use super::Arguments;

pub(super) fn run(_: &Arguments, _: &mut Inputs) -> Outcome {
    let message = "this `blueprint` was built without the feature `decode`, so it runs no model";
    Err(Failure::Input(message.into()))
}
