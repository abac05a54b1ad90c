//! The machine of an object: which members were seen, and what must still come.
//!
//! A register holds how many members there are, as far as a bound asks, and which declared keys
//! and facts were seen. An action adds a member of a declared key or of an open class of keys; the
//! last one closes the object. A value is alive if and only if more members may lead to that.

use super::conditions::{Bits, Seen, Test, has, insert, words};
use super::machine::Value;
use super::owed::{Owed, OwedGroup};

/// What an object asks of its members.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Asked {
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

/// The machine of the members of an object.
#[derive(Clone, PartialEq, Debug)]
pub struct Members {
    asked: Asked,
    required: Bits,
    /// The declared keys that some member has.
    possible: Bits,
    /// Whether some member is in an open class of keys.
    endless: bool,
    /// From this many members on, the number makes no difference.
    count_max: u32,
}

/// A kind of members.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// Its declared key, or `None` in an open class of keys.
    pub key: Option<u32>,
    /// The facts that it makes true, ascending.
    pub facts: Vec<u32>,
}

/// The most steps that one question about a value takes; a question that takes more is answered
/// as if closing were possible.
const STEPS_MAX: u32 = 20_000;

/// A test still to be held, with those after it.
struct Pending<'a> {
    test: &'a Test,
    rest: Option<&'a Pending<'a>>,
}

/// Whether, and how, an object can be closed.
enum Way {
    Found(Goal),
    None,
    /// It takes too many steps to tell.
    Unknown,
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

impl Members {
    /// The machine for what is asked.
    #[must_use]
    pub fn new(asked: Asked) -> Self {
        let mut required = vec![0; words(asked.keys)];
        asked.required.iter().for_each(|key| insert(&mut required, *key));
        let mut possible = vec![0; words(asked.keys)];
        let mut endless = false;
        for member in &asked.members {
            match member.key {
                Some(key) => insert(&mut possible, key),
                None => endless = true,
            }
        }
        let tests = asked.tests.iter().map(Test::count_max).max().unwrap_or(0);
        let bound = asked.max.map_or(asked.min, |max| max.saturating_add(1)).max(asked.min);
        Self { count_max: bound.max(tests), asked, required, possible, endless }
    }

    /// What it asks.
    #[must_use]
    pub fn asked(&self) -> &Asked {
        &self.asked
    }

    pub(super) fn start(&self) -> Value {
        self.packed(&Seen {
            count: 0,
            facts: vec![0; words(self.asked.facts)],
            keys: vec![0; words(self.asked.keys)],
            open: false,
        })
    }

    /// Whether any object at all can be closed.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.can_close(&self.unpacked(&self.start()))
    }

    pub(super) fn actions(&self) -> u32 {
        self.asked.members.len() as u32 + 1
    }

    pub(super) fn step(&self, value: &Value, action: u32) -> Option<Value> {
        let mut seen = self.unpacked(value);
        let Some(member) = self.asked.members.get(action as usize) else {
            let closed = action == self.asked.members.len() as u32 && self.may_close(&seen);
            return closed.then(|| value.clone());
        };
        self.take(&mut seen, member).then_some(())?;
        self.can_close(&seen).then(|| self.packed(&seen))
    }

