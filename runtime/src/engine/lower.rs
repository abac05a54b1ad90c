//! Lowers an [`Ir`] to the rules of the engine.
//!
//! What the author's text means in symbols is asked of a [`Binding`]; everything else is bytes.

use std::sync::Arc;

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{self, Grammar, Kind, Origin, Rules};
use petgraph::graph::DiGraph;
use regex_syntax::hir::ClassUnicode;
use regex_syntax::utf8::{Utf8Range, Utf8Sequences};
use rustc_hash::FxHashMap;

use super::nfa::{Builder, Counter, Marker, Nfa, NodeId, Rule, RuleId};
use crate::limits::{LimitError, Limits};

/// One symbol of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    /// A byte.
    Byte(u8),
    /// A special token.
    Marker(Marker),
}

/// Says which symbols the author's text stands for.
pub(crate) trait Binding {
    /// The symbols of `text`.
    fn symbols(&self, text: &str) -> Vec<Symbol>;

    /// The language of free text that ends at the first of `until`.
    fn anything(&self, anything: &ir::Anything) -> Result<Ir, blueprints_compiler::Overlap>;

    /// The language of free text in which triggers start structure.
    fn dispatch(&self, dispatch: &ir::Dispatch) -> Result<Ir, blueprints_compiler::Overlap>;

    /// The symbols that each token of this kind may be.
    fn special(&self, special: &ir::Special) -> Vec<Vec<Symbol>>;
}

