//! Rewrites a checked [`Ast`] to the template that minijinja renders, with a map back.
//!
//! `{% repeat min=1 %}` becomes `{% filter bp_repeat([0, 0, 18], min=(1)) %}{% with %}`: the number
//! of the template and the place of the tag come first, the scope keeps a `set` in the block.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::problem::Problem;
use crate::template::ast::{Ast, Delimited, Item, Tag};
use crate::template::blocks::{self, Blocks};
use crate::template::expression::{self, Argument};
use crate::template::insert::Known;
use crate::template::whitespace::Whitespace;

/// The number of a template among those of one blueprint.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct TemplateId(pub(crate) u32);

/// A template that minijinja can render, and where each byte of it comes from.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Rewritten {
    pub(crate) text: String,
    pieces: Vec<Piece>,
    /// The arguments of our tags: where the tag begins, the name, the place of the value.
    arguments: Vec<(usize, String, Range<usize>)>,
}

/// A stretch of the rewritten text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Piece {
    /// Where it begins in the rewritten text.
    start: usize,
    source: Range<usize>,
    /// Whether it was copied byte for byte; otherwise it stands for all of `source`.
    copied: bool,
}

impl Rewritten {
    /// The place in the template of a place in the rewritten text.
    pub(crate) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.piece(range.start);
        let last = self.piece(range.end.saturating_sub(1).max(range.start));
        let (Some(first), Some(last)) = (first, last) else { return 0..0 };
        let start = match first.copied {
            true => first.source.start + (range.start - first.start),
            false => first.source.start,
        };
        let end = match last.copied {
            true => last.source.start + range.end.saturating_sub(last.start),
            false => last.source.end,
        };
        start..end.clamp(start, last.source.end.max(start))
    }

    /// The place in the template of a line of the rewritten text, from 1.
    pub(crate) fn line_place(&self, line: usize) -> Range<usize> {
        let mut lines = self.text.split_inclusive('\n').scan(0, |at, line| {
            *at += line.len();
            Some(*at - line.len()..*at)
        });
        lines.nth(line.saturating_sub(1)).map_or(0..0, |line| {
            let place = self.place(&line);
            place.start..place.start
        })
    }

    /// The value of the argument `name` of the tag that begins at `tag`.
    pub(crate) fn argument(&self, tag: usize, name: &str) -> Option<Range<usize>> {
        let found = self.arguments.iter().find(|(start, known, _)| *start == tag && known == name);
        found.map(|(_, _, range)| range.clone())
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.start <= at);
        self.pieces.get(after.saturating_sub(1))
    }
}

struct Writer<'a> {
    ast: &'a Ast,
    blocks: &'a Blocks,
    whitespace: &'a Whitespace,
    known: Known,
    /// The items that close a block of ours.
    closing: std::collections::BTreeSet<usize>,
    written: Rewritten,
    faults: Vec<Diagnostic>,
}

/// The template that renders the parts of `ast`, and what is wrong with its arguments. The main
/// one begins the rendering.
pub(crate) fn rewrite(
    ast: &Ast,
    blocks: &Blocks,
    whitespace: &Whitespace,
    known: Known,
    is_main: bool,
) -> (Rewritten, Vec<Diagnostic>) {
    let written = Rewritten::default();
    let (closing, faults) = (std::collections::BTreeSet::new(), Vec::new());
    let mut writer = Writer { ast, blocks, whitespace, known, closing, written, faults };
    if is_main {
        writer.insert("{{ bp_begin(bp_rendering) }}", &(0..0));
    }
    for (at, item) in ast.items.iter().enumerate() {
        match item {
            Item::Text(range) => writer.text(range),
            Item::Raw(raw) => writer.raw(&raw.inner),
            Item::Comment(_) => {}
            Item::Output(output) => {
                writer.insert("{{ ", &output.open.range);
                writer.expression(output, "", output.inner.start);
                writer.insert(" }}", &output.close.range);
            }
            Item::Tag(tag) => writer.tag(at, tag),
        }
    }
    (writer.written, writer.faults)
}

