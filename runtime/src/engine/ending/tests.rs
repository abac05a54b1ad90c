//! The way to the end that is found is one, and none is shorter.

use std::collections::HashSet;
use std::sync::Arc;

use blueprints_compiler::ir::{FreeText, Triggers};
use blueprints_compiler::{Blueprint, Ir, Order, SchemaOptions};
use serde_json::{Value, json};

use super::*;
use crate::bind::ToBytes;
use crate::engine::Engine;
use crate::limits::Limits;

fn engine(ir: &Ir) -> Engine {
    Engine::new(ir, Box::new(ToBytes), Limits::default(), 8, None).expect("an engine")
}

/// Breadth first, with no bound to lead it.
fn by_breadth(engine: &Engine, start: StateId) -> Option<u32> {
    let (mut seen, mut level) = (HashSet::from([start]), vec![start]);
    for length in 0..200 {
        if level.iter().any(|&state| engine.is_accepting(state)) {
            return Some(length);
        }
        let mut next = Vec::new();
        for state in level {
            for &byte in engine.state(state).samples() {
                let after = engine.step(state, byte).unwrap();
                if after != StateId::DEAD && seen.insert(after) {
                    next.push(after);
                }
            }
        }
        if seen.len() > 20_000 {
            return None;
        }
        level = next;
    }
    None
}

/// Checks the ways from the places of a walk that draws its bytes; answers how many were checked.
fn check(ir: &Ir, name: &str, seed: u64) -> usize {
    let engine = engine(ir);
    let (mut state, mut draw, mut checked) = (engine.start(), seed, 0);
    for place in 0..40 {
        let ending = engine.work().ending(state);
        let ending = ending.unwrap_or_else(|error| panic!("{name}, place {place}: {error}"));
        assert!(ending.shortest, "{name}, place {place}");
        let mut at = state;
        for symbol in &ending.symbols {
            let Symbol::Byte(byte) = *symbol else { panic!("{name}: a token without any") };
            at = engine.step(at, byte).unwrap();
        }
        assert!(engine.is_accepting(at), "{name}, place {place}");
        if let Some(length) = by_breadth(&engine, state) {
            assert_eq!(ending.symbols.len(), length as usize, "{name}, place {place}");
            checked += 1;
        }
        let live: Vec<u8> = engine.live(state).unwrap().iter().collect();
        if live.is_empty() {
            break;
        }
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state = engine.step(state, live[(draw >> 33) as usize % live.len()]).unwrap();
    }
    checked
}

fn schema(schema: &Value) -> Ir {
    Ir::schema(Arc::new(schema.clone()), SchemaOptions::default()).expect("a schema")
}

#[test]
fn no_way_is_shorter_in_schemas() {
    let string = json!({ "type": "string" });
    let schemas = [
        json!({}),
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": { "a": string, "longer": { "type": "integer" } },
            "required": ["longer"], "additionalProperties": false }),
        json!({ "type": "object", "properties": { "a": string, "b": { "type": "null" } },
            "required": ["b", "c"], "minProperties": 2 }),
        json!({ "type": "object", "properties": { "x": { "const": 1 }, "y": string },
            "anyOf": [{ "required": ["x"] }, { "required": ["y"] }] }),
        json!({ "type": "array", "items": { "enum": ["aa", "b", "cc"] }, "minItems": 2,
            "uniqueItems": true }),
        json!({ "type": "array", "items": { "type": "string", "maxLength": 1 }, "minItems": 2,
            "uniqueItems": true }),
        json!({ "type": "array", "prefixItems": [string, { "type": "boolean" }], "minItems": 3 }),
        json!({ "type": "array", "contains": { "const": "long enough" }, "minContains": 2 }),
        json!({ "type": "string", "minLength": 3, "maxLength": 5 }),
        json!({ "type": "string", "pattern": "^(ab|c){2,3}$" }),
        json!({ "type": "number", "multipleOf": 7, "minimum": 20 }),
        json!({ "type": "string", "format": "date" }),
        json!({ "$defs": { "t": { "type": "object", "properties": { "v": { "type": "integer" },
            "next": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/t" }] } },
            "required": ["v", "next"], "additionalProperties": false } }, "$ref": "#/$defs/t" }),
    ];
    let mut checked = 0;
    for (at, source) in schemas.iter().enumerate() {
        for seed in 0..3 {
            checked += check(&schema(source), &source.to_string(), seed * 100 + at as u64);
        }
    }
    assert!(checked > 300, "only {checked} were compared");
}

