//! What the command line asks for.

use std::path::PathBuf;

/// The command's options, and their defaults.
#[derive(Debug)]
pub(crate) struct Options {
    /// The folder of the checkpoint.
    pub(crate) out: PathBuf,
    /// How long to train.
    pub(crate) minutes: f64,
    /// The seed of everything.
    pub(crate) seed: u64,
    /// How many prompts of each kind are evaluated.
    pub(crate) prompts: usize,
}

impl Options {
    /// Reads `--out DIR --minutes N --seed N --prompts N`.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { out: PathBuf::new(), minutes: 10.0, seed: 1, prompts: 200 };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or(format!("`{name}` needs a value"))?;
            let wrong = |_| format!("`{name} {value}` is not a number");
            match &*name {
                "--out" => options.out = PathBuf::from(value),
                "--minutes" => options.minutes = value.parse().map_err(|_| wrong(()))?,
                "--seed" => options.seed = value.parse().map_err(|_| wrong(()))?,
                "--prompts" => options.prompts = value.parse().map_err(|_| wrong(()))?,
                _ => return Err(format!("unknown option `{name}`")),
            }
        }
        if options.out.as_os_str().is_empty() {
            return Err("`--out DIR` is missing".to_owned());
        }
        if !(options.minutes > 0.0 && options.minutes.is_finite()) {
            return Err("`--minutes` needs a positive number".to_owned());
        }
        Ok(options)
    }
}
