//! Reads a Hugging Face `config.json` of a Llama-like model.
//!
//! Refuses, by the field's name, whatever would change the forward pass that [`super::Llama`] runs.

use serde_json::{Map, Value};

/// Stock Llama, as Hugging Face names it.
const STOCK: &str = "LlamaForCausalLM";
/// Llama with causal taps on the keys: this project's own extension.
const TAPPED: &str = "KeyTapLlamaForCausalLM";
/// No dimension of a model that fits in memory comes near this.
const SIZE_MAX: usize = 1 << 24;
const LAYERS_MAX: usize = 1024;
const KEY_TAP_WIDTH_MAX: usize = 16;

/// The shape of a Llama-like decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    pub(crate) hidden_size: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) key_value_heads: usize,
    pub(crate) head_width: usize,
    pub(crate) intermediate_size: usize,
    pub(crate) vocabulary_size: usize,
    pub(crate) context_length: usize,
    pub(crate) rms_norm_epsilon: f64,
    pub(crate) rope_theta: f64,
    pub(crate) tied_embeddings: bool,
    /// Keys read this many positions, their own included; 1 is stock Llama.
    pub(crate) key_tap_width: usize,
}

/// Why a `config.json` cannot be followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The text is no JSON.
    #[error("not JSON")]
    Json(#[from] serde_json::Error),
    /// The text is JSON, but no object.
    #[error("expected an object")]
    NotAnObject,
    /// A field is missing that has no default.
    #[error("`{field}` is missing")]
    Missing {
        /// Its name.
        field: &'static str,
    },
    /// A field's value makes no sense.
    #[error("`{field}` is {found}, expected {expected}")]
    Invalid {
        /// Its name.
        field: &'static str,
        /// The value as JSON text.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A field asks for something that this decoder does not implement.
    #[error("`{field}` is {found}, which is not supported; supported: {supported}")]
    Unsupported {
        /// Its name.
        field: &'static str,
        /// The value as JSON text.
        found: String,
        /// What is implemented.
        supported: &'static str,
    },
}

impl ModelConfig {
    /// Reads the text of a `config.json`.
    ///
    /// Absent fields have Hugging Face's defaults for Llama. `key_tap_width` (absent is 1) is this
    /// project's own: keys are then read from that many hidden states, and `k_proj` is as many
    /// times wider.
    ///
    /// # Errors
    /// [`ConfigError`] names the field that is missing, senseless or not implemented.
    pub fn from_json(text: &[u8]) -> Result<Self, ConfigError> {
        let value: Value = serde_json::from_slice(text)?;
        let fields = Fields(value.as_object().ok_or(ConfigError::NotAnObject)?);
        let tapped = fields.architecture()?;
        fields.refuse_variations()?;
        let hidden_size = fields.required_size("hidden_size")?;
        let heads = fields.required_size("num_attention_heads")?;
        let config = Self {
            hidden_size,
            layers: fields.required_size("num_hidden_layers")?,
            heads,
            key_value_heads: fields.size("num_key_value_heads")?.unwrap_or(heads),
            head_width: fields.size("head_dim")?.unwrap_or(hidden_size / heads),
            intermediate_size: fields.required_size("intermediate_size")?,
            vocabulary_size: fields.required_size("vocab_size")?,
            context_length: fields.size("max_position_embeddings")?.unwrap_or(2048),
            rms_norm_epsilon: fields.positive("rms_norm_eps")?.unwrap_or(1e-6),
            rope_theta: fields.rope_theta()?,
            tied_embeddings: fields.flag("tie_word_embeddings")?.unwrap_or(false),
            key_tap_width: fields.size("key_tap_width")?.unwrap_or(1),
        };
        fields.check(&config, tapped)?;
        Ok(config)
    }

    /// How many tokens a sequence may hold.
    pub fn context_length(&self) -> usize {
        self.context_length
    }

    /// How many logits a position has.
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary_size
    }

    /// The width of all heads' queries side by side.
    pub(crate) fn query_width(&self) -> usize {
        self.heads * self.head_width
    }

    /// The width of all heads' keys, and of their values, side by side.
    pub(crate) fn key_width(&self) -> usize {
        self.key_value_heads * self.head_width
    }
}

