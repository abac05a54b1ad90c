//! Schemas made to fit, by tables: what is sent, or why not; and what answers become.

use blueprints_providers::{
    Intent, Kind, OnUnsupported, Optional, Providers, Request, RootWrap, request,
};
use serde_json::{Value, json};

fn asked(provider: &str, schema: &Value, change: impl Fn(&mut Intent)) -> Result<Request, String> {
    let facts = Providers::builtin().facts(provider, None).expect("known");
    let mut intent = Intent::new(Kind::JsonSchema(schema.clone()));
    change(&mut intent);
    request(&facts, &intent).map_err(|error| error.to_string())
}

fn sent(request: &Request) -> Value {
    let fields = &request.fields;
    let format = fields.get("response_format").map(|own| own["json_schema"]["schema"].clone());
    let config = fields.get("output_config").map(|own| own["format"]["schema"].clone());
    let gemini = fields.get("generationConfig").map(|own| own["responseJsonSchema"].clone());
    format.or(config).or(gemini).or(fields.get("format").cloned()).expect("a schema")
}

fn warnings(request: &Request) -> Vec<String> {
    request.warnings.iter().map(ToString::to_string).collect()
}

/// An object with one required property.
fn one(property: Value) -> Value {
    json!({ "type": "object", "properties": { "a": property }, "required": ["a"] })
}

/// Provider, schema, what is said.
#[test]
fn what_is_not_held_is_refused_with_its_place() {
    let tree = json!({ "type": "object", "properties": {
        "kids": { "type": "array", "items": { "$ref": "#" } } }, "required": ["kids"] });
    let enums = json!({ "enum": ["Topic", "topic"] });
    let cases: &[(&str, Value, &str)] = &[
        (
            "openai_chat",
            one(json!({ "type": "string", "format": "uri" })),
            "openai.unsupported_keyword format at /properties/a",
        ),
        ("openai_chat", one(json!(true)), "openai.boolean_schema at /properties/a"),
        ("openai_chat", one(json!({})), "openai.type_missing at /properties/a"),
        ("openai_chat", one(json!({ "type": "array" })), "openai.items_missing at /properties/a"),
        (
            "openai_chat",
            one(json!({ "$ref": "#/$defs/none" })),
            "schema.unresolved_ref at /properties/a",
        ),
        (
            "openai_chat",
            one(json!({ "type": "string", "pattern": "(?=a)" })),
            "openai.unsupported_keyword pattern at /properties/a",
        ),
        (
            "openai_chat",
            one(json!({ "oneOf": [{ "type": "string" }, { "minLength": 3 }] })),
            "openai.unsupported_keyword oneOf at /properties/a",
        ),
        (
            "openai_chat",
            one(json!({ "allOf": [{ "pattern": "a" }, { "pattern": "b" }] })),
            "openai.unsupported_keyword allOf at /properties/a",
        ),
        (
            "openai_chat",
            json!({ "type": "object", "required": ["z"], "properties": {} }),
            "openai.required_undeclared z at /",
        ),
        (
            "anthropic",
            one(json!({ "type": "integer", "minimum": 3 })),
            "anthropic.unsupported_keyword minimum at /properties/a",
        ),
        (
            "anthropic",
            one(json!({ "type": "array", "items": { "type": "null" }, "minItems": 2 })),
            "anthropic.unsupported_keyword minItems at /properties/a",
        ),
        (
            "anthropic",
            one(json!({ "enum": [{ "b": 1 }] })),
            "anthropic.unsupported_keyword enum at /properties/a",
        ),
        ("anthropic", one(enums), "anthropic.enum_differs_only_in_case at /properties/a"),
        ("anthropic", tree.clone(), "anthropic.recursive_schema at /properties/kids/items"),
        ("gemini", tree, "gemini.cyclic_ref_in_required_property at /properties/kids/items"),
        (
            "gemini",
            one(json!({ "type": "string", "pattern": "a" })),
            "gemini.ignored_keyword pattern at /properties/a",
        ),
        (
            "ollama",
            one(json!({ "type": "number", "minimum": 3 })),
            "ollama.ignored_keyword minimum at /properties/a",
        ),
        (
            "ollama",
            one(json!({ "type": "string", "pattern": "^[^x]$" })),
            "ollama.pattern_not_enforced at /properties/a",
        ),
        (
            "ollama",
            one(json!({ "type": "string", "pattern": "^a|b$" })),
            "ollama.pattern_not_enforced at /properties/a",
        ),
        (
            "ollama",
            one(json!({ "format": "date", "minLength": 3 })),
            "ollama.ignored_keyword minLength at /properties/a",
        ),
        (
            "vllm",
            one(json!({ "not": { "type": "string" } })),
            "vllm.ignored_keyword not at /properties/a",
        ),
        (
            "vllm",
            one(json!({ "type": "array", "uniqueItems": true })),
            "vllm.unsupported_keyword uniqueItems at /properties/a",
        ),
        (
            "sglang",
            one(json!({ "type": "number", "multipleOf": 3 })),
            "sglang.unsupported_keyword multipleOf at /properties/a",
        ),
        ("tgi_generate", one(json!({ "$ref": "#" })), "tgi.recursive_schema at /properties/a"),
        (
            "mistralrs",
            one(json!({ "propertyNames": { "pattern": "a" } })),
            "mistralrs.unsupported_keyword propertyNames at /properties/a",
        ),
    ];
    for (provider, schema, said) in cases {
        assert_eq!(asked(provider, schema, |_| {}).unwrap_err(), *said, "{provider}: {schema}");
        // While degrading, nothing is an error.
        let degraded = asked(provider, schema, |own| own.on_unsupported = OnUnsupported::Degrade);
        let degraded = degraded.unwrap_or_else(|error| panic!("{provider}: {schema}: {error}"));
        assert!(!degraded.warnings.is_empty(), "{provider}: {schema}");
    }
}

