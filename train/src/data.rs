//! Makes documents: a few tools, then requests and the calls that answer them.

use blueprints_runtime::decode::{Chat, ChatError, ChatTemplate, Ending, spaced_json};
use serde_json::{Map, Value, json};

use crate::random::Random;
use crate::tools::{HandWritten, Mood, Need, Request, Split, Tool, copying, procedural, upper};

/// How many of the hand-written tools come more often than others.
const EVERYDAY: usize = 8;

/// Where a document's tools and requests come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// One tool with long texts for arguments.
    Copying,
    /// What training sees.
    Training { tools_max: usize },
    /// Tools and requests that training sees, with other values.
    SeenTools,
    /// The held-out request of a seen tool.
    HeldOutRequests,
    /// Hand-written tools that training does not see.
    HeldOutTools,
    /// Pairs of a verb and a noun that training does not see.
    HeldOutPairs,
}

/// One request and its call.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) request: String,
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
}

/// Tools, and turns that call them.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) tools: Vec<Value>,
    pub(crate) turns: Vec<Turn>,
}

/// Makes a document with up to `turns` turns.
pub(crate) fn document(
    random: &mut Random,
    hand: &HandWritten,
    source: Source,
    turns: usize,
) -> Document {
    let tools = choose(random, hand, source);
    let targets = match source {
        Source::Copying | Source::Training { .. } | Source::SeenTools => tools.len(),
        // The first tool is the one that is kept from training.
        _ => 1,
    };
    let mut turns: Vec<Turn> = (0..turns)
        .map(|_| {
            let tool = &tools[random.below(targets)];
            turn(random, tool, source)
        })
        .collect();
    turns.truncate(8);
    let mut shuffled = tools;
    random.shuffle(&mut shuffled);
    let tools = shuffled.iter().map(|tool| tool.schema(random)).collect();
    Document { tools, turns }
}

fn choose(random: &mut Random, hand: &HandWritten, source: Source) -> Vec<Tool> {
    let count = match source {
        Source::Copying => return vec![copying(random)],
        Source::Training { tools_max } => random.between(tools_max.min(2), tools_max),
        _ => random.between(2, 3),
    };
    let mut tools: Vec<Tool> = Vec::new();
    while tools.len() < count {
        let first = tools.first();
        let tool = match (source, first) {
            (Source::HeldOutTools, None) => pick(random, &hand.held_out),
            (Source::HeldOutPairs, None) => procedural(random, Split::HeldOut, None),
            (Source::HeldOutRequests, None) => pick(random, &hand.seen),
            // The first tools of the list are the ones that people ask for every day.
            _ if random.percent(20) => pick(random, &hand.seen[..EVERYDAY.min(hand.seen.len())]),
            _ if random.percent(40) => pick(random, &hand.seen),
            // Tools that share a word with the first are the hard ones to tell from it.
            (Source::HeldOutPairs, first) => procedural(random, Split::HeldOut, first),
            (_, first) => {
                let first = if random.percent(50) { first } else { None };
                procedural(random, Split::Seen, first)
            }
        };
        if tools.iter().all(|other| other.name != tool.name) {
            tools.push(tool);
        }
    }
    tools
}

fn pick(random: &mut Random, tools: &[Tool]) -> Tool {
    tools[random.below(tools.len())].clone()
}

fn turn(random: &mut Random, tool: &Tool, source: Source) -> Turn {
    let request = match (source, tool.requests.len()) {
        (_, 1) => &tool.requests[0],
        (Source::HeldOutRequests, count) => &tool.requests[count - 1],
        (_, count) => &tool.requests[random.below(count - 1)],
    };
    let (text, arguments) = fill(random, tool, request);
    Turn { request: say(random, request.mood, &text), name: tool.name.clone(), arguments }
}

