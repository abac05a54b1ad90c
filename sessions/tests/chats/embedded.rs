//! The embedded decoder answers in the form that it is asked for.

use blueprints_compiler::Blueprint;
use blueprints_runtime::Limits;
use blueprints_runtime::decode::{Checkpoint, OnBudget, Sampling};
use blueprints_sessions::{Embedded, EmbeddedOptions, Format, Held, ResponseFormat, Session};
use serde_json::{Value, json};

fn session() -> Session<Embedded> {
    let checkpoint = Checkpoint::embedded().expect("the embedded checkpoint");
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    let options = EmbeddedOptions {
        sampling,
        tokens_max: 400,
        on_budget: OnBudget::Complete,
        limits: Limits::default(),
    };
    Session::new(Embedded::new("the embedded model", checkpoint, options))
}

#[test]
fn every_answer_is_of_its_form() {
    let mut own = session();
    let options = ["north", "south", "east"];
    let chosen = own.choose("Pick a direction", &options).unwrap();
    assert!(options.contains(&chosen.as_str()), "{chosen}");
    let schema = json!({
        "type": "object",
        "properties": {
            "city": { "type": "string", "maxLength": 12 },
            "unit": { "enum": ["celsius", "fahrenheit"] },
        },
        "required": ["city", "unit"],
        "additionalProperties": false,
    });
    let answer = own.chat_with("Weather in Paris?", &Format::JsonSchema(schema)).unwrap();
    assert_eq!(answer.held, Held::Constrained);
    let value: Value = answer.parse().unwrap();
    let unit = value["unit"].as_str().expect("a unit");
    assert!(["celsius", "fahrenheit"].contains(&unit), "{value}");
    let answer = own.chat_with("A code", &Format::Regex("[A-Z]{2}[0-9]{4}".into())).unwrap();
    assert_eq!(answer.text.len(), 6, "{}", answer.text);
    let blueprint = Blueprint::from_str("{{ \"yes|no\" | regex }}!").unwrap();
    let outline = blueprint.outline(json!({})).unwrap();
    let answer = own.chat_with("Sure?", &Format::Blueprint(Box::new(outline))).unwrap();
    assert!(["yes!", "no!"].contains(&answer.text.as_str()), "{}", answer.text);
    assert!(own.warnings().is_empty(), "{:?}", own.warnings());
    assert_eq!(own.messages().len(), 8);
}

#[test]
fn what_cannot_be_held_is_asked_for_with_one_warning() {
    let mut own = session();
    let schema = Format::JsonSchema(json!({ "$ref": "https://example.com/elsewhere.json" }));
    for _ in 0..2 {
        let answer = own.chat_with("Anything", &schema).unwrap();
        assert_eq!(answer.held, Held::Prompted);
    }
    assert_eq!(own.warnings().len(), 1, "{:?}", own.warnings());
    assert!(own.warnings()[0].contains("the embedded model"), "{:?}", own.warnings());
}

/// The four requests of the proposal: a schema, a grammar, a structural tag, plain JSON.
#[test]
fn the_proposals_requests_are_read_and_held() {
    let person = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "house": { "type": "string",
                "enum": ["Gryffindor", "Hufflepuff", "Ravenclaw", "Slytherin"] },
            "blood_status": { "type": "string", "enum": ["Pure-blood", "Half-blood", "Muggle-born"] },
            "wand": { "type": "object", "properties": { "wood": { "type": "string" },
                "core": { "type": "string" }, "length": { "type": "number" } },
                "required": ["wood", "core", "length"] },
            "alive": { "type": "boolean" },
        },
        "required": ["name", "house", "blood_status", "wand", "alive"],
    });
    let grammar = r#"
root ::= basic_array | basic_object
basic_any ::= basic_number | basic_string | basic_boolean | basic_null | basic_array | basic_object
basic_integer ::= ("0" | "-"? [1-9] [0-9]*) ".0"?
basic_number ::= ("0" | "-"? [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?
basic_string ::= (([\"] basic_string_1 [\"]))
basic_string_1 ::= "" | [^"\\\x00-\x1F] basic_string_1 | "\\" escape basic_string_1
escape ::= ["\\/bfnrt] | "u" [A-Fa-f0-9] [A-Fa-f0-9] [A-Fa-f0-9] [A-Fa-f0-9]
basic_boolean ::= "true" | "false"
basic_null ::= "null"
basic_array ::= "[" ("" | ws basic_any (ws "," ws basic_any)*) ws "]"
basic_object ::= "{" ("" | ws basic_string ws ":" ws basic_any ( ws "," ws basic_string ws ":" ws basic_any)*) ws "}"
ws ::= [ \n\t]*
"#;
    let tool = |name: &str, schema: Value| {
        json!({ "begin": format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": "),
            "content": { "type": "json_schema", "json_schema": schema }, "end": "}\n</tool_call>" })
    };
    let weather = json!({ "type": "object", "properties": { "location": { "type": "string" },
        "unit": { "type": "string", "enum": ["celsius", "fahrenheit"] } }, "required": ["location"] });
    let time = json!({ "type": "object", "properties": { "timezone": { "type": "string" } },
        "required": [] });
    let tag = json!({ "type": "structural_tag", "format": { "type": "triggered_tags",
        "triggers": ["<tool_call>"],
        "tags": [tool("get_weather", weather.clone()), tool("get_time", time.clone())],
        "at_least_one": true, "stop_after_first": false } });
    let requests = [
        json!({ "type": "json_object", "schema": person.to_string() }),
        json!({ "type": "grammar", "grammar": grammar }),
        json!({ "type": "structural_tag", "structural_tag": tag }),
        json!({ "type": "json_object" }),
    ];
    let prompts = [
        "Hermione Granger",
        "Introduce yourself in JSON",
        "What is the weather in Paris?",
        "Write a short JSON file",
    ];
    for (request, prompt) in requests.into_iter().zip(prompts) {
        let format: ResponseFormat = serde_json::from_value(request.clone()).unwrap();
        let format = Format::try_from(&format).unwrap();
        let mut own = session();
        // A model this small may ramble on: the answer is brought to its end in time.
        let answer = own.chat_with(prompt, &format).unwrap_or_else(|e| panic!("{request}: {e}"));
        assert_eq!(answer.held, Held::Constrained, "{request}");
        assert!(own.warnings().is_empty(), "{request}: {:?}", own.warnings());
        match &format {
            Format::StructuralTag(_) => {
                let (_, rest) = answer.text.split_once("<tool_call>\n").expect("a call");
                let (call, _) = rest.split_once("\n</tool_call>").expect("the end of a call");
                let call: Value = serde_json::from_str(call).expect("JSON");
                let schema = match call["name"].as_str() {
                    Some("get_weather") => &weather,
                    Some("get_time") => &time,
                    _ => panic!("{call}"),
                };
                assert!(jsonschema::is_valid(schema, &call["arguments"]), "{call}");
            }
            Format::JsonSchema(_) => {
                let value: Value = answer.parse().unwrap();
                assert!(jsonschema::is_valid(&person, &value), "{value}");
            }
            _ => {
                let value: Value = serde_json::from_str(&answer.text).expect("JSON");
                assert!(value.is_object() || value.is_array(), "{value}");
            }
        }
    }
}
