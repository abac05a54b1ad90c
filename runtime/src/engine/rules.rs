//! The rules of a program, lowered when they are first run, each with its table of local states.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

use blueprints_compiler::Ir;
use blueprints_compiler::ir::Machine;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::asks;
use super::locals::Locals;
use super::lower;
use super::nfa::{Edge, Fragment, Label, RuleId};
use super::source::{Binding, Known, LowerError, Scope, Source};
use super::values::Roles;
use crate::limits::{LimitError, Limits};

/// Tables of rules that call no others, shared by all programs of a vocabulary. Above a number
/// of tables those that no program uses are dropped.
#[derive(Default)]
pub(crate) struct SharedLocals(Mutex<HashTable<Shared>>);

/// A table with what it was made from: whether it is asked by a machine, and the automaton.
struct Shared {
    tracked: bool,
    fragment: Fragment,
    locals: Arc<Locals>,
}

impl std::fmt::Debug for SharedLocals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedLocals")
    }
}

/// The most shared tables that are kept without a user.
const SHARED_MAX: usize = 4096;

impl SharedLocals {
    fn of(&self, tracked: bool, fragment: &Fragment, limits: Limits) -> Arc<Locals> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = FxBuildHasher.hash_one((tracked, fragment));
        let same = |known: &Shared| known.tracked == tracked && known.fragment == *fragment;
        if let Some(known) = all.find(hash, same) {
            return known.locals.clone();
        }
        if all.len() >= SHARED_MAX {
            all.retain(|known| Arc::strong_count(&known.locals) > 1);
        }
        let locals = Arc::new(Locals::new(limits));
        locals.append(fragment, tracked.then(|| asks::of(fragment)));
        let own = Shared { tracked, fragment: fragment.clone(), locals: locals.clone() };
        let hashed = |known: &Shared| FxBuildHasher.hash_one((known.tracked, &known.fragment));
        all.insert_unique(hash, own, hashed);
        locals
    }
}

/// The table of all rules that call others.
pub(crate) const OWN: u32 = 0;

/// Where a lowered rule stands.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Its table.
    pub(super) table: u32,
    /// The number of its node 0 there.
    pub(super) first: u32,
    /// Its entry there.
    pub(super) entry: u32,
    /// The number of its part 0 there.
    pub(super) part: u32,
}

struct Rule {
    source: Source,
    machine: Option<Arc<Machine>>,
    place: Option<Place>,
    /// Kept for twins where there is a machine.
    fragment: Option<Arc<Fragment>>,
    /// The most actions between two bytes; `None` is no bound, or that bytes count too.
    actions: Option<u32>,
    /// The same, whether bytes count or not.
    pace: Option<u32>,
    /// A number above those of all rules that it may run before reading.
    height: Option<u32>,
    twins: FxHashMap<Arc<[u64]>, RuleId>,
    /// Those that run with the machine, but for some actions.
    eased: FxHashMap<Roles, RuleId>,
    /// The actions that it does not do, if it is one of those.
    eases: Option<Roles>,
    /// The rule that runs on once its budget is used up.
    closing: Option<RuleId>,
}

/// The rules of a program.
pub(super) struct Rules {
    all: Vec<Rule>,
    known: Known,
    binding: Box<dyn Binding>,
    limits: Limits,
    pub(super) tables: Vec<Arc<Locals>>,
    /// The number of each shared table that is in use, by its address.
    numbers: FxHashMap<usize, u32>,
    shared: Option<Arc<SharedLocals>>,
    nodes: usize,
    /// How many of them are twins.
    twins: usize,
}

impl Rules {
    pub(super) fn new(
        ir: &Ir,
        binding: Box<dyn Binding>,
        limits: Limits,
        shared: Option<Arc<SharedLocals>>,
    ) -> Self {
        let mut rules = Self {
            all: Vec::new(),
            known: Known::default(),
            binding,
            limits,
            tables: vec![Arc::new(Locals::new(limits))],
            numbers: FxHashMap::default(),
            shared,
            nodes: 0,
            twins: 0,
        };
        rules.known.count = 1;
        rules.known.new.push((Source::Part(ir.clone(), None), None));
        rules.adopt();
        rules
    }