/// Provider, schema, what is sent.
#[test]
fn what_can_be_held_is_said_as_the_provider_takes_it() {
    let closed = |property: Value| {
        let mut whole = one(property);
        whole["additionalProperties"] = json!(false);
        whole
    };
    let defs = json!({ "n": { "type": "string", "maxLength": 9 } });
    let beside = |own: Value| {
        let mut whole = one(own);
        whole["$defs"] = defs.clone();
        whole
    };
    let cases: &[(&str, Value, Value)] = &[
        (
            "openai_chat",
            one(json!({ "type": ["string"], "minLength": 0, "default": null })),
            closed(json!({ "type": ["string"], "minLength": 0 })),
        ),
        (
            "openai_chat",
            one(json!({ "type": "string", "minProperties": 0, "uniqueItems": false })),
            closed(json!({ "type": "string" })),
        ),
        ("openai_chat", beside(json!({ "$ref": "#/$defs/n", "description": "d" })), {
            let mut whole = closed(json!({ "type": "string", "maxLength": 9, "description": "d" }));
            whole["$defs"] = defs.clone();
            whole
        }),
        ("openai_chat", beside(json!({ "$ref": "#/$defs/n", "maxLength": 3 })), {
            let mut whole = closed(json!({ "maxLength": 3, "type": "string" }));
            whole["$defs"] = defs.clone();
            whole
        }),
        (
            "openai_chat",
            one(json!({ "oneOf": [{ "type": "string" }, { "type": "null" }], "title": "t" })),
            closed(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "title": "t" })),
        ),
        (
            "openai_chat",
            one(json!({ "allOf": [{ "type": "number" }, { "type": "integer",
                "minimum": 3 }, { "minimum": 5 }] })),
            closed(json!({ "type": "integer", "minimum": 5 })),
        ),
        (
            "ollama",
            one(json!({ "type": "object", "properties": { "k": { "type": "string" } },
                "anyOf": [{ "required": ["k"] }, { "properties": { "j": { "type": "null" } } }] })),
            one(json!({ "anyOf": [
                { "type": "object", "properties": { "k": { "type": "string" } }, "required": ["k"] },
                { "type": "object", "properties": { "k": { "type": "string" },
                    "j": { "type": "null" } } },
            ] })),
        ),
        (
            "ollama",
            one(json!({ "type": "string", "enum": ["a", 1] })),
            one(json!({ "type": "string", "enum": ["a"] })),
        ),
        (
            "ollama",
            beside(json!({ "$ref": "#/$defs/n", "description": "d" })),
            beside(json!({ "$ref": "#/$defs/n", "description": "d" })),
        ),
        ("gemini", one(json!({ "const": 3 })), one(json!({ "type": "integer", "enum": [3] }))),
        (
            "anthropic",
            one(json!({ "type": "string", "pattern": "^[a-z]+$" })),
            closed(json!({ "type": "string", "pattern": "^[a-z]+$" })),
        ),
    ];
    for (provider, schema, wanted) in cases {
        let request = asked(provider, schema, |_| {});
        let request = request.unwrap_or_else(|error| panic!("{provider}: {schema}: {error}"));
        assert_eq!(sent(&request), *wanted, "{provider}: {schema}");
        assert_eq!(warnings(&request), [""; 0], "{provider}: {schema}");
    }
}

