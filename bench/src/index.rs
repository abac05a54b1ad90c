//! Time and size of a vocabulary's index.

use std::path::PathBuf;

use blueprints_runtime::{Token, TokenId, Vocabulary};
use serde_json::json;

use crate::clock::Clock;
use crate::engine::Fault;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files `tokenizer.json`.
    #[arg(required = true)]
    tokenizers: Vec<PathBuf>,
}

/// Prints a line of JSON for each tokenizer.
pub(crate) fn measure(arguments: &Arguments) -> Result<(), Fault> {
    let clock = Clock::calibrated();
    for path in &arguments.tokenizers {
        let json = std::fs::read(path)?;
        let (read, parsed) = clock.time(|| Vocabulary::from_tokenizer_json(&json));
        let vocabulary = read?;
        let tokens = (0..vocabulary.width() as u32).map(TokenId);
        let tokens: Vec<Token> = tokens.map(|id| vocabulary.token(id).clone()).collect();
        let wall = std::time::Instant::now();
        let (built, took) = clock.time(|| Vocabulary::new(tokens));
        let wall = wall.elapsed().as_secs_f64();
        let width = built?.width();
        println!(
            "{}",
            json!({
                "tokenizer": path, "width": width,
                "from_file_ms": (parsed / 1e4).round() / 1e2,
                "from_tokens_ms": (took / 1e4).round() / 1e2,
                "from_tokens_wall_ms": (wall * 1e5).round() / 1e2,
            })
        );
    }
    Ok(())
}
