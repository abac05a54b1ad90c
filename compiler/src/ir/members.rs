//! The machine of an object: which members were seen, and what must still come.
//!
//! A register holds how many members there are (as far as a bound asks), which of the declared
//! keys were seen, and which facts members have made true. An action adds a member of a declared
//! key or of an open class of keys; the last one closes the object. A value is alive if and only
//! if some further members make closing possible.

use std::fmt::{self, Display};

use super::machine::Value;

/// The machine of the members of an object.
#[derive(Clone, PartialEq, Debug)]
pub struct Members {
    /// Declared keys: each stands at most once.
    pub keys: u32,
    /// What a member is, by action. The action after them closes the object.
    pub members: Vec<Member>,
    /// Declared keys that must be there, ascending.
    pub required: Vec<u32>,
    /// Facts that members may make true.
    pub facts: u32,
    /// The fewest members.
    pub min: u32,
    /// The most members.
    pub max: Option<u32>,
    /// What must hold at the end of the declared keys, the facts and the number of members.
    pub tests: Vec<Test>,
    /// Whether declared keys stand in their order, with the others after them.
    pub ordered: bool,
}

/// A kind of members.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// Its declared key, or `None` in an open class of keys.
    pub key: Option<u32>,
    /// The facts that it makes true, ascending.
    pub facts: Vec<u32>,
}

/// A condition on an object, with `not` pushed inside.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// The declared key is there.
    Has(u32),
    /// The declared key is not there.
    Lacks(u32),
    /// Some member has made the fact true.
    Is(u32),
    /// No member has made the fact true.
    IsNot(u32),
    /// There are at least so many members.
    AtLeast(u32),
    /// There are at most so many members.
    AtMost(u32),
    /// All of them.
    All(Vec<Test>),
    /// Any of them.
    Any(Vec<Test>),
}

/// The most steps that one question about a value takes; a question that takes more is answered
/// as if closing were possible.
const STEPS_MAX: u32 = 20_000;

/// A set of small numbers.
type Bits = Vec<u32>;

/// A value, unpacked.
#[derive(Clone)]
struct Seen {
    count: u32,
    facts: Bits,
    keys: Bits,
    /// Whether a member of an open class was seen.
    open: bool,
}

/// What is asked of the members to come.
#[derive(Clone)]
struct Goal {
    must: Bits,
    not: Bits,
    need: Bits,
    avoid: Bits,
    min: u32,
    max: Option<u32>,
}

fn has(bits: &[u32], at: u32) -> bool {
    bits.get(at as usize / 32).is_some_and(|word| word >> (at % 32) & 1 == 1)
}

fn insert(bits: &mut [u32], at: u32) {
    if let Some(word) = bits.get_mut(at as usize / 32) {
        *word |= 1 << (at % 32);
    }
}

fn words(count: u32) -> usize {
    count.div_ceil(32) as usize
}

impl Members {
    pub(super) fn start(&self) -> Value {
        self.packed(&Seen {
            count: 0,
            facts: vec![0; words(self.facts)],
            keys: vec![0; words(self.keys)],
            open: false,
        })
    }

