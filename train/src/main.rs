//! The command `blueprints-train`: makes data, trains, evaluates, and writes a checkpoint.
//!
//! `cargo run --release -p blueprints-train -- --out runtime/checkpoint --minutes 30 --seed 1`

mod batch;
mod data;
mod evaluate;
mod grammar;
mod held;
mod optimise;
mod options;
mod random;
mod run;
mod tokenizer;
mod tools;
mod values;
mod weights;
mod write;

use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match options::Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("blueprints-train: {message}");
            return ExitCode::from(2);
        }
    };
    match run::run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("blueprints-train: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  because {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}
