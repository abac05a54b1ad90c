//! Parts with a register: what their machines forbid is dead from the first byte that leads there.

use std::sync::Arc;

use blueprints::ir::machine::{Action, Condition, Counters, Effect, Machine};
use blueprints::ir::{Facts, State};
use blueprints::{Ir, Limits, MatchText, Program, TokenId};

use crate::masks::walk;
use crate::reference::Reference;
use crate::toy::{self, Random};

/// `count` keys of two letters in any order, each at most once, the first of them required.
fn any_order(count: usize) -> Ir {
    let key = |at: usize| format!("{}{}", (b'a' + (at / 5) as u8) as char, at % 5);
    let mut actions = Vec::new();
    for at in 0..count {
        let seen = Effect::Add { counter: at, by: 1 };
        actions.push(Action { when: Condition::below(at, 1), effects: vec![seen] });
    }
    let unseen = (0..count).map(|at| Condition::below(at, 1)).collect();
    actions.push(Action { when: Condition::Any(unseen), effects: Vec::new() });
    actions.push(Action { when: Condition::at_least(0, 1), effects: Vec::new() });
    let member = (0..count)
        .map(|at| Ir::sequence([Ir::value(&key(at)), Ir::act(at as u32), Ir::value("=1")]));
    let comma = Ir::sequence([Ir::act(count as u32), Ir::value(",")]);
    let members = Ir::repeat(Ir::choice(member), 1, None, Some(comma));
    let body = Ir::sequence([Ir::value("{"), members, Ir::act(count as u32 + 1), Ir::value("}")]);
    Ir::tracked(body, Arc::new(Machine::Counters(Counters::new(count, actions))))
}

/// `(ab)*a?` of `min` to `max` letters, by an automaton and a counter.
fn counted(min: u32, max: Option<u32>) -> Ir {
    let edge = |text: &str, to| (Ir::sequence([Ir::value(text), Ir::act(0)]), to);
    let states = vec![
        State { edges: vec![edge("a", 1)], accepting: true },
        State { edges: vec![edge("b", 0)], accepting: true },
    ];
    let machine = Arc::new(Machine::Counters(Counters::between(min, max)));
    let quote = || Ir::value("\"");
    Ir::tracked(Ir::sequence([quote(), Ir::automaton(states), Ir::act(1), quote()]), machine)
}

#[test]
fn membership_is_that_of_the_reference() {
    let vocabulary = toy::vocabulary();
    let cases = [
        (any_order(3), vec!["{a0=1}", "{a2=1,a0=1}", "{a1=1,a0=1,a2=1}"]),
        (counted(2, Some(5)), vec!["\"ab\"", "\"ababa\""]),
        (counted(3, None), vec!["\"aba\"", "\"abababab\""]),
        (
            Ir::sequence([Ir::value("x"), Ir::repeat(any_order(2), 2, Some(2), None)]),
            vec!["x{a0=1}{a1=1,a0=1}"],
        ),
    ];
    for (ir, accepted) in cases {
        for text in accepted {
            assert!(ir.is_match(text).expect("compiles"), "{ir} must accept {text}");
            for cut in 0..text.len() {
                for extra in ["", "}", "\"", ",a0=1}", "b\""] {
                    let other = format!("{}{extra}", &text[..cut]);
                    let mut reference = Reference::new(&ir, &vocabulary);
                    for byte in other.bytes() {
                        reference = reference.after_byte(byte);
                    }
                    let expected = reference.is_accepting();
                    assert_eq!(ir.is_match(&other).expect("compiles"), expected, "{ir} {other}");
                }
            }
        }
        let printed = ir.to_string();
        assert_eq!(Ir::read(&printed).as_ref(), Ok(&ir), "{printed}");
    }
}

#[test]
fn masks_of_bounded_letters_equal_the_reference() {
    let vocabulary = toy::vocabulary();
    let mut random = Random(5);
    // Without dead ends of its own, the reference's "not yet refused" is "can be completed".
    let ir = Ir::sequence([counted(0, Some(70)), Ir::value("x")]);
    for _ in 0..4 {
        walk(&ir, &vocabulary, &mut random, 30);
    }
}

#[test]
fn a_key_that_was_seen_is_dead_at_its_first_byte() {
    let vocabulary = toy::vocabulary();
    let ir = any_order(6);
    let program = Program::compile_ir(&ir, &vocabulary, Limits::default()).expect("compiles");
    let mut matcher = program.matcher();
    let allows = |matcher: &mut blueprints::Matcher, byte: u8| {
        matcher.mask().expect("within limits").contains(TokenId(u32::from(byte)))
    };
    matcher.accept_bytes(b"{b0=1,").expect("fits");
    assert!(allows(&mut matcher, b'a'));
    assert!(!allows(&mut matcher, b'b'), "the only key with b was seen");
    matcher.accept_bytes(b"a1=1").expect("fits");
    assert!(!allows(&mut matcher, b'}'), "a0 is required");
    matcher.accept_bytes(b",a0=1,a2=1,a3=1,a4=1").expect("fits");
    assert!(!allows(&mut matcher, b','), "all keys were seen");
    assert!(allows(&mut matcher, b'}'));
}

#[test]
fn a_tracked_part_may_be_empty_where_its_machine_allows_it() {
    for (min, empty) in [(0, true), (1, false)] {
        let letters = Ir::repeat(Ir::sequence([Ir::value("a"), Ir::act(0)]), 0, None, None);
        let machine = Arc::new(Machine::Counters(Counters::between(min, Some(2))));
        let ir = Ir::tracked(Ir::sequence([letters, Ir::act(1)]), machine);
        assert_eq!(ir.facts().map(|facts: &Facts| facts.nullable), Some(empty));
        assert_eq!(ir.is_match("").expect("compiles"), empty);
        assert!(ir.is_match("aa").expect("compiles"));
        assert!(!ir.is_match("aaa").expect("compiles"));
        let twice = Ir::sequence([ir.clone(), Ir::value("b"), ir]);
        assert_eq!(twice.is_match("ab").expect("compiles"), empty);
    }
}
