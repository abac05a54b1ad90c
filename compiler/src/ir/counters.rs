//! A machine of counters that stop at a bound and are compared with constants.

use std::fmt::{self, Display};

use super::machine::{Role, Value};

/// Counters with the actions on them. Whoever builds them sees to it that no action leads where
/// the part cannot end.
#[derive(Clone, PartialEq, Debug)]
pub struct Counters {
    /// The bound of each counter, from where it grows no further.
    caps: Vec<u32>,
    actions: Vec<Action>,
    /// The constants that each counter is compared with, ascending.
    tests: Vec<Vec<u32>>,
    /// The most that one action adds to each counter.
    growth: Vec<u32>,
    /// What actions set each counter to.
    sets: Vec<Vec<u32>>,
}

/// What an action needs and does.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// When it is allowed.
    pub when: Condition,
    /// What it does, in order.
    pub effects: Vec<Effect>,
}

/// A test of the counters.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// Holds always.
    Always,
    /// The counter is at least `count`.
    AtLeast {
        /// The counter's number.
        counter: usize,
        /// The constant.
        count: u32,
    },
    /// It does not hold.
    Not(Box<Self>),
    /// All of them hold.
    All(Vec<Self>),
    /// Some of them holds.
    Any(Vec<Self>),
}

/// A change of one counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Adds to the counter, up to its bound.
    Add {
        /// The counter's number.
        counter: usize,
        /// How much.
        by: u32,
    },
    /// Sets the counter, at most to its bound.
    Set {
        /// The counter's number.
        counter: usize,
        /// The new count.
        to: u32,
    },
}

impl Condition {
    /// `counter` is at least `count`.
    #[must_use]
    pub fn at_least(counter: usize, count: u32) -> Self {
        if count == 0 { Self::Always } else { Self::AtLeast { counter, count } }
    }

    /// `counter` is below `count`.
    #[must_use]
    pub fn below(counter: usize, count: u32) -> Self {
        Self::Not(Box::new(Self::at_least(counter, count)))
    }

    fn holds(&self, value: &[u32]) -> bool {
        match self {
            Self::Always => true,
            Self::AtLeast { counter, count } => value.get(*counter).is_some_and(|at| at >= count),
            Self::Not(inner) => !inner.holds(value),
            Self::All(all) => all.iter().all(|one| one.holds(value)),
            Self::Any(any) => any.iter().any(|one| one.holds(value)),
        }
    }

    /// Whether `holds` is true of every counter that is tested.
    fn all_counters(&self, holds: &impl Fn(usize) -> bool) -> bool {
        match self {
            Self::Always => true,
            Self::AtLeast { counter, .. } => holds(*counter),
            Self::Not(inner) => inner.all_counters(holds),
            Self::All(several) | Self::Any(several) => {
                several.iter().all(|one| one.all_counters(holds))
            }
        }
    }

    fn tests(&self, found: &mut Vec<Vec<u32>>) {
        match self {
            Self::Always => {}
            Self::AtLeast { counter, count } => {
                if let Some(tests) = found.get_mut(*counter) {
                    tests.push(*count);
                }
            }
            Self::Not(inner) => inner.tests(found),
            Self::All(several) | Self::Any(several) => {
                several.iter().for_each(|one| one.tests(found));
            }
        }
    }
}

impl Counters {
    /// `count` counters, all 0 at the beginning. A counter's bound is the largest constant that
    /// it is compared with. Conditions and effects on counters that do not exist never hold and
    /// do nothing.
    #[must_use]
    pub fn new(count: usize, actions: Vec<Action>) -> Self {
        let mut tests = vec![Vec::new(); count];
        let mut growth = vec![0; count];
        let mut sets = vec![Vec::new(); count];
        for action in &actions {
            action.when.tests(&mut tests);
            for effect in &action.effects {
                match *effect {
                    Effect::Add { counter, by } => {
                        growth.get_mut(counter).into_iter().for_each(|most| *most = by.max(*most));
                    }
                    Effect::Set { counter, to } => {
                        sets.get_mut(counter).into_iter().for_each(|sets| sets.push(to));
                    }
                }
            }
        }
        for constants in tests.iter_mut().chain(&mut sets) {
            constants.sort_unstable();
            constants.dedup();
        }
        let caps = tests.iter().map(|tests| tests.last().copied().unwrap_or(0)).collect();
        Self { caps, actions, tests, growth, sets }
    }

    /// Action 0 is one more, at most `max` times; action 1 is the end, after at least `min`.
    #[must_use]
    pub fn between(min: u32, max: Option<u32>) -> Self {
        let more = max.map_or(Condition::Always, |max| Condition::below(0, max));
        let one = Effect::Add { counter: 0, by: 1 };
        Self::new(
            1,
            vec![
                Action { when: more, effects: vec![one] },
                Action { when: Condition::at_least(0, min), effects: Vec::new() },
            ],
        )
    }

