//! Time and size of a vocabulary's index.

use std::path::PathBuf;
use std::time::Instant;

use blueprints_runtime::{Token, TokenId, Vocabulary};
use cpu_time::ProcessTime;
use serde_json::json;

use crate::engine::Fault;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files `tokenizer.json`.
    #[arg(required = true)]
    tokenizers: Vec<PathBuf>,
}

/// Prints a line of JSON for each tokenizer. The index is built on several threads, so its time is
/// that of the whole process, with the time on the wall beside it.
pub(crate) fn measure(arguments: &Arguments) -> Result<(), Fault> {
    for path in &arguments.tokenizers {
        let json = std::fs::read(path)?;
        let begin = ProcessTime::now();
        let read = Vocabulary::from_tokenizer_json(&json)?;
        let file = begin.elapsed();
        let tokens = (0..read.width() as u32).map(TokenId);
        let tokens: Vec<Token> = tokens.map(|id| read.token(id).clone()).collect();
        let (begin, wall) = (ProcessTime::now(), Instant::now());
        let vocabulary = Vocabulary::new(tokens)?;
        let bytes = vocabulary.prepare();
        let (took, wall) = (begin.elapsed(), wall.elapsed());
        let saved = vocabulary.save(&json);
        let begin = ProcessTime::now();
        let loaded = Vocabulary::from_saved(&saved, &json)?;
        let load = begin.elapsed();
        assert_eq!(loaded.width(), vocabulary.width(), "what was saved is what is loaded");
        let ms = |time: std::time::Duration| (time.as_secs_f64() * 1e4).round() / 10.0;
        println!(
            "{}",
            json!({
                "tokenizer": path, "width": vocabulary.width(), "read_file_ms": ms(file),
                "index_cpu_ms": ms(took), "index_wall_ms": ms(wall), "index_bytes": bytes,
                "saved_bytes": saved.len(), "load_cpu_ms": ms(load),
            })
        );
    }
    Ok(())
}
