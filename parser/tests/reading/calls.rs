//! Tool calls in one shape, whole and as deltas.

use blueprints_compiler::{Blueprint, Ir};
use blueprints_parser::{
    ParseOptions, ParseText, Parser, Strictness, ToolCalls, ToolDelta, ToolDeltas,
};
use serde_json::{Value, json};

const HERMES: &str = r#"{% optional %}<think>{{ anything(until="</think>", name="reasoning") }}</think>{% endoptional %}
{%- free text="content" %}
  {% on "<tool_call>" %}
    {%- capture tool_calls %}{"name": "{{ ["now", "add"] | choice(name="name") }}", "arguments": {{ {"type": "object"} | json_schema(name="arguments") }}}{% endcapture %}</tool_call>{% endon %}
{% endfree %}<|im_end|>"#;

const XML: &str = r#"{% repeat %}{% capture tool_calls %}<f={{ "[a-z]+" | regex(name="name") }}>
{%- capture arguments type="entries" %}{% repeat %}<p={{ "[a-z]+" | regex(name="key") }}>
{%- choice %}{% option %}{{ {"type": ["number", "array"]} | json_schema(name="value") }}{% endoption %}
{%- option %}{{ anything(until="</p>", name="value") }}{% endoption %}{% endchoice %}</p>{% endrepeat %}{% endcapture %}</f>{% endcapture %}{% endrepeat %}"#;

fn outline(template: &str) -> Ir {
    let outline = Blueprint::from_str(template).and_then(|one| one.outline(json!({})));
    outline.unwrap_or_else(|faults| panic!("{faults}")).ir().clone()
}

/// What deltas come to.
#[derive(Default)]
struct Joined {
    reasoning: String,
    content: String,
    /// Id, name and arguments.
    calls: Vec<(Option<String>, String, String)>,
}

impl Joined {
    fn push(&mut self, delta: ToolDelta) {
        match delta {
            ToolDelta::Reasoning(text) => self.reasoning.push_str(&text),
            ToolDelta::Content(text) => self.content.push_str(&text),
            ToolDelta::Call { index, id, name, arguments } => {
                if index == self.calls.len() {
                    let name = name.clone().expect("a call begins with its name");
                    self.calls.push((None, name, String::new()));
                }
                let call = &mut self.calls[index];
                call.0 = call.0.take().or(id);
                call.2.push_str(&arguments);
            }
            ToolDelta::Void { index } => self.calls.truncate(index),
            other => panic!("{other:?}"),
        }
    }
}

/// Checks that deltas at every cut come to the same as the whole.
fn check(ir: &Ir, text: &str, strictness: Strictness) -> ToolCalls {
    let options = ParseOptions { strictness, ..ParseOptions::default() };
    let mut parser = Parser::new(ir, options).expect("it can be built");
    let whole = parser.parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let whole = whole.calls().expect("calls have names");
    for cut in 0..=text.len() {
        let mut deltas = ToolDeltas::default();
        let mut joined = Joined::default();
        let mut events = Vec::new();
        for piece in [&text.as_bytes()[..cut], &text.as_bytes()[cut..]] {
            events.extend(parser.push_bytes(piece).expect("it fits"));
        }
        events.extend(parser.finish().expect("it ends").0);
        events.iter().flat_map(|event| deltas.push(event)).for_each(|delta| joined.push(delta));
        assert_eq!(joined.reasoning, whole.reasoning.clone().unwrap_or_default(), "{text} {cut}");
        assert_eq!(joined.content, whole.content.clone().unwrap_or_default(), "{text} {cut}");
        assert_eq!(joined.calls.len(), whole.tool_calls.len(), "{text} {cut}");
        for ((id, name, arguments), call) in joined.calls.iter().zip(&whole.tool_calls) {
            assert_eq!((id, name), (&call.id, &call.name));
            let value: Value = serde_json::from_str(arguments).expect("deltas come to JSON");
            assert_eq!(value, call.arguments, "{text} {cut}");
        }
    }
    whole
}

#[test]
fn json_formats_come_to_one_shape() {
    let ir = outline(HERMES);
    let text = "<think>hm</think>Hello <tool_call>{\"name\": \"add\", \"arguments\": {\"a\":1.0,\"b\":\"</tool_call>\\n\"}}</tool_call>";
    let calls = check(&ir, text, Strictness::Strict);
    assert_eq!(
        calls.to_value(),
        json!({
            "reasoning": "hm",
            "content": "Hello ",
            "tool_calls": [{"name": "add", "arguments": {"a": 1.0, "b": "</tool_call>\n"}}],
        })
    );
    assert_eq!(calls.tool_calls[0].spelled, "{\"a\":1.0,\"b\":\"</tool_call>\\n\"}");
    let plain = check(&ir, "No <tool, no <<tool_cal call.<|im_end|>", Strictness::Strict);
    assert_eq!(
        plain.to_value(),
        json!({"reasoning": null, "content": "No <tool, no <<tool_cal call.", "tool_calls": []})
    );
    let two = "<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>a<tool_call>{\"name\": \"add\", \"arguments\": {\"x\":[]}}</tool_call>b";
    let two = check(&ir, two, Strictness::Strict);
    assert_eq!((two.content.as_deref(), two.tool_calls.len()), (Some("ab"), 2));
}