    /// The number of counters.
    #[must_use]
    pub fn count(&self) -> usize {
        self.caps.len()
    }

    /// The actions, in order of their numbers.
    #[must_use]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    pub(super) fn start(&self) -> Value {
        vec![0; self.caps.len()].into()
    }

    pub(super) fn step(&self, value: &Value, action: u32) -> Option<Value> {
        let action = self.actions.get(action as usize)?;
        if !action.when.holds(value) {
            return None;
        }
        let mut next = value.clone();
        for effect in &action.effects {
            let (counter, count) = match *effect {
                Effect::Add { counter, by } => {
                    (counter, next.get(counter).map_or(0, |count| count.saturating_add(by)))
                }
                Effect::Set { counter, to } => (counter, to),
            };
            if let Some(slot) = next.get_mut(counter) {
                *slot = count.min(self.caps[counter]);
            }
        }
        Some(next)
    }

    /// Between two constants that it is compared with, a counter is as good as at the lower one,
    /// if `span` actions do not take it to the upper one.
    pub(super) fn abstracted(&self, value: &Value, span: u32) -> Value {
        let mut abstracted = value.clone();
        for (counter, slot) in abstracted.iter_mut().enumerate() {
            let tests = &self.tests[counter];
            let reach = slot.saturating_add(span.saturating_mul(self.growth[counter]));
            let next = tests.partition_point(|test| test <= slot);
            if tests.get(next).is_none_or(|&test| reach < test) {
                *slot = next.checked_sub(1).map_or(0, |at| tests[at]);
            }
        }
        abstracted
    }

    /// What each action is to all runs of at most `span` actions.
    pub(super) fn roles(&self, value: &Value, span: u32) -> Vec<Role> {
        // Of each counter, whether adding to it never takes it past a constant, and whether it
        // stands between the same constants all along.
        let mut quiet = vec![(false, false); self.caps.len()];
        for (counter, &at) in value.iter().enumerate() {
            let tests = &self.tests[counter];
            let below = |count: u32| tests.partition_point(|test| *test <= count);
            let most = span.saturating_mul(self.growth[counter]);
            let within = |count: u32| below(count) == below(count.saturating_add(most));
            let sets = &self.sets[counter];
            let adds = within(at) && sets.iter().all(|&to| within(to));
            quiet[counter] = (adds, adds && sets.iter().all(|&to| below(to) == below(at)));
        }
        let role = |action: &Action| {
            if !action.when.all_counters(&|counter| quiet.get(counter).is_none_or(|is| is.1)) {
                return Role::Counts;
            }
            let idle = |effect: &Effect| match effect {
                Effect::Add { counter, .. } => quiet.get(*counter).is_none_or(|is| is.0),
                Effect::Set { .. } => false,
            };
            match (action.when.holds(value), action.effects.iter().all(idle)) {
                (false, _) => Role::Never,
                (true, true) => Role::Idle,
                (true, false) => Role::Counts,
            }
        };
        self.actions.iter().map(role).collect()
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = |f: &mut fmt::Formatter<'_>, word: &str, parts: &[Self]| {
            write!(f, "{word}(")?;
            for (at, part) in parts.iter().enumerate() {
                write!(f, "{}{part}", if at == 0 { "" } else { " " })?;
            }
            f.write_str(")")
        };
        match self {
            Self::Always => f.write_str("always"),
            Self::AtLeast { counter, count } => write!(f, "{counter}>={count}"),
            Self::Not(inner) => write!(f, "not({inner})"),
            Self::All(parts) => several(f, "all", parts),
            Self::Any(parts) => several(f, "any", parts),
        }
    }
}

impl Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "counters {}", self.caps.len())?;
        for action in &self.actions {
            write!(f, "; {}", action.when)?;
            for effect in &action.effects {
                match effect {
                    Effect::Add { counter, by } => write!(f, " {counter}+{by}")?,
                    Effect::Set { counter, to } => write!(f, " {counter}={to}")?,
                }
            }
        }
        Ok(())
    }
}

/// Reads the printed form.
impl std::str::FromStr for Counters {
    type Err = ();

    fn from_str(printed: &str) -> Result<Self, ()> {
        let mut pieces = printed.split("; ");
        let count = pieces.next().and_then(|head| head.strip_prefix("counters ")).ok_or(())?;
        let count: u16 = count.parse().map_err(|_| ())?;
        let mut actions = Vec::new();
        for piece in pieces {
            let mut rest = piece;
            let when = condition(&mut rest, 0)?;
            let mut effects = Vec::new();
            for word in rest.split(' ').filter(|word| !word.is_empty()) {
                let at = word.find(['+', '=']).ok_or(())?;
                let counter = word[..at].parse().map_err(|_| ())?;
                let number = word[at + 1..].parse().map_err(|_| ())?;
                effects.push(match &word[at..=at] {
                    "+" => Effect::Add { counter, by: number },
                    _ => Effect::Set { counter, to: number },
                });
            }
            actions.push(Action { when, effects });
        }
        Ok(Self::new(usize::from(count), actions))
    }
}