/// Why an outline has no automaton.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum LowerError {
    #[error(transparent)]
    Limit(#[from] LimitError),
    #[error(transparent)]
    Rules(#[from] ir::RuleError),
    #[error(transparent)]
    Overlap(#[from] blueprints_compiler::Overlap),
}

/// The rules of `ir`.
pub(crate) fn lower(ir: &Ir, binding: &dyn Binding, limits: &Limits) -> Result<Nfa, LowerError> {
    let mut lowering = Lowering {
        tracked: Vec::new(),
        heard: false,
        builder: Builder::new(limits.nodes_max),
        rules: Vec::new(),
        grammars: FxHashMap::default(),
        queue: Vec::new(),
        scope: None,
        binding,
        depth: 0,
        depth_max: limits.depth_max,
    };
    let root = lowering.reserve()?;
    lowering.fill(root, ir)?;
    while let Some((rule, grammar, called)) = lowering.queue.pop() {
        let body = grammar.body(called)?;
        lowering.scope = Some(grammar);
        lowering.fill(rule, &body)?;
    }
    lowering.builder.trim();
    let mut asks = FxHashMap::default();
    for &(first, end) in &lowering.tracked {
        lowering.builder.asks(first, end, &mut asks);
    }
    let rank = rank(&lowering.builder, &lowering.rules);
    let nullable = ir.facts().is_some_and(|facts| facts.nullable);
    Ok(Nfa { nodes: lowering.builder.nodes, rules: lowering.rules, root, nullable, asks, rank })
}

/// What calls refer to.
#[derive(Clone)]
enum Scope {
    Grammar(Arc<Grammar>),
    Rules(Arc<dyn Rules>),
}

impl Scope {
    fn body(&self, rule: ir::RuleId) -> Result<Ir, LowerError> {
        match self {
            Self::Grammar(grammar) => Ok(grammar.rules()[rule.0 as usize].body.clone()),
            Self::Rules(rules) => Ok(rules.body(rule)?),
        }
    }

    fn address(&self) -> usize {
        match self {
            Self::Grammar(grammar) => Arc::as_ptr(grammar).addr(),
            Self::Rules(rules) => Arc::as_ptr(rules).addr(),
        }
    }
}

struct Lowering<'a> {
    /// The nodes of each tracked part.
    tracked: Vec<(usize, usize)>,
    /// Whether bytes are told to the machine.
    heard: bool,
    builder: Builder,
    rules: Vec<Rule>,
    /// The engine's rules of the grammars met so far, by the grammar's address.
    grammars: FxHashMap<(usize, u32), RuleId>,
    /// Rules that are called and not lowered yet.
    queue: Vec<(RuleId, Scope, ir::RuleId)>,
    /// The grammar that calls refer to.
    scope: Option<Scope>,
    binding: &'a dyn Binding,
    depth: usize,
    depth_max: usize,
}

impl Lowering<'_> {
    fn reserve(&mut self) -> Result<RuleId, LowerError> {
        let entry = self.builder.node()?;
        self.rules.push(Rule { entry, counter: None, machine: None });
        Ok(RuleId(self.rules.len() as u32 - 1))
    }

    /// Lowers `body` as the body of `rule`, less the empty text.
    fn fill(&mut self, rule: RuleId, body: &Ir) -> Result<(), LowerError> {
        let first = self.builder.nodes.len();
        let entry = self.builder.node()?;
        let end = self.fragment(body, entry)?;
        self.builder.at(end).ends = true;
        let entry = self.builder.without_empty_if(self.nullable(body), first, entry)?;
        let reserved = self.rules[rule.0 as usize].entry;
        self.builder.epsilon(reserved, entry);
        Ok(())
    }

    fn nullable(&self, ir: &Ir) -> bool {
        match (ir.facts(), &self.scope) {
            (Some(facts), _) => facts.nullable,
            (None, Some(Scope::Grammar(grammar))) => grammar.facts_of(ir).nullable,
            // No rule of a schema is nullable, so a part that calls one is by its other parts.
            (None, Some(Scope::Rules(_))) => ir.may_be_empty(),
            (None, None) => false,
        }
    }

    /// Builds `ir` between `from` and the node that it returns. Adds no edge that leads to `from`.
    fn fragment(&mut self, ir: &Ir, from: NodeId) -> Result<NodeId, LowerError> {
        if self.depth >= self.depth_max {
            return Err(LimitError::Depth(self.depth_max).into());
        }
        self.depth += 1;
        let end = self.part(ir, from)?;
        self.depth -= 1;
        Ok(end)
    }

    fn part(&mut self, ir: &Ir, from: NodeId) -> Result<NodeId, LowerError> {
        match ir.kind() {
            Kind::Text(text) => self.text(text, from),
            Kind::Class(set) => self.class(set, from),
            Kind::Sequence(parts) => {
                parts.iter().try_fold(from, |at, part| self.fragment(part, at))
            }
            Kind::Choice(arms) => {
                let to = self.builder.node()?;
                for arm in arms {
                    let end = self.fragment(arm, from)?;
                    self.builder.epsilon(end, to);
                }
                Ok(to)
            }
            Kind::Repeat(repeat) => self.repeat(repeat, from),
            Kind::Joined(joined) => self.joined(joined, from),
            Kind::Automaton(automaton) => self.automaton(automaton, from),
            Kind::Call(called) => {
                let Some(grammar) = self.scope.clone() else { return Ok(self.builder.node()?) };
                self.call_rule(&grammar, *called, from)
            }
            Kind::Grammar(grammar) => {
                self.call_rule(&Scope::Grammar(grammar.clone()), grammar.start(), from)
            }
            Kind::Regex(regex) => self.fragment(&regex.body, from),
            Kind::Schema(schema) => {
                self.call_rule(&Scope::Rules(schema.rules.clone()), schema.rules.start(), from)
            }
            Kind::Tracked(tracked) => self.tracked(tracked, self.nullable(ir), from),
            Kind::Act(action) => {
                let to = self.builder.node()?;
                self.builder.at(from).acts.push((*action, to));
                Ok(to)
            }
            Kind::Observed(part) => {
                self.heard = true;
                let to = self.fragment(part, from)?;
                self.heard = false;
                Ok(to)
            }
            Kind::Anything(anything) => self.fragment(&self.binding.anything(anything)?, from),
            Kind::Dispatch(dispatch) => self.fragment(&self.binding.dispatch(dispatch)?, from),
            Kind::Capture(capture) => self.fragment(&capture.body, from),
            Kind::Special(special) => {
                let to = self.builder.node()?;
                for symbols in self.binding.special(special) {
                    let end = self.symbols(symbols, from)?;
                    self.builder.epsilon(end, to);
                }
                Ok(to)
            }
        }
    }

    fn text(&mut self, text: &ir::Text, from: NodeId) -> Result<NodeId, LowerError> {
        let symbols = match text.origin {
            Origin::Source => self.binding.symbols(&text.string),
            Origin::Value => text.string.bytes().map(Symbol::Byte).collect(),
        };
        self.symbols(symbols, from)
    }

    fn symbols(&mut self, symbols: Vec<Symbol>, from: NodeId) -> Result<NodeId, LowerError> {
        let mut at = from;
        for symbol in symbols {
            let to = self.builder.node()?;
            match symbol {
                Symbol::Byte(byte) => self.edge(at, (byte, byte), to),
                Symbol::Marker(marker) => self.builder.at(at).markers.push((marker, to)),
            }
            at = to;
        }
        Ok(at)
    }

    fn edge(&mut self, from: NodeId, (low, high): (u8, u8), to: NodeId) {
        let node = self.builder.at(from);
        if self.heard { &mut node.heard } else { &mut node.bytes }.push((low, high, to));
    }

    /// A rule of its own, whose frame holds the register.
    fn tracked(
        &mut self,
        tracked: &ir::Tracked,
        nullable: bool,
        from: NodeId,
    ) -> Result<NodeId, LowerError> {
        let to = self.builder.node()?;
        if nullable {
            self.builder.epsilon(from, to);
        }
        let rule = self.reserve()?;
        self.rules[rule.0 as usize].machine = Some(tracked.machine.clone());
        let first = self.builder.nodes.len();
        let outer = std::mem::replace(&mut self.heard, false);
        self.fill(rule, &tracked.body)?;
        self.heard = outer;
        self.tracked.push((first, self.builder.nodes.len()));
        self.builder.at(from).calls.push((rule, to));
        Ok(to)
    }

    /// One character of `set` as UTF-8, ranges that end alike sharing their ends.
    fn class(&mut self, set: &ClassUnicode, from: NodeId) -> Result<NodeId, LowerError> {
        let to = self.builder.node()?;
        let mut tails: FxHashMap<Vec<(u8, u8)>, NodeId> = FxHashMap::default();
        for range in set.ranges() {
            for sequence in Utf8Sequences::new(range.start(), range.end()) {
                let ranges = sequence.as_slice();
                let lead = ranges[0];
                let next = self.tail(&ranges[1..], to, &mut tails)?;
                self.edge(from, (lead.start, lead.end), next);
            }
        }
        Ok(to)
    }

    fn tail(
        &mut self,
        ranges: &[Utf8Range],
        to: NodeId,
        tails: &mut FxHashMap<Vec<(u8, u8)>, NodeId>,
    ) -> Result<NodeId, LowerError> {
        let Some((head, rest)) = ranges.split_first() else { return Ok(to) };
        let key: Vec<(u8, u8)> = ranges.iter().map(|range| (range.start, range.end)).collect();
        if let Some(&node) = tails.get(&key) {
            return Ok(node);
        }
        let next = self.tail(rest, to, tails)?;
        let node = self.builder.node()?;
        self.edge(node, (head.start, head.end), next);
        tails.insert(key, node);
        Ok(node)
    }

    fn repeat(&mut self, repeat: &ir::Repeat, from: NodeId) -> Result<NodeId, LowerError> {
        let separator = repeat.separator.as_ref();
        if self.nullable(&repeat.body)
            && let Some(separator) = separator
        {
            return self.repeat_nullable(repeat, separator, from);
        }
        let min = if self.nullable(&repeat.body) { 0 } else { repeat.min };
        let to = self.builder.node()?;
        if min == 0 {
            self.builder.epsilon(from, to);
        }
        match repeat.max {
            Some(1) => {
                let end = self.fragment(&repeat.body, from)?;
                self.builder.epsilon(end, to);
            }
            None if min <= 1 => {
                let begin = self.builder.node()?;
                self.builder.epsilon(from, begin);
                let end = self.fragment(&repeat.body, begin)?;
                self.builder.epsilon(end, to);
                let again = self.separated(separator, end)?;
                self.builder.epsilon(again, begin);
            }
            max => {
                let body_nullable = self.nullable(&repeat.body);
                let rule = self.reserve()?;
                let first = self.builder.nodes.len();
                let begin = self.builder.node()?;
                let end = self.fragment(&repeat.body, begin)?;
                self.builder.at(end).ends = true;
                let begin = self.builder.without_empty_if(body_nullable, first, begin)?;
                let again = self.builder.node()?;
                let resumed = self.separated(separator, again)?;
                self.builder.epsilon(resumed, begin);
                let entry = self.rules[rule.0 as usize].entry;
                self.builder.epsilon(entry, begin);
                self.rules[rule.0 as usize].counter = Some(Counter { min, max, again });
                self.builder.at(from).calls.push((rule, to));
            }
        }
        Ok(to)
    }

    fn separated(&mut self, separator: Option<&Ir>, from: NodeId) -> Result<NodeId, LowerError> {
        match separator {
            Some(separator) => self.fragment(separator, from),
            None => Ok(from),
        }
    }

    /// A body that may be empty, with a separator: the first body, then `separator body` as one
    /// iteration, so that an iteration reads something whenever the separator does.
    fn repeat_nullable(
        &mut self,
        repeat: &ir::Repeat,
        separator: &Ir,
        from: NodeId,
    ) -> Result<NodeId, LowerError> {
        let more = Ir::sequence([separator.clone(), repeat.body.clone()]);
        let rest = ir::Repeat {
            body: more,
            min: repeat.min.saturating_sub(1),
            max: repeat.max.map(|max| max - 1),
            separator: None,
        };
        let to = self.builder.node()?;
        if repeat.min == 0 {
            self.builder.epsilon(from, to);
        }
        let first = self.fragment(&repeat.body, from)?;
        let end = match rest.max {
            Some(0) => first,
            _ => self.repeat(&rest, first)?,
        };
        self.builder.epsilon(end, to);
        Ok(to)
    }

    /// Two nodes a part: with nothing written so far, and with something written.
    fn joined(&mut self, joined: &ir::Joined, from: NodeId) -> Result<NodeId, LowerError> {
        let mut nothing = Some(from);
        let mut something: Option<NodeId> = None;
        for part in &joined.parts {
            let to = self.builder.node()?;
            let begin = self.builder.node()?;
            if let Some(nothing) = nothing {
                self.builder.epsilon(nothing, begin);
            }
            if let Some(something) = something {
                let after = self.fragment(&joined.separator, something)?;
                self.builder.epsilon(after, begin);
            }
            let end = self.fragment(&part.body, begin)?;
            self.builder.epsilon(end, to);
            if part.required {
                nothing = None;
            } else if let Some(something) = something {
                self.builder.epsilon(something, to);
            }
            something = Some(to);
        }
        let to = self.builder.node()?;
        for end in [nothing, something].into_iter().flatten() {
            self.builder.epsilon(end, to);
        }
        Ok(to)
    }

    fn automaton(&mut self, automaton: &ir::Automaton, from: NodeId) -> Result<NodeId, LowerError> {
        let to = self.builder.node()?;
        let mut nodes = Vec::with_capacity(automaton.states.len());
        for _ in automaton.states.iter() {
            nodes.push(self.builder.node()?);
        }
        if let Some(&start) = nodes.first() {
            self.builder.epsilon(from, start);
        }
        for (state, &node) in automaton.states.iter().zip(&nodes) {
            for (label, target) in &state.edges {
                let end = self.fragment(label, node)?;
                self.builder.epsilon(end, nodes[*target]);
            }
            if state.accepting {
                self.builder.epsilon(node, to);
            }
        }
        Ok(to)
    }

    fn call_rule(
        &mut self,
        grammar: &Scope,
        called: ir::RuleId,
        from: NodeId,
    ) -> Result<NodeId, LowerError> {
        let to = self.builder.node()?;
        if let Scope::Grammar(grammar) = grammar {
            let facts = grammar.rule_facts(called);
            if facts.nullable {
                self.builder.epsilon(from, to);
            }
            if !facts.productive || facts.length_max == Some(0) {
                return Ok(to);
            }
        }
        let key = (grammar.address(), called.0);
        let rule = match self.grammars.get(&key) {
            Some(&rule) => rule,
            None => {
                let rule = self.reserve()?;
                self.grammars.insert(key, rule);
                self.queue.push((rule, grammar.clone(), called));
                rule
            }
        };
        self.builder.at(from).calls.push((rule, to));
        Ok(to)
    }
}

