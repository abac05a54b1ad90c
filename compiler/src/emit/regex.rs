//! Says an [`Ir`] as a regular expression.
//!
//! Automata become expressions by state elimination (Brzozowski and McCluskey, 1963), joined
//! parts become nested optionals, and rules are put in where they are called. What is written
//! means the same to the crate `regex` and to Python's `re`: no anchors, no shorthand classes,
//! no lazy repeats, no named groups.

mod automaton;
mod piece;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::piece::Piece;
use super::{DEPTH_MAX, EmitError, Emitted, Exactness, Loss, Lost, Place, Step, expand, finish};
use crate::ir::{Grammar, Ir, Joined, Kind, Part, Repeat, RuleId, Special, Tracked};

/// How large a regular expression may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegexLimits {
    /// The most bytes of its text; 1 MiB by default.
    pub bytes_max: usize,
    /// The most bytes it may take when the crate `regex` compiles it, by an upper estimate;
    /// 10 MiB by default, as is that crate's own limit.
    pub compiled_bytes_max: u64,
}

impl Default for RegexLimits {
    fn default() -> Self {
        Self { bytes_max: 1 << 20, compiled_bytes_max: 10 << 20 }
    }
}

/// How deep the crate `regex` lets an expression nest, less some for the caller's own groups.
const NESTING_MAX: usize = 240;

pub(super) fn emit(
    ir: &Ir,
    exactness: Exactness,
    limits: RegexLimits,
) -> Result<Emitted, EmitError> {
    let mut emitter = Emitter {
        limits,
        scope: None,
        calls: Vec::new(),
        said: BTreeMap::new(),
        place: Place::default(),
        losses: Vec::new(),
        depth: 0,
    };
    let piece = emitter.piece(ir)?;
    if piece.cost > limits.compiled_bytes_max {
        let bytes_max = limits.compiled_bytes_max;
        return Err(EmitError::TooLarge { bytes: piece.cost, bytes_max });
    }
    emitter.losses.extend(super::exponents(ir)?);
    finish(piece.text, emitter.losses, exactness)
}

struct Emitter {
    limits: RegexLimits,
    /// The nearest enclosing grammar.
    scope: Option<Arc<Grammar>>,
    /// The rules of it that are being said, outermost first.
    calls: Vec<RuleId>,
    /// What each rule of it came to.
    said: BTreeMap<RuleId, Piece>,
    place: Place,
    losses: Vec<Loss>,
    depth: usize,
}

impl Emitter {
    fn piece(&mut self, ir: &Ir) -> Result<Piece, EmitError> {
        if self.depth == DEPTH_MAX {
            return Err(EmitError::TooDeep { depth_max: DEPTH_MAX });
        }
        self.depth += 1;
        let piece = match ir.kind() {
            Kind::Text(text) => Piece::text(&text.string),
            Kind::Class(set) => Piece::class(set.clone()),
            Kind::Sequence(parts) => {
                let mut whole = Piece::empty();
                for (at, part) in parts.iter().enumerate() {
                    whole.push(&self.inner(part, Step::Part(at))?);
                    self.within(whole.text.len())?;
                }
                whole
            }
            Kind::Choice(arms) => {
                let mut pieces = Vec::with_capacity(arms.len());
                for (at, arm) in arms.iter().enumerate() {
                    pieces.push(self.inner(arm, Step::Arm(at))?);
                }
                Piece::any(pieces)
            }
            Kind::Repeat(repeat) => self.repeat(repeat)?,
            Kind::Joined(joined) => self.joined(joined)?,
            Kind::Automaton(automaton) => automaton::piece(self, automaton)?,
            Kind::Call(rule) => self.call(*rule)?,
            Kind::Grammar(grammar) => self.grammar(grammar)?,
            Kind::Regex(regex) => self.inner(&regex.body, Step::Regex)?,
            Kind::Schema(schema) => self.inner(schema.body()?, Step::Schema)?,
            Kind::Anything(anything) => {
                self.losses.extend(super::budget(&anything.limits, self.place.clone()));
                self.inner(&anything.body, Step::Anything)?
            }
            Kind::Dispatch(dispatch) => {
                self.losses.extend(super::text_name(&dispatch.triggers, &self.place));
                self.inner(&dispatch.body, Step::Body)?
            }
            Kind::Capture(capture) => {
                self.losses.push(super::capture(&capture.name, self.place.clone()));
                self.inner(&capture.body, Step::Body)?
            }
            Kind::Special(special) => {
                self.losses.extend(super::special(special, self.place.clone()));
                match special {
                    Special::Spelled(spelling) => Piece::text(spelling),
                    Special::Stop => Piece::empty(),
                    _ => Piece::never(),
                }
            }
            Kind::Tracked(tracked) => self.tracked(tracked)?,
            Kind::Act(_) | Kind::Observed(_) => {
                return Err(EmitError::Stray { place: self.place.clone() });
            }
        };
        self.depth -= 1;
        self.checked(piece)
    }

    fn inner(&mut self, ir: &Ir, step: Step) -> Result<Piece, EmitError> {
        self.place.0.push(step);
        let piece = self.piece(ir)?;
        self.place.0.pop();
        Ok(piece)
    }

