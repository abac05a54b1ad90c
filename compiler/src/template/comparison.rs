//! Finds what is compared in an expression.
//!
//! A rendered text may hold parts, whose handles equal nothing. So each operand of a comparison
//! is made plain text first; here is where operands begin and end.

use std::ops::Range;

use crate::template::ast::{Ast, Token, TokenKind};

const COMPARING: &[&str] = &["==", "!=", "<", ">", "<=", ">=", "in"];
/// Words and signs that bind less tightly than a comparison.
const LOOSER: &[&str] = &["and", "or", "not", "if", "else", "recursive", ",", ":", "="];

struct Words<'a> {
    words: Vec<&'a str>,
    /// How many brackets are open around each token; a bracket is outside of itself.
    depths: Vec<usize>,
}

/// The places of the operands of all comparisons in `tokens`, which belong to the tag `owner`.
pub(crate) fn operands(ast: &Ast, tokens: &[Token], owner: &str) -> Vec<Range<usize>> {
    let words = tokens.iter().map(|token| match token.kind {
        // A string may spell anything, and is no operator.
        TokenKind::Text => "",
        _ => ast.source.slice(&token.range),
    });
    let expression = Words { words: words.collect(), depths: depths(tokens) };
    let mut loop_word = owner == "for";
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        if !expression.compares(at) {
            continue;
        }
        if expression.words[at] == "in" && expression.depths[at] == 0 {
            // The first `in` of a loop compares nothing.
            if std::mem::take(&mut loop_word) {
                continue;
            }
        }
        for operand in [expression.before(at), expression.after(at)] {
            if let [first, .., last] | [first @ last] = &tokens[operand.clone()]
                && !is_constant(&tokens[operand.clone()], &expression.words[operand])
            {
                found.push(first.range.start..last.range.end);
            }
        }
    }
    found.dedup();
    found
}

fn depths(tokens: &[Token]) -> Vec<usize> {
    let mut depth = 0_usize;
    let depth_of = |token: &Token| match token.kind {
        TokenKind::Opening => {
            depth += 1;
            depth - 1
        }
        TokenKind::Closing => {
            depth = depth.saturating_sub(1);
            depth
        }
        _ => depth,
    };
    tokens.iter().map(depth_of).collect()
}

fn is_constant(tokens: &[Token], words: &[&str]) -> bool {
    match tokens {
        [only] => match only.kind {
            TokenKind::Text | TokenKind::Number => true,
            _ => ["true", "false", "none", "True", "False", "None"].contains(&words[0]),
        },
        _ => false,
    }
}

impl Words<'_> {
    fn compares(&self, at: usize) -> bool {
        // After a dot or a bar it is a name.
        let before = at.checked_sub(1).map_or("", |at| self.words[at]);
        COMPARING.contains(&self.words[at]) && !matches!(before, "." | "|" | "is")
    }

    /// Whether an operand at `depth` ends at `at`.
    fn ends(&self, at: usize, depth: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |at| self.words[at]);
        let looser = LOOSER.contains(&self.words[at]) || self.compares(at);
        // `is not` is one word of an operand.
        let in_test = self.words[at] == "not" && before == "is";
        self.depths[at] < depth || (self.depths[at] == depth && looser && !in_test)
    }

    fn before(&self, operator: usize) -> Range<usize> {
        let negated = self.words[operator] == "in"
            && operator.checked_sub(1).is_some_and(|at| self.words[at] == "not");
        let end = operator - usize::from(negated);
        let depth = self.depths[operator];
        let start = (0..end).rev().find(|&at| self.ends(at, depth)).map_or(0, |at| at + 1);
        start..end
    }

    fn after(&self, operator: usize) -> Range<usize> {
        let depth = self.depths[operator];
        let start = operator + 1;
        let end = (start..self.words.len()).find(|&at| self.ends(at, depth));
        start..end.unwrap_or(self.words.len())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::operands;
    use crate::diagnostic::source::Source;
    use crate::limits::Limits;
    use crate::template::ast::Item;
    use crate::template::parse::parse;

    #[test]
    fn operands_have_their_ends() {
        let cases: &[(&str, &[&str])] = &[
            ("{{ a == 'x' }}", &["a"]),
            ("{{ a.b[c == 1] ~ d != e|trim and f }}", &["c", "a.b[c == 1] ~ d", "e|trim"]),
            ("{{ x if m(1) == none else y }}", &["m(1)"]),
            ("{{ not a not in b }}", &["a", "b"]),
            ("{{ a < b <= c }}", &["a", "b", "c"]),
            ("{{ f(x=a > 1, y=[b in c]) }}", &["a", "b", "c"]),
            ("{{ {'k': a == b} }}", &["a", "b"]),
            ("{{ a == b is not none }}", &["a", "b is not none"]),
            ("{{ '==' ~ a }}", &[]),
            ("{% for x in y %}", &[]),
            ("{% for x, y in z if x in y recursive %}", &["x", "y"]),
            ("{% set a = b == c %}", &["b", "c"]),
            ("{{ == }}", &[]),
        ];
        for (template, expected) in cases {
            let source = Arc::new(Source::new("t", *template));
            let (ast, _) = parse(&source, &Limits::default());
            let (tokens, owner) = match &ast.items[0] {
                Item::Output(output) => (&output.tokens, ""),
                Item::Tag(tag) => (&tag.body.tokens, tag.name.as_str()),
                _ => panic!("{template}"),
            };
            let mut found = operands(&ast, tokens, owner);
            found.sort_by_key(|range| (range.end, range.start));
            let found: Vec<_> = found.iter().map(|range| source.slice(range)).collect();
            let mut expected = expected.to_vec();
            expected.sort_by_key(|word| template.find(word));
            let mut sorted = found.clone();
            sorted.sort_by_key(|word| template.find(word));
            assert_eq!(sorted, expected, "{template}");
        }
    }
}
