//! Free text with limits and with triggers, against what they mean said in a few lines.

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{FreeText, FreeTextError, Kind, Literal, Triggers};

use crate::matcher::matches;

/// Every text over `alphabet` with at most `length` characters.
fn texts(alphabet: &str, length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last = last.iter().flat_map(|t| alphabet.chars().map(move |c| format!("{t}{c}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn literals(all: &[&str]) -> Vec<Literal> {
    all.iter().map(|text| Literal::from(*text)).collect()
}

/// Whether the first occurrence of any of `all` in `text` is at its end.
fn ends_first(text: &str, all: &[&str]) -> bool {
    let ends = all.iter().filter_map(|d| text.find(d).map(|at| at + d.len()));
    ends.min() == Some(text.len())
}

#[test]
fn limits_hold_beside_delimiters() {
    type Case<'a> = (&'a [&'a str], &'a [&'a str], u32, Option<u32>);
    let cases: &[Case<'_>] = &[
        (&["ab"], &[], 0, Some(2)),
        (&["aa"], &[], 1, None),
        (&["aba"], &["c"], 2, Some(3)),
        (&["a"], &["bb", "cb"], 0, None),
        (&[], &["ab", "ba"], 1, Some(4)),
        (&[], &[], 2, Some(3)),
        (&["cc"], &["acc"], 0, None),
    ];
    for (until, excludes, min, max) in cases {
        let limits = FreeText {
            excludes: literals(excludes),
            min_chars: *min,
            max_chars: *max,
            ..FreeText::default()
        };
        let ir = Ir::free_text(literals(until), limits).expect("it can be built");
        let (mut accepted, mut rejected) = (0, 0);
        for text in texts("abc", 6) {
            let length = text.len() as u32;
            let bounded = *min <= length && max.is_none_or(|max| length <= max);
            let clean = !excludes.iter().any(|excluded| text.contains(excluded));
            let ended =
                until.is_empty() || until.iter().all(|d| ends_first(&format!("{text}{d}"), until));
            let expected = bounded && clean && ended;
            assert_eq!(matches(&ir, &text), expected, "{ir}: {text:?}");
            *(if expected { &mut accepted } else { &mut rejected }) += 1;
        }
        assert!(accepted > 5 && rejected > 5, "{ir}: {accepted} {rejected}");
    }
}

/// Reads a text as free text with triggers, character by character.
struct Meaning<'a> {
    rules: &'a [(&'a str, &'a str)],
    needed: bool,
    once: bool,
    excludes: &'a [&'a str],
    until: &'a [&'a str],
}

impl Meaning<'_> {
    /// Whether `rest` is right after a structure, or at the beginning.
    fn fits(&self, rest: &str, begun: bool) -> bool {
        if begun && self.once {
            return rest.is_empty();
        }
        let triggers: Vec<&str> = self.rules.iter().map(|(trigger, _)| *trigger).collect();
        let stops: Vec<&str> = triggers.iter().chain(self.until).copied().collect();
        if !begun && self.needed {
            return self.rules.iter().any(|(trigger, body)| {
                let after = rest.strip_prefix(trigger).and_then(|rest| rest.strip_prefix(body));
                after.is_some_and(|rest| self.fits(rest, true))
            });
        }
        let clean = |text: &str| !self.excludes.iter().any(|excluded| text.contains(excluded));
        // Nothing stops before the end.
        let end = clean(rest)
            && (if self.until.is_empty() {
                !triggers.iter().any(|trigger| rest.contains(trigger))
            } else {
                self.until.iter().all(|d| ends_first(&format!("{rest}{d}"), &stops))
            });
        let fires = |at: usize| {
            let (free, tail) = rest.split_at(at);
            // What the trigger completes is no excluded text yet.
            let clean = clean(&free[..at - 1]);
            clean
                && ends_first(free, &stops)
                && self.rules.iter().any(|(trigger, body)| {
                    let rest = tail.strip_prefix(body).filter(|_| free.ends_with(trigger));
                    rest.is_some_and(|rest| self.fits(rest, true))
                })
        };
        end || (1..=rest.len()).any(fires)
    }
}

#[test]
fn triggers_start_what_belongs_to_them() {
    let rules: &[&[(&str, &str)]] =
        &[&[("ab", "c")], &[("aa", "b"), ("c", "")], &[("aba", "bb")], &[("ab", "c"), ("b", "a")]];
    let others: &[(&[&str], &[&str])] = &[(&[], &[]), (&["cc"], &[]), (&[], &["bb"])];
    let mut built = 0;
    for rules in rules {
        for (excludes, until) in others {
            for flags in 0..4 {
                let (needed, once) = (flags & 1 == 1, flags & 2 == 2);
                let triggers = Triggers {
                    rules: rules.iter().map(|(t, b)| (Literal::from(*t), Ir::text(b))).collect(),
                    at_least_one: needed,
                    stop_after_first: once,
                    excludes: literals(excludes),
                    until: literals(until),
                    text: None,
                };
                let Ok(ir) = Ir::dispatch(triggers) else { continue };
                built += 1;
                let meaning = Meaning { rules, needed, once, excludes, until };
                for text in texts("abc", 7) {
                    assert_eq!(matches(&ir, &text), meaning.fits(&text, false), "{ir}: {text:?}");
                }
            }
        }
    }
    assert!(built > 30, "{built}");
}

#[test]
fn what_can_never_start_is_refused() {
    let triggers = |rules: &[&str], excludes: &[&str]| Triggers {
        rules: rules.iter().map(|t| (Literal::from(*t), Ir::text("x"))).collect(),
        excludes: literals(excludes),
        ..Triggers::default()
    };
    for (rules, excludes) in
        [(&["<tool", "<tool_call>"][..], &[][..]), (&["<a>"], &["<"]), (&["a"], &["a"])]
    {
        let error = Ir::dispatch(triggers(rules, excludes)).expect_err("refused");
        assert!(matches!(error, FreeTextError::Covered { .. }), "{error}");
    }
    // Two that end together start either.
    assert!(Ir::dispatch(triggers(&["ab", "b"], &[])).is_ok());
}

/// Long bounds stand beside the states as a counter. No reading leads where it cannot end.
#[test]
fn long_bounds_are_counters() {
    let limits = FreeText { min_chars: 900, max_chars: Some(5000), ..FreeText::default() };
    for delimiter in ["\n\n", "</think>", "aab"] {
        let ir = Ir::free_text(literals(&[delimiter]), limits.clone()).expect("it can be built");
        assert!(ir.to_string().len() < 100, "{ir}");
        let Kind::Anything(anything) = ir.kind() else { panic!("{ir}") };
        assert!(matches!(anything.body.kind(), Kind::Tracked(_)), "{delimiter}");
        for (length, expected) in [(899, false), (900, true), (5000, true), (5001, false)] {
            assert_eq!(matches(&ir, &"x".repeat(length)), expected, "{length}");
            let text = format!("{}{}", "x".repeat(length - 1), &delimiter[..1]);
            let ended = ends_first(&format!("{text}{delimiter}"), &[delimiter]);
            assert_eq!(matches(&ir, &text), expected && ended, "{length} {delimiter}");
        }
        let inside = format!("{}{delimiter}{}", "x".repeat(1000), "x".repeat(9));
        assert!(!matches(&ir, &inside));
    }
}
