//! States: what a text has led to, interned, with cached steps.
//!
//! An item is a local state and the frame that its rule runs in. A step moves the items that read
//! the byte and closes the result over calls, actions and returns: first everything that returns
//! into frames that exist, then the called rules in an order that puts every caller before its
//! callee, so that all callers of a rule at one place share one frame.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use blueprints_compiler::Ir;
use blueprints_compiler::ir::ByteSet;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::ending::Way;
use super::frames::{FrameId, Frames};
use super::lengths::Lengths;
use super::locals::{Local, Locals, NOWHERE};
use super::nfa::{Marker, RuleId};
use super::rules::{OWN, Rules, SharedLocals};
use super::shape::{Shape, Shapes};
use super::slab::Slab;
use super::source::{Binding, LowerError, Scope};
use super::values::{ValueId, Values};
use super::work::{OpenKey, OpenStart, Work};
use crate::limits::{LimitError, Limits};
use crate::mask::TokenMask;
use crate::masks::{Beside, OpenMask, PlaceLists};

/// A state; [`StateId::DEAD`] is the one that no text leaves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StateId(pub(super) u32);

impl StateId {
    pub(crate) const DEAD: Self = Self(0);
    pub(super) const UNKNOWN: u32 = u32::MAX;
}

/// A local state in one of the program's tables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LocalRef {
    pub(crate) table: u32,
    pub(crate) local: u32,
}

/// What one reading of the text is about to read, and the frame that it runs in.
pub(crate) type Item = (FrameId, LocalRef);

pub(crate) struct State {
    pub(crate) items: Box<[Item]>,
    pub(crate) accepting: bool,
    /// Where an open frame is left here.
    pub(crate) leaks: Box<[LocalRef]>,
    shape: Arc<Shape>,
    targets: Box<[AtomicU32]>,
    pub(super) abstracted: AtomicU32,
    pub(crate) mask: OnceLock<Arc<TokenMask>>,
}

/// The rules of one outline and all states that its matchers have reached. What is known is read
/// without a lock.
pub(crate) struct Engine {
    states: Slab<State>,
    start: StateId,
    /// Whether some free text has a budget of tokens.
    pub(super) budgeted: bool,
    pub(super) inner: Mutex<Inner>,
}

/// What grows while texts are read.
pub(crate) struct Inner {
    pub(super) rules: Rules,
    pub(super) frames: Frames,
    pub(super) values: Values,
    pub(super) ids: HashTable<u32>,
    shapes: Shapes,
    /// The tokens that freed items allow beyond a loop class.
    pub(super) freed: FxHashMap<(FrameId, LocalRef), Option<Arc<[u32]>>>,
    /// What is known about tokens in frames of which only the rule is known.
    pub(super) open: FxHashMap<OpenKey, Arc<OpenMask>>,
    /// Their states at the beginning.
    pub(super) starts: FxHashMap<(RuleId, OpenStart), StateId>,
    /// The lists of trie nodes that those begin at.
    pub(super) places: PlaceLists,
    /// Where frames above an open one return to it.
    pub(super) roots: FxHashMap<FrameId, Arc<[LocalRef]>>,
    /// The masks of items that run without their machine.
    pub(super) steady: FxHashMap<(FrameId, LocalRef), Arc<TokenMask>>,
    /// The states that stand for others where at most so many bytes follow.
    pub(super) within: FxHashMap<(u32, StateId), StateId>,
    /// How the tokens of two items differ among those of so many bytes or more.
    pub(super) beside: FxHashMap<(Item, Item, usize), Arc<Beside>>,
    /// The items that stand for others where at most so many bytes follow.
    pub(super) lightened: FxHashMap<(u32, FrameId, LocalRef), Item>,
    /// What is known about the lengths of rules, and of how many rules.
    pub(super) lengths: Lengths,
    pub(super) measured: usize,
    /// The ways to the end that were found.
    pub(super) ways: FxHashMap<StateId, Way>,
    /// The states from which none was found within the limit.
    pub(super) lost: FxHashSet<StateId>,
    /// How many searches for an end took too many steps, since one did not, in each manner.
    pub(super) failed: [u32; 3],
    /// The states where the next token begins, by those that the last one led to.
    pub(super) begun: FxHashMap<StateId, StateId>,
    pub(super) limits: Limits,
    /// The length of the longest token in bytes.
    pub(super) span: u32,
    /// The steps since the engine was locked.
    spent: u64,
    /// Whether whoever locked the engine is to give up.
    cancelled: Arc<AtomicBool>,
}

