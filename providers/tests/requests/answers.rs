//! Answers and calls read out of responses; and requests of several intents at once.

use blueprints_compiler::Blueprint;
use blueprints_providers::{
    AnswerError, Intent, Kind, OnUnsupported, Providers, Request, Support, blueprint, request,
    supports,
};
use serde_json::{Value, json};

fn asked(provider: &str, intent: Value) -> Result<Request, String> {
    let intent = Intent::from_json(&intent).map_err(|error| error.to_string())?;
    let facts = Providers::builtin().facts(provider, intent.model.as_deref()).expect("known");
    request(&facts, &intent).map_err(|error| error.to_string())
}

fn tools(choice: Value) -> Value {
    json!({ "kind": "tools", "strict": true, "tool_choice": choice, "tools": [
        { "name": "look", "parameters": { "type": "object", "properties": {
            "at": { "type": "string" }, "for": { "type": "integer" } }, "required": ["at"] } },
        { "name": "go", "description": "Go", "parameters": { "type": "object", "properties": {} } },
    ] })
}

#[test]
fn calls_are_read_as_each_provider_sends_them() {
    let text = json!({ "at": "door", "for": null }).to_string();
    let value = json!({ "at": "door", "for": null });
    let cases = [
        (
            "openai_chat",
            json!({ "choices": [{ "message": { "tool_calls": [
            { "function": { "name": "look", "arguments": text } },
            { "function": { "name": "go", "arguments": "{}" } }] } }] }),
        ),
        (
            "openai_responses",
            json!({ "output": [{ "type": "reasoning" },
            { "type": "function_call", "name": "look", "arguments": text },
            { "type": "function_call", "name": "go", "arguments": "{}" }] }),
        ),
    ];
    for (provider, response) in cases {
        let request = asked(provider, tools(json!("auto"))).unwrap();
        let calls = request.calls.expect("calls").read(&response).unwrap();
        let calls: Vec<(&str, &Value)> =
            calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
        // The parameter is optional in the caller's schema.
        assert_eq!(calls, [("look", &json!({ "at": "door" })), ("go", &json!({}))], "{provider}");
    }
    let request = asked("anthropic", tools(json!("required"))).unwrap();
    let response = json!({ "content": [{ "type": "text", "text": "…" },
        { "type": "tool_use", "name": "look", "input": value }] });
    let calls = request.calls.expect("calls").read(&response).unwrap();
    assert_eq!(calls[0].arguments, value, "Anthropic takes optional parameters, so null is null");
    let request = asked("gemini", tools(json!({ "name": "look" }))).unwrap();
    let response = json!({ "candidates": [{ "content": { "parts": [
        { "functionCall": { "name": "look", "args": value } }] } }] });
    assert_eq!(request.calls.expect("calls").read(&response).unwrap()[0].name, "look");
}

#[test]
fn problems_of_tools_name_their_tool() {
    let mut both = tools(json!("auto"));
    both["tools"][0]["parameters"]["properties"]["at"]["format"] = json!("uri");
    let said = asked("openai_chat", both.clone()).unwrap_err();
    assert_eq!(said, "openai.unsupported_keyword format at /look/properties/at");
    both["tools"].as_array_mut().expect("tools").truncate(1);
    let said = asked("openai_chat", both).unwrap_err();
    assert_eq!(said, "openai.unsupported_keyword format at /properties/at");
    let mut many = tools(json!("auto"));
    let one = many["tools"][1].clone();
    let numbered = |at: usize| {
        let mut tool = one.clone();
        tool["name"] = json!(format!("go_{at}"));
        tool
    };
    many["tools"] = (0..21).map(numbered).collect();
    let said = asked("anthropic", many).unwrap_err();
    assert_eq!(said, "anthropic.strict_tools 21 exceeds 20");
    let unknown = asked("openai_chat", tools(json!({ "name": "fly" }))).unwrap_err();
    assert_eq!(unknown, "intent.unknown_tool fly");
}

#[test]
fn a_server_without_named_tools_gets_the_tool_alone() {
    let mut wanted = tools(json!({ "name": "go" }));
    wanted["strict"] = json!(false);
    let request = asked("llamacpp_chat", wanted).unwrap();
    assert_eq!(request.fields["tools"].as_array().map(Vec::len), Some(1));
    assert_eq!(request.fields["tool_choice"], json!("required"));
}

