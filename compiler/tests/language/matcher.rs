//! A slow recogniser of an [`Ir`], straight from what each kind means.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use blueprints_compiler::Ir;
use blueprints_compiler::ir::machine::Value;
use blueprints_compiler::ir::{Grammar, Kind, Machine, Part, Repeat, Rules, Special};

type Ends = Rc<BTreeSet<usize>>;
/// What calls call.
#[derive(Clone)]
enum Scope {
    Nothing,
    Grammar(Arc<Grammar>),
    Rules(Arc<dyn Rules>),
}

/// Places in the text, with what the register holds there.
type Tracks = BTreeSet<(usize, Value)>;

/// Whether `text` is in the language of `ir`.
pub(crate) fn matches(ir: &Ir, text: &str) -> bool {
    let mut matcher = Matcher { text, memo: HashMap::new() };
    matcher.ends(ir, &Scope::Nothing, 0).contains(&text.len())
}

/// Checks a table of accepted and rejected texts.
#[track_caller]
pub(crate) fn check(ir: &Ir, name: &str, accepted: &[&str], rejected: &[&str]) {
    for text in accepted {
        assert!(matches(ir, text), "{name} must accept {text:?}");
    }
    assert!(!rejected.is_empty(), "{name} has nothing to reject");
    for text in rejected {
        assert!(!matches(ir, text), "{name} must reject {text:?}");
    }
}

struct Matcher<'a> {
    text: &'a str,
    memo: HashMap<(*const Kind, usize, usize), Ends>,
}

