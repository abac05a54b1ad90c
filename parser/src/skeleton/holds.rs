//! Which parts hold captures.

use std::ops::ControlFlow;

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{Kind, RuleId};
use blueprints_runtime::{CompileError, Scope};
use rustc_hash::FxHashMap;

use crate::error::{Bound, ParseError};

/// What is known about parts and rules.
pub(super) struct Known {
    depth_max: usize,
    /// By the address of a part, which is kept with it, and its scope.
    parts: FxHashMap<(usize, usize), (bool, Ir)>,
    /// By a scope's address and a rule.
    rules: FxHashMap<(usize, RuleId), bool>,
}

impl Known {
    pub(super) fn new(depth_max: usize) -> Self {
        Self { depth_max, parts: FxHashMap::default(), rules: FxHashMap::default() }
    }

    /// Whether a capture stands in `ir`, `depth` levels deep, or in a rule that it calls.
    pub(super) fn captures(
        &mut self,
        ir: &Ir,
        scope: Option<&Scope>,
        depth: usize,
    ) -> Result<bool, ParseError> {
        let depth = self.deeper(depth)?;
        let key = (ir.address(), scope.map_or(0, Scope::address));
        if let Some((known, _)) = self.parts.get(&key) {
            return Ok(*known);
        }
        let held = self.look(ir, scope, depth)?;
        self.parts.insert(key, (held, ir.clone()));
        Ok(held)
    }

    fn deeper(&self, depth: usize) -> Result<usize, Bound> {
        match depth >= self.depth_max {
            true => Err(Bound::Depth(self.depth_max)),
            false => Ok(depth + 1),
        }
    }

    fn look(&mut self, ir: &Ir, scope: Option<&Scope>, depth: usize) -> Result<bool, ParseError> {
        match ir.kind() {
            Kind::Capture(_) => Ok(true),
            Kind::Dispatch(dispatch) if dispatch.triggers.text.is_some() => Ok(true),
            Kind::Grammar(grammar) => {
                self.rule(&Scope::Grammar(grammar.clone()), grammar.start(), depth)
            }
            // JSON text names no parts; a style names keys and values.
            Kind::Schema(schema) if schema.options.style.is_none() => Ok(false),
            Kind::Schema(schema) => {
                self.rule(&Scope::Rules(schema.rules.clone()), schema.rules.start(), depth)
            }
            Kind::Call(rule) => match scope {
                Some(scope) => self.rule(&scope.clone(), *rule, depth),
                None => Ok(false),
            },
            _ => {
                let held = ir.each_part(|part| match self.captures(part, scope, depth) {
                    Ok(false) => ControlFlow::Continue(()),
                    found => ControlFlow::Break(found),
                });
                held.break_value().unwrap_or(Ok(false))
            }
        }
    }

    /// Whether a capture stands in `rule` or in one that it calls.
    fn rule(&mut self, scope: &Scope, rule: RuleId, depth: usize) -> Result<bool, ParseError> {
        let key = (scope.address(), rule);
        if let Some(&known) = self.rules.get(&key) {
            return Ok(known);
        }
        // All rules that are reached from here, callers before what they call.
        let (mut order, mut at) = (vec![rule], 0);
        let mut seen: FxHashMap<RuleId, usize> = FxHashMap::from_iter([(rule, 0)]);
        let mut callers: Vec<Vec<usize>> = vec![Vec::new()];
        let mut holding = Vec::new();
        while at < order.len() {
            let body = scope.body(order[at]).map_err(CompileError::from)?;
            let mut inside = Inside { calls: Vec::new(), held: false };
            self.inside(&body, &mut inside, depth)?;
            if inside.held {
                holding.push(at);
            }
            for called in inside.calls {
                let number = *seen.entry(called).or_insert(order.len());
                if number == order.len() {
                    order.push(called);
                    callers.push(Vec::new());
                }
                callers[number].push(at);
            }
            at += 1;
        }
        let mut held = vec![false; order.len()];
        while let Some(at) = holding.pop() {
            if !std::mem::replace(&mut held[at], true) {
                holding.extend(&callers[at]);
            }
        }
        let all = order.into_iter().zip(&held);
        self.rules.extend(all.map(|(rule, held)| ((scope.address(), rule), *held)));
        Ok(held[0])
    }

    /// The captures of a rule's body itself, and the rules that it calls.
    fn inside(&mut self, ir: &Ir, found: &mut Inside, depth: usize) -> Result<(), ParseError> {
        let depth = self.deeper(depth)?;
        match ir.kind() {
            Kind::Call(rule) => found.calls.push(*rule),
            Kind::Capture(_) => found.held = true,
            Kind::Dispatch(dispatch) => found.held |= dispatch.triggers.text.is_some(),
            // Its calls are its own.
            Kind::Grammar(_) | Kind::Schema(_) => found.held |= self.captures(ir, None, depth)?,
            _ => {}
        }
        let failed = ir.each_part(|part| match self.inside(part, found, depth) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        });
        failed.break_value().map_or(Ok(()), Err)
    }
}

struct Inside {
    calls: Vec<RuleId>,
    held: bool,
}
