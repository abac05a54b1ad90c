//! Rules that call each other, and the graph of their calls.
//!
//! The graph's strongly connected components tell regular from recursive and give the order in
//! which facts settle; left recursion is found here, before anything runs.

// Kosaraju's algorithm keeps its own stack, where petgraph's Tarjan recurses once a rule.
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use thiserror::Error;

use super::facts::{self, Facts};
use super::{Ir, Kind};

/// The place of a rule in its [`Grammar`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleId(pub u32);

/// A named language that others call.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// Its name: a letter or `_`, then letters, digits, `_`, `-` and `.`.
    pub name: String,
    /// What it means.
    pub body: Ir,
}

/// Rules with a start rule. All calls name a rule, no rule is left-recursive, and every rule is
/// reached from the start.
#[derive(Clone, PartialEq, Debug)]
pub struct Grammar {
    rules: Vec<Rule>,
    start: RuleId,
    facts: Vec<Facts>,
}

/// Which rule calls which.
#[derive(Clone, Debug)]
pub struct RuleGraph {
    graph: DiGraph<RuleId, ()>,
}

/// Why rules make no grammar.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// A call of a rule that does not exist.
    #[error("rule `{rule}` calls rule number {called}, which does not exist")]
    Undefined {
        /// The calling rule.
        rule: String,
        /// The number that was called.
        called: u32,
    },
    /// A start rule that does not exist.
    #[error("the start rule number {0} does not exist")]
    NoStart(u32),
    /// A rule that calls itself before it has read anything, and that cannot be written without
    /// that: the rules hold more than text, or would become too large.
    #[error("rule `{}` calls itself before it reads anything: {}", cycle[0], cycle.join(" → "))]
    LeftRecursive {
        /// The names of the rules on the cycle.
        cycle: Vec<String>,
    },
}

impl Grammar {
    /// # Errors
    /// What is wrong, with the rules as they came.
    pub(super) fn new(rules: Vec<Rule>, start: RuleId) -> Result<Self, (Vec<Rule>, GrammarError)> {
        if start.0 as usize >= rules.len() {
            return Err((rules, GrammarError::NoStart(start.0)));
        }
        for rule in &rules {
            let mut undefined = None;
            calls(&rule.body, &mut |called| {
                if called.0 as usize >= rules.len() {
                    undefined = Some(called.0);
                }
            });
            if let Some(called) = undefined {
                let rule = rule.name.clone();
                return Err((rules, GrammarError::Undefined { rule, called }));
            }
        }
        let graph = RuleGraph::of(&rules);
        let facts = settle(&rules, &graph);
        let grammar = Self { rules, start, facts };
        match grammar.left_recursion() {
            Some(cycle) => Err((grammar.rules, GrammarError::LeftRecursive { cycle })),
            None => Ok(grammar),
        }
    }

    /// The rules, in order of their ids.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule whose language this is.
    #[must_use]
    pub fn start(&self) -> RuleId {
        self.start
    }

