//! Languages that are hard for engines, written for each; one line of figures for each.

use std::path::PathBuf;

use blueprints_runtime::Tokenizer;
use serde_json::{Value, json};

use crate::Shared;
use crate::cases::{self, Test};
use crate::drive::{Drive, Mode};
use crate::engine::{Engine, Fault, Grammar, Written};
use crate::record::Record;
use crate::statistics::{Statistics, ratio, short};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    shared: Shared,
    /// The folder of the other engines' probes: `*.lark` with `*.txt`, and `schemas.jsonl`.
    #[arg(long)]
    folder: PathBuf,
    /// Only probes whose name holds this.
    #[arg(long)]
    only: Option<String>,
}

/// A language, its text, and the other engine's grammar.
struct Probe {
    name: String,
    ours: Written,
    lark: String,
    schema: Option<String>,
    text: String,
}

macro_rules! template {
    ($name:literal) => {
        Written::Template(include_str!(concat!("../probes/", $name, ".jinja")))
    };
}

/// Name, ours, the files of the other engine's grammar and of the text.
fn written() -> Vec<(&'static str, Written, &'static str, &'static str)> {
    let printed = |text| Written::Printed(text);
    vec![
        ("words", template!("words"), "word_level", "word_level"),
        ("characters", template!("characters"), "char_level", "char_level"),
        (
            "right_recursion",
            printed(include_str!("../probes/right_recursion.ir")),
            "right_rec",
            "right_rec",
        ),
        ("free_text", template!("free_text"), "free_text", "free_text"),
        ("until", template!("until"), "suffix_param", "suffix_param"),
        ("until_lazy", template!("until"), "lazy_param", "lazy_param"),
        ("complement", template!("until"), "complement", "complement"),
        ("bounded_text", template!("bounded_text"), "bounded_text_4000", "bounded_text_4000"),
        ("bounded_lines", template!("bounded_lines"), "bounded_lines", "bounded_lines"),
        ("repeat_bounded", template!("repeat_bounded"), "repeat_bounded", "repeat_bounded"),
        ("cjk", template!("cjk"), "cjk_text", "cjk_text"),
        ("arithmetic", printed(include_str!("../probes/arithmetic.ir")), "arith", "arith"),
    ]
}

/// Measures each probe on a fresh program.
pub(crate) fn measure(arguments: &Arguments) -> Result<(), Fault> {
    let tokenizer = cases::tokenizer(&arguments.shared.tokenizer)?;
    let engines = arguments.shared.engines(&tokenizer)?;
    let drive = Drive { mode: Mode::Cold, warm: true };
    let mut lines = Vec::new();
    for probe in probes(arguments)? {
        let wanted = arguments.only.as_ref().is_none_or(|only| probe.name.contains(only.as_str()));
        if wanted {
            lines.push(line(&probe, &engines, drive, &tokenizer)?);
        }
    }
    if arguments.shared.json {
        lines.iter().for_each(|line| println!("{line}"));
    } else {
        print(&lines);
    }
    Ok(())
}

fn probes(arguments: &Arguments) -> Result<Vec<Probe>, Fault> {
    let read = |name: String| std::fs::read_to_string(arguments.folder.join(name));
    let mut probes = Vec::new();
    for (name, ours, lark, text) in written() {
        let (lark, text) = (read(format!("{lark}.lark"))?, read(format!("{text}.txt"))?);
        probes.push(Probe { name: name.to_owned(), ours, lark, schema: None, text });
    }
    for line in read("schemas.jsonl".to_owned())?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let name = line["id"].as_str().unwrap_or("?").to_owned();
        probes.push(schema(name, &line["schema"], &line["tests"][0]["data"]));
    }
    let words = (0..100).map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let counted =
        json!({ "type": "string", "pattern": r"^(?:\S+\s+){0,99}\S+$", "maxLength": 5_000 });
    probes.push(schema("words_pattern".to_owned(), &counted, &json!(words)));
    probes.push(hermes());
    Ok(probes)
}

fn schema(name: String, schema: &Value, data: &Value) -> Probe {
    Probe {
        name,
        ours: Written::Template(""),
        lark: String::new(),
        schema: Some(schema.to_string()),
        text: data.to_string(),
    }
}

