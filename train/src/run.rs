//! Runs a training from the first document to the written checkpoint.

use std::error::Error;
use std::time::{Duration, Instant};

use blueprints_runtime::decode::{ChatTemplate, Llama, ModelConfig};
use serde_json::{Map, Value, json};
use tokenizers::Tokenizer;

use crate::batch::{Batch, Role, Row, encode};
use crate::data::{Source, document};
use crate::evaluate::{KINDS, Subject, evaluate};
use crate::optimise::Optimiser;
use crate::options::{Options, Task};
use crate::random::Random;
use crate::tools::HandWritten;
use crate::weights::Variables;
use crate::{held, tokenizer, write};

pub(crate) const TEMPLATE: &str = include_str!("../chat_template.jinja");
const TOOLS: &str = include_str!("../tools.txt");

const VOCABULARY_SIZE: usize = 1024;
const TOKENIZER_DOCUMENTS: u64 = 3000;
const ROWS: usize = 5;
const TOOLS_MAX: usize = 3;
const LENGTH_MAX: usize = 400;
const LENGTH_COPYING: usize = 192;
const TURNS_MAX: usize = 8;
/// How many steps have documents for copying only, and until which share of the rest some are.
const COPYING_STEPS: usize = 100;
const COPYING_UNTIL: f64 = 0.1;
/// The share of the time until which half of the other documents have one tool only.
const SHORT_UNTIL: f64 = 0.5;
/// The share of the time after which structure counts as much as what is free.
const STRUCTURE_FROM: f64 = 0.67;
const STRUCTURE_EARLY: f32 = 0.15;
const SAVE_EVERY: Duration = Duration::from_secs(180);
const PROMPTS_ON_THE_WAY: usize = 20;

/// How far a training has come.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) steps: usize,
    pub(crate) documents: u64,
    pub(crate) tokens: usize,
}

/// Does what `options` say.
pub(crate) fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let hand = HandWritten::read(TOOLS)?;
    if options.task == Task::Measure {
        return measure(options, &hand);
    }
    let template = ChatTemplate::new(TEMPLATE, Vec::new())?;
    let tokenizer = match &options.from {
        Some(folder) => {
            let path = folder.join("tokenizer.json");
            Tokenizer::from_file(path).map_err(|error| error.to_string())?
        }
        None => train_tokenizer(options.seed, &hand, &template)?,
    };
    let config_json = config(tokenizer.get_vocab_size(true));
    let config = ModelConfig::from_json(config_json.to_string().as_bytes())?;
    let start = options.from.as_ref().map(|folder| folder.join("model.safetensors"));
    let mut variables = Variables::new(options.seed, start.as_deref())?;
    let model = Llama::new(config, &mut variables)?;
    eprintln!("{} parameters, {} tokens", variables.count(), tokenizer.get_vocab_size(true));
    let subject =
        Subject { model: &model, tokenizer: &tokenizer, template: &template, hand: &hand };
    let run = Run { options, subject, variables: &variables, config: &config_json };
    let progress = run.train()?;
    variables.round()?;
    run.save(&progress, options.prompts)?;
    measure(options, &hand)
}

/// Adds to the written checkpoint how it does under a grammar.
fn measure(options: &Options, hand: &HandWritten) -> Result<(), Box<dyn Error>> {
    let mut figures = Map::new();
    for (name, source) in KINDS {
        let held = held::measure(&options.out, hand, source, options.prompts)?.to_json();
        println!("{name}, under a grammar: {held}");
        figures.insert(name.to_owned(), held);
    }
    write::note(&options.out, "held_out_under_grammar", Value::Object(figures))
}

/// A training on its way.
#[derive(Debug)]
struct Run<'a> {
    options: &'a Options,
    subject: Subject<'a>,
    variables: &'a Variables,
    config: &'a Value,
}

fn train_tokenizer(
    seed: u64,
    hand: &HandWritten,
    template: &ChatTemplate,
) -> Result<Tokenizer, Box<dyn Error>> {
    let texts = (0..TOKENIZER_DOCUMENTS)
        .map(|index| {
            let mut random = Random::fork(!seed, index);
            let source = Source::Training { tools_max: 3 };
            Ok(document(&mut random, hand, source, 4).write(template)?.text)
        })
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    Ok(tokenizer::train(&texts, VOCABULARY_SIZE).map_err(|error| error.to_string())?)
}

