//! What a schema means by its draft: the classes in which the drafts differ.

use std::sync::Arc;

use blueprints_compiler::ir::Kind;
use blueprints_compiler::{Ir, SchemaOptions};
use serde_json::Value;

use crate::matcher;
use crate::schema::{check, compact};

const FOUR: &str = "http://json-schema.org/draft-04/schema#";
const SIX: &str = "http://json-schema.org/draft-06/schema#";
const SEVEN: &str = "http://json-schema.org/draft-07/schema#";
const NINETEEN: &str = "https://json-schema.org/draft/2019-09/schema";
const TWENTY: &str = "https://json-schema.org/draft/2020-12/schema";

/// Checks `keywords`, the members of a schema, under a draft.
fn under(draft: &str, keywords: &str, good: &[&str], bad: &[&str]) {
    check(&format!(r#"{{"$schema":"{draft}",{keywords}}}"#), good, bad);
}

#[test]
fn in_draft_4_digits_alone_make_an_integer() {
    under(
        FOUR,
        r#""oneOf":[{"type":"integer"},{"minimum":2}]"#,
        &["1", "2.5", "2.0", "3e0", "-7", "\"a\""],
        &["3", "1.5", "2", "1e0", "1.0"],
    );
    under(
        FOUR,
        r#""type":"number","not":{"type":"integer"},"maximum":1"#,
        &["0.5", "1.0", "1e0"],
        &["1", "-3", "1.5"],
    );
    under(
        FOUR,
        r#""type":"array","items":{"type":"integer"},"uniqueItems":true"#,
        &["[]", "[1,10,-1]"],
        &["[1,1]", "[1.0]", "[0,-0]"],
    );
    for draft in [SIX, SEVEN, NINETEEN, TWENTY] {
        under(draft, r#""type":"integer""#, &["1", "1.0", "1e2"], &["1.5"]);
    }
}

#[test]
fn bounds_are_exclusive_by_a_truth_value_or_by_themselves() {
    under(FOUR, r#""type":"integer","minimum":1,"exclusiveMinimum":true"#, &["2"], &["1", "0"]);
    under(FOUR, r#""type":"integer","maximum":1,"exclusiveMaximum":false"#, &["1"], &["2"]);
    for draft in [SIX, SEVEN, NINETEEN, TWENTY] {
        under(draft, r#""type":"integer","exclusiveMinimum":1"#, &["2"], &["1"]);
    }
}

#[test]
fn lists_of_items_have_another_name_from_2020_on() {
    for draft in [FOUR, SIX, SEVEN, NINETEEN] {
        under(
            draft,
            r#""type":"array","items":[{"type":"null"}],"additionalItems":{"type":"boolean"}"#,
            &["[]", "[null]", "[null,true]"],
            &["[true]", "[null,null]"],
        );
    }
    under(
        TWENTY,
        r#""type":"array","prefixItems":[{"type":"null"}],"items":{"type":"boolean"}"#,
        &["[]", "[null,true]"],
        &["[true]", "[null,null]"],
    );
}

#[test]
fn keywords_mean_something_from_their_draft_on() {
    under(FOUR, r#""const":1,"contains":{"type":"null"}"#, &["2", "[]"], &["1}"]);
    under(SIX, r#""const":1"#, &["1"], &["2"]);
    under(SIX, r#""if":{"type":"null"},"then":false"#, &["null", "1"], &["1}"]);
    under(SEVEN, r#""if":{"type":"null"},"then":false"#, &["1"], &["null"]);
    under(SEVEN, r#""dependentRequired":{"a":["b"]}"#, &[r#"{"a":1}"#], &["1}"]);
    under(
        NINETEEN,
        r#""dependentRequired":{"a":["b"]}"#,
        &["{}", r#"{"a":1,"b":1}"#, r#"{"b":1}"#],
        &[r#"{"a":1}"#],
    );
    under(
        SEVEN,
        r#""dependencies":{"a":["b"],"c":{"minProperties":2}}"#,
        &[r#"{"a":1,"b":1}"#, r#"{"b":1,"c":1}"#],
        &[r#"{"a":1}"#, r#"{"c":1}"#],
    );
    under(
        SEVEN,
        r#""type":"array","contains":{"type":"null"},"maxContains":1"#,
        &["[null,null]"],
        &["[1]"],
    );
    under(
        NINETEEN,
        r#""type":"array","contains":{"type":"null"},"maxContains":1"#,
        &["[null]"],
        &["[null,null]"],
    );
}

#[test]
fn siblings_of_a_reference_count_from_2019_on() {
    let keywords = r##""definitions":{"n":{"type":"integer"}},"allOf":[{"$ref":"#/definitions/n","minimum":3}]"##;
    for draft in [FOUR, SIX, SEVEN] {
        under(draft, keywords, &["1", "3"], &["null"]);
    }
    for draft in [NINETEEN, TWENTY] {
        under(draft, keywords, &["3"], &["1", "null"]);
    }
}

#[test]
fn identifiers_move_the_base_of_references() {
    under(
        FOUR,
        r##""id":"http://x.example/a/","properties":{"p":{"id":"b/","properties":{"q":{"$ref":"c.json"}}}},
            "definitions":{"c":{"id":"b/c.json","type":"null"}}"##,
        &[r#"{"p":{"q":null}}"#],
        &[r#"{"p":{"q":1}}"#],
    );
    under(
        SEVEN,
        r##""definitions":{"c":{"$id":"#c","type":"null"}},"properties":{"p":{"$ref":"#c"}}"##,
        &[r#"{"p":null}"#],
        &[r#"{"p":1}"#],
    );
}

/// Some tools give each part an identifier and refer to the whole text all the same.
#[test]
fn a_pointer_that_leads_nowhere_from_its_identifier_is_read_from_the_root() {
    let source = format!(
        r##"{{"$schema":"{FOUR}","definitions":{{"a":{{"id":"schemata/a","definitions":{{"b":{{"type":"null"}}}},
            "properties":{{"b":{{"$ref":"#/definitions/a/definitions/b"}}}}}}}},
            "properties":{{"a":{{"$ref":"#/definitions/a"}}}}}}"##
    );
    // The oracle refuses it.
    matcher::check(&compact(&source), &source, &[r#"{"a":{"b":null}}"#], &[r#"{"a":{"b":1}}"#]);
    assert_eq!(repaired(&source), ["/definitions/a/properties/b/$ref"]);
}

#[test]
fn older_spellings_without_a_draft_are_read_as_meant_and_named() {
    let source = r#"{"items":[{"type":"null"}],"additionalItems":false,"minimum":1,
        "exclusiveMinimum":true,"dependencies":{"a":["b"]}}"#;
    // The oracle refuses spellings that are not of the newest draft.
    let (accepted, rejected) =
        (["[null]", "2", r#"{"b":1}"#], ["[1]", "[null,1]", "1", r#"{"a":1}"#]);
    matcher::check(&compact(source), source, &accepted, &rejected);
    let expected = ["/items", "/additionalItems", "/exclusiveMinimum", "/dependencies"];
    assert_eq!(repaired(source), expected);
    let named = source.replacen('{', &format!(r#"{{"$schema":"{FOUR}","#), 1);
    assert!(repaired(&named).is_empty());
}

/// The places of what is read as an older spelling.
fn repaired(source: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(source).unwrap();
    let ir = Ir::schema(Arc::new(value), SchemaOptions::default()).unwrap();
    let Kind::Schema(schema) = ir.kind() else { panic!("a schema") };
    schema.repaired.iter().map(|note| note.pointer.clone()).collect()
}