impl Engine {
    /// `span` is the length of the longest token in bytes.
    pub(crate) fn new(
        ir: &Ir,
        binding: Box<dyn Binding>,
        limits: Limits,
        span: u32,
        shared: Option<Arc<SharedLocals>>,
    ) -> Result<Self, LowerError> {
        let mut inner = Inner {
            rules: Rules::new(ir, binding, limits, shared),
            frames: Frames::new(Rules::ROOT, limits.frames_max),
            values: Values::default(),
            ids: HashTable::new(),
            shapes: Shapes::default(),
            freed: FxHashMap::default(),
            open: FxHashMap::default(),
            starts: FxHashMap::default(),
            places: PlaceLists::default(),
            roots: FxHashMap::default(),
            steady: FxHashMap::default(),
            within: FxHashMap::default(),
            lightened: FxHashMap::default(),
            beside: FxHashMap::default(),
            lengths: Lengths::default(),
            measured: 0,
            ways: FxHashMap::default(),
            lost: FxHashSet::default(),
            failed: [0; 3],
            begun: FxHashMap::default(),
            limits,
            span,
            spent: 0,
            cancelled: Arc::default(),
        };
        let states = Slab::new();
        inner.intern(&states, Vec::new(), Vec::new(), false)?;
        inner.rules.place_eager()?;
        let place = inner.rules.place(Rules::ROOT)?;
        let entry = inner.rules.tables[place.table as usize].entry(place.entry)?;
        let item = (Frames::ROOT, LocalRef { table: place.table, local: entry });
        let nullable = ir.facts().is_some_and(|facts| facts.nullable);
        let start = inner.close(&states, vec![item], nullable)?;
        let budgeted = inner.rules.have_budgets();
        Ok(Self { states, start, budgeted, inner: Mutex::new(inner) })
    }

    /// The state before `ir`, a part that is read by itself; whether it may be empty is not
    /// said here.
    pub(crate) fn enter(&self, ir: &Ir, scope: Option<Scope>) -> Result<StateId, LowerError> {
        let mut inner = self.lock();
        let rule = inner.rules.part(ir, scope);
        let place = inner.rules.place(rule)?;
        let entry = inner.rules.tables[place.table as usize].entry(place.entry)?;
        let item = (Frames::ROOT, LocalRef { table: place.table, local: entry });
        inner.close(&self.states, vec![item], false)
    }

    pub(crate) fn start(&self) -> StateId {
        self.start
    }

    pub(crate) fn state(&self, state: StateId) -> &State {
        // Ids come from this list alone; the dead state is always there.
        let found = self.states.get(state.0).or_else(|| self.states.get(0));
        found.unwrap_or_else(|| unreachable!("the dead state is made with the list"))
    }

    pub(crate) fn is_accepting(&self, state: StateId) -> bool {
        self.state(state).accepting
    }

    /// The state after `byte`.
    ///
    /// # Complexity
    /// O(1) and without a lock where it was asked before, else O(items).
    pub(crate) fn step(&self, state: StateId, byte: u8) -> Result<StateId, LimitError> {
        match self.state(state).known(byte) {
            StateId::UNKNOWN => Ok(self.lock().step(&self.states, state, byte)?),
            known => Ok(StateId(known)),
        }
    }

    /// The state after `marker`.
    pub(crate) fn step_marker(
        &self,
        state: StateId,
        marker: Marker,
    ) -> Result<StateId, LimitError> {
        Ok(self.lock().step_marker(&self.states, state, marker)?)
    }

    /// The state that has the readings of both.
    pub(crate) fn either(&self, one: StateId, other: StateId) -> Result<StateId, LimitError> {
        if one == other || other == StateId::DEAD {
            return Ok(one);
        }
        if one == StateId::DEAD {
            return Ok(other);
        }
        let (one, other) = (self.state(one), self.state(other));
        let mut inner = self.lock();
        let items = inner.grouped([&*one.items, &*other.items].concat())?;
        let leaks = [&*one.leaks, &*other.leaks].concat();
        Ok(inner.intern(&self.states, items, leaks, one.accepting || other.accepting)?)
    }

