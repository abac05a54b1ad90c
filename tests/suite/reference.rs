//! A second, slow recogniser: a set of stacks of what is still to be read.
//!
//! It shares nothing with the engine but the `Ir`: repeats count down on the stack, classes are
//! decided by arithmetic on code points, patterns by the crate `regex-automata`, and free text by
//! searching for the delimiter in what was read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use blueprints::ir::machine::{Machine, Value};
use blueprints::ir::{FreeText, Kind, Origin};
use blueprints::{Ir, Token, TokenId, Vocabulary};
use regex_automata::dfa::{Automaton, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_syntax::hir::ClassUnicode;

use crate::reference_stack::{Rules, Scope, Stack, Symbol, Task};

mod tokens;

type Patterns = Rc<RefCell<BTreeMap<String, Rc<dense::DFA<Vec<u32>>>>>>;

/// The readings of a text so far.
#[derive(Clone)]
pub(crate) struct Reference<'a> {
    vocabulary: &'a Vocabulary,
    /// Stacks whose top reads a symbol.
    ready: Vec<Stack>,
    accepting: bool,
    patterns: Patterns,
    made: Rc<RefCell<BTreeMap<(usize, u32), Ir>>>,
}

impl<'a> Reference<'a> {
    pub(crate) fn new(ir: &Ir, vocabulary: &'a Vocabulary) -> Self {
        let mut reference = Self {
            vocabulary,
            ready: Vec::new(),
            accepting: false,
            patterns: Rc::default(),
            made: Rc::default(),
        };
        let stack = Stack(None).push(Task::Part(ir.clone(), None));
        reference.settle(vec![stack]);
        reference
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.accepting || !self.ready.is_empty()
    }

    pub(crate) fn is_accepting(&self) -> bool {
        self.accepting
    }

    /// The readings after `token`.
    pub(crate) fn after(&self, token: TokenId) -> Self {
        match self.vocabulary.token(token) {
            Token::Bytes(bytes) => {
                let mut next = self.clone();
                for &byte in bytes {
                    next = next.step(&Symbol::Byte(byte));
                }
                if bytes.is_empty() {
                    return self.nothing();
                }
                // An author may have named it.
                let named = self.step(&Symbol::Special(token));
                next.accepting |= named.accepting;
                next.ready.extend(named.ready);
                next
            }
            Token::Special(_) => self.step(&Symbol::Special(token)),
            Token::Absent => self.nothing(),
        }
    }

    /// The readings after one byte.
    pub(crate) fn after_byte(&self, byte: u8) -> Self {
        self.step(&Symbol::Byte(byte))
    }

    fn nothing(&self) -> Self {
        Self { ready: Vec::new(), accepting: false, ..self.clone() }
    }

    fn step(&self, symbol: &Symbol) -> Self {
        let mut next = Vec::new();
        for stack in &self.ready {
            let cell = stack.0.as_ref().expect("ready stacks are not empty");
            let Some(tasks) = read(&cell.0, symbol) else { continue };
            let stack = tasks.into_iter().fold(cell.1.clone(), |stack, task| stack.push(task));
            match symbol {
                Symbol::Byte(byte) if cell.1.is_observed() => {
                    next.extend(stack.change(&|machine, value| machine.read(value, *byte)));
                }
                _ => next.push(stack),
            }
        }
        let mut after = self.nothing();
        after.settle(next);
        after
    }

