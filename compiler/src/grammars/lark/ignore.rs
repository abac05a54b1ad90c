//! Takes what is ignored away from before the first terminal.
//!
//! Every terminal has a rule of its own that begins with what is ignored. A text begins with
//! some terminal, so each rule gets a twin for its non-empty texts in which that one terminal
//! stands without anything ignored before it.

use std::collections::BTreeMap;

use super::LEXEME;
use crate::grammars::heads::{self, Head, Lead, Surroundings};
use crate::grammars::rules::{self, AssembleError};
use crate::grammars::{NonEmpty, left};
use crate::ir::{Ir, Kind, Rule, RuleId};

/// The language of `start` among `rules`, without anything ignored at its beginning.
pub(super) fn without_first(rules: Vec<Rule>, start: RuleId) -> Result<Ir, AssembleError> {
    // Twins are made of rules that do not begin with themselves.
    let rules = left::rewritten(rules)?;
    let mut twins = Twins {
        nonempty: NonEmpty::new(rules.clone()),
        made: BTreeMap::new(),
        open: Vec::new(),
        heads: 0,
        count: rules.len(),
    };
    let twin = Ir::call(twins.of(start));
    let mut all = rules;
    let mut bodies = BTreeMap::new();
    while let Some((twin, rule)) = twins.open.pop() {
        let body = twins.body(&all[rule.0 as usize])?;
        bodies.insert(twin, body);
    }
    let nullable = twins.nonempty.is_nullable(&Ir::call(start));
    let names = twins.made.iter().map(|(rule, twin)| (*twin, *rule)).collect::<BTreeMap<_, _>>();
    for (twin, body) in bodies {
        let name = format!("{}.first", all[names[&twin].0 as usize].name);
        all.push(Rule { name, body });
    }
    let body = if nullable { Ir::optional(twin) } else { twin };
    let whole = RuleId(all.len() as u32);
    all.push(Rule { name: "start".into(), body });
    rules::assemble(all, whole)
}

struct Twins {
    nonempty: NonEmpty,
    made: BTreeMap<RuleId, RuleId>,
    /// Twins without a body yet, with the rules they are of.
    open: Vec<(RuleId, RuleId)>,
    heads: usize,
    /// The number of rules, twins included.
    count: usize,
}

impl Surroundings for Twins {
    fn is_nullable(&self, rule: RuleId) -> bool {
        self.nonempty.is_nullable(&Ir::call(rule))
    }

    fn is_head(&self, _: RuleId) -> bool {
        true
    }

    fn some(&mut self, rule: RuleId) -> Ir {
        Ir::call(rule)
    }

    fn heads(&mut self) -> &mut usize {
        &mut self.heads
    }
}

impl Twins {
    fn of(&mut self, rule: RuleId) -> RuleId {
        if let Some(&twin) = self.made.get(&rule) {
            return twin;
        }
        let twin = RuleId(self.count as u32);
        self.count += 1;
        self.made.insert(rule, twin);
        self.open.push((twin, rule));
        twin
    }

    fn body(&mut self, rule: &Rule) -> Result<Ir, AssembleError> {
        if rule.name.starts_with(LEXEME) {
            // What is ignored, then the terminal.
            let terminal = match rule.body.kind() {
                Kind::Sequence(parts) => Ir::sequence(parts[1..].iter().cloned()),
                _ => rule.body.clone(),
            };
            let nullable = self.nonempty.is_nullable(&terminal);
            return if nullable { heads::some(&terminal, self) } else { Ok(terminal) };
        }
        let (found, _) = heads::split(&rule.body, self)?;
        let arms = found.into_iter().map(|Head { lead, tail }| {
            let lead = match lead {
                Lead::Rule(called) => Ir::call(self.of(called)),
                Lead::Part(part) => part,
            };
            Ir::sequence([lead, tail])
        });
        Ok(Ir::choice(arms.collect::<Vec<_>>()))
    }
}