    /// The bytes that lead on from `state`.
    pub(crate) fn live(&self, state: StateId) -> Result<ByteSet, LimitError> {
        let mut live = ByteSet::default();
        let shape = &self.state(state).shape;
        let mut alive = vec![false; shape.samples().len() + 1];
        for &byte in shape.samples() {
            alive[shape.class(byte)] = self.step(state, byte)? != StateId::DEAD;
        }
        (0..=u8::MAX).filter(|&byte| alive[shape.class(byte)]).for_each(|byte| live.insert(byte));
        Ok(live)
    }

    /// The markers that lead on from `state`, ascending.
    pub(crate) fn markers(&self, state: StateId) -> Vec<Marker> {
        self.lock().markers(self.state(state))
    }

    /// The bytes that the outline uses anywhere; lowers all rules.
    pub(crate) fn alphabet(&self) -> Result<[bool; 256], LimitError> {
        Ok(self.lock().rules.alphabet()?)
    }

    /// All that grows, and the states, for work of many steps.
    pub(crate) fn work(&self) -> Work<'_> {
        Work { states: &self.states, inner: self.lock() }
    }

    /// The bytes of memory that all but masks take, and those that masks have for themselves,
    /// about.
    ///
    /// # Complexity
    /// O(states).
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let (mut states, mut masks) = (0, 0);
        for id in 0..self.states.len() as u32 {
            let Some(state) = self.states.get(id) else { continue };
            states += size_of::<State>() + state.items.len() * size_of::<Item>();
            states += state.targets.len() * size_of::<AtomicU32>();
            // Each state's mask is shared with those that it stands for.
            if state.abstracted.load(Ordering::Acquire) == id {
                masks += state.mask.get().map_or(0, |mask| mask.bytes());
            }
        }
        let inner = self.lock();
        let own = inner.rules.tables[OWN as usize].bytes();
        (states + own + inner.frames.bytes() + inner.values.bytes(), masks)
    }

    /// Work gives up wherever `flag` is found set.
    pub(crate) fn give_up_on(&self, flag: &Arc<AtomicBool>) {
        self.lock().cancelled = flag.clone();
    }

    /// The number of states so far, without a lock.
    pub(crate) fn states(&self) -> usize {
        self.states.len()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // What grows is sound after each step, so a thread that panicked did not break it.
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.spent = 0;
        inner
    }
}

impl State {
    /// The state after `byte` if it is known.
    #[inline]
    pub(super) fn known(&self, byte: u8) -> u32 {
        match self.shape.class(byte) {
            0 => StateId::DEAD.0,
            class => self.targets[class - 1].load(Ordering::Acquire),
        }
    }

    /// One byte of each class that may lead on.
    pub(crate) fn samples(&self) -> &[u8] {
        self.shape.samples()
    }

    pub(crate) fn class(&self, byte: u8) -> usize {
        self.shape.class(byte)
    }

    /// The bytes that may lead on.
    pub(crate) fn reads(&self) -> ByteSet {
        self.shape.reads()
    }
}

