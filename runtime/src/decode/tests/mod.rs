//! A tiny checkpoint that tests of the whole decoder write and load.

mod embedded;
mod folders;
mod generation;
pub(crate) mod gradient;
mod sessions;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use blueprints_compiler::Ir;
use candle_core::{DType, Device, Tensor};
use serde_json::{Value, json};

use super::*;
use crate::{Limits, Matcher, Program, TokenId};

/// A folder that is removed with its value.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }
}

fn config() -> Value {
    json!({
        "architectures": ["KeyTapLlamaForCausalLM"], "hidden_size": 16, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
        "intermediate_size": 24, "vocab_size": 272, "max_position_embeddings": 600,
        "rms_norm_eps": 1e-5, "tie_word_embeddings": false, "key_tap_width": 3,
        "eos_token_id": 259
    })
}

/// Bytes as GPT-2 spells them, then `ab`, `abc`, `<|im_start|>` and `<|im_end|>`.
fn tokenizer() -> Value {
    let mut vocabulary = serde_json::Map::new();
    let mut extra = 0x100u32;
    for byte in 0..=255u32 {
        let shown = match byte {
            0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => byte,
            _ => {
                extra += 1;
                extra - 1
            }
        };
        vocabulary.insert(char::from_u32(shown).unwrap().to_string(), json!(byte));
    }
    vocabulary.insert("ab".to_owned(), json!(256));
    vocabulary.insert("abc".to_owned(), json!(257));
    let special = |id: u32, content: &str| {
        json!({
            "id": id, "content": content, "special": true, "single_word": false,
            "lstrip": false, "rstrip": false, "normalized": false
        })
    };
    json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null,
        "added_tokens": [special(258, "<|im_start|>"), special(259, "<|im_end|>")],
        "pre_tokenizer": {
            "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false,
            "use_regex": false
        },
        "post_processor": null,
        "decoder": {
            "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false,
            "use_regex": false
        },
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "ignore_merges": false, "vocab": vocabulary, "merges": [["a", "b"], ["ab", "c"]]
        }
    })
}

/// The tensors that [`config`] asks for; their values are exact in every type.
fn tensors() -> BTreeMap<String, Vec<usize>> {
    let mut shapes = BTreeMap::from([
        ("model.embed_tokens.weight".to_owned(), vec![272, 16]),
        ("lm_head.weight".to_owned(), vec![272, 16]),
        ("model.norm.weight".to_owned(), vec![16]),
    ]);
    for layer in 0..2 {
        for (name, shape) in [
            ("input_layernorm", vec![16]),
            ("self_attn.q_proj", vec![16, 16]),
            ("self_attn.k_proj", vec![8, 48]),
            ("self_attn.v_proj", vec![8, 16]),
            ("self_attn.o_proj", vec![16, 16]),
            ("post_attention_layernorm", vec![16]),
            ("mlp.gate_proj", vec![24, 16]),
            ("mlp.up_proj", vec![24, 16]),
            ("mlp.down_proj", vec![16, 24]),
        ] {
            shapes.insert(format!("model.layers.{layer}.{name}.weight"), shape);
        }
    }
    shapes
}

fn weights(kind: DType, shapes: &BTreeMap<String, Vec<usize>>) -> Vec<u8> {
    let mut state = 1u32;
    let tensors = shapes.iter().map(|(name, shape)| {
        let values = (0..shape.iter().product()).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 24) as i32 - 128) as f32 / 128.0
        });
        let values: Vec<f32> = values.collect();
        let tensor = Tensor::from_vec(values, &shape[..], &Device::Cpu).unwrap();
        (name.clone(), tensor.to_dtype(kind).unwrap())
    });
    safetensors::serialize(tensors.collect::<Vec<_>>(), None).unwrap()
}

/// Writes a whole checkpoint for the test `name`.
fn folder(name: &str) -> Folder {
    let folder = std::env::temp_dir().join(format!("blueprints-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let folder = Folder(folder);
    folder.write("config.json", config().to_string());
    folder.write("tokenizer.json", tokenizer().to_string());
    folder.write("model.safetensors", weights(DType::F32, &tensors()));
    folder
}

fn load(folder: &Folder) -> Checkpoint {
    Checkpoint::from_folder(&folder.0).unwrap()
}

fn tokens(checkpoint: &Checkpoint, text: &str) -> Vec<TokenId> {
    checkpoint.tokenizer().encode(text).unwrap()
}

fn assert_close(left: &[f32], right: &[f32]) {
    assert_eq!(left.len(), right.len());
    for (left, right) in left.iter().zip(right) {
        assert!((left - right).abs() < 1e-4, "{left} is not {right}");
    }
}

fn matcher(ir: &Ir, checkpoint: &Checkpoint) -> Matcher {
    let vocabulary = checkpoint.tokenizer().vocabulary();
    Program::compile_ir(ir, vocabulary, Limits::default()).unwrap().matcher()
}

/// Generates after a prompt, and answers what was streamed too.
fn run(
    checkpoint: &Checkpoint,
    ir: &Ir,
    prompt: &str,
    sampling: Sampling,
    forced: ForcedText<'_>,
) -> (Generated, String) {
    let prompt = tokens(checkpoint, prompt);
    let mut matcher = matcher(ir, checkpoint);
    let vocabulary = checkpoint.tokenizer().vocabulary();
    skip_header(&mut matcher, vocabulary, &prompt).unwrap();
    let options =
        GenerateOptions { sampling, tokens_max: 60, forced, on_budget: OnBudget::BreakOff };
    let mut streamed = String::new();
    let generated =
        generate(&mut checkpoint.session(), &mut matcher, &prompt, options, &mut |event| {
            streamed.push_str(event.text);
            ControlFlow::Continue(())
        });
    (generated.unwrap(), streamed)
}
