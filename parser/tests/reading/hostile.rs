//! Outlines and texts that are hard: time stays linear or a bound is named.

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{CaptureKind::Text, Rule, RuleId};
use blueprints_parser::{Bound, ParseError, ParseOptions, ParseText, Parser, ParserLimits};

fn capture(name: &str, body: Ir) -> Ir {
    Ir::capture(name, Text, body)
}

fn regex(pattern: &str) -> Ir {
    Ir::regex(pattern).expect("it can be built")
}

/// Many ways to cut the same text; each reading that stands where another does is dropped.
#[test]
fn ambiguity_does_not_grow_with_the_text() {
    let stars = Ir::sequence((0..20).map(|at| capture(&format!("x{at}"), regex("a*"))));
    let parsed = stars.parse(&"a".repeat(20_000)).expect("it fits");
    assert_eq!(parsed.captures()[0].span(), 0..20_000);
    let nested = (0..5).fold(regex("a"), |body, _| capture("x", Ir::repeat(body, 0, None, None)));
    assert!(nested.parse(&"a".repeat(5_000)).is_ok());
    let either = Ir::choice([capture("x", regex("a")), capture("y", regex("aa"))]);
    let either = Ir::repeat(either, 0, None, None);
    let parsed = either.parse(&"a".repeat(50_000)).expect("it fits");
    assert_eq!(parsed.captures().len(), 50_000);
}

#[test]
fn too_many_readings_are_a_bound() {
    let limits = ParserLimits { readings_max: 100, ..ParserLimits::default() };
    let options = ParseOptions { limits, ..ParseOptions::default() };
    // Where the first part ended is kept in how much of the second was counted.
    let counted =
        Ir::sequence([capture("x", regex("a*")), capture("y", regex("(?:aa|aaa){0,900}"))]);
    let counted = Ir::sequence([counted, capture("z", regex("b"))]);
    let mut parser = Parser::new(&counted, options).expect("it can be built");
    match parser.parse(&"a".repeat(1_000)) {
        Err(ParseError::Bound(Bound::Readings(100)) | ParseError::Mismatch { .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn hostile_depth_is_a_bound() {
    let deep = (0..2_000).fold(regex("a"), |body, _| capture("x", body));
    assert!(matches!(deep.parse("a"), Err(ParseError::Bound(Bound::Depth(_)))));
    let body = Ir::sequence([
        Ir::text("("),
        Ir::optional(capture("x", Ir::call(RuleId(0)))),
        Ir::text(")"),
    ]);
    let rules = vec![Rule { name: "pair".into(), body }];
    let pairs = Ir::grammar(rules, RuleId(0)).expect("it can be built");
    let text = |depth: usize| format!("{}{}", "(".repeat(depth), ")".repeat(depth));
    assert!(pairs.parse(&text(100)).is_ok());
    assert!(matches!(pairs.parse(&text(100_000)), Err(ParseError::Bound(_))));
}

/// Right recursion returns to where its caller would.
#[test]
fn tails_take_no_frames() {
    let body = Ir::sequence([capture("x", regex("[a-z]")), Ir::optional(Ir::call(RuleId(0)))]);
    let rules = vec![Rule { name: "list".into(), body }];
    let list = Ir::grammar(rules, RuleId(0)).expect("it can be built");
    let limits = ParserLimits { frames_max: 10, ..ParserLimits::default() };
    let options = ParseOptions { limits, ..ParseOptions::default() };
    let mut parser = Parser::new(&list, options).expect("it can be built");
    let parsed = parser.parse(&"ab".repeat(1_000)).expect("it fits");
    assert_eq!(parsed.value()["x"].as_array().map(Vec::len), Some(2_000));
}

/// What is not decided for long is kept without a cost for each piece.
#[test]
fn long_doubts_are_linear() {
    let word = |name: &str| Ir::repeat(capture(name, regex("[a-z] ?")), 0, None, None);
    let doubt = Ir::choice([
        Ir::sequence([word("x"), Ir::text("!")]),
        Ir::sequence([word("y"), Ir::text("?")]),
    ]);
    let mut parser = doubt.parser().expect("it can be built");
    let text = "ab cd ".repeat(3_000);
    for piece in text.as_bytes().chunks(10) {
        assert!(parser.push_bytes(piece).expect("it fits").is_empty());
    }
    let events = parser.push("?").expect("it fits");
    assert!(events.len() > 10_000);
    let (_, parsed) = parser.finish().expect("it ends");
    assert!(parsed.value()["y"].is_array() && parsed.value()["x"].is_null());
}