/// Provider, main intent, second intent, what is said.
#[test]
fn intents_that_do_not_go_together_are_refused() {
    let schema = json!({ "kind": "json_schema", "schema": { "type": "object", "properties": {
        "a": { "type": "null" } }, "required": ["a"] } });
    let offer = |choice: &str| {
        let mut own = tools(json!(choice));
        own["strict"] = json!(false);
        own
    };
    let with = |model: &str| {
        let mut own = schema.clone();
        own["model"] = json!(model);
        own
    };
    let cases = [
        ("gemini", with("gemini-2.5-flash"), "auto", Some("gemini.schema_with_tools")),
        ("gemini", with("gemini-3-pro"), "auto", None),
        ("openai_chat", schema.clone(), "auto", None),
        ("anthropic", schema.clone(), "auto", None),
        ("anthropic", with("claude-3-opus-20240229"), "auto", Some("anthropic.schema_with_tools")),
        ("sglang", schema.clone(), "required", Some("sglang.constraint_with_forced_tool")),
        ("sglang", schema.clone(), "auto", Some("sglang.constraint_with_tools")),
        ("tgi_chat", schema.clone(), "auto", Some("tgi.grammar_with_tools")),
        ("vllm", schema.clone(), "auto", None),
    ];
    for (provider, mut main, choice, said) in cases {
        main["also"] = offer(choice);
        let outcome = asked(provider, main.clone());
        assert_eq!(outcome.as_ref().err().map(String::as_str), said, "{provider}: {main}");
        if let Ok(request) = outcome {
            assert!(request.fields.contains_key("tools") && request.fields.len() >= 2);
        }
        main["on_unsupported"] = json!("degrade");
        let degraded = asked(provider, main).unwrap();
        assert_eq!(degraded.warnings.is_empty(), said.is_none(), "{provider}");
    }
    let regex = json!({ "kind": "regex", "pattern": "a", "also": offer("required") });
    assert_eq!(asked("openai_chat", regex).unwrap_err(), "openai.two_tool_choices");
    let twice = json!({ "kind": "regex", "pattern": "a", "also": schema });
    assert_eq!(asked("tgi_generate", twice).unwrap_err(), "intent.conflict at /parameters/grammar");
}

#[test]
fn fields_of_the_providers_own_are_checked() {
    let raw = |fields: Value| {
        let mut own = fields;
        own["kind"] = json!("raw");
        own
    };
    let tag = json!({ "format": { "type": "any_text" } });
    let cases = [
        (
            "webllm",
            json!({ "response_format": { "type": "text", "schema": "{}" } }),
            Some("webllm.schema_without_json_object"),
        ),
        (
            "webllm",
            json!({ "response_format": { "type": "text", "grammar": "" } }),
            Some("webllm.grammar_without_type_grammar"),
        ),
        (
            "webllm",
            json!({ "response_format": { "type": "json_object", "structural_tag": tag } }),
            Some("webllm.structural_tag_without_type_structural_tag"),
        ),
        (
            "webllm",
            json!({ "response_format": { "type": "structural_tag" } }),
            Some("webllm.structural_tag_missing"),
        ),
        ("webllm", json!({ "response_format": { "type": "text", "schema": null } }), None),
        ("webllm", json!({ "response_format": { "type": "json_object", "schema": "{}" } }), None),
        ("vllm", json!({ "guided_choice": ["a"] }), Some("vllm.removed_field guided_choice")),
        ("vllm", json!({ "structured_outputs": {} }), Some("vllm.one_constraint_only")),
        ("vllm", json!({ "structured_outputs": { "regex": "a" } }), None),
        (
            "vllm",
            json!({ "structured_outputs": { "regex": "a" },
            "response_format": { "type": "json_object" } }),
            Some("vllm.one_constraint_only"),
        ),
        (
            "llamacpp_chat",
            json!({ "grammar": "", "json_schema": {} }),
            Some("llamacpp.one_constraint_only"),
        ),
        (
            "llamacpp_chat",
            json!({ "response_format": { "type": "json_schema", "schema": {} } }),
            Some("llamacpp.json_schema_missing"),
        ),
        (
            "mistralrs",
            json!({ "grammar": {}, "response_format": {} }),
            Some("mistralrs.one_constraint_only"),
        ),
    ];
    for (provider, fields, said) in cases {
        let outcome = asked(provider, raw(fields.clone()));
        assert_eq!(outcome.err().as_deref(), said, "{provider}: {fields}");
    }
}

