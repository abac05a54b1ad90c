//! Writes to the two standard streams, one of which may be closed.

use std::io::{self, Write};

use blueprints::Diagnostics;

/// Writes `data` to standard output, at once.
pub(crate) fn data(data: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(data.as_bytes())?;
    out.flush()
}

/// Writes `data` to standard output as whole lines.
pub(crate) fn lines(text: &str) -> io::Result<()> {
    match text.is_empty() || text.ends_with('\n') {
        true => data(text),
        false => data(&format!("{text}\n")),
    }
}

/// Writes `text` to standard error as whole lines.
pub(crate) fn message(text: &str) {
    // There is no other place to complain at.
    let _ = writeln!(io::stderr().lock(), "{}", text.trim_end_matches('\n'));
}

/// Shows doubts about a template.
pub(crate) fn warnings(diagnostics: &Diagnostics) {
    if !diagnostics.is_empty() {
        message(&diagnostics.to_string());
    }
}
