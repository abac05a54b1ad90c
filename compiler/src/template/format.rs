//! Lays out a template anew: blanks inside tags and the indentation of lines that vanish.
//!
//! Nothing else is touched, and the result is compared with the original: the same text between
//! the same tags with the same words, and so the same outline under every context.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::source::Source;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits::Limits;
use crate::template::ast::{Ast, Delimited, Item, Mark, Token, TokenKind};
use crate::template::blocks::{self, Blocks};
use crate::template::parse;
use crate::template::whitespace::{self, Ends, Whitespace};

/// One step of indentation.
const STEP: usize = 2;

/// A template as it is understood without its places.
#[derive(PartialEq, Debug)]
enum Piece {
    Text(String),
    Words(Vec<String>),
}

struct Read {
    ast: Ast,
    blocks: Blocks,
    whitespace: Whitespace,
}

/// The template `text` of the file `name`, laid out anew.
///
/// # Errors
/// What is wrong with its tags.
pub(crate) fn format(name: &str, text: &str, limits: &Limits) -> Result<String, Diagnostics> {
    let before = read(name, text, limits)?;
    let formatted = Writer::new(&before).write();
    // A proof, not a hope: what does not mean the same is not written.
    match read(name, &formatted, limits) {
        Ok(after) if skeleton(&before) == skeleton(&after) => Ok(formatted),
        _ => Ok(text.to_owned()),
    }
}

fn read(name: &str, text: &str, limits: &Limits) -> Result<Read, Diagnostics> {
    let source = Arc::new(Source::new(name, text));
    let refuse = |faults: Vec<Diagnostic>| Diagnostics::new(faults, vec![source.clone()]);
    let (ast, faults) = parse::parse(&source, limits);
    if !faults.is_empty() {
        return Err(refuse(faults));
    }
    let (blocks, faults) = blocks::find(&ast, limits);
    if !faults.is_empty() {
        return Err(refuse(faults));
    }
    let whitespace = whitespace::apply(&ast, &blocks, Ends::Included);
    Ok(Read { ast, blocks, whitespace })
}

/// The text between tags as it counts, and the words of the tags.
fn skeleton(read: &Read) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut text = String::new();
    for (at, item) in read.ast.items.iter().enumerate() {
        let words = |body: &Delimited| -> Vec<String> {
            body.tokens.iter().map(|token| read.ast.source.slice(&token.range).into()).collect()
        };
        let words = match item {
            Item::Text(range) => {
                kept(read, range, &mut text);
                continue;
            }
            Item::Raw(raw) => {
                kept(read, &raw.inner, &mut text);
                continue;
            }
            Item::Comment(_) => continue,
            Item::Output(output) => words(output),
            Item::Tag(tag) => {
                let mut all = vec![tag.name.clone()];
                all.extend(words(&tag.body));
                if read.whitespace.chomped.contains(&at) {
                    all.push("without its last line break".into());
                }
                all
            }
        };
        pieces.push(Piece::Text(std::mem::take(&mut text)));
        pieces.push(Piece::Words(words));
    }
    pieces.push(Piece::Text(text));
    pieces
}

/// Appends what of `range` is text.
fn kept(read: &Read, range: &Range<usize>, out: &mut String) {
    let mut at = range.start;
    let first = read.whitespace.removed.partition_point(|removed| removed.end <= at);
    for removed in &read.whitespace.removed[first..] {
        if removed.start >= range.end {
            break;
        }
        out.push_str(read.ast.source.slice(&(at..removed.start.max(at))));
        at = removed.end.max(at);
    }
    out.push_str(read.ast.source.slice(&(at..range.end.max(at))));
}

struct Writer<'a> {
    read: &'a Read,
    out: String,
    /// The blocks that are open.
    depth: usize,
}

impl<'a> Writer<'a> {
    fn new(read: &'a Read) -> Self {
        Self { read, out: String::new(), depth: 0 }
    }

