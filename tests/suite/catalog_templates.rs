//! What the families' own chat templates write of a turn, their blueprints read.
//!
//! The templates are those of the tokenizers at hand. They judge the formats of
//! `catalog_render` too: both write the same bytes.

use blueprints::decode::{Chat, ChatTemplate, Ending, spaced_json};
use blueprints::{Catalog, MatchText};
use serde_json::{Value, json};

use super::catalog_render::{Format, Turn, formats, random};
use super::shared;
use super::toy::Random;

/// The last message of a chat as the template of `tokenizer` writes it, without its header and
/// stop token.
fn written(tokenizer: &str, header: &str, stop: &str, turn: &Turn) -> Option<String> {
    let path = shared::path(&format!("data/tokenizers/{tokenizer}/tokenizer_config.json"))?;
    let config: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let globals = vec![("bos_token".to_owned(), String::new())];
    let template = ChatTemplate::new(config["chat_template"].as_str().unwrap(), globals).unwrap();
    let calls: Vec<Value> = turn
        .calls
        .iter()
        .map(|(name, arguments)| {
            let arguments = spaced_json(&Value::Object(arguments.clone()));
            json!({ "type": "function", "function": { "name": name, "arguments": arguments } })
        })
        .collect();
    let mut message = json!({ "role": "assistant", "content": turn.content });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    if let Some(thought) = &turn.thought {
        message["reasoning_content"] = thought.as_str().into();
        message["content"] = turn.content.clone().unwrap_or_default().into();
    }
    let messages = [json!({ "role": "user", "content": "Please." }), message];
    let chat = Chat { messages: &messages, tools: &[], ending: Ending::LastMessage };
    let text = template.render(&chat).unwrap();
    let (_, text) = text.split_once(header).unwrap_or_else(|| panic!("no header in {text}"));
    Some(text.trim_end_matches('\n').strip_suffix(stop).unwrap_or(text).to_owned())
}

fn format(name: &str) -> Format {
    formats().into_iter().find(|format| format.name == name).expect("there is one")
}

fn agree(format: &Format, tools: &[Value], turn: &Turn, text: &str, random: &mut Random) {
    assert_eq!(text, format.write(turn, random), "{}", format.name);
    let context = json!({
        "tools": tools,
        "reasoning": if turn.thought.is_some() { "on" } else { "off" },
    });
    let outline = Catalog::builtin().get(format.name).unwrap().outline(&context).unwrap();
    assert!(outline.is_match(text).unwrap(), "{context}\n{text}");
}

#[test]
fn qwen3_reads_what_its_template_writes() {
    let format = format("qwen3");
    let mut random = Random(21);
    for _ in 0..20 {
        let tools = random::tools(&mut random, &format);
        let turn = random::turn(&mut random, &format, &tools, true);
        let Some(text) = written("qwen3", "<|im_start|>assistant\n", "<|im_end|>", &turn) else {
            return;
        };
        agree(&format, &tools, &turn, &text, &mut random);
    }
}

#[test]
fn deepseek_v3_reads_what_its_template_writes() {
    let format = format("deepseek_v3");
    let mut random = Random(22);
    let mut seen = 0;
    while seen < 10 {
        let tools = random::tools(&mut random, &format);
        let mut turn = random::turn(&mut random, &format, &tools, false);
        // The template closes the section after each call but the first.
        if turn.calls.len() != 2 {
            continue;
        }
        turn.content = None;
        seen += 1;
        let stop = "<｜end▁of▁sentence｜>";
        let Some(text) = written("deepseek_v3", "<｜Assistant｜>", stop, &turn) else { return };
        agree(&format, &tools, &turn, &text, &mut random);
    }
}
