//! Writes the files of a checkpoint: all of them beside, then each into its place.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokenizers::Tokenizer;

use crate::run::TEMPLATE;
use crate::tokenizer::SPECIAL;

const NOTE: &str = "TRAINING.json";

/// Writes a checkpoint that `Checkpoint::from_folder` reads, and TRAINING.json about its making.
pub(crate) fn checkpoint(
    folder: &Path,
    config: &Value,
    tokenizer: &Tokenizer,
    weights: Vec<u8>,
    mut note: Value,
) -> Result<(), Box<dyn Error>> {
    let [start, end] = SPECIAL;
    let end_id = tokenizer.token_to_id(end).ok_or("the tokenizer lacks its end token")?;
    let tokenizer_text = tokenizer.to_string(false).map_err(|error| error.to_string())?;
    let tokenizer_config = json!({
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": null,
        "eos_token": end,
        "pad_token": start,
        "model_max_length": config["max_position_embeddings"],
    });
    let files = [
        ("config.json", pretty(config)?),
        ("tokenizer.json", tokenizer_text.into_bytes()),
        ("tokenizer_config.json", pretty(&tokenizer_config)?),
        ("chat_template.jinja", TEMPLATE.as_bytes().to_vec()),
        ("generation_config.json", pretty(&json!({ "eos_token_id": [end_id] }))?),
        ("model.safetensors", weights),
    ];
    note["sha256"] = sums(files.iter().map(|(name, bytes)| (*name, &**bytes)));
    let note = (NOTE, pretty(&note)?);
    fs::create_dir_all(folder)?;
    let part = |name: &str| folder.join(format!("{name}.part"));
    for (name, bytes) in files.iter().chain([&note]) {
        fs::write(part(name), bytes)?;
    }
    for (name, _) in files.iter().chain([&note]) {
        fs::rename(part(name), folder.join(name))?;
    }
    Ok(())
}

/// Adds an entry to TRAINING.json, and notes the files' checksums as they are.
pub(crate) fn note(folder: &Path, name: &str, entry: Value) -> Result<(), Box<dyn Error>> {
    let path = folder.join(NOTE);
    let mut note: Value = serde_json::from_slice(&fs::read(&path)?)?;
    note[name] = entry;
    let files = note["sha256"].as_object().into_iter().flatten();
    let files = files
        .map(|(name, _)| Ok((&**name, fs::read(folder.join(name))?)))
        .collect::<std::io::Result<Vec<(&str, Vec<u8>)>>>()?;
    let sums = sums(files.iter().map(|(name, bytes)| (*name, &**bytes)));
    note["sha256"] = sums;
    Ok(fs::write(path, pretty(&note)?)?)
}

fn sums<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> Value {
    let sums = files.map(|(name, bytes)| {
        let sum = Sha256::digest(bytes);
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        (name.to_owned(), Value::String(sum))
    });
    Value::Object(sums.collect())
}

fn pretty(value: &Value) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}
