//! What may be read after a node: the pieces that come next, in the order in which they are
//! preferred, with the marks that are set on the way.
//!
//! Made once for a node and what it returns to, and kept.

use std::rc::Rc;

use blueprints_compiler::ir::ByteSet;
use blueprints_compiler::ir::machine::Value;
use blueprints_runtime::{Place, Walker};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Bound, ParseError};
use crate::limits::ParserLimits;
use crate::marks::Mark;
use crate::skeleton::{Called, Node, NodeId, PieceId, Skeleton};
use crate::stack::{FrameId, Held, Stack};

/// Marks with how many bytes ago each was due.
pub(crate) type Due = Box<[(Mark, usize)]>;

/// A piece that may be read next.
pub(crate) struct Target {
    pub(crate) piece: PieceId,
    pub(crate) place: Place,
    pub(crate) frame: FrameId,
    pub(crate) marks: Due,
}

/// What may be read after a node.
pub(crate) struct Exit {
    pub(crate) targets: Vec<Target>,
    /// The marks to the end of the outline, if it may end here.
    pub(crate) end: Option<Due>,
    /// The bytes that some target reads first.
    pub(crate) first: ByteSet,
}

/// The most exits that are kept; above that they are made anew.
const KEPT_MAX: usize = 16_384;

/// All exits that were asked for.
#[derive(Default)]
pub(crate) struct Exits {
    known: FxHashMap<(NodeId, FrameId), Rc<Exit>>,
}

/// What the closure works on.
pub(crate) struct Ground<'a> {
    pub(crate) skeleton: &'a mut Skeleton,
    pub(crate) stack: &'a mut Stack,
    pub(crate) walker: &'a Walker,
    pub(crate) limits: &'a ParserLimits,
}

/// A step of the way to a node; ways share their beginnings.
struct Way {
    before: usize,
    step: Step,
}

enum Step {
    Marked(Mark, usize),
    /// An iteration of a loop began in this frame, and has read nothing yet.
    Begun(u32, FrameId),
}

const START: usize = usize::MAX;

/// A place to follow: a node, its frame, the way there.
type At = (NodeId, FrameId, usize);

enum Pending {
    Node(At),
    /// A piece itself, after all that follows from its end.
    Piece(PieceId, FrameId, usize),
}

struct Closure<'g, 'a> {
    ground: &'g mut Ground<'a>,
    /// What is still to follow, the preferred last.
    pending: Vec<Pending>,
    ways: Vec<Way>,
    seen: FxHashSet<(NodeId, FrameId)>,
    exit: Exit,
}

impl Exits {
    /// What may be read after `node` in `frame`.
    pub(crate) fn of(
        &mut self,
        mut ground: Ground<'_>,
        node: NodeId,
        frame: FrameId,
    ) -> Result<Rc<Exit>, ParseError> {
        if let Some(known) = self.known.get(&(node, frame)) {
            return Ok(known.clone());
        }
        let mut closure = Closure {
            ground: &mut ground,
            pending: vec![Pending::Node((node, frame, START))],
            ways: Vec::new(),
            seen: FxHashSet::default(),
            exit: Exit { targets: Vec::new(), end: None, first: ByteSet::default() },
        };
        closure.run()?;
        let exit = Rc::new(closure.exit);
        if self.known.len() >= KEPT_MAX {
            self.known.clear();
        }
        self.known.insert((node, frame), exit.clone());
        Ok(exit)
    }
}

impl Closure<'_, '_> {
    fn run(&mut self) -> Result<(), ParseError> {
        while let Some(pending) = self.pending.pop() {
            let (node, frame, way) = match pending {
                Pending::Node(at) => at,
                Pending::Piece(piece, frame, way) => {
                    self.target(piece, frame, way)?;
                    continue;
                }
            };
            if !self.seen.insert((node, frame)) {
                continue;
            }
            if self.seen.len() > self.ground.limits.closure_max {
                return Err(Bound::Closure(self.ground.limits.closure_max).into());
            }
            self.follow(node, frame, way)?;
        }
        Ok(())
    }

    fn follow(&mut self, node: NodeId, frame: FrameId, way: usize) -> Result<(), ParseError> {
        let skeleton = &mut *self.ground.skeleton;
        match skeleton.node(node) {
            Node::Piece(piece) => {
                let piece = *piece;
                return self.piece(piece, frame, way);
            }
            Node::Split(ways) => {
                let ways = ways.iter().rev().map(|&next| Pending::Node((next, frame, way)));
                self.pending.extend(ways);
            }
            Node::Open(name, next) => {
                let (mark, next) = (Mark::Open(*name), *next);
                self.mark(mark, 0, (next, frame, way));
            }
            Node::Close(ago, next) => {
                let (ago, next) = (*ago, *next);
                self.mark(Mark::Close, ago, (next, frame, way));
            }
            Node::Call(called, next) => {
                let (called, next) = (*called, *next);
                return self.call(called, (next, frame, way));
            }
            Node::Return => self.returns(frame, way),
            Node::Enter(number) => {
                let number = *number;
                let counted = skeleton.loops[number as usize].counted;
                let frame = match counted {
                    true => self.ground.stack.push(Held::Count(0), frame)?,
                    false => frame,
                };
                self.turn(number, 0, (frame, way));
            }
            Node::Next(number) => {
                let number = *number;
                return self.next(number, frame, way);
            }
            Node::Track(machine, next) => {
                let (value, next) = (skeleton.machines[*machine as usize].start(), *next);
                let frame = self.ground.stack.push(Held::Register(value), frame)?;
                self.go((next, frame, way));
            }
            Node::Untrack(next) => {
                let next = *next;
                self.go((next, self.ground.stack.below(frame), way));
            }
            Node::Act(machine, action, next) => {
                let (machine, action, next) =
                    (skeleton.machines[*machine as usize].clone(), *action, *next);
                let change = |value: &Value| machine.step(value, action);
                if let Some(frame) = self.ground.stack.with_register(frame, change)? {
                    self.go((next, frame, way));
                }
            }
        }
        Ok(())
    }

