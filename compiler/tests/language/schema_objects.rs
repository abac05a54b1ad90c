//! Objects and arrays whose members and items depend on one another, in any order.

use std::sync::Arc;

use blueprints_compiler::{Ir, Order, SchemaOptions, Whitespace};
use serde_json::Value;

use crate::matcher;

/// Checks a table under `order="any"`, and that the crate `jsonschema` agrees with it.
#[track_caller]
fn check(source: &str, accepted: &[&str], rejected: &[&str]) {
    let value: Value = serde_json::from_str(source).unwrap();
    let oracle = jsonschema::validator_for(&value).unwrap();
    let options = SchemaOptions {
        whitespace: Whitespace::Compact,
        order: Order::Any,
        ..SchemaOptions::default()
    };
    let ir = Ir::schema(Arc::new(value), options).unwrap();
    matcher::check(&ir, source, accepted, rejected);
    for (texts, valid) in [(accepted, true), (rejected, false)] {
        for text in texts {
            if let Ok(value) = serde_json::from_str(text) {
                assert_eq!(oracle.is_valid(&value), valid, "{source}: the oracle on {text}");
            }
        }
    }
}

#[test]
fn keys_in_any_order() {
    check(
        r#"{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},"required":["b"],
            "additionalProperties":{"type":"null"}}"#,
        &[r#"{"b":2}"#, r#"{"b":2,"a":1}"#, r#"{"z":null,"a":1,"b":2}"#],
        &["{}", r#"{"a":1}"#, r#"{"b":1}"#, r#"{"b":2,"z":1}"#, r#"{"b":2,"b":3}"#],
    );
}

#[test]
fn counts_of_members() {
    // What counts, counts different keys.
    check(
        r#"{"minProperties":3,"additionalProperties":{"type":"null"},"type":"object"}"#,
        &[r#"{"a":null,"b":null,"":null}"#],
        &[r#"{"a":null,"b":null,"a":null}"#, r#"{"a":null,"b":null,"\u0061":null}"#],
    );
    check(
        r#"{"type":"object","minProperties":2,"maxProperties":3,"propertyNames":{"maxLength":1}}"#,
        &[r#"{"a":1,"b":2}"#, r#"{"a":1,"b":2,"c":3}"#],
        &["{}", r#"{"a":1}"#, r#"{"a":1,"bb":2}"#, r#"{"a":1,"b":2,"c":3,"d":4}"#],
    );
    check(
        r#"{"patternProperties":{"^[ab]$":{"type":"null"}},"additionalProperties":false,"minProperties":2}"#,
        &[r#"{"b":null,"a":null}"#, "[]"],
        &[r#"{"a":null}"#, r#"{"a":null,"c":null}"#, r#"{"a":1,"b":null}"#],
    );
}

#[test]
fn conditions_between_members() {
    check(
        r#"{"type":"object","dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"maxProperties":1}}}"#,
        &["{}", r#"{"b":1}"#, r#"{"a":1,"b":1}"#, r#"{"b":1,"a":1}"#, r#"{"c":1}"#],
        &[r#"{"a":1}"#, r#"{"c":1,"d":1}"#, r#"{"d":1,"c":1}"#],
    );
    check(
        r#"{"type":"object","properties":{"kind":{"enum":["x","y"]}},"required":["kind"],
            "if":{"properties":{"kind":{"const":"x"}}},"then":{"required":["a"]},"else":{"required":["b"]}}"#,
        &[r#"{"kind":"x","a":1}"#, r#"{"a":1,"kind":"x"}"#, r#"{"b":1,"kind":"y"}"#],
        &[r#"{"kind":"x"}"#, r#"{"kind":"x","b":1}"#, r#"{"a":1,"kind":"y"}"#],
    );
    check(
        r#"{"oneOf":[{"properties":{"a":{"type":"null"}}},{"properties":{"b":{"type":"null"}}}],"type":"object"}"#,
        &[r#"{"a":1}"#, r#"{"b":1,"a":null}"#, r#"{"a":1,"b":null}"#],
        &["{}", r#"{"a":null}"#, r#"{"a":1,"b":1}"#, r#"{"b":null,"a":null}"#],
    );
    check(
        r#"{"type":"object","not":{"required":["a","b"]},"unevaluatedProperties":false,
            "anyOf":[{"properties":{"a":true},"required":["a"]},{"properties":{"b":true}}]}"#,
        &["{}", r#"{"a":1}"#, r#"{"b":1}"#],
        &[r#"{"a":1,"b":1}"#, r#"{"c":1}"#, r#"{"a":1,"c":1}"#],
    );
}

#[test]
fn counts_and_kinds_of_items() {
    check(
        r#"{"type":"array","contains":{"const":1},"minContains":2,"maxContains":2,"maxItems":3}"#,
        &["[1,1]", "[1,0,1]", "[\"\",1,1]"],
        &["[]", "[1]", "[1,1,1]", "[1,0,0]", "[1,1,0,0]"],
    );
    check(
        r#"{"prefixItems":[{"type":"null"},{"type":"boolean"}],"items":{"type":"integer"},"minItems":2}"#,
        &["[null,true]", "[null,false,3,4]", "3"],
        &["[]", "[null]", "[true,null]", "[null,true,\"\"]"],
    );
    // Numbers within bounds, however they are spelled.
    check(
        r#"{"type":"array","items":{"type":"integer","minimum":1},"uniqueItems":true}"#,
        &["[]", "[1,2,10]", "[1,1e1,1.5e1]"],
        &["[1,1]", "[1,1.0]", "[10,1e1]", "[0]", "[1.5]", "[2,20e-1]"],
    );
    check(
        r#"{"type":"array","items":{"exclusiveMaximum":1,"type":"number"},"uniqueItems":true}"#,
        &["[0.5,0.25,-3]", "[0,1e-2]"],
        &["[0.5,5e-1]", "[0,-0.0]", "[1]"],
    );
    check(
        r#"{"type":"array","items":{"type":["string","null"]},"uniqueItems":true,"maxItems":3}"#,
        &["[]", r#"["a","b",null]"#, r#"["a","aa","A"]"#],
        &[r#"["a","a"]"#, r#"["a","\u0061"]"#, "[null,null]", r#"["\n","b","\u000a"]"#],
    );
    check(
        r#"{"type":"array","items":{"enum":[1,"1",{"a":1},[]]},"uniqueItems":true,"minItems":3}"#,
        &[r#"[1,"1",[]]"#, r#"[{"a":1.0},[],"1",1]"#],
        &["[1,1]", "[1]", r#"[1,1.0,"1"]"#, r#"[{"a":1},{"a":1e0},1]"#],
    );
}

#[test]
fn many_optional_keys_do_not_multiply() {
    let properties: Vec<String> =
        (0..128).map(|at| format!(r#""k{at}":{{"type":"null"}}"#)).collect();
    let source = format!(
        r#"{{"type":"object","additionalProperties":false,"required":["k127"],"properties":{{{}}}}}"#,
        properties.join(",")
    );
    check(
        &source,
        &[r#"{"k127":null}"#, r#"{"k9":null,"k127":null,"k10":null,"k0":null}"#],
        &["{}", r#"{"k0":null}"#, r#"{"k128":null,"k127":null}"#],
    );
}