#[test]
fn no_way_is_shorter_in_templates() {
    let templates = [
        "{% repeat min=3 max=9 sep=\", \" %}ab{% endrepeat %}.",
        "{% repeat min=2 %}{% choice %}{% option %}long{% endoption %}\
         {% option %}{% repeat min=1 %}x{% endrepeat %}{% endoption %}{% endchoice %};{% endrepeat %}",
        "{{ anything(until=\"</t>\") }}</t>",
        "{{ anything(until=\"ab\", min_chars=4) }}ab",
        "{{ \"(a|bb)*c{2}\" | regex }}{% optional %}z{% endoptional %}",
        "{{ 'root ::= \"(\" root \")\" | \"[\" root root \"]\" | \"x\"' | grammar }}",
    ];
    let mut checked = 0;
    for template in templates {
        let outline = Blueprint::from_str(template).unwrap().outline(json!({})).unwrap();
        for seed in 0..4 {
            checked += check(outline.ir(), template, seed);
        }
    }
    let rules = vec![("<n>".into(), Ir::regex("[0-9]{3}</n>").unwrap())];
    let triggers = Triggers { rules, at_least_one: true, ..Triggers::default() };
    checked += check(&Ir::dispatch(triggers).unwrap(), "triggers", 1);
    let limits = FreeText { min_chars: 3000, ..FreeText::default() };
    let long = Ir::free_text(["ab".into()], limits).unwrap();
    assert_eq!(engine(&long).work().ending(engine(&long).start()).unwrap().symbols.len(), 3000);
    assert!(checked > 150, "only {checked} were compared");
}

#[test]
fn what_a_register_owes_keeps_the_search_short() {
    // Any order, optional keys cheaper than those that are asked for: with no bound from the
    // register, every set of keys that is cheap enough would be tried.
    let mut properties = serde_json::Map::new();
    for key in 0..20 {
        properties.insert(format!("o{key}"), json!({ "type": "integer" }));
        properties.insert(format!("the required one, {key}"), json!({ "type": "string" }));
    }
    let required: Vec<String> = (0..20).map(|key| format!("the required one, {key}")).collect();
    let source = json!({ "type": "object", "properties": properties, "required": required });
    let ir = schema(&source);
    let limits = Limits { ending_steps_max: 3_000, ..Limits::default() };
    let engine = Engine::new(&ir, Box::new(ToBytes), limits, 8, None).unwrap();
    let ending = engine.work().ending(engine.start()).unwrap();
    assert!(ending.shortest);
    // Braces, commas, and for each key its quotes, a colon and an empty string.
    let keys: usize = required.iter().map(|key| key.len() + 5).sum();
    assert_eq!(ending.symbols.len(), 2 + 19 + keys);
}

#[test]
fn a_way_is_found_where_the_shortest_takes_too_long() {
    let source = json!({ "type": "array", "minItems": 8, "uniqueItems": true,
        "items": { "type": "string", "maxLength": 2 } });
    let limits = Limits { ending_steps_max: 60, ..Limits::default() };
    let engine = Engine::new(&schema(&source), Box::new(ToBytes), limits, 8, None).unwrap();
    let mut at = engine.start();
    let ending = engine.work().ending(at);
    match ending {
        Ok(ending) => {
            for symbol in ending.symbols {
                let Symbol::Byte(byte) = symbol else { panic!("a token without any") };
                at = engine.step(at, byte).unwrap();
            }
            assert!(engine.is_accepting(at));
        }
        Err(error) => assert!(matches!(error, LowerError::Limit(LimitError::EndingSteps(60)))),
    }
}

#[test]
fn keys_that_differ_are_found() {
    let source = json!({ "type": "object", "properties": { "a": { "type": "null" } },
        "required": ["a", "c"], "minProperties": 5 });
    let engine = engine(&schema(&source));
    let mut at = engine.start();
    let ending = engine.work().ending(at).unwrap();
    let mut text = Vec::new();
    for symbol in &ending.symbols {
        let Symbol::Byte(byte) = *symbol else { panic!("a token without any") };
        text.push(byte);
        at = engine.step(at, byte).unwrap();
    }
    assert!(engine.is_accepting(at));
    let object: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(object.as_object().expect("an object").len(), 5, "{object}");
}

#[test]
fn what_inner_registers_owe_counts_for_those_around_them() {
    // Each object owes what those inside it ask for, three deep, and any key may come before.
    let inner = |at: usize| {
        let names: Vec<String> = (0..4).map(|key| format!("required {at} {key}")).collect();
        json!({ "type": "object", "required": names })
    };
    let middle = json!({ "type": "object", "properties": { "one": inner(1), "two": inner(2) },
        "required": ["one", "two"] });
    let source = json!({ "type": "object", "properties": { "middle": middle },
        "required": ["middle", "last"] });
    let options = SchemaOptions { order: Order::Any, ..SchemaOptions::default() };
    let ir = Ir::schema(Arc::new(source), options).expect("a schema");
    let limits = Limits { ending_steps_max: 3_000, ..Limits::default() };
    let engine = Engine::new(&ir, Box::new(ToBytes), limits, 8, None).unwrap();
    let mut at = engine.start();
    for byte in br#"{"other":[{"#.iter().copied() {
        at = engine.step(at, byte).unwrap();
    }
    let ending = engine.work().ending(at).unwrap();
    assert!(ending.shortest);
    for symbol in &ending.symbols {
        let Symbol::Byte(byte) = *symbol else { panic!("a token without any") };
        at = engine.step(at, byte).unwrap();
    }
    assert!(engine.is_accepting(at));
}
