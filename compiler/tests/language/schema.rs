//! What texts a schema lets in: types, numbers, lists of values, arrays, objects, references.

use std::sync::Arc;

use blueprints_compiler::{Ir, SchemaOptions, Whitespace};
use serde_json::Value;

use crate::matcher;

/// The language of the schema `source` without white space.
pub(crate) fn compact(source: &str) -> Ir {
    let options = SchemaOptions { whitespace: Whitespace::Compact, ..SchemaOptions::default() };
    with_options(source, options)
}

fn with_options(source: &str, options: SchemaOptions) -> Ir {
    let value: Value = serde_json::from_str(source).unwrap();
    Ir::schema(Arc::new(value), options)
        .unwrap_or_else(|error| panic!("{source}: {} at {:?}", error, error.pointer))
}

/// Checks a table, and that the crate `jsonschema` agrees on each text that is JSON.
#[track_caller]
pub(crate) fn check(source: &str, accepted: &[&str], rejected: &[&str]) {
    matcher::check(&compact(source), source, accepted, rejected);
    let oracle = jsonschema::validator_for(&serde_json::from_str(source).unwrap()).unwrap();
    for text in accepted {
        let value = serde_json::from_str(text).unwrap();
        assert!(oracle.is_valid(&value), "{source}: the oracle rejects {text}");
    }
}