#[test]
fn white_space_after_a_call_is_no_content() {
    let ir = outline(HERMES);
    let call = "<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>";
    for (text, content) in [
        (format!("{call}\n{call}\n\n"), None),
        (format!(" {call}\n"), Some(" ")),
        (format!("a\n{call}\n{call} b\n"), Some("a\n b\n")),
    ] {
        let calls = check(&ir, &text, Strictness::Strict);
        assert_eq!(calls.content.as_deref(), content, "{text}");
    }
}

#[test]
fn a_call_that_leaves_the_format_is_called_void() {
    let ir = outline(HERMES);
    let call = "<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>";
    let text = format!("{call}<tool_call>{{\"name\": \"add\", \"arguments\": {{\"a\": 1, oops");
    let calls = check(&ir, &text, Strictness::Lenient);
    assert_eq!(calls.tool_calls.len(), 1);
    let options = ParseOptions { strictness: Strictness::Lenient, ..ParseOptions::default() };
    let mut parser = Parser::new(&ir, options).expect("it can be built");
    let mut deltas = ToolDeltas::default();
    let mut events = parser.push(&text).expect("it is read");
    events.extend(parser.finish().expect("it ends").0);
    let all: Vec<ToolDelta> = events.iter().flat_map(|event| deltas.push(event)).collect();
    assert!(all.contains(&ToolDelta::Void { index: 1 }), "{all:?}");
}

#[test]
fn entries_are_spelled_as_json_while_they_come() {
    let ir = outline(XML);
    let text = "<f=add><p=a>1</p><p=b>x \"y\"\n\\</p><p=c>[1,2]</p></f><f=now></f>";
    let calls = check(&ir, text, Strictness::Strict);
    let expected = json!([
        {"name": "add", "arguments": {"a": 1, "b": "x \"y\"\n\\", "c": [1, 2]}},
        {"name": "now", "arguments": {}},
    ]);
    assert_eq!(calls.to_value()["tool_calls"], expected);
}

#[test]
fn other_notations_are_spelled_as_json_while_they_come() {
    for (kind, pattern, text, expected) in [
        ("python", r"\{.*\}", "{'a': 'it''', \"b\": (True, None, 'é\\n')}", None),
        (
            "python",
            r"\{.*\}",
            "{'a': 'it\\'s', \"b\": (True, None, 'é\\n')}",
            Some(json!({"a": "it's", "b": [true, null, "é\n"]})),
        ),
        (
            "gemma",
            r"(?s)\{.*\}",
            "{a:<|\"|>x, <|\n<|\"|>,n:[1,{}]}",
            Some(json!({"a": "x, <|\n", "n": [1, {}]})),
        ),
    ] {
        let template = format!(
            "{{% capture tool_calls %}}{{{{ '[a-z]+' | regex(name='name') }}}}{{{{ p | regex(name='arguments', type='{kind}') }}}}{{% endcapture %}}"
        );
        let outline =
            Blueprint::from_str(&template).and_then(|one| one.outline(json!({"p": pattern})));
        let ir = outline.unwrap_or_else(|faults| panic!("{faults}")).ir().clone();
        let text = format!("f{text}");
        match expected {
            Some(expected) => {
                assert_eq!(check(&ir, &text, Strictness::Strict).tool_calls[0].arguments, expected)
            }
            None => assert!(ir.parse(&text).is_err(), "{text}"),
        }
    }
}

#[test]
fn a_lenient_parser_keeps_what_was_said() {
    let ir = outline(HERMES);
    let call = "<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>";
    let cases = [
        (format!("{call}<tool_call>{{\"name\": \"now\", \"arg"), 1),
        (format!("Hi {call} and <tool_call>{{\"name\": \"sub\"}}</tool_call>!"), 1),
        ("<think>not ended".to_owned(), 0),
        (format!("x{call}"), 1),
    ];
    for (text, count) in cases {
        let calls = check(&ir, &text, Strictness::Lenient);
        assert_eq!(calls.tool_calls.len(), count, "{text}");
        let options = ParseOptions { strictness: Strictness::Lenient, ..ParseOptions::default() };
        let parsed = Parser::new(&ir, options).and_then(|mut parser| parser.parse(&text));
        let parsed = parsed.expect("lenient");
        assert_eq!(parsed.left().is_some(), ir.parse(&text).is_err(), "{text}");
    }
    // Where the thought does not end, the text is one without a thought.
    let broken = check(&ir, "<think>not ended", Strictness::Lenient);
    assert_eq!((broken.reasoning, broken.content.as_deref()), (None, Some("<think>not ended")));
    let left = check(&ir, "a<tool_call>{\"name\": \"sub\"}", Strictness::Lenient);
    assert_eq!(left.content.as_deref(), Some("a<tool_call>{\"name\": \"sub\"}"));
}
