//! The forward pass of a Llama-like decoder.
//!
//! Knows shapes and tensors. Never sees files, tokens' text or masks. The same pass trains: every
//! operation has a backward one, and weights may be variables.

use candle_core::{Device, Tensor};

use super::attend::Attend;
use super::cache::LayerCache;
use super::config::ModelConfig;
use super::ops::{Gate, Normalise, Rotate, Windows};

/// Where a model's weights come from.
pub trait Weights {
    /// The tensor of that name and exactly that shape, as f32.
    ///
    /// # Errors
    /// [`ModelError`] names the tensor that is missing or has another shape.
    fn tensor(&mut self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError>;
}

/// Why a model cannot be built or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The weights lack a tensor.
    #[error("tensor `{name}` is missing")]
    MissingTensor {
        /// Its name.
        name: String,
    },
    /// A tensor has another shape than the config says.
    #[error("tensor `{name}` has shape {found:?}, expected {expected:?}")]
    WrongShape {
        /// Its name.
        name: String,
        /// The shape in the weights.
        found: Vec<usize>,
        /// The shape that follows from the config.
        expected: Vec<usize>,
    },
    /// A tensor is neither f32, f16 nor bf16.
    #[error("tensor `{name}` holds {found}, expected F32, F16 or BF16")]
    WrongType {
        /// Its name.
        name: String,
        /// The type in the weights.
        found: String,
    },
    /// The sequence would be longer than the model's context.
    #[error("{length} tokens do not fit in the context of {context_length}")]
    ContextFull {
        /// How long the sequence would become.
        length: usize,
        /// How long it may be.
        context_length: usize,
    },
    /// A token has no embedding.
    #[error("token {token} is not below the vocabulary size {vocabulary_size}")]
    UnknownToken {
        /// Its id.
        token: u32,
        /// How many tokens the model knows.
        vocabulary_size: usize,
    },
    /// Nothing was fed, so there is no last position to answer for.
    #[error("no tokens to feed")]
    NothingFed,
    /// A tensor operation failed.
    #[error("a tensor operation failed")]
    Tensor(#[from] candle_core::Error),
}

/// A Llama-like decoder: RMSNorm, rotary positions, grouped-query attention and SwiGLU.
#[derive(Debug)]
pub struct Llama {
    config: ModelConfig,
    embeddings: Tensor,
    layers: Vec<Layer>,
    norm: Tensor,
    head: Tensor,
}

#[derive(Debug)]
struct Layer {
    attention_norm: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    forward_norm: Tensor,
    gate: Tensor,
    up: Tensor,
    down: Tensor,
}

impl Llama {
    /// Builds the model that `config` describes, with Hugging Face's names for its tensors.
    ///
    /// Where keys have taps, `k_proj` is `key_tap_width` times as wide: its first block of columns
    /// reads the position itself, the next the position before, and so on.
    ///
    /// # Errors
    /// Whatever `weights` answers for a tensor that is missing or has another shape.
    pub fn new(config: ModelConfig, weights: &mut dyn Weights) -> Result<Self, ModelError> {
        let (hidden, vocabulary) = (config.hidden_size, config.vocabulary_size);
        let embeddings = weights.tensor("model.embed_tokens.weight", &[vocabulary, hidden])?;
        let layers = (0..config.layers)
            .map(|layer| Layer::new(&config, layer, weights))
            .collect::<Result<_, _>>()?;
        let norm = weights.tensor("model.norm.weight", &[hidden])?;
        let head = match config.tied_embeddings {
            true => embeddings.clone(),
            false => weights.tensor("lm_head.weight", &[vocabulary, hidden])?,
        };
        Ok(Self { config, embeddings, layers, norm, head })
    }

    /// The model's shape.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// The last hidden states of whole sequences: `[batch, length]` ids to
    /// `[batch, length, hidden]`.
    ///
    /// # Errors
    /// [`ModelError`] where an id is unknown.
    ///
    /// # Complexity
    /// Attention costs O(batch · length²).
    pub fn hidden(&self, tokens: &Tensor) -> Result<Tensor, ModelError> {
        self.run(tokens, 0, None)
    }

    /// The logits of hidden states: `[rows, hidden]` to `[rows, vocabulary]`.
    ///
    /// # Errors
    /// [`ModelError`] where the shape does not fit.
    pub fn logits(&self, hidden: &Tensor) -> Result<Tensor, ModelError> {
        Ok(hidden.matmul(&self.head.t()?)?)
    }

    /// The logits of the last of `tokens`, which follow the `first` tokens that `caches` remember.
    pub(crate) fn step(
        &self,
        tokens: &[u32],
        first: usize,
        caches: &mut [LayerCache],
    ) -> Result<Vec<f32>, ModelError> {
        let vocabulary_size = self.config.vocabulary_size;
        if let Some(&token) = tokens.iter().find(|&&token| token as usize >= vocabulary_size) {
            return Err(ModelError::UnknownToken { token, vocabulary_size });
        }
        let last = tokens.len().checked_sub(1).ok_or(ModelError::NothingFed)?;
        let (length, context_length) = (first + tokens.len(), self.config.context_length);
        if length > context_length {
            return Err(ModelError::ContextFull { length, context_length });
        }
        let tokens = Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?;
        let hidden = self.run(&tokens, first, Some(caches))?;
        let logits = self.logits(&hidden.narrow(1, last, 1)?.squeeze(1)?)?;
        Ok(logits.squeeze(0)?.to_vec1()?)
    }

