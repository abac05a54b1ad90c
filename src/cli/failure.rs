//! Why a command breaks off.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use blueprints::Diagnostics;

use super::output;

/// Why a command breaks off.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something is wrong with what it was given.
    Input(String),
    /// Something is wrong with a template.
    Template(Box<Diagnostics>),
    /// Nobody reads its output any more.
    Unread,
}

impl Failure {
    /// A problem of the input `name`.
    pub(crate) fn of(name: &str, error: &dyn Error) -> Self {
        Self::Input(format!("{name}: {}", chain(error)))
    }

    /// Says what went wrong, and answers the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Input(message) => output::message(&format!("error: {message}")),
            Self::Template(diagnostics) => output::message(&diagnostics.to_string()),
            // The reader has what it wanted.
            Self::Unread => return ExitCode::SUCCESS,
        }
        ExitCode::from(2)
    }
}

impl From<Diagnostics> for Failure {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Template(Box::new(diagnostics))
    }
}

/// Writing failed; reading has messages of its own.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Unread,
            _ => Self::Input(format!("cannot write to standard output: {error}")),
        }
    }
}

/// An error and its causes, those left out that the message before has told.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    text
}
