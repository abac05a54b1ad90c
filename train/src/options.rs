//! What the command line asks for.

use std::path::PathBuf;

/// What the command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Trains, evaluates and writes a checkpoint.
    Train,
    /// Only measures the checkpoint that stands in the folder.
    Measure,
}

/// The command's options, and their defaults.
#[derive(Debug)]
pub(crate) struct Options {
    /// What is to be done.
    pub(crate) task: Task,
    /// The folder of the checkpoint.
    pub(crate) out: PathBuf,
    /// A checkpoint to go on from.
    pub(crate) from: Option<PathBuf>,
    /// How long to train.
    pub(crate) minutes: f64,
    /// How many steps to train instead; then the same seed gives the same weights.
    pub(crate) steps: Option<usize>,
    /// The seed of everything.
    pub(crate) seed: u64,
    /// How many prompts of each kind are evaluated.
    pub(crate) prompts: usize,
}

impl Options {
    /// Reads `--out DIR --minutes N --steps N --seed N --prompts N --from DIR`, or `--measure DIR`
    /// for a checkpoint that exists.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            task: Task::Train,
            out: PathBuf::new(),
            from: None,
            minutes: 10.0,
            steps: None,
            seed: 1,
            prompts: 200,
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or(format!("`{name}` needs a value"))?;
            let wrong = |_| format!("`{name} {value}` is not a number");
            match &*name {
                "--out" => options.out = PathBuf::from(value),
                "--measure" => {
                    options.out = PathBuf::from(value);
                    options.task = Task::Measure;
                }
                "--from" => options.from = Some(PathBuf::from(value)),
                "--minutes" => options.minutes = value.parse().map_err(|_| wrong(()))?,
                "--steps" => options.steps = Some(value.parse().map_err(|_| wrong(()))?),
                "--seed" => options.seed = value.parse().map_err(|_| wrong(()))?,
                "--prompts" => options.prompts = value.parse().map_err(|_| wrong(()))?,
                _ => return Err(format!("unknown option `{name}`")),
            }
        }
        if options.out.as_os_str().is_empty() {
            return Err("`--out DIR` is missing".to_owned());
        }
        if options.steps == Some(0) {
            return Err("`--steps` needs at least 1".to_owned());
        }
        if !(options.minutes > 0.0 && options.minutes.is_finite()) {
            return Err("`--minutes` needs a positive number".to_owned());
        }
        Ok(options)
    }
}
