//! Decides which blanks and line breaks of a template are text: rule R.
//!
//! 1. A line that holds only tags and comments vanishes, with its blanks and its line break.
//! 2. `{% endchoice %}`, `{% endfree %}`, `{% endanyorder %}` and `{% anything %}` stand for a
//!    value: if one is the last tag of such a line, the line break stays.
//! 3. In a choice, blanks between options are no text, and so with `free` and `anyorder`. An
//!    option whose two tags stand on lines that vanish does not hold its last line break; nor do
//!    `on`, `part` and a `repeat` with `sep=`.
//! 4. `-` strips as in Jinja; `+` keeps the indentation before or the line break after a line
//!    that vanishes. Outputs change no text, and `{% raw %}` is exact.
//! 5. CRLF is LF. The line break that begins a template given as a string is dropped, and that
//!    which ends any main template.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::problem::Problem;
use crate::template::ast::{Ast, Item, Mark};
use crate::template::blocks::Blocks;
use crate::template::expression;

/// Which line breaks at the ends of a template are dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ends {
    /// A main template from a string: one at each end.
    Literal,
    /// A main template from a file: one at the end.
    File,
    /// An included template: none.
    Included,
}

/// What white space becomes of a template.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Whitespace {
    /// The stretches that are not text, in order and apart from each other.
    pub(crate) removed: Vec<Range<usize>>,
    /// The items that open blocks without their last line break.
    pub(crate) chomped: BTreeSet<usize>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// A part of a line: an item, or what of a text lies on the line.
struct Piece {
    item: usize,
    range: Range<usize>,
}

/// Applies the rules to `ast`.
pub(crate) fn apply(ast: &Ast, blocks: &Blocks, ends: Ends) -> Whitespace {
    let mut removed = carriage_returns(ast);
    removed.extend(drop_ends(ast, ends));
    removed.extend(stripped(ast));
    let mut warnings = Vec::new();
    let mut vanishing: Vec<Option<usize>> = vec![None; ast.items.len()];
    for (number, line) in lines(ast, ends).iter().enumerate() {
        if vanishes(ast, line) {
            line.iter().for_each(|piece| vanishing[piece.item] = Some(number));
            removed.extend(vanish(ast, line));
            warnings.extend(lost_indentation(ast, line));
        }
    }
    let chomped = (0..ast.items.len())
        .filter(|&at| chomps(ast, at))
        .filter(|&at| match blocks.closing(at) {
            Some(end) => {
                let (open, close) = (vanishing[at], vanishing[end]);
                open.is_some() && close.is_some() && open != close
            }
            None => false,
        })
        .collect();
    Whitespace { removed: merged(removed), chomped, warnings }
}

/// Whether the block that item `at` opens follows the option rule.
fn chomps(ast: &Ast, at: usize) -> bool {
    let Some(tag) = ast.items[at].as_tag() else { return false };
    match tag.name.as_str() {
        "option" | "on" | "part" => true,
        "repeat" => expression::arguments(ast, "repeat", &tag.body.tokens)
            .is_ok_and(|arguments| arguments.iter().any(|argument| argument.name == "sep")),
        _ => false,
    }
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n'))
}

/// The lines of the template. A line break in a tag, comment or raw block ends no line.
fn lines(ast: &Ast, ends: Ends) -> Vec<Vec<Piece>> {
    let text_end = ast.source.text().len() - final_break(ast, ends).len();
    let mut lines = vec![Vec::new()];
    let push = |lines: &mut Vec<Vec<Piece>>, piece: Piece| {
        if let Some(line) = lines.last_mut() {
            line.push(piece);
        }
    };
    for (item, found) in ast.items.iter().enumerate() {
        let Item::Text(range) = found else {
            push(&mut lines, Piece { item, range: found.range() });
            continue;
        };
        let mut start = range.start;
        for part in ast.source.slice(range).split_inclusive('\n') {
            let end = start + part.len();
            push(&mut lines, Piece { item, range: start..end.min(text_end.max(start)) });
            if part.ends_with('\n') {
                lines.push(Vec::new());
            }
            start = end;
        }
    }
    lines
}

fn vanishes(ast: &Ast, line: &[Piece]) -> bool {
    let mut tags = 0;
    for piece in line {
        match &ast.items[piece.item] {
            Item::Text(_) if is_blank(ast.source.slice(&piece.range)) => {}
            Item::Comment(_) | Item::Tag(_) => tags += 1,
            Item::Text(_) | Item::Raw(_) | Item::Output(_) => return false,
        }
    }
    tags > 0
}

