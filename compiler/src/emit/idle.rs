//! Rewrites loops so that no iteration reads nothing.
//!
//! llama.cpp makes a rule of each loop, and takes one around a part that may be empty for left
//! recursion. Such a loop goes around the other texts of the part instead.

use std::collections::BTreeMap;

use super::{EmitError, expand};
use crate::grammars::{AssembleError, NonEmpty};
use crate::ir::{Capture, Grammar, Ir, Joined, Kind, Part, Repeat, Rule, RuleId, State};

/// The same language without such loops.
pub(super) fn without_idle_loops(ir: &Ir) -> Result<Ir, EmitError> {
    let rules = vec![Rule { name: "root".into(), body: ir.clone() }];
    let rules = strict(rules).map_err(|error| EmitError::Idle(error.to_string()))?;
    match rules.as_slice() {
        [root] => Ok(root.body.clone()),
        _ => Ir::grammar(rules, RuleId(0)).map_err(|error| EmitError::Idle(error.to_string())),
    }
}

fn strict(rules: Vec<Rule>) -> Result<Vec<Rule>, AssembleError> {
    let mut strict = Strict { rules: NonEmpty::new(rules.clone()), known: BTreeMap::new() };
    for (at, rule) in rules.iter().enumerate() {
        let body = strict.ir(&rule.body)?;
        strict.rules.redefine(RuleId(at as u32), body);
    }
    strict.rules.finish()
}

struct Strict {
    rules: NonEmpty,
    /// What closed parts became, by their address.
    known: BTreeMap<*const Kind, Ir>,
}

impl Strict {
    fn ir(&mut self, ir: &Ir) -> Result<Ir, AssembleError> {
        if let Some(known) = self.known.get(&std::ptr::from_ref(ir.kind())) {
            return Ok(known.clone());
        }
        let made = self.made(ir)?;
        if ir.facts().is_some() {
            self.known.insert(std::ptr::from_ref(ir.kind()), made.clone());
        }
        Ok(made)
    }

    fn made(&mut self, ir: &Ir) -> Result<Ir, AssembleError> {
        Ok(match ir.kind() {
            Kind::Sequence(parts) => match self.all(parts)? {
                Some(parts) => Ir::sequence(parts),
                None => ir.clone(),
            },
            Kind::Choice(arms) => match self.all(arms)? {
                Some(arms) => Ir::choice(arms),
                None => ir.clone(),
            },
            Kind::Repeat(repeat) => self.repeat(ir, repeat)?,
            Kind::Joined(Joined { separator, parts }) => {
                let part =
                    |part: &Part| Ok(Part { body: self.ir(&part.body)?, required: part.required });
                let parts = parts.iter().map(part).collect::<Result<_, _>>()?;
                Ir::joined(self.ir(separator)?, parts)
            }
            Kind::Automaton(automaton) => self.automaton(ir, &automaton.states)?,
            Kind::Grammar(grammar) => self::grammar(ir, grammar)?,
            Kind::Regex(regex) => self.within(ir, &regex.body)?,
            Kind::Anything(anything) => self.within(ir, &anything.body)?,
            Kind::Dispatch(dispatch) => self.within(ir, &dispatch.body)?,
            Kind::Capture(Capture { name, kind, body }) => {
                let made = self.ir(body)?;
                if same(&made, body) { ir.clone() } else { Ir::capture(name, *kind, made) }
            }
            Kind::Schema(schema) => match schema.body() {
                Ok(body) => self.within(ir, body)?,
                // The emitter meets the same limit, and tells where.
                Err(_) => ir.clone(),
            },
            Kind::Tracked(tracked) => match expand::plain(tracked) {
                Some(plain) => self.ir(&plain)?,
                None => ir.clone(),
            },
            Kind::Text(_)
            | Kind::Class(_)
            | Kind::Call(_)
            | Kind::Special(_)
            | Kind::Act(_)
            | Kind::Observed(_) => ir.clone(),
        })
    }

    /// The parts, if any of them changed.
    fn all(&mut self, parts: &[Ir]) -> Result<Option<Vec<Ir>>, AssembleError> {
        let made = parts.iter().map(|part| self.ir(part)).collect::<Result<Vec<_>, _>>()?;
        let changed = made.iter().zip(parts).any(|(made, part)| !same(made, part));
        Ok(changed.then_some(made))
    }

    /// `outer`, unless its meaning `body` changes.
    fn within(&mut self, outer: &Ir, body: &Ir) -> Result<Ir, AssembleError> {
        let made = self.ir(body)?;
        Ok(if same(&made, body) { outer.clone() } else { made })
    }

    fn repeat(&mut self, ir: &Ir, repeat: &Repeat) -> Result<Ir, AssembleError> {
        let body = self.ir(&repeat.body)?;
        let separator = match &repeat.separator {
            Some(separator) => self.ir(separator)?,
            None => Ir::empty(),
        };
        let nullable = self.rules.is_nullable(&body) && self.rules.is_nullable(&separator);
        if repeat.max.is_none() && nullable {
            let pair = Ir::sequence([separator, body.clone()]);
            let more = Ir::repeat(self.rules.some(&pair)?, 0, None, None);
            return Ok(match repeat.separator {
                Some(_) => Ir::sequence([body, more]),
                None => more,
            });
        }
        let kept = same(&body, &repeat.body)
            && repeat.separator.as_ref().is_none_or(|old| same(&separator, old));
        Ok(match kept {
            true => ir.clone(),
            false => Ir::repeat(body, repeat.min, repeat.max, Some(separator)),
        })
    }

    /// A label that may be empty is a silent step or its other texts; silent steps are taken
    /// together with what is read behind them.
    fn automaton(&mut self, ir: &Ir, states: &[State]) -> Result<Ir, AssembleError> {
        let mut changed = false;
        let mut silent: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
        let mut reading: Vec<Vec<(Ir, usize)>> = vec![Vec::new(); states.len()];
        for (at, state) in states.iter().enumerate() {
            for (label, to) in &state.edges {
                let mut made = self.ir(label)?;
                changed |= !same(&made, label);
                if self.rules.is_nullable(&made) {
                    changed = true;
                    silent[at].push(*to);
                    made = self.rules.some(&made)?;
                }
                reading[at].push((made, *to));
            }
        }
        if !changed {
            return Ok(ir.clone());
        }
        let mut made = Vec::with_capacity(states.len());
        for at in 0..states.len() {
            let mut seen = vec![false; states.len()];
            let (mut queue, mut edges, mut accepting) = (vec![at], Vec::new(), false);
            while let Some(near) = queue.pop() {
                if !std::mem::replace(&mut seen[near], true) {
                    edges.extend(reading[near].iter().cloned());
                    accepting |= states[near].accepting;
                    queue.extend(&silent[near]);
                }
            }
            made.push(State { edges, accepting });
        }
        Ok(Ir::automaton(made))
    }
}

fn grammar(ir: &Ir, grammar: &Grammar) -> Result<Ir, AssembleError> {
    let rules = strict(grammar.rules().to_vec())?;
    let old = grammar.rules();
    let changed = rules.len() != old.len()
        || rules.iter().zip(old).any(|(new, old)| !same(&new.body, &old.body));
    match changed {
        true => Ir::grammar(rules, grammar.start()).map_err(|_| AssembleError::Inconsistent),
        false => Ok(ir.clone()),
    }
}

fn same(one: &Ir, other: &Ir) -> bool {
    std::ptr::eq(one.kind(), other.kind())
}