impl Inner {
    /// Counts so many steps of the call that has locked the engine.
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), LimitError> {
        self.spent += steps as u64 + 1;
        if self.spent > self.limits.work_max {
            return Err(LimitError::Work(self.limits.work_max));
        }
        match self.cancelled.load(Ordering::Relaxed) {
            true => Err(LimitError::Cancelled),
            false => Ok(()),
        }
    }

    pub(super) fn step(
        &mut self,
        states: &Slab<State>,
        id: StateId,
        byte: u8,
    ) -> Result<StateId, LowerError> {
        let Some(state) = states.get(id.0) else { return Ok(StateId::DEAD) };
        let mut kernel = Vec::with_capacity(state.items.len());
        for &(frame, at) in &state.items {
            let table = self.rules.tables[at.table as usize].clone();
            let next = table.step(at.local, byte)?;
            if next != NOWHERE {
                kernel.push((frame, LocalRef { local: next, ..at }));
            }
            if table.get(at.local).heard {
                let nodes = table.heard(at.local, byte);
                let value = self.frames.get(frame).value;
                if !nodes.is_empty()
                    && let Some(value) = self.values.hear(value, byte)
                {
                    let local = table.of_nodes(nodes)?;
                    kernel.push((self.frames.with(frame, value)?, LocalRef { local, ..at }));
                }
            }
        }
        let next = self.close(states, kernel, false)?;
        if let Some(class) = state.shape.class(byte).checked_sub(1) {
            state.targets[class].store(next.0, Ordering::Release);
        }
        Ok(next)
    }

    pub(super) fn step_marker(
        &mut self,
        states: &Slab<State>,
        id: StateId,
        marker: Marker,
    ) -> Result<StateId, LowerError> {
        let mut kernel = Vec::new();
        for &(frame, at) in states.get(id.0).map_or(&[][..], |state| &state.items) {
            let table = self.rules.tables[at.table as usize].clone();
            let Some(exits) = table.get(at.local).exits.clone() else { continue };
            for &(read, node) in &exits.markers {
                if read == marker {
                    kernel.push((frame, LocalRef { local: table.entry(node)?, ..at }));
                }
            }
        }
        self.close(states, kernel, false)
    }

    pub(super) fn markers(&self, state: &State) -> Vec<Marker> {
        let mut markers = Vec::new();
        for &(frame, at) in &state.items {
            let table = &self.rules.tables[at.table as usize];
            let Some(exits) = &table.get(at.local).exits else { continue };
            // A register may forbid all that follows the token.
            let leads_on = |node: u32| {
                table.entry(node).is_ok_and(|local| self.allows(frame, table.get(local)))
            };
            let led = exits.markers.iter().filter(|(_, node)| leads_on(*node));
            markers.extend(led.map(|edge| edge.0));
        }
        markers.sort_unstable();
        markers.dedup();
        markers
    }

    pub(super) fn allows(&self, frame: FrameId, local: &Local) -> bool {
        local.asks.is_none() || self.value_allows(self.frames.get(frame).value, local)
    }

    pub(super) fn value_allows(&self, value: ValueId, local: &Local) -> bool {
        let Some(asks) = &local.asks else { return true };
        self.values.enabled(value).is_none_or(|enabled| asks.meets(enabled))
    }

    /// The state of these items, which come sorted by nothing.
    pub(super) fn intern(
        &mut self,
        states: &Slab<State>,
        mut items: Vec<Item>,
        mut leaks: Vec<LocalRef>,
        accepting: bool,
    ) -> Result<StateId, LowerError> {
        items.sort_unstable();
        items.dedup();
        leaks.sort_unstable();
        leaks.dedup();
        let hash = FxBuildHasher.hash_one((&*items, &*leaks, accepting));
        let same = |&id: &u32| {
            let state = states.get(id);
            state.is_some_and(|state| {
                *state.items == *items && *state.leaks == *leaks && state.accepting == accepting
            })
        };
        if let Some(&id) = self.ids.find(hash, same) {
            return Ok(StateId(id));
        }
        if states.len() >= self.limits.states_max {
            return Err(LimitError::States(self.limits.states_max).into());
        }
        let tables: Vec<&Locals> =
            items.iter().map(|(_, at)| &*self.rules.tables[at.table as usize]).collect();
        let mut shapes: Vec<&Arc<Shape>> = items
            .iter()
            .zip(&tables)
            .map(|((_, at), table)| &table.get(at.local).shape)
            .filter(|shape| !shape.samples().is_empty())
            .collect();
        shapes.sort_unstable_by_key(|shape| Arc::as_ptr(shape).addr());
        shapes.dedup_by_key(|shape| Arc::as_ptr(shape).addr());
        let shape = self.shapes.merged(&shapes);
        let targets = shape.samples().iter().map(|_| AtomicU32::new(StateId::UNKNOWN)).collect();
        let id = states.push(State {
            items: items.into(),
            accepting,
            leaks: leaks.into(),
            shape,
            targets,
            abstracted: AtomicU32::new(StateId::UNKNOWN),
            mask: OnceLock::new(),
        });
        let hashed = |&id: &u32| {
            let state = states.get(id);
            state.map_or(0, |state| {
                FxBuildHasher.hash_one((&*state.items, &*state.leaks, state.accepting))
            })
        };
        self.ids.insert_unique(hash, id, hashed);
        Ok(StateId(id))
    }
}