/// How deep printed conditions may nest.
const DEPTH_MAX: usize = 50;

fn condition(rest: &mut &str, depth: usize) -> Result<Condition, ()> {
    if depth > DEPTH_MAX {
        return Err(());
    }
    if let Some(after) = rest.strip_prefix("always") {
        *rest = after;
        return Ok(Condition::Always);
    }
    for word in ["not(", "all(", "any("] {
        let Some(after) = rest.strip_prefix(word) else { continue };
        *rest = after;
        let mut parts = Vec::new();
        while !rest.starts_with(')') {
            *rest = rest.trim_start_matches(' ');
            parts.push(condition(rest, depth + 1)?);
        }
        *rest = &rest[1..];
        return match (word, parts.len()) {
            ("all(", _) => Ok(Condition::All(parts)),
            ("any(", _) => Ok(Condition::Any(parts)),
            (_, 1) => Ok(Condition::Not(Box::new(parts.remove(0)))),
            _ => Err(()),
        };
    }
    let end = rest.find([' ', ')']).unwrap_or(rest.len());
    let (counter, count) = rest[..end].split_once(">=").ok_or(())?;
    let (counter, count) = (counter.parse().map_err(|_| ())?, count.parse().map_err(|_| ())?);
    *rest = &rest[end..];
    Ok(Condition::AtLeast { counter, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(counters: &Counters, actions: &[u32]) -> Option<Value> {
        actions.iter().try_fold(counters.start(), |value, &action| counters.step(&value, action))
    }

    #[test]
    fn counts_between_bounds() {
        let counters = Counters::between(2, Some(3));
        assert!(run(&counters, &[0, 1]).is_none());
        assert!(run(&counters, &[0, 0, 1]).is_some());
        assert!(run(&counters, &[0, 0, 0, 1]).is_some());
        assert!(run(&counters, &[0, 0, 0, 0]).is_none());
        let endless = Counters::between(2, None);
        assert_eq!(run(&endless, &[0; 5]), run(&endless, &[0; 2]), "saturates");
    }

    #[test]
    fn counts_that_no_short_run_tells_apart_are_one() {
        let counters = Counters::between(100, Some(1000));
        let value = |count: u32| -> Value { vec![count].into() };
        assert_eq!(counters.abstracted(&value(3), 10), value(0));
        assert_eq!(counters.abstracted(&value(89), 10), value(0));
        assert_eq!(counters.abstracted(&value(90), 10), value(90));
        assert_eq!(counters.abstracted(&value(500), 10), value(100));
        assert_eq!(counters.abstracted(&value(990), 10), value(990));
        assert_eq!(counters.abstracted(&value(1000), 10), value(1000));
    }

    #[test]
    fn actions_far_from_all_constants_are_idle() {
        let label = Effect::Set { counter: 1, to: 0 };
        let one = |counter: usize| Effect::Add { counter, by: 1 };
        let below = |counter, count| Condition::below(counter, count);
        let counters = Counters::new(
            2,
            vec![
                Action { when: below(1, 63), effects: vec![one(0), one(1)] },
                Action { when: below(0, 250), effects: vec![one(0), label] },
                Action { when: Condition::at_least(0, 40), effects: Vec::new() },
            ],
        );
        let roles = |all: [u32; 2], span| counters.roles(&vec![all[0], all[1]].into(), span);
        assert_eq!(roles([0, 0], 20), [Role::Idle, Role::Counts, Role::Never]);
        assert_eq!(roles([30, 20], 20), [Role::Counts; 3], "the end may come to be allowed");
        assert_eq!(roles([50, 20], 20), [Role::Idle, Role::Counts, Role::Idle]);
        assert_eq!(roles([50, 43], 20), [Role::Counts, Role::Counts, Role::Idle]);
        assert_eq!(roles([50, 20], 63), [Role::Counts, Role::Counts, Role::Idle], "after a dot");
    }

    #[test]
    fn prints_and_reads_back() {
        let not = Condition::below(1, 7);
        let both = Condition::All(vec![Condition::at_least(0, 3), not.clone()]);
        let either = Condition::Any(vec![both.clone(), Condition::Always]);
        let effects = vec![Effect::Add { counter: 0, by: 2 }, Effect::Set { counter: 1, to: 4 }];
        let actions = [not, both, either].map(|when| Action { when, effects: effects.clone() });
        let counters = Counters::new(2, actions.into());
        assert_eq!(counters.to_string().parse(), Ok(counters));
    }
}
