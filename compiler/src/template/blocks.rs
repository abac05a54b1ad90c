//! Finds the blocks of a template: which tag closes which, and what may stand where.
//!
//! Knows the names of our tags and of Jinja's. All faults are collected, so that a broken
//! template is reported whole, before anything renders.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::problem::Problem;
use crate::diagnostic::suggest;
use crate::limits::Limits;
use crate::template::ast::{Ast, Item, Tag};

/// The tags that make structure, with their arguments and an example of them.
pub(crate) const OURS: &[(&str, &[&str], &str)] = &[
    ("repeat", &["min", "max", "times", "sep", "name", "type"], "min=1 max=5"),
    ("choice", &["name", "type"], "name=\"answer\""),
    ("option", &["name", "type"], "name=\"yes\""),
    ("optional", &["name", "type"], "name=\"note\""),
    ("anything", ANYTHING, "until=\"</think>\""),
    ("capture", &["name", "type"], "name=\"city\""),
    (
        "free",
        &["at_least_one", "stop_after_first", "excludes", "until", "text", "name", "type"],
        "at_least_one=true",
    ),
    ("on", &["trigger", "name", "type"], "\"<tool_call>\""),
    ("anyorder", &["sep", "name", "type"], "sep=\", \""),
    ("part", &["optional", "name", "type"], "optional=true"),
];

const ANYTHING: &[&str] = &[
    "until",
    "excludes",
    "min_chars",
    "max_chars",
    "max_tokens",
    "include",
    "special",
    "name",
    "type",
];

/// Blocks that hold blocks of one kind alone, with that kind.
const CONTAINERS: &[(&str, &str)] = &[("choice", "option"), ("free", "on"), ("anyorder", "part")];

/// The argument that may stand first without its name; whether its value is a bare word.
pub(crate) fn leading_argument(name: &str) -> Option<(&'static str, bool)> {
    match name {
        "capture" => Some(("name", true)),
        "on" => Some(("trigger", false)),
        _ => None,
    }
}

/// The block in which `block` must stand directly.
fn container_of(block: &str) -> Option<&'static str> {
    CONTAINERS.iter().find(|(_, inner)| *inner == block).map(|(container, _)| *container)
}

/// Jinja's tags that open a block.
const OPENING: &[&str] = &["if", "for", "set", "macro", "call", "filter", "with", "block"];
/// Jinja's tags that stand alone.
const SINGLE: &[&str] = &["include", "import", "from", "extends", "do"];
/// Jinja's tags between the two of a block, with the blocks they belong to.
const BRANCHES: &[(&str, &[&str])] = &[("elif", &["if"]), ("else", &["if", "for"])];
/// Tags of Jinja and its extensions that cannot be, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("break", "it would lose what the parts around it hold"),
    ("continue", "it would lose what the parts around it hold"),
    ("autoescape", "a printed value is always exactly its text"),
    ("endautoescape", "a printed value is always exactly its text"),
];

/// The blocks of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Blocks {
    /// For the item that opens a block, the one that closes it.
    closing: Vec<Option<usize>>,
}

impl Blocks {
    pub(crate) fn closing(&self, item: usize) -> Option<usize> {
        self.closing.get(item).copied().flatten()
    }
}

/// The arguments that our tag `name` can have, and an example; `None` if it is not ours.
pub(crate) fn arguments_of(name: &str) -> Option<(&'static [&'static str], &'static str)> {
    OURS.iter().find(|(ours, _, _)| *ours == name).map(|(_, names, example)| (*names, *example))
}

/// Whether `tag` opens a block.
fn opens(ast: &Ast, tag: &Tag) -> bool {
    match tag.name.as_str() {
        "anything" => false,
        "set" => !sets_a_value(ast, tag),
        name => arguments_of(name).is_some() || OPENING.contains(&name),
    }
}

/// Whether a `set` has its value in the tag: a `=` outside of all brackets.
fn sets_a_value(ast: &Ast, tag: &Tag) -> bool {
    use crate::template::ast::TokenKind::{Closing, Opening};
    let mut depth = 0_usize;
    tag.body.tokens.iter().any(|token| {
        match token.kind {
            Opening => depth += 1,
            Closing => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && ast.source.slice(&token.range) == "="
    })
}

struct Walk<'a> {
    ast: &'a Ast,
    /// The items of the open blocks, outermost first, with the depth that each adds.
    open: Vec<(usize, usize)>,
    closing: Vec<Option<usize>>,
    /// Blocks that were left open and reported; their end tags are no further faults.
    abandoned: Vec<String>,
    faults: Vec<Diagnostic>,
}

/// The blocks of `ast`, and what is wrong with them.
pub(crate) fn find(ast: &Ast, limits: &Limits) -> (Blocks, Vec<Diagnostic>) {
    let closing = vec![None; ast.items.len()];
    let (abandoned, faults) = (Vec::new(), Vec::new());
    let mut walk = Walk { ast, open: Vec::new(), closing, abandoned, faults };
    for (at, item) in ast.items.iter().enumerate() {
        match item {
            Item::Tag(tag) => walk.tag(at, tag),
            Item::Text(range) => walk.text(range.clone()),
            Item::Raw(raw) => walk.text(raw.inner.clone()),
            Item::Comment(_) | Item::Output(_) => {}
        }
        let depth: usize = walk.open.iter().map(|(_, depth)| depth).sum();
        if depth > limits.block_depth {
            let problem = Problem::limit("blocks inside one another", limits.block_depth as u64);
            walk.fault(problem, item.range());
            walk.open.clear();
            break;
        }
    }
    for (at, _) in std::mem::take(&mut walk.open) {
        if let Some(tag) = ast.items[at].as_tag() {
            walk.fault(Problem::unclosed_block(&tag.name), tag.range());
        }
    }
    (Blocks { closing: walk.closing }, walk.faults)
}

