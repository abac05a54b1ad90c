//! Checkpoints: the folder that a model ships as, and the one that ships with this crate.
//!
//! This is the decoder's one door to the file system.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use safetensors::{SafeTensorError, SafeTensors};
use serde_json::Value;

use super::chat::{Chat, ChatError, ChatTemplate};
use super::config::{ConfigError, ModelConfig};
use super::model::{Llama, ModelError};
use super::session::Session;
use super::weights::FileWeights;
use crate::vocabulary::{EncodeError, TokenId, Tokenizer, Vocabulary, VocabularyError};

const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";
const WEIGHTS: &str = "model.safetensors";
const WEIGHTS_INDEX: &str = "model.safetensors.index.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const CHAT_TEMPLATE: &str = "chat_template.jinja";
const GENERATION_CONFIG: &str = "generation_config.json";

/// A model with its tokenizer and its chat template.
#[derive(Debug)]
pub struct Checkpoint {
    model: Arc<Llama>,
    tokenizer: Tokenizer,
    template: Option<ChatTemplate>,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A file is missing or cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Where it was looked for.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The weights are split over several files.
    #[error("`{}`: weights in several files are not supported", path.display())]
    Sharded {
        /// The file that lists them.
        path: PathBuf,
    },
    /// The config describes no model that can be built.
    #[error("`config.json`: {0}")]
    Config(#[source] ConfigError),
    /// The tokenizer cannot be built.
    #[error("`tokenizer.json`: {0}")]
    Tokenizer(#[source] EncodeError),
    /// The tokenizer has more tokens than the model has logits.
    #[error("`tokenizer.json` does not fit `config.json`: {0}")]
    Width(#[source] VocabularyError),
    /// The weights are no safetensors file.
    #[error("`model.safetensors`: {0}")]
    Format(#[source] SafeTensorError),
    /// A tensor of the weights is missing or wrong.
    #[error("`model.safetensors`: {0}")]
    Weights(#[source] ModelError),
    /// A file of settings is no JSON.
    #[error("`{file}`: {source}")]
    Json {
        /// The file.
        file: &'static str,
        /// Where it goes wrong.
        source: serde_json::Error,
    },
    /// A setting has a value of the wrong kind.
    #[error("`{file}`: `{field}` is not {expected}")]
    Setting {
        /// The file.
        file: &'static str,
        /// The setting.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// The chat template cannot be parsed, or refuses the chat.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// A chat cannot be rendered, since there is no template for it.
    #[error("the checkpoint has no chat template")]
    NoChatTemplate,
}

/// The bytes of a checkpoint's files.
#[derive(Clone, Debug)]
struct Files<T> {
    config: T,
    tokenizer: T,
    weights: T,
    tokenizer_config: Option<T>,
    chat_template: Option<T>,
    generation_config: Option<T>,
}

impl Checkpoint {
    /// Reads a folder as Hugging Face lays it out: `config.json`, `tokenizer.json` and
    /// `model.safetensors`; `tokenizer_config.json`, `chat_template.jinja` and
    /// `generation_config.json` where they are.
    ///
    /// # Errors
    /// [`CheckpointError`] names the file, and in it the field or the tensor, that is missing or
    /// wrong.
    pub fn from_folder(folder: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let folder = folder.as_ref();
        let index = folder.join(WEIGHTS_INDEX);
        if index.is_file() && !folder.join(WEIGHTS).is_file() {
            return Err(CheckpointError::Sharded { path: index });
        }
        let files = Files {
            config: read(folder, CONFIG)?,
            tokenizer: read(folder, TOKENIZER)?,
            weights: read(folder, WEIGHTS)?,
            tokenizer_config: read_optional(folder, TOKENIZER_CONFIG)?,
            chat_template: read_optional(folder, CHAT_TEMPLATE)?,
            generation_config: read_optional(folder, GENERATION_CONFIG)?,
        };
        Self::from_files(&files)
    }

    /// The small model that ships with this crate: it answers requests with tool calls.
    ///
    /// # Errors
    /// None in practice: that it can be read is tested.
    pub fn embedded() -> Result<Self, CheckpointError> {
        let files: Files<&[u8]> = Files {
            config: include_bytes!("../../checkpoint/config.json"),
            tokenizer: include_bytes!("../../checkpoint/tokenizer.json"),
            weights: include_bytes!("../../checkpoint/model.safetensors"),
            tokenizer_config: Some(include_bytes!("../../checkpoint/tokenizer_config.json")),
            chat_template: Some(include_bytes!("../../checkpoint/chat_template.jinja")),
            generation_config: Some(include_bytes!("../../checkpoint/generation_config.json")),
        };
        Self::from_files(&files)
    }

    fn from_files<T: AsRef<[u8]>>(files: &Files<T>) -> Result<Self, CheckpointError> {
        let config =
            ModelConfig::from_json(files.config.as_ref()).map_err(CheckpointError::Config)?;
        let tokenizer =
            Tokenizer::from_json(files.tokenizer.as_ref()).map_err(CheckpointError::Tokenizer)?;
        let vocabulary = tokenizer
            .vocabulary()
            .with_width(config.vocabulary_size())
            .map_err(CheckpointError::Width)?;
        let settings = Settings::read(files)?;
        let stop = settings.stop_tokens(&vocabulary)?;
        let tokenizer = tokenizer.with_vocabulary(vocabulary.with_stop_tokens(&stop));
        let template = settings.template()?;
        let weights =
            SafeTensors::deserialize(files.weights.as_ref()).map_err(CheckpointError::Format)?;
        let model =
            Llama::new(config, &mut FileWeights(weights)).map_err(CheckpointError::Weights)?;
        Ok(Self { model: Arc::new(model), tokenizer, template })
    }

    /// The tokenizer; its vocabulary is as wide as the logits and knows the stop tokens.
    #[must_use]
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// The prompt of a chat, by the checkpoint's own template.
    ///
    /// # Errors
    /// [`CheckpointError::NoChatTemplate`], or [`CheckpointError::Chat`] where the template
    /// refuses the chat.
    pub fn prompt(&self, chat: &Chat<'_>) -> Result<String, CheckpointError> {
        let template = self.template.as_ref().ok_or(CheckpointError::NoChatTemplate)?;
        Ok(template.render(chat)?)
    }

    /// A new sequence under the model.
    #[must_use]
    pub fn session(&self) -> Session {
        Session::new(self.model.clone())
    }
}

/// The optional files.
struct Settings {
    config: Value,
    tokenizer_config: Value,
    generation_config: Value,
    chat_template: Option<String>,
}

impl Settings {
    fn read<T: AsRef<[u8]>>(files: &Files<T>) -> Result<Self, CheckpointError> {
        let json = |file, bytes: Option<&T>| match bytes {
            None => Ok(Value::Null),
            Some(bytes) => serde_json::from_slice(bytes.as_ref())
                .map_err(|source| CheckpointError::Json { file, source }),
        };
        let chat_template = match &files.chat_template {
            None => None,
            Some(bytes) => Some(String::from_utf8(bytes.as_ref().to_vec()).map_err(|_| {
                let (file, field, expected) = (CHAT_TEMPLATE, "the whole text", "UTF-8");
                CheckpointError::Setting { file, field, expected }
            })?),
        };
        Ok(Self {
            config: json(CONFIG, Some(&files.config))?,
            tokenizer_config: json(TOKENIZER_CONFIG, files.tokenizer_config.as_ref())?,
            generation_config: json(GENERATION_CONFIG, files.generation_config.as_ref())?,
            chat_template,
        })
    }

    /// What ends a turn, by any of the files.
    fn stop_tokens(&self, vocabulary: &Vocabulary) -> Result<Vec<TokenId>, CheckpointError> {
        let mut stop = Vec::new();
        for (file, settings) in
            [(GENERATION_CONFIG, &self.generation_config), (CONFIG, &self.config)]
        {
            let ids = match &settings["eos_token_id"] {
                Value::Null => continue,
                Value::Array(ids) => ids.as_slice(),
                id => std::slice::from_ref(id),
            };
            for id in ids {
                let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
                let id = id.ok_or(CheckpointError::Setting {
                    file,
                    field: "eos_token_id",
                    expected: "a token id or a list of them",
                })?;
                stop.push(TokenId(id));
            }
        }
        let named = self.special("eos_token").and_then(|text| vocabulary.special_id(text));
        stop.extend(named);
        Ok(stop)
    }

    /// The spelling of a special token: a text, or an object with `content`.
    fn special(&self, name: &str) -> Option<&str> {
        let token = &self.tokenizer_config[name];
        token.as_str().or_else(|| token["content"].as_str())
    }

    /// The template of its own file; else the one in the tokenizer's settings, which may be a
    /// list of named ones.
    fn template(&self) -> Result<Option<ChatTemplate>, CheckpointError> {
        let inline = &self.tokenizer_config["chat_template"];
        let named = |name: &str| {
            let templates = inline.as_array()?;
            templates.iter().find(|t| t["name"] == name).and_then(|t| t["template"].as_str())
        };
        let source = self
            .chat_template
            .as_deref()
            .or_else(|| inline.as_str())
            .or_else(|| named("tool_use"))
            .or_else(|| named("default"));
        let Some(source) = source else { return Ok(None) };
        let globals = ["bos_token", "eos_token", "unk_token", "pad_token"];
        let globals = globals
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), self.special(name)?.to_owned())));
        Ok(Some(ChatTemplate::new(source, globals.collect())?))
    }
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, CheckpointError> {
    let path = folder.join(name);
    std::fs::read(&path).map_err(|source| CheckpointError::Read { path, source })
}

fn read_optional(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, CheckpointError> {
    match read(folder, name) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(CheckpointError::Read { source, .. })
            if source.kind() == std::io::ErrorKind::NotFound =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
