//! Sets of strings against a backtracking matcher and on real patterns.

use std::collections::HashMap;

use super::{Escapes, KeyClasses, Spelling, StringLanguage};
use crate::chars::ecma;
use crate::chars::pattern::Pattern;
use crate::ir::{Ir, Kind, Machine};

/// Numbers from a fixed seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Where a match of `pattern` that begins at `at` may end, by the standard's own rules.
fn ends(pattern: &Pattern, text: &[char], at: usize) -> Vec<usize> {
    let word = |at: Option<usize>| {
        at.and_then(|at| text.get(at)).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_')
    };
    let here = |holds: bool| if holds { vec![at] } else { vec![] };
    match pattern {
        Pattern::Set(set) => {
            let holds = |c: &char| set.ranges().iter().any(|r| (r.start()..=r.end()).contains(c));
            text.get(at).filter(|c| holds(c)).map(|_| at + 1).into_iter().collect()
        }
        Pattern::Concat(parts) => parts.iter().fold(vec![at], |from, part| {
            let mut to: Vec<usize> = from.iter().flat_map(|&at| ends(part, text, at)).collect();
            to.sort_unstable();
            to.dedup();
            to
        }),
        Pattern::Alternation(arms) => arms.iter().flat_map(|arm| ends(arm, text, at)).collect(),
        Pattern::Repeat { body, min, max } => {
            let (mut all, mut now) = (Vec::new(), vec![at]);
            for count in 0..=max.unwrap_or(min + text.len() as u32 + 1) {
                if count >= *min {
                    all.extend(&now);
                }
                now = now.iter().flat_map(|&at| ends(body, text, at)).collect();
                now.sort_unstable();
                now.dedup();
            }
            all.sort_unstable();
            all.dedup();
            all
        }
        Pattern::Start => here(at == 0),
        Pattern::End => here(at == text.len()),
        Pattern::WordBoundary { negated } => {
            here((word(at.checked_sub(1)) != word(Some(at))) != *negated)
        }
        Pattern::Look { behind: false, negated, body } => {
            here(ends(body, text, at).is_empty() == *negated)
        }
        Pattern::Look { behind: true, negated, body } => {
            let found = (0..=at).any(|from| ends(body, text, from).contains(&at));
            here(found != *negated)
        }
    }
}

fn found(pattern: &Pattern, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    (0..=text.len()).any(|at| !ends(pattern, &text, at).is_empty())
}

/// A pattern over a few letters, with look-around.
fn pattern(random: &mut Random, depth: u32, behind: bool) -> String {
    let atoms = ["a", "b", "_", "-", ".", "[ab]", "[^a]", "\\w", "é", "\\W"];
    if depth == 0 {
        return atoms[random.below(atoms.len() as u64) as usize].into();
    }
    let mut sub = |behind| pattern(random, depth - 1, behind);
    let (one, two) = (sub(behind), sub(behind));
    match random.below(if behind { 8 } else { 18 }) {
        0 | 1 => format!("{one}{two}"),
        2 => format!("(?:{one}|{two})"),
        3 => format!("(?:{one})*"),
        4 => format!("(?:{one})?{two}"),
        5 => format!("(?:{one}){{1,3}}"),
        6 => format!("^{one}"),
        7 => format!("(?:{one}|{two})+"),
        8 => format!("{one}$"),
        9 => format!("(?={one}){two}"),
        10 => format!("(?!{one}){two}"),
        11 => format!("{one}(?!{two})"),
        12 => format!("{one}\\b{two}"),
        13 => format!("\\B{one}"),
        14 => format!("(?:(?!{one}){two})*$"),
        15 => format!("(?<={}){two}", pattern(random, depth - 1, true)),
        16 => format!("(?<!{}){two}", pattern(random, depth - 1, true)),
        _ => format!("^(?:{one})$"),
    }
}

