//! Random small languages with captures.

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{CaptureKind, Part, Rule, RuleId, Triggers};

/// A seeded generator of numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// A language over `abc`; `calls` says whether it may call rule 0.
pub(crate) fn ir(random: &mut Random, depth: usize, calls: bool) -> Ir {
    let below = |random: &mut Random| ir(random, depth - 1, calls);
    match random.below(if depth == 0 { 3 } else { 13 }) {
        0 => Ir::text(random.of(&["a", "b", "ab", "ba", "c", "abc"])),
        1 => {
            let pattern = random.of(&["a*", "[ab]", "b+", "(ab)*", "a?b", "a|ab|abc", "[ac]{0,2}"]);
            Ir::regex(pattern).expect("it can be built")
        }
        2 => text(random),
        3 | 4 => {
            let name = random.of(&["x", "y", "z"]);
            Ir::capture(name, CaptureKind::Text, below(random))
        }
        5 | 6 => {
            let count = 2 + random.below(2);
            Ir::sequence((0..count).map(|_| below(random)).collect::<Vec<_>>())
        }
        7 => Ir::choice([below(random), below(random)]),
        8 => Ir::optional(below(random)),
        9 => {
            let separator = match random.below(2) {
                0 => Some(Ir::text(random.of(&["c", "a"]))),
                _ => None,
            };
            let min = random.below(3) as u32;
            let max = [None, Some(min + random.below(3) as u32)][random.below(2)];
            Ir::repeat(below(random), min, max, separator)
        }
        10 => {
            let part = |random: &mut Random| {
                let (body, required) = (below(random), random.below(2) == 0);
                Part { body, required }
            };
            Ir::joined(Ir::text("c"), (0..3).map(|_| part(random)).collect())
        }
        11 => dispatch(random, below),
        _ if calls => {
            // A call stands behind something, so that no rule is left-recursive.
            Ir::sequence([Ir::text(random.of(&["a", "b"])), Ir::call(RuleId(0))])
        }
        _ => below(random),
    }
}

/// Free text, with or without what must follow it.
fn text(random: &mut Random) -> Ir {
    let until = random.of(&["b", "ab", "cc"]);
    match random.below(3) {
        0 => Ir::anything([]).expect("it can be built"),
        1 => Ir::anything([until.into()]).expect("it can be built"),
        _ => {
            let text = Ir::anything([until.into()]).expect("it can be built");
            let text = Ir::capture("t", CaptureKind::Text, text);
            Ir::sequence([text, Ir::text(until)])
        }
    }
}

fn dispatch(random: &mut Random, mut below: impl FnMut(&mut Random) -> Ir) -> Ir {
    let triggers: &[&[&str]] = &[&["ab"], &["b", "ca"], &["cb", "b"]];
    let triggers = random.of(triggers);
    let rules = triggers.iter().map(|trigger| ((*trigger).into(), below(random))).collect();
    let triggers = Triggers {
        rules,
        at_least_one: random.below(3) == 0,
        stop_after_first: random.below(3) == 0,
        excludes: if random.below(4) == 0 { vec!["cc".into()] } else { Vec::new() },
        until: Vec::new(),
        text: (random.below(3) > 0).then(|| "t".into()),
    };
    Ir::dispatch(triggers).expect("it can be built")
}

/// A language, now and then with a rule that calls itself.
pub(crate) fn outline(random: &mut Random) -> Ir {
    if random.below(3) > 0 {
        return ir(random, 4, false);
    }
    let body = ir(random, 3, true);
    let rules = vec![Rule { name: "rule".into(), body }];
    Ir::grammar(rules, RuleId(0)).unwrap_or_else(|_| Ir::never())
}

/// Every text over `abc` with at most `length` characters.
pub(crate) fn texts(length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last =
            last.iter().flat_map(|text| "abc".chars().map(move |c| format!("{text}{c}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}
