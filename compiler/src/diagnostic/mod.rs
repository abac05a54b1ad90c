//! Problems of a template with their places, as a list that shows them with carets.

pub(crate) mod code;
mod doubt;
pub(crate) mod explain;
pub(crate) mod problem;
pub(crate) mod source;
pub(crate) mod suggest;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use codespan_reporting::diagnostic as report;
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term;

use crate::diagnostic::code::Code;
use crate::diagnostic::problem::Problem;
use crate::diagnostic::source::Source;

/// Whether a problem stops the work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Severity {
    /// There is no outline.
    Error,
    /// There is an outline, but perhaps not the intended one.
    Warning,
}

/// One problem and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// What kind of problem it is; branch on this, never on the message.
    pub code: Code,
    /// Whether it stops the work.
    pub severity: Severity,
    /// The name of the template.
    pub file: String,
    /// The place as bytes of the template.
    pub range: Range<usize>,
    /// The line of the place, from 1; 0 if the problem has no place in a text.
    pub line: usize,
    /// The column of the place in characters, from 1; 0 if it has no place in a text.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// The JSON pointer of the place in a schema or in the context.
    pub pointer: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// Other places that belong to it, such as the tag that includes the template.
    pub related: Vec<Related>,
}

/// A place that belongs to a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Related {
    /// The name of the template.
    pub file: String,
    /// The place as bytes of the template.
    pub range: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is there.
    pub message: String,
}

/// Problems in the order of their places, with the texts they lie in.
///
/// `Display` prints each of them with carets, in plain text.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    sources: Vec<Arc<Source>>,
}

impl Diagnostic {
    /// `problem` at `range` of `source`.
    pub(crate) fn new(problem: Problem, source: &Source, range: &Range<usize>) -> Self {
        let range = source.clamp(range);
        let (line, column) = source.line_column(range.start);
        let severity = problem.code.severity();
        Self {
            code: problem.code,
            severity,
            file: source.name().into(),
            range,
            line,
            column,
            message: problem.message,
            pointer: problem.pointer,
            help: problem.help,
            related: Vec::new(),
        }
    }

    /// `problem` that lies in no text, such as a file that cannot be read.
    pub(crate) fn without_place(problem: Problem, file: &str) -> Self {
        let source = Source::new(file, "");
        Self { line: 0, column: 0, ..Self::new(problem, &source, &(0..0)) }
    }

    /// Adds a place that belongs to the problem.
    pub(crate) fn with_related(
        mut self,
        source: &Source,
        range: &Range<usize>,
        message: &str,
    ) -> Self {
        let range = source.clamp(range);
        let (line, column) = source.line_column(range.start);
        let file = source.name().to_owned();
        self.related.push(Related { file, range, line, column, message: message.into() });
        self
    }
}

impl fmt::Display for Diagnostic {
    /// One line: `file:line:column: code: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}: {}", self.file, self.code, self.message),
            line => {
                let column = self.column;
                write!(f, "{}:{line}:{column}: {}: {}", self.file, self.code, self.message)
            }
        }
    }
}

impl Diagnostics {
    pub(crate) fn new(mut list: Vec<Diagnostic>, sources: Vec<Arc<Source>>) -> Self {
        let key = |diagnostic: &Diagnostic| {
            let file = sources.iter().position(|source| source.name() == diagnostic.file);
            (file, diagnostic.range.start, diagnostic.range.end, diagnostic.code)
        };
        list.sort_by_key(key);
        list.dedup();
        Self { list, sources }
    }

    /// The problems, in the order of their places.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// How many problems there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether one of them stops the work.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The problems, in the order of their places.
    #[must_use]
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.list
    }

    /// These problems and others of the same blueprint, in the order of their places.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        let mut list = self.list;
        list.extend(others.list);
        let mut sources = self.sources;
        for source in others.sources {
            if !sources.iter().any(|known| known.name() == source.name()) {
                sources.push(source);
            }
        }
        Self::new(list, sources)
    }

    pub(crate) fn into_parts(self) -> (Vec<Diagnostic>, Vec<Arc<Source>>) {
        (self.list, self.sources)
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut files = SimpleFiles::new();
        for source in &self.sources {
            files.add(source.name(), source.text());
        }
        let mut config = term::Config { chars: term::Chars::ascii(), ..term::Config::default() };
        for (at, diagnostic) in self.list.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            let long = self.longest_line(diagnostic) > LINE_MAX;
            config.display_style =
                if long { term::DisplayStyle::Medium } else { term::DisplayStyle::Rich };
            let shown = self.report(diagnostic);
            match term::emit_into_string(&config, &files, &shown) {
                Ok(text) => f.write_str(text.trim_end())?,
                Err(_) => write!(f, "{diagnostic}")?,
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostics {}

/// A line with more bytes than this is not shown.
const LINE_MAX: usize = 2000;

impl Diagnostics {
    /// The bytes of the longest line that a report of `diagnostic` would show.
    fn longest_line(&self, diagnostic: &Diagnostic) -> usize {
        let related = diagnostic.related.iter().map(|place| (&place.file, &place.range));
        let places = std::iter::once((&diagnostic.file, &diagnostic.range)).chain(related);
        let lengths = places.filter_map(|(file, range)| {
            let source = self.sources.iter().find(|source| source.name() == *file)?;
            Some(source.line_length(range.start).max(range.len()))
        });
        lengths.max().unwrap_or(0)
    }

    fn report(&self, diagnostic: &Diagnostic) -> report::Diagnostic<usize> {
        let severity = match diagnostic.severity {
            Severity::Error => report::Severity::Error,
            Severity::Warning => report::Severity::Warning,
        };
        let file_id = |name: &str| self.sources.iter().position(|source| source.name() == name);
        let place = file_id(&diagnostic.file).filter(|_| diagnostic.line > 0);
        let message = match place {
            Some(_) => diagnostic.message.clone(),
            None => format!("{}: {}", diagnostic.file, diagnostic.message),
        };
        let mut shown =
            report::Diagnostic::new(severity).with_code(diagnostic.code).with_message(message);
        if let Some(id) = place {
            shown.labels.push(report::Label::primary(id, diagnostic.range.clone()));
        }
        for related in &diagnostic.related {
            if let Some(id) = file_id(&related.file) {
                let label = report::Label::secondary(id, related.range.clone());
                shown.labels.push(label.with_message(&related.message));
            }
        }
        if let Some(help) = &diagnostic.help {
            shown.notes.push(format!("help: {help}"));
        }
        shown
    }
}