/// Fills a request's slots; each bracket is kept or dropped with its parameter.
fn fill(random: &mut Random, tool: &Tool, request: &Request) -> (String, Map<String, Value>) {
    let mut text = request.text.clone();
    let mut arguments = Map::new();
    for parameter in &tool.parameters {
        let slot = format!("{{{}}}", parameter.name);
        let Some(at) = text.find(&slot) else { continue };
        let open = text[..at].rfind('[').filter(|open| !text[*open..at].contains(']'));
        let close = text[at..].find(']').map(|close| at + close);
        if let (Some(open), Some(close)) = (open, close) {
            if parameter.need == Need::Optional && random.percent(55) {
                text.replace_range(open..=close, "");
                continue;
            }
            text.remove(close);
            text.remove(open);
        }
        let value = parameter.kind.make(random);
        // Brackets in a value would be read as the request's own; no kind makes them.
        let spelled = match random.below(12) {
            0 if value.json.is_string() => format!("\"{}\"", value.text),
            1 if value.json.is_string() => format!("'{}'", value.text),
            _ => value.text.clone(),
        };
        text = text.replace(&slot, &spelled);
        arguments.insert(parameter.name.clone(), value.json);
    }
    (text, arguments)
}

/// Says a request as people do.
fn say(random: &mut Random, mood: Mood, text: &str) -> String {
    match (mood, random.below(10)) {
        (Mood::Order, 0) => format!("Please {text}."),
        (Mood::Order, 1) => format!("Could you {text}?"),
        (Mood::Order, 2) => format!("Can you {text}?"),
        (Mood::Order, 3) => format!("I want you to {text}."),
        (Mood::Order, 4) => format!("Hi, please {text}"),
        (Mood::Order, 5 | 6) => format!("{}.", upper(text)),
        (Mood::Order, 7) => text.to_owned(),
        (Mood::Order, _) => upper(text),
        (Mood::Question, 0) => format!("{text}?"),
        (Mood::Question, 1) => format!("Hi, {text}?"),
        (Mood::Question, 2) => format!("{}? Thanks", upper(text)),
        (Mood::Question, 3) => upper(text),
        (Mood::Question, _) => format!("{}?", upper(text)),
    }
}

/// A piece of a document's text, and how a call's bytes came about.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    /// The byte ranges of the answers, their end included.
    pub(crate) answers: Vec<std::ops::Range<usize>>,
    /// The byte ranges within answers that no grammar would force: names and values.
    pub(crate) free: Vec<std::ops::Range<usize>>,
}

impl Document {
    /// The whole document as the chat template writes it.
    pub(crate) fn write(&self, template: &ChatTemplate) -> Result<Written, ChatError> {
        let mut messages = Vec::new();
        for turn in &self.turns {
            messages.push(json!({ "role": "user", "content": turn.request }));
            let function = json!({ "name": turn.name, "arguments": turn.arguments });
            let call = json!({ "type": "function", "function": function });
            messages.push(json!({ "role": "assistant", "content": "", "tool_calls": [call] }));
        }
        let chat = Chat { messages: &messages, tools: &self.tools, ending: Ending::LastMessage };
        let text = template.render(&chat)?;
        let (mut answers, mut free) = (Vec::new(), Vec::new());
        let mut from = 0;
        for turn in &self.turns {
            let (answer, ranges) = turn.answer();
            // A request holds no line break, so the first such text is the answer itself.
            if let Some(at) = text[from..].find(&format!("assistant\n{answer}")) {
                let start = from + at + "assistant\n".len();
                from = start + answer.len();
                answers.push(start..from);
                free.extend(ranges.iter().map(|range| start + range.start..start + range.end));
            }
        }
        Ok(Written { text, answers, free })
    }
}

