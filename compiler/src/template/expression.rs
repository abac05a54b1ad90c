//! Checks the words of tags and outputs that can be judged without a context: brackets, depth,
//! and the names of filters.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::problem::Problem;
use crate::diagnostic::suggest;
use crate::limits::Limits;
use crate::template::ast::{Ast, Item, Token, TokenKind};
use crate::template::blocks;
use crate::template::filters;

/// Words that join two expressions to one.
const JOINING: &[&str] = &["and", "or", "not", "is", "in", "if", "else"];

/// The beginning of the names that stand for our constructs in rewritten templates.
pub(crate) const RESERVED_PREFIX: &str = "bp_";

/// The names that a host adds to those of filters and functions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Words {
    pub(crate) filters: Vec<String>,
    pub(crate) functions: Vec<String>,
}

impl Words {
    pub(crate) fn is_filter(&self, name: &str) -> bool {
        self.filters.iter().any(|known| known == name)
    }

    pub(crate) fn is_function(&self, name: &str) -> bool {
        self.functions.iter().any(|known| known == name)
    }
}

/// What is wrong with the expressions of `ast`.
pub(crate) fn check(ast: &Ast, words: &Words, limits: &Limits) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let mut fault = |problem, range: &Range<usize>| {
        faults.push(Diagnostic::new(problem, &ast.source, range));
    };
    for item in &ast.items {
        let (tokens, filter_first) = match item {
            Item::Output(output) => (&output.tokens, false),
            Item::Tag(tag) => (&tag.body.tokens, tag.name == "filter"),
            Item::Text(_) | Item::Comment(_) | Item::Raw(_) => continue,
        };
        if let Some(place) = too_deep(ast, tokens, limits.expression_depth) {
            let bound = limits.expression_depth as u64;
            fault(Problem::limit("operators that hang on one another", bound), &place);
        }
        if let Some(place) = stray_bracket(ast, tokens) {
            let bracket = ast.source.slice(&place).to_owned();
            fault(Problem::syntax(&format!("`{bracket}` closes nothing")), &place);
        }
        if let Some(token) = tokens.iter().find(|token| has_bad_escape(ast, token)) {
            let problem = Problem::syntax("a backslash begins no escape that is known here");
            fault(problem, &token.range);
        }
        if let Some(token) = reserved_name(ast, tokens) {
            let name = ast.source.slice(&token.range);
            fault(Problem::reserved_name(name), &token.range);
        }
        for token in filter_names(ast, tokens, filter_first) {
            let name = ast.source.slice(&token.range);
            if filters::REFUSED.contains(&name) {
                fault(Problem::refused_filter(name), &token.range);
            } else if !filters::names().any(|known| known == name) && !words.is_filter(name) {
                let mut known: Vec<&str> = filters::names().collect();
                known.extend(words.filters.iter().map(String::as_str));
                let guess = suggest::nearest(name, known);
                fault(Problem::unknown_filter(name, guess), &token.range);
            }
        }
    }
    faults
}

/// Whether minijinja refuses an escape in a string; it cannot say which string.
fn has_bad_escape(ast: &Ast, token: &Token) -> bool {
    let spelling = ast.source.slice(&token.range);
    let escaped = token.kind == TokenKind::Text && spelling.contains('\\');
    escaped && minijinja::Environment::empty().compile_expression(spelling).is_err()
}

/// A name that only rewritten templates have.
fn reserved_name<'a>(ast: &Ast, tokens: &'a [Token]) -> Option<&'a Token> {
    tokens.iter().enumerate().find_map(|(at, token)| {
        let reserved = ast.source.slice(&token.range).starts_with(RESERVED_PREFIX);
        let before = at.checked_sub(1).map_or("", |at| ast.source.slice(&tokens[at].range));
        (token.kind == TokenKind::Name && reserved && before != ".").then_some(token)
    })
}

/// Where a closing bracket has no opening one.
fn stray_bracket(ast: &Ast, tokens: &[Token]) -> Option<Range<usize>> {
    let mut depth = 0_usize;
    tokens.iter().find_map(|token| {
        match token.kind {
            TokenKind::Opening => depth += 1,
            TokenKind::Closing => depth = depth.saturating_sub(1),
            // The grammar takes a closing bracket that closes nothing for a symbol.
            TokenKind::Symbol if matches!(ast.source.slice(&token.range), ")" | "]" | "}") => {
                return Some(token.range.clone());
            }
            _ => {}
        }
        None
    })
}

/// Where operators and brackets hang on one another more than `bound` deep. Rendering recurses
/// that deep, so the bound keeps the stack.
fn too_deep(ast: &Ast, tokens: &[Token], bound: usize) -> Option<Range<usize>> {
    let mut links = vec![0_usize];
    let mut total = 0;
    for token in tokens {
        let word = ast.source.slice(&token.range);
        match token.kind {
            TokenKind::Opening => {
                if let Some(last) = links.last_mut() {
                    *last += 1;
                }
                total += 1;
                links.push(0);
            }
            TokenKind::Closing => total -= links.pop().unwrap_or(0),
            TokenKind::Symbol if matches!(word, "," | ":") => {
                total -= links.last_mut().map(std::mem::take).unwrap_or(0);
            }
            TokenKind::Symbol => {
                if let Some(last) = links.last_mut() {
                    *last += 1;
                }
                total += 1;
            }
            TokenKind::Name if JOINING.contains(&word) => {
                if let Some(last) = links.last_mut() {
                    *last += 1;
                }
                total += 1;
            }
            TokenKind::Name | TokenKind::Number | TokenKind::Text => {}
        }
        if total > bound {
            return Some(token.range.clone());
        }
    }
    None
}

