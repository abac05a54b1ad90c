//! Reads a regular expression and lowers it to an [`Ir`].
//!
//! The dialect is that of the crate `regex-syntax`: Unicode, `.` without line feed, and
//! `\d \w \s` as Unicode unless `(?-u)`. The whole text must match. Laziness means nothing for a
//! language and is ignored. `^`, `$`, `\A` and `\z` are exact wherever they stand; what looks at
//! the text around it otherwise is refused.

use std::ops::Range;

use regex_syntax::ast::{self, Ast, Visitor};
use regex_syntax::hir::translate::TranslatorBuilder;
use thiserror::Error;

use crate::chars::anchors::{self, AnchorError};
use crate::chars::spelling::{self, Plain};
use crate::ir::Ir;

/// The most bytes of a pattern.
pub(crate) const PATTERN_BYTES_MAX: usize = 1 << 16;
/// The deepest nest of groups, classes and repetitions.
pub(crate) const PATTERN_NEST_MAX: u32 = 200;

const NO_LOOK_AROUND: &str = "text up to a delimiter, or without one, is `anything(until=…)`";

/// Why a pattern is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct PatternError {
    /// What is wrong.
    pub message: String,
    /// The byte range in the pattern.
    pub range: Range<usize>,
    /// What to write in its place.
    pub help: Option<String>,
}

impl PatternError {
    /// `message` about the bytes `range` of a pattern.
    pub(crate) fn new(message: impl Into<String>, range: Range<usize>) -> Self {
        Self { message: message.into(), range, help: None }
    }

    fn with_help(self, help: &str) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// The texts that `pattern` matches from their first to their last character.
pub(crate) fn lower(pattern: &str) -> Result<Ir, PatternError> {
    let whole = 0..pattern.len();
    if pattern.len() > PATTERN_BYTES_MAX {
        let message = format!("the pattern has more than {PATTERN_BYTES_MAX} bytes");
        return Err(PatternError::new(message, whole));
    }
    let ast = ast::parse::ParserBuilder::new()
        .nest_limit(PATTERN_NEST_MAX)
        .build()
        .parse(pattern)
        .map_err(|error| syntax_error(&error))?;
    let hir = TranslatorBuilder::new()
        .build()
        .translate(pattern, &ast)
        .map_err(|error| PatternError::new(error.kind().to_string(), bytes(error.span())))?;
    let hir = anchors::resolve(&hir).map_err(|error| match error {
        AnchorError::LooksAround(_) => {
            let found =
                ast::visit(&ast, LooksAround::new()).unwrap_or_else(|infallible| infallible);
            let range = found.unwrap_or(whole.clone());
            let message = format!("`{}` looks at the text around it", &pattern[range.clone()]);
            PatternError::new(message, range).with_help(NO_LOOK_AROUND)
        }
        AnchorError::TooLarge => PatternError::new(error.to_string(), whole.clone()),
    })?;
    spelling::lower(&hir, &mut Plain)
        .ok_or_else(|| PatternError::new("the pattern reads bytes that are no characters", whole))
}

fn syntax_error(error: &ast::Error) -> PatternError {
    use ast::ErrorKind::{NestLimitExceeded, UnsupportedBackreference, UnsupportedLookAround};
    let range = bytes(error.span());
    match error.kind() {
        UnsupportedLookAround => {
            PatternError::new("look-around is not supported", range).with_help(NO_LOOK_AROUND)
        }
        UnsupportedBackreference => {
            PatternError::new("backreferences are not supported, they are not regular", range)
        }
        NestLimitExceeded(limit) => {
            PatternError::new(format!("the pattern nests deeper than {limit}"), range)
        }
        kind => PatternError::new(kind.to_string(), range),
    }
}

fn bytes(span: &ast::Span) -> Range<usize> {
    span.start.offset..span.end.offset
}

/// Finds the first word boundary, or anchor under the flag `m`.
struct LooksAround {
    found: Option<Range<usize>>,
    /// Whether the flag `m` is on, in each open group.
    multi_line: Vec<bool>,
}

impl LooksAround {
    fn new() -> Self {
        Self { found: None, multi_line: vec![false] }
    }

    fn is_multi_line(&self) -> bool {
        self.multi_line.last().copied().unwrap_or(false)
    }

    fn set(&mut self, flags: &ast::Flags) {
        let now = flags.flag_state(ast::Flag::MultiLine).unwrap_or(self.is_multi_line());
        if let Some(last) = self.multi_line.last_mut() {
            *last = now;
        }
    }
}

impl Visitor for LooksAround {
    type Output = Option<Range<usize>>;
    type Err = Option<Range<usize>>;

    fn finish(self) -> Result<Self::Output, Self::Err> {
        Ok(self.found)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        use ast::AssertionKind::{EndLine, EndText, StartLine, StartText};
        match ast {
            Ast::Flags(flags) => self.set(&flags.flags),
            Ast::Group(group) => {
                self.multi_line.push(self.is_multi_line());
                if let Some(flags) = group.flags() {
                    self.set(flags);
                }
            }
            Ast::Assertion(assertion) => {
                let harmless = match assertion.kind {
                    StartText | EndText => true,
                    StartLine | EndLine => !self.is_multi_line(),
                    _ => false,
                };
                if !harmless && self.found.is_none() {
                    self.found = Some(bytes(&assertion.span));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn visit_post(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        if matches!(ast, Ast::Group(_)) {
            self.multi_line.pop();
        }
        Ok(())
    }
}