    fn slice(&self, range: &Range<usize>) -> &'a str {
        let source: &'a Source = &self.read.ast.source;
        source.slice(range)
    }

    fn write(mut self) -> String {
        let items = &self.read.ast.items;
        let closing: Vec<usize> =
            (0..items.len()).filter_map(|at| self.read.blocks.closing(at)).collect();
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Text(range) => self.text(at, range),
                Item::Raw(_) => self.out.push_str(self.slice(&item.range())),
                Item::Comment(comment) => {
                    self.opening(comment, "{#");
                    self.out.push_str(self.slice(&comment.inner));
                    self.closing(comment, "#}");
                }
                Item::Output(output) => {
                    self.opening(output, "{{");
                    self.out.push(' ');
                    self.words(&output.tokens, true);
                    self.out.push_str(if output.tokens.is_empty() { "" } else { " " });
                    self.closing(output, "}}");
                }
                Item::Tag(tag) => {
                    self.depth -= usize::from(closing.contains(&at)).min(self.depth);
                    self.opening(&tag.body, "{%");
                    self.out.push(' ');
                    self.out.push_str(&tag.name);
                    if let Some(first) = tag.body.tokens.first() {
                        // `call(x)` has no blank, and `set x` has one.
                        let gap = self.slice(&(tag.name_range.end..first.range.start));
                        self.out.push_str(if gap.is_empty() { "" } else { " " });
                    }
                    let tight = blocks::arguments_of(&tag.name).is_some();
                    self.words(&tag.body.tokens, tight);
                    self.out.push(' ');
                    self.closing(&tag.body, "%}");
                    self.depth += usize::from(self.read.blocks.closing(at).is_some());
                }
            }
        }
        self.out
    }

    fn opening(&mut self, body: &Delimited, delimiter: &str) {
        self.out.push_str(delimiter);
        self.out.push_str(mark(body.open.mark));
    }

    fn closing(&mut self, body: &Delimited, delimiter: &str) {
        self.out.push_str(mark(body.close.mark));
        self.out.push_str(delimiter);
    }

    /// A text, with the blanks at the ends of vanishing lines laid out anew.
    fn text(&mut self, at: usize, range: &Range<usize>) {
        let text = self.slice(range);
        let next = self.read.ast.items.get(at + 1);
        let before = at.checked_sub(1).and_then(|at| self.read.ast.items.get(at));
        let mut start = range.start;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for (number, line) in lines.iter().enumerate() {
            let place = start..start + line.len();
            start = place.end;
            let blanks = line.trim_end_matches(['\n', '\r']);
            let blank = blanks.chars().all(|c| matches!(c, ' ' | '\t'));
            let ends = line.len() > blanks.len();
            let gone = blank && self.is_removed(&(place.start..place.start + blanks.len()));
            let begins_line = number > 0 || before.is_none();
            let follows_tag =
                number == 0 && matches!(before, Some(Item::Tag(_) | Item::Comment(_)));
            if gone && !ends && begins_line && matches!(next, Some(Item::Tag(_))) {
                let depth = self.depth - self.dedent(at + 1);
                self.out.extend(std::iter::repeat_n(' ', depth * STEP));
            } else if gone && ends && follows_tag {
                self.out.push_str(&line[blanks.len()..]);
            } else {
                self.out.push_str(line);
            }
        }
        if text.ends_with('\n') && self.vanishes_from(at + 1) {
            let depth = self.depth - self.dedent(at + 1);
            self.out.extend(std::iter::repeat_n(' ', depth * STEP));
        }
    }

    /// Whether a line that begins with the tag `at` holds only tags and comments, and the tag does
    /// not keep what stands before it.
    fn vanishes_from(&self, at: usize) -> bool {
        let items = &self.read.ast.items;
        let kept = |item: &Item| item.outer_marks().0 == Mark::Keep;
        if !items.get(at).is_some_and(|item| matches!(item, Item::Tag(_)) && !kept(item)) {
            return false;
        }
        for item in &items[at..] {
            match item {
                Item::Tag(_) | Item::Comment(_) => {}
                Item::Output(_) | Item::Raw(_) => return false,
                Item::Text(range) => {
                    let text = self.slice(range);
                    let line = text.split_inclusive('\n').next().unwrap_or_default();
                    if !line.chars().all(char::is_whitespace) {
                        return false;
                    }
                    if line.ends_with('\n') {
                        return true;
                    }
                }
            }
        }
        true
    }

    /// Whether all of `range`, which may be empty, is no text.
    fn is_removed(&self, range: &Range<usize>) -> bool {
        let removed = &self.read.whitespace.removed;
        range.is_empty()
            || removed.iter().any(|gone| gone.start <= range.start && range.end <= gone.end)
    }

    /// How much less the tag `at` is indented than what stands in its block.
    fn dedent(&self, at: usize) -> usize {
        let name = self.read.ast.items.get(at).and_then(Item::as_tag).map(|tag| tag.name.as_str());
        let less = name.is_some_and(|name| name.starts_with("end") || name.starts_with("el"));
        usize::from(less).min(self.depth)
    }

    fn words(&mut self, tokens: &[Token], tight: bool) {
        let mut depth = 0_usize;
        for (at, token) in tokens.iter().enumerate() {
            let word = self.slice(&token.range);
            if token.kind == TokenKind::Closing {
                depth = depth.saturating_sub(1);
            }
            if at > 0 {
                let before = &tokens[at - 1];
                let gap = self.slice(&(before.range.end..token.range.start));
                let gap = self.gap((before, token), gap, tight || depth > 0);
                self.out.push_str(&gap);
            }
            self.out.push_str(word);
            if token.kind == TokenKind::Opening {
                depth += 1;
            }
        }
    }

    /// What stands between two words.
    fn gap(&self, (before, token): (&Token, &Token), gap: &str, tight: bool) -> String {
        if gap.contains('\n') {
            // The author broke the line here.
            let breaks: Vec<&str> = gap.split('\n').collect();
            return format!("\n{}", breaks.last().copied().unwrap_or_default());
        }
        let (one, other) = (self.slice(&before.range), self.slice(&token.range));
        let space = match (one, other) {
            (_, ",") => false,
            (",", _) => token.kind != TokenKind::Closing,
            _ if before.kind == TokenKind::Opening => false,
            _ if token.kind == TokenKind::Closing => false,
            ("|", _) | (_, "|") => true,
            ("=", _) | (_, "=") => !tight,
            _ => !gap.is_empty(),
        };
        if space { " ".to_owned() } else { String::new() }
    }
}

fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::Plain => "",
        Mark::Strip => "-",
        Mark::Keep => "+",
    }
}
