//! web-llm's response formats: read, written, and each rule broken once.

use blueprints_sessions::{Format, ResponseFormat};
use serde_json::{Value, json};

/// The format, what it means or which rule it breaks.
#[test]
fn each_rule_has_its_message() {
    let tag = json!({ "format": { "type": "any_text" } });
    let schema = json!({ "type": "object" });
    let grammar = || Format::Grammar { syntax: "ebnf".into(), text: "root ::= \"a\"".into() };
    let right: &[(Value, Format)] = &[
        (json!({}), Format::Text),
        (json!({ "type": "text", "schema": null }), Format::Text),
        (json!({ "type": "json_object" }), Format::JsonObject),
        (json!({ "type": "json_object", "schema": schema }), Format::JsonSchema(schema.clone())),
        (
            json!({ "type": "json_object", "schema": "{\"type\":\"object\"}" }),
            Format::JsonSchema(schema.clone()),
        ),
        (json!({ "type": "grammar", "grammar": "root ::= \"a\"" }), grammar()),
        (
            json!({ "type": "structural_tag", "structural_tag": tag }),
            Format::StructuralTag(tag.clone()),
        ),
        (
            json!({ "type": "structural_tag", "structural_tag": tag.to_string() }),
            Format::StructuralTag(tag.clone()),
        ),
    ];
    for (value, format) in right {
        let own: ResponseFormat = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(Format::try_from(&own).unwrap(), *format, "{value}");
        let again: ResponseFormat =
            serde_json::from_str(&serde_json::to_string(&own).unwrap()).unwrap();
        assert_eq!(Format::try_from(&again).unwrap(), *format, "{value}");
    }
    let wrong = [
        (json!({ "schema": "{}" }), "`schema` needs the type `json_object`, not `text`"),
        (
            json!({ "type": "grammar", "schema": "{}", "grammar": "" }),
            "`schema` needs the type `json_object`, not `grammar`",
        ),
        (
            json!({ "type": "text", "grammar": "" }),
            "`grammar` needs the type `grammar`, not `text`",
        ),
        (json!({ "type": "grammar" }), "the type `grammar` needs `grammar`"),
        (
            json!({ "type": "json_object", "structural_tag": tag }),
            "`structural_tag` needs the type `structural_tag`, not `json_object`",
        ),
        (
            json!({ "type": "structural_tag", "structural_tag": null }),
            "the type `structural_tag` needs `structural_tag`",
        ),
        (
            json!({ "type": "json" }),
            "there is no type `json`; it is text, json_object, grammar or structural_tag",
        ),
        (
            json!({ "type": "json_object", "schema": "{" }),
            "`schema` is not JSON: EOF while parsing an object at line 1 column 1",
        ),
    ];
    for (value, message) in wrong {
        let own: ResponseFormat = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(Format::try_from(&own).unwrap_err().to_string(), message, "{value}");
    }
    assert!(serde_json::from_value::<ResponseFormat>(json!({ "schemas": 1 })).is_err());
}
