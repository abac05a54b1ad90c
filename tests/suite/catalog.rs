//! The templates that come along: their names, and the texts that fit them.

use blueprints::{Catalog, MatchText, Outline};
use serde_json::{Value, json};

use super::command::project;

#[test]
fn names_are_in_order_and_each_template_is_sound() {
    let catalog = Catalog::builtin();
    let names: Vec<&str> = catalog.names().collect();
    assert!(names.is_sorted(), "{names:?}");
    for expected in ["hermes", "proposal_deepseek", "proposal_hermes"] {
        assert!(names.contains(&expected), "{names:?}");
    }
    let tools = json!([{ "name": "now" }, { "name": "add", "parameters": {} }]);
    let mut faults = Vec::new();
    for name in names.iter().filter(|name| !name.starts_with("proposal_")) {
        let context = json!({ "tools": tools, "reasoning": "on", "strict": false });
        match catalog.get(name).and_then(|blueprint| blueprint.outline(context)) {
            Ok(outline) if outline.warnings().is_empty() => {}
            Ok(outline) => faults.push(format!("{name}: {}", outline.warnings())),
            Err(found) => faults.push(format!("{name}: {found}")),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for missing in ["", "herme", "hermes.blueprint.jinja", "../hermes"] {
        assert!(catalog.get(missing).is_err(), "{missing}");
    }
}

#[test]
fn each_template_but_the_proposals_says_what_it_is() {
    let catalog = Catalog::builtin();
    for name in catalog.names().filter(|name| !name.starts_with("proposal_")) {
        let source = catalog.source(name).unwrap();
        for part in
            ["{#\nFamily: ", "\nModels: ", "\nSource: ", "\nSpecial tokens: ", "\nVariables:"]
        {
            assert!(source.contains(part), "{name} lacks {part}");
        }
    }
}

#[test]
fn models_and_chat_templates_lead_to_their_format() {
    let catalog = Catalog::builtin();
    for (model, expected) in [
        ("Qwen/Qwen3-8B", "qwen3"),
        ("Qwen/Qwen3-30B-A3B-Thinking-2507", "qwq"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2_5"),
        ("NousResearch/Hermes-3-Llama-3.1-8B", "hermes"),
        ("deepseek-ai/DeepSeek-V3.1", "deepseek_v3_1"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek_v3"),
        ("microsoft/Phi-4-mini-instruct", "phi_4_mini"),
    ] {
        assert_eq!(catalog.for_model(model), [expected], "{model}");
    }
    assert_eq!(catalog.for_model("openai/gpt-oss-20b"), ["harmony", "harmony_role_recipient"]);
    assert!(catalog.for_model("nobody/Nothing-1B").is_empty());
    assert!(catalog.for_chat_template("{{ messages }}").is_empty());
    for name in ["qwen3", "deepseek_v3"] {
        let path = format!("data/tokenizers/{name}/tokenizer_config.json");
        let Some(path) = crate::shared::path(&path) else { continue };
        let config: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let template = config["chat_template"].as_str().unwrap();
        assert_eq!(catalog.for_chat_template(template), [name]);
    }
}

#[test]
fn a_folder_is_a_catalog_that_builds_on_ours() {
    let folder = super::command::Folder::new("own_catalog");
    let own = "{% extends \"hermes\" %}{% block stop %}{% include \"_shared/stop.jinja\" %}{% endblock %}";
    folder.write("tide.blueprint.jinja", own).write("_shared/stop.jinja", "<|end|>");
    let catalog = Catalog::from_folder(&blueprints::Folder::new(folder.path())).unwrap();
    assert_eq!(catalog.names().collect::<Vec<_>>(), ["tide"]);
    assert!(catalog.source("hermes").is_none());
    let outline = catalog.get("tide").unwrap().outline(json!({ "tools": tools() })).unwrap();
    check(&outline, &["Hi.<|end|>", "Hi."], &["<tool_call>\n{}\n</tool_call><|end|>"]);
    let missing = blueprints::Folder::new(folder.path().join("nowhere"));
    assert!(Catalog::from_folder(&missing).is_err());
}

fn outline(name: &str, context: &Value) -> Outline {
    Catalog::builtin().get(name).unwrap().outline(context).unwrap()
}

fn example(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(project(&format!("examples/{name}"))).unwrap()).unwrap()
}

#[track_caller]
fn check(outline: &Outline, accepted: &[&str], rejected: &[&str]) {
    for text in accepted {
        assert!(outline.is_match(text).unwrap(), "{text} must fit");
    }
    for text in rejected {
        assert!(!outline.is_match(text).unwrap(), "{text} must not fit");
    }
}

/// `texts` with calls spelled out.
fn calls(texts: &[&str]) -> Vec<String> {
    let spell = |text: &&str| {
        text.replace("TIMER", "{\"name\": \"set_timer\", \"arguments\": {\"minutes\": 3}}")
            .replace("NOW", "{\"name\":\"now\",\"arguments\":{}}")
    };
    texts.iter().map(spell).collect()
}

#[track_caller]
fn check_calls(outline: &Outline, accepted: &[&str], rejected: &[&str]) {
    let (accepted, rejected) = (calls(accepted), calls(rejected));
    let accepted: Vec<&str> = accepted.iter().map(String::as_str).collect();
    let rejected: Vec<&str> = rejected.iter().map(String::as_str).collect();
    check(outline, &accepted, &rejected);
}

#[test]
fn proposal_hermes_is_the_language_of_the_proposal() {
    check_calls(
        &outline("proposal_hermes", &example("proposal_hermes.json")),
        &[
            "<|im_start|>assistant\n<tool_call>\nTIMER\n</tool_call>\n<|im_end|>",
            "<|im_start|>assistant\n<tool_call>\nTIMER\n</tool_call>\n",
            "<|im_start|>assistant\n<tool_call>\nTIMER\n</tool_call>\n<tool_call>\n\
             {\"name\":\"get_weather\",\"arguments\":{\"city\":\"Oslo\",\"unit\":\"celsius\"}}\n\
             </tool_call>\n<|im_end|>",
        ],
        &[
            "",
            "<|im_start|>assistant\n<|im_end|>",
            "<|im_start|>assistant\n<tool_call>\nTIMER\n</tool_call><|im_end|>",
            "<|im_start|>assistant\n<tool_call>\nTIMER\n</tool_call>\n<|im_end|>\n",
            "<|im_start|>assistant\n<tool_call>\nTIMER\nTIMER\n</tool_call>\n<|im_end|>",
            "<|im_start|>assistant\n<tool_call>\n    TIMER\n</tool_call>\n<|im_end|>",
            "<|im_start|>assistant\n<tool_call>\nNOW\n</tool_call>\n<|im_end|>",
        ],
    );
}

#[test]
fn proposal_deepseek_thinks_until_the_first_delimiter() {
    let answer = "{\"answer\": \"four\", \"confidence\": \"high\"}";
    let text = |thought: &str, answer: &str| {
        format!("<|im_start|>assistant\n<think>\n{thought}\n</think>\n{answer}\n<|im_end|>")
    };
    let accepted = [text("2 < 3, a</thin", answer), text("\n\n", answer), text("", answer)];
    let rejected = [
        text("so\n</think>\n", answer),
        text("so", "{\"answer\": \"four\", \"confidence\": \"sure\"}"),
        text("so", ""),
        answer.to_owned(),
    ];
    let accepted: Vec<&str> = accepted.iter().map(String::as_str).collect();
    let rejected: Vec<&str> = rejected.iter().map(String::as_str).collect();
    check(&outline("proposal_deepseek", &example("proposal_deepseek.json")), &accepted, &rejected);
}

fn tools() -> Value {
    let timer = json!({
        "type": "object",
        "properties": { "minutes": { "type": "integer" } },
        "required": ["minutes"],
        "additionalProperties": false,
    });
    json!([
        { "type": "function", "function": { "name": "set_timer", "parameters": timer } },
        { "name": "now" },
    ])
}

#[test]
fn hermes_calls_tools_of_both_shapes() {
    check_calls(
        &outline("hermes", &json!({ "tools": tools(), "tool_choice": "required" })),
        &[
            "<tool_call>\nTIMER\n</tool_call><|im_end|>",
            "<tool_call>\nTIMER\n</tool_call>",
            "<tool_call>\nTIMER\n</tool_call>\n<tool_call>\nTIMER\n</tool_call>",
            "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>",
        ],
        &[
            "",
            "<|im_start|>assistant\n<tool_call>\nTIMER\n</tool_call>",
            "<tool_call>TIMER</tool_call>",
            "<tool_call>\nTIMER\n</tool_call>\n",
            "<tool_call>\nTIMER\n</tool_call><tool_call>\nTIMER\n</tool_call>",
            "<tool_call>\nNOW\n</tool_call>",
            "<tool_call>\n{\"name\": \"now\", \"arguments\": {\"minutes\": 3}}\n</tool_call>",
            "<tool_call>\n{\"name\": \"set_timer\", \"arguments\": {\"minutes\": 1.5}}\n</tool_call>",
            "<tool_call>\n{\"name\": \"set_timer\", \"arguments\": {}}\n</tool_call>",
        ],
    );
}

/// Settings, what is said of them; `None` if they will do.
#[test]
fn settings_that_mean_nothing_are_refused() {
    let one = |tool: Value| json!({ "tools": [tool] });
    let with = |name: &str, value: Value| json!({ "tools": tools(), name: value });
    let allowed = |tools: Value| json!({ "type": "allowed_tools", "mode": "auto", "tools": tools });
    let cases = [
        (with("parallel_tool_calls", json!("no")), Some("`parallel_tool_calls` is true or false")),
        (with("strict", json!(1)), Some("`strict` is true or false")),
        (with("lenient", json!("")), Some("`lenient` is true or false")),
        (with("tool_choice", json!({ "type": "any" })), None),
        (with("tool_choice", json!({ "type": "none" })), None),
        (with("tool_choice", json!({ "name": "fly" })), Some("no tool is called `fly`")),
        (with("tool_choice", allowed(json!([{ "name": "fly" }]))), Some("no tool is called `fly`")),
        (with("tool_choice", allowed(json!([]))), None),
        (one(json!({ "name": "a", "input_schema": { "properties": { "b": {} } } })), None),
        (
            one(json!({ "name": "a", "parameters": { "type": "string" } })),
            Some("the parameters of `a` are the schema of an object"),
        ),
        (
            one(json!({ "name": "a", "parameters": [1] })),
            Some("the parameters of `a` are the schema of an object"),
        ),
    ];
    let catalog = Catalog::builtin();
    let hermes = catalog.get("hermes").expect("listed");
    for (context, said) in cases {
        let outline = hermes.outline(&context);
        match said {
            None => drop(outline.unwrap_or_else(|faults| panic!("{context}: {faults}"))),
            Some(said) => {
                let faults = outline.expect_err(said).to_string();
                assert!(faults.contains(said), "{context}: {faults}");
            }
        }
    }
    let none = json!({ "tools": tools(), "tool_choice": allowed(json!([])) });
    let call = "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>";
    check(&outline("hermes", &none), &["Text."], &[call]);
}

#[test]
fn hermes_has_its_header_where_the_prompt_lacks_it() {
    check_calls(
        &outline(
            "hermes",
            &json!({
                "tools": tools(),
                "tool_choice": "required",
                "add_generation_prompt": false,
            }),
        ),
        &["<|im_start|>assistant\n<tool_call>\nTIMER\n</tool_call><|im_end|>"],
        &["<tool_call>\nTIMER\n</tool_call><|im_end|>"],
    );
}

#[test]
fn hermes_never_lets_a_name_become_structure() {
    let name = "a\"}}{% choice %}<|im_end|>";
    let tools = json!([{ "name": name }]);
    let spelled = Value::from(name).to_string();
    let call = format!("<tool_call>\n{{\"name\": {spelled}, \"arguments\": {{}}}}\n</tool_call>");
    let torn = call.replace(&spelled, "\"a\"");
    check(&outline("hermes", &json!({ "tools": tools })), &[&call], &[&torn]);
}
