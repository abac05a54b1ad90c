//! What captures become, said in tables.

use blueprints_compiler::ir::CaptureKind::{self, *};
use blueprints_compiler::ir::machine::{Action, Condition, Counters, Effect};
use blueprints_compiler::ir::{Machine, Rule, RuleId, State};
use blueprints_compiler::{Blueprint, Ir};
use blueprints_parser::{ParseError, ParseText};
use serde_json::{Value, json};

fn value(template: &str, context: Value, text: &str) -> Value {
    let outline = Blueprint::from_str(template).and_then(|one| one.outline(context));
    let outline = outline.unwrap_or_else(|faults| panic!("{template}: {faults}"));
    let parsed = outline.parse(text).unwrap_or_else(|error| panic!("{template} {text:?}: {error}"));
    parsed.value()
}

#[test]
fn templates_read_back_what_they_allow() {
    let cases = [
        ("ab", "ab", json!({})),
        ("{{ '[a-z]+' | regex(name='x') }}", "abc", json!({"x": "abc"})),
        ("{% optional %}{{ 'a' | regex(name='x') }}{% endoptional %}b", "b", json!({})),
        (
            "{% repeat sep=',' name='x' %}{{ '[0-9]+' | regex(name='n', type='integer') }}{% endrepeat %}",
            "1,22",
            json!({"x": [{"n": 1}, {"n": 22}]}),
        ),
        (
            "{% repeat max=2 %}{{ '[a-z]' | regex(name='x') }}{% endrepeat %}",
            "a",
            json!({"x": ["a"]}),
        ),
        (
            "{% capture a %}{{ anything(until='</a>') }}{% endcapture %}</a>{{ '[a-z]*' | regex(name='b') }}",
            "x<y</a>z",
            json!({"a": "x<y", "b": "z"}),
        ),
        (
            "{% anyorder sep=',' %}{% part %}{{ 'x' | regex(name='x') }}{% endpart %}{% part %}{{ 'y' | regex(name='y') }}{% endpart %}{% endanyorder %}",
            "y,x",
            json!({"y": "y", "x": "x"}),
        ),
        (
            "{% free text='t' %}{% on '<' %}{{ '[a-z]' | regex(name='x') }}>{% endon %}{% endfree %}",
            "ab<c>d<e>",
            json!({"t": ["ab", "d"], "x": ["c", "e"]}),
        ),
        (
            "{% choice %}{% option %}{{ '[a-z]+' | regex(name='x') }}{% endoption %}{% option %}{{ 'ab' | regex(name='y') }}{% endoption %}{% endchoice %}",
            "ab",
            json!({"x": "ab"}),
        ),
        ("{% capture o type='object' %}a{% endcapture %}", "a", json!({"o": {}})),
    ];
    for (template, text, expected) in cases {
        assert_eq!(value(template, json!({}), text), expected, "{template}");
    }
}

