//! The variables that training moves, under the names that a checkpoint gives them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use blueprints_runtime::decode::{ModelError, Weights};
use candle_core::{DType, Device, Tensor, Var};

use crate::random::Random;

/// The embedding outweighs what the layers add at first, so that each token reaches all of them.
const EMBEDDING_DEVIATION: f32 = 0.1;
/// How much queries, and with them keys, are larger than usual: attention is sharp at once.
const QUERY_GAIN: f32 = 1.3;
const OUTPUT_GAIN: f64 = 0.3;

/// Makes each variable when the model first asks for it.
#[derive(Debug)]
pub(crate) struct Variables {
    random: Random,
    /// Values to start from, where a tensor has them.
    start: BTreeMap<String, Tensor>,
    by_name: BTreeMap<String, Var>,
}

impl Variables {
    /// Variables that start from the tensors of a `model.safetensors`, or from noise.
    pub(crate) fn new(seed: u64, start: Option<&Path>) -> candle_core::Result<Self> {
        let start = match start {
            Some(path) => candle_core::safetensors::load(path, &Device::Cpu)?,
            None => HashMap::new(),
        };
        let start = start.into_iter().collect();
        Ok(Self { random: Random::new(seed), start, by_name: BTreeMap::new() })
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

impl Variables {
    fn draw(&mut self, count: usize, deviation: f32) -> Vec<f32> {
        (0..count).map(|_| self.random.normal() * deviation).collect()
    }

    /// The first values of a tensor.
    ///
    /// Attention starts out as copying, which forms late or never from noise alone: a key's first
    /// tap is the query's own projection, so that a token attends to what followed its like, and
    /// the output turns values back into what they were made from.
    fn first_values(&mut self, name: &str, shape: &[usize]) -> candle_core::Result<Vec<f32>> {
        let (count, fan_in) = (shape.iter().product(), shape.last().copied().unwrap_or(1));
        let deviation = 1.0 / (fan_in as f32).sqrt();
        if name.ends_with("norm.weight") {
            return Ok(vec![1.0; count]);
        }
        if name.ends_with("embed_tokens.weight") {
            return Ok(self.draw(count, EMBEDDING_DEVIATION));
        }
        if name.ends_with("q_proj.weight") {
            return Ok(self.draw(count, QUERY_GAIN * deviation));
        }
        if name.ends_with("down_proj.weight") {
            return Ok(self.draw(count, 0.25 * deviation));
        }
        let sibling = |kind: &str| {
            let (layer, _) = name.rsplit_once("self_attn.")?;
            self.by_name.get(&format!("{layer}self_attn.{kind}_proj.weight")).cloned()
        };
        if let Some(query) = sibling("q").filter(|_| name.ends_with("k_proj.weight")) {
            let query = query.to_vec2::<f32>()?;
            let mut rows = self.draw(count, 0.3 * deviation);
            for (row, query) in rows.chunks_exact_mut(fan_in).zip(&query) {
                if let Some(tap) = row.get_mut(query.len()..2 * query.len()) {
                    tap.copy_from_slice(query);
                }
            }
            return Ok(rows);
        }
        if let Some(value) = sibling("v").filter(|_| name.ends_with("o_proj.weight"))
            && value.dims() == [fan_in, count / fan_in.max(1)]
        {
            return (value.t()?.flatten_all()? * OUTPUT_GAIN)?.to_vec1();
        }
        Ok(self.draw(count, deviation))
    }
}

impl Weights for Variables {
    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        let var = match self.start.get(name) {
            Some(start) => Var::from_tensor(&start.to_dtype(DType::F32)?.reshape(shape)?)?,
            None => Var::from_vec(self.first_values(name, shape)?, shape, &Device::Cpu)?,
        };
        let tensor = var.as_tensor().clone();
        self.by_name.insert(name.to_owned(), var);
        Ok(tensor)
    }
}