    /// Whether any object at all can be closed.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.can_close(&self.unpacked(&self.start()))
    }

    pub(super) fn actions(&self) -> u32 {
        self.members.len() as u32 + 1
    }

    pub(super) fn step(&self, value: &Value, action: u32) -> Option<Value> {
        let mut seen = self.unpacked(value);
        let Some(member) = self.members.get(action as usize) else {
            let closed = action == self.members.len() as u32 && self.may_close(&seen);
            return closed.then(|| value.clone());
        };
        self.take(&mut seen, member).then_some(())?;
        self.can_close(&seen).then(|| self.packed(&seen))
    }

    /// Adds `member`, if its key may come now.
    fn take(&self, seen: &mut Seen, member: &Member) -> bool {
        match member.key {
            Some(key) => {
                if has(&seen.keys, key) || (self.ordered && self.is_past(seen, key)) {
                    return false;
                }
                insert(&mut seen.keys, key);
            }
            None => seen.open |= self.ordered,
        }
        member.facts.iter().for_each(|fact| insert(&mut seen.facts, *fact));
        seen.count = (seen.count + 1).min(self.count_max());
        true
    }

    /// Whether a key stands before what was seen already.
    fn is_past(&self, seen: &Seen, key: u32) -> bool {
        if seen.open {
            return true;
        }
        let word = key as usize / 32;
        let later = seen.keys[word] >> (key % 32) >> 1;
        later != 0 || seen.keys[word + 1..].iter().any(|word| *word != 0)
    }

    /// From this many members on, the number makes no difference.
    fn count_max(&self) -> u32 {
        let tests = self.tests.iter().map(Test::count_max).max().unwrap_or(0);
        let bound = self.max.map_or(self.min, |max| max.saturating_add(1)).max(self.min);
        bound.max(tests)
    }

    fn packed(&self, seen: &Seen) -> Value {
        let mut value = Vec::with_capacity(1 + seen.facts.len() + seen.keys.len());
        value.push(seen.count << 1 | u32::from(seen.open));
        value.extend(&seen.facts);
        value.extend(&seen.keys);
        value.into()
    }

    fn unpacked(&self, value: &Value) -> Seen {
        let (first, rest) = value.split_first().unwrap_or((&0, &[]));
        let (facts, keys) = rest.split_at(words(self.facts).min(rest.len()));
        Seen { count: first >> 1, open: first & 1 == 1, facts: facts.to_vec(), keys: keys.to_vec() }
    }

    fn may_close(&self, seen: &Seen) -> bool {
        seen.count >= self.min
            && self.max.is_none_or(|max| seen.count <= max)
            && self.required.iter().all(|key| has(&seen.keys, *key))
            && self.tests.iter().all(|test| test.holds(seen))
    }

    fn can_close(&self, seen: &Seen) -> bool {
        let mut must = vec![0; words(self.keys)];
        self.required.iter().for_each(|key| insert(&mut must, *key));
        let not = vec![0; words(self.keys)];
        let (need, avoid) = (vec![0; words(self.facts)], vec![0; words(self.facts)]);
        let goal = Goal { must, not, need, avoid, min: self.min, max: self.max };
        let tests: Vec<&Test> = self.tests.iter().collect();
        let mut steps = STEPS_MAX;
        self.solve(seen, &goal, &tests, &mut steps) || steps == 0
    }

    /// Whether members can come after `seen` after which `goal` and all `tests` hold.
    fn solve(&self, seen: &Seen, goal: &Goal, tests: &[&Test], steps: &mut u32) -> bool {
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        let Some((test, rest)) = tests.split_first() else {
            return self.is_reachable(seen, seen, goal, steps);
        };
        let mut goal = goal.clone();
        match test {
            Test::Has(key) => insert(&mut goal.must, *key),
            Test::Lacks(key) if has(&seen.keys, *key) => return false,
            Test::Lacks(key) => insert(&mut goal.not, *key),
            Test::Is(fact) => insert(&mut goal.need, *fact),
            Test::IsNot(fact) if has(&seen.facts, *fact) => return false,
            Test::IsNot(fact) => insert(&mut goal.avoid, *fact),
            Test::AtLeast(count) => goal.min = goal.min.max(*count),
            Test::AtMost(count) => {
                goal.max = Some(goal.max.map_or(*count, |max| max.min(*count)));
            }
            Test::All(parts) => {
                let all: Vec<&Test> = parts.iter().chain(rest.iter().copied()).collect();
                return self.solve(seen, &goal, &all, steps);
            }
            Test::Any(arms) => {
                return arms.iter().any(|arm| {
                    let mut all = vec![arm];
                    all.extend(rest);
                    self.solve(seen, &goal, &all, steps)
                });
            }
        }
        if !self.is_possible(seen, &goal) {
            return false;
        }
        self.solve(seen, &goal, rest, steps)
    }

    /// Whether nothing in `goal` is against itself or what was seen.
    fn is_possible(&self, seen: &Seen, goal: &Goal) -> bool {
        let clash = goal.must.iter().zip(&goal.not).any(|(must, not)| must & not != 0);
        let lost = seen.keys.iter().zip(&goal.not).any(|(seen, not)| seen & not != 0);
        let both = goal.need.iter().zip(&goal.avoid).any(|(need, avoid)| need & avoid != 0);
        !clash && !lost && !both && goal.max.is_none_or(|max| goal.min <= max && seen.count <= max)
    }

    fn is_reachable(&self, now: &Seen, seen: &Seen, goal: &Goal, steps: &mut u32) -> bool {
        if *steps == 0 || !self.is_possible(seen, goal) {
            return false;
        }
        *steps -= 1;
        let missing = |fact: &u32| has(&goal.need, *fact) && !has(&seen.facts, *fact);
        if let Some(fact) = (0..self.facts).find(missing) {
            let providers = self.members.iter().filter(|member| member.facts.contains(&fact));
            for member in providers {
                // Whether it comes now or later is all the same, so order is not asked about.
                let late = member.key.is_some_and(|key| self.ordered && self.is_past(now, key));
                let barred = member.key.is_some_and(|key| has(&goal.not, key))
                    || member.facts.iter().any(|fact| has(&goal.avoid, *fact));
                let mut next = seen.clone();
                if late || barred || !self.take_anywhere(&mut next, member) {
                    continue;
                }
                if self.is_reachable(now, &next, goal, steps) {
                    return true;
                }
            }
            return false;
        }
        self.is_countable(now, seen, goal)
    }

    /// As `take`, without order.
    fn take_anywhere(&self, seen: &mut Seen, member: &Member) -> bool {
        if let Some(key) = member.key {
            if has(&seen.keys, key) {
                return false;
            }
            insert(&mut seen.keys, key);
        }
        member.facts.iter().for_each(|fact| insert(&mut seen.facts, *fact));
        seen.count = (seen.count + 1).min(self.count_max());
        true
    }

    /// Whether the keys that must come and enough others fit.
    fn is_countable(&self, now: &Seen, seen: &Seen, goal: &Goal) -> bool {
        let mut possible = vec![0_u32; words(self.keys)];
        let mut endless = false;
        for member in &self.members {
            if member.facts.iter().any(|fact| has(&goal.avoid, *fact)) {
                continue;
            }
            match member.key {
                Some(key) if !self.ordered || !self.is_past(now, key) => {
                    insert(&mut possible, key);
                }
                Some(_) => {}
                None => endless = true,
            }
        }
        let (mut missing, mut others) = (0, 0);
        for (at, possible) in possible.iter().enumerate() {
            let needed = goal.must[at] & !seen.keys[at];
            if needed & !possible != 0 {
                return false;
            }
            missing += needed.count_ones();
            others += (possible & !seen.keys[at] & !goal.must[at] & !goal.not[at]).count_ones();
        }
        let count = seen.count.saturating_add(missing);
        if goal.max.is_some_and(|max| count > max) {
            return false;
        }
        endless || count.saturating_add(others) >= goal.min
    }
}

impl Test {
    fn holds(&self, seen: &Seen) -> bool {
        match self {
            Self::Has(key) => has(&seen.keys, *key),
            Self::Lacks(key) => !has(&seen.keys, *key),
            Self::Is(fact) => has(&seen.facts, *fact),
            Self::IsNot(fact) => !has(&seen.facts, *fact),
            Self::AtLeast(count) => seen.count >= *count,
            Self::AtMost(count) => seen.count <= *count,
            Self::All(parts) => parts.iter().all(|part| part.holds(seen)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(seen)),
        }
    }

    fn count_max(&self) -> u32 {
        match self {
            Self::Has(_) | Self::Lacks(_) | Self::Is(_) | Self::IsNot(_) => 0,
            Self::AtLeast(count) => *count,
            Self::AtMost(count) => count.saturating_add(1),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().map(Self::count_max).max().unwrap_or(0)
            }
        }
    }
}

impl Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "members keys={} required={}", self.keys, self.required.len())?;
        write!(f, " min={}", self.min)?;
        self.max.iter().try_for_each(|max| write!(f, " max={max}"))
    }
}