#[test]
fn types_say_what_a_text_becomes() {
    let cases: &[(CaptureKind, &str, &str)] = &[
        (Text, "a\"b", r#""a\"b""#),
        (String, "1", r#""1""#),
        (Json, r#"{"b":1.50,"a":"\u00e9\n"}"#, "{\"b\":1.50,\"a\":\"é\\n\"}"),
        (Json, "123456789012345678901234567890", "123456789012345678901234567890"),
        (Integer, "-007", "-7"),
        (Integer, "+5", "5"),
        (Integer, "-0", "0"),
        (Integer, "1.0", "1"),
        (Integer, "-1.20e2", "-120"),
        (Integer, "50e-1", "5"),
        (Integer, "0e99999999999999999999", "0"),
        (Number, "1.", "1"),
        (Number, ".5e3", "0.5e+3"),
        (Boolean, "True", "true"),
        (Python, "{'a': (1, None)}", r#"{"a":[1,null]}"#),
        (Gemma, "{a:<|\"|>b<|\"|>}", r#"{"a":"b"}"#),
    ];
    for (kind, text, expected) in cases {
        let ir = Ir::capture("x", *kind, Ir::anything([]).expect("it can be built"));
        let parsed = ir.parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(parsed.value()["x"].to_string(), *expected, "{text}");
    }
    let refused: &[(CaptureKind, &str)] = &[
        (Json, "{"),
        (Json, ""),
        (Integer, "1.5"),
        (Integer, "15e-1"),
        (Integer, "1e-99999999999999999999"),
        (Integer, "1e100000"),
        (Integer, ""),
        (Number, "."),
        (Number, "x"),
        (Boolean, "yes"),
        (Python, "["),
        (Gemma, "{a:b}"),
    ];
    for (kind, text) in refused {
        let ir = Ir::capture("x", *kind, Ir::anything([]).expect("it can be built"));
        let error = ir.parse(text).expect_err("refused");
        assert!(matches!(&error, ParseError::Value { name, .. } if name == "x"), "{text}: {error}");
    }
}

#[test]
fn entries_and_items_are_made_of_captures() {
    let part = |name: &str, kind, pattern: &str| {
        Ir::capture(name, kind, Ir::regex(pattern).expect("built"))
    };
    let entry = Ir::sequence([
        part("key", Text, "[a-z]+"),
        Ir::text("="),
        part("value", Json, "[0-9]+|\"[a-z]*\""),
    ]);
    let entries = Ir::capture("x", Entries, Ir::repeat(entry, 0, None, Some(Ir::text(","))));
    let items = Ir::capture("y", Items, Ir::repeat(part("value", Integer, "[0-9]"), 0, None, None));
    let ir = Ir::sequence([entries, Ir::text(";"), items]);
    for (text, expected) in [
        (";", json!({"x": {}, "y": []})),
        ("b=1,a=\"z\";12", json!({"x": {"b": 1, "a": "z"}, "y": [1, 2]})),
        ("a=1,b=2,a=3;", json!({"x": {"a": 3, "b": 2}, "y": []})),
    ] {
        assert_eq!(ir.parse(text).map(|parsed| parsed.value()), Ok(expected), "{text}");
    }
}

#[test]
fn rules_that_call_themselves_keep_their_nesting() {
    let value = |kind, body| Ir::capture("value", kind, body);
    let row = Ir::repeat(Ir::call(RuleId(1)), 0, None, None);
    let nested = Ir::sequence([Ir::text("["), row, Ir::text("]")]);
    let digit = Ir::regex("[0-9]").expect("built");
    let inner = Ir::choice([value(Items, nested.clone()), value(Integer, digit)]);
    let rules = vec![
        Rule { name: "list".into(), body: Ir::capture("l", Items, nested) },
        Rule { name: "inner".into(), body: inner },
    ];
    let list = Ir::grammar(rules, RuleId(0)).expect("it can be built");
    let parsed = list.parse("[1[2[]]3]").expect("it fits");
    assert_eq!(parsed.value(), json!({"l": [1, [2, []], 3]}));
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    assert!(matches!(list.parse(&deep), Err(ParseError::Bound(_))));
}

/// Actions of a machine around captures.
#[test]
fn registers_are_kept_beside_captures() {
    let act = |when| Action { when, effects: vec![Effect::Add { counter: 0, by: 1 }] };
    let actions = vec![
        act(Condition::below(0, 2)),
        Action { when: Condition::at_least(0, 2), effects: Vec::new() },
    ];
    let machine = Machine::Counters(Counters::new(1, actions));
    let digit = Ir::capture("n", Integer, Ir::regex("[0-9]").expect("built"));
    let states = vec![
        State {
            edges: vec![(Ir::sequence([digit, Ir::act(0)]), 0), (Ir::act(1), 1)],
            accepting: false,
        },
        State { edges: Vec::new(), accepting: true },
    ];
    let ir = Ir::tracked(Ir::automaton(states), machine.into());
    assert_eq!(ir.parse("12").map(|parsed| parsed.value()), Ok(json!({"n": [1, 2]})));
    for text in ["", "1", "123"] {
        assert!(ir.parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_failure_says_where_and_what_was_read() {
    let template = "{{ '[a-z]+' | regex(name='x') }}:\n{{ '[0-9]+' | regex(name='n') }}!";
    let outline =
        Blueprint::from_str(template).and_then(|one| one.outline(json!({}))).expect("sound");
    let cases = [
        ("ab:\n1x", "byte 5, 2:2: expected `!`, `0` to `9`", json!({"x": "ab", "n": "1"})),
        ("ab", "byte 2, 1:3: expected `:\\n`, `a` to `z`", json!({"x": "ab"})),
        ("1", "byte 0, 1:1: expected `a` to `z`", json!({})),
    ];
    for (text, message, before) in cases {
        let error = outline.parse(text).expect_err("it does not fit");
        assert_eq!(error.to_string(), message);
        let ParseError::Mismatch { read, .. } = error else { panic!("{error}") };
        assert_eq!(read.value(), before, "{text}");
    }
}