/// What goes when `line` vanishes.
fn vanish(ast: &Ast, line: &[Piece]) -> Vec<Range<usize>> {
    let marks = |at: Option<usize>| at.map(|at| ast.items[line[at].item].outer_marks());
    let is_text = |piece: &Piece| matches!(ast.items[piece.item], Item::Text(_));
    let first = line.iter().position(|piece| !is_text(piece));
    let last = line.iter().rposition(|piece| !is_text(piece));
    let keeps_indentation = marks(first).is_some_and(|marks| marks.0 == Mark::Keep);
    let keeps_break = marks(last).is_some_and(|marks| marks.1 == Mark::Keep) || is_value(ast, line);
    let texts = line.iter().enumerate().filter(|(_, piece)| is_text(piece));
    let kept = texts.filter(|(at, _)| !(keeps_indentation && Some(*at) < first));
    kept.map(|(_, piece)| {
        let text = ast.source.slice(&piece.range);
        let break_length = usize::from(keeps_break && text.ends_with('\n'));
        piece.range.start..piece.range.end - break_length
    })
    .collect()
}

/// The tags that stand for a value where they end.
const VALUES: &[&str] = &["endchoice", "endfree", "endanyorder", "anything"];

/// Whether the last tag of `line` stands for a value.
fn is_value(ast: &Ast, line: &[Piece]) -> bool {
    let last = line.iter().rev().find_map(|piece| ast.items[piece.item].as_tag());
    last.is_some_and(|tag| VALUES.contains(&tag.name.as_str()))
}

/// A value that is alone on its line loses its indentation, which may not be meant.
fn lost_indentation(ast: &Ast, line: &[Piece]) -> Option<Diagnostic> {
    let [indentation, tag, ..] = line else { return None };
    let blanks = ast.source.slice(&indentation.range);
    let tag = ast.items[tag.item].as_tag()?;
    let value = ["choice", "free", "anyorder", "anything"].contains(&tag.name.as_str());
    let lost = value && tag.body.open.mark == Mark::Plain && !blanks.is_empty();
    lost.then(|| Diagnostic::new(Problem::lost_indentation(&tag.name), &ast.source, &tag.range()))
}

/// The white space that `-` takes away.
fn stripped(ast: &Ast) -> Vec<Range<usize>> {
    let mut removed = Vec::new();
    for (at, item) in ast.items.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| ast.items.get(at));
        let after = ast.items.get(at + 1);
        let (start, end) = match item {
            Item::Text(_) => (
                before.is_some_and(|item| item.outer_marks().1 == Mark::Strip),
                after.is_some_and(|item| item.outer_marks().0 == Mark::Strip),
            ),
            Item::Raw(raw) => (raw.marks[1] == Mark::Strip, raw.marks[2] == Mark::Strip),
            Item::Comment(_) | Item::Output(_) | Item::Tag(_) => continue,
        };
        let range = match item {
            Item::Raw(raw) => raw.inner.clone(),
            _ => item.range(),
        };
        let text = ast.source.slice(&range);
        if start {
            removed.push(range.start..range.end - text.trim_start().len());
        }
        if end {
            removed.push(range.start + text.trim_end().len()..range.end);
        }
    }
    removed
}

fn carriage_returns(ast: &Ast) -> Vec<Range<usize>> {
    let breaks = ast.source.text().match_indices("\r\n");
    breaks.map(|(at, _)| at..at + 1).collect()
}

/// The line break that ends the template, if it is dropped.
fn final_break(ast: &Ast, ends: Ends) -> &str {
    let text = ast.source.text();
    let last = ast.items.last();
    // The end of a raw block or of a tag is no text.
    if ends == Ends::Included || !matches!(last, Some(Item::Text(_))) {
        return "";
    }
    let length = if text.ends_with("\r\n") { 2 } else { usize::from(text.ends_with('\n')) };
    &text[text.len() - length..]
}

fn drop_ends(ast: &Ast, ends: Ends) -> Vec<Range<usize>> {
    let text = ast.source.text();
    let end = text.len() - final_break(ast, ends).len()..text.len();
    let length = if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) };
    let start = if ends == Ends::Literal { 0..length } else { 0..0 };
    vec![start, end]
}

/// The same stretches in order, without overlaps.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
