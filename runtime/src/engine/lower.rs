//! Lowers a part of an [`Ir`] to the automaton of one rule.
//!
//! What calls, tracked parts and counted loops stand for are rules of their own, lowered when
//! they are first run. What the author's text means in symbols is asked of a [`Binding`];
//! everything else is bytes.

mod parts;
mod tails;

use std::sync::Arc;

use blueprints_compiler::Ir;
use blueprints_compiler::ir::machine::Counters;
use blueprints_compiler::ir::{self, Kind, Machine, Origin};
use regex_syntax::hir::ClassUnicode;
use regex_syntax::utf8::{Utf8Range, Utf8Sequences};
use rustc_hash::FxHashMap;

pub(super) use self::parts::expand;
use self::parts::is_escaped;
use self::tails::Tails;
use super::budget::Closing;
use super::nfa::{Fragment, Label, Part, RuleId};
use super::source::{Binding, Known, LowerError, Scope, Source, Symbol};
use crate::limits::{LimitError, Limits};

/// The automaton of the rule that `source` makes.
pub(super) fn lower(
    source: &Source,
    known: &mut Known,
    binding: &dyn Binding,
    limits: &Limits,
) -> Result<Fragment, LowerError> {
    let scope = match source {
        Source::Part(_, scope) | Source::Loop(_, scope) => scope.clone(),
        Source::Called(scope, _) => Some(scope.clone()),
        Source::Budget(..) | Source::Closing(_) => None,
    };
    let fragment = Fragment::default();
    let (depth, heard, lazy) = (0, false, false);
    let mut lowering = Lowering { fragment, scope, known, binding, limits, depth, heard, lazy };
    match source {
        Source::Part(body, _) => lowering.whole(body)?,
        Source::Called(scope, rule) => lowering.whole(&scope.body(*rule)?)?,
        Source::Loop(repeat, _) => lowering.counted(repeat)?,
        Source::Budget(body, _) => lowering.characters(body, Closing::No)?,
        Source::Closing(body) => lowering.characters(body, Closing::Yes)?,
    }
    let mut fragment = lowering.fragment;
    fragment.trim();
    fragment.sort();
    Ok(fragment)
}

/// The machine of a counted loop.
fn counter(repeat: &ir::Repeat) -> Arc<Machine> {
    Arc::new(Machine::Counters(Counters::between(repeat.min.max(1), repeat.max)))
}

/// Whether `repeat` is a few letters a few times, such as white space: few tokens have only these,
/// so a node for each is less than to count, and all programs share what is known about them.
fn is_narrow(repeat: &ir::Repeat) -> bool {
    const LETTERS_MAX: u32 = 32;
    const TIMES_MAX: u32 = 64;
    let Kind::Class(set) = repeat.body.kind() else { return false };
    let letters =
        set.ranges().iter().map(|range| u32::from(range.end()) - u32::from(range.start()));
    set.is_ascii()
        && letters.map(|more| more + 1).sum::<u32>() <= LETTERS_MAX
        && repeat.max.unwrap_or(repeat.min) <= TIMES_MAX
        && repeat.separator.is_none()
}

pub(super) struct Lowering<'a> {
    pub(super) fragment: Fragment,
    scope: Option<Scope>,
    pub(super) known: &'a mut Known,
    pub(super) binding: &'a dyn Binding,
    limits: &'a Limits,
    depth: usize,
    /// Whether bytes are told to the machine.
    heard: bool,
    /// Whether what follows a backslash is made when a state first meets it: each character of a
    /// word may be escaped, and hardly any is.
    lazy: bool,
}