    /// The rule of the whole text.
    pub(super) const ROOT: RuleId = RuleId(0);

    /// The rule of a part that is read by itself.
    pub(super) fn part(&mut self, ir: &Ir, scope: Option<Scope>) -> RuleId {
        let rule = self.known.rule(Source::Part(ir.clone(), scope), None);
        self.adopt();
        rule
    }

    fn adopt(&mut self) {
        for (source, machine) in self.known.new.drain(..) {
            self.all.push(Rule {
                source,
                machine,
                place: None,
                fragment: None,
                actions: Some(0),
                pace: None,
                height: None,
                twins: FxHashMap::default(),
                eased: FxHashMap::default(),
                eases: None,
                closing: None,
            });
        }
    }

    pub(super) fn machine(&self, rule: RuleId) -> Option<&Arc<Machine>> {
        self.all[rule.0 as usize].machine.as_ref()
    }

    /// How many rules there are, twins included.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// How many rules there are that texts run.
    pub(super) fn count_run(&self) -> usize {
        self.all.len() - self.twins
    }

    /// Where `rule` stands, if it was lowered.
    pub(super) fn placed(&self, rule: RuleId) -> Option<Place> {
        self.all.get(rule.0 as usize).and_then(|rule| rule.place)
    }

    /// Of how many tokens the free text of `rule` is, if they are counted.
    pub(super) fn budget(&self, rule: RuleId) -> Option<u32> {
        match self.all[rule.0 as usize].source {
            Source::Budget(_, budget) => Some(budget),
            _ => None,
        }
    }

    /// The rule that runs on for `rule` once its budget is used up. Its nodes are numbered as
    /// those of `rule`.
    pub(super) fn closing(&mut self, rule: RuleId) -> Result<RuleId, LowerError> {
        let at = rule.0 as usize;
        if let Some(known) = self.all[at].closing {
            return Ok(known);
        }
        let Source::Budget(body, _) = self.all[at].source.clone() else { return Ok(rule) };
        let closing = self.known.rule(Source::Closing(body), None);
        self.adopt();
        self.place(closing)?;
        self.all[at].closing = Some(closing);
        Ok(closing)
    }

    /// Whether some free text has a budget; known once all rules but those of schemas, which
    /// have none, are lowered.
    pub(super) fn have_budgets(&self) -> bool {
        self.all.iter().any(|rule| matches!(rule.source, Source::Budget(..)))
    }

    /// The lowered rules with a machine.
    pub(super) fn tracked(&self) -> impl Iterator<Item = (RuleId, &Machine, &Fragment)> {
        (0..).zip(&self.all).filter_map(|(at, rule)| {
            let fragment = rule.fragment.as_deref().filter(|_| rule.eases.is_none());
            Some((RuleId(at), rule.machine.as_deref()?, fragment?))
        })
    }

    /// Lowers all rules, up to number `max` and half of the nodes that there may be. A rule that
    /// cannot be made is left alone: it is an error where a text runs it.
    pub(super) fn place_all(&mut self, max: usize) {
        let mut at = 0;
        while at < self.all.len().min(max) && self.nodes < self.limits.nodes_max / 2 {
            let _ = self.place(RuleId(at as u32));
            at += 1;
        }
    }

    pub(super) fn actions(&self, rule: RuleId) -> Option<u32> {
        self.all[rule.0 as usize].actions
    }

    /// The most actions of `rule` between two bytes, if there is a bound and it was lowered with
    /// a machine.
    pub(super) fn pace(&self, rule: RuleId) -> Option<u32> {
        self.all[rule.0 as usize].pace
    }

