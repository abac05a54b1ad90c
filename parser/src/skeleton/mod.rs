//! The skeleton of an outline: what holds captures, as nodes, and between them the pieces that
//! hold none.
//!
//! A piece is the longest run of parts without captures; the runtime reads it byte by byte and
//! nobody asks how. Rules are made into nodes when they are first called.

mod build;
mod holds;
mod triggers;

use std::sync::Arc;

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{CaptureKind, Machine, RuleId};
use blueprints_runtime::{Place, Scope, Vocabulary, Walker};
use rustc_hash::FxHashMap;

pub(crate) use triggers::Triggers;

use crate::error::{Bound, ParseError};
use crate::limits::ParserLimits;
use crate::marks::NameId;

/// A node of a skeleton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub(crate) u32);

/// A piece of a skeleton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PieceId(pub(crate) u32);

/// One step of a reading; all but pieces read nothing.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Reads a piece.
    Piece(PieceId),
    /// Goes on at any of them, the first ones rather.
    Split(Box<[NodeId]>),
    /// A capture begins.
    Open(NameId, NodeId),
    /// A capture ended so many bytes ago.
    Close(usize, NodeId),
    /// Calls a rule and goes on at the node.
    Call(Called, NodeId),
    /// The rule ends.
    Return,
    /// A loop begins.
    Enter(u32),
    /// An iteration ends.
    Next(u32),
    /// A part with a register begins.
    Track(u32, NodeId),
    /// It ends.
    Untrack(NodeId),
    /// An action of the machine of this number.
    Act(u32, u32, NodeId),
}

/// A rule as it is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Called {
    /// The number of its scope.
    scope: u32,
    rule: RuleId,
    /// Whether what it captures is a list.
    list: bool,
}

/// A loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
    /// The first iteration.
    pub(crate) body: NodeId,
    /// A further one, with what is between.
    pub(crate) again: NodeId,
    pub(crate) exit: NodeId,
    /// Whether the number of iterations is kept in a frame.
    pub(crate) counted: bool,
    /// Whether iterations that read nothing are left out.
    pub(crate) reads: bool,
}

/// A part without captures.
#[derive(Debug)]
pub(crate) struct Piece {
    part: Ir,
    scope: Option<Scope>,
    start: Option<Place>,
    /// Where the reading goes on after it.
    pub(crate) after: NodeId,
    pub(crate) nullable: bool,
    /// Whether it ends as early as it can.
    pub(crate) free: bool,
    /// The machine that hears its bytes.
    pub(crate) heard: Option<u32>,
    /// What may end it, if it is free text in which triggers start structure.
    pub(crate) triggers: Option<Triggers>,
}

/// A capture as the outline names it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Name {
    pub(crate) name: Arc<str>,
    pub(crate) kind: CaptureKind,
    /// Whether there may be several.
    pub(crate) list: bool,
    /// Whether there is none where its text is empty.
    pub(crate) nonempty: bool,
    /// Whether it holds other captures.
    pub(crate) inner: bool,
}

/// The nodes, pieces and names of an outline.
pub(crate) struct Skeleton {
    nodes: Vec<Node>,
    pieces: Vec<Piece>,
    pub(crate) loops: Vec<Loop>,
    names: Vec<Name>,
    numbers: FxHashMap<Name, NameId>,
    pub(crate) machines: Vec<Arc<Machine>>,
    scopes: Vec<Scope>,
    entries: FxHashMap<Called, NodeId>,
    holds: holds::Known,
    limits: ParserLimits,
    /// The special tokens that the author's text may spell, if tokens are read.
    vocabulary: Option<Vocabulary>,
    start: NodeId,
}

impl Skeleton {
    /// The skeleton of `ir`, of tokens if there is a vocabulary.
    pub(crate) fn new(
        ir: &Ir,
        limits: ParserLimits,
        vocabulary: Option<&Vocabulary>,
    ) -> Result<Self, ParseError> {
        let mut skeleton = Self {
            nodes: vec![Node::Return],
            pieces: Vec::new(),
            loops: Vec::new(),
            names: Vec::new(),
            numbers: FxHashMap::default(),
            machines: Vec::new(),
            scopes: Vec::new(),
            entries: FxHashMap::default(),
            holds: holds::Known::new(limits.depth_max),
            limits,
            vocabulary: vocabulary.cloned(),
            start: NodeId(0),
        };
        skeleton.start = skeleton.build(ir, build::Around::default(), NodeId(0))?;
        Ok(skeleton)
    }

    /// Where every reading begins.
    pub(crate) fn start(&self) -> NodeId {
        self.start
    }

    pub(crate) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    pub(crate) fn piece(&self, piece: PieceId) -> &Piece {
        &self.pieces[piece.0 as usize]
    }

    pub(crate) fn name(&self, name: NameId) -> &Name {
        &self.names[name as usize]
    }

    /// The place before `piece`.
    pub(crate) fn place(&mut self, piece: PieceId, walker: &Walker) -> Result<Place, ParseError> {
        let piece = &mut self.pieces[piece.0 as usize];
        if let Some(start) = piece.start {
            return Ok(start);
        }
        let start = walker.enter(&piece.part, piece.scope.as_ref())?;
        piece.start = Some(start);
        Ok(start)
    }

    /// The first node of a rule, which is made now if it was not.
    pub(crate) fn entry(&mut self, called: Called) -> Result<NodeId, ParseError> {
        if let Some(&entry) = self.entries.get(&called) {
            return Ok(entry);
        }
        let scope = self.scopes[called.scope as usize].clone();
        let body = scope.body(called.rule).map_err(blueprints_runtime::CompileError::from)?;
        let (scope, list) = (Some(called.scope), called.list);
        let around = build::Around { scope, list, ..build::Around::default() };
        let entry = self.build(&body, around, NodeId(0))?;
        self.entries.insert(called, entry);
        Ok(entry)
    }

    fn add(&mut self, node: Node) -> Result<NodeId, Bound> {
        if self.nodes.len() >= self.limits.nodes_max {
            return Err(Bound::Nodes(self.limits.nodes_max));
        }
        self.nodes.push(node);
        Ok(NodeId(self.nodes.len() as u32 - 1))
    }
}