impl Turn {
    /// The answer to the request, and its ranges that a grammar leaves open.
    pub(crate) fn answer(&self) -> (String, Vec<std::ops::Range<usize>>) {
        let mut text = String::from("<tool_call>\n{\"name\": \"");
        let mut free = Vec::new();
        let start = text.len();
        text.push_str(&self.name);
        free.push(start..text.len() + 1);
        text.push_str("\", \"arguments\": {");
        for (index, (name, value)) in self.arguments.iter().enumerate() {
            let start = text.len();
            if index > 0 {
                text.push_str(", ");
            }
            text.push_str(&format!("\"{name}\": "));
            // With the value goes what follows it: to end, or to go on, is a choice too.
            let from = if index > 0 { start } else { text.len() };
            text.push_str(&spaced_json(value));
            free.push(from..text.len() + 1);
        }
        text.push_str("}}\n</tool_call><|im_end|>");
        (text, free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template() -> ChatTemplate {
        ChatTemplate::new(crate::run::TEMPLATE, Vec::new()).unwrap()
    }

    #[test]
    fn a_document_reads_as_the_chat_template_says() {
        let tool = json!({ "type": "function", "function": { "name": "get_x" } });
        let turn = Turn {
            request: "What is x?".to_owned(),
            name: "get_x".to_owned(),
            arguments: json!({ "a": "b c", "n": 12 }).as_object().unwrap().clone(),
        };
        let document = Document { tools: vec![tool], turns: vec![turn] };
        let written = document.write(&template()).unwrap();
        assert_eq!(
            written.text,
            "<|im_start|>system\n# Tools\n<tools>\n\
             {\"type\": \"function\", \"function\": {\"name\": \"get_x\"}}\n</tools>\n\
             For each call write:\n<tool_call>\n\
             {\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call><|im_end|>\n\
             <|im_start|>user\nWhat is x?<|im_end|>\n<|im_start|>assistant\n<tool_call>\n\
             {\"name\": \"get_x\", \"arguments\": {\"a\": \"b c\", \"n\": 12}}\n</tool_call><|im_end|>\n"
        );
        let free: Vec<&str> =
            written.free.iter().map(|range| &written.text[range.clone()]).collect();
        assert_eq!(free, ["get_x\"", "\"b c\",", ", \"n\": 12}"]);
    }

    #[test]
    fn the_template_takes_bare_functions_and_arguments_as_text() {
        let function = json!({ "name": "f", "arguments": "{\"a\": 1}" });
        let messages = [
            json!({ "role": "system", "content": "Be brief." }),
            json!({ "role": "assistant", "content": null, "tool_calls": [{ "function": function }] }),
        ];
        let tools = [json!({ "name": "f" })];
        let chat = Chat { messages: &messages, tools: &tools, ending: Ending::LastMessage };
        let text = template().render(&chat).unwrap();
        assert!(text.starts_with("<|im_start|>system\nBe brief.\n# Tools\n<tools>\n"), "{text}");
        assert!(
            text.contains("{\"type\": \"function\", \"function\": {\"name\": \"f\"}}"),
            "{text}"
        );
        assert!(
            text.ends_with(
                "<|im_start|>assistant\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n\
             </tool_call><|im_end|>\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn every_answer_is_found_and_follows_its_tools() {
        let hand = HandWritten::read(include_str!("../tools.txt")).unwrap();
        let sources = [
            Source::Copying,
            Source::Training { tools_max: 1 },
            Source::Training { tools_max: 4 },
            Source::SeenTools,
            Source::HeldOutRequests,
            Source::HeldOutTools,
            Source::HeldOutPairs,
        ];
        for (seed, source) in (0..240).zip(sources.into_iter().cycle()) {
            let document = document(&mut Random::new(seed), &hand, source, 5);
            let written = document.write(&template()).unwrap();
            assert_eq!(written.answers.len(), 5, "{}", written.text);
            for turn in &document.turns {
                assert!(!turn.request.contains(['{', '[']), "{}", turn.request);
                let tool = document.tools.iter().find(|t| t["function"]["name"] == turn.name);
                let parameters = &tool.unwrap()["function"]["parameters"];
                for required in parameters["required"].as_array().into_iter().flatten() {
                    let required = required.as_str().unwrap();
                    assert!(turn.arguments.contains_key(required), "{required}");
                }
                for name in turn.arguments.keys() {
                    assert!(parameters["properties"].get(name).is_some());
                }
            }
        }
    }
}
