//! Languages of JSON as schemas, judged by a validator.

use blueprints_compiler::emit::{EmitError, Exactness, Lost};
use blueprints_compiler::{Blueprint, Ir};
use serde_json::{Value, json};

use crate::corpus::{context, texts_for};
use crate::random::Random;

fn outline(template: &str) -> Ir {
    let outline = Blueprint::from_str(template).and_then(|blueprint| blueprint.outline(context()));
    outline.unwrap_or_else(|faults| panic!("{template}\n{faults}")).ir().clone()
}

/// Templates, and the schema of each where it shows something.
const TEMPLATES: &[&str] = &[
    "{{ tools[0].parameters | json_schema }}",
    "{\"name\": \"{{ tools[0].name }}\", \"arguments\": {{ tools[0].parameters | json_schema }}}",
    "{% choice %}{% for tool in tools %}{% option %}{\"name\": \"{{ tool.name }}\", \"arguments\": \
     {{ tool.parameters | json_schema }}}{% endoption %}{% endfor %}{% endchoice %}",
    "[{% repeat min=1 max=3 sep=', ' %}{{ {'type': 'integer'} | json_schema }}{% endrepeat %}]",
    "{\"color\": \"{% choice %}{% for x in list %}{% option %}{{ x }}{% endoption %}{% endfor %}\
     {% endchoice %}\", \"sure\": {% choice %}{% option %}true{% endoption %}\
     {% option %}false{% endoption %}{% option %}null{% endoption %}{% endchoice %}}",
    "[1, \"a\\u0062{% optional %}!{% endoptional %}\", {}, []]",
    "{\"t\": {{ {'$defs': {'n': {'type': 'array', 'items': {'$ref': '#/$defs/n'}}}, \
     '$ref': '#/$defs/n'} | json_schema(whitespace='compact') }}}",
];

#[test]
fn every_text_is_valid_for_the_schema() {
    let mut random = Random::new(11);
    for template in TEMPLATES {
        let ir = outline(template);
        let emitted = ir.to_json_schema(Exactness::Lossy).unwrap_or_else(|e| panic!("{e}"));
        let schema: Value = serde_json::from_str(&emitted.text).expect("JSON");
        let validator = jsonschema::validator_for(&schema).unwrap_or_else(|error| {
            panic!("{error}: {schema:#}");
        });
        let alphabet: Vec<char> = "{}[]\",: aegidntruflsx01-\\".chars().collect();
        let (mut valid, mut compact) = (0, Vec::new());
        for (text, belongs) in texts_for(&mut random, &ir, &alphabet) {
            // The validator knows no numbers beyond those of f64.
            let large = text
                .as_bytes()
                .windows(2)
                .any(|pair| pair[0].is_ascii_digit() && pair[1].eq_ignore_ascii_case(&b'e'));
            if large {
                continue;
            }
            if let (true, Ok(value)) = (belongs, serde_json::from_str::<Value>(&text)) {
                assert!(validator.is_valid(&value), "{text}: {schema:#}");
                valid += 1;
                compact.push(value);
            }
        }
        assert!(valid >= 1, "{template}: {valid}");
        // What is no value of the language is none of the schema.
        for value in compact.into_iter().take(5) {
            for other in [json!([value]), json!({ "q": value }), json!("q"), json!(7.5)] {
                assert!(!validator.is_valid(&other), "{other}: {schema:#}");
            }
        }
    }
}

#[test]
fn schemas_read_well() {
    let cases = [
        (TEMPLATES[0], context()["tools"][0]["parameters"].clone()),
        (
            TEMPLATES[1],
            json!({
                "type": "object",
                "properties": {
                    "name": { "const": "get" },
                    "arguments": context()["tools"][0]["parameters"],
                },
                "required": ["name", "arguments"],
                "additionalProperties": false,
            }),
        ),
        (
            TEMPLATES[3],
            json!({ "type": "array", "items": { "type": "integer" }, "minItems": 1,
                "maxItems": 3 }),
        ),
    ];
    for (template, schema) in cases {
        let emitted = outline(template).to_json_schema(Exactness::Lossy).expect(template);
        let written: Value = serde_json::from_str(&emitted.text).expect("JSON");
        assert_eq!(written, schema, "{template}");
        let spelled = emitted.losses.iter().any(|loss| loss.lost == Lost::Spelling);
        assert_eq!(spelled, template != TEMPLATES[0], "{template}");
    }
    let error = outline(TEMPLATES[1]).to_json_schema(Exactness::Exact);
    assert!(matches!(error, Err(EmitError::Inexact(_))), "{error:?}");
}

#[test]
fn what_is_no_json_is_refused() {
    for template in [
        "plain",
        "{{ anything() }}",
        "{\"a\": {{ '[0-9]+' | regex }}}",
        "{\"a\": 1} {\"b\": 2}",
        "{\"a\": 1, \"a\": 2}",
        "[{% repeat %}1{% endrepeat %}]",
        "{\"a\" 1}",
        "[1, 2",
        "\"a{{ anything(until='\"') }}\"",
        "{% optional %}1{% endoptional %}",
    ] {
        let error = outline(template).to_json_schema(Exactness::Lossy).expect_err(template);
        assert!(matches!(error, EmitError::NotJson { .. }), "{template}: {error}");
    }
}
