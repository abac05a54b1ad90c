//! The minijinja environment of a blueprint: strict, bounded, with nothing that makes safe text
//! of data.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, Error, State, UndefinedBehavior, Value};

use crate::diagnostic::problem::Problem;
use crate::limits::Limits;
use crate::template::constructs;
use crate::template::constructs::extension::Extensions;
use crate::template::filters;
use crate::template::strftime::strftime;

/// An environment without templates.
pub(crate) fn build(
    limits: &Limits,
    extensions: &Extensions,
) -> Result<Environment<'static>, Problem> {
    if let Some(name) = extensions.bad_name() {
        return Err(Problem::reserved_name(name).with_help("choose another name for it"));
    }
    let mut environment = Environment::empty();
    let syntax = SyntaxConfig::builder()
        .keep_trailing_newline(true)
        .trim_blocks(false)
        .lstrip_blocks(false)
        .build()
        .map_err(|error| Problem::syntax(&error.to_string()))?;
    environment.set_syntax(syntax);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Captured blocks are then marked safe, and everything else passes the formatter.
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("blueprint".into()));
    environment.set_formatter(print);
    environment.set_debug(true);
    environment.set_fuel(Some(limits.fuel));
    environment.set_recursion_limit(limits.recursion);
    filters::add_to(&mut environment);
    constructs::add_to(&mut environment, limits);
    extensions.add_to(&mut environment, limits.context_depth)?;
    let clock = extensions.clock.clone();
    environment.add_function("strftime_now", move |format: String| match &clock {
        None => Err(Error::from(Problem::failed_expression("no clock was given for the time"))),
        Some(clock) => strftime(clock(), &format).map_err(|letter| {
            Problem::failed_expression(&format!("`%{letter}` is no part of a time")).into()
        }),
    });
    Ok(environment)
}

/// Prints a value: safe text as it is, for it was made here; all else as a part that is data.
fn print(
    out: &mut minijinja::Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    let written = match value.as_str() {
        Some(text) if value.is_safe() => out.write_str(text),
        Some(text) => {
            let handle = constructs::arena(state).add_value(text)?;
            out.write_str(&handle)
        }
        None => {
            let text = value.to_string();
            // A mapping prints in braces; a macro or a module is a mapping that does not.
            let mapping = value.kind() != ValueKind::Map || text.starts_with('{');
            if value.kind() == ValueKind::Plain || !mapping {
                return Err(Problem::not_text().into());
            }
            let handle = constructs::arena(state).add_value(&text)?;
            out.write_str(&handle)
        }
    };
    written.map_err(|_| Problem::failed_expression("the output cannot be written").into())
}