impl Writer<'_> {
    /// Writes `text`, which stands for all of `source`.
    fn insert(&mut self, text: &str, source: &Range<usize>) {
        let start = self.written.text.len();
        self.written.pieces.push(Piece { start, source: source.clone(), copied: false });
        self.written.text.push_str(text);
    }

    /// Copies `source` as it is, without what is no text and with LF for CRLF.
    fn copy(&mut self, source: &Range<usize>) {
        let removed = &self.whitespace.removed;
        let mut at = source.start;
        let first = removed.partition_point(|range| range.end <= at);
        for range in &removed[first..] {
            if range.start >= source.end {
                break;
            }
            if range.start > at {
                self.copy_whole(at..range.start);
            }
            at = range.end.max(at);
        }
        if at < source.end {
            self.copy_whole(at..source.end);
        }
    }

    fn copy_whole(&mut self, source: Range<usize>) {
        let start = self.written.text.len();
        self.written.text.push_str(self.ast.source.slice(&source));
        self.written.pieces.push(Piece { start, source, copied: true });
    }

    fn text(&mut self, range: &Range<usize>) {
        let before = self.written.text.len();
        self.copy(range);
        if self.written.text.len() > before && self.written.text.ends_with('{') {
            // With what comes next it could spell a delimiter that the template does not have.
            self.written.text.pop();
            self.insert("{% raw %}{{% endraw %}", &(range.end - 1..range.end));
        }
    }

    fn raw(&mut self, inner: &Range<usize>) {
        self.insert("{% raw %}", inner);
        self.copy(inner);
        self.insert("{% endraw %}", inner);
    }

    /// Copies the words of `body` from `start`, with what is inserted between them.
    fn expression(&mut self, body: &Delimited, owner: &str, start: usize) {
        let mut at = start;
        for (place, text, source) in self.known.insertions(self.ast, &body.tokens, owner) {
            self.copy(&(at..place));
            self.insert(&text, &source);
            at = place;
        }
        self.copy(&(at..body.inner.end));
    }

    fn tag(&mut self, at: usize, tag: &Tag) {
        let name = tag.name.as_str();
        if blocks::arguments_of(name).is_some() {
            self.ours(at, tag);
        } else if self.closing.contains(&at) {
            self.insert("{% endwith %}{% endfilter %}", &tag.range());
        } else {
            let included = name == "include";
            if included {
                let place = self.known.place(&tag.range());
                self.insert(&format!("{{{{ bp_enter({place}) }}}}"), &tag.range());
            }
            self.insert("{% ", &tag.body.open.range);
            if name == "macro" {
                self.copy(&(tag.name_range.start..tag.body.inner.end));
            } else {
                self.copy(&tag.name_range);
                self.expression(&tag.body, name, tag.name_range.end);
            }
            let is_block = name == "set" && self.blocks.closing(at).is_some();
            self.insert(if is_block { " | bp_settled %}" } else { " %}" }, &tag.body.close.range);
            if included {
                self.insert("{{ bp_leave() }}", &tag.range());
            }
        }
    }

    fn ours(&mut self, at: usize, tag: &Tag) {
        let arguments = match expression::arguments(self.ast, &tag.name, &tag.body.tokens) {
            Ok(arguments) => arguments,
            Err((problem, place)) => {
                self.faults.push(Diagnostic::new(problem, &self.ast.source, &place));
                return;
            }
        };
        if tag.name == "repeat" {
            self.check_counts(&arguments);
        }
        let start = tag.range().start;
        let place = self.known.place(&tag.range());
        let name = &tag.name;
        let is_block = name != "anything";
        match is_block {
            true => self.insert(&format!("{{% filter bp_{name}({place}"), &tag.range()),
            false => self.insert(&format!("{{{{ bp_{name}({place}"), &tag.range()),
        }
        if self.whitespace.chomped.contains(&at) {
            self.insert(", bp_chomp=true", &tag.range());
        }
        for argument in arguments {
            self.argument(tag, &argument);
            self.written.arguments.push((start, argument.name, argument.value));
        }
        self.insert(if is_block { ") %}{% with %}" } else { ") }}" }, &tag.range());
        self.closing.extend(self.blocks.closing(at).filter(|_| is_block));
    }

    fn argument(&mut self, tag: &Tag, argument: &Argument) {
        self.insert(", ", &argument.name_range);
        match argument.leading {
            true => self.insert(&argument.name, &argument.name_range),
            false => self.copy(&argument.name_range),
        }
        if argument.bare {
            let word = self.ast.source.slice(&argument.value).to_owned();
            return self.insert(&format!("=\"{word}\""), &argument.value);
        }
        self.insert("=((", &argument.value);
        let inner = argument.value.clone();
        let tokens = tag.body.tokens.iter().filter(|token| inner.contains(&token.range.start));
        let tokens: Vec<_> = tokens.cloned().collect();
        let marked = match argument.name.as_str() {
            "sep" | "until" | "excludes" | "trigger" => expression::literals(self.ast, &tokens),
            _ => Vec::new(),
        };
        let mut at = inner.start;
        if marked.is_empty() {
            let value = Delimited { inner, tokens, ..tag.body.clone() };
            self.expression(&value, "", at);
        } else {
            for literal in marked {
                self.copy(&(at..literal.range.start));
                self.insert("bp_source(", &literal.range);
                self.copy(&literal.range);
                self.insert(")", &literal.range);
                at = literal.range.end;
            }
            self.copy(&(at..inner.end));
        }
        self.insert("))", &argument.value);
    }

    /// Counts that are written as numbers are checked before anything renders.
    fn check_counts(&mut self, arguments: &[Argument]) {
        let named = |name| arguments.iter().find(|argument: &&Argument| argument.name == name);
        let mut fault = |problem, place: &Range<usize>| {
            self.faults.push(Diagnostic::new(problem, &self.ast.source, place));
        };
        let mut counts = Vec::new();
        for argument in arguments.iter().filter(|a| ["min", "max", "times"].contains(&&*a.name)) {
            let Some(number) = &argument.number else { continue };
            let digits = number.replace('_', "");
            match digits.parse::<u32>() {
                Ok(count) => counts.push((argument.name.as_str(), count)),
                Err(_) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                    fault(Problem::bad_count(&argument.name, number), &argument.value);
                }
                // Another spelling of a number: minijinja reads it.
                Err(_) => {}
            }
        }
        if let (Some(_), Some(other)) = (named("times"), named("min").or(named("max"))) {
            fault(Problem::conflicting_counts(&other.name), &other.name_range);
        }
        let count = |name| counts.iter().find(|count| count.0 == name).map(|count| count.1);
        if let (Some(min), Some(max), Some(argument)) = (count("min"), count("max"), named("max"))
            && max < min
        {
            fault(Problem::empty_repeat(min, max), &argument.value);
        }
    }
}