#[test]
fn a_body_is_added_to_and_never_overwritten() {
    let intent = json!({ "kind": "json_schema", "effort": "low", "schema": { "type": "object",
        "properties": { "a": { "type": "null" } } } });
    let request = asked("anthropic", intent).unwrap();
    let mut body = json!({ "output_config": { "effort": "low", "other": 1 }, "tools": [1] });
    request.merge_into(&mut body).unwrap();
    assert_eq!(body["output_config"]["other"], json!(1));
    assert_eq!(body["output_config"]["format"]["type"], json!("json_schema"));
    let mut body = json!({ "output_config": { "effort": "high" } });
    let before = body.clone();
    let said = request.merge_into(&mut body).unwrap_err().to_string();
    assert_eq!(said, "the body says \"high\" at /output_config/effort, the request needs \"low\"");
    assert_eq!(body, before);
}

#[test]
fn a_constraint_is_never_mixed_with_another() {
    let intent = json!({ "kind": "json_schema", "schema": {
        "type": "object", "properties": { "a": { "type": "null" } }, "required": ["a"] } });
    let bodies = [
        ("openai_chat", json!({ "response_format": { "type": "json_object" } }), "response_format"),
        ("ollama", json!({ "format": { "type": "object", "minProperties": 2 } }), "format"),
        ("vllm", json!({ "response_format": { "type": "json_object" } }), "response_format"),
    ];
    for (provider, mut body, place) in bodies {
        let request = asked(provider, intent.clone()).unwrap();
        let before = body.clone();
        let conflict = request.merge_into(&mut body).unwrap_err();
        assert!(conflict.pointer.ends_with(place), "{provider}: {conflict}");
        assert_eq!(body, before);
        let mut body = Value::Object(request.fields.clone());
        request.merge_into(&mut body).unwrap();
        assert_eq!(body, Value::Object(request.fields.clone()), "once more changes nothing");
    }
}

#[test]
fn a_blueprint_with_names_is_held_whole() {
    // The name of a part is no constraint, so nothing is lost without it.
    let source = r#"{% capture answer %}{{ ["yes", "no"] | choice }}{% endcapture %}"#;
    let outline = Blueprint::from_str(source).unwrap().outline(json!({})).unwrap();
    let facts = Providers::builtin().facts("vllm", None).unwrap();
    let request = blueprint(&facts, &outline, &Intent::new(Kind::Text)).unwrap();
    assert_eq!((request.warnings, request.losses), (vec![], vec![]));
}

/// Intent, what is said of it, whatever provider is asked and whether it degrades or not.
#[test]
fn what_means_nothing_is_refused_everywhere() {
    let pattern = |pattern: &str| json!({ "kind": "regex", "pattern": pattern });
    let grammar =
        |syntax: &str, text: &str| json!({ "kind": "grammar", "syntax": syntax, "grammar": text });
    let schema = |schema: Value| json!({ "kind": "json_schema", "schema": schema });
    let mut twice = tools(json!("auto"));
    twice["tools"][1]["name"] = json!("look");
    let mut wrong = tools(json!("auto"));
    wrong["tools"][0]["parameters"]["properties"]["at"]["type"] = json!("text");
    let cases = [
        (pattern("(a"), "intent.pattern at bytes 0 to 1: unclosed group"),
        (pattern("a(?=b)"), "intent.pattern at bytes 1 to 4: look-around is not supported"),
        (pattern(r"(a)\1"), "intent.pattern at bytes 3 to 5: backreferences are not supported"),
        (pattern(r"\bis\b"), "intent.pattern at bytes 0 to 2: `\\b` looks at the text around it"),
        (grammar("ebnf", "root ::= missing"), "intent.grammar at bytes 9 to 16: "),
        (grammar("gbnf", "root ::= \"a"), "intent.grammar at bytes 9 to "),
        (grammar("lark", "start: ("), "intent.grammar at bytes "),
        (schema(json!({ "type": "obj" })), "schema.invalid "),
        (schema(json!({ "properties": { "a": { "minimum": "1" } } })), "schema.invalid "),
        (twice, "intent.duplicate_tool look"),
        (wrong, "schema.invalid "),
    ];
    for (intent, said) in cases {
        for provider in ["openai_chat", "vllm", "llamacpp_chat"] {
            for policy in ["error", "degrade"] {
                let mut intent = intent.clone();
                intent["on_unsupported"] = json!(policy);
                let found = asked(provider, intent.clone()).expect_err(said);
                assert!(found.starts_with(said), "{provider}: {intent}: {found}");
            }
        }
    }
}

