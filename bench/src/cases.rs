//! Cases: schemas with instances, read, sampled and split into tokens once for all engines.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use blueprints_runtime::Tokenizer;
use serde_json::{Value, json};

use crate::engine::Fault;

/// A schema and texts that it admits or not.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) schema: String,
    pub(crate) tests: Vec<Test>,
}

/// A text in tokens.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub(crate) tokens: Vec<u32>,
    /// Whether the schema admits it, as the case's author says.
    pub(crate) valid: bool,
}

/// Which of the cases, and how their instances are spelled.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Choice {
    /// Files of lines `{"id", "schema", "tests": [{"data", "valid"}]}`.
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// So many schemas with tests, chosen at random; all by default.
    #[arg(long)]
    pub(crate) sample: Option<usize>,
    /// Chooses the sample.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// So many tests of a schema; all by default.
    #[arg(long)]
    pub(crate) max_tests: Option<usize>,
    /// Only tests that the schema admits.
    #[arg(long)]
    pub(crate) only_valid: bool,
    /// Instances as `json.dumps` spells them, with a blank after commas and colons.
    #[arg(long)]
    pub(crate) spaces: bool,
}

/// The cases of `choice` in tokens.
pub(crate) fn read(choice: &Choice, tokenizer: &Tokenizer) -> Result<Vec<Case>, Fault> {
    let mut lines = Vec::new();
    for file in &choice.files {
        for line in BufReader::new(File::open(file)?).lines() {
            let line: Value = serde_json::from_str(&line?)?;
            if line["tests"].as_array().is_some_and(|tests| !tests.is_empty()) {
                lines.push(line);
            }
        }
    }
    if let Some(sample) = choice.sample.filter(|&sample| sample < lines.len()) {
        let mut seed = choice.seed;
        for at in 0..sample {
            let other = at + (random(&mut seed) % (lines.len() - at) as u64) as usize;
            lines.swap(at, other);
        }
        lines.truncate(sample);
    }
    lines.iter().map(|line| case(line, choice, tokenizer)).collect()
}

fn case(line: &Value, choice: &Choice, tokenizer: &Tokenizer) -> Result<Case, Fault> {
    let mut tests = Vec::new();
    for test in line["tests"].as_array().into_iter().flatten() {
        let valid = test["valid"].as_bool().unwrap_or(true);
        if choice.max_tests.is_some_and(|max| tests.len() >= max) || (choice.only_valid && !valid) {
            continue;
        }
        let text = spelled(&test["data"], choice.spaces)?;
        tests.push(Test { tokens: tokens(tokenizer, &text)?, valid });
    }
    let id = line["id"].as_str().unwrap_or("?").to_owned();
    Ok(Case { id, schema: line["schema"].to_string(), tests })
}

/// The tokens of a text.
pub(crate) fn tokens(tokenizer: &Tokenizer, text: &str) -> Result<Vec<u32>, Fault> {
    let tokens = tokenizer.encode_continuation(text)?;
    Ok(tokens.into_iter().map(|token| token.0).collect())
}

/// The JSON text of an instance.
pub(crate) fn spelled(data: &Value, spaces: bool) -> Result<String, Fault> {
    if !spaces {
        return Ok(data.to_string());
    }
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Spaced);
    serde::Serialize::serialize(data, &mut serializer)?;
    Ok(String::from_utf8(bytes)?)
}

/// A blank after each comma and colon.
struct Spaced;

impl serde_json::ser::Formatter for Spaced {
    fn begin_array_value<W>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()>
    where
        W: ?Sized + std::io::Write,
    {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()>
    where
        W: ?Sized + std::io::Write,
    {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W>(&mut self, writer: &mut W) -> std::io::Result<()>
    where
        W: ?Sized + std::io::Write,
    {
        writer.write_all(b": ")
    }
}

/// One line for the scripts that run engines in other processes.
pub(crate) fn line(case: &Case) -> Value {
    let tests: Vec<Value> = case
        .tests
        .iter()
        .map(|test| json!({ "tokens": test.tokens, "valid": test.valid }))
        .collect();
    json!({ "id": case.id, "schema": case.schema, "tests": tests })
}

/// The tokenizer of a file.
pub(crate) fn tokenizer(path: &Path) -> Result<Tokenizer, Fault> {
    Ok(Tokenizer::from_json(&std::fs::read(path)?)?)
}

/// Repeatable random numbers (Steele and others, splitmix64, 2014).
pub(crate) fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