    /// Opens parts until every stack's top reads a symbol.
    fn settle(&mut self, mut pending: Vec<Stack>) {
        let mut seen = std::collections::BTreeSet::new();
        // Keys go by addresses, which must not come again as long as keys are compared.
        let mut kept = Vec::new();
        while let Some(stack) = pending.pop() {
            if !seen.insert(stack.key()) {
                continue;
            }
            kept.push(stack.clone());
            let Some(cell) = stack.0.clone() else {
                self.accepting = true;
                continue;
            };
            let rest = &cell.1;
            match &cell.0 {
                Task::Part(ir, scope) => pending.extend(self.open(ir, scope, rest)),
                Task::Times { body, min, max, separator, begun, scope } => {
                    if *min == 0 {
                        pending.push(rest.clone());
                    }
                    if *max != Some(0) {
                        let mut after = rest.push(Task::Times {
                            body: body.clone(),
                            min: min.saturating_sub(1),
                            max: max.map(|max| max - 1),
                            separator: separator.clone(),
                            begun: true,
                            scope: scope.clone(),
                        });
                        after = after.push(Task::Part(body.clone(), scope.clone()));
                        if let (true, Some(separator)) = (begun, separator) {
                            after = after.push(Task::Part(separator.clone(), scope.clone()));
                        }
                        pending.push(after);
                    }
                }
                Task::Joined { joined, at, written, scope } => {
                    let Some(part) = joined.parts.get(*at) else {
                        pending.push(rest.clone());
                        continue;
                    };
                    let next = |written: bool| {
                        let (joined, scope) = (joined.clone(), scope.clone());
                        rest.push(Task::Joined { joined, at: at + 1, written, scope })
                    };
                    if !part.required {
                        pending.push(next(*written));
                    }
                    let mut present = next(true).push(Task::Part(part.body.clone(), scope.clone()));
                    if *written {
                        present = present.push(Task::Part(joined.separator.clone(), scope.clone()));
                    }
                    pending.push(present);
                }
                Task::State { automaton, at, scope } => {
                    let state = &automaton.states[*at];
                    if state.accepting {
                        pending.push(rest.clone());
                    }
                    for (label, to) in &state.edges {
                        let automaton = automaton.clone();
                        let next =
                            rest.push(Task::State { automaton, at: *to, scope: scope.clone() });
                        pending.push(next.push(Task::Part(label.clone(), scope.clone())));
                    }
                }
                Task::Symbols(symbols, at) if *at == symbols.len() => pending.push(rest.clone()),
                Task::Pattern(dfa, state) => {
                    if dfa.is_match_state(dfa.next_eoi_state(*state)) {
                        pending.push(rest.clone());
                    }
                    if pattern_lives(dfa, *state) {
                        self.ready.push(stack);
                    }
                }
                Task::Free(until, text) => {
                    if free_may_end(until, text) {
                        pending.push(rest.clone());
                    }
                    self.ready.push(stack);
                }
                Task::Register(..) | Task::Observed => pending.push(rest.clone()),
                Task::Symbols(..) | Task::Character(..) => self.ready.push(stack),
            }
        }
    }