#[test]
fn types() {
    check(r#"{"type":"null"}"#, &["null"], &["", "Null", "nul", "null ", " null", "0"]);
    check(r#"{"type":"boolean"}"#, &["true", "false"], &["True", "1", "truefalse"]);
    check(r#"{"type":["null","string"]}"#, &["null", "\"\"", "\"a\""], &["1", "[]", "\"a"]);
    let all = &["null", "true", "-1.5e-7", "\"x\"", "[1,[],{\"a\":[{}]}]", "{}", "{\"\":{}}"];
    let none = &["", "[1,]", "{1:2}", "{\"a\"}", "[1 ,2]", "01", "+1", ".5", "1.", "\"a", "nan"];
    for source in ["true", "{}", r#"{"title":"x","nonesuch":{"minLength":3}}"#] {
        check(source, all, none);
    }
}

#[test]
fn numbers() {
    check(
        r#"{"type":"number"}"#,
        &["0", "-0", "10", "1.50", "1e5", "1E+05", "-1.5e-0", "0.0e0"],
        &["", "-", "01", "00", "1.", ".1", "1e", "1e+", "--1", "+1", "1.e1", "0x1", "1 "],
    );
    check(
        r#"{"type":"integer"}"#,
        &[
            "0", "-0", "7", "-70", "7.0", "7.000", "1e3", "1E+3", "1.0e2", "1e-0", "0e-5",
            "-0.0E-9", "1.5e1", "10e-1", "1.50e2",
        ],
        &["1.5", "1e-1", "0.1", "1.0e-1", "01", "0.10", "", "1.55e1", "105e-1"],
    );
    check(
        r#"{"const":1}"#,
        &["1", "1.0", "1.00", "1e0", "1.0E-0", "1e+00"],
        &["-1", "1.1", "11", "10e-2", "01", "1e1", "true"],
    );
    check(
        r#"{"enum":[0,-1.50,1200,2e-3]}"#,
        &[
            "0", "-0", "0.0", "0e7", "-1.5", "-1.500", "-15e-1", "-1.5e0", "1200", "1200.0",
            "12e2", "1.2e3", "1.20E+03", "0.002", "2e-3", "2.0E-03",
        ],
        &["1.5", "-1.51", "120", "12", "0.0020001", "0.02", "-0.002", "1.2", "12e3"],
    );
    let draft4 = r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}"#;
    check(draft4, &["1", "-20"], &["1.0", "1e2"]);
}

#[test]
fn listed_values() {
    check(
        r#"{"enum":["a/b",null,true,[1,"x"],{"k":[],"j":1}]}"#,
        &[
            r#""a/b""#,
            r#""a\/b""#,
            r#""\u0061\u002Fb""#,
            "null",
            "true",
            r#"[1,"x"]"#,
            r#"[1.0,"\u0078"]"#,
            r#"{"k":[],"j":1}"#,
            r#"{"\u006b":[],"j":1e0}"#,
        ],
        // The last one is left out by the order of keys.
        &["false", "\"a\"", "[1]", "[\"x\",1]", "{}", "\"\"", r#"{"j":1,"k":[]}"#],
    );
    check(
        r#"{"enum":["a","bb","ccc",4,null],"type":["string","null"],"minLength":2}"#,
        &["\"bb\"", "\"ccc\"", "null"],
        &["\"a\"", "4"],
    );
    check(
        r##"{"enum":["x1","y1",[1],[1,2]],"pattern":"^x","maxItems":1}"##,
        &["\"x1\"", "[1]"],
        &["\"y1\"", "[1,2]"],
    );
    check(
        r##"{"enum":[1,2,3],"$ref":"#/$defs/d","$defs":{"d":{"anyOf":[{"const":2},{"type":"string"}]}}}"##,
        &["2"],
        &["1", "3", "\"\""],
    );
    check(r#"{"const":"a","enum":["a","b"]}"#, &["\"a\""], &["\"b\""]);
    check(
        r#"{"enum":[{"a":1},{"a":1,"b":2},{"b":2}],"required":["a"],"additionalProperties":{"const":1}}"#,
        &[r#"{"a":1}"#],
        &[r#"{"a":1,"b":2}"#, r#"{"b":2}"#],
    );
}

#[test]
fn arrays() {
    check(
        r#"{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":3}"#,
        &["[true]", "[true,false,true]"],
        &["[]", "[1]", "[true,]", "[true,true,true,true]", "[,true]", "true"],
    );
    check(r#"{"type":"array","items":false}"#, &["[]"], &["[1]", "[null]"]);
    check(r#"{"items":{"type":"null"}}"#, &["[]", "[null,null]", "1", "{}"], &["[1]"]);
    check(r#"{"minItems":2}"#, &["[1,\"\"]", "7", "\"\""], &["[]", "[1]"]);
    let ir = compact(r#"{"type":"array","minItems":2.0,"maxItems":4000000000}"#);
    matcher::check(&ir, "big", &["[1,2]", "[1,2,3,4]"], &["[]", "[1]"]);
}

#[test]
fn declared_keys_stand_in_order() {
    check(
        r#"{"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"},"c":{"type":"null"}},
            "required":["b"],"additionalProperties":false}"#,
        &[
            r#"{"b":null}"#,
            r#"{"a":null,"b":null}"#,
            r#"{"b":null,"c":null}"#,
            r#"{"a":null,"b":null,"c":null}"#,
            r#"{"\u0062":null}"#,
        ],
        &[
            "{}",
            r#"{"a":null}"#,
            r#"{"a":null,"c":null}"#,
            r#"{"b":null,"b":null}"#,
            r#"{"b":null,}"#,
            r#"{,"b":null}"#,
            r#"{"b":1}"#,
            r#"{"b":null,"d":null}"#,
            // Left out: another order.
            r#"{"b":null,"a":null}"#,
        ],
    );
    check(
        r#"{"properties":{"a":{"type":"null"},"b":false}}"#,
        &["{}", r#"{"a":null}"#, r#"{"z":1}"#, r#"{"a":null,"z":1,"z":2}"#, "3", "[]"],
        &[r#"{"b":1}"#, r#"{"\u0062":1}"#, r#"{"a":1}"#, r#"{"a":null,"a":null}"#],
    );
}

#[test]
fn other_keys_are_compared_decoded() {
    check(
        r#"{"type":"object","properties":{"ab":{"type":"null"},"a":{"type":"null"}},
            "additionalProperties":{"type":"integer"}}"#,
        &[
            "{}",
            r#"{"ab":null,"a":null,"abc":1,"":2,"b":3}"#,
            r#"{"abc":1,"\u0061c":1}"#,
            r#"{"\"":1,"\ud83d\ude00":1,"😀":2}"#,
        ],
        &[
            r#"{"ab":1}"#,
            r#"{"\u0061b":1}"#,
            r#"{"a\u0062":1}"#,
            r#"{"\u0061":1}"#,
            r#"{"abc":null}"#,
            r#"{"abc":1,"ab":null}"#,
            r#"{"\ud83d":1}"#,
        ],
    );
}

#[test]
fn required_keys_that_are_not_declared_stand_after_the_declared() {
    check(
        r#"{"type":"object","properties":{"a":{"type":"null"}},"required":["z","y"],
            "additionalProperties":{"type":"integer"}}"#,
        &[r#"{"z":1,"y":2}"#, r#"{"a":null,"z":1,"y":2,"x":3}"#, r#"{"z":1,"y":2,"x":1,"x":2}"#],
        &["{}", r#"{"z":1}"#, r#"{"y":1}"#, r#"{"z":null,"y":1}"#, r#"{"z":1,"y":2,"z":3}"#],
    );
    check(r#"{"required":["a"]}"#, &[r#"{"a":1}"#, r#"{"a":1,"b":2}"#, "4"], &["{}", r#"{"b":1}"#]);
}

#[test]
fn any_of_and_types_beside_it() {
    check(
        r#"{"anyOf":[{"type":"integer"},{"type":"string","maxLength":1},false]}"#,
        &["1", "\"a\""],
        &["\"ab\"", "1.5", "null"],
    );
    check(
        r#"{"type":["string","null"],"anyOf":[{"minLength":2},{"type":"null"},{"type":"object"}]}"#,
        &["\"ab\"", "null"],
        &["1", "\"a\"", "{}", "[]"],
    );
    check(
        r##"{"type":"array","$ref":"#/$defs/x","$defs":{"x":{"maxItems":1}}}"##,
        &["[]", "[1]"],
        &["1", "[1,2]"],
    );
}

#[test]
fn references_recur() {
    check(
        r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":
            {"value":{"type":"integer"},"next":{"$ref":"#/$defs/node"}},
            "required":["value"],"additionalProperties":false}}}"##,
        &[r#"{"value":1}"#, r#"{"value":1,"next":{"value":2,"next":{"value":3}}}"#],
        &["{}", r#"{"value":1,"next":{}}"#, r#"{"next":{"value":1}}"#],
    );
    check(r##"{"type":"array","items":{"$ref":"#"}}"##, &["[]", "[[],[[]]]"], &["1", "[1]", "[[]"]);
    check(
        r##"{"$ref":"#/$defs/a~1b~0c%25d","$defs":{"a/b~c%d":{"type":"null"}}}"##,
        &["null"],
        &["1"],
    );
    check(
        r##"{"properties":{"a":{"type":"null"},"b":{"$ref":"#/properties/a"}},"additionalProperties":false}"##,
        &[r#"{"a":null,"b":null}"#, "{}", "1"],
        &[r#"{"b":1}"#],
    );
    check(
        r##"{"$id":"http://example.com/s","$ref":"http://example.com/s#/$defs/n","$defs":{"n":{"type":"null"}}}"##,
        &["null"],
        &["1"],
    );
    // A rule without any text is taken out where it may be left out.
    check(
        r##"{"type":"object","properties":{"x":{"$ref":"#/$defs/u"}},"additionalProperties":false,
            "$defs":{"u":{"type":"object","properties":{"u":{"$ref":"#/$defs/u"}},"required":["u"]}}}"##,
        &["{}"],
        &[r#"{"x":{}}"#, r#"{"x":{"u":{}}}"#],
    );
    check(
        r#"{"type":"object","properties":{"a":{"type":"object","enum":["x"]}}}"#,
        &["{}", r#"{"b":1}"#],
        &[r#"{"a":"x"}"#, r#"{"a":{}}"#],
    );
    // Up to draft 7, the siblings of a reference mean nothing.
    check(
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"null"}},
            "items":{"$ref":"#/definitions/n","minLength":3,"oneOf":[false]}}"##,
        &["[null]", "1"],
        &["[1]"],
    );
}

#[test]
fn white_space() {
    let source = r#"{"type":"object","properties":{"a":{"type":"array","items":{"const":1}},"b":{"const":{}}}}"#;
    let flexible = with_options(source, SchemaOptions::default());
    let (blanks, more) = (" ".repeat(32), " ".repeat(33));
    let accepted = [
        r#"{"a":[1,1],"b":{}}"#.to_owned(),
        "{\n  \"a\" : [ 1 ,\t1 ]\r\n,\n\n".replace("\n\n", "\n") + "\"b\": { } }",
        format!("{{{blanks}\"a\":[1\n{blanks},1]}}"),
        format!("{{ \n{}\t}}", " ".repeat(31)),
    ];
    let rejected = [
        format!("{{{more}}}"),
        format!("{{ \n{more}}}"),
        format!("{{{more}\n}}"),
        "{\n\n}".to_owned(),
        "{\r}".to_owned(),
        " {}".to_owned(),
        "{} ".to_owned(),
        "{\u{a0}}".to_owned(),
        format!("{{\"a\":[1{blanks} ,1]}}"),
    ];
    let accepted: Vec<&str> = accepted.iter().map(String::as_str).collect();
    let rejected: Vec<&str> = rejected.iter().map(String::as_str).collect();
    matcher::check(&flexible, "flexible", &accepted, &rejected);

    let spaced = SchemaOptions { whitespace: Whitespace::Spaced, ..SchemaOptions::default() };
    matcher::check(
        &with_options(source, spaced),
        "spaced",
        &[r#"{"a": [1, 1], "b": {}, "c": {"d": [1, {}], "e": 2}}"#, "{}", r#"{"a": []}"#],
        &[
            r#"{"a":[]}"#,
            r#"{"a": [1,1]}"#,
            r#"{ "a": []}"#,
            r#"{"a" : []}"#,
            "{ }",
            r#"{"a": [ ]}"#,
        ],
    );
    matcher::check(
        &compact(source),
        "compact",
        &[r#"{"a":[1,1],"b":{},"c":{"d":[1,{}]}}"#],
        &[r#"{"a": []}"#, "{ }", r#"{"a":[1, 1]}"#],
    );
}

#[test]
fn options_are_part_of_the_printed_form() {
    for (options, printed) in [
        (SchemaOptions::default(), r#"schema {"type":"null"}"#),
        (
            SchemaOptions { whitespace: Whitespace::Spaced, ..SchemaOptions::default() },
            r#"schema {"type":"null"} with {"whitespace":"spaced"}"#,
        ),
    ] {
        let ir = with_options(r#"{"type":"null"}"#, options);
        assert_eq!(ir.to_string(), printed);
        assert_eq!(Ir::read(printed), Ok(ir));
    }
}

/// Long but flat schemas: no step goes deeper with each definition, nor does more work with each
/// value that is listed.
#[test]
fn long_schemas_are_read_flat() {
    let mut chain = String::from(r#"{"$defs":{"#);
    for at in 0..60_000 {
        let next = at + 1;
        chain += &format!(r##""d{at}":{{"type":"array","items":{{"$ref":"#/$defs/d{next}"}}}},"##);
    }
    chain += r##""d60000":{}},"$ref":"#/$defs/d0"}"##;
    assert!(!compact(&chain).is_never());

    let numbers: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
    assert!(!compact(&format!(r#"{{"enum":[{}]}}"#, numbers.join(","))).is_never());
}

#[test]
fn a_listed_number_has_its_own_spelling_however_long() {
    let long = format!("1{}", "0".repeat(2_000));
    // The oracle holds such numbers no longer.
    matcher::check(
        &compact(&format!(r#"{{"const":{long}}}"#)),
        "a long number",
        &[&long, &format!("{long}.0"), "1e2000"],
        &[&long[1..], &format!("{long}0"), "1e2001"],
    );
}
