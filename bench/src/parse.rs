//! How fast tool calls are read back: texts as a whole, and in pieces of ten bytes with deltas.

use blueprints::Catalog;
use blueprints_parser::{ParseOptions, Parser, ToolDelta, ToolDeltas};
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::engine::Fault;

/// A format of the catalog, and a text of it.
struct Case {
    name: &'static str,
    format: &'static str,
    text: String,
}

/// JSON of strings, JSON of numbers and brackets, an entry for each argument, Python's and Gemma's
/// notation, and text around calls that never come.
///
/// Each is some `size` megabytes.
fn cases(size: usize) -> Vec<Case> {
    let prose =
        "Lines of text with \\\"quotes\\\", \\n and umlauts: ä ö ü. <p>1 < 2</p> ".repeat(16);
    let lines = "Lines of text with \"quotes\" and umlauts: ä ö ü. <p>1 < 2</p>\n".repeat(16);
    let all = |write: &dyn Fn(usize) -> String, between: &str| {
        (0..1_000 * size).map(write).collect::<Vec<_>>().join(between)
    };
    let strings = all(&|at| format!("\"k{at}\": \"{prose}\""), ", ");
    let rows: Vec<String> =
        (0..60_000 * size).map(|at| format!("{{\"id\": {at}, \"v\": [1, null]}}")).collect();
    let hermes = |arguments: &str| {
        format!(
            "Saving.<tool_call>\n{{\"name\": \"save\", \"arguments\": {{{arguments}}}}}\n\
             </tool_call><|im_end|>"
        )
    };
    let entries = all(&|at| format!("<parameter=k{at}>\n{lines}\n</parameter>\n"), "");
    let python = all(&|at| format!("k{at}=\"{prose}\""), ", ");
    let gemma = all(&|at| format!("k{at}:<|\"|>{lines}<|\"|>"), ",");
    vec![
        Case { name: "JSON strings", format: "hermes", text: hermes(&strings) },
        Case {
            name: "JSON numbers and brackets",
            format: "hermes",
            text: hermes(&format!("\"rows\": [{}]", rows.join(", "))),
        },
        Case {
            name: "XML parameters",
            format: "qwen3_coder",
            text: format!(
                "<tool_call>\n<function=save>\n{entries}</function>\n</tool_call><|im_end|>"
            ),
        },
        Case {
            name: "Python keywords",
            format: "llama_4_pythonic",
            text: format!("<|python_start|>[save({python})]<|python_end|><|eot|>"),
        },
        Case {
            name: "Gemma's objects",
            format: "gemma_4",
            text: format!("<|tool_call>call:save{{{gemma}}}<tool_call|><|tool_response>"),
        },
        Case {
            name: "content",
            format: "hermes",
            text: "Some <b>text</b> that calls nothing. ".repeat(30_000 * size) + "<|im_end|>",
        },
    ]
}

/// Prints a line of JSON for each text, and for one eight times as long: megabytes per second of
/// this thread's time, best of five.
pub(crate) fn measure() -> Result<(), Fault> {
    let tool = |name: &str| json!({ "name": name, "parameters": { "type": "object" } });
    let context = json!({ "tools": [tool("save"), tool("load")] });
    for Case { name, format, text } in [1, 8].into_iter().flat_map(cases) {
        let outline = Catalog::builtin().get(format)?.outline(&context)?;
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
                "text": name, "format": format, "bytes": text.len(), "deltas": deltas,
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