    fn run(
        &self,
        tokens: &Tensor,
        first: usize,
        mut caches: Option<&mut [LayerCache]>,
    ) -> Result<Tensor, ModelError> {
        let (batch, length) = tokens.dims2()?;
        let config = &self.config;
        let rotate = Rotate::new(first, length, config.head_width, config.rope_theta);
        let flat = self.embeddings.index_select(&tokens.flatten_all()?, 0)?;
        let mut hidden = flat.reshape((batch, length, config.hidden_size))?;
        for (index, layer) in self.layers.iter().enumerate() {
            let cache = caches.as_mut().map(|caches| &mut caches[index]);
            let input = norm(config, &hidden, &layer.attention_norm)?;
            hidden = (hidden + layer.attend(config, &input, &rotate, cache)?)?;
            let input = norm(config, &hidden, &layer.forward_norm)?;
            hidden = (hidden + layer.feed_forward(&input)?)?;
        }
        Ok(norm(config, &hidden, &self.norm)?)
    }
}

impl Layer {
    fn new(
        config: &ModelConfig,
        layer: usize,
        weights: &mut dyn Weights,
    ) -> Result<Self, ModelError> {
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let (queries, keys) = (config.query_width(), config.key_width());
        let mut get = |name: &str, shape: &[usize]| {
            weights.tensor(&format!("model.layers.{layer}.{name}.weight"), shape)
        };
        Ok(Self {
            attention_norm: get("input_layernorm", &[hidden])?,
            query: get("self_attn.q_proj", &[queries, hidden])?,
            key: get("self_attn.k_proj", &[keys, hidden * config.key_tap_width])?,
            value: get("self_attn.v_proj", &[keys, hidden])?,
            output: get("self_attn.o_proj", &[hidden, queries])?,
            forward_norm: get("post_attention_layernorm", &[hidden])?,
            gate: get("mlp.gate_proj", &[inner, hidden])?,
            up: get("mlp.up_proj", &[inner, hidden])?,
            down: get("mlp.down_proj", &[hidden, inner])?,
        })
    }

    fn attend(
        &self,
        config: &ModelConfig,
        input: &Tensor,
        rotate: &Rotate,
        mut cache: Option<&mut LayerCache>,
    ) -> candle_core::Result<Tensor> {
        let (batch, length, _) = input.dims3()?;
        let (width, groups) = (config.head_width, config.key_value_heads);
        let split = |rows: Tensor, heads: usize| {
            rows.reshape((batch, length, heads, width))?.transpose(1, 2)?.contiguous()
        };
        let queries = rotate.apply(&split(linear(input, &self.query)?, config.heads)?)?;
        let tapped = taps(config, input, cache.as_deref_mut())?;
        let mut keys = rotate.apply(&split(linear(&tapped, &self.key)?, groups)?)?;
        let mut values = split(linear(input, &self.value)?, groups)?;
        if let Some(cache) = cache {
            keys = cache.keys.append(&keys)?;
            values = cache.values.append(&values)?;
        }
        // The heads of a group share their keys: their queries are rows of one product.
        let rows = config.heads / groups * length;
        let queries = queries.reshape((batch, groups, rows, width))?;
        let scale = 1.0 / (width as f32).sqrt();
        let mixed = Attend { length, scale }.apply(&queries, &keys, &values)?;
        let mixed = mixed.reshape((batch, config.heads, length, width))?;
        let mixed = mixed.transpose(1, 2)?.reshape((batch, length, config.query_width()))?;
        linear(&mixed, &self.output)
    }

    fn feed_forward(&self, input: &Tensor) -> candle_core::Result<Tensor> {
        let inner = Gate.apply(&linear(input, &self.gate)?, &linear(input, &self.up)?)?;
        linear(&inner, &self.down)
    }
}

/// Each position beside the ones before it, `key_tap_width` in all; zeros stand before the first.
fn taps(
    config: &ModelConfig,
    input: &Tensor,
    cache: Option<&mut LayerCache>,
) -> candle_core::Result<Tensor> {
    let width = config.key_tap_width;
    if width == 1 {
        return Ok(input.clone());
    }
    let Some(cache) = cache else {
        return Windows { width, known: 0 }.apply(input);
    };
    let before = cache.inputs.last(width - 1)?;
    cache.inputs.append(input)?;
    match before {
        Some(before) => {
            let known = before.dim(1)?;
            Windows { width, known }.apply(&Tensor::cat(&[&before, input], 1)?)
        }
        None => Windows { width, known: 0 }.apply(input),
    }
}

/// `input · weightᵀ` over all rows at once.
fn linear(input: &Tensor, weight: &Tensor) -> candle_core::Result<Tensor> {
    let (batch, length, width) = input.dims3()?;
    let rows = input.reshape((batch * length, width))?.matmul(&weight.t()?)?;
    rows.reshape((batch, length, weight.dim(0)?))
}

fn norm(config: &ModelConfig, rows: &Tensor, weight: &Tensor) -> candle_core::Result<Tensor> {
    let epsilon = config.rms_norm_epsilon as f32;
    Normalise { epsilon }.apply(rows)?.broadcast_mul(weight)
}
