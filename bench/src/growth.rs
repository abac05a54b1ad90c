//! The cost of a token as a text grows: flat, or not.

use serde_json::{Value, json};

use crate::Shared;
use crate::cases::{self, random};
use crate::clock::Clock;
use crate::engine::{Engine, Fault, Grammar};
use crate::plot::{self, Curve};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    shared: Shared,
    /// The longest text in tokens.
    #[arg(long, default_value_t = 100_000)]
    tokens: usize,
    /// The deepest nesting.
    #[arg(long, default_value_t = 1_000)]
    depth: usize,
    /// Draws the curves of the first engine here.
    #[arg(long)]
    svg: Option<std::path::PathBuf>,
    /// How many orders of 128 keys are read with one program.
    #[arg(long, default_value_t = 40)]
    orders: usize,
}

/// Tokens between two readings of the clock.
const WINDOW: usize = 100;

/// Prints lines of JSON: one point of a curve each.
pub(crate) fn measure(arguments: &Arguments) -> Result<(), Fault> {
    let tokenizer = cases::tokenizer(&arguments.shared.tokenizer)?;
    let engines = arguments.shared.engines(&tokenizer)?;
    let mut curves: Vec<Curve> = Vec::new();
    for (at, engine) in engines.iter().enumerate() {
        let clock = Clock::calibrated();
        for (curve, schema, text) in texts(arguments) {
            let tokens = cases::tokens(&tokenizer, &text)?;
            let tokens = &tokens[..tokens.len().min(arguments.tokens)];
            let grown = grow(clock, &**engine, curve, &schema, tokens);
            if let Err(fault) = grown.map(|points| curves.push((curve.to_owned(), points))) {
                println!(
                    "{}",
                    json!({ "engine": engine.name(), "curve": curve, "error": fault.to_string() })
                );
            }
        }
        let (schema, texts) = orders(arguments.orders);
        let tokens = texts.iter().map(|text| cases::tokens(&tokenizer, text));
        let tokens: Vec<Vec<u32>> = tokens.collect::<Result<_, _>>()?;
        let repeated = repeat(clock, &**engine, &schema, &tokens);
        let name = "128 keys in any order".to_owned();
        if let Err(fault) = repeated.map(|points| curves.push((name, points))) {
            println!(
                "{}",
                json!({ "engine": engine.name(), "curve": "orders", "error": fault.to_string() })
            );
        }
        if let Some(path) = arguments.svg.as_ref().filter(|_| at == 0) {
            std::fs::write(path, plot::svg(&curves))?;
        }
        curves.clear();
    }
    Ok(())
}

/// The name of each curve, its schema and a text that is long enough.
fn texts(arguments: &Arguments) -> Vec<(&'static str, String, String)> {
    let (tokens, depth) = (arguments.tokens, arguments.depth);
    let word = |at: usize| ["water", "some of", "their", "名前", "x-12", "und", "\\n"][at % 7];
    let words: Vec<&str> = (0..tokens).map(word).collect();
    let bounded = json!({ "type": "string", "maxLength": 20 * tokens });
    let string = format!("\"{}\"", words.join(" "));
    let numbers: Vec<String> =
        (0..tokens / 2).map(|at| (at * 7919 % 100_003).to_string()).collect();
    let array = format!("[{}]", numbers.join(", "));
    let integers = json!({ "type": "array", "items": { "type": "integer" } });
    let some = json!({ "type": "array", "items": { "type": "integer" }, "minItems": 10,
        "maxItems": tokens });
    let nested = json!({
        "$ref": "#/$defs/n",
        "$defs": { "n": { "type": "object", "additionalProperties": false, "required": ["v"],
            "properties": { "v": { "type": "string" }, "c": { "$ref": "#/$defs/n" } } } },
    });
    let deep = "{\"v\": \"a b\", \"c\": ".repeat(depth) + "{\"v\": \"end\"}" + &"}".repeat(depth);
    vec![
        ("string", json!({ "type": "string" }).to_string(), string.clone()),
        ("string with maxLength", bounded.to_string(), string),
        ("array", integers.to_string(), array.clone()),
        ("array with bounds", some.to_string(), array),
        ("nesting", nested.to_string(), deep),
    ]
}

/// 128 optional keys, and texts that hold all of them in some order.
fn orders(count: usize) -> (String, Vec<String>) {
    let name = |at: usize| format!("{}_{at}", ["name", "size", "of", "the", "unit"][at % 5]);
    let properties: serde_json::Map<String, Value> =
        (0..128).map(|at| (name(at), json!({ "type": "integer" }))).collect();
    let schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let mut seed = 7;
    let texts = (0..count).map(|_| {
        let mut keys: Vec<usize> = (0..128).collect();
        for at in 0..keys.len() {
            let other = at + (random(&mut seed) % (keys.len() - at) as u64) as usize;
            keys.swap(at, other);
        }
        let members: Vec<String> =
            keys.iter().map(|&at| format!("\"{}\": {at}", name(at))).collect();
        format!("{{{}}}", members.join(", "))
    });
    (schema.to_string(), texts.collect())
}

/// One fresh program along one text: the mean of each stretch, tenfold from one to the next.
fn grow(
    clock: Clock,
    engine: &dyn Engine,
    curve: &str,
    schema: &str,
    tokens: &[u32],
) -> Result<Vec<(f64, f64)>, Fault> {
    let mut session = engine.compile(Grammar::Schema(schema))?;
    let mut windows = Vec::new();
    for window in tokens.chunks(WINDOW) {
        let (walked, took) = clock.time(|| session.walk(window));
        walked?;
        windows.push((window.len(), took));
    }
    let (mut begin, mut length) = (0, 1);
    let mut points = Vec::new();
    while begin < windows.len() {
        let end = windows.len().min(begin + length);
        let stretch = &windows[begin..end];
        let count: usize = stretch.iter().map(|window| window.0).sum();
        let took: f64 = stretch.iter().map(|window| window.1).sum();
        let point = json!({
            "engine": engine.name(), "curve": curve,
            "from": begin * WINDOW, "to": begin * WINDOW + count,
            "ns_per_token": (took / count as f64 * 10.0).round() / 10.0,
        });
        println!("{point}");
        points.push(((begin * WINDOW + count) as f64, took / count as f64));
        begin = end;
        length *= 3;
    }
    Ok(points)
}

/// One program for all texts.
fn repeat(
    clock: Clock,
    engine: &dyn Engine,
    schema: &str,
    texts: &[Vec<u32>],
) -> Result<Vec<(f64, f64)>, Fault> {
    let mut session = engine.compile(Grammar::Schema(schema))?;
    let (mut read, mut points) = (0, Vec::new());
    for (at, tokens) in texts.iter().enumerate() {
        session.restart()?;
        let (walked, took) = clock.time(|| session.walk(tokens));
        walked?;
        let memory = session.memory().map(|(states, masks)| [states, masks]);
        let point = json!({
            "engine": engine.name(), "curve": "orders", "order": at, "tokens": tokens.len(),
            "ns_per_token": (took / tokens.len() as f64 * 10.0).round() / 10.0, "memory": memory,
        });
        println!("{point}");
        read += tokens.len();
        points.push((read as f64, took / tokens.len() as f64));
    }
    Ok(points)
}