#[test]
fn keywords_move_to_the_description_on_request() {
    let schema = one(json!({ "type": "string", "maxLength": 5, "not": { "const": "x" },
        "description": "A name." }));
    let request = asked("anthropic", &schema, |own| own.on_unsupported = OnUnsupported::Describe);
    let request = request.unwrap();
    let property = &sent(&request)["properties"]["a"];
    let wanted = "A name.\n\n{maxLength: 5, not: {\"const\":\"x\"}}";
    assert_eq!(*property, json!({ "type": "string", "description": wanted }));
    assert_eq!(
        warnings(&request),
        [
            "keyword_moved_to_description:maxLength at /properties/a",
            "keyword_moved_to_description:not at /properties/a",
        ]
    );
    let open = json!({ "type": "object", "properties": {}, "additionalProperties": true });
    let request = asked("openai_chat", &open, |own| own.on_unsupported = OnUnsupported::Describe);
    assert_eq!(sent(&request.unwrap())["additionalProperties"], json!(false));
}

#[test]
fn optional_properties_are_nullable_or_an_error() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "enum": ["x", "y"] },
        "b": { "const": 1 },
        "c": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
        "d": { "type": ["string", "null"] },
        "e": { "type": "array", "items": { "type": "object", "properties": {
            "f": { "$ref": "#/$defs/g" } } } },
    }, "$defs": { "g": { "type": "integer" } } });
    let request = asked("openai_chat", &schema, |_| {}).unwrap();
    let own = sent(&request);
    let properties = &own["properties"];
    assert_eq!(properties["a"], json!({ "enum": ["x", "y", null] }));
    assert_eq!(properties["b"], json!({ "anyOf": [{ "const": 1 }, { "type": "null" }] }));
    assert_eq!(properties["c"]["anyOf"][2], json!({ "type": "null" }));
    assert_eq!(properties["d"], schema["properties"]["d"], "it may be null already");
    let f = &properties["e"]["items"]["properties"]["f"];
    assert_eq!(*f, json!({ "anyOf": [{ "$ref": "#/$defs/g" }, { "type": "null" }] }));
    assert_eq!(request.answer.drop_null, ["/a", "/b", "/c", "/e", "/e/*/f"]);
    let answer =
        json!({ "a": null, "b": null, "c": "", "d": null, "e": [{ "f": null }, { "f": 1 }] });
    let read = request.answer.decode(Value::from(answer.to_string())).unwrap();
    assert_eq!(read, json!({ "c": "", "d": null, "e": [{}, { "f": 1 }] }));
    let refused = asked("openai_chat", &schema, |own| own.optional = Optional::Error).unwrap_err();
    assert!(refused.contains("openai.optional_property at /properties/a;"), "{refused}");
}

#[test]
fn nulls_are_dropped_in_recursion_and_by_the_alternative_that_fits() {
    let schema = json!({ "type": "object", "properties": {
        "v": { "type": "integer" }, "next": { "$ref": "#" } }, "required": ["v"] });
    let request = asked("openai_chat", &schema, |_| {}).unwrap();
    assert_eq!(request.answer.drop_null, ["/**/next"]);
    let answer = json!({ "v": 1, "next": { "v": 2, "next": null } });
    let read = request.answer.decode(answer).unwrap();
    assert_eq!(read, json!({ "v": 1, "next": { "v": 2 } }));
    let branch = |tag: &str, property: Value| {
        json!({ "type": "object", "properties": { "t": { "const": tag }, "x": property },
            "required": if tag == "b" { json!(["t", "x"]) } else { json!(["t"]) } })
    };
    let nullable = json!({ "type": ["string", "null"] });
    let schema = json!({ "type": "array", "items": { "oneOf": [
        branch("a", json!({ "type": "string" })), branch("b", nullable),
    ] } });
    let request = asked("openai_chat", &schema, |_| {}).unwrap();
    assert_eq!(request.answer.unwrap.as_deref(), Some("/value"));
    let answer = json!({ "value": [{ "t": "a", "x": null }, { "t": "b", "x": null }] });
    let read = request.answer.decode(answer).unwrap();
    assert_eq!(read, json!([{ "t": "a" }, { "t": "b", "x": null }]));
}

