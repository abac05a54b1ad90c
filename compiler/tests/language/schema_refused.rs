//! What a schema is refused for, and where; and its options.

use std::sync::Arc;

use blueprints_compiler::{Formats, Ir, OptionError, SchemaError, SchemaOptions, Whitespace};
use serde_json::{Value, json};

fn refused(source: &str) -> SchemaError {
    let value: Value = serde_json::from_str(source).unwrap();
    Ir::schema(Arc::new(value), SchemaOptions::default())
        .map(|_| ())
        .expect_err(&format!("{source} must be refused"))
}

#[test]
fn each_fault_has_its_code_and_its_place() {
    let table: &[(&str, &str, &str, &str)] = &[
        (r#"5"#, "invalid", "", "an object or a boolean"),
        (r#"{"required":7}"#, "invalid", "/required", "list of texts"),
        (r#"{"type":"strin"}"#, "invalid", "/type", "no type `strin`"),
        (r#"{"type":[]}"#, "invalid", "/type", "empty"),
        (r#"{"type":7}"#, "invalid", "/type", "name"),
        (r#"{"minLength":-1}"#, "invalid", "/minLength", "number of things"),
        (r#"{"minLength":1.5}"#, "invalid", "/minLength", "number of things"),
        (r#"{"maxItems":"3"}"#, "invalid", "/maxItems", "number of things"),
        (r#"{"properties":[]}"#, "invalid", "/properties", "object"),
        (
            r#"{"properties":{"a/b":{"items":{"enum":1}}}}"#,
            "invalid",
            "/properties/a~1b/items/enum",
            "list",
        ),
        (r#"{"properties":{"a":[]}}"#, "invalid", "/properties/a", "an object or a boolean"),
        (r#"{"anyOf":[]}"#, "invalid", "/anyOf", "list"),
        (r#"{"$ref":5}"#, "invalid", "/$ref", "text"),
        (r#"{"pattern":5}"#, "invalid", "/pattern", "text"),
        (r##"{"$ref":"#"}"##, "invalid", "", "itself"),
        (
            r##"{"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"null"}]},"b":{"$ref":"#/$defs/a"}}}"##,
            "invalid",
            "/$defs/a",
            "itself",
        ),
        (r##"{"$ref":"#/$defs/a"}"##, "unresolved", "/$ref", "nowhere"),
        (r##"{"$ref":"#name"}"##, "unresolved", "/$ref", "anchor"),
        (r##"{"$ref":"#/a%zz"}"##, "unresolved", "/$ref", "escape"),
        (r##"{"$ref":"http://example.com/s"}"##, "unresolved", "/$ref", "out of"),
        (r#"{"uniqueItems":true}"#, "unsupported", "/uniqueItems", "told apart"),
        (r#"{"format":"regex"}"#, "unsupported", "/format", "no regular language"),
        (r#"{"pattern":"(a)\\1"}"#, "unsupported", "/pattern", "backreferences"),
        (r#"{"pattern":"(a"}"#, "unsupported", "/pattern", "unclosed"),
        (r#"{"pattern":"a**"}"#, "unsupported", "/pattern", "repeat"),
        (r#"{"pattern":"\\A"}"#, "unsupported", "/pattern", "no escape"),
        ("false", "unsatisfiable", "", ""),
        (
            r#"{"type":"string","minLength":3,"maxLength":2}"#,
            "unsatisfiable",
            "/maxLength",
            "/minLength",
        ),
        (
            r#"{"type":"array","minItems":3,"maxItems":2}"#,
            "unsatisfiable",
            "/maxItems",
            "/minItems",
        ),
        (r#"{"enum":[1,"a"],"type":"null"}"#, "unsatisfiable", "/enum", "rest"),
        (
            r#"{"type":"array","items":{"enum":["a",1,null]},"minItems":4,"uniqueItems":true}"#,
            "unsatisfiable",
            "",
            "",
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"boolean"},"minItems":3,"uniqueItems":true}},"required":["a"]}"#,
            "unsatisfiable",
            "/properties/a",
            "required",
        ),
        (r#"{"enum":[]}"#, "unsatisfiable", "/enum", ""),
        (
            r#"{"type":"object","properties":{"a":false},"required":["a"]}"#,
            "unsatisfiable",
            "/properties/a",
            "/required/0",
        ),
        (
            r#"{"type":"object","required":["a"],"additionalProperties":false}"#,
            "unsatisfiable",
            "/required",
            "/additionalProperties",
        ),
        (r#"{"type":"array","items":false,"minItems":1}"#, "unsatisfiable", "/minItems", ""),
        (r#"{"type":"string","pattern":"^a$","minLength":2}"#, "unsatisfiable", "/pattern", ""),
        (
            r##"{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}"##,
            "unsatisfiable",
            "/properties/a",
            "required",
        ),
        (
            r#"{"type":"number","minimum":3,"exclusiveMaximum":3}"#,
            "unsatisfiable",
            "/exclusiveMaximum",
            "/minimum",
        ),
        (
            r#"{"allOf":[{"type":"object"},{"type":["array","null"]}]}"#,
            "unsatisfiable",
            "/allOf/1",
            "/allOf/0",
        ),
        (r#"{"minimum":1e99999999999999999999}"#, "too_large", "/minimum", "exponent"),
    ];
    for (source, code, pointer, message) in table {
        let error = refused(source);
        assert_eq!(
            (error.code.code(), error.pointer.as_str()),
            (*code, *pointer),
            "{source}: {error}"
        );
        assert!(error.message.contains(message), "{source}: {error}");
    }
}

#[test]
fn keywords_without_effect_are_let_through() {
    for source in [
        r#"{"type":"string","minimum":3,"uniqueItems":true,"minProperties":2}"#,
        r#"{"uniqueItems":false,"minProperties":0,"patternProperties":{},"then":{},"minContains":3}"#,
        r#"{"type":"integer","format":"date"}"#,
        r#"{"format":"int32"}"#,
        r#"{"items":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}"#,
        r#"{"title":5,"$comment":"c","default":1,"$defs":{"unused":{"not":{}}},"x-mine":{"not":{}}}"#,
    ] {
        let value: Value = serde_json::from_str(source).unwrap();
        assert!(Ir::schema(Arc::new(value), SchemaOptions::default()).is_ok(), "{source}");
    }
    let annotate = SchemaOptions { formats: Formats::Annotate, ..SchemaOptions::default() };
    assert!(Ir::schema(Arc::new(json!({"format": "date"})), annotate).is_ok());
}

#[test]
fn lenience_leaves_out_what_cannot_be_held_and_says_so() {
    let source = Arc::new(json!({"type": "array", "uniqueItems": true, "maxItems": 2}));
    let lenient = SchemaOptions { lenient: true, ..SchemaOptions::default() };
    let ir = Ir::schema(Arc::clone(&source), lenient).unwrap();
    let blueprints_compiler::ir::Kind::Schema(schema) = ir.kind() else { panic!("a schema") };
    let relaxed: Vec<&str> = schema.relaxed.iter().map(|error| error.pointer.as_str()).collect();
    assert_eq!(relaxed, ["/uniqueItems"]);
    crate::matcher::check(&ir, "lenient", &["[1,1]", "[]"], &["[1,1,1]"]);
}

#[test]
fn no_key_repeats_where_keys_are_unique() {
    let unique = SchemaOptions {
        unique_keys: true,
        whitespace: Whitespace::Compact,
        ..SchemaOptions::default()
    };
    let check = |source: Value, good: &[&str], bad: &[&str]| {
        let ir = Ir::schema(Arc::new(source), unique.clone()).unwrap();
        crate::matcher::check(&ir, "unique", good, bad);
    };
    check(
        json!({"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]}),
        &[r#"{"a":null}"#, r#"{"a":null,"b":1,"c":1}"#, r#"{"a":null,"ab":{"a":1}}"#],
        &[
            "{}",
            r#"{"a":null,"a":null}"#,
            r#"{"a":null,"b":1,"b":1}"#,
            r#"{"a":null,"b":1,"\u0062":1}"#,
            r#"{"a":null,"c":{"b":1,"b":1}}"#,
        ],
    );
    check(
        json!({"patternProperties": {"^x": {"type": "null"}}, "maxProperties": 2,
            "additionalProperties": {"type": "boolean"}, "type": "object"}),
        &["{}", r#"{"x":null,"xx":null}"#, r#"{"x":null,"y":true}"#],
        &[r#"{"x":null,"x":null}"#, r#"{"y":true,"y":true}"#, r#"{"x":true}"#],
    );
    check(json!(true), &["{}", r#"[{"a":1},{"a":1}]"#], &[r#"{"a":1,"a":1}"#]);
    let many = json!({"type": "object", "patternProperties": {"^[a-z]{2}$": {}},
        "additionalProperties": false});
    let error = Ir::schema(Arc::new(many), unique.clone()).unwrap_err();
    assert!(error.message.contains("repeating"), "{error}");
}

#[test]
fn a_deep_schema_is_an_error_and_no_overflow() {
    let mut deep = json!({});
    for _ in 0..100_000 {
        deep = Value::Object(serde_json::Map::from_iter([("items".to_owned(), deep)]));
    }
    let deep = Arc::new(deep);
    let error = Ir::schema(Arc::clone(&deep), SchemaOptions::default()).unwrap_err();
    assert_eq!(error.code.code(), "too_large");
    // Dropping the value itself would overflow the stack.
    std::mem::forget(deep);

    let mut fits = json!({});
    for _ in 0..190 {
        fits = json!({ "items": fits, "minItems": 1 });
    }
    assert!(Ir::schema(Arc::new(fits), SchemaOptions::default()).is_ok());
}

#[test]
fn too_many_keys_are_an_error_when_compiling() {
    for (count, width) in [(40_000, 5), (3_000, 200)] {
        let properties: serde_json::Map<String, Value> =
            (0..count).map(|at| (format!("{at:0width$}"), json!(true))).collect();
        let source = json!({"items": {"properties": properties}}).to_string();
        let error = refused(&source);
        assert_eq!((error.code.code(), &*error.pointer), ("too_large", "/items/properties"));
    }
}

#[test]
fn the_size_is_linear_in_the_schema() {
    // Each definition refers to the next twice: inlined, there would be 2^60 of the last.
    let mut definitions = serde_json::Map::new();
    for at in 0..60 {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        let both = json!({"properties": {"a": next, "b": next}, "type": "object"});
        definitions.insert(format!("d{at}"), both);
    }
    definitions.insert("d60".into(), json!({"type": "null"}));
    let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    assert!(Ir::schema(Arc::new(schema), SchemaOptions::default()).is_ok());
}

#[test]
fn options_come_from_arguments_and_print_as_such() {
    let argument = |name: &str, value: &str| (name.to_owned(), Value::from(value));
    let options = SchemaOptions::from_arguments(&[
        argument("formats", "annotate"),
        argument("whitespace", "compact"),
        argument("order", "declared"),
    ])
    .unwrap();
    let expected = SchemaOptions {
        whitespace: Whitespace::Compact,
        formats: Formats::Annotate,
        ..SchemaOptions::default()
    };
    assert_eq!(options, expected);
    assert_eq!(options.to_string(), r#"whitespace="compact", formats="annotate""#);
    assert_eq!(SchemaOptions::default().to_string(), "");
    let unknown = SchemaOptions::from_arguments(&[argument("spaces", "no")]).unwrap_err();
    assert!(matches!(unknown, OptionError::Unknown { name } if name == "spaces"));
    for (name, value) in [("whitespace", "wide"), ("order", "none"), ("formats", "")] {
        let error = SchemaOptions::from_arguments(&[argument(name, value)]).unwrap_err();
        assert!(matches!(error, OptionError::Value { .. }), "{error}");
    }
    assert!(SchemaOptions::from_arguments(&[("formats".into(), json!(3))]).is_err());
}
