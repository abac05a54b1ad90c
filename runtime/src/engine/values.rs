//! What registers hold, interned for each rule, with what their machines allow.

use std::sync::Arc;

use blueprints_compiler::ir::Machine;
use blueprints_compiler::ir::machine::{Hearing, Owed, Role, Value};
use rustc_hash::FxHashMap;

use super::nfa::RuleId;

/// A value of the register of some rule; 0 where a rule has none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ValueId(u32);

impl ValueId {
    pub(super) const NONE: Self = Self(0);
    /// Whatever it is: that of a frame of which only the rule is known.
    pub(super) const OPEN: Self = Self(u32::MAX);
}

/// What stands for a value in masks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Abstract {
    /// Another value of the same rule, or itself.
    Value(ValueId),
    /// No value: within a token the same actions stay allowed, so the rule may run without its
    /// machine, with those actions free and the others gone.
    Stable,
}

struct Held {
    rule: RuleId,
    value: Value,
    machine: Arc<Machine>,
    /// The allowed actions as a set of bits.
    enabled: Arc<[u64]>,
    steps: FxHashMap<u32, Option<ValueId>>,
    abstracted: FxHashMap<u32, Abstract>,
    calm: Option<u32>,
    /// What actions are through so many actions, if some are idle, by the number of them.
    roles: FxHashMap<u32, Option<Roles>>,
}

/// Actions that need not be done, as sets of bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Roles {
    /// Those that are allowed and make no difference.
    pub(super) idle: Arc<[u64]>,
    /// Those that are not allowed.
    pub(super) never: Arc<[u64]>,
}

/// All values that matchers of a program have reached.
#[derive(Default)]
pub(super) struct Values {
    held: Vec<Held>,
    ids: FxHashMap<(RuleId, Value), ValueId>,
}

impl Values {
    /// The value with which `rule` starts.
    pub(super) fn start(&mut self, rule: RuleId, machine: &Arc<Machine>) -> ValueId {
        self.intern(rule, machine, machine.start())
    }

    fn intern(&mut self, rule: RuleId, machine: &Arc<Machine>, value: Value) -> ValueId {
        let key = (rule, value);
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let value = key.1.clone();
        let mut enabled = vec![0_u64; machine.actions().div_ceil(64) as usize];
        for (action, allowed) in machine.allowed(&value).into_iter().enumerate() {
            if allowed {
                enabled[action / 64] |= 1 << (action % 64);
            }
        }
        self.held.push(Held {
            rule,
            value,
            machine: machine.clone(),
            enabled: enabled.into(),
            steps: FxHashMap::default(),
            abstracted: FxHashMap::default(),
            calm: None,
            roles: FxHashMap::default(),
        });
        let id = ValueId(self.held.len() as u32);
        self.ids.insert(key, id);
        id
    }

    fn held(&self, id: ValueId) -> Option<&Held> {
        self.held.get((id.0 as usize).checked_sub(1)?)
    }

    /// The actions that `id` allows; `None` without a register.
    pub(super) fn enabled(&self, id: ValueId) -> Option<&Arc<[u64]>> {
        self.held(id).map(|held| &held.enabled)
    }

    /// What must come before the rule can end.
    pub(super) fn owed(&self, id: ValueId) -> Option<Owed> {
        self.held(id).and_then(|held| held.machine.owed(&held.value))
    }

    /// The value after `action`.
    pub(super) fn step(&mut self, id: ValueId, action: u32) -> Option<ValueId> {
        let held = self.held(id)?;
        if let Some(&known) = held.steps.get(&action) {
            return known;
        }
        let (rule, machine) = (held.rule, held.machine.clone());
        let value = machine.step(&held.value, action);
        let next = value.map(|value| self.intern(rule, &machine, value));
        self.held[id.0 as usize - 1].steps.insert(action, next);
        next
    }

    /// The value of a counter that is one higher, at most `max`.
    pub(super) fn count(&mut self, id: ValueId, max: u32) -> Option<ValueId> {
        let held = self.held(id)?;
        let next = held.value.first().copied().unwrap_or(0) + 1;
        let (rule, machine) = (held.rule, held.machine.clone());
        (next <= max).then(|| self.intern(rule, &machine, [next].into()))
    }

    /// The value after the machine has heard `byte`.
    pub(super) fn hear(&mut self, id: ValueId, byte: u8) -> Option<ValueId> {
        let held = self.held(id)?;
        let (rule, machine) = (held.rule, held.machine.clone());
        let value = machine.read(&held.value, byte)?;
        Some(self.intern(rule, &machine, value))
    }

