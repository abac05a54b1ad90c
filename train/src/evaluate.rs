//! Measures a model on requests that training has not seen.
//!
//! Greedy decoding is right exactly where every token of the answer is the most likely one after
//! the right ones, so one forward pass for each prompt suffices. No mask helps here.

use blueprints_runtime::decode::{ChatTemplate, Llama};
use candle_core::{Device, Tensor};
use serde_json::{Value, json};
use tokenizers::Tokenizer;

use crate::batch::{Role, encode};
use crate::data::{Source, document};
use crate::random::Random;
use crate::tools::HandWritten;

/// What is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) model: &'a Llama,
    pub(crate) tokenizer: &'a Tokenizer,
    pub(crate) template: &'a ChatTemplate,
    pub(crate) hand: &'a HandWritten,
}

/// How many prompts of one kind were answered right.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    prompts: usize,
    names: usize,
    arguments: usize,
    arguments_right: usize,
    calls: usize,
    exact: usize,
}

/// The kinds of prompts, with the names they are reported by.
pub(crate) const KINDS: [(&str, Source); 4] = [
    ("seen tools, new values", Source::SeenTools),
    ("held-out requests", Source::HeldOutRequests),
    ("held-out hand-written tools", Source::HeldOutTools),
    ("held-out verb and noun pairs", Source::HeldOutPairs),
];

impl Score {
    pub(crate) fn to_json(self) -> Value {
        let share = |right: usize, of: usize| (1000 * right / of.max(1)) as f64 / 10.0;
        json!({
            "prompts": self.prompts,
            "name_right_percent": share(self.names, self.prompts),
            "arguments_right_percent": share(self.arguments_right, self.arguments),
            "names_and_values_right_percent": share(self.calls, self.prompts),
            "answer_exact_percent": share(self.exact, self.prompts),
        })
    }
}

/// Measures `count` prompts of one kind.
pub(crate) fn evaluate(
    subject: Subject<'_>,
    source: Source,
    count: usize,
) -> Result<Score, Box<dyn std::error::Error>> {
    let mut score = Score::default();
    for index in 0..count {
        // A seed that training does not use.
        let mut random = Random::fork(u64::MAX, index as u64);
        let document = document(&mut random, subject.hand, source, 1);
        let written = document.write(subject.template)?;
        let row =
            encode(subject.tokenizer, &written, usize::MAX).map_err(|error| error.to_string())?;
        let tokens = Tensor::new(&*row.tokens, &Device::Cpu)?.unsqueeze(0)?;
        let hidden = subject.model.hidden(&tokens)?.squeeze(0)?;
        let best = subject.model.logits(&hidden)?.argmax(1)?.to_vec1::<u32>()?;
        let right = |at: usize| best[at - 1] == row.tokens[at];
        // Runs of free tokens: first the name, then one for each argument.
        let mut runs: Vec<(usize, bool)> = Vec::new();
        let mut exact = true;
        for (at, kind) in row.kinds.iter().enumerate().skip(1) {
            let starts = row.kinds[at - 1] != Role::Free;
            match kind {
                Role::Prompt => {}
                Role::Structure => exact &= right(at),
                Role::Free => {
                    if starts {
                        runs.push((at, true));
                    }
                    exact &= right(at);
                    if let Some((_, all)) = runs.last_mut() {
                        *all &= right(at);
                    }
                }
            }
        }
        let Some(((_, name), arguments)) = runs.split_first() else { continue };
        score.prompts += 1;
        score.names += usize::from(*name);
        score.arguments += arguments.len();
        score.arguments_right += arguments.iter().filter(|(_, right)| *right).count();
        score.calls += usize::from(*name && arguments.iter().all(|(_, right)| *right));
        score.exact += usize::from(exact);
    }
    Ok(score)
}