/// Hermes as one template, with 500 tools of a few parameters each.
fn hermes() -> Probe {
    let tools: Vec<Value> = (0..500)
        .map(|at| {
            json!({ "type": "function", "function": {
                "name": format!("tool_{at}"),
                "parameters": {
                    "type": "object",
                    "properties": {
                        "city": { "type": "string", "maxLength": 40 + at },
                        "days": { "type": "integer" },
                        "unit": { "enum": ["celsius", "fahrenheit", format!("own_{at}")] },
                    },
                    "required": ["city"],
                    "additionalProperties": false,
                },
            } })
        })
        .collect();
    let template = include_str!("../probes/hermes.jinja");
    let calls = [3, 250, 499].map(|at| {
        format!(
            "<tool_call>\n{{\"name\": \"tool_{at}\", \"arguments\": {{\"city\": \"Oslo\", \
             \"days\": 3, \"unit\": \"own_{at}\"}}}}\n</tool_call>"
        )
    });
    Probe {
        name: "hermes_500_tools".to_owned(),
        ours: Written::Bound(template, json!({ "tools": tools })),
        lark: String::new(),
        schema: None,
        text: calls.join("\n") + "<|im_end|>",
    }
}

fn line(
    probe: &Probe,
    engines: &[Box<dyn Engine>],
    drive: Drive,
    tokenizer: &Tokenizer,
) -> Result<Value, Fault> {
    let tests = [Test { tokens: cases::tokens(tokenizer, &probe.text)?, valid: true }];
    let grammar = match &probe.schema {
        Some(schema) => Grammar::Schema(schema),
        None => Grammar::Probe { ours: &probe.ours, lark: &probe.lark },
    };
    let mut object = serde_json::Map::new();
    object.insert("probe".into(), json!(probe.name));
    object.insert("tokens".into(), json!(tests[0].tokens.len()));
    let mut figures = Vec::new();
    for engine in engines {
        let records = drive.texts(&**engine, grammar, &probe.name, &tests);
        figures.push(records.first().map(of).unwrap_or_default());
    }
    object.insert("engines".into(), Value::Array(figures));
    Ok(Value::Object(object))
}

fn of(record: &Record) -> Value {
    let masks = Statistics::of(record.masks.iter().copied());
    let accepts = Statistics::of(record.accepts.iter().copied());
    json!({
        "engine": record.engine, "accepted": record.accepted, "error": record.error,
        "stopped_at": (!record.accepted).then_some(record.accepts.len()),
        "first_us": record.first().map(|first| first / 1e3),
        "mask": masks.map(|masks| masks.json()), "accept": accepts.map(|accepts| accepts.json()),
        "warm_ns": record.warm,
    })
}

fn print(lines: &[Value]) {
    println!(
        "{:24} {:>6}  {:32} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "probe",
        "tokens",
        "engine",
        "first µs",
        "mean",
        "p99",
        "max",
        "accept",
        "warm ns",
        "mean is"
    );
    for line in lines {
        let mut first = None;
        for one in line["engines"].as_array().into_iter().flatten() {
            let name = one["engine"].as_str().unwrap_or("not run");
            let shown = |value: &Value| value.as_f64().map_or("-".to_owned(), short);
            let mean = one["mask"]["mean"].as_f64().unwrap_or(0.0);
            let compared = first.map_or(String::new(), |ours| ratio(ours, mean));
            println!(
                "{:24} {:>6}  {name:32} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {compared:>8}{}",
                line["probe"].as_str().unwrap_or("?"),
                line["tokens"].to_string(),
                shown(&one["first_us"]),
                shown(&one["mask"]["mean"]),
                shown(&one["mask"]["p99"]),
                shown(&one["mask"]["max"]),
                shown(&one["accept"]["mean"]),
                shown(&one["warm_ns"]),
                note(one),
            );
            first = first.or(Some(mean));
        }
    }
}

fn note(one: &Value) -> String {
    match (&one["error"], one["accepted"].as_bool()) {
        (Value::String(error), _) => format!("  {error}"),
        (_, Some(false)) => format!("  refused at token {}", one["stopped_at"]),
        _ => String::new(),
    }
}