    /// A piece, or what comes after it where it may be empty. Free text rather ends.
    fn piece(&mut self, piece: PieceId, frame: FrameId, way: usize) -> Result<(), ParseError> {
        let own = self.ground.skeleton.piece(piece);
        let next = own.after;
        match (own.nullable, own.free) {
            (false, _) => self.target(piece, frame, way)?,
            (true, false) => {
                self.target(piece, frame, way)?;
                self.go((next, frame, way));
            }
            (true, true) => {
                self.pending.push(Pending::Piece(piece, frame, way));
                self.go((next, frame, way));
            }
        }
        Ok(())
    }

    fn target(&mut self, piece: PieceId, frame: FrameId, way: usize) -> Result<(), ParseError> {
        let place = self.ground.skeleton.place(piece, self.ground.walker)?;
        let bytes = self.ground.walker.bytes(place)?;
        if !bytes.is_empty() || !self.ground.walker.tokens(place).is_empty() {
            bytes.iter().for_each(|byte| self.exit.first.insert(byte));
            let marks = self.marks(way);
            self.exit.targets.push(Target { piece, place, frame, marks });
        }
        Ok(())
    }

    fn go(&mut self, at: At) {
        self.pending.push(Pending::Node(at));
    }

    fn mark(&mut self, mark: Mark, ago: usize, (next, frame, way): At) {
        self.ways.push(Way { before: way, step: Step::Marked(mark, ago) });
        self.go((next, frame, self.ways.len() - 1));
    }

    /// A call that is all that is left to do returns to where its caller would.
    fn call(&mut self, called: Called, (next, frame, way): At) -> Result<(), ParseError> {
        let entry = self.ground.skeleton.entry(called)?;
        let frame = match self.ground.skeleton.node(next) {
            Node::Return => frame,
            _ => self.ground.stack.push(Held::Return(next), frame)?,
        };
        self.go((entry, frame, way));
        Ok(())
    }

    fn returns(&mut self, frame: FrameId, way: usize) {
        match self.ground.stack.top(frame) {
            Some((Held::Return(next), below)) => {
                let next = *next;
                self.go((next, below, way));
            }
            Some(_) => {}
            None if self.exit.end.is_none() => self.exit.end = Some(self.marks(way)),
            None => {}
        }
    }

    /// An iteration of a loop ended.
    fn next(&mut self, number: u32, frame: FrameId, way: usize) -> Result<(), ParseError> {
        let own = self.ground.skeleton.loops[number as usize];
        let (counted, cap) = (own.counted, own.max.unwrap_or(own.min));
        if own.reads && self.has_begun(number, frame, way) {
            return Ok(());
        }
        if !counted {
            self.turn(number, 1, (frame, way));
            return Ok(());
        }
        let Some((Held::Count(count), below)) = self.ground.stack.top(frame) else { return Ok(()) };
        let count = count.saturating_add(1).min(cap);
        let frame = self.ground.stack.push(Held::Count(count), below)?;
        self.turn(number, count, (frame, way));
        Ok(())
    }

    /// After `count` iterations: another one, or else the end.
    fn turn(&mut self, number: u32, count: u32, (frame, way): (FrameId, usize)) {
        let own = self.ground.skeleton.loops[number as usize];
        if count >= own.min {
            let outside = if own.counted { self.ground.stack.below(frame) } else { frame };
            self.go((own.exit, outside, way));
        }
        if own.max.is_none_or(|max| count < max) {
            let next = if count == 0 { own.body } else { own.again };
            self.ways.push(Way { before: way, step: Step::Begun(number, frame) });
            self.go((next, frame, self.ways.len() - 1));
        }
    }

    fn has_begun(&self, number: u32, frame: FrameId, mut way: usize) -> bool {
        while let Some(Way { before, step }) = self.ways.get(way) {
            if matches!(step, Step::Begun(own, at) if (*own, *at) == (number, frame)) {
                return true;
            }
            way = *before;
        }
        false
    }

    fn marks(&self, mut way: usize) -> Due {
        let mut marks = Vec::new();
        while let Some(Way { before, step }) = self.ways.get(way) {
            if let Step::Marked(mark, ago) = step {
                marks.push((*mark, *ago));
            }
            way = *before;
        }
        marks.reverse();
        marks.into()
    }
}