/// The names that stand after `|`, and the first of a `filter` tag.
fn filter_names<'a>(
    ast: &'a Ast,
    tokens: &'a [Token],
    filter_first: bool,
) -> impl Iterator<Item = &'a Token> {
    let first = tokens.first().filter(|_| filter_first);
    let after = tokens.windows(2).filter(|pair| ast.source.slice(&pair[0].range) == "|");
    let names = first.into_iter().chain(after.map(|pair| &pair[1]));
    names.filter(|token| token.kind == TokenKind::Name)
}

/// The tokens that name what is called, where `wanted` says that the name matters.
pub(crate) fn calls<'a>(
    ast: &'a Ast,
    tokens: &'a [Token],
    wanted: &'a dyn Fn(&str) -> bool,
) -> impl Iterator<Item = (usize, &'a Token)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| ast.source.slice(&token.range));
    tokens.iter().enumerate().filter(move |(at, token)| {
        let named = token.kind == TokenKind::Name && wanted(word(*at));
        let before = at.checked_sub(1).map_or("", word);
        named && word(at + 1) == "(" && !matches!(before, "." | "|" | "is")
    })
}

/// The token that closes the bracket at `opening`.
pub(crate) fn closing(tokens: &[Token], opening: usize) -> Option<usize> {
    let mut depth = 0_usize;
    tokens.iter().enumerate().skip(opening).find_map(|(at, token)| {
        match token.kind {
            TokenKind::Opening => depth += 1,
            TokenKind::Closing => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// The strings in `tokens`, an argument's value, that stand for themselves: the value is one
/// string or a list of them.
pub(crate) fn literals<'a>(ast: &Ast, tokens: &'a [Token]) -> Vec<&'a Token> {
    let is_text = |token: &&Token| token.kind == TokenKind::Text;
    let inner = match tokens {
        [only] => return Some(only).into_iter().filter(is_text).collect(),
        [open, inner @ .., close]
            if ast.source.slice(&open.range) == "[" && ast.source.slice(&close.range) == "]" =>
        {
            inner
        }
        _ => return Vec::new(),
    };
    let plain = |token: &Token| is_text(&token) || ast.source.slice(&token.range) == ",";
    match inner.iter().all(plain) {
        true => inner.iter().filter(is_text).collect(),
        false => Vec::new(),
    }
}

/// One `name=value` of a tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) name_range: Range<usize>,
    pub(crate) value: Range<usize>,
    /// The value, if it is a number and nothing else.
    pub(crate) number: Option<String>,
    /// Whether the value is a word that means itself.
    pub(crate) bare: bool,
    /// Whether the value stands without the name.
    pub(crate) leading: bool,
}

/// The arguments of our tag `owner`, divided by blanks or commas.
pub(crate) fn arguments(
    ast: &Ast,
    owner: &str,
    tokens: &[Token],
) -> Result<Vec<Argument>, (Problem, Range<usize>)> {
    let (known, example) = blocks::arguments_of(owner).unwrap_or_default();
    let mut arguments: Vec<Argument> = Vec::new();
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        let is_sign = rest.get(1).is_some_and(|sign| ast.source.slice(&sign.range) == "=");
        if let Some((name, bare)) = blocks::leading_argument(owner)
            && arguments.is_empty()
            && !(first.kind == TokenKind::Name && is_sign)
        {
            let length = value_length(ast, rest);
            let (value, after) = rest.split_at(length);
            let last = value.last().unwrap_or(first);
            let bare = bare && value.len() == 1 && first.kind == TokenKind::Name;
            let range = first.range.start..last.range.end;
            arguments.push(Argument {
                name: name.to_owned(),
                name_range: range.clone(),
                value: range,
                number: None,
                bare,
                leading: true,
            });
            let comma = after.first().is_some_and(|token| ast.source.slice(&token.range) == ",");
            rest = &after[usize::from(comma)..];
            continue;
        }
        if first.kind != TokenKind::Name || !is_sign {
            return Err((Problem::positional_argument(owner, example), first.range.clone()));
        }
        let name = ast.source.slice(&first.range).to_owned();
        if !known.contains(&name.as_str()) {
            let guess = suggest::nearest(&name, known.iter().copied());
            return Err((Problem::unknown_argument(owner, &name, guess), first.range.clone()));
        }
        if arguments.iter().any(|argument| argument.name == name) {
            return Err((Problem::repeated_argument(&name), first.range.clone()));
        }
        let length = value_length(ast, &rest[2..]);
        let (value, after) = rest[2..].split_at(length);
        let (Some(from), Some(to)) = (value.first(), value.last()) else {
            return Err((Problem::valueless_argument(&name), first.range.clone()));
        };
        let number = match value {
            [number] if number.kind == TokenKind::Number => Some(ast.source.slice(&number.range)),
            _ => None,
        };
        arguments.push(Argument {
            name,
            name_range: first.range.clone(),
            value: from.range.start..to.range.end,
            number: number.map(str::to_owned),
            bare: false,
            leading: false,
        });
        let comma = after.first().is_some_and(|token| ast.source.slice(&token.range) == ",");
        rest = &after[usize::from(comma)..];
    }
    Ok(arguments)
}

/// How many tokens belong to the value in front: up to a comma or the next `name=`.
fn value_length(ast: &Ast, tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        let word = ast.source.slice(&token.range);
        match token.kind {
            TokenKind::Opening => depth += 1,
            TokenKind::Closing => depth = depth.saturating_sub(1),
            TokenKind::Symbol if depth == 0 && word == "," => return at,
            TokenKind::Name if depth == 0 => {
                let next = tokens.get(at + 1).map(|token| ast.source.slice(&token.range));
                if next == Some("=") {
                    return at;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}
