//! Seeded random [`Ir`]s for property tests, made by the public constructors alone.

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{
    CaptureKind, FreeText, Grammar, Kind, Literal, Part, Rule, RuleId, Special, State, Triggers,
};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// The generator splitmix64 of Steele, Lea and Flood (2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    pub(crate) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// What random [`Ir`]s are made of.
pub(crate) struct Shape<'a> {
    /// The characters of texts and classes.
    pub(crate) alphabet: &'a [char],
    /// Patterns that may occur.
    pub(crate) patterns: &'a [&'a str],
    /// The largest bound of a repeat.
    pub(crate) count_max: usize,
    /// Whether rules may call themselves.
    pub(crate) recursion: bool,
}

impl Shape<'_> {
    /// An [`Ir`] that nests at most `depth` deep; it calls only rules below `rules`.
    pub(crate) fn ir(&self, random: &mut Random, depth: usize, rules: u32) -> Ir {
        let inner = depth.saturating_sub(1);
        match random.below(if depth == 0 { 5 } else { 16 }) {
            0 | 1 => Ir::text(&self.string(random)),
            2 => Ir::value(&self.string(random)),
            3 | 4 if rules > 0 => Ir::call(RuleId(random.below(rules as usize) as u32)),
            3 => self.class(random),
            4 if !self.patterns.is_empty() => {
                let pattern = *random.of(self.patterns);
                Ir::regex(pattern).unwrap_or_else(|_| Ir::empty())
            }
            4 | 5 => Ir::anything([self.string(random).as_str().into()])
                .expect("one delimiter does not overlap another"),
            6 | 7 => Ir::sequence(self.several(random, inner, rules)),
            8 | 9 => Ir::choice(self.several(random, inner, rules)),
            10 | 11 => self.repeat(random, inner, rules),
            12 if random.below(2) == 0 => self.joined(random, inner, rules),
            12 => self.automaton(random, inner, rules),
            13 => self.grammar(random, inner),
            14 => {
                let kind = random.of(&CaptureKind::ALL).0;
                let name = *random.of(&["a", "as", "two words", "\"", "x-1"]);
                Ir::capture(name, kind, self.ir(random, inner, rules))
            }
            _ => self.free(random, inner, rules),
        }
    }

    /// Free text with limits, with triggers, or a token.
    fn free(&self, random: &mut Random, depth: usize, rules: u32) -> Ir {
        let literals = |random: &mut Random, most: usize| -> Vec<Literal> {
            (0..random.below(most + 1)).map(|_| self.string(random).as_str().into()).collect()
        };
        match random.below(5) {
            0 => Ir::token(&self.string(random)),
            1 => Ir::special(match random.below(2) {
                0 => Special::Stop,
                _ => Special::Any { except: vec![self.string(random).into()] },
            }),
            2 => {
                let min_chars = random.below(3) as u32;
                let more = random.below(3) as u32;
                let max_chars = (random.below(2) == 0).then_some(min_chars + more);
                let limits = FreeText {
                    excludes: literals(random, 2),
                    min_chars,
                    max_chars,
                    max_tokens: (random.below(2) == 0).then_some(5),
                    special: random.below(2) == 0,
                    before: literals(random, 1).into_iter().next(),
                };
                let until: Vec<_> =
                    literals(random, 1).into_iter().chain(limits.before.clone()).collect();
                Ir::free_text(until, limits).unwrap_or_else(|_| Ir::empty())
            }
            _ => {
                let rule = |random: &mut Random| {
                    let trigger = format!("{}<", self.string(random));
                    (trigger.as_str().into(), self.ir(random, depth / 2, rules))
                };
                Ir::dispatch(Triggers {
                    rules: (0..=random.below(2)).map(|_| rule(random)).collect(),
                    at_least_one: random.below(2) == 0,
                    stop_after_first: random.below(2) == 0,
                    excludes: literals(random, 1),
                    until: literals(random, 1),
                    text: (random.below(2) == 0).then(|| self.string(random).into()),
                })
                .unwrap_or_else(|_| Ir::empty())
            }
        }
    }

    fn several(&self, random: &mut Random, depth: usize, rules: u32) -> Vec<Ir> {
        (0..random.below(4)).map(|_| self.ir(random, depth, rules)).collect()
    }

    fn string(&self, random: &mut Random) -> String {
        (0..random.below(4)).map(|_| *random.of(self.alphabet)).collect()
    }

    fn class(&self, random: &mut Random) -> Ir {
        let mut set = ClassUnicode::empty();
        for _ in 0..=random.below(3) {
            let (one, other) = (*random.of(self.alphabet), *random.of(self.alphabet));
            set.push(ClassUnicodeRange::new(one.min(other), one.max(other)));
        }
        let class = Ir::class(set);
        match class.kind() {
            Kind::Class(set) if random.below(4) == 0 => {
                let mut others = set.clone();
                others.negate();
                Ir::class(others)
            }
            _ => class,
        }
    }

    fn repeat(&self, random: &mut Random, depth: usize, rules: u32) -> Ir {
        let body = self.ir(random, depth, rules);
        let min = random.below(self.count_max + 1) as u32;
        let more = random.below(self.count_max + 1) as u32;
        let max = (random.below(3) > 0).then_some(min + more);
        let separator = (random.below(3) == 0).then(|| self.ir(random, depth / 2, rules));
        Ir::repeat(body, min, max, separator)
    }

    fn joined(&self, random: &mut Random, depth: usize, rules: u32) -> Ir {
        let separator = self.ir(random, depth / 2, rules);
        let bodies = self.several(random, depth, rules);
        let part = |body| Part { body, required: random.below(2) == 0 };
        Ir::joined(separator, bodies.into_iter().map(part).collect())
    }

    fn automaton(&self, random: &mut Random, depth: usize, rules: u32) -> Ir {
        let count = 1 + random.below(3);
        let state = |_| State {
            edges: (0..random.below(3))
                .map(|_| (self.ir(random, depth / 2, rules), random.below(count)))
                .collect(),
            accepting: random.below(2) == 0,
        };
        Ir::automaton((0..count).map(state).collect())
    }

    /// Rules of one, two or three; a left-recursive set of them is the empty text instead.
    pub(crate) fn grammar(&self, random: &mut Random, depth: usize) -> Ir {
        let names = ["a", "value", "end", "two words", "a", "x-1.y", "ä"];
        let count = 1 + random.below(3) as u32;
        let rules = (0..count)
            .map(|at| {
                let callable = if self.recursion { count } else { at };
                let first = Ir::text(&random.of(self.alphabet).to_string());
                let rest = self.ir(random, depth, callable);
                // Rules that read something first are not left-recursive.
                let arms = [Ir::sequence([first, rest]), self.ir(random, depth / 2, at)];
                let body = arms[random.below(2)].clone();
                let body = if random.below(2) == 0 { Ir::choice(arms) } else { body };
                Rule { name: (*random.of(&names)).into(), body }
            })
            .collect();
        Ir::grammar(rules, RuleId(count - 1)).unwrap_or_else(|_| Ir::empty())
    }
}