    /// Where `rule` stands, lowered now if it was not.
    pub(super) fn place(&mut self, rule: RuleId) -> Result<Place, LowerError> {
        let at = rule.0 as usize;
        if let Some(place) = self.all[at].place {
            return Ok(place);
        }
        let source = self.all[at].source.clone();
        let fragment = lower::lower(&source, &mut self.known, &*self.binding, &self.limits)?;
        self.adopt();
        let tracked = self.all[at].machine.is_some();
        if tracked {
            let heard = |edge: &Edge| matches!(edge.label, Label::Heard(..));
            let hears = fragment.edges.iter().any(heard);
            self.all[at].pace = fragment.actions_in_a_row();
            self.all[at].actions = self.all[at].pace.filter(|_| !hears);
            self.all[at].fragment = Some(Arc::new(fragment.clone()));
        }
        let place = self.settle(&fragment, tracked)?;
        self.all[at].place = Some(place);
        Ok(place)
    }

    fn settle(&mut self, fragment: &Fragment, tracked: bool) -> Result<Place, LimitError> {
        self.nodes += fragment.ends.len();
        if self.nodes > self.limits.nodes_max {
            return Err(LimitError::Nodes(self.limits.nodes_max));
        }
        if !fragment.calls_no_rule() {
            let (first, part) =
                self.tables[OWN as usize].append(fragment, tracked.then(|| asks::of(fragment)));
            return Ok(Place { table: OWN, first, entry: first + fragment.entry, part });
        }
        let limits = self.limits;
        let locals = match &self.shared {
            Some(shared) => shared.of(tracked, fragment, limits),
            None => {
                let locals = Locals::new(limits);
                locals.append(fragment, tracked.then(|| asks::of(fragment)));
                Arc::new(locals)
            }
        };
        let next = self.tables.len() as u32;
        let table = *self.numbers.entry(Arc::as_ptr(&locals).addr()).or_insert(next);
        if table == next {
            self.tables.push(locals);
        }
        Ok(Place { table, first: 0, entry: fragment.entry, part: 0 })
    }

    /// The rule that runs as `rule` does while its machine allows just the actions `enabled`,
    /// each without effect. Its nodes are numbered as those of `rule`.
    pub(super) fn twin(
        &mut self,
        rule: RuleId,
        enabled: &Arc<[u64]>,
    ) -> Result<RuleId, LowerError> {
        let at = rule.0 as usize;
        if let Some(&twin) = self.all[at].twins.get(enabled) {
            return Ok(twin);
        }
        let Some(fragment) = self.all[at].fragment.clone() else { return Ok(rule) };
        let asks = asks::of(&fragment);
        let mut twin = Fragment::clone(&fragment);
        twin.edges.retain_mut(|edge| {
            if !asks[edge.to as usize].meets(enabled) {
                return false;
            }
            if let Label::Heard(low, high) = edge.label {
                edge.label = Label::Bytes(low, high);
            }
            if let Label::Act(action) = edge.label {
                edge.label = Label::Epsilon;
                let word = enabled.get(action as usize / 64).copied().unwrap_or(0);
                return word >> (action % 64) & 1 == 1;
            }
            true
        });
        let place = self.settle(&twin, false)?;
        let id = self.push_twin(at, place);
        self.all[at].twins.insert(enabled.clone(), id);
        Ok(id)
    }

    /// The rule that runs as `rule` does without doing the actions that `roles` names. Its nodes
    /// are numbered as those of `rule`.
    pub(super) fn eased(&mut self, rule: RuleId, roles: &Roles) -> Result<RuleId, LowerError> {
        let at = rule.0 as usize;
        if let Some(&eased) = self.all[at].eased.get(roles) {
            return Ok(eased);
        }
        let Some(fragment) = self.all[at].fragment.clone() else { return Ok(rule) };
        let mut eased = Fragment::clone(&fragment);
        let holds = |set: &[u64], action: u32| {
            set.get(action as usize / 64).is_some_and(|word| word >> (action % 64) & 1 == 1)
        };
        eased.edges.retain_mut(|edge| {
            let Label::Act(action) = edge.label else { return true };
            if holds(&roles.idle, action) {
                edge.label = Label::Idle;
            }
            !holds(&roles.never, action)
        });
        let place = self.settle(&eased, true)?;
        let id = self.push_twin(at, place);
        let pace = eased.actions_in_a_row();
        let (machine, hears) = (self.all[at].machine.clone(), self.all[at].actions.is_none());
        let own = &mut self.all[id.0 as usize];
        (own.pace, own.actions) = (pace, pace.filter(|_| !hears));
        (own.machine, own.eases) = (machine, Some(roles.clone()));
        own.fragment = Some(Arc::new(eased));
        self.all[at].eased.insert(roles.clone(), id);
        Ok(id)
    }