    /// What is known about the start rule.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts[self.start.0 as usize]
    }

    /// What is known about one rule.
    #[must_use]
    pub fn rule_facts(&self, rule: RuleId) -> &Facts {
        &self.facts[rule.0 as usize]
    }

    /// What is known about a part of one of its rules.
    #[must_use]
    pub fn facts_of(&self, part: &Ir) -> Facts {
        let called = |rule: RuleId| self.facts.get(rule.0 as usize).cloned();
        let facts = part.facts().cloned().or_else(|| facts::evaluate(part.kind(), &called));
        facts.unwrap_or_else(Facts::never)
    }

    /// Which rule calls which.
    #[must_use]
    pub fn graph(&self) -> RuleGraph {
        RuleGraph::of(&self.rules)
    }

    pub(super) fn is_productive(&self) -> bool {
        self.facts().productive
    }

    /// A cycle of calls that read nothing, as rule names with the first again at the end.
    fn left_recursion(&self) -> Option<Vec<String>> {
        let mut graph = DiGraph::<RuleId, ()>::new();
        let nodes: Vec<NodeIndex> =
            (0..self.rules.len()).map(|at| graph.add_node(RuleId(at as u32))).collect();
        for (at, rule) in self.rules.iter().enumerate() {
            self.leading_calls(&rule.body, &mut |called| {
                graph.update_edge(nodes[at], nodes[called.0 as usize], ());
            });
        }
        let name = |node: NodeIndex| self.rules[graph[node].0 as usize].name.clone();
        let on_cycles = kosaraju_scc(&graph).into_iter().filter(|component| {
            component.len() > 1 || graph.contains_edge(component[0], component[0])
        });
        let first = on_cycles.flatten().min()?;
        Some(shortest_cycle(&graph, first).into_iter().map(name).collect())
    }

    /// Tells `found` of each rule that `ir` may call before it reads anything, and returns
    /// whether `ir` may read nothing at all.
    fn leading_calls(&self, ir: &Ir, found: &mut dyn FnMut(RuleId)) -> bool {
        if let Some(facts) = ir.facts() {
            return facts.nullable;
        }
        match ir.kind() {
            Kind::Call(rule) => {
                found(*rule);
                self.rule_facts(*rule).nullable
            }
            Kind::Sequence(parts) => parts.iter().all(|part| self.leading_calls(part, found)),
            Kind::Choice(arms) => {
                let mut nullable = false;
                // Every arm is asked, for the calls in it.
                arms.iter().for_each(|arm| nullable |= self.leading_calls(arm, found));
                nullable
            }
            Kind::Repeat(repeat) => {
                let body = self.leading_calls(&repeat.body, found);
                if body && let Some(separator) = &repeat.separator {
                    self.leading_calls(separator, found);
                }
                body || repeat.min == 0
            }
            Kind::Joined(joined) => {
                let mut nothing = true;
                for part in &joined.parts {
                    let nullable = self.leading_calls(&part.body, found);
                    if nullable {
                        self.leading_calls(&joined.separator, found);
                    }
                    nothing &= nullable || !part.required;
                    if part.required && !nullable {
                        break;
                    }
                }
                nothing
            }
            Kind::Automaton(automaton) => {
                let mut seen = vec![false; automaton.states.len()];
                let (mut queue, mut nullable) = (vec![0], false);
                while let Some(at) = queue.pop() {
                    if std::mem::replace(&mut seen[at], true) {
                        continue;
                    }
                    nullable |= automaton.states[at].accepting;
                    for (label, to) in &automaton.states[at].edges {
                        if self.leading_calls(label, found) {
                            queue.push(*to);
                        }
                    }
                }
                nullable
            }
            // These are closed, so their facts were answered above.
            Kind::Regex(regex) => self.leading_calls(&regex.body, found),
            Kind::Dispatch(dispatch) => self.leading_calls(&dispatch.body, found),
            Kind::Capture(capture) => self.leading_calls(&capture.body, found),
            Kind::Tracked(tracked) => self.leading_calls(&tracked.body, found),
            Kind::Observed(part) => self.leading_calls(part, found),
            Kind::Act(_) => true,
            Kind::Text(_)
            | Kind::Class(_)
            | Kind::Grammar(_)
            | Kind::Schema(_)
            | Kind::Anything(_)
            | Kind::Special(_) => false,
        }
    }
}

impl RuleGraph {
    fn of(rules: &[Rule]) -> Self {
        let mut graph = DiGraph::new();
        let nodes: Vec<NodeIndex> =
            (0..rules.len()).map(|at| graph.add_node(RuleId(at as u32))).collect();
        for (at, rule) in rules.iter().enumerate() {
            calls(&rule.body, &mut |called| {
                if let Some(&to) = nodes.get(called.0 as usize) {
                    graph.update_edge(nodes[at], to, ());
                }
            });
        }
        Self { graph }
    }