    fn open(&self, ir: &Ir, scope: &Scope, rest: &Stack) -> Vec<Stack> {
        let part = |ir: &Ir| Task::Part(ir.clone(), scope.clone());
        match ir.kind() {
            Kind::Text(text) => {
                let symbols = self.text(&text.string, text.origin);
                vec![rest.push(Task::Symbols(symbols.into(), 0))]
            }
            Kind::Class(_) => vec![rest.push(Task::Character(ir.clone(), Vec::new()))],
            Kind::Sequence(parts) => {
                vec![parts.iter().rev().fold(rest.clone(), |stack, ir| stack.push(part(ir)))]
            }
            Kind::Choice(arms) => arms.iter().map(|arm| rest.push(part(arm))).collect(),
            Kind::Repeat(repeat) => vec![rest.push(Task::Times {
                body: repeat.body.clone(),
                min: repeat.min,
                max: repeat.max,
                separator: repeat.separator.clone(),
                begun: false,
                scope: scope.clone(),
            })],
            Kind::Joined(joined) => vec![rest.push(Task::Joined {
                joined: Rc::new(joined.clone()),
                at: 0,
                written: false,
                scope: scope.clone(),
            })],
            Kind::Automaton(automaton) => vec![rest.push(Task::State {
                automaton: automaton.clone(),
                at: 0,
                scope: scope.clone(),
            })],
            Kind::Call(rule) => {
                let body = match scope.as_ref().expect("calls stand in grammars") {
                    Rules::Grammar(grammar) => grammar.rules()[rule.0 as usize].body.clone(),
                    Rules::Made(rules) => self.made(rules, *rule),
                };
                vec![rest.push(part(&body))]
            }
            Kind::Grammar(grammar) => {
                let body = grammar.rules()[grammar.start().0 as usize].body.clone();
                vec![rest.push(Task::Part(body, Some(Rules::Grammar(grammar.clone()))))]
            }
            Kind::Regex(regex) => {
                let dfa = self.pattern(&regex.pattern);
                let start = start::Config::new().anchored(regex_automata::Anchored::Yes);
                let state = dfa.start_state(&start).expect("no look-behind");
                vec![rest.push(Task::Pattern(dfa, state))]
            }
            Kind::Capture(capture) => vec![rest.push(part(&capture.body))],
            Kind::Special(special) => self
                .special(special)
                .into_iter()
                .map(|symbols| rest.push(Task::Symbols(symbols.into(), 0)))
                .collect(),
            Kind::Dispatch(dispatch) => {
                let bound = || dispatch.bound(&|literal| self.units(literal)).expect("no overlap");
                vec![rest.push(part(&self.kept(ir, bound)))]
            }
            Kind::Anything(anything) if anything.limits != FreeText::default() => {
                let bound = || anything.bound(&|literal| self.units(literal)).expect("no overlap");
                vec![rest.push(part(&self.kept(ir, bound)))]
            }
            Kind::Schema(schema) => {
                let body = self.made(&schema.rules, schema.rules.start());
                let scope = Some(Rules::Made(schema.rules.clone()));
                vec![rest.push(Task::Part(body, scope))]
            }
            Kind::Tracked(tracked) => {
                let machine = tracked.machine.clone();
                let start = machine.start();
                vec![rest.push(Task::Register(machine, start)).push(part(&tracked.body))]
            }
            Kind::Act(action) => {
                let step = |machine: &Machine, value: &Value| machine.step(value, *action);
                rest.change(&step).into_iter().collect()
            }
            Kind::Observed(inner) => vec![rest.push(Task::Observed).push(part(inner))],
            Kind::Anything(anything) => {
                let until: Vec<Vec<Symbol>> = anything
                    .until
                    .iter()
                    .map(|literal| {
                        let stretches = literal.stretches();
                        stretches.flat_map(|(text, origin)| self.text(text, origin)).collect()
                    })
                    .collect();
                vec![rest.push(Task::Free(until.into(), Vec::new()))]
            }
        }
    }

    /// Parts go by their address, so a rule is made once.
    fn made(&self, rules: &Arc<dyn blueprints::ir::Rules>, rule: blueprints::ir::RuleId) -> Ir {
        let key = (Arc::as_ptr(rules).addr(), rule.0);
        let mut made = self.made.borrow_mut();
        made.entry(key).or_insert_with(|| rules.body(rule).expect("a body")).clone()
    }

    /// Parts go by their address, so what is made of `ir` is made once.
    fn kept(&self, ir: &Ir, make: impl FnOnce() -> Ir) -> Ir {
        self.made.borrow_mut().entry((ir.address(), u32::MAX)).or_insert_with(make).clone()
    }

    fn text(&self, text: &str, origin: Origin) -> Vec<Symbol> {
        match origin {
            Origin::Source => self.symbols(text),
            Origin::Value => text.bytes().map(Symbol::Byte).collect(),
        }
    }

    /// The author's text: at each place the longest special token that is spelled there.
    fn symbols(&self, text: &str) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text.as_bytes()[at..];
            let special = self.vocabulary.special_tokens();
            let special = special
                .filter(|(spelling, _)| rest.starts_with(spelling.as_bytes()))
                .max_by_key(|(spelling, _)| spelling.len());
            match special {
                Some((spelling, id)) => {
                    symbols.push(Symbol::Special(id));
                    at += spelling.len();
                }
                None => {
                    symbols.push(Symbol::Byte(rest[0]));
                    at += 1;
                }
            }
        }
        symbols
    }

    fn pattern(&self, pattern: &str) -> Rc<dense::DFA<Vec<u32>>> {
        let mut patterns = self.patterns.borrow_mut();
        let dfa = patterns.entry(pattern.to_owned()).or_insert_with(|| {
            let config = dense::Config::new().match_kind(regex_automata::MatchKind::All);
            Rc::new(dense::Builder::new().configure(config).build(pattern).expect("a pattern"))
        });
        dfa.clone()
    }
}