fn texts(alphabet: &str, length_max: usize) -> Vec<String> {
    let (mut all, mut layer) = (vec![String::new()], vec![String::new()]);
    for _ in 0..length_max {
        layer =
            layer.iter().flat_map(|t| alphabet.chars().map(move |c| format!("{t}{c}"))).collect();
        all.extend(layer.iter().cloned());
    }
    all
}

#[test]
fn patterns_with_look_around_mean_what_the_standard_says() {
    let texts = texts("ab_-é", 4);
    let mut random = Random(3);
    let mut refused = 0;
    for round in 0..1500 {
        let written = pattern(&mut random, 1 + round % 3, false);
        let tree = ecma::read(&written).unwrap();
        let language = match StringLanguage::pattern(&written) {
            Ok(language) => language,
            Err(error) => {
                assert!(error.to_string().contains("look-behind"), "{written}: {error}");
                refused += 1;
                continue;
            }
        };
        for text in texts.iter().step_by(1 + round as usize % 7) {
            assert_eq!(language.contains(text), found(&tree, text), "{written} on {text:?}");
        }
    }
    assert!(refused < 150, "{refused} refused");
}

#[test]
fn sets_are_a_boolean_algebra_with_lengths() {
    let texts = texts("ab_é", 5);
    let mut random = Random(11);
    for round in 0..600 {
        let mut sets: Vec<(StringLanguage, Vec<bool>)> = Vec::new();
        for _ in 0..3 {
            let language = match random.below(3) {
                0 => StringLanguage::length(random.below(4), Some(3 + random.below(3))),
                1 => StringLanguage::one_of(["", "a", "ab", "b_b", "ééé"]),
                _ => match StringLanguage::pattern(&pattern(&mut random, 2, true)) {
                    Ok(language) => language,
                    Err(_) => continue,
                },
            };
            let holds = texts.iter().map(|text| language.contains(text)).collect();
            sets.push((language, holds));
        }
        while sets.len() > 1 {
            let (one, other) = (sets.remove(0), sets.remove(0));
            let join = |f: &dyn Fn(bool, bool) -> bool| -> Vec<bool> {
                one.1.iter().zip(&other.1).map(|(&a, &b)| f(a, b)).collect()
            };
            let (language, holds) = match random.below(4) {
                0 => (one.0.union(&other.0), join(&|a, b| a || b)),
                1 => (one.0.intersection(&other.0), join(&|a, b| a && b)),
                2 => (one.0.difference(&other.0), join(&|a, b| a && !b)),
                _ => (one.0.complement(), one.1.iter().map(|a| !a).collect()),
            };
            sets.push((language.unwrap(), holds));
        }
        for (language, holds) in sets {
            for (text, holds) in texts.iter().zip(&holds) {
                assert_eq!(language.contains(text), *holds, "{round}: {text:?}");
            }
            let empty = language.intersection(&language.complement().unwrap()).unwrap();
            assert!(empty.is_never());
            if let Some(words) = language.words(200) {
                assert!(words.iter().all(|word| language.contains(word)));
                let listed = texts.iter().filter(|text| language.contains(text)).count();
                assert!(words.len() >= listed);
                let list = StringLanguage::one_of(words.iter().map(String::as_str));
                assert!(list.is_equal(&language).unwrap(), "{round}: {words:?}");
            }
        }
    }
}

/// The values of the register after each way to read `text`, for a body of classes and actions.
fn walk(ir: &Ir, text: &str) -> Option<bool> {
    let Kind::Tracked(tracked) = ir.kind() else { return None };
    let Kind::Sequence(parts) = tracked.body.kind() else { return None };
    let Kind::Automaton(automaton) = parts[0].kind() else { return None };
    let machine: &Machine = &tracked.machine;
    let (mut state, mut value) = (0, machine.start());
    for character in text.chars() {
        let mut next = None;
        for (label, to) in &automaton.states[state].edges {
            let Kind::Sequence(label) = label.kind() else { panic!("{label}") };
            let holds = match label[0].kind() {
                Kind::Class(set) => {
                    set.ranges().iter().any(|r| (r.start()..=r.end()).contains(&character))
                }
                Kind::Text(text) => *text.string == *character.to_string(),
                _ => panic!("{}", label[0]),
            };
            let Kind::Act(action) = label[1].kind() else { panic!("no action") };
            if holds {
                next = machine.step(&value, *action).map(|value| (*to, value));
            }
        }
        (state, value) = match next {
            Some(next) => next,
            None => return Some(false),
        };
    }
    // What is left can be completed, or the text is over: that is checked with the lengths.
    Some(automaton.states[state].accepting && machine.step(&value, 0).is_some())
}