    /// Whether `rule` does some of the actions that `roles` calls idle.
    pub(super) fn does_idle(&self, rule: RuleId, roles: &Roles) -> bool {
        let eases = &self.all[rule.0 as usize].eases;
        eases.as_ref().is_none_or(|known| {
            roles.idle.iter().zip(&*known.idle).any(|(idle, gone)| idle & !gone != 0)
        })
    }

    /// A rule that runs for rule number `at` in masks.
    fn push_twin(&mut self, at: usize, place: Place) -> RuleId {
        let id = RuleId(self.all.len() as u32);
        self.known.count += 1;
        self.twins += 1;
        self.all.push(Rule {
            source: self.all[at].source.clone(),
            machine: None,
            place: Some(place),
            fragment: None,
            actions: Some(0),
            pace: None,
            height: self.all[at].height,
            twins: FxHashMap::default(),
            eased: FxHashMap::default(),
            eases: None,
            closing: None,
        });
        id
    }

    /// A number above those of all rules that `rule` may run before it reads anything. Outlines
    /// have no left recursion, so there is one.
    pub(super) fn height(&mut self, rule: RuleId) -> Result<u32, LowerError> {
        let mut pending = vec![rule];
        let mut open = vec![false; 0];
        while let Some(&at) = pending.last() {
            if self.all[at.0 as usize].height.is_some() {
                pending.pop();
                continue;
            }
            let called = self.leading(at)?;
            open.resize(self.all.len(), false);
            let unknown = |rule: &&RuleId| self.all[rule.0 as usize].height.is_none();
            let next: Vec<RuleId> = called.iter().filter(unknown).copied().collect();
            // A rule that is met again while it is open would be left-recursive.
            if next.is_empty() || std::mem::replace(&mut open[at.0 as usize], true) {
                let heights = called.iter().filter_map(|rule| self.all[rule.0 as usize].height);
                let height = heights.max().map_or(0, |highest| highest + 1);
                self.all[at.0 as usize].height = Some(height);
                pending.pop();
            } else {
                pending.extend(next);
            }
        }
        Ok(self.all[rule.0 as usize].height.unwrap_or(0))
    }

    /// The rules that `rule` may run before it reads anything.
    fn leading(&mut self, rule: RuleId) -> Result<Vec<RuleId>, LowerError> {
        let place = self.place(rule)?;
        let table = self.tables[place.table as usize].clone();
        let mut called = Vec::new();
        let (mut pending, mut seen) = (vec![place.entry], Vec::new());
        while let Some(node) = pending.pop() {
            if seen.contains(&node) {
                continue;
            }
            seen.push(node);
            if let Some(exits) = &table.get(table.entry(node)?).exits {
                called.extend(exits.calls.iter().map(|call| call.0));
                pending.extend(exits.acts.iter().map(|act| act.1));
            }
        }
        Ok(called)
    }

    /// Lowers all rules but those of schemas.
    pub(super) fn place_eager(&mut self) -> Result<(), LowerError> {
        let mut at = 0;
        while at < self.all.len() {
            if !self.all[at].source.is_lazy() {
                self.place(RuleId(at as u32))?;
            }
            at += 1;
        }
        Ok(())
    }

    /// The bytes that some rule reads; lowers all of them.
    pub(super) fn alphabet(&mut self) -> Result<[bool; 256], LowerError> {
        let mut used = [false; 256];
        let mut at = 0;
        while at < self.all.len() {
            let place = self.place(RuleId(at as u32))?;
            self.tables[place.table as usize].alphabet(&mut used)?;
            at += 1;
        }
        Ok(used)
    }
}