impl Walk<'_> {
    fn fault(&mut self, problem: Problem, range: std::ops::Range<usize>) {
        self.faults.push(Diagnostic::new(problem, &self.ast.source, &range));
    }

    fn opener(&self, item: usize) -> &str {
        self.ast.items[item].as_tag().map_or("", |tag| &tag.name)
    }

    fn tag(&mut self, at: usize, tag: &Tag) {
        let name = tag.name.as_str();
        if let Some((_, owners)) = BRANCHES.iter().find(|(branch, _)| *branch == name) {
            self.branch(tag, owners);
        } else if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            self.fault(Problem::refused_tag(name, reason), tag.range());
        } else if opens(self.ast, tag) {
            if let Some(container) = container_of(name)
                && self.enclosing_structure().is_some_and(|tag| tag != container)
            {
                self.fault(Problem::outside_container(name, container), tag.range());
            }
            // One of ours becomes two of Jinja's blocks.
            let depth = if arguments_of(name).is_some() { 2 } else { 1 };
            self.open.push((at, depth));
        } else if let Some(opened) = name.strip_prefix("end").filter(|name| is_block(name)) {
            self.close(at, tag, opened);
        } else if name.is_empty() {
            self.fault(Problem::nameless_tag(), tag.range());
        } else if name == "raw" {
            // With its end it would have been read as one block.
            self.fault(Problem::unclosed_block(name), tag.range());
        } else if !SINGLE.contains(&name) && name != "anything" && name != "set" {
            let known = known();
            let guess = suggest::nearest(name, known.iter().map(String::as_str));
            self.fault(Problem::unknown_tag(name, guess), tag.name_range.clone());
        } else if name == "anything"
            && let Some((owner, block)) = self.container()
        {
            self.fault(Problem::part_in_container(owner, block, "free text"), tag.range());
        }
    }

    fn branch(&mut self, tag: &Tag, owners: &[&str]) {
        match self.open.last().copied() {
            Some((item, _)) if owners.contains(&self.opener(item)) => {
                if tag.name == "elif"
                    && let Some((_, depth)) = self.open.last_mut()
                {
                    *depth += 1;
                }
            }
            _ => self.fault(Problem::stray_branch(&tag.name), tag.range()),
        }
    }

    /// Closes the innermost block named `opened`; those inside it that are still open are faults.
    fn close(&mut self, at: usize, tag: &Tag, opened: &str) {
        let Some(place) = self.open.iter().rposition(|(item, _)| self.opener(*item) == opened)
        else {
            match self.abandoned.iter().position(|name| name == opened) {
                Some(known) => drop(self.abandoned.remove(known)),
                None => self.fault(Problem::stray_end(&tag.name), tag.range()),
            }
            return;
        };
        if let Some(&(crossed, _)) = self.open.get(place + 1..).and_then(<[_]>::last)
            && let Some(inner) = self.ast.items[crossed].as_tag()
        {
            let source = &self.ast.source;
            let problem = Problem::crossed_end(&tag.name, &inner.name);
            let fault = Diagnostic::new(problem, source, &tag.range());
            self.faults.push(fault.with_related(source, &inner.range(), "opened here"));
        }
        for &(item, _) in &self.open[place + 1..] {
            let name = self.ast.items[item].as_tag().map(|tag| tag.name.clone());
            self.abandoned.extend(name);
        }
        self.closing[self.open[place].0] = Some(at);
        self.open.truncate(place);
    }

    fn text(&mut self, range: std::ops::Range<usize>) {
        let text = self.ast.source.slice(&range);
        let Some(start) = text.find(|c: char| !c.is_whitespace()) else { return };
        if let Some((owner, block)) = self.container() {
            let words = text[start..].trim_end();
            let words = words.lines().next().unwrap_or(words).trim_end();
            let place = range.start + start..range.start + start + words.len();
            self.fault(Problem::text_in_container(owner, block, words), place);
        }
    }

    /// The innermost block that is no `if`, `for` or `with`, if it holds blocks of one kind alone.
    fn container(&self) -> Option<(&'static str, &'static str)> {
        let names = self.open.iter().rev().map(|(item, _)| self.opener(*item));
        let mut names = names.skip_while(|name| matches!(*name, "if" | "for" | "with"));
        let innermost = names.next()?;
        CONTAINERS.iter().copied().find(|(container, _)| *container == innermost)
    }

    /// The innermost of our blocks; `None` if a macro or the like hides what is around.
    fn enclosing_structure(&self) -> Option<&str> {
        let names = self.open.iter().rev().map(|(item, _)| self.opener(*item));
        let mut names = names.skip_while(|name| matches!(*name, "if" | "for" | "with"));
        names.next().filter(|name| arguments_of(name).is_some())
    }
}

fn is_block(name: &str) -> bool {
    name != "anything" && (arguments_of(name).is_some() || OPENING.contains(&name))
}

/// Every name that a tag can have.
fn known() -> Vec<String> {
    let ours = OURS.iter().map(|(name, _, _)| *name);
    let blocks: Vec<&str> = ours.chain(OPENING.iter().copied()).collect();
    let ends = blocks.iter().filter(|name| **name != "anything").map(|name| format!("end{name}"));
    let branches = BRANCHES.iter().map(|(name, _)| *name);
    let others = SINGLE.iter().copied().chain(branches).chain(["raw", "endraw"]);
    ends.chain(blocks.iter().copied().chain(others).map(str::to_owned)).collect()
}
