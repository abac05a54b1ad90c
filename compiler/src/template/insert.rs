//! What is inserted into an expression: places for what we make, and marks for the author's text.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::template::ast::{Ast, Item, Token, TokenKind};
use crate::template::comparison;
use crate::template::constructs;
use crate::template::expression::{self, Words};
use crate::template::rewrite::TemplateId;

/// Text to insert at a byte of the template, and the place that it stands for.
pub(crate) type Insertion = (usize, String, Range<usize>);

/// The names that mean something in one template.
#[derive(Clone, Default, Debug)]
pub(crate) struct Known {
    template: TemplateId,
    words: Words,
    macros: BTreeSet<String>,
    modules: BTreeSet<String>,
}

impl Known {
    pub(crate) fn new(ast: &Ast, template: TemplateId, words: &Words) -> Self {
        let macros = BTreeSet::from(["caller".to_owned()]);
        let mut known = Self { template, words: words.clone(), macros, modules: BTreeSet::new() };
        for tag in ast.items.iter().filter_map(Item::as_tag) {
            let words: Vec<&str> =
                tag.body.tokens.iter().map(|token| ast.source.slice(&token.range)).collect();
            match (tag.name.as_str(), words.as_slice()) {
                ("macro", [name, ..]) => drop(known.macros.insert((*name).to_owned())),
                ("import", [.., "as", name]) => drop(known.modules.insert((*name).to_owned())),
                ("from", words) => {
                    let start = words.iter().position(|word| *word == "import").unwrap_or(0);
                    for names in words[start..].split(|word| matches!(*word, "," | "import")) {
                        known.macros.extend(names.last().map(|name| (*name).to_owned()));
                    }
                }
                _ => {}
            }
        }
        known
    }

    /// What is inserted into the words `tokens` of the tag `owner`, in order of the places.
    pub(crate) fn insertions(&self, ast: &Ast, tokens: &[Token], owner: &str) -> Vec<Insertion> {
        let mut all: Vec<Insertion> = Vec::new();
        let mut around = |range: &Range<usize>, before: String| {
            all.push((range.start, before, range.clone()));
            all.push((range.end, ")".into(), range.clone()));
        };
        for operand in comparison::operands(ast, tokens, owner) {
            around(&operand, "bp_plain(".into());
        }
        let ours = |name: &str| constructs::is_function(name) || self.words.is_function(name);
        for (at, call) in expression::calls(ast, tokens, &ours) {
            around(&call.range, format!("bp_place({}, ", self.place(&call.range)));
            for literal in self.free_text_literals(ast, tokens, at) {
                around(&literal.range, "bp_source(".into());
            }
        }
        let macros = |name: &str| self.macros.contains(name);
        for (_, call) in expression::calls(ast, tokens, &macros) {
            around(&call.range, format!("bp_call({}, ", self.place(&call.range)));
        }
        for range in self.module_calls(ast, tokens) {
            around(&range, format!("bp_call({}, ", self.place(&range)));
        }
        all.extend(self.filters(ast, tokens));
        // The sort is stable: where two begin, the operand begins outside of the call.
        all.sort_by_key(|insertion| insertion.0);
        all
    }

    pub(crate) fn place(&self, range: &Range<usize>) -> String {
        format!("[{}, {}, {}]", self.template.0, range.start, range.end)
    }

    /// The literals of `until` and `excludes` in the call of `anything` whose name is at `at`.
    fn free_text_literals<'a>(&self, ast: &Ast, tokens: &'a [Token], at: usize) -> Vec<&'a Token> {
        let word = |at: usize| ast.source.slice(&tokens[at].range);
        let Some(close) = expression::closing(tokens, at + 1).filter(|_| word(at) == "anything")
        else {
            return Vec::new();
        };
        let mut depth = 0_usize;
        let arguments = tokens[at + 2..close].split(|token| {
            match token.kind {
                TokenKind::Opening => depth += 1,
                TokenKind::Closing => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && ast.source.slice(&token.range) == ","
        });
        let mut found = Vec::new();
        for argument in arguments {
            if let [name, sign, value @ ..] = argument
                && ast.source.slice(&sign.range) == "="
                && matches!(ast.source.slice(&name.range), "until" | "excludes")
            {
                found.extend(expression::literals(ast, value));
            }
        }
        found
    }

    /// The names `module.macro` where they are called.
    fn module_calls(&self, ast: &Ast, tokens: &[Token]) -> Vec<Range<usize>> {
        let word = |at: usize| tokens.get(at).map_or("", |token| ast.source.slice(&token.range));
        let calls = (0..tokens.len()).filter(|&at| {
            let before = at.checked_sub(1).map_or("", word);
            let names = self.modules.contains(word(at)) && !matches!(before, "." | "|" | "is");
            names && word(at + 1) == "." && word(at + 3) == "("
        });
        calls.map(|at| tokens[at].range.start..tokens[at + 2].range.end).collect()
    }

    /// The place of each use of a filter that makes a part, as a further argument of it.
    fn filters(&self, ast: &Ast, tokens: &[Token]) -> Vec<Insertion> {
        let word = |at: usize| tokens.get(at).map_or("", |token| ast.source.slice(&token.range));
        let mut found = Vec::new();
        for at in 1..tokens.len() {
            let ours = constructs::part_filters().any(|name| name == word(at));
            if word(at - 1) != "|"
                || tokens[at].kind != TokenKind::Name
                || !(ours || self.words.is_filter(word(at)))
            {
                continue;
            }
            let range = tokens[at].range.clone();
            let place = format!("bp_at={}", self.place(&range));
            let close = (word(at + 1) == "(").then(|| expression::closing(tokens, at + 1));
            match close {
                None => found.push((range.end, format!("({place})"), range)),
                Some(Some(close)) => {
                    let comma = if matches!(word(close - 1), "(" | ",") { "" } else { ", " };
                    found.push((tokens[close].range.start, format!("{comma}{place}"), range));
                }
                Some(None) => {}
            }
        }
        found
    }
}
