//! The checkpoint that ships with the crate.

use super::*;

/// `get_weather`, `send_email` or `set_timer`, with flexible arguments.
fn calls() -> Ir {
    let string = || Ir::regex(r#""[^"\\\x00-\x1F]*""#).unwrap();
    let optional = |key: &str, value: Ir| {
        Ir::optional(Ir::sequence([Ir::value(&format!(", \"{key}\": ")), value]))
    };
    let call = |name: &str, arguments: Vec<Ir>| {
        let head = Ir::value(&format!("{{\"name\": \"{name}\", \"arguments\": {{"));
        Ir::sequence([head, Ir::sequence(arguments), Ir::value("}}")])
    };
    let unit = Ir::choice(["\"celsius\"", "\"fahrenheit\""].map(Ir::value));
    let weather = vec![Ir::value("\"city\": "), string(), optional("unit", unit)];
    let email = vec![Ir::value("\"to\": "), string(), Ir::value(", \"subject\": "), string()];
    let minutes = Ir::regex("[1-9][0-9]{0,3}").unwrap();
    let timer = vec![Ir::value("\"minutes\": "), minutes, optional("label", string())];
    Ir::sequence([
        Ir::text("<|im_start|>assistant\n<tool_call>\n"),
        Ir::choice([
            call("get_weather", weather),
            call("send_email", email),
            call("set_timer", timer),
        ]),
        Ir::text("\n</tool_call><|im_end|>"),
    ])
}

#[test]
fn the_embedded_checkpoint_answers_under_a_mask() {
    let tools = include_str!("../../../../examples/tools.json");
    let tools: Vec<Value> = serde_json::from_str(tools).unwrap();
    let checkpoint = Checkpoint::embedded().unwrap();
    for (request, expected) in [
        (
            "What is the weather in Paris?",
            r#"{"name": "get_weather", "arguments": {"city": "Paris"}}"#,
        ),
        ("Set a timer for 25 minutes", r#"{"name": "set_timer", "arguments": {"minutes": 25}}"#),
    ] {
        let messages = [json!({ "role": "user", "content": request })];
        let ending = Ending::GenerationPrompt;
        let chat = Chat { messages: &messages, tools: &tools, ending };
        let prompt = checkpoint.prompt(&chat).unwrap();
        let block = ForcedText::Block(checkpoint.tokenizer());
        let (generated, _) = run(&checkpoint, &calls(), &prompt, Sampling::greedy(), block);
        assert_eq!(generated.text, format!("<tool_call>\n{expected}\n</tool_call>"));
        assert_eq!(generated.finish, Finish::Stop);
    }
}