/// The fields of a config, read by name.
struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    /// The field's value; null counts as absent, as it does in Python.
    fn get(&self, field: &str) -> Option<&Value> {
        self.0.get(field).filter(|value| !value.is_null())
    }

    fn size(&self, field: &'static str) -> Result<Option<usize>, ConfigError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let size = value.as_u64().and_then(|size| usize::try_from(size).ok());
        match size {
            Some(size) if (1..=SIZE_MAX).contains(&size) => Ok(Some(size)),
            _ => Err(invalid(field, value, "a whole number from 1 to 16777216")),
        }
    }

    fn required_size(&self, field: &'static str) -> Result<usize, ConfigError> {
        self.size(field)?.ok_or(ConfigError::Missing { field })
    }

    fn positive(&self, field: &'static str) -> Result<Option<f64>, ConfigError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        match value.as_f64() {
            Some(number) if number > 0.0 && number.is_finite() => Ok(Some(number)),
            _ => Err(invalid(field, value, "a positive number")),
        }
    }

    fn flag(&self, field: &'static str) -> Result<Option<bool>, ConfigError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        value.as_bool().map(Some).ok_or_else(|| invalid(field, value, "true or false"))
    }

    /// Whether this is the tapped architecture, the other one being stock.
    fn architecture(&self) -> Result<bool, ConfigError> {
        let value = self.get("architectures");
        let value = value.ok_or(ConfigError::Missing { field: "architectures" })?;
        let names: Option<Vec<&str>> =
            value.as_array().and_then(|names| names.iter().map(Value::as_str).collect());
        match names.as_deref() {
            Some([STOCK]) => Ok(false),
            Some([TAPPED]) => Ok(true),
            _ => Err(unsupported(
                "architectures",
                value,
                "[\"LlamaForCausalLM\"] and [\"KeyTapLlamaForCausalLM\"]",
            )),
        }
    }

    /// Refuses the fields that turn a Llama into something else.
    fn refuse_variations(&self) -> Result<(), ConfigError> {
        for field in ["attention_bias", "mlp_bias"] {
            if self.flag(field)? == Some(true) {
                return Err(unsupported(field, &Value::Bool(true), "false"));
            }
        }
        if let Some(act) = self.get("hidden_act").filter(|act| act.as_str() != Some("silu")) {
            return Err(unsupported("hidden_act", act, "\"silu\""));
        }
        for field in
            ["rope_scaling", "quantization_config", "sliding_window", "partial_rotary_factor"]
        {
            if let Some(value) = self.get(field) {
                return Err(unsupported(field, value, "null"));
            }
        }
        Ok(())
    }

    /// The base of the rotary angles: `rope_theta`, or newer, `rope_parameters`.
    fn rope_theta(&self) -> Result<f64, ConfigError> {
        let Some(value) = self.get("rope_parameters") else {
            return Ok(self.positive("rope_theta")?.unwrap_or(10_000.0));
        };
        let parameters = value
            .as_object()
            .map(Fields)
            .ok_or_else(|| invalid("rope_parameters", value, "an object"))?;
        let known = parameters.0.keys().all(|key| key == "rope_theta" || key == "rope_type");
        let plain = parameters.get("rope_type").is_none_or(|kind| kind.as_str() == Some("default"));
        if !known || !plain {
            let supported = "`rope_theta` with `rope_type` \"default\"";
            return Err(unsupported("rope_parameters", value, supported));
        }
        match parameters.positive("rope_theta")? {
            Some(theta) => Ok(theta),
            None => Ok(self.positive("rope_theta")?.unwrap_or(10_000.0)),
        }
    }

    /// What the fields must be to each other.
    fn check(&self, config: &ModelConfig, tapped: bool) -> Result<(), ConfigError> {
        let wrong = |field, found: usize, expected| {
            Err(ConfigError::Invalid { field, found: found.to_string(), expected })
        };
        if config.layers > LAYERS_MAX {
            return wrong("num_hidden_layers", config.layers, "at most 1024");
        }
        if !config.heads.is_multiple_of(config.key_value_heads) {
            let expected = "a divisor of `num_attention_heads`";
            return wrong("num_key_value_heads", config.key_value_heads, expected);
        }
        if self.get("head_dim").is_none() && !config.hidden_size.is_multiple_of(config.heads) {
            let expected = "a divisor of `hidden_size`, or `head_dim` given";
            return wrong("num_attention_heads", config.heads, expected);
        }
        if config.head_width == 0 || !config.head_width.is_multiple_of(2) {
            return wrong("head_dim", config.head_width, "an even number");
        }
        if config.key_tap_width > KEY_TAP_WIDTH_MAX || (config.key_tap_width > 1 && !tapped) {
            let expected = "1, or at most 16 where the architecture is KeyTapLlamaForCausalLM";
            return wrong("key_tap_width", config.key_tap_width, expected);
        }
        Ok(())
    }
}

