//! One step of training: the loss, its gradient, and AdamW with a schedule.

use blueprints_runtime::decode::{Llama, ModelError};
use candle_core::{D, Var};
use candle_nn::{AdamW, Optimizer, ParamsAdamW};

use crate::batch::Batch;

const RATE: f64 = 3e-3;
const WARM_UP_STEPS: usize = 40;
/// The share of the time after which the rate falls, linearly, to `RATE_END`.
const FLAT: f64 = 0.5;
const RATE_END: f64 = 0.05;
const GRADIENT_NORM_MAX: f64 = 1.0;

/// AdamW over a model's variables.
#[derive(Debug)]
pub(crate) struct Optimiser {
    adam: AdamW,
    variables: Vec<Var>,
    steps: usize,
}

impl Optimiser {
    pub(crate) fn new(variables: Vec<Var>) -> candle_core::Result<Self> {
        let parameters =
            ParamsAdamW { lr: RATE, beta1: 0.9, beta2: 0.98, eps: 1e-8, weight_decay: 0.02 };
        Ok(Self { adam: AdamW::new(variables.clone(), parameters)?, variables, steps: 0 })
    }

    /// Moves the variables against the gradient of the batch's loss, and answers the loss.
    ///
    /// `progress` is the share of the training that is done, 0 to 1.
    pub(crate) fn step(
        &mut self,
        model: &Llama,
        batch: &Batch,
        progress: f64,
    ) -> Result<f32, ModelError> {
        let hidden = model.hidden(&batch.tokens)?.flatten_to(1)?;
        let hidden = hidden.index_select(&batch.positions, 0)?;
        let logits = model.logits(&hidden)?;
        let log = candle_nn::ops::log_softmax(&logits, D::Minus1)?;
        let picked = log.gather(&batch.targets.unsqueeze(1)?, 1)?.squeeze(1)?;
        let loss = (picked * &batch.weights)?.sum_all()?.neg()?;
        let mut gradients = loss.backward()?;
        let mut squares = 0.0;
        for var in &self.variables {
            if let Some(gradient) = gradients.get(var) {
                squares += f64::from(gradient.sqr()?.sum_all()?.to_scalar::<f32>()?);
            }
        }
        let norm = squares.sqrt();
        if norm > GRADIENT_NORM_MAX {
            for var in &self.variables {
                if let Some(gradient) = gradients.remove(var) {
                    gradients.insert(var, (gradient * (GRADIENT_NORM_MAX / norm))?);
                }
            }
        }
        self.steps += 1;
        self.adam.set_learning_rate(rate(self.steps, progress));
        self.adam.step(&gradients)?;
        Ok(loss.to_scalar::<f32>()?)
    }
}

fn rate(steps: usize, progress: f64) -> f64 {
    let warm = (steps as f64 / WARM_UP_STEPS as f64).min(1.0);
    let fall = ((progress - FLAT) / (1.0 - FLAT)).clamp(0.0, 1.0);
    RATE * warm * (1.0 - fall * (1.0 - RATE_END))
}
