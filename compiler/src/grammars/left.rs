//! Rewrites rules so that none calls itself before it has read something.
//!
//! Rules A₁ … Aₙ that begin with each other are Aᵢ = Σⱼ Aⱼ αⱼᵢ + βᵢ, where no βᵢ begins with any
//! of them and none is empty. So a text of Aᵢ is some βⱼ and then a way from j to i through the
//! α: an automaton with a state for each rule (the matrix form of Rosenkrantz, 1967). A rule that
//! may be empty is an optional of its other texts, so that nothing hides before a call.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use super::heads::{self, Head, Lead, Surroundings};
use super::rules::{AssembleError, assemble, each_call};
use crate::ir::{Grammar, Ir, Kind, Rule, RuleId, State};

/// The most edges of all automata together.
const EDGES_MAX: usize = 1_000_000;

/// `rules`, in their places, without left recursion; new rules stand behind them.
pub(super) fn rewritten(rules: Vec<Rule>) -> Result<Vec<Rule>, AssembleError> {
    let mut rewriter = Rewriter::new(rules);
    let components = rewriter.components()?;
    let mut edges = 0;
    for component in components {
        rewriter.component = component.iter().copied().collect();
        rewriter.solve(&component, &mut edges)?;
    }
    rewriter.component.clear();
    rewriter.finish()
}

/// The texts of `grammar` but the empty one.
pub(super) fn some_of(grammar: &Grammar) -> Result<Ir, AssembleError> {
    let mut rewriter = Rewriter::new(grammar.rules().to_vec());
    let start = rewriter.some_id(grammar.start());
    assemble(rewriter.finish()?, start)
}

struct Rewriter {
    rules: Vec<Rule>,
    /// Whether each rule holds the empty text.
    nullable: Vec<bool>,
    /// The rule of the non-empty texts of each nullable rule that needs one.
    some: BTreeMap<RuleId, RuleId>,
    /// Those of them that have no body yet, with the rule they come from.
    open: Vec<(RuleId, RuleId)>,
    /// The rules that begin with each other and are being rewritten.
    component: BTreeSet<RuleId>,
    heads: usize,
}

impl Surroundings for Rewriter {
    fn is_nullable(&self, rule: RuleId) -> bool {
        self.nullable[rule.0 as usize]
    }

    fn is_head(&self, rule: RuleId) -> bool {
        self.component.contains(&rule)
    }

    fn some(&mut self, rule: RuleId) -> Ir {
        Ir::call(self.some_id(rule))
    }

    fn heads(&mut self) -> &mut usize {
        &mut self.heads
    }
}

/// Finds the non-empty texts of parts of some rules.
pub(crate) struct NonEmpty(Rewriter);

impl NonEmpty {
    pub(crate) fn new(rules: Vec<Rule>) -> Self {
        Self(Rewriter::new(rules))
    }

    /// Whether `ir`, a part of these rules, holds the empty text.
    pub(crate) fn is_nullable(&self, ir: &Ir) -> bool {
        is_nullable(ir, &self.0.nullable)
    }

    /// The texts of `ir` but the empty one, with calls of these rules and of new ones.
    pub(crate) fn some(&mut self, ir: &Ir) -> Result<Ir, AssembleError> {
        heads::some(ir, &mut self.0)
    }

    /// Gives `rule` a body that means the same.
    pub(crate) fn redefine(&mut self, rule: RuleId, body: Ir) {
        self.0.rules[rule.0 as usize].body = body;
    }

    /// The rules in their places, and new ones behind them.
    pub(crate) fn finish(self) -> Result<Vec<Rule>, AssembleError> {
        self.0.finish()
    }
}

impl Rewriter {
    fn new(rules: Vec<Rule>) -> Self {
        let nullable = nullable(&rules);
        Self {
            rules,
            nullable,
            some: BTreeMap::new(),
            open: Vec::new(),
            component: BTreeSet::new(),
            heads: 0,
        }
    }

    /// The rule of the non-empty texts of `rule`.
    fn some_id(&mut self, rule: RuleId) -> RuleId {
        if !self.nullable[rule.0 as usize] {
            return rule;
        }
        if let Some(&some) = self.some.get(&rule) {
            return some;
        }
        let some = RuleId(self.rules.len() as u32);
        let name = format!("{}.some", self.rules[rule.0 as usize].name);
        self.rules.push(Rule { name, body: Ir::never() });
        self.nullable.push(false);
        self.some.insert(rule, some);
        self.open.push((some, rule));
        some
    }

