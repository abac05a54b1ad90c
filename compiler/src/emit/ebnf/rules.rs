//! The rules of an EBNF grammar being put together.
//!
//! While they are, a rule is a number. Names come at the end, when rules that mean the same have
//! become one: schemas share what strings and white space are, however often they say it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use regex_syntax::hir::ClassUnicode;

use super::dialect::Dialect;
use super::expression::Expression;
use super::lexemes::Lexemes;
use crate::ir::Kind;

/// How often rules are told apart by those they call. More rounds are needed for longer chains
/// of calls only, and chains of that length gain little.
const ROUNDS_MAX: usize = 300;

/// Around the number of a rule in a body. Bodies hold no control characters, they are escaped.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// Rules in the order in which they were opened; the first is the start.
pub(super) struct Rules {
    pub(super) dialect: Dialect,
    /// The texts and classes so far, if a lexer has to tell them apart.
    pub(super) lexemes: Lexemes,
    rules: Vec<Rule>,
    /// The length of all bodies.
    pub(super) bytes: usize,
    never: Option<usize>,
    /// The rules of parts that occur in several places, by their address.
    pub(super) shared: BTreeMap<*const Kind, usize>,
}

#[derive(Default)]
struct Rule {
    /// What it would be called if no other were.
    wish: String,
    body: String,
}

/// A body with its calls taken out.
#[derive(Clone)]
struct Shape {
    text: String,
    calls: Vec<usize>,
}

impl Rules {
    pub(super) fn new(dialect: Dialect, lexemes: Lexemes) -> Self {
        Self { dialect, lexemes, rules: Vec::new(), bytes: 0, never: None, shared: BTreeMap::new() }
    }

    /// Exactly `string`.
    pub(super) fn text(&mut self, string: &str) -> Expression {
        if self.dialect != Dialect::Lark {
            return Expression::atom(self.dialect.string(string));
        }
        let pieces: Vec<Expression> = self
            .lexemes
            .pieces(string)
            .iter()
            .map(|piece| Expression::atom(self.dialect.string(piece)))
            .collect();
        Expression::sequence(&pieces)
    }

    /// One character of `set`.
    pub(super) fn class(&mut self, set: &ClassUnicode) -> Expression {
        if self.dialect == Dialect::Lark {
            self.lexemes.class(set);
        }
        Expression::atom(self.dialect.class(set))
    }

    /// A new rule of a name like `wish`, to be defined later.
    pub(super) fn open(&mut self, wish: &str) -> usize {
        self.rules.push(Rule { wish: wish.into(), body: String::new() });
        self.rules.len() - 1
    }

    pub(super) fn define(&mut self, rule: usize, body: String) {
        self.bytes = self.bytes.saturating_add(body.len());
        self.rules[rule].body = body;
    }

    /// What nothing matches.
    pub(super) fn never(&mut self) -> String {
        if let Some(never) = self.dialect.never() {
            return never.into();
        }
        let rule = self.never.unwrap_or_else(|| {
            let rule = self.open("never");
            self.define(rule, call(rule));
            rule
        });
        self.never = Some(rule);
        call(rule)
    }

    /// The rules that the first one needs, equal ones once, a line each.
    pub(super) fn print(&self) -> String {
        let mut shapes: Vec<Shape> = self.rules.iter().map(|rule| Shape::of(&rule.body)).collect();
        let mut same = merge(&shapes);
        // A start that is one other rule is that rule.
        for _ in 0..shapes.len() {
            match (shapes[0].text.strip_prefix(OPEN), shapes[0].calls.as_slice()) {
                (Some(""), [called]) if same[*called] != 0 => {
                    let called = same[*called];
                    shapes[0] = shapes[called].clone();
                    same.iter_mut().filter(|rule| **rule == called).for_each(|rule| *rule = 0);
                }
                _ => break,
            }
        }
        let mut needed = BTreeSet::new();
        let mut queue = vec![0];
        while let Some(rule) = queue.pop() {
            if needed.insert(rule) {
                queue.extend(shapes[rule].calls.iter().map(|&called| same[called]));
            }
        }
        let mut names = Names::new(self.dialect);
        let named: BTreeMap<usize, String> =
            needed.iter().map(|&rule| (rule, names.unique(&self.rules[rule].wish))).collect();
        let mut text = String::with_capacity(self.bytes);
        for &rule in &needed {
            write!(text, "{}{}", named[&rule], self.dialect.defines())
                .expect("a string takes all that is written");
            let mut calls = shapes[rule].calls.iter();
            for part in shapes[rule].text.split_inclusive(OPEN) {
                text.push_str(part.trim_end_matches(OPEN));
                if let Some(called) = calls.next() {
                    text.push_str(&named[&same[*called]]);
                }
            }
            text.push('\n');
        }
        text
    }
}

/// How a body calls `rule`.
pub(super) fn call(rule: usize) -> String {
    format!("{OPEN}{rule}{CLOSE}")
}

impl Shape {
    fn of(body: &str) -> Self {
        let mut shape = Self { text: String::with_capacity(body.len()), calls: Vec::new() };
        let mut rest = body;
        while let Some((before, after)) = rest.split_once(OPEN) {
            let (number, after) = after.split_once(CLOSE).unwrap_or((after, ""));
            shape.text.push_str(before);
            shape.text.push(OPEN);
            shape.calls.extend(number.parse::<usize>());
            rest = after;
        }
        shape.text.push_str(rest);
        shape
    }
}

/// For each rule the first that means the same, as far as that shows: rules of one shape are
/// taken for the same until their calls tell them apart (Moore, 1956).
fn merge(shapes: &[Shape]) -> Vec<usize> {
    // Texts are long and compared in every round, so each stands for the first rule that has it.
    let mut texts: BTreeMap<&str, usize> = BTreeMap::new();
    let texts: Vec<usize> = shapes
        .iter()
        .enumerate()
        .map(|(at, shape)| *texts.entry(&shape.text).or_insert(at))
        .collect();
    let mut classes = vec![0; shapes.len()];
    let mut count = 0;
    for _ in 0..ROUNDS_MAX {
        let mut known: BTreeMap<(usize, Vec<usize>), usize> = BTreeMap::new();
        let next: Vec<usize> = (0..shapes.len())
            .map(|at| {
                let calls = shapes[at].calls.iter().map(|&called| classes[called]).collect();
                *known.entry((texts[at], calls)).or_insert(at)
            })
            .collect();
        let settled = known.len() == count;
        count = known.len();
        classes = next;
        if settled {
            return classes;
        }
    }
    (0..shapes.len()).collect()
}

struct Names {
    dialect: Dialect,
    taken: BTreeSet<String>,
    /// The last number that was put behind each name.
    numbers: BTreeMap<String, u32>,
}

impl Names {
    fn new(dialect: Dialect) -> Self {
        let taken = dialect.reserved().iter().map(|name| (*name).to_string()).collect();
        Self { dialect, taken, numbers: BTreeMap::new() }
    }

    /// A name like `wish` that the dialect reads and no other rule has.
    fn unique(&mut self, wish: &str) -> String {
        let name = self.dialect.name(wish);
        let mut unique = name.clone();
        while self.taken.contains(&unique) {
            let number = self.numbers.entry(name.clone()).or_insert(1);
            *number += 1;
            unique = self.dialect.numbered(&name, *number);
        }
        self.taken.insert(unique.clone());
        unique
    }
}
