//! Rules by name while a grammar is read, and the [`Ir`] that they make.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{GrammarFault, left};
use crate::ir::{
    Capture, Grammar, GrammarError, Ir, Joined, Kind, Part, Repeat, Rule, RuleId, State,
};

/// Rules that are called and defined in any order.
#[derive(Default)]
pub(super) struct Rules {
    ids: BTreeMap<String, usize>,
    named: Vec<Named>,
    /// The rules in the order of their definitions.
    order: Vec<usize>,
}

struct Named {
    name: String,
    body: Option<Ir>,
    /// Where it is first called.
    called: Range<usize>,
}

impl Rules {
    /// A call of the rule `name`, which stands at `range`.
    pub(super) fn call(&mut self, name: &str, range: Range<usize>) -> Ir {
        Ir::call(RuleId(self.id(name, range) as u32))
    }

    fn id(&mut self, name: &str, range: Range<usize>) -> usize {
        let fresh = self.named.len();
        let id = *self.ids.entry(name.into()).or_insert(fresh);
        if id == fresh {
            self.named.push(Named { name: name.into(), body: None, called: range });
        }
        id
    }

    pub(super) fn define(
        &mut self,
        name: &str,
        range: Range<usize>,
        body: Ir,
    ) -> Result<(), GrammarFault> {
        let id = self.id(name, range.clone());
        if self.named[id].body.replace(body).is_some() {
            return Err(GrammarFault::new(format!("there are two rules `{name}`"), range));
        }
        self.order.push(id);
        Ok(())
    }

    /// The language of the rule `start`; `whole` is the range of the grammar.
    pub(super) fn finish(self, start: &str, whole: Range<usize>) -> Result<Ir, GrammarFault> {
        let (rules, start) = self.listed(start, whole.clone())?;
        assemble(rules, start).map_err(|error| GrammarFault::new(error.to_string(), whole))
    }

    /// The rules in the order of their definitions, and which of them `start` is.
    pub(super) fn listed(
        self,
        start: &str,
        whole: Range<usize>,
    ) -> Result<(Vec<Rule>, RuleId), GrammarFault> {
        let defined = self.ids.get(start).copied().filter(|&id| self.named[id].body.is_some());
        let Some(start_id) = defined else {
            let message = format!("the grammar has no rule `{start}`, where it begins");
            return Err(GrammarFault::new(message, whole.end..whole.end));
        };
        let mut places = vec![0_u32; self.named.len()];
        for (place, &id) in self.order.iter().enumerate() {
            places[id] = place as u32;
        }
        let mut bodies = Vec::with_capacity(self.named.len());
        for named in &self.named {
            let Some(body) = &named.body else {
                let message = format!("there is no rule `{}`", named.name);
                return Err(GrammarFault::new(message, named.called.clone()));
            };
            bodies.push(with_calls(body, &|rule| Ir::call(RuleId(places[rule.0 as usize]))));
        }
        let rules = self
            .order
            .iter()
            .map(|&id| Rule { name: self.named[id].name.clone(), body: bodies[id].clone() })
            .collect();
        Ok((rules, RuleId(places[start_id])))
    }
}

/// Why rules make no [`Ir`]: a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum AssembleError {
    #[error("rules that begin with each other would need more than {parts_max} parts without it")]
    TooLarge { parts_max: usize },
    #[error("the rules make no grammar")]
    Inconsistent,
}

/// The language of `start` among `rules`: left recursion is rewritten, and rules that no text
/// needs are dropped.
pub(super) fn assemble(rules: Vec<Rule>, start: RuleId) -> Result<Ir, AssembleError> {
    let (rules, start) = reachable(rules, start);
    let ir = match Ir::of_rules(rules, start) {
        Err((rules, GrammarError::LeftRecursive { .. })) => {
            let (rules, start) = reachable(left::rewritten(rules)?, start);
            Ir::of_rules(rules, start)
        }
        made => made,
    };
    let ir = ir.map_err(|_| AssembleError::Inconsistent)?;
    let Kind::Grammar(grammar) = ir.kind() else { return Ok(ir) };
    let (rules, mut start) = productive(grammar);
    // A start that is another rule alone is that rule; no such chain comes back to itself.
    for _ in 0..rules.len() {
        match rules[start.0 as usize].body.kind() {
            Kind::Call(rule) => start = *rule,
            _ => break,
        }
    }
    let (rules, start) = reachable(rules, start);
    match rules[start.0 as usize].body.facts() {
        Some(_) => Ok(rules[start.0 as usize].body.clone()),
        None => Ir::grammar(rules, start).map_err(|_| AssembleError::Inconsistent),
    }
}