impl Matcher<'_> {
    /// Where a text of `ir` that begins at `at` may end.
    fn ends(&mut self, ir: &Ir, scope: &Scope, at: usize) -> Ends {
        let kind = std::ptr::from_ref(ir.kind());
        let place = match scope {
            // A closed part means the same everywhere.
            _ if ir.facts().is_some() => 0,
            Scope::Nothing => 0,
            Scope::Grammar(grammar) => Arc::as_ptr(grammar).addr(),
            Scope::Rules(rules) => Arc::as_ptr(rules).cast::<()>().addr(),
        };
        if let Some(ends) = self.memo.get(&(kind, place, at)) {
            return Rc::clone(ends);
        }
        let ends = Rc::new(self.compute(ir, scope, at));
        self.memo.insert((kind, place, at), Rc::clone(&ends));
        ends
    }

    fn all(&mut self, ir: &Ir, scope: &Scope, from: &BTreeSet<usize>) -> BTreeSet<usize> {
        from.iter()
            .flat_map(|&at| self.ends(ir, scope, at).iter().copied().collect::<Vec<_>>())
            .collect()
    }

    fn compute(&mut self, ir: &Ir, scope: &Scope, at: usize) -> BTreeSet<usize> {
        let rest = &self.text[at..];
        let start = || BTreeSet::from([at]);
        match ir.kind() {
            Kind::Text(text) => match rest.starts_with(&*text.string) {
                true => BTreeSet::from([at + text.string.len()]),
                false => BTreeSet::new(),
            },
            Kind::Class(set) => rest
                .chars()
                .next()
                .filter(|c| set.ranges().iter().any(|r| (r.start()..=r.end()).contains(c)))
                .map(|c| at + c.len_utf8())
                .into_iter()
                .collect(),
            Kind::Sequence(parts) => {
                parts.iter().fold(start(), |from, part| self.all(part, scope, &from))
            }
            Kind::Choice(arms) => {
                arms.iter().flat_map(|arm| self.all(arm, scope, &start())).collect()
            }
            Kind::Repeat(repeat) => self.repeat(repeat, scope, start()),
            Kind::Joined(joined) => self.joined(&joined.separator, &joined.parts, scope, start()),
            Kind::Automaton(automaton) => {
                let (mut seen, mut ends) = (BTreeSet::new(), BTreeSet::new());
                let mut queue = vec![(0, at)];
                while let Some((state, at)) = queue.pop() {
                    if seen.insert((state, at)) {
                        let state = &automaton.states[state];
                        if state.accepting {
                            ends.insert(at);
                        }
                        for (label, to) in &state.edges {
                            queue.extend(self.ends(label, scope, at).iter().map(|&end| (*to, end)));
                        }
                    }
                }
                ends
            }
            Kind::Call(rule) => match scope {
                Scope::Nothing => panic!("a call stands in a grammar"),
                Scope::Grammar(grammar) => {
                    let body = &grammar.rules()[rule.0 as usize].body;
                    self.all(body, scope, &start())
                }
                Scope::Rules(rules) => {
                    let body = rules.body(*rule).expect("a body");
                    self.all(&body, scope, &start())
                }
            },
            Kind::Grammar(inner) => {
                let body = &inner.rules()[inner.start().0 as usize].body;
                self.all(body, &Scope::Grammar(inner.clone()), &start())
            }
            Kind::Regex(regex) => self.all(&regex.body, scope, &start()),
            Kind::Schema(schema) => {
                let body = schema.rules.body(schema.rules.start()).expect("a body");
                self.all(&body, &Scope::Rules(schema.rules.clone()), &start())
            }
            Kind::Anything(anything) => self.all(&anything.body, scope, &start()),
            Kind::Dispatch(dispatch) => self.all(&dispatch.body, scope, &start()),
            Kind::Capture(capture) => self.all(&capture.body, scope, &start()),
            Kind::Special(special) => match special {
                Special::Spelled(spelling) if rest.starts_with(&**spelling) => {
                    BTreeSet::from([at + spelling.len()])
                }
                Special::Stop => start(),
                _ => BTreeSet::new(),
            },
            Kind::Tracked(tracked) => {
                let begin = BTreeSet::from([(at, tracked.machine.start())]);
                let ends = self.tracked(&tracked.body, &tracked.machine, scope, begin);
                ends.into_iter().map(|(end, _)| end).collect()
            }
            Kind::Act(_) | Kind::Observed(_) => panic!("stands in a tracked part"),
        }
    }

    /// The ends of `ir` from each place and value, with the value there.
    fn tracked(&mut self, ir: &Ir, machine: &Machine, scope: &Scope, from: Tracks) -> Tracks {
        match ir.kind() {
            Kind::Act(action) => from
                .into_iter()
                .filter_map(|(at, value)| Some((at, machine.step(&value, *action)?)))
                .collect(),
            Kind::Observed(part) => {
                let mut ends = Tracks::new();
                for (at, value) in from {
                    for &end in self.ends(part, scope, at).iter() {
                        let bytes = self.text.as_bytes()[at..end].iter();
                        let mut heard = Some(value.clone());
                        for &byte in bytes {
                            heard = heard.and_then(|value| machine.read(&value, byte));
                        }
                        ends.extend(heard.map(|value| (end, value)));
                    }
                }
                ends
            }
            Kind::Capture(capture) => self.tracked(&capture.body, machine, scope, from),
            Kind::Sequence(parts) => {
                parts.iter().fold(from, |from, part| self.tracked(part, machine, scope, from))
            }
            Kind::Choice(arms) => arms
                .iter()
                .flat_map(|arm| self.tracked(arm, machine, scope, from.clone()))
                .collect(),
            Kind::Repeat(repeat) => {
                let separator = repeat.separator.clone().unwrap_or_else(Ir::empty);
                let (mut ends, mut seen, mut now, mut count) = (Tracks::new(), vec![], from, 0);
                loop {
                    if count >= repeat.min {
                        ends.extend(now.iter().cloned());
                    }
                    let over = repeat.max.is_some_and(|max| count >= max) || now.is_empty();
                    if over || (count > repeat.min && seen.contains(&now)) {
                        return ends;
                    }
                    seen.push(now.clone());
                    if count > 0 {
                        now = self.tracked(&separator, machine, scope, now);
                    }
                    now = self.tracked(&repeat.body, machine, scope, now);
                    count += 1;
                }
            }
            Kind::Automaton(automaton) => {
                let (mut seen, mut ends) = (BTreeSet::new(), Tracks::new());
                let mut queue: Vec<_> = from.into_iter().map(|track| (0, track)).collect();
                while let Some((state, track)) = queue.pop() {
                    if !seen.insert((state, track.clone())) {
                        continue;
                    }
                    let state = &automaton.states[state];
                    for (label, to) in &state.edges {
                        let from = BTreeSet::from([track.clone()]);
                        let next = self.tracked(label, machine, scope, from);
                        queue.extend(next.into_iter().map(|track| (*to, track)));
                    }
                    if state.accepting {
                        ends.insert(track);
                    }
                }
                ends
            }
            _ => {
                let mut ends = Tracks::new();
                for (at, value) in from {
                    let here = self.ends(ir, scope, at);
                    ends.extend(here.iter().map(|&end| (end, value.clone())));
                }
                ends
            }
        }
    }

    fn repeat(
        &mut self,
        repeat: &Repeat,
        scope: &Scope,
        start: BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let mut ends = if repeat.min == 0 { start.clone() } else { BTreeSet::new() };
        let mut now = start;
        // From `settled` iterations on, further ones add nothing: each reads something or
        // is a repeated set.
        let settled = u64::from(repeat.min) + self.text.len() as u64 + 2;
        let max = repeat.max.map_or(settled, u64::from).min(settled);
        let mut count = 0;
        while count < max && !now.is_empty() {
            let from = match &repeat.separator {
                Some(separator) if count > 0 => self.all(separator, scope, &now),
                _ => now.clone(),
            };
            let next = self.all(&repeat.body, scope, &from);
            count += 1;
            if next == now && count > 1 {
                count = count.max(u64::from(repeat.min));
            }
            if count >= u64::from(repeat.min) {
                ends.extend(&next);
            }
            now = next;
        }
        ends
    }

    fn joined(
        &mut self,
        separator: &Ir,
        parts: &[Part],
        scope: &Scope,
        start: BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let (mut nothing, mut something) = (start, BTreeSet::new());
        for part in parts {
            let separated = self.all(separator, scope, &something);
            let mut present = self.all(&part.body, scope, &separated);
            present.extend(self.all(&part.body, scope, &nothing));
            if part.required {
                nothing = BTreeSet::new();
                something = present;
            } else {
                something.extend(present);
            }
        }
        nothing.extend(something);
        nothing
    }
}
