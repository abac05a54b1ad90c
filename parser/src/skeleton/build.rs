//! Makes the nodes of a part, from its end to its beginning.

use std::ops::ControlFlow;
use std::sync::Arc;

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{Automaton, Capture, Grammar, Joined, Kind, Repeat, Tracked};
use blueprints_runtime::Scope;

use super::{Called, Loop, Name, Node, NodeId, Piece, PieceId, Skeleton, Triggers};
use crate::error::{Bound, ParseError};

/// What stands around a part.
#[derive(Clone, Copy, Default)]
pub(super) struct Around {
    /// The number of the scope that calls refer to.
    pub(super) scope: Option<u32>,
    /// Whether a capture here may come several times.
    pub(super) list: bool,
    /// The machine of the nearest tracked part.
    pub(super) machine: Option<u32>,
    pub(super) depth: usize,
}

impl Skeleton {
    /// The first node of `ir`, after which the reading goes on at `next`.
    pub(super) fn build(
        &mut self,
        ir: &Ir,
        around: Around,
        next: NodeId,
    ) -> Result<NodeId, ParseError> {
        if around.depth >= self.limits.depth_max {
            return Err(Bound::Depth(self.limits.depth_max).into());
        }
        if self.is_whole(ir, around)? {
            return self.piece_of(ir, around, next);
        }
        let around = Around { depth: around.depth + 1, ..around };
        match ir.kind() {
            Kind::Sequence(parts) => self.sequence(parts, around, next),
            Kind::Choice(arms) => {
                let arms = arms.iter().map(|arm| self.build(arm, around, next));
                let arms = arms.collect::<Result<_, ParseError>>()?;
                Ok(self.add(Node::Split(arms))?)
            }
            Kind::Repeat(repeat) => self.repeat(repeat, around, next),
            Kind::Joined(joined) => self.joined(joined, around, next),
            Kind::Automaton(automaton) => self.automaton(automaton, around, next),
            Kind::Call(rule) => match around.scope {
                Some(scope) => {
                    let list = around.list || self.recurs(scope, *rule);
                    self.call(Called { scope, rule: *rule, list }, next)
                }
                None => Ok(self.add(Node::Split(Box::default()))?),
            },
            Kind::Grammar(grammar) => {
                let scope = self.scope(Scope::Grammar(grammar.clone()));
                let list = around.list || self.recurs(scope, grammar.start());
                self.call(Called { scope, rule: grammar.start(), list }, next)
            }
            Kind::Schema(schema) => {
                let scope = self.scope(Scope::Rules(schema.rules.clone()));
                self.call(Called { scope, rule: schema.rules.start(), list: around.list }, next)
            }
            Kind::Dispatch(dispatch) => self.dispatch(dispatch, around, next),
            Kind::Capture(capture) => self.capture(capture, around, next),
            Kind::Tracked(tracked) => self.tracked(tracked, around, next),
            Kind::Act(action) => match around.machine {
                Some(machine) => Ok(self.add(Node::Act(machine, *action, next))?),
                None => Ok(self.add(Node::Split(Box::default()))?),
            },
            Kind::Observed(part) => {
                let piece = self.add_piece(part, around, next);
                self.pieces[piece.0 as usize].heard = around.machine;
                Ok(self.add(Node::Piece(piece))?)
            }
            Kind::Text(_)
            | Kind::Class(_)
            | Kind::Regex(_)
            | Kind::Anything(_)
            | Kind::Special(_) => self.piece_of(ir, around, next),
        }
    }

    /// Whether nothing in `ir` is of interest to the skeleton.
    fn is_whole(&mut self, ir: &Ir, around: Around) -> Result<bool, ParseError> {
        let scope = around.scope.map(|scope| self.scopes[scope as usize].clone());
        Ok(!self.holds.captures(ir, scope.as_ref(), around.depth)? && !ir.has_acts())
    }

    fn piece_of(&mut self, ir: &Ir, around: Around, next: NodeId) -> Result<NodeId, ParseError> {
        if ir.is_empty() {
            return Ok(next);
        }
        let piece = self.add_piece(ir, around, next);
        Ok(self.add(Node::Piece(piece))?)
    }