impl Builder {
    fn without_empty_if(
        &mut self,
        nullable: bool,
        first: usize,
        entry: NodeId,
    ) -> Result<NodeId, LimitError> {
        if nullable { self.without_empty(first, entry) } else { Ok(entry) }
    }
}

/// Orders rules so that each comes after all that may call it before reading anything. Outlines
/// have no left recursion, so there is such an order.
fn rank(builder: &Builder, rules: &[Rule]) -> Vec<u32> {
    let mut graph = DiGraph::<(), ()>::with_capacity(rules.len(), rules.len());
    let nodes: Vec<_> = rules.iter().map(|_| graph.add_node(())).collect();
    for (at, rule) in rules.iter().enumerate() {
        let mut seen = std::collections::BTreeSet::new();
        let mut queue = vec![rule.entry];
        while let Some(node) = queue.pop() {
            if seen.insert(node) {
                let node = &builder.nodes[node.0 as usize];
                queue.extend(&node.epsilon);
                for (called, _) in &node.calls {
                    graph.update_edge(nodes[at], nodes[called.0 as usize], ());
                }
            }
        }
    }
    let mut rank = vec![0; rules.len()];
    let order = petgraph::algo::toposort(&graph, None).unwrap_or_default();
    for (place, node) in order.into_iter().enumerate() {
        rank[node.index()] = place as u32;
    }
    rank
}
