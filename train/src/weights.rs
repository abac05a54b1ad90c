//! The variables that training moves, under the names that a checkpoint gives them.

use std::collections::BTreeMap;

use blueprints_runtime::decode::{ModelError, Weights};
use candle_core::{DType, Device, Tensor, Var};

use crate::random::Random;

/// Makes each variable when the model first asks for it.
#[derive(Debug)]
pub(crate) struct Variables {
    random: Random,
    /// How many layers add to the hidden state, to keep its size at the start.
    layers: usize,
    by_name: BTreeMap<String, Var>,
}

impl Variables {
    pub(crate) fn new(seed: u64, layers: usize) -> Self {
        Self { random: Random::new(seed), layers, by_name: BTreeMap::new() }
    }

    pub(crate) fn all(&self) -> Vec<Var> {
        self.by_name.values().cloned().collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.by_name.values().map(|var| var.elem_count()).sum()
    }

    /// The bytes of a `model.safetensors` in half precision.
    pub(crate) fn to_safetensors(&self) -> candle_core::Result<Vec<u8>> {
        let half = self
            .by_name
            .iter()
            .map(|(name, var)| Ok((name.clone(), var.to_dtype(DType::F16)?)))
            .collect::<candle_core::Result<Vec<(String, Tensor)>>>()?;
        Ok(safetensors::tensor::serialize(half, None)?)
    }

    /// Rounds every variable to half precision, so that what is evaluated is what is written.
    pub(crate) fn round(&self) -> candle_core::Result<()> {
        for var in self.by_name.values() {
            var.set(&var.to_dtype(DType::F16)?.to_dtype(DType::F32)?)?;
        }
        Ok(())
    }
}

impl Weights for Variables {
    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        let count = shape.iter().product();
        let values: Vec<f32> = if name.ends_with("norm.weight") {
            vec![1.0; count]
        } else {
            let fan_in = shape.last().copied().unwrap_or(1) as f32;
            let deviation = if name.ends_with("embed_tokens.weight") {
                0.02
            } else if name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight") {
                1.0 / (fan_in * 2.0 * self.layers as f32).sqrt()
            } else {
                1.0 / fan_in.sqrt()
            };
            (0..count).map(|_| self.random.normal() * deviation).collect()
        };
        let var = Var::from_vec(values, shape, &Device::Cpu)?;
        let tensor = var.as_tensor().clone();
        self.by_name.insert(name.to_owned(), var);
        Ok(tensor)
    }
}
