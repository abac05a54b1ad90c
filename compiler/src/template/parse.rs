//! Parses a template to its [`Ast`]: where text, tags, outputs, comments and raw blocks are.
//!
//! Knows the grammar and nothing of what tags mean. The grammar is flat, so the depth of the
//! input never becomes depth of the stack.

use std::ops::Range;
use std::sync::Arc;

use pest::Parser as _;
use pest::iterators::Pair;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::problem::Problem;
use crate::diagnostic::source::Source;
use crate::limits::Limits;
use crate::template::ast::{Ast, Delimited, Delimiter, Item, Mark, Raw, Tag, Token, TokenKind};

mod generated {
    //! The parser that is made from the grammar.
    #[derive(pest_derive::Parser)]
    #[grammar = "grammar.pest"]
    pub(super) struct Parser;
}

use generated::{Parser, Rule};

/// The characters that stand for parts while a template renders.
pub(crate) const RESERVED: std::ops::RangeInclusive<char> = '\u{F0000}'..='\u{F001F}';

/// What a template consists of, and what is wrong with that.
pub(crate) fn parse(source: &Arc<Source>, limits: &Limits) -> (Ast, Vec<Diagnostic>) {
    let mut ast = Ast { source: source.clone(), items: Vec::new() };
    let at = |problem, range| Diagnostic::new(problem, source, &range);
    if source.text().len() > limits.template_bytes {
        let problem = Problem::limit("bytes of a template", limits.template_bytes as u64);
        return (ast, vec![at(problem, 0..0)]);
    }
    let reserved = source.text().char_indices().filter(|(_, c)| RESERVED.contains(c));
    let mut faults: Vec<Diagnostic> = reserved
        .take(1)
        .map(|(start, c)| at(Problem::reserved_character(c), start..start + c.len_utf8()))
        .collect();
    let pairs = match Parser::parse(Rule::template, source.text()) {
        Ok(mut pairs) => pairs.next().map(Pair::into_inner),
        Err(error) => {
            // The grammar takes every text, so this is a limit of the parser itself.
            faults.push(at(Problem::syntax(&error.variant.message()), 0..0));
            None
        }
    };
    for pair in pairs.into_iter().flatten() {
        let range = range(&pair);
        match pair.as_rule() {
            Rule::text => ast.items.push(Item::Text(range)),
            Rule::comment => ast.items.push(Item::Comment(delimited(pair))),
            Rule::output => ast.items.push(Item::Output(delimited(pair))),
            Rule::raw => ast.items.extend(raw(pair).map(Item::Raw)),
            Rule::tag => ast.items.push(Item::Tag(tag(source, delimited(pair)))),
            Rule::unclosed => {
                let opening = range.start..range.start + 2;
                faults.push(at(Problem::unclosed_delimiter(source.slice(&opening)), opening));
            }
            _ => {}
        }
    }
    (ast, faults)
}

fn range(pair: &Pair<'_, Rule>) -> Range<usize> {
    pair.as_span().start()..pair.as_span().end()
}

/// The mark in a delimiter: the only `-` or `+` it can hold.
fn mark(spelling: &str) -> Mark {
    match spelling.chars().find(|c| matches!(c, '-' | '+')) {
        Some('-') => Mark::Strip,
        Some(_) => Mark::Keep,
        None => Mark::Plain,
    }
}

fn delimiter(pair: &Pair<'_, Rule>) -> Delimiter {
    Delimiter { range: range(pair), mark: mark(pair.as_str()) }
}

fn delimited(pair: Pair<'_, Rule>) -> Delimited {
    let whole = range(&pair);
    let plain = |range| Delimiter { range, mark: Mark::Plain };
    let mut open = plain(whole.start..whole.start);
    let mut close = plain(whole.end..whole.end);
    let mut tokens = Vec::new();
    for inner in pair.into_inner() {
        let kind = match inner.as_rule() {
            Rule::comment_open | Rule::tag_open | Rule::output_open => {
                open = delimiter(&inner);
                continue;
            }
            Rule::comment_close | Rule::tag_close | Rule::output_close => {
                close = delimiter(&inner);
                continue;
            }
            Rule::name => TokenKind::Name,
            Rule::number => TokenKind::Number,
            Rule::string => TokenKind::Text,
            Rule::opening => TokenKind::Opening,
            Rule::closing => TokenKind::Closing,
            Rule::symbol => TokenKind::Symbol,
            _ => continue,
        };
        tokens.push(Token { kind, range: range(&inner) });
    }
    Delimited { inner: open.range.end..close.range.start, open, close, tokens }
}

/// Takes the name off the tokens of a tag.
fn tag(source: &Source, mut body: Delimited) -> Tag {
    let start = body.inner.start;
    let named = body.tokens.first().is_some_and(|token| token.kind == TokenKind::Name);
    let name_range = if named { body.tokens.remove(0).range } else { start..start };
    Tag { name: source.slice(&name_range).to_owned(), name_range, body }
}

/// `None` cannot happen: the grammar gives a raw block its three parts.
fn raw(pair: Pair<'_, Rule>) -> Option<Raw> {
    let mut parts = pair.into_inner();
    let (open, inner, close) = (parts.next()?, parts.next()?, parts.next()?);
    let marks = |pair: &Pair<'_, Rule>| {
        let spelling = pair.as_str();
        let (first, last) = spelling.split_at(spelling.len() / 2);
        [mark(first), mark(last)]
    };
    let ([before, after_open], [before_close, after]) = (marks(&open), marks(&close));
    let marks = [before, after_open, before_close, after];
    Some(Raw { open: range(&open), inner: range(&inner), close: range(&close), marks })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Item, parse};
    use crate::diagnostic::source::Source;
    use crate::limits::Limits;

    #[test]
    fn every_template_prints_back() {
        let templates = [
            "",
            "text { % } # }} %} #}",
            "{{ {\"a\": {}} }}{{ '}}' }}{% set a = \"%}\" %}{#- {{ -#}",
            "{%- raw +%}{{ {% {# {%+ endraw -%}\r\n",
            "{{-x-}}{%+if a+%}\u{e9}{%endif%}{{ f({'a': [1, (2)]})[0] }}",
            "{{ a % b }}{% if a %}{{ \"\\\"}}\" }}{% endif %}",
        ];
        for template in templates {
            let (ast, faults) = parse(&Arc::new(Source::new("t", template)), &Limits::default());
            assert!(faults.is_empty(), "{template}");
            assert_eq!(ast.to_string(), template);
        }
    }

    #[test]
    fn what_is_never_closed_is_found_where_it_opens() {
        let cases = ["{{ a", "{% if", "{# a", "{{ (a }} b", "{{ 'a }} b", "{{ [a) }}{{ b"];
        for template in cases {
            let (_, faults) =
                parse(&Arc::new(Source::new("t", format!("é\n {template}"))), &Limits::default());
            assert_eq!(faults.len(), 1, "{template}");
            let at_opening = (faults[0].line, faults[0].column) == (2, 2);
            assert!(at_opening || template.contains("}}{{"), "{template}");
        }
    }

    #[test]
    fn deep_brackets_do_not_recurse() {
        let deep = format!("{{{{ {}{} }}}}", "(".repeat(20_000), ")".repeat(20_000));
        let (ast, faults) = parse(&Arc::new(Source::new("t", deep)), &Limits::default());
        assert!(faults.is_empty());
        assert!(matches!(ast.items.as_slice(), [Item::Output(_)]));
    }
}