/// A random text that is likely in the language of `ir`; other texts are possible.
pub(crate) fn sample(random: &mut Random, ir: &Ir) -> String {
    let mut sampler = Sampler { random, steps: 200, text: String::new() };
    sampler.write(ir, None);
    sampler.text
}

/// `text` with one of its characters dropped, doubled, or replaced from `alphabet`.
pub(crate) fn mutate(random: &mut Random, text: &str, alphabet: &[char]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let at = random.below(characters.len() + 1);
    match random.below(3) {
        0 if at < characters.len() => drop(characters.remove(at)),
        1 if at < characters.len() => characters.insert(at, characters[at]),
        2 if at < characters.len() => characters[at] = *random.of(alphabet),
        _ => characters.insert(at, *random.of(alphabet)),
    }
    characters.into_iter().collect()
}

struct Sampler<'a> {
    random: &'a mut Random,
    /// How many parts may still be written.
    steps: usize,
    text: String,
}

impl Sampler<'_> {
    fn write(&mut self, ir: &Ir, grammar: Option<&Grammar>) {
        if self.steps == 0 {
            return;
        }
        self.steps -= 1;
        match ir.kind() {
            Kind::Text(text) => self.text.push_str(&text.string),
            Kind::Class(set) => {
                let range = self.random.of(set.ranges());
                self.text.push(if self.random.below(2) == 0 { range.start() } else { range.end() });
            }
            Kind::Sequence(parts) => parts.iter().for_each(|part| self.write(part, grammar)),
            Kind::Choice(arms) if arms.is_empty() => {}
            Kind::Choice(arms) => {
                let arm = self.random.of(arms);
                self.write(arm, grammar);
            }
            Kind::Repeat(repeat) => {
                let max = repeat.max.unwrap_or(repeat.min + 3).min(repeat.min + 3);
                let count = repeat.min + self.random.below((max - repeat.min + 1) as usize) as u32;
                for at in 0..count {
                    if let Some(separator) = repeat.separator.as_ref().filter(|_| at > 0) {
                        self.write(separator, grammar);
                    }
                    self.write(&repeat.body, grammar);
                }
            }
            Kind::Joined(joined) => {
                let mut begun = false;
                for part in &joined.parts {
                    if part.required || self.random.below(2) == 0 {
                        if begun {
                            self.write(&joined.separator, grammar);
                        }
                        self.write(&part.body, grammar);
                        begun = true;
                    }
                }
            }
            Kind::Automaton(automaton) => {
                let mut at = 0;
                while self.steps > 0 {
                    let state = &automaton.states[at];
                    let ends = state.accepting && self.random.below(3) == 0;
                    if ends || state.edges.is_empty() {
                        break;
                    }
                    let (label, to) = self.random.of(&state.edges);
                    self.write(label, grammar);
                    at = *to;
                }
            }
            Kind::Call(rule) => {
                let grammar = grammar.expect("a call stands in a grammar");
                self.write(&grammar.rules()[rule.0 as usize].body, Some(grammar));
            }
            Kind::Grammar(inner) => {
                self.write(&inner.rules()[inner.start().0 as usize].body, Some(inner));
            }
            Kind::Regex(regex) => self.write(&regex.body, grammar),
            Kind::Schema(schema) => self.write(schema.body().expect("a body"), grammar),
            Kind::Anything(anything) => self.write(&anything.body, grammar),
            Kind::Dispatch(dispatch) => self.write(&dispatch.body, grammar),
            Kind::Capture(capture) => self.write(&capture.body, grammar),
            Kind::Special(Special::Spelled(spelling)) => self.text.push_str(spelling),
            Kind::Special(_) => {}
            // What the machine forbids may be written: the matcher tells.
            Kind::Tracked(tracked) => self.write(&tracked.body, grammar),
            Kind::Observed(part) => self.write(part, grammar),
            Kind::Act(_) => {}
        }
    }
}