#[test]
fn long_bounds_are_counted_exactly_and_without_dead_ends() {
    for (written, min, max) in [
        ("^(?:ab|abb)*$", 30, Some(41)),
        ("^(?:aaa)*b?$", 50, Some(53)),
        ("^(?:aaaa)+$", 97, Some(100)),
        ("a", 70, Some(90)),
        ("^(?:ab)*c?$", 40, None),
        ("^a?b{0,64}$", 60, None),
    ] {
        let bounds = StringLanguage::length(min, max);
        let pattern = StringLanguage::pattern(written).unwrap();
        let language = pattern.intersection(&bounds).unwrap();
        let ir = language.to_ir(Spelling::Raw).unwrap();
        let mut checked = 0;
        // Every text that is alive, letter by letter; each must lead to a text of the set.
        let mut layer = vec![String::new()];
        for length in 0..=max.unwrap_or(80) as usize + 2 {
            layer.truncate(30);
            let mut next = Vec::new();
            for text in &layer {
                let expected = language.contains(text);
                match walk(&ir, text) {
                    Some(got) => assert_eq!(got, expected, "{written} {text}"),
                    None => panic!("{written} is not counted: {ir}"),
                }
                checked += usize::from(expected);
                let more = "abc".chars().map(|c| format!("{text}{c}"));
                let alive: Vec<String> = more.filter(|text| alive(&ir, text)).collect();
                assert!(expected || !alive.is_empty(), "{written}: dead end after {text}");
                next.extend(alive);
            }
            assert!(!layer.is_empty() || length > 40);
            layer = next;
        }
        assert!(checked > 0, "{written}");
    }
}

/// Whether each action on the way through `text` is allowed.
fn alive(ir: &Ir, text: &str) -> bool {
    let Kind::Tracked(tracked) = ir.kind() else { return false };
    let Kind::Sequence(parts) = tracked.body.kind() else { return false };
    let Kind::Automaton(automaton) = parts[0].kind() else { return false };
    let (mut state, mut value) = (0, tracked.machine.start());
    for character in text.chars() {
        let edge = automaton.states[state].edges.iter().find_map(|(label, to)| {
            let Kind::Sequence(label) = label.kind() else { return None };
            let holds = match label[0].kind() {
                Kind::Class(set) => {
                    set.ranges().iter().any(|r| (r.start()..=r.end()).contains(&character))
                }
                Kind::Text(text) => *text.string == *character.to_string(),
                _ => false,
            };
            let Kind::Act(action) = label[1].kind() else { return None };
            holds.then_some((*action, *to))
        });
        let Some((action, to)) = edge else { return false };
        match tracked.machine.step(&value, action) {
            Some(next) => (state, value) = (to, next),
            None => return false,
        }
    }
    true
}

