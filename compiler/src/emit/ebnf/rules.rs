//! The rules of an EBNF grammar being put together, under names that its dialect reads.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What XGrammar takes for something else than the name of a rule.
const RESERVED: [&str; 8] = [
    "ExcludeToken",
    "Regex",
    "Substring",
    "TagDispatch",
    "Token",
    "TokenTagDispatch",
    "false",
    "true",
];

/// Rules in the order in which they were opened.
pub(super) struct Rules {
    rules: Vec<(String, String)>,
    taken: BTreeSet<String>,
    /// The last number that was put behind each name.
    numbers: BTreeMap<String, u32>,
    bytes: usize,
    never: Option<usize>,
    /// The rules that stand for parts of equal meaning, by the printed form of the part.
    pub(super) shared: BTreeMap<String, String>,
}

impl Rules {
    pub(super) fn new() -> Self {
        Self {
            rules: Vec::new(),
            taken: RESERVED.iter().map(|name| (*name).to_string()).collect(),
            numbers: BTreeMap::new(),
            bytes: 0,
            never: None,
            shared: BTreeMap::new(),
        }
    }

    /// A new rule of a name like `wish`, to be defined later.
    pub(super) fn open(&mut self, wish: &str) -> usize {
        let mut name: String = wish
            .chars()
            .map(
                |c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' },
            )
            .collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            name.insert(0, '_');
        }
        let mut unique = name.clone();
        while self.taken.contains(&unique) {
            let number = self.numbers.entry(name.clone()).or_insert(1);
            *number += 1;
            unique = format!("{name}_{number}");
        }
        self.taken.insert(unique.clone());
        self.rules.push((unique, String::new()));
        self.rules.len() - 1
    }

    /// Says what `rule` is, and returns its name.
    pub(super) fn define(&mut self, rule: usize, body: String) -> String {
        self.bytes += body.len();
        self.rules[rule].1 = body;
        self.rules[rule].0.clone()
    }

    pub(super) fn name(&self, rule: usize) -> &str {
        &self.rules[rule].0
    }

    /// A rule that nothing matches.
    pub(super) fn never(&mut self) -> String {
        let rule = match self.never {
            Some(rule) => rule,
            None => {
                let rule = self.open("never");
                let name = self.rules[rule].0.clone();
                self.define(rule, name);
                self.never = Some(rule);
                rule
            }
        };
        self.rules[rule].0.clone()
    }

    /// The length of what has been defined.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn print(&self) -> String {
        let mut text = String::with_capacity(self.bytes + 16 * self.rules.len());
        for (name, body) in &self.rules {
            writeln!(text, "{name} ::= {body}").expect("a string takes all that is written");
        }
        text
    }
}
