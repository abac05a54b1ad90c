//! The embedded decoder answers in the form that it is asked for.

use blueprints_compiler::Blueprint;
use blueprints_runtime::Limits;
use blueprints_runtime::decode::{Checkpoint, Sampling};
use blueprints_sessions::{Embedded, EmbeddedOptions, Format, Held, Session};
use serde_json::{Value, json};

fn session() -> Session<Embedded> {
    let checkpoint = Checkpoint::embedded().expect("the embedded checkpoint");
    let sampling = Sampling { temperature: 0.0, top_k: None, top_p: None, seed: 0 };
    let options = EmbeddedOptions { sampling, tokens_max: 400, limits: Limits::default() };
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