    /// What the machine may refuse of what it hears, if it can tell.
    pub(super) fn hearing(&self, id: ValueId) -> Option<Hearing> {
        self.held(id).and_then(|held| held.machine.hearing(&held.value))
    }

    /// Whether the machine allows all of `bytes`, which it hears.
    pub(super) fn hears(&self, id: ValueId, bytes: &[u8]) -> bool {
        let Some(held) = self.held(id) else { return true };
        let read = |value: Value, byte: &u8| held.machine.read(&value, *byte);
        bytes.iter().try_fold(held.value.clone(), read).is_some()
    }

    /// What stands for the value when at most `span` actions follow; `stable` says whether the
    /// rule may run without its machine at all.
    pub(super) fn abstracted(&mut self, id: ValueId, span: u32, stable: bool) -> Abstract {
        let Some(held) = self.held(id) else { return Abstract::Value(id) };
        if let Some(&known) = held.abstracted.get(&span) {
            return known;
        }
        let (rule, machine) = (held.rule, held.machine.clone());
        let (value, enabled) = (held.value.clone(), held.enabled.clone());
        let abstracted = if stable && is_stable(&machine, &value, &enabled, span) {
            Abstract::Stable
        } else {
            Abstract::Value(self.intern(rule, &machine, machine.abstracted(&value, span)))
        };
        self.held[id.0 as usize - 1].abstracted.insert(span, abstracted);
        abstracted
    }

    /// The most actions of a run, of the powers of two up to `most`, through which the value and
    /// what it allows stay as they are; 0 if there is none.
    pub(super) fn calm(&mut self, id: ValueId, most: u32) -> u32 {
        let Some(held) = self.held(id) else { return most };
        if let Some(known) = held.calm {
            return known;
        }
        let (machine, value, enabled) =
            (held.machine.clone(), held.value.clone(), held.enabled.clone());
        let mut span = most.next_power_of_two();
        while span > 0 && !is_stable(&machine, &value, &enabled, span) {
            span /= 2;
        }
        self.held[id.0 as usize - 1].calm = Some(span);
        span
    }

    /// What actions are to runs of at most `span` of them, if some are idle.
    pub(super) fn roles(&mut self, id: ValueId, span: u32) -> Option<Roles> {
        let held = self.held.get_mut((id.0 as usize).checked_sub(1)?)?;
        if let Some(known) = held.roles.get(&span) {
            return known.clone();
        }
        let roles = held.machine.roles(&held.value, span);
        let set = |wanted: Role| -> Arc<[u64]> {
            let mut set = vec![0_u64; roles.len().div_ceil(64)];
            for (action, _) in roles.iter().enumerate().filter(|(_, role)| **role == wanted) {
                set[action / 64] |= 1 << (action % 64);
            }
            set.into()
        };
        let some = roles.contains(&Role::Idle);
        let roles = some.then(|| Roles { idle: set(Role::Idle), never: set(Role::Never) });
        held.roles.insert(span, roles.clone());
        roles
    }

    /// The value that stands for `id` in `rule`, whose machine is the same, when at most `span`
    /// actions follow.
    pub(super) fn eased(&mut self, id: ValueId, rule: RuleId, span: u32) -> ValueId {
        let Some(held) = self.held(id) else { return id };
        let machine = held.machine.clone();
        let value = machine.abstracted(&held.value, span);
        self.intern(rule, &machine, value)
    }

    /// The bytes of memory that they take, about.
    pub(super) fn bytes(&self) -> usize {
        let words = |held: &Held| 2 * 4 * held.value.len() + 8 * held.enabled.len();
        let steps = |held: &Held| held.steps.len() * 2 * size_of::<(u32, Option<ValueId>)>();
        self.held.iter().map(|held| size_of::<Held>() + words(held) + steps(held)).sum()
    }
}

/// Whether through `span` actions the value stays as good as it is.
fn is_stable(machine: &Machine, value: &Value, enabled: &[u64], span: u32) -> bool {
    let representative = machine.abstracted(value, span);
    let same = |action: u32| {
        machine
            .step(value, action)
            .is_some_and(|next| machine.abstracted(&next, span.saturating_sub(1)) == representative)
    };
    let allowed = |action: &u32| enabled[*action as usize / 64] >> (action % 64) & 1 == 1;
    (0..machine.actions()).filter(allowed).all(same)
}