#[test]
fn a_root_is_wrapped_with_its_references() {
    let schema = json!({ "type": "array", "items": { "anyOf": [
        { "$ref": "#" }, { "$ref": "#/$defs/leaf" }] }, "$defs": { "leaf": { "type": "string" } } });
    let request = asked("openai_chat", &schema, |_| {}).unwrap();
    let own = sent(&request);
    assert_eq!(own["properties"]["value"], json!({ "$ref": "#/$defs/root" }));
    assert_eq!(own["$defs"]["root"]["items"]["anyOf"][0], json!({ "$ref": "#/$defs/root" }));
    let validator = jsonschema::validator_for(&own).unwrap();
    assert!(validator.is_valid(&json!({ "value": [["a"], "b"] })));
    assert!(!validator.is_valid(&json!({ "value": [["a"], 3] })));
    assert_eq!(warnings(&request), ["root_wrapped"]);
    let refused = asked("openai_chat", &schema, |own| own.root_wrap = RootWrap::Never);
    assert_eq!(refused.unwrap_err(), "openai.root_must_be_object at /");
    let alias = json!({ "$ref": "#/$defs/o", "$defs": { "o": one(json!({ "type": "null" })) } });
    let request = asked("openai_chat", &alias, |_| {}).unwrap();
    assert_eq!(sent(&request)["type"], json!("object"), "an alias at the root is taken apart");
    assert!(warnings(&request).is_empty());
}

#[test]
fn references_lead_where_the_provider_follows() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "string", "$anchor": "name" }, "b": { "$ref": "#name" },
        "c": { "$ref": "#/properties/a" } }, "required": ["a", "b", "c"] });
    let own = sent(&asked("openai_chat", &schema, |_| {}).unwrap());
    assert_eq!(own["properties"]["b"], own["properties"]["c"]);
    assert_eq!(own["properties"]["b"], json!({ "$ref": "#/$defs/part1" }));
    assert_eq!(own["$defs"]["part1"], json!({ "type": "string" }));
    let loops = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/x" } },
        "$defs": { "x": { "$ref": "#/$defs/y", "title": "x" },
            "y": { "$ref": "#/$defs/x", "title": "y" } } });
    let said = asked("openai_chat", &loops, |_| {}).unwrap_err();
    assert!(said.starts_with("schema.invalid ") && said.ends_with(" at /properties/a"), "{said}");
}

#[test]
fn limits_are_counted() {
    let mut names = serde_json::Map::new();
    for n in 0..5001 {
        names.insert(format!("p{n}"), json!({ "type": "null" }));
    }
    let required: Vec<&String> = names.keys().collect();
    let many = json!({ "type": "object", "properties": names, "required": required });
    let said = asked("openai_chat", &many, |_| {}).unwrap_err();
    assert_eq!(said, "openai.properties 5001 exceeds 5000");
    let long = one(json!({ "type": "string", "enum": (0..251).map(|n| format!("{n:060}"))
        .collect::<Vec<_>>() }));
    let said = asked("openai_chat", &long, |_| {}).unwrap_err();
    assert_eq!(said, "openai.enum_characters 15060 exceeds 15000");
    let mut unions = serde_json::Map::new();
    for n in 0..17 {
        unions.insert(format!("p{n}"), json!({ "type": ["string", "null"] }));
    }
    let required: Vec<&String> = unions.keys().collect();
    let unions = json!({ "type": "object", "properties": unions, "required": required });
    let said = asked("anthropic", &unions, |_| {}).unwrap_err();
    assert_eq!(said, "anthropic.union_parameters 17 exceeds 16");
}

#[test]
fn hostile_schemas_end_with_a_reason() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..400 {
        deep = json!({ "type": "array", "items": deep });
    }
    assert!(asked("ollama", &deep, |_| {}).unwrap_err().starts_with("schema.too_deep"));
    // Each definition holds two of the next, in place of the reference: 2^40 schemas.
    let mut definitions = serde_json::Map::new();
    for n in 0..40 {
        let next = json!({ "$ref": format!("#/$defs/d{}", n + 1), "description": "d" });
        definitions.insert(
            format!("d{n}"),
            json!({ "type": "object",
            "properties": { "a": next, "b": next }, "required": ["a", "b"] }),
        );
    }
    definitions.insert("d40".into(), json!({ "type": "string" }));
    let wide = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/d0" } },
        "required": ["a"], "$defs": definitions });
    for provider in ["openai_chat", "gemini", "anthropic"] {
        assert!(asked(provider, &wide, |_| {}).unwrap_err().contains("schema.too_large"));
    }
    for schema in [
        json!(3),
        json!({ "properties": 3 }),
        json!({ "anyOf": 3, "required": "a" }),
        json!({ "type": 3, "enum": 3, "items": 3, "$ref": 3, "$defs": 3, "allOf": 3 }),
    ] {
        for provider in Providers::builtin().names() {
            let _ = asked(provider, &schema, |_| {});
            let _ = asked(provider, &schema, |own| own.on_unsupported = OnUnsupported::Degrade);
        }
    }
}