    /// Adds `member`, if its key may come now.
    fn take(&self, seen: &mut Seen, member: &Member) -> bool {
        match member.key {
            Some(key) => {
                if has(&seen.keys, key) || (self.asked.ordered && self.is_past(seen, key)) {
                    return false;
                }
                insert(&mut seen.keys, key);
            }
            None => seen.open |= self.asked.ordered,
        }
        member.facts.iter().for_each(|fact| insert(&mut seen.facts, *fact));
        seen.count = (seen.count + 1).min(self.count_max);
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

    fn packed(&self, seen: &Seen) -> Value {
        let mut value = Vec::with_capacity(1 + seen.facts.len() + seen.keys.len());
        value.push(seen.count << 1 | u32::from(seen.open));
        value.extend(&seen.facts);
        value.extend(&seen.keys);
        value.into()
    }

    fn unpacked(&self, value: &Value) -> Seen {
        let (first, rest) = value.split_first().unwrap_or((&0, &[]));
        let (facts, keys) = rest.split_at(words(self.asked.facts).min(rest.len()));
        Seen { count: first >> 1, open: first & 1 == 1, facts: facts.to_vec(), keys: keys.to_vec() }
    }

    /// The required keys that are missing, what the tests still need, and as many members besides
    /// as are too few.
    pub(super) fn owed(&self, value: &Value) -> Owed {
        let seen = self.unpacked(value);
        let required = self.asked.required.iter().map(|key| self.serving(&seen, &Test::Has(*key)));
        let tests = self.asked.tests.iter().map(|test| self.serving(&seen, test));
        let mut groups: Vec<OwedGroup> = Vec::new();
        for any_of in required.chain(tests).flatten() {
            OwedGroup { any_of, count: 1 }.join(&mut groups);
        }
        let count = self.asked.min.saturating_sub(seen.count).saturating_sub(groups.len() as u32);
        if count > 0 {
            let any_of = (0..self.asked.members.len() as u32).collect();
            groups.push(OwedGroup { any_of, count });
        }
        Owed { close: self.asked.members.len() as u32, groups }
    }

    /// Members of which at least one must come for `test` to hold, if it takes any.
    fn serving(&self, seen: &Seen, test: &Test) -> Option<Vec<u32>> {
        if test.holds(seen) {
            return None;
        }
        let serve = |member: &Member| match test {
            Test::Has(key) => member.key == Some(*key),
            Test::Is(fact) => member.facts.contains(fact),
            _ => false,
        };
        match test {
            Test::All(parts) => parts.iter().find_map(|part| self.serving(seen, part)),
            Test::Any(arms) => {
                let arms: Option<Vec<_>> = arms.iter().map(|arm| self.serving(seen, arm)).collect();
                let mut all: Vec<u32> = arms?.into_iter().flatten().collect();
                all.sort_unstable();
                all.dedup();
                Some(all)
            }
            Test::Has(_) | Test::Is(_) => {
                let members = (0..).zip(&self.asked.members);
                Some(members.filter(|(_, member)| serve(member)).map(|(at, _)| at).collect())
            }
            Test::Lacks(_) | Test::IsNot(_) | Test::AtLeast(_) | Test::AtMost(_) => None,
        }
    }

    fn may_close(&self, seen: &Seen) -> bool {
        seen.count >= self.asked.min
            && self.asked.max.is_none_or(|max| seen.count <= max)
            && self.asked.required.iter().all(|key| has(&seen.keys, *key))
            && self.asked.tests.iter().all(|test| test.holds(seen))
    }

    fn can_close(&self, seen: &Seen) -> bool {
        match self.asked.tests.is_empty() {
            true => self.fits(seen),
            // A question that takes too long is answered as if there were a way.
            false => !matches!(self.way(seen), Way::None),
        }
    }

    /// What further members make closing possible.
    fn way(&self, seen: &Seen) -> Way {
        let must = self.required.clone();
        let not = vec![0; words(self.asked.keys)];
        let (need, avoid) = (vec![0; words(self.asked.facts)], vec![0; words(self.asked.facts)]);
        let goal = Goal { must, not, need, avoid, min: self.asked.min, max: self.asked.max };
        let mut steps = STEPS_MAX;
        match self.solve(seen, &goal, None, 0, &mut steps) {
            Some(goal) => Way::Found(goal),
            None if steps == 0 => Way::Unknown,
            None => Way::None,
        }
    }

    /// Whether the required keys and enough others can still come, where nothing else is asked.
    fn fits(&self, seen: &Seen) -> bool {
        let later = |at: usize| match (self.asked.ordered, seen.open) {
            (false, _) => u32::MAX,
            (true, true) => 0,
            (true, false) if seen.keys[at + 1..].iter().any(|word| *word != 0) => 0,
            (true, false) => match seen.keys[at].checked_ilog2() {
                Some(last) => u32::MAX.checked_shl(last + 1).unwrap_or(0),
                None => u32::MAX,
            },
        };
        let (mut missing, mut others) = (0, 0);
        for (at, seen) in seen.keys.iter().enumerate() {
            let possible = self.possible[at] & later(at) & !seen;
            let needed = self.required[at] & !seen;
            if needed & !possible != 0 {
                return false;
            }
            missing += needed.count_ones();
            others += (possible & !needed).count_ones();
        }
        let count = seen.count.saturating_add(missing);
        self.asked.max.is_none_or(|max| count <= max && self.asked.min <= max)
            && (self.endless || count.saturating_add(others) >= self.asked.min)
    }

    /// Which actions `value` allows, in their order.
    pub(super) fn allowed(&self, value: &Value) -> Vec<bool> {
        let seen = self.unpacked(value);
        let mut next = seen.clone();
        let mut allowed = Vec::with_capacity(self.asked.members.len() + 1);
        // What makes closing possible now still does after most of the members.
        let goal = match self.asked.tests.is_empty() {
            true => None,
            false => match self.way(&seen) {
                Way::Found(goal) => Some(goal),
                Way::None | Way::Unknown => None,
            },
        };
        for member in &self.asked.members {
            next.count = seen.count;
            next.open = seen.open;
            next.keys.copy_from_slice(&seen.keys);
            next.facts.copy_from_slice(&seen.facts);
            let taken = self.take(&mut next, member);
            let kept = |goal: &Goal| self.is_reachable(&next, &next, goal, &mut 2);
            allowed.push(taken && (goal.as_ref().is_some_and(kept) || self.can_close(&next)));
        }
        allowed.push(self.may_close(&seen));
        allowed
    }

    /// What to ask of the members that come after `seen` so that `goal`, the tests of `pending`
    /// and those from number `next` on hold; `None` if no members do.
    fn solve(
        &self,
        seen: &Seen,
        goal: &Goal,
        pending: Option<&Pending<'_>>,
        mut next: usize,
        steps: &mut u32,
    ) -> Option<Goal> {
        *steps = steps.checked_sub(1)?;
        let (test, rest) = match pending {
            Some(pending) => (pending.test, pending.rest),
            None => {
                let left = self.asked.tests.get(next..).unwrap_or_default();
                let Some(at) = left.iter().position(|test| !test.is_settled(seen)) else {
                    let reached = self.is_reachable(seen, seen, goal, steps);
                    return reached.then(|| goal.clone());
                };
                next += at + 1;
                (&left[at], None)
            }
        };
        let mut goal = goal.clone();
        match test {
            test if test.is_settled(seen) => {}
            Test::Has(key) => insert(&mut goal.must, *key),
            Test::Lacks(key) if has(&seen.keys, *key) => return None,
            Test::Lacks(key) => insert(&mut goal.not, *key),
            Test::Is(fact) => insert(&mut goal.need, *fact),
            Test::IsNot(fact) if has(&seen.facts, *fact) => return None,
            Test::IsNot(fact) => insert(&mut goal.avoid, *fact),
            Test::AtLeast(count) => goal.min = goal.min.max(*count),
            Test::AtMost(count) => {
                goal.max = Some(goal.max.map_or(*count, |max| max.min(*count)));
            }
            Test::All(parts) => {
                return match parts.split_first() {
                    None => self.solve(seen, &goal, rest, next, steps),
                    Some((first, others)) => {
                        self.solve_all(seen, &goal, (first, others), (rest, next), steps)
                    }
                };
            }
            Test::Any(arms) => {
                return arms.iter().find_map(|test| {
                    let arm = Pending { test, rest };
                    self.solve(seen, &goal, Some(&arm), next, steps)
                });
            }
        }
        if !self.is_possible(seen, &goal) {
            return None;
        }
        self.solve(seen, &goal, rest, next, steps)
    }

    /// [`Members::solve`] with each of some tests before the others.
    fn solve_all(
        &self,
        seen: &Seen,
        goal: &Goal,
        (first, others): (&Test, &[Test]),
        (rest, next): (Option<&Pending<'_>>, usize),
        steps: &mut u32,
    ) -> Option<Goal> {
        let Some((second, more)) = others.split_first() else {
            let last = Pending { test: first, rest };
            return self.solve(seen, goal, Some(&last), next, steps);
        };
        let before = Pending { test: first, rest };
        self.solve_all(seen, goal, (second, more), (Some(&before), next), steps)
    }

    /// Whether nothing in `goal` is against itself or what was seen.
    fn is_possible(&self, seen: &Seen, goal: &Goal) -> bool {
        let clash = goal.must.iter().zip(&goal.not).any(|(must, not)| must & not != 0);
        let lost = seen.keys.iter().zip(&goal.not).any(|(seen, not)| seen & not != 0);
        let both = goal.need.iter().zip(&goal.avoid).any(|(need, avoid)| need & avoid != 0);
        // What a member has made true stays true.
        let made = seen.facts.iter().zip(&goal.avoid).any(|(fact, avoid)| fact & avoid != 0);
        !clash
            && !lost
            && !both
            && !made
            && goal.max.is_none_or(|max| goal.min <= max && seen.count <= max)
    }

    fn is_reachable(&self, now: &Seen, seen: &Seen, goal: &Goal, steps: &mut u32) -> bool {
        if *steps == 0 || !self.is_possible(seen, goal) {
            return false;
        }
        *steps -= 1;
        let missing = |fact: &u32| has(&goal.need, *fact) && !has(&seen.facts, *fact);
        if let Some(fact) = (0..self.asked.facts).find(missing) {
            let providers = self.asked.members.iter().filter(|member| member.facts.contains(&fact));
            for member in providers {
                // Whether it comes now or later is all the same, so order is not asked about.
                let late =
                    member.key.is_some_and(|key| self.asked.ordered && self.is_past(now, key));
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
        seen.count = (seen.count + 1).min(self.count_max);
        true
    }

    /// Whether the keys that must come and enough others fit.
    fn is_countable(&self, now: &Seen, seen: &Seen, goal: &Goal) -> bool {
        if !self.asked.ordered && goal.avoid.iter().all(|word| *word == 0) {
            return self.is_enough(seen, goal, &self.possible, self.endless);
        }
        let mut possible = vec![0_u32; words(self.asked.keys)];
        let mut endless = false;
        for member in &self.asked.members {
            if member.facts.iter().any(|fact| has(&goal.avoid, *fact)) {
                continue;
            }
            match member.key {
                Some(key) if !self.asked.ordered || !self.is_past(now, key) => {
                    insert(&mut possible, key);
                }
                Some(_) => {}
                None => endless = true,
            }
        }
        self.is_enough(seen, goal, &possible, endless)
    }

    fn is_enough(&self, seen: &Seen, goal: &Goal, possible: &[u32], endless: bool) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_allowed_just_where_they_have_a_next_value() {
        let member = |key, fact| Member { key, facts: vec![fact] };
        let asked = Asked {
            keys: 1,
            members: vec![member(Some(0), 0), member(Some(0), 1), member(None, 1), member(None, 2)],
            facts: 3,
            tests: vec![Test::IsNot(1), Test::Any(vec![Test::Is(0), Test::Is(2)])],
            ..Asked::default()
        };
        let machine = Members::new(asked);
        let (mut values, mut at) = (vec![machine.start()], 0);
        while let Some(value) = values.get(at).cloned() {
            at += 1;
            let steps: Vec<Option<Value>> =
                (0..machine.actions()).map(|action| machine.step(&value, action)).collect();
            let has_next: Vec<bool> = steps.iter().map(Option::is_some).collect();
            assert_eq!(machine.allowed(&value), has_next, "{value:?}");
            let new = steps.into_iter().flatten().filter(|next| !values.contains(next));
            let new: Vec<Value> = new.collect();
            values.extend(new);
        }
        assert!(values.len() > 3);
        assert_eq!(machine.allowed(&machine.start()), [true, false, false, true, false]);
    }
}