/// The model's shape, as its `config.json` has it.
fn config(vocabulary_size: usize) -> Value {
    json!({
        "architectures": ["KeyTapLlamaForCausalLM"],
        "model_type": "key_tap_llama",
        "hidden_size": 128,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "head_dim": 32,
        "intermediate_size": 256,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "max_position_embeddings": 2048,
        "vocab_size": vocabulary_size,
        "tie_word_embeddings": true,
        "key_tap_width": 4,
        "torch_dtype": "float16"
    })
}

impl Run<'_> {
    /// Trains until the time is over; what stands so far is saved now and then.
    fn train(&self) -> Result<Progress, Box<dyn Error>> {
        let mut optimiser = Optimiser::new(self.variables.all())?;
        let budget = Duration::from_secs_f64(self.options.minutes * 60.0);
        let start = Instant::now();
        let mut saved = start;
        // Who goes on from a checkpoint has learned to copy.
        let learned = self.options.from.as_ref().map_or(0, |_| COPYING_STEPS);
        let mut progress = Progress { steps: learned, ..Progress::default() };
        let mut mean = None;
        loop {
            let share = match self.options.steps {
                Some(steps) => progress.steps as f64 / steps as f64,
                None => start.elapsed().as_secs_f64() / budget.as_secs_f64(),
            };
            if share >= 1.0 {
                return Ok(progress);
            }
            let rows = rows(self.options.seed, self.subject, share, &mut progress)?;
            let structure = if share < STRUCTURE_FROM { STRUCTURE_EARLY } else { 1.0 };
            let batch = Batch::new(&rows, structure)?;
            let loss = optimiser.step(self.subject.model, &batch, share)?;
            progress.steps += 1;
            progress.tokens += batch.count;
            let smooth = mean.map_or(loss, |mean: f32| 0.95 * mean + 0.05 * loss);
            mean = Some(smooth);
            if progress.steps.is_multiple_of(20) {
                let seconds = start.elapsed().as_secs_f64();
                let (steps, speed) = (progress.steps, progress.tokens as f64 / seconds);
                eprintln!("{seconds:5.0} s, step {steps}, loss {smooth:.3}, {speed:.0} tokens/s");
            }
            if saved.elapsed() > SAVE_EVERY {
                self.save(&progress, PROMPTS_ON_THE_WAY)?;
                saved = Instant::now();
            }
        }
    }

    /// Evaluates, and writes the checkpoint.
    fn save(&self, progress: &Progress, prompts: usize) -> Result<(), Box<dyn Error>> {
        let mut figures = Map::new();
        for (name, source) in KINDS {
            let score = evaluate(self.subject, source, prompts)?.to_json();
            println!("{name}: {score}");
            figures.insert(name.to_owned(), score);
        }
        let note = json!({
            "seed": self.options.seed,
            "minutes": self.options.minutes,
            "goes_on_from_a_checkpoint": self.options.from.is_some(),
            "parameters": self.variables.count(),
            "steps": progress.steps,
            "documents": progress.documents,
            "tokens": progress.tokens,
            "rows_per_step": ROWS,
            "length_max": LENGTH_MAX,
            "held_out": figures,
        });
        let weights = self.variables.to_safetensors()?;
        write::checkpoint(&self.options.out, self.config, self.subject.tokenizer, weights, note)
    }
}

/// The next documents; which ones follows from the seed and from how many there were.
fn rows(
    seed: u64,
    subject: Subject<'_>,
    share: f64,
    progress: &mut Progress,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::with_capacity(ROWS);
    let copying = progress.steps < COPYING_STEPS;
    let length_max = if copying { LENGTH_COPYING } else { LENGTH_MAX };
    while rows.len() < ROWS {
        let mut random = Random::fork(seed, progress.documents);
        progress.documents += 1;
        let source = if copying || (share < COPYING_UNTIL && rows.is_empty()) {
            Source::Copying
        } else if share < SHORT_UNTIL && rows.len() < ROWS / 2 + 1 {
            Source::Training { tools_max: 1 }
        } else {
            Source::Training { tools_max: TOOLS_MAX }
        };
        let written =
            document(&mut random, subject.hand, source, TURNS_MAX).write(subject.template)?;
        let row = encode(subject.tokenizer, &written, length_max);
        let row = row.map_err(|error| error.to_string())?;
        // Long tools can fill a row before its first answer; nothing is learned from such a one.
        if row.kinds.contains(&Role::Free) {
            rows.push(row);
        }
    }
    Ok(rows)
}