    /// The strongly connected components, called ones before their callers.
    #[must_use]
    pub fn components(&self) -> Vec<Vec<RuleId>> {
        kosaraju_scc(&self.graph)
            .into_iter()
            .map(|component| component.into_iter().map(|node| self.graph[node]).collect())
            .collect()
    }

    /// Whether the rules of `component` call each other in a cycle.
    #[must_use]
    pub fn is_cyclic(&self, component: &[RuleId]) -> bool {
        let node = |rule: RuleId| NodeIndex::new(rule.0 as usize);
        component.len() > 1
            || component.iter().any(|&rule| self.graph.contains_edge(node(rule), node(rule)))
    }
}

/// The shortest way from `start`, which is on a cycle, back to it; `start` stands at both ends.
fn shortest_cycle(graph: &DiGraph<RuleId, ()>, start: NodeIndex) -> Vec<NodeIndex> {
    let mut came_from = vec![None; graph.node_count()];
    let mut queue = std::collections::VecDeque::from([start]);
    while came_from[start.index()].is_none()
        && let Some(at) = queue.pop_front()
    {
        for next in graph.neighbors(at) {
            if came_from[next.index()].is_none() {
                came_from[next.index()] = Some(at);
                queue.push_back(next);
            }
        }
    }
    let mut cycle = vec![start];
    let mut at = start;
    while let Some(before) = came_from[at.index()] {
        cycle.push(before);
        at = before;
        if at == start {
            break;
        }
    }
    cycle.reverse();
    cycle
}

/// The facts of every rule: components from the called to the calling, each to its fixed point.
fn settle(rules: &[Rule], graph: &RuleGraph) -> Vec<Facts> {
    let mut all = vec![Facts::never(); rules.len()];
    for component in graph.components() {
        let cyclic = graph.is_cyclic(&component);
        loop {
            let mut changed = false;
            for &rule in &component {
                let at = rule.0 as usize;
                let called = |rule: RuleId| all.get(rule.0 as usize).cloned();
                let body = &rules[at].body;
                let facts = body.facts().cloned().or_else(|| facts::evaluate(body.kind(), &called));
                let mut facts = facts.unwrap_or_else(Facts::never);
                facts.recursive |= cyclic;
                if cyclic {
                    facts.length_max = None;
                }
                changed |= facts != all[at];
                all[at] = facts;
            }
            if !changed || !cyclic {
                break;
            }
        }
    }
    all
}

/// Tells `found` of each call in `ir`, repeated ones too. A nested grammar's calls are its own.
pub(super) fn calls(ir: &Ir, found: &mut dyn FnMut(RuleId)) {
    if ir.facts().is_some() {
        return;
    }
    match ir.kind() {
        Kind::Call(rule) => found(*rule),
        Kind::Sequence(parts) | Kind::Choice(parts) => {
            parts.iter().for_each(|part| calls(part, found));
        }
        Kind::Repeat(repeat) => {
            calls(&repeat.body, found);
            repeat.separator.iter().for_each(|separator| calls(separator, found));
        }
        Kind::Joined(joined) => {
            calls(&joined.separator, found);
            joined.parts.iter().for_each(|part| calls(&part.body, found));
        }
        Kind::Automaton(automaton) => {
            automaton.states.iter().flat_map(|state| &state.edges).for_each(|edge| {
                calls(&edge.0, found);
            });
        }
        Kind::Regex(regex) => calls(&regex.body, found),
        Kind::Dispatch(dispatch) => calls(&dispatch.body, found),
        Kind::Capture(capture) => calls(&capture.body, found),
        Kind::Tracked(tracked) => calls(&tracked.body, found),
        Kind::Observed(part) => calls(part, found),
        Kind::Text(_)
        | Kind::Class(_)
        | Kind::Grammar(_)
        | Kind::Schema(_)
        | Kind::Anything(_)
        | Kind::Special(_)
        | Kind::Act(_) => {}
    }
}