impl Lowering<'_> {
    pub(super) fn node(&mut self) -> Result<u32, LimitError> {
        self.fragment.node(self.limits.nodes_max)
    }

    pub(super) fn epsilon(&mut self, from: u32, to: u32) {
        self.fragment.edge(from, Label::Epsilon, to);
    }

    /// `body` as the rule's automaton, less the empty text.
    fn whole(&mut self, body: &Ir) -> Result<(), LowerError> {
        let entry = self.node()?;
        let end = self.part(body, entry)?;
        self.fragment.ends[end as usize] = true;
        self.fragment.entry = self.without_empty(self.nullable(body), 0, entry)?;
        Ok(())
    }

    pub(super) fn without_empty(
        &mut self,
        nullable: bool,
        first: u32,
        entry: u32,
    ) -> Result<u32, LimitError> {
        match nullable {
            true => self.fragment.without_empty(first, entry, self.limits.nodes_max),
            false => Ok(entry),
        }
    }

    pub(super) fn nullable(&self, ir: &Ir) -> bool {
        match (ir.facts(), &self.scope) {
            (Some(facts), _) => facts.nullable,
            (None, Some(Scope::Grammar(grammar))) => grammar.facts_of(ir).nullable,
            // No rule of a schema is nullable, so a part that calls one is by its other parts.
            (None, _) => ir.may_be_empty(),
        }
    }

    /// Builds `ir` between `from` and the node that it returns. Adds no edge that leads to `from`.
    pub(super) fn part(&mut self, ir: &Ir, from: u32) -> Result<u32, LowerError> {
        if self.depth >= self.limits.depth_max {
            return Err(LimitError::Depth(self.limits.depth_max).into());
        }
        self.depth += 1;
        let end = self.kind(ir, from)?;
        self.depth -= 1;
        Ok(end)
    }

    fn kind(&mut self, ir: &Ir, from: u32) -> Result<u32, LowerError> {
        match ir.kind() {
            Kind::Text(text) => self.text(text, from),
            Kind::Class(set) => self.class(set, from),
            Kind::Sequence(parts) => parts.iter().try_fold(from, |at, part| self.part(part, at)),
            Kind::Choice(arms) => {
                let to = self.node()?;
                for arm in arms {
                    if self.lazy && is_escaped(arm) {
                        self.escape(arm, from, to)?;
                        continue;
                    }
                    let end = self.part(arm, from)?;
                    self.epsilon(end, to);
                }
                Ok(to)
            }
            Kind::Repeat(repeat) => self.repeat(repeat, from),
            Kind::Joined(joined) => self.joined(joined, from),
            Kind::Automaton(automaton) => self.automaton(automaton, from),
            Kind::Call(called) => match self.scope.clone() {
                Some(scope) => self.call(&scope, *called, from),
                None => Ok(self.node()?),
            },
            Kind::Grammar(grammar) => {
                self.call(&Scope::Grammar(grammar.clone()), grammar.start(), from)
            }
            Kind::Regex(regex) => self.part(&regex.body, from),
            Kind::Schema(schema) => {
                let end =
                    self.call(&Scope::Rules(schema.rules.clone()), schema.rules.start(), from)?;
                if self.nullable(ir) {
                    self.epsilon(from, end);
                }
                Ok(end)
            }
            Kind::Anything(anything) => self.anything(anything, from),
            Kind::Dispatch(dispatch) => self.part(&self.binding.dispatch(dispatch)?, from),
            Kind::Capture(capture) => self.part(&capture.body, from),
            Kind::Special(special) => {
                let to = self.node()?;
                for symbols in self.binding.special(special) {
                    let end = self.symbols(symbols, from)?;
                    self.epsilon(end, to);
                }
                Ok(to)
            }
            Kind::Tracked(tracked) => {
                let source = Source::Part(tracked.body.clone(), self.scope.clone());
                let rule = self.known.rule(source, Some(tracked.machine.clone()));
                self.run(rule, self.nullable(ir), from)
            }
            Kind::Act(action) => {
                let to = self.node()?;
                self.fragment.edge(from, Label::Act(*action), to);
                Ok(to)
            }
            Kind::Observed(part) => {
                self.heard = true;
                let to = self.part(part, from)?;
                self.heard = false;
                Ok(to)
            }
        }
    }

    /// Runs `rule`, or passes it by where it may be empty.
    pub(super) fn run(
        &mut self,
        rule: RuleId,
        nullable: bool,
        from: u32,
    ) -> Result<u32, LowerError> {
        let to = self.node()?;
        if nullable {
            self.epsilon(from, to);
        }
        self.fragment.edge(from, Label::Call(rule), to);
        Ok(to)
    }

    fn call(&mut self, scope: &Scope, called: ir::RuleId, from: u32) -> Result<u32, LowerError> {
        let mut nullable = false;
        if let Scope::Grammar(grammar) = scope {
            let facts = grammar.rule_facts(called);
            nullable = facts.nullable;
            if !facts.productive || facts.length_max == Some(0) {
                let to = self.node()?;
                if nullable {
                    self.epsilon(from, to);
                }
                return Ok(to);
            }
        }
        let key = (scope.address(), called.0);
        let rule = match self.known.called.get(&key) {
            Some(&rule) => rule,
            None => {
                let rule = self.known.rule(Source::Called(scope.clone(), called), None);
                self.known.called.insert(key, rule);
                rule
            }
        };
        self.run(rule, nullable, from)
    }

    fn text(&mut self, text: &ir::Text, from: u32) -> Result<u32, LowerError> {
        let symbols = match text.origin {
            Origin::Source => self.binding.symbols(&text.string),
            Origin::Value => text.string.bytes().map(Symbol::Byte).collect(),
        };
        self.symbols(symbols, from)
    }

    fn symbols(&mut self, symbols: Vec<Symbol>, from: u32) -> Result<u32, LowerError> {
        let mut at = from;
        for symbol in symbols {
            let to = self.node()?;
            match symbol {
                Symbol::Byte(byte) => self.bytes(at, (byte, byte), to),
                Symbol::Marker(marker) => self.fragment.edge(at, Label::Marker(marker), to),
            }
            at = to;
        }
        Ok(at)
    }

    fn bytes(&mut self, from: u32, (low, high): (u8, u8), to: u32) {
        let label = if self.heard { Label::Heard(low, high) } else { Label::Bytes(low, high) };
        self.fragment.edge(from, label, to);
    }

    /// One character of `set` as UTF-8, ranges that end alike sharing their ends.
    fn class(&mut self, set: &ClassUnicode, from: u32) -> Result<u32, LowerError> {
        let to = self.node()?;
        let mut tails: FxHashMap<u64, u32> = FxHashMap::default();
        for range in set.ranges() {
            if range.end().is_ascii() {
                self.bytes(from, (range.start() as u8, range.end() as u8), to);
                continue;
            }
            for sequence in Utf8Sequences::new(range.start(), range.end()) {
                let ranges = sequence.as_slice();
                let lead = ranges[0];
                let next = self.tail(&ranges[1..], to, &mut tails)?;
                self.bytes(from, (lead.start, lead.end), next);
            }
        }
        Ok(to)
    }

    fn tail(
        &mut self,
        ranges: &[Utf8Range],
        to: u32,
        tails: &mut FxHashMap<u64, u32>,
    ) -> Result<u32, LowerError> {
        let Some((head, rest)) = ranges.split_first() else { return Ok(to) };
        // Three ranges at most, none of which begins at 0.
        let packed = |key: u64, range: &Utf8Range| {
            key << 16 | u64::from(range.start) << 8 | u64::from(range.end)
        };
        let key = ranges.iter().fold(0, packed);
        if let Some(&node) = tails.get(&key) {
            return Ok(node);
        }
        let next = self.tail(rest, to, tails)?;
        let node = self.node()?;
        self.bytes(node, (head.start, head.end), next);
        tails.insert(key, node);
        Ok(node)
    }

    fn repeat(&mut self, repeat: &ir::Repeat, from: u32) -> Result<u32, LowerError> {
        let separator = repeat.separator.as_ref();
        if self.nullable(&repeat.body)
            && let Some(separator) = separator
        {
            return self.repeat_nullable(repeat, separator, from);
        }
        let min = if self.nullable(&repeat.body) { 0 } else { repeat.min };
        let to = self.node()?;
        if min == 0 {
            self.epsilon(from, to);
        }
        match repeat.max {
            Some(1) => {
                let end = self.part(&repeat.body, from)?;
                self.epsilon(end, to);
            }
            None if min <= 1 => {
                let begin = self.node()?;
                self.epsilon(from, begin);
                let end = self.part(&repeat.body, begin)?;
                self.epsilon(end, to);
                let again = self.separated(separator, end)?;
                self.epsilon(again, begin);
            }
            _ if self.heard
                || is_narrow(repeat)
                || repeat.body.has_acts()
                || separator.is_some_and(Ir::has_acts) =>
            {
                self.unrolled(repeat, min, from, to)?
            }
            _ => {
                let repeat = ir::Repeat { min, ..repeat.clone() };
                let machine = counter(&repeat);
                let source = Source::Loop(repeat, self.scope.clone());
                let rule = self.known.rule(source, Some(machine));
                self.fragment.edge(from, Label::Call(rule), to);
            }
        }
        Ok(to)
    }

    /// Copy after copy: a loop of few letters, or one in whose frame an outer machine's actions
    /// could not be done.
    fn unrolled(
        &mut self,
        repeat: &ir::Repeat,
        min: u32,
        from: u32,
        to: u32,
    ) -> Result<(), LowerError> {
        let mut at = from;
        for count in 1..=repeat.max.unwrap_or(min) {
            if count > 1 {
                at = self.separated(repeat.separator.as_ref(), at)?;
            }
            let begin = at;
            at = self.part(&repeat.body, begin)?;
            if count >= min {
                self.epsilon(at, to);
            }
            if repeat.max.is_none() && count == min {
                let again = self.separated(repeat.separator.as_ref(), at)?;
                self.epsilon(again, begin);
            }
        }
        Ok(())
    }

    /// The automaton of a counted loop: action 0 begins an iteration, action 1 is the end.
    fn counted(&mut self, repeat: &ir::Repeat) -> Result<(), LowerError> {
        let entry = self.node()?;
        self.fragment.entry = entry;
        let first = self.node()?;
        let end = self.part(&repeat.body, first)?;
        let begin = self.without_empty(self.nullable(&repeat.body), first, first)?;
        let over = self.node()?;
        self.fragment.ends[over as usize] = true;
        self.fragment.edge(entry, Label::Act(0), begin);
        self.fragment.edge(end, Label::Act(1), over);
        let again = self.separated(repeat.separator.as_ref(), end)?;
        self.fragment.edge(again, Label::Act(0), begin);
        Ok(())
    }

    fn separated(&mut self, separator: Option<&Ir>, from: u32) -> Result<u32, LowerError> {
        match separator {
            Some(separator) => self.part(separator, from),
            None => Ok(from),
        }
    }

    /// A body that may be empty, with a separator: the first body, then `separator body` as one
    /// iteration, so that an iteration reads something whenever the separator does.
    fn repeat_nullable(
        &mut self,
        repeat: &ir::Repeat,
        separator: &Ir,
        from: u32,
    ) -> Result<u32, LowerError> {
        let more = Ir::sequence([separator.clone(), repeat.body.clone()]);
        let rest = ir::Repeat {
            body: more,
            min: repeat.min.saturating_sub(1),
            max: repeat.max.map(|max| max - 1),
            separator: None,
        };
        let to = self.node()?;
        if repeat.min == 0 {
            self.epsilon(from, to);
        }
        let first = self.part(&repeat.body, from)?;
        let end = match rest.max {
            Some(0) => first,
            _ => self.repeat(&rest, first)?,
        };
        self.epsilon(end, to);
        Ok(to)
    }

    /// Two nodes a part: with nothing written so far, and with something written.
    fn joined(&mut self, joined: &ir::Joined, from: u32) -> Result<u32, LowerError> {
        let mut nothing = Some(from);
        let mut something: Option<u32> = None;
        for part in &joined.parts {
            let to = self.node()?;
            let begin = self.node()?;
            if let Some(nothing) = nothing {
                self.epsilon(nothing, begin);
            }
            if let Some(something) = something {
                let after = self.part(&joined.separator, something)?;
                self.epsilon(after, begin);
            }
            let end = self.part(&part.body, begin)?;
            self.epsilon(end, to);
            if part.required {
                nothing = None;
            } else if let Some(something) = something {
                self.epsilon(something, to);
            }
            something = Some(to);
        }
        let to = self.node()?;
        for end in [nothing, something].into_iter().flatten() {
            self.epsilon(end, to);
        }
        Ok(to)
    }

    /// A node for each state, the first one reached from `from`, and the node after them.
    pub(super) fn state_nodes(
        &mut self,
        automaton: &ir::Automaton,
        from: u32,
    ) -> Result<(Vec<u32>, u32), LimitError> {
        let to = self.node()?;
        let nodes: Vec<u32> =
            automaton.states.iter().map(|_| self.node()).collect::<Result<_, _>>()?;
        if let Some(&start) = nodes.first() {
            self.epsilon(from, start);
        }
        Ok((nodes, to))
    }

    fn automaton(&mut self, automaton: &ir::Automaton, from: u32) -> Result<u32, LowerError> {
        let (nodes, to) = self.state_nodes(automaton, from)?;
        let mut tails = Tails::default();
        for (state, &node) in automaton.states.iter().zip(&nodes) {
            for (label, target) in &state.edges {
                let facts = label.facts().filter(|facts| facts.plain && !facts.nullable);
                if facts.is_some_and(|facts| facts.productive) && !self.heard {
                    let number = self.fragment.parts.len() as u32;
                    self.fragment.parts.push(Part::whole(label.clone()));
                    self.fragment.edge(node, Label::Part(number), nodes[*target]);
                    continue;
                }
                self.label(label, node, nodes[*target], &mut tails)?;
            }
            if state.accepting {
                self.epsilon(node, to);
            }
        }
        Ok(to)
    }
}