fn invalid(field: &'static str, value: &Value, expected: &'static str) -> ConfigError {
    ConfigError::Invalid { field, found: value.to_string(), expected }
}

fn unsupported(field: &'static str, value: &Value, supported: &'static str) -> ConfigError {
    ConfigError::Unsupported { field, found: value.to_string(), supported }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn base() -> Value {
        json!({
            "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
            "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 96,
            "vocab_size": 300, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
            "tie_word_embeddings": true, "max_position_embeddings": 128, "rope_scaling": null
        })
    }

    fn read(change: &[(&str, Value)]) -> Result<ModelConfig, ConfigError> {
        let mut config = base();
        for (field, value) in change {
            config[*field] = value.clone();
        }
        ModelConfig::from_json(config.to_string().as_bytes())
    }

    #[test]
    fn fields_are_read() {
        let config = read(&[]).unwrap();
        assert_eq!((config.heads, config.key_value_heads, config.head_width), (4, 2, 16));
        assert_eq!((config.query_width(), config.key_width()), (64, 32));
        assert_eq!((config.context_length(), config.vocabulary_size()), (128, 300));
        assert_eq!((config.rope_theta, config.key_tap_width), (500000.0, 1));
        assert!(config.tied_embeddings);
        assert_eq!(read(&[("head_dim", json!(8))]).unwrap().query_width(), 32);
        let newer = json!({ "rope_theta": 7.0, "rope_type": "default" });
        assert_eq!(read(&[("rope_parameters", newer)]).unwrap().rope_theta, 7.0);
        let tapped =
            [("architectures", json!(["KeyTapLlamaForCausalLM"])), ("key_tap_width", json!(4))];
        assert_eq!(read(&tapped).unwrap().key_tap_width, 4);
    }

    #[test]
    fn what_is_not_implemented_is_refused_by_name() {
        let cases = [
            ("architectures", json!(["Qwen3ForCausalLM"])),
            ("architectures", json!("LlamaForCausalLM")),
            ("architectures", Value::Null),
            ("rope_scaling", json!({ "rope_type": "llama3", "factor": 8.0 })),
            ("rope_parameters", json!({ "rope_type": "yarn", "rope_theta": 1.0 })),
            ("attention_bias", json!(true)),
            ("mlp_bias", json!(true)),
            ("hidden_act", json!("gelu")),
            ("sliding_window", json!(4096)),
            ("quantization_config", json!({ "bits": 4 })),
            ("hidden_size", json!(0)),
            ("hidden_size", json!("64")),
            ("hidden_size", json!(1e30)),
            ("vocab_size", Value::Null),
            ("num_attention_heads", json!(5)),
            ("num_key_value_heads", json!(3)),
            ("num_hidden_layers", json!(5000)),
            ("rms_norm_eps", json!(-1.0)),
            ("rope_theta", json!("high")),
            ("tie_word_embeddings", json!("yes")),
            ("key_tap_width", json!(2)),
            ("head_dim", json!(7)),
        ];
        for (field, value) in cases {
            let error = match read(&[(field, value.clone())]) {
                Err(error) => error.to_string(),
                Ok(_) => panic!("{field}: {value} is accepted"),
            };
            let names = ["num_attention_heads", "num_key_value_heads"];
            let heads = names.contains(&field) && names.iter().any(|name| error.contains(name));
            assert!(error.contains(&format!("`{field}`")) || heads, "{field}: {error}");
        }
        assert!(matches!(ModelConfig::from_json(b"[]"), Err(ConfigError::NotAnObject)));
        assert!(matches!(ModelConfig::from_json(b"{"), Err(ConfigError::Json(_))));
    }
}