    fn checked(&self, piece: Piece) -> Result<Piece, EmitError> {
        self.within(piece.text.len())?;
        if piece.depth > NESTING_MAX {
            return Err(EmitError::TooDeep { depth_max: NESTING_MAX });
        }
        Ok(piece)
    }

    fn within(&self, bytes: usize) -> Result<(), EmitError> {
        let bytes_max = self.limits.bytes_max;
        match bytes > bytes_max {
            true => Err(EmitError::TooLong { bytes_max, place: self.place.clone() }),
            false => Ok(()),
        }
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<Piece, EmitError> {
        let body = self.inner(&repeat.body, Step::Body)?;
        let Some(separator) = &repeat.separator else {
            return Ok(self.counted(&body, repeat, repeat.min, repeat.max));
        };
        let separator = self.inner(separator, Step::Separator)?;
        let more = self.checked(separator.then(&body))?;
        let (min, max) = (repeat.min.saturating_sub(1), repeat.max.map(|max| max - 1));
        let more = self.counted(&more, repeat, min, max);
        let some = body.then(&more);
        Ok(if repeat.min == 0 { some.optional() } else { some })
    }

    /// `body`, `min` to `max` times, or without bounds if no engine would compile that.
    fn counted(&mut self, body: &Piece, repeat: &Repeat, min: u32, max: Option<u32>) -> Piece {
        let counted = body.repeat(min, max);
        if counted.cost <= self.limits.compiled_bytes_max {
            return counted;
        }
        let unbounded = body.repeat(min.min(1), None);
        if unbounded.cost > self.limits.compiled_bytes_max {
            return counted;
        }
        self.losses.push(Loss {
            lost: Lost::Bounds { min: repeat.min, max: repeat.max },
            place: self.place.clone(),
            reason: format!(
                "compiled, the repeat would need about {} bytes, more than {}",
                counted.cost, self.limits.compiled_bytes_max
            ),
        });
        unbounded
    }

    /// Before the first required part each part brings its separator behind it, after that part
    /// in front. Without a required part any of them may be the first one present.
    fn joined(&mut self, joined: &Joined) -> Result<Piece, EmitError> {
        let separator = self.inner(&joined.separator, Step::Separator)?;
        let mut bodies = Vec::with_capacity(joined.parts.len());
        for (at, part) in joined.parts.iter().enumerate() {
            bodies.push(self.inner(&part.body, Step::Part(at))?);
        }
        let follow = |part: &Part, body: &Piece| {
            let piece = separator.then(body);
            if part.required { piece } else { piece.optional() }
        };
        let parts = &joined.parts;
        if let Some(first) = parts.iter().position(|part| part.required) {
            let mut whole = Piece::empty();
            for body in &bodies[..first] {
                whole.push(&body.then(&separator).optional());
                self.within(whole.text.len())?;
            }
            whole.push(&bodies[first]);
            for at in first + 1..parts.len() {
                whole.push(&follow(&parts[at], &bodies[at]));
                self.within(whole.text.len())?;
            }
            return Ok(whole);
        }
        let (mut rest, mut arms, mut length) = (Piece::empty(), Vec::new(), 0);
        for at in (0..parts.len()).rev() {
            let arm = self.checked(bodies[at].then(&rest))?;
            length += arm.text.len();
            self.within(length)?;
            arms.push(arm);
            rest = self.checked(follow(&parts[at], &bodies[at]).then(&rest))?;
        }
        arms.reverse();
        Ok(Piece::any(arms).optional())
    }

    fn tracked(&mut self, tracked: &Tracked) -> Result<Piece, EmitError> {
        let plain = expand::said(tracked, &self.place, &mut self.losses);
        self.inner(&plain, Step::Body)
    }

    fn grammar(&mut self, grammar: &Arc<Grammar>) -> Result<Piece, EmitError> {
        let scope = self.scope.replace(Arc::clone(grammar));
        let calls = std::mem::take(&mut self.calls);
        let said = std::mem::take(&mut self.said);
        let piece = self.call(grammar.start())?;
        (self.scope, self.calls, self.said) = (scope, calls, said);
        Ok(piece)
    }

    fn call(&mut self, rule: RuleId) -> Result<Piece, EmitError> {
        let Some(grammar) = self.scope.clone() else {
            return Err(EmitError::OpenCall(rule));
        };
        if let Some(piece) = self.said.get(&rule) {
            return Ok(piece.clone());
        }
        let name = |rule: RuleId| grammar.rules()[rule.0 as usize].name.clone();
        if let Some(from) = self.calls.iter().position(|&calling| calling == rule) {
            let mut cycle: Vec<String> = self.calls[from..].iter().map(|&at| name(at)).collect();
            cycle.push(name(rule));
            return Err(EmitError::Recursive { cycle });
        }
        self.calls.push(rule);
        let body = &grammar.rules()[rule.0 as usize].body;
        let piece = self.inner(body, Step::Rule(name(rule)))?;
        self.calls.pop();
        self.said.insert(rule, piece.clone());
        Ok(piece)
    }
}