    fn add_piece(&mut self, ir: &Ir, around: Around, after: NodeId) -> PieceId {
        let scope = around.scope.map(|scope| self.scopes[scope as usize].clone());
        let nullable = match (ir.facts(), &scope) {
            (Some(facts), _) => facts.nullable,
            (None, Some(Scope::Grammar(grammar))) => grammar.facts_of(ir).nullable,
            // No rule of a schema is nullable.
            (None, _) => ir.may_be_empty(),
        };
        let free = matches!(ir.kind(), Kind::Anything(_));
        self.pieces.push(Piece {
            part: ir.clone(),
            scope,
            start: None,
            after,
            nullable,
            free,
            heard: None,
            triggers: None,
        });
        PieceId(self.pieces.len() as u32 - 1)
    }

    /// A piece of free text that `triggers` may end.
    pub(super) fn triggered(&mut self, ir: &Ir, triggers: Triggers, end: NodeId) -> PieceId {
        let piece = self.add_piece(ir, Around::default(), end);
        let own = &mut self.pieces[piece.0 as usize];
        own.free = true;
        own.triggers = Some(triggers);
        piece
    }

    fn scope(&mut self, scope: Scope) -> u32 {
        let known = self.scopes.iter().position(|known| known.address() == scope.address());
        let number = known.unwrap_or(self.scopes.len());
        if number == self.scopes.len() {
            self.scopes.push(scope);
        }
        number as u32
    }

    /// Neighbours without captures are one piece; free text is one of its own.
    fn sequence(
        &mut self,
        parts: &[Ir],
        around: Around,
        mut next: NodeId,
    ) -> Result<NodeId, ParseError> {
        let mut end = parts.len();
        while end > 0 {
            let mut begin = end;
            while begin > 0
                && !matches!(parts[begin - 1].kind(), Kind::Anything(_))
                && self.is_whole(&parts[begin - 1], around)?
            {
                begin -= 1;
            }
            next = match begin == end {
                true => {
                    begin -= 1;
                    self.build(&parts[begin], around, next)?
                }
                false => {
                    let run = Ir::sequence(parts[begin..end].iter().cloned());
                    self.piece_of(&run, around, next)?
                }
            };
            end = begin;
        }
        Ok(next)
    }

    fn repeat(
        &mut self,
        repeat: &Repeat,
        around: Around,
        next: NodeId,
    ) -> Result<NodeId, ParseError> {
        if repeat.max == Some(1) {
            let body = self.build(&repeat.body, around, next)?;
            return Ok(match repeat.min {
                0 => self.add(Node::Split([body, next].into()))?,
                _ => body,
            });
        }
        let around = Around { list: true, ..around };
        let number = self.loops.len() as u32;
        let (min, max) = (repeat.min, repeat.max);
        let counted = max.is_some() || min > 1;
        let reads = repeat.separator.is_none();
        // The nodes are known when the loop's end is.
        let (body, again) = (next, next);
        self.loops.push(Loop { min, max, body, again, exit: next, counted, reads });
        let turn = self.add(Node::Next(number))?;
        let body = self.build(&repeat.body, around, turn)?;
        let again = match &repeat.separator {
            Some(separator) => self.build(separator, around, body)?,
            None => body,
        };
        let made = &mut self.loops[number as usize];
        (made.body, made.again) = (body, again);
        Ok(self.add(Node::Enter(number))?)
    }

    /// Two ways through the parts: nothing was present so far, or something was.
    fn joined(
        &mut self,
        joined: &Joined,
        around: Around,
        next: NodeId,
    ) -> Result<NodeId, ParseError> {
        let (mut nothing, mut something) = (next, next);
        for part in joined.parts.iter().rev() {
            let present = self.build(&part.body, around, something)?;
            let separated = self.build(&joined.separator, around, present)?;
            (nothing, something) = match part.required {
                true => (present, separated),
                false => (
                    self.add(Node::Split([present, nothing].into()))?,
                    self.add(Node::Split([separated, something].into()))?,
                ),
            };
        }
        Ok(nothing)
    }

    /// Reading on comes before the end, and edges in their order.
    fn automaton(
        &mut self,
        automaton: &Automaton,
        around: Around,
        next: NodeId,
    ) -> Result<NodeId, ParseError> {
        let mut states = Vec::with_capacity(automaton.states.len());
        for _ in automaton.states.iter() {
            states.push(self.add(Node::Split(Box::default()))?);
        }
        let component = components(automaton);
        for (at, state) in automaton.states.iter().enumerate() {
            let mut ways = Vec::with_capacity(state.edges.len() + 1);
            for (label, to) in &state.edges {
                let list = around.list || component[at] == component[*to];
                ways.push(self.build(label, Around { list, ..around }, states[*to])?);
            }
            ways.extend(state.accepting.then_some(next));
            self.nodes[states[at].0 as usize] = Node::Split(ways.into());
        }
        Ok(states.first().copied().unwrap_or(next))
    }