    /// The rules that begin with each other, called ones first.
    fn components(&mut self) -> Result<Vec<Vec<RuleId>>, AssembleError> {
        let mut graph = DiGraph::<RuleId, ()>::new();
        let count = self.rules.len();
        let nodes: Vec<_> = (0..count).map(|at| graph.add_node(RuleId(at as u32))).collect();
        let (known, open) = (self.some.clone(), self.open.clone());
        self.component = (0..count).map(|at| RuleId(at as u32)).collect();
        for at in 0..count {
            let body = self.rules[at].body.clone();
            let (found, _) = heads::split(&body, self)?;
            for head in found {
                if let Lead::Rule(rule) = head.lead {
                    graph.update_edge(nodes[at], nodes[rule.0 as usize], ());
                }
            }
        }
        (self.some, self.open, self.heads) = (known, open, 0);
        let cyclic = kosaraju_scc(&graph).into_iter().filter(|component| {
            component.len() > 1 || graph.contains_edge(component[0], component[0])
        });
        let sorted = cyclic.map(|component| {
            let mut rules: Vec<RuleId> = component.into_iter().map(|node| graph[node]).collect();
            rules.sort();
            rules
        });
        Ok(sorted.collect())
    }

    /// Gives the rules of `component` bodies that begin with none of them.
    fn solve(&mut self, component: &[RuleId], edges: &mut usize) -> Result<(), AssembleError> {
        let place: BTreeMap<RuleId, usize> =
            component.iter().enumerate().map(|(at, &rule)| (rule, at + 1)).collect();
        let mut states = vec![State { edges: Vec::new(), accepting: false }; component.len() + 1];
        for &rule in component {
            let to = place[&rule];
            let body = self.rules[rule.0 as usize].body.clone();
            let (found, _) = heads::split(&body, self)?;
            for Head { lead, tail } in found {
                match lead {
                    Lead::Rule(from) if place[&from] == to && tail.is_empty() => {}
                    Lead::Rule(from) => states[place[&from]].edges.push((tail, to)),
                    Lead::Part(part) => states[0].edges.push((Ir::sequence([part, tail]), to)),
                }
            }
        }
        let count: usize = states.iter().map(|state| state.edges.len()).sum();
        *edges = edges.saturating_add(count.saturating_mul(component.len()));
        if *edges > EDGES_MAX {
            return Err(AssembleError::TooLarge { parts_max: EDGES_MAX });
        }
        for &rule in component {
            let some = self.some_id(rule);
            self.open.retain(|(open, _)| *open != some);
            self.rules[some.0 as usize].body = ways(&states, place[&rule]);
            if some != rule {
                self.rules[rule.0 as usize].body = Ir::optional(Ir::call(some));
            }
        }
        Ok(())
    }

    /// Gives the rules of non-empty texts their bodies.
    fn finish(mut self) -> Result<Vec<Rule>, AssembleError> {
        while let Some((some, rule)) = self.open.pop() {
            let body = self.rules[rule.0 as usize].body.clone();
            self.rules[some.0 as usize].body = heads::some(&body, &mut self)?;
        }
        Ok(self.rules)
    }
}

/// The texts from state 0 to state `end`. Two states are a sequence, which reads better.
fn ways(states: &[State], end: usize) -> Ir {
    if let [start, own] = states {
        let labels = |state: &State| Ir::choice(state.edges.iter().map(|edge| edge.0.clone()));
        return Ir::sequence([labels(start), Ir::repeat(labels(own), 0, None, None)]);
    }
    let mut states = states.to_vec();
    states[end].accepting = true;
    Ir::automaton(states)
}

/// Whether each rule holds the empty text: the least solution, by following callers.
fn nullable(rules: &[Rule]) -> Vec<bool> {
    let mut callers: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); rules.len()];
    for (at, rule) in rules.iter().enumerate() {
        each_call(&rule.body, &mut |called| {
            callers[called.0 as usize].insert(at);
        });
    }
    let mut nullable = vec![false; rules.len()];
    let mut queue: Vec<usize> = (0..rules.len()).collect();
    while let Some(at) = queue.pop() {
        if !nullable[at] && is_nullable(&rules[at].body, &nullable) {
            nullable[at] = true;
            queue.extend(&callers[at]);
        }
    }
    nullable
}

fn is_nullable(ir: &Ir, rules: &[bool]) -> bool {
    if let Some(facts) = ir.facts() {
        return facts.nullable;
    }
    let inner = |ir: &Ir| is_nullable(ir, rules);
    match ir.kind() {
        Kind::Call(rule) => rules[rule.0 as usize],
        Kind::Sequence(parts) => parts.iter().all(inner),
        Kind::Choice(arms) => arms.iter().any(inner),
        Kind::Repeat(repeat) => {
            let separator = || repeat.separator.as_ref().is_none_or(inner);
            repeat.min == 0 || (inner(&repeat.body) && (repeat.min == 1 || separator()))
        }
        Kind::Joined(joined) => accepts_empty(&heads::as_states(joined), &inner),
        Kind::Automaton(automaton) => accepts_empty(&automaton.states, &inner),
        Kind::Capture(capture) => inner(&capture.body),
        Kind::Dispatch(dispatch) => inner(&dispatch.body),
        _ => false,
    }
}

fn accepts_empty(states: &[State], inner: &dyn Fn(&Ir) -> bool) -> bool {
    let mut seen = vec![false; states.len()];
    let mut queue = vec![0];
    while let Some(at) = queue.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        if states[at].accepting {
            return true;
        }
        let silent = states[at].edges.iter().filter(|(label, _)| inner(label));
        queue.extend(silent.map(|edge| edge.1));
    }
    false
}