/// The rules that `start` needs, in their order.
fn reachable(rules: Vec<Rule>, start: RuleId) -> (Vec<Rule>, RuleId) {
    let mut needed = vec![false; rules.len()];
    let mut queue = vec![start];
    while let Some(rule) = queue.pop() {
        if !std::mem::replace(&mut needed[rule.0 as usize], true) {
            each_call(&rules[rule.0 as usize].body, &mut |called| queue.push(called));
        }
    }
    let mut place = 0;
    let places: Vec<u32> = needed
        .iter()
        .map(|&needed| {
            place += u32::from(needed);
            place.saturating_sub(1)
        })
        .collect();
    let renamed = |rule: RuleId| Ir::call(RuleId(places[rule.0 as usize]));
    let kept = rules
        .into_iter()
        .zip(&needed)
        .filter(|(_, needed)| **needed)
        .map(|(rule, _)| Rule { body: with_calls(&rule.body, &renamed), name: rule.name })
        .collect();
    (kept, RuleId(places[start.0 as usize]))
}

/// The rules of `grammar` without those that hold no text.
fn productive(grammar: &Grammar) -> (Vec<Rule>, RuleId) {
    let holds = |rule: RuleId| grammar.rule_facts(rule).productive;
    let all = (0..grammar.rules().len() as u32).all(|rule| holds(RuleId(rule)));
    if all {
        return (grammar.rules().to_vec(), grammar.start());
    }
    let called = |rule: RuleId| if holds(rule) { Ir::call(rule) } else { Ir::never() };
    let rules = grammar
        .rules()
        .iter()
        .map(|rule| Rule { name: rule.name.clone(), body: with_calls(&rule.body, &called) })
        .collect();
    reachable(rules, grammar.start())
}

/// Tells `found` of each call in `ir`; those of a nested grammar are its own.
pub(super) fn each_call(ir: &Ir, found: &mut dyn FnMut(RuleId)) {
    if ir.facts().is_some() {
        return;
    }
    match ir.kind() {
        Kind::Call(rule) => found(*rule),
        Kind::Sequence(parts) | Kind::Choice(parts) => {
            parts.iter().for_each(|part| each_call(part, found));
        }
        Kind::Repeat(repeat) => {
            each_call(&repeat.body, found);
            repeat.separator.iter().for_each(|separator| each_call(separator, found));
        }
        Kind::Joined(joined) => {
            each_call(&joined.separator, found);
            joined.parts.iter().for_each(|part| each_call(&part.body, found));
        }
        Kind::Automaton(automaton) => {
            let edges = automaton.states.iter().flat_map(|state| &state.edges);
            edges.for_each(|(label, _)| each_call(label, found));
        }
        Kind::Capture(capture) => each_call(&capture.body, found),
        // Readers make no other part that calls.
        _ => {}
    }
}

/// `ir` with each call replaced by what `called` says.
pub(super) fn with_calls(ir: &Ir, called: &dyn Fn(RuleId) -> Ir) -> Ir {
    if ir.facts().is_some() {
        return ir.clone();
    }
    let inner = |ir: &Ir| with_calls(ir, called);
    match ir.kind() {
        Kind::Call(rule) => called(*rule),
        Kind::Sequence(parts) => Ir::sequence(parts.iter().map(inner)),
        Kind::Choice(arms) => Ir::choice(arms.iter().map(inner)),
        Kind::Repeat(Repeat { body, min, max, separator }) => {
            Ir::repeat(inner(body), *min, *max, separator.as_ref().map(inner))
        }
        Kind::Joined(Joined { separator, parts }) => {
            let part = |part: &Part| Part { body: inner(&part.body), required: part.required };
            Ir::joined(inner(separator), parts.iter().map(part).collect())
        }
        Kind::Automaton(automaton) => {
            let state = |state: &State| State {
                edges: state.edges.iter().map(|(label, to)| (inner(label), *to)).collect(),
                accepting: state.accepting,
            };
            Ir::automaton(automaton.states.iter().map(state).collect())
        }
        Kind::Capture(Capture { name, kind, body }) => Ir::capture(name, *kind, inner(body)),
        _ => ir.clone(),
    }
}