    fn call(&mut self, called: Called, next: NodeId) -> Result<NodeId, ParseError> {
        Ok(self.add(Node::Call(called, next))?)
    }

    /// Whether `rule` calls itself with no capture around the call.
    fn recurs(&self, scope: u32, rule: blueprints_compiler::ir::RuleId) -> bool {
        let Scope::Grammar(grammar) = &self.scopes[scope as usize] else { return false };
        let mut seen = vec![false; grammar.rules().len()];
        let mut queue = bare_calls(grammar, rule);
        while let Some(called) = queue.pop() {
            if called == rule {
                return true;
            }
            let known = seen.get_mut(called.0 as usize);
            if known.is_some_and(|known| !std::mem::replace(known, true)) {
                queue.extend(bare_calls(grammar, called));
            }
        }
        false
    }

    fn capture(
        &mut self,
        capture: &Capture,
        around: Around,
        next: NodeId,
    ) -> Result<NodeId, ParseError> {
        let scope = around.scope.map(|scope| self.scopes[scope as usize].clone());
        let inner = self.holds.captures(&capture.body, scope.as_ref(), around.depth)?;
        let Capture { name, kind, body } = capture;
        let name =
            Name { name: name.clone(), kind: *kind, list: around.list, nonempty: false, inner };
        let close = self.add(Node::Close(0, next))?;
        let body = self.build(body, Around { list: false, ..around }, close)?;
        self.open(name, body)
    }

    pub(super) fn open(&mut self, name: Name, next: NodeId) -> Result<NodeId, ParseError> {
        let new = self.names.len() as u32;
        let number = *self.numbers.entry(name.clone()).or_insert(new);
        if number == new {
            self.names.push(name);
        }
        Ok(self.add(Node::Open(number, next))?)
    }

    fn tracked(
        &mut self,
        tracked: &Tracked,
        around: Around,
        next: NodeId,
    ) -> Result<NodeId, ParseError> {
        let machine = self.machines.len() as u32;
        self.machines.push(Arc::clone(&tracked.machine));
        let end = self.add(Node::Untrack(next))?;
        let around = Around { machine: Some(machine), ..around };
        let body = self.build(&tracked.body, around, end)?;
        Ok(self.add(Node::Track(machine, body))?)
    }
}

/// The rules that `rule` calls with no capture around the call.
fn bare_calls(
    grammar: &Arc<Grammar>,
    rule: blueprints_compiler::ir::RuleId,
) -> Vec<blueprints_compiler::ir::RuleId> {
    let mut found = Vec::new();
    let mut pending: Vec<&Ir> =
        grammar.rules().get(rule.0 as usize).map(|rule| &rule.body).into_iter().collect();
    while let Some(ir) = pending.pop() {
        match ir.kind() {
            Kind::Call(rule) => found.push(*rule),
            Kind::Capture(_) => {}
            _ => {
                let _: ControlFlow<()> = ir.each_part(|part| {
                    pending.push(part);
                    ControlFlow::Continue(())
                });
            }
        }
    }
    found
}

/// For each state the number of its strongly connected component: an edge within one may be
/// passed several times.
fn components(automaton: &Automaton) -> Vec<usize> {
    let states = &automaton.states;
    // The states from which each is reached again, by a walk forward and one backward in the
    // order in which the first one left them (Kosaraju).
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
    for (from, state) in states.iter().enumerate() {
        state.edges.iter().for_each(|(_, to)| sources[*to].push(from));
    }
    let mut left = Vec::with_capacity(states.len());
    let mut seen = vec![false; states.len()];
    for start in 0..states.len() {
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((at, edge)) = path.last_mut() {
            match states[*at].edges.get(*edge) {
                Some((_, to)) => {
                    *edge += 1;
                    if !std::mem::replace(&mut seen[*to], true) {
                        path.push((*to, 0));
                    }
                }
                None => {
                    left.push(*at);
                    path.pop();
                }
            }
        }
    }
    let mut component = vec![usize::MAX; states.len()];
    for start in left.into_iter().rev() {
        let mut queue = vec![start];
        while let Some(at) = queue.pop() {
            if component[at] == usize::MAX {
                component[at] = start;
                queue.extend(&sources[at]);
            }
        }
    }
    component
}
