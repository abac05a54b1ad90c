//! Forced tokens are the canonical ones: a prefix of what the tokenizer makes of the whole text.

use std::fs;
use std::sync::Arc;

use blueprints::{Blueprint, Ir, Limits, Outline, Program, SchemaOptions, TokenId, Tokenizer};
use serde_json::{Value, json};

use crate::shared;

fn schema(schema: &Value) -> Ir {
    Ir::schema(Arc::new(schema.clone()), SchemaOptions::default()).expect("a schema")
}

fn template(text: &str, context: Value) -> Outline {
    Blueprint::from_str(text).expect("a template").outline(context).expect("bound")
}

/// Languages with texts of them.
fn cases() -> Vec<(Ir, Vec<String>)> {
    let closed = json!({
        "type": "object",
        "properties": {
            "description": { "type": "string" },
            "identifier": { "enum": ["first", "first_of_all", "firstly", "second"] },
            "numbers": { "type": "array", "items": { "type": "integer" } },
            "nested": { "type": "object", "properties": { "é": { "const": "日本語" } },
                "required": ["é"], "additionalProperties": false },
        },
        "required": ["description", "identifier", "numbers", "nested"],
        "additionalProperties": false,
    });
    let compact =
        SchemaOptions { whitespace: blueprints::Whitespace::Compact, ..SchemaOptions::default() };
    let compact = Ir::schema(Arc::new(closed.clone()), compact).expect("a schema");
    let texts = |spaces: bool| {
        ["first", "first_of_all", "second"].map(|word| {
            let value = json!({ "description": format!("A {word}  é!\n"), "identifier": word,
                "numbers": [1, 23, 456], "nested": { "é": "日本語" } });
            let text = value.to_string();
            if spaces { text.replace("\":", "\": ").replace(",\"", ", \"") } else { text }
        })
    };
    let tool = template(
        "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {{ s | json_schema }}}\n\
         </tool_call>\n",
        json!({ "s": { "type": "object", "properties": { "city": { "type": "string" } },
            "required": ["city"], "additionalProperties": false } }),
    );
    let call = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n\
                </tool_call>";
    let either = template(
        "Answer:  {% choice %}{% option %}no{% endoption %}{% option %}not sure{% endoption %}\
         {% option %}  123{% endoption %}{% endchoice %}, and so on.",
        json!({}),
    );
    let blanks = template(
        "Answer:  {% choice %}{% option %}no{% endoption %}{% option %}yes{% endoption %}\
         {% endchoice %}\t {% choice %}{% option %}(a){% endoption %}{% option %}.5{% endoption %}\
         {% endchoice %}",
        json!({}),
    );
    vec![
        (
            blanks.ir().clone(),
            ["no\t (a)", "yes\t .5", "no\t .5"].map(|end| format!("Answer:  {end}")).into(),
        ),
        (schema(&closed), texts(true).to_vec()),
        (compact, texts(false).to_vec()),
        (tool.ir().clone(), vec![call.to_owned()]),
        (
            either.ir().clone(),
            ["no", "not sure", "  123"].map(|word| format!("Answer:  {word}, and so on.")).into(),
        ),
    ]
}

#[test]
fn are_what_the_tokenizer_makes_of_the_whole_text() {
    for name in ["qwen3", "gpt-oss-o200k", "mistral-tekken-v3-240911", "mistral-v3-spm32k"] {
        let path = format!("data/tokenizers/{name}/tokenizer.json");
        let Some(path) = shared::path(&path) else { return };
        let tokenizer = Tokenizer::from_json(&fs::read(path).expect("readable")).expect("reads");
        let (mut forced, mut total) = (0, 0);
        for (ir, texts) in cases() {
            let program = Program::compile_ir(&ir, tokenizer.vocabulary(), Limits::default());
            let program = program.expect("compiles");
            for text in texts {
                let tokens = tokenizer.encode_continuation(&text).expect("it can be spelled");
                forced += follow(&program, &tokenizer, &tokens, &text);
                total += tokens.len();
            }
        }
        println!("{name}: {forced} of {total} tokens are forced");
        assert!(forced * 8 > total, "{name}: {forced} of {total} tokens are forced");
    }
}

/// Moves along the text, by blocks where tokens are forced; the number of those.
fn follow(program: &Program, tokenizer: &Tokenizer, tokens: &[TokenId], text: &str) -> usize {
    let mut matcher = program.matcher();
    let (mut at, mut forced) = (0, 0);
    let show = |tokens: &[TokenId]| -> Vec<String> {
        let spelled = tokens.iter().map(|&token| tokenizer.vocabulary().spelling(token));
        spelled.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    };
    while at < tokens.len() {
        let block = matcher.forced_tokens(tokenizer).expect("it can be spelled");
        let rest = &tokens[at..];
        assert!(
            rest.starts_with(&block),
            "{text}: forced {:?}, but canonical is {:?}",
            show(&block),
            show(&rest[..rest.len().min(block.len() + 2)]),
        );
        assert_eq!(matcher.accept_prefix(&block), Ok(block.len()));
        at += block.len();
        forced += block.len();
        let Some(&token) = tokens.get(at) else { break };
        matcher.accept(token).expect("the text is right");
        at += 1;
    }
    assert!(matcher.is_accepting(), "{text}");
    forced
}