#[test]
fn answers_that_are_none_are_told() {
    let choice = asked("anthropic", json!({ "kind": "choice", "choices": ["Yes", "no"] })).unwrap();
    let says = |text: &str, stop: &str| {
        choice.answer.read(&json!({ "content": [{ "type": "text", "text": text }],
            "stop_reason": stop }))
    };
    assert_eq!(says("{\"choice\":\"yes\"}", "end_turn").unwrap(), "Yes");
    let refused = says("", "refusal").unwrap_err();
    assert_eq!(refused, AnswerError::Refused { why: "refusal".into() });
    assert!(matches!(says("{", "max_tokens"), Err(AnswerError::Truncated { .. })));
    assert!(matches!(says("{", "end_turn"), Err(AnswerError::NotJson { .. })));
    assert!(matches!(says("{}", "end_turn"), Err(AnswerError::NotWrapped { .. })));
    let other = says("{\"choice\":\"maybe\"}", "end_turn");
    assert!(matches!(other, Err(AnswerError::NotAChoice { .. })));
    let nothing = choice.answer.read(&json!({ "content": [] }));
    assert!(matches!(nothing, Err(AnswerError::Missing { .. })));
}

#[test]
fn a_blueprint_goes_in_the_strongest_form() {
    let said = |provider: &str, template: &str, policy| {
        let outline = Blueprint::from_str(template).unwrap().outline(json!({})).unwrap();
        let facts = Providers::builtin().facts(provider, None).unwrap();
        let options = Intent { on_unsupported: policy, ..Intent::new(Kind::Text) };
        blueprint(&facts, &outline, &options).map_err(|error| error.to_string())
    };
    let template = "{% choice %}{% option %}no{% endoption %}{% option %}yes{% endoption %}\
        {% endchoice %}{{ \"[0-9]{2}\" | regex }}";
    let strict = OnUnsupported::Error;
    for (provider, place) in [
        ("vllm", "/response_format/format/type"),
        ("sglang", "/response_format/format/type"),
        ("sglang_native", "/sampling_params/structural_tag"),
        ("webllm", "/response_format/structural_tag/format/type"),
        ("tgi_generate", "/parameters/grammar/value"),
    ] {
        let request = said(provider, template, strict).unwrap();
        let fields = Value::Object(request.fields);
        assert!(fields.pointer(place).is_some(), "{provider}: {fields}");
        assert!(request.warnings.is_empty(), "{provider}");
    }
    let refused = said("gemini", template, strict).unwrap_err();
    assert!(refused.starts_with("gemini.blueprint as json_schema"), "{refused}");
    let degraded = said("gemini", template, OnUnsupported::Degrade).unwrap();
    assert!(degraded.fields.is_empty() && degraded.prompt.is_some());
    assert_eq!(degraded.warnings.len(), 1);
}

#[test]
fn a_schema_can_go_as_a_grammar_of_our_own() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "string",
        "pattern": "^[a-z]+$", "maxLength": 3 } }, "required": ["n"],
        "additionalProperties": false });
    let plain = json!({ "kind": "json_schema", "schema": schema });
    assert!(asked("webllm", plain.clone()).unwrap_err().contains("ignored_keyword maxLength"));
    let mut lowered = plain;
    lowered["lower"] = json!("grammar");
    for provider in ["webllm", "sglang", "vllm"] {
        let request = asked(provider, lowered.clone()).unwrap();
        let fields = Value::Object(request.fields.clone()).to_string();
        assert!(fields.contains("root ::="), "{provider}: {fields}");
        let response = json!({ "choices": [{ "message": { "content": "{\"n\":\"abc\"}" } }] });
        assert_eq!(request.answer.read(&response).unwrap(), json!({ "n": "abc" }));
    }
    assert_eq!(asked("anthropic", lowered).unwrap_err(), "anthropic.unsupported grammar");
}

#[test]
fn capabilities_are_told_by_provider_and_model() {
    let facts = |name: &str, model| Providers::builtin().facts(name, model).unwrap();
    let new = facts("openai_chat", Some("gpt-9"));
    assert_eq!(supports(&new, "regex"), Support::Native, "unknown models are of the newest kind");
    assert_eq!(supports(&new, "choice"), Support::Emulated);
    let old = facts("openai_chat", Some("gpt-4o"));
    assert_eq!(supports(&old, "regex"), Support::No);
    assert_eq!(supports(&old, "json_schema"), Support::Native);
    let cloud = facts("ollama", Some("gpt-oss:120b-cloud"));
    assert_eq!(supports(&cloud, "json_schema"), Support::No);
    let ordered = json!({ "kind": "json_schema", "model": "gemini-2.0-flash", "schema": {
        "type": "object", "properties": { "b": { "type": "null" }, "a": { "type": "null" } } } });
    let request = asked("gemini", ordered).unwrap();
    let schema = &request.fields["generationConfig"]["responseJsonSchema"];
    assert_eq!(schema["propertyOrdering"], json!(["b", "a"]));
}