#[test]
fn keys_are_told_apart_by_words_and_languages() {
    let pattern = |written| StringLanguage::pattern(written).unwrap();
    let listed = StringLanguage::one_of(["a", "bb", "xx"]);
    let but = StringLanguage::all_but(["type", "ab", "b-b"]);
    let mixed = pattern("^a").union(&listed).unwrap();
    let mixed = mixed.difference(&StringLanguage::one_of(["aa", "abx"])).unwrap();
    let cases = [
        vec![pattern("^a"), pattern("b$"), pattern("^x-")],
        vec![listed.clone(), but.clone()],
        vec![but, mixed.clone(), StringLanguage::length(2, Some(3))],
        vec![StringLanguage::all(), StringLanguage::never()],
        vec![mixed, listed],
        vec![],
    ];
    for languages in cases {
        let languages: Vec<&StringLanguage> = languages.iter().collect();
        let words = ["ab", "", "type", "x-1"];
        let classes = KeyClasses::new(&words, &languages).unwrap();
        let mut seen = HashMap::new();
        for text in texts("abx-", 4).iter().map(String::as_str).chain(words) {
            let class = classes.class(text);
            match words.iter().position(|word| *word == text) {
                Some(at) => assert_eq!(class, at, "{text}"),
                None => assert!(class >= words.len(), "{text}"),
            }
            let members: Vec<usize> =
                (0..languages.len()).filter(|&at| languages[at].contains(text)).collect();
            assert_eq!(classes.members(class), members, "{text}");
            seen.insert(class, text.to_owned());
        }
        assert_eq!(seen.len(), classes.len(), "every class has a key");
        for class in 0..classes.len() {
            let language = classes.language(class);
            for text in texts("abx-", 4).iter().map(String::as_str).chain(words) {
                assert_eq!(language.contains(text), classes.class(text) == class, "{text}");
            }
        }
        // As text, each key is followed by the tail of its class, or left out.
        let tails: Vec<Ir> = (0..3).map(|at| Ir::value(&format!("={at}"))).collect();
        let tail_of: Vec<Option<usize>> =
            (0..classes.len()).map(|at| [Some(at % 3), None][at / 4 % 2]).collect();
        let ir = classes.to_ir(&tail_of, &tails, Spelling::Raw);
        for text in texts("abx-", 3).iter().map(String::as_str).chain(words) {
            let own = tail_of[classes.class(text)];
            for tail in 0..3 {
                assert_eq!(
                    reads(&ir, &format!("{text}={tail}")),
                    own == Some(tail),
                    "{text} {tail}"
                );
            }
        }
    }
}

/// Whether `ir`, an automaton of texts and classes, reads all of `text`.
fn reads(ir: &Ir, text: &str) -> bool {
    fn ends<'a>(ir: &Ir, text: &'a str) -> Vec<&'a str> {
        match ir.kind() {
            Kind::Text(own) => text.strip_prefix(&*own.string).into_iter().collect(),
            Kind::Class(set) => {
                let mut rest = text.chars();
                let holds =
                    |c: char| set.ranges().iter().any(|r| (r.start()..=r.end()).contains(&c));
                rest.next().filter(|&c| holds(c)).map(|_| rest.as_str()).into_iter().collect()
            }
            Kind::Sequence(parts) => parts.iter().fold(vec![text], |from, part| {
                from.into_iter().flat_map(|text| ends(part, text)).collect()
            }),
            Kind::Automaton(automaton) => {
                let (mut queue, mut found) = (vec![(0, text)], Vec::new());
                while let Some((at, text)) = queue.pop() {
                    let state = &automaton.states[at];
                    found.extend(state.accepting.then_some(text));
                    for (label, to) in &state.edges {
                        queue.extend(ends(label, text).into_iter().map(|rest| (*to, rest)));
                    }
                }
                found
            }
            _ => panic!("{ir}"),
        }
    }
    ends(ir, text).contains(&"")
}

#[test]
fn limits_stop_what_would_grow() {
    for bomb in ["(a|b)*a(a|b){30}c", "^(?:a{1,200}){1,200}$", "(?:(?:a{0,50}){0,50}){0,50}"] {
        let begin = std::time::Instant::now();
        let found = StringLanguage::pattern(bomb);
        assert!(begin.elapsed().as_secs() < 20, "{bomb} {:?}", found.is_ok());
    }
    let long = StringLanguage::length(1 << 53, Some(1 << 53));
    assert!(!long.is_never());
    assert!(long.to_ir(Spelling::Json(Escapes::All)).is_err());
    let wide = StringLanguage::length(0, Some(1 << 53));
    assert!(wide.to_ir(Spelling::Json(Escapes::All)).is_ok());
}
