//! How fast tool calls are read back: texts as a whole, and in pieces of ten bytes with deltas.

use blueprints_compiler::Blueprint;
use blueprints_parser::{ParseOptions, Parser, ToolDelta, ToolDeltas};
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::engine::Fault;

/// A call with JSON as its arguments.
const JSON: &str = r#"{% free text="content" %}
  {% on "<tool_call>" %}{% capture tool_calls %}
{"name": "{{ ["save", "load"] | choice(name="name") }}", "arguments": {{- " " -}}
  {{ schema | json_schema(name="arguments") }}}
{% endcapture %}</tool_call>{% endon %}
{% endfree %}<|im_end|>"#;

/// A call with an entry for each argument.
const ENTRIES: &str = r#"{% free text="content" %}
  {% on "<function=" %}{% capture tool_calls %}{{ ["save", "load"] | choice(name="name") }}>
{% capture arguments type="entries" %}{% repeat %}
<parameter={{ "[a-z_]+" | regex(name="key") }}>
{{ anything(until="\n</parameter>\n", name="value") }}
</parameter>
{% endrepeat %}{% endcapture %}</function>{% endcapture %}{% endon %}
{% endfree %}<|im_end|>"#;

/// Prints a line of JSON for each text: megabytes per second of this thread's time, best of five.
pub(crate) fn measure() -> Result<(), Fault> {
    let prose =
        "Lines of text with \\\"quotes\\\", \\n and umlauts: ä ö ü. <p>1 < 2</p> ".repeat(16);
    let lines = "Lines of text with \"quotes\" and umlauts: ä ö ü. <p>1 < 2</p>\n".repeat(16);
    let object: String = (0..1_000).map(|at| format!("\"k{at}\": \"{prose}\", ")).collect();
    let object = format!("{{{object}\"n\": [1, 2.5e3, true]}}");
    let list: Vec<String> =
        (0..60_000).map(|at| format!("{{\"id\": {at}, \"v\": [1, null]}}")).collect();
    let list = format!("{{\"rows\": [{}]}}", list.join(", "));
    let entries: String =
        (0..1_000).map(|_| format!("<parameter=some_key>\n{lines}\n</parameter>\n")).collect();
    let json = |object: &str| {
        format!(
            "Saving.<tool_call>\n{{\"name\": \"save\", \"arguments\": {object}}}\n</tool_call><|im_end|>"
        )
    };
    let cases = [
        ("json strings", JSON, json(&object)),
        ("json numbers and brackets", JSON, json(&list)),
        ("entries", ENTRIES, format!("<function=save>\n{entries}</function>")),
        ("content", JSON, "Some <b>text</b> that calls nothing. ".repeat(30_000)),
    ];
    for (name, template, text) in cases {
        let context = json!({ "schema": { "type": "object" } });
        let outline = Blueprint::from_str(template)?.outline(context)?;
        let mut parser = Parser::new(outline.ir(), ParseOptions::default())?;
        let clock = Clock::calibrated();
        let (mut whole, mut streamed, mut deltas) = (f64::MAX, f64::MAX, 0);
        for _ in 0..5 {
            let (parsed, took) = clock.time(|| parser.parse(&text));
            let calls = parsed?.calls()?;
            whole = whole.min(took);
            parser.restart()?;
            let (arguments, took) = clock.time(|| stream(&mut parser, &text, &mut deltas));
            streamed = streamed.min(took);
            let arguments = arguments?;
            if let Some(call) = calls.tool_calls.first() {
                let value: Value = serde_json::from_str(&arguments)?;
                if value != call.arguments {
                    return Err("deltas do not come to the arguments".into());
                }
            }
            parser.restart()?;
        }
        let speed = |took: f64| (text.len() as f64 / took * 1e4).round() / 10.0;
        println!(
            "{}",
            json!({
                "text": name, "bytes": text.len(), "deltas": deltas,
                "whole_mb_per_s": speed(whole), "streamed_mb_per_s": speed(streamed),
            })
        );
    }
    Ok(())
}

/// The arguments of the first call, from pieces of ten bytes.
fn stream(parser: &mut Parser, text: &str, count: &mut usize) -> Result<String, Fault> {
    let mut deltas = ToolDeltas::default();
    let mut first = String::new();
    *count = 0;
    for piece in text.as_bytes().chunks(10) {
        for event in parser.push_bytes(piece)? {
            for delta in deltas.push(&event) {
                *count += 1;
                if let ToolDelta::Call { index: 0, arguments, .. } = delta {
                    first.push_str(&arguments);
                }
            }
        }
    }
    Ok(first)
}