/// What is left of `task` after `symbol`, or `None` if it does not read it.
fn read(task: &Task, symbol: &Symbol) -> Option<Vec<Task>> {
    match (task, symbol) {
        (Task::Symbols(symbols, at), symbol) => {
            (symbols[*at] == *symbol).then(|| vec![Task::Symbols(symbols.clone(), at + 1)])
        }
        (Task::Character(class, read), Symbol::Byte(byte)) => {
            let Kind::Class(set) = class.kind() else { return None };
            let mut read = read.clone();
            read.push(*byte);
            match std::str::from_utf8(&read) {
                Ok(text) => {
                    let character = text.chars().next()?;
                    contains(set, character, character).then(Vec::new)
                }
                Err(error) if error.error_len().is_none() => {
                    let (low, high) = characters_from(&read)?;
                    contains(set, low, high).then(|| vec![Task::Character(class.clone(), read)])
                }
                Err(_) => None,
            }
        }
        (Task::Pattern(dfa, state), Symbol::Byte(byte)) => {
            let next = dfa.next_state(*state, *byte);
            let ends = dfa.is_match_state(dfa.next_eoi_state(next));
            (ends || pattern_lives(dfa, next)).then(|| vec![Task::Pattern(dfa.clone(), next)])
        }
        (Task::Free(until, text), Symbol::Byte(byte)) => {
            let mut text = text.clone();
            text.push(*byte);
            if std::str::from_utf8(&text).is_err_and(|error| error.error_len().is_some()) {
                return None;
            }
            let read: Vec<Symbol> = text.iter().copied().map(Symbol::Byte).collect();
            let over = until.iter().any(|one| first_end(&read, one).is_some());
            (!over).then(|| vec![Task::Free(until.clone(), text)])
        }
        _ => None,
    }
}

/// Whether some character from `low` to `high` is in `set`.
fn contains(set: &ClassUnicode, low: char, high: char) -> bool {
    set.ranges().iter().any(|range| range.start() <= high && low <= range.end())
}

/// The first and the last character whose UTF-8 begins with `bytes`, which are part of one.
fn characters_from(bytes: &[u8]) -> Option<(char, char)> {
    let length = match bytes[0] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    };
    let complete = |filler: u8| {
        let mut bytes = bytes.to_vec();
        bytes.resize(length, filler);
        String::from_utf8(bytes).ok().and_then(|text| text.chars().next())
    };
    // After some first bytes not every second byte is legal: look for the outermost legal ones.
    let low = (0x80..=0xBF).find_map(|second| {
        if bytes.len() > 1 {
            return complete(0x80);
        }
        let mut bytes = vec![bytes[0], second];
        bytes.resize(length, 0x80);
        String::from_utf8(bytes).ok().and_then(|text| text.chars().next())
    });
    let high = (0x80..=0xBF).rev().find_map(|second| {
        if bytes.len() > 1 {
            return complete(0xBF);
        }
        let mut bytes = vec![bytes[0], second];
        bytes.resize(length, 0xBF);
        String::from_utf8(bytes).ok().and_then(|text| text.chars().next())
    });
    low.zip(high)
}

/// Whether more bytes from `state` can reach a match.
fn pattern_lives(dfa: &dense::DFA<Vec<u32>>, state: StateID) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    let mut queue = vec![state];
    while let Some(at) = queue.pop() {
        for byte in 0..=u8::MAX {
            let next = dfa.next_state(at, byte);
            if dfa.is_dead_state(next) || !seen.insert(next) {
                continue;
            }
            if dfa.is_match_state(dfa.next_eoi_state(next)) {
                return true;
            }
            queue.push(next);
        }
    }
    false
}

/// Whether the first delimiter in `text` and then one of `until` is at the end of that one.
fn free_may_end(until: &[Vec<Symbol>], text: &[u8]) -> bool {
    if std::str::from_utf8(text).is_err() {
        return false;
    }
    until.is_empty()
        || until.iter().any(|delimiter| {
            let mut whole: Vec<Symbol> = text.iter().copied().map(Symbol::Byte).collect();
            whole.extend(delimiter.iter().cloned());
            let first = until.iter().filter_map(|one| first_end(&whole, one)).min();
            first == Some(whole.len())
        })
}

/// Where the first occurrence of `needle` in `text` ends.
fn first_end(text: &[Symbol], needle: &[Symbol]) -> Option<usize> {
    (needle.len()..=text.len()).find(|&end| text[..end].ends_with(needle))
}
