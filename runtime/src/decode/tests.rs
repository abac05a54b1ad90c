//! Tests of the whole decoder, on a tiny checkpoint that is written for them.

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

#[test]
fn feeding_in_parts_equals_feeding_at_once() {
    let folder = folder("parts");
    let checkpoint = load(&folder);
    // Longer than one block, and than the first buffer of the caches.
    let all = tokens(&checkpoint, &"some text, <|im_start|>more text.\n".repeat(15));
    assert!(all.len() > 256);
    let once = checkpoint.session().feed(&all).unwrap();
    for parts in [1, 7, 100] {
        let mut session = checkpoint.session();
        let mut last = Vec::new();
        for part in all.chunks(parts) {
            last = session.feed(part).unwrap();
        }
        assert_close(&last, &once);
        assert_eq!(session.length(), all.len());
    }
    // The order of tokens matters, near and far.
    for at in [0, all.len() - 2] {
        let mut other = all.clone();
        other.swap(at, at + 1);
        let moved = checkpoint.session().feed(&other).unwrap();
        assert!(moved.iter().zip(&once).any(|(a, b)| (a - b).abs() > 1e-3), "{at}");
    }
}

#[test]
fn taking_back_equals_never_having_fed() {
    let folder = folder("back");
    let checkpoint = load(&folder);
    let (start, wrong, right) = ("once upon", " a time there", " midnight");
    let plain =
        checkpoint.session().feed(&tokens(&checkpoint, &format!("{start}{right}"))).unwrap();
    let mut session = checkpoint.session();
    session.feed(&tokens(&checkpoint, start)).unwrap();
    let length = session.length();
    session.feed(&tokens(&checkpoint, wrong)).unwrap();
    session.truncate(length);
    assert_close(&session.feed(&tokens(&checkpoint, right)).unwrap(), &plain);
    session.truncate(0);
    let whole = tokens(&checkpoint, &format!("{start}{right}"));
    assert_close(&session.feed(&whole).unwrap(), &plain);
}

#[test]
fn what_cannot_be_fed_changes_nothing() {
    let folder = folder("refused");
    let checkpoint = load(&folder);
    let mut session = checkpoint.session();
    session.feed(&[TokenId(1), TokenId(2)]).unwrap();
    assert!(matches!(session.feed(&[]), Err(ModelError::NothingFed)));
    // The second block fails, after the first one has been remembered.
    let mut long = vec![TokenId(3); 300];
    long[290] = TokenId(272);
    assert!(matches!(session.feed(&long), Err(ModelError::UnknownToken { token: 272, .. })));
    let full = vec![TokenId(3); 599];
    assert!(matches!(session.feed(&full), Err(ModelError::ContextFull { length: 601, .. })));
    assert_eq!(session.length(), 2);
    let next = session.feed(&[TokenId(4)]).unwrap();
    let plain = checkpoint.session().feed(&[TokenId(1), TokenId(2), TokenId(4)]).unwrap();
    assert_close(&next, &plain);
}

#[test]
fn weights_of_every_type_load_alike() {
    let folder = folder("types");
    let single = load(&folder).session().feed(&[TokenId(5), TokenId(6)]).unwrap();
    for kind in [DType::F16, DType::BF16] {
        folder.write("model.safetensors", weights(kind, &tensors()));
        assert_eq!(load(&folder).session().feed(&[TokenId(5), TokenId(6)]).unwrap(), single);
    }
    folder.write("model.safetensors", weights(DType::F64, &tensors()));
    let error = Checkpoint::from_folder(&folder.0).unwrap_err().to_string();
    assert!(error.contains("F64") && error.contains("model.embed_tokens.weight"), "{error}");
}

#[test]
fn tied_embeddings_are_the_head() {
    let folder = folder("tied");
    let mut shapes = tensors();
    shapes.remove("lm_head.weight");
    folder.write("model.safetensors", weights(DType::F32, &shapes));
    let error = Checkpoint::from_folder(&folder.0).unwrap_err().to_string();
    assert!(error.contains("`lm_head.weight` is missing"), "{error}");
    let mut tied = config();
    tied["tie_word_embeddings"] = json!(true);
    folder.write("config.json", tied.to_string());
    assert_eq!(load(&folder).session().feed(&[TokenId(5)]).unwrap().len(), 272);
}

#[test]
fn a_broken_checkpoint_names_what_is_broken() {
    let changed = |change: &dyn Fn(&mut Value), mut value: Value| {
        change(&mut value);
        value.to_string()
    };
    let narrow = changed(&|config| config["vocab_size"] = json!(200), config());
    let deep = changed(&|config| config["num_hidden_layers"] = json!(3), config());
    let wide = changed(&|config| config["intermediate_size"] = json!(32), config());
    let eos = changed(&|config| config["eos_token_id"] = json!("end"), config());
    let scaled = changed(&|config| config["rope_scaling"] = json!({ "factor": 2 }), config());
    let cut = weights(DType::F32, &tensors());
    let cases: [(&str, &[u8], &[&str]); 12] = [
        ("config.json", b"{", &["config.json", "JSON"]),
        ("config.json", b"{\"architectures\": [\"GPT2\"]}", &["config.json", "architectures"]),
        ("config.json", narrow.as_bytes(), &["tokenizer.json", "config.json"]),
        ("config.json", deep.as_bytes(), &["model.layers.2.input_layernorm.weight", "missing"]),
        ("config.json", wide.as_bytes(), &["mlp.gate_proj.weight", "[24, 16]", "[32, 16]"]),
        ("config.json", eos.as_bytes(), &["config.json", "eos_token_id"]),
        ("config.json", scaled.as_bytes(), &["rope_scaling"]),
        ("tokenizer.json", b"{}", &["tokenizer.json"]),
        ("model.safetensors", b"", &["model.safetensors"]),
        ("model.safetensors", &cut[..cut.len() - 4], &["model.safetensors"]),
        ("tokenizer_config.json", b"[", &["tokenizer_config.json"]),
        ("chat_template.jinja", b"{% if %}", &["chat template", "line 1"]),
    ];
    for (index, (name, text, parts)) in cases.into_iter().enumerate() {
        let folder = folder(&format!("broken-{index}"));
        folder.write(name, text);
        let error = Checkpoint::from_folder(&folder.0).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "{name}: {error} does not say {part}");
        }
    }
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = folder(&format!("missing-{name}"));
        std::fs::remove_file(folder.path(name)).unwrap();
        let error = Checkpoint::from_folder(&folder.0).unwrap_err();
        assert!(matches!(error, CheckpointError::Read { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    let error = Checkpoint::from_folder(Path::new("/no/such/folder")).unwrap_err();
    assert!(error.to_string().contains("config.json"), "{error}");
    let folder = folder("sharded");
    std::fs::rename(folder.path("model.safetensors"), folder.path("model.safetensors.index.json"))
        .unwrap();
    let error = Checkpoint::from_folder(&folder.0).unwrap_err();
    assert!(matches!(error, CheckpointError::Sharded { .. }), "{error}");
}

#[test]
fn a_chat_is_rendered_by_the_folders_own_template() {
    let folder = folder("chat");
    let messages = [json!({ "role": "user", "content": "hi" })];
    let chat = Chat { messages: &messages, tools: &[], ending: Ending::GenerationPrompt };
    let none = load(&folder).prompt(&chat).unwrap_err();
    assert!(matches!(none, CheckpointError::NoChatTemplate), "{none}");
    let inline = json!({
        "bos_token": { "content": "<s>" },
        "chat_template": [{ "name": "default", "template": "{{ bos_token }}{{ messages[0].content }}" }]
    });
    folder.write("tokenizer_config.json", inline.to_string());
    assert_eq!(load(&folder).prompt(&chat).unwrap(), "<s>hi");
    folder.write("chat_template.jinja", "{{ messages[0].role }}");
    assert_eq!(load(&folder).prompt(&chat).unwrap(), "user");
}

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
    let options = GenerateOptions { sampling, tokens_max: 60, forced };
    let mut streamed = String::new();
    let generated =
        generate(&mut checkpoint.session(), &mut matcher, &prompt, options, &mut |event| {
            streamed.push_str(event.text);
            ControlFlow::Continue(())
        });
    (generated.unwrap(), streamed)
}

/// `<|im_start|>x\n`, one of some words, and a long forced end.
fn outline() -> Ir {
    Ir::sequence([
        Ir::text("<|im_start|>x\n"),
        Ir::choice(["abd", "abcé", "xyz", "x€"].map(Ir::text)),
        Ir::text(" and then the end<|im_end|>"),
    ])
}

#[test]
fn a_random_model_writes_what_the_outline_allows() {
    let folder = folder("outline");
    let checkpoint = load(&folder);
    let draw = Sampling { temperature: 2.0, top_k: None, top_p: Some(0.99), seed: 0 };
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let sampling = Sampling { seed, ..draw };
        let block = ForcedText::Block(checkpoint.tokenizer());
        let (generated, streamed) =
            run(&checkpoint, &outline(), "hi<|im_start|>x\n", sampling, block);
        assert_eq!((&streamed, generated.finish), (&generated.text, Finish::Stop));
        let word = generated.text.strip_suffix(" and then the end").unwrap().to_owned();
        assert!(["abd", "abcé", "xyz", "x€"].contains(&&*word), "{word}");
        assert_eq!(generated.tokens.last(), Some(&TokenId(259)));
        // The forced end costs no pass: there are as many passes as choices.
        assert_eq!(generated.passes + generated.forced, generated.tokens.len());
        assert!(generated.passes <= 3, "{generated:?}");
        assert_eq!(run(&checkpoint, &outline(), "hi<|im_start|>x\n", sampling, block).0, generated);
        seen.insert(word);
    }
    assert!(seen.len() > 1, "{seen:?}");
}

#[test]
fn forced_text_is_the_same_with_and_without_blocks() {
    let folder = folder("blocks");
    let checkpoint = load(&folder);
    let greedy = Sampling::greedy();
    let block = ForcedText::Block(checkpoint.tokenizer());
    for prompt in ["", "hi<|im_start|>", "hi<|im_start|>x\n", "<|im_start|>x"] {
        let (blocks, _) = run(&checkpoint, &outline(), prompt, greedy, block);
        let (steps, _) = run(&checkpoint, &outline(), prompt, greedy, ForcedText::Choose);
        assert_eq!(blocks.text, steps.text, "{prompt}");
        let header = "<|im_start|>x\n";
        let rest = header.strip_prefix(&prompt[prompt.find('<').unwrap_or(prompt.len())..]);
        assert!(blocks.text.starts_with(rest.unwrap()), "{prompt}: {}", blocks.text);
    }
}

#[test]
fn a_forced_end_is_left_open_where_a_longer_token_could_span_it() {
    let folder = folder("open");
    let checkpoint = load(&folder);
    let forced = |ir: Ir| {
        let mut matcher = matcher(&ir, &checkpoint);
        let taken = forced::accept_forced(&mut matcher, checkpoint.tokenizer(), 100).unwrap();
        let bytes = taken.iter().map(|&token| checkpoint.tokenizer().vocabulary().spelling(token));
        bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect::<Vec<_>>()
    };
    let either = |left: &str, right: &str| Ir::choice([left, right].map(Ir::text));
    // After `xa`, a `b` would make the token `ab`: `a` is not taken.
    assert_eq!(forced(Ir::sequence([Ir::text("xa"), either("b", "d")])), ["x"]);
    assert_eq!(forced(Ir::sequence([Ir::text("xa"), either("c", "d")])), ["x", "a"]);
    // A special token is an end in itself.
    assert_eq!(forced(Ir::text("xab<|im_end|>")), ["x", "ab", "<|im_end|>"]);
    // Two characters that share their first byte: that byte alone is no text.
    assert_eq!(forced(Ir::sequence([Ir::text("x"), either("é", "è")])), ["x"]);
    // Text that spells a special token is left to the mask.
    assert_eq!(forced(Ir::sequence([Ir::text("x"), either("y", "z")])), ["x"]);
}

#[test]
fn generation_ends_for_the_right_reason() {
    let folder = folder("ends");
    let checkpoint = load(&folder);
    let options = |tokens_max| GenerateOptions {
        sampling: Sampling::greedy(),
        tokens_max,
        forced: ForcedText::Block(checkpoint.tokenizer()),
    };
    let start = |ir: &Ir, prompt: usize, tokens_max, calls: usize| {
        let mut left = calls;
        let mut session = checkpoint.session();
        let prompt = vec![TokenId(9); prompt];
        let result = generate(
            &mut session,
            &mut matcher(ir, &checkpoint),
            &prompt,
            options(tokens_max),
            &mut |_| {
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        result.map(|generated| (generated.finish, generated.text))
    };
    let text = Ir::text("hello");
    assert_eq!(start(&text, 1, 60, 99).unwrap(), (Finish::Complete, "hello".to_owned()));
    assert_eq!(start(&text, 1, 2, 99).unwrap(), (Finish::TokensMax, "he".to_owned()));
    assert_eq!(start(&text, 1, 0, 99).unwrap(), (Finish::TokensMax, String::new()));
    assert_eq!(start(&text, 1, 60, 3).unwrap(), (Finish::Cancelled, "hel".to_owned()));
    assert_eq!(start(&text, 598, 60, 99).unwrap(), (Finish::ContextFull, "he".to_owned()));
    let error = start(&text, 601, 60, 99).unwrap_err();
    assert!(matches!(error, DecodeError::Model(ModelError::ContextFull { length: 601, .. })));
    let many = Ir::repeat(Ir::choice(["a", "b"].map(Ir::text)), 0, None, None);
    let (finish, text) = start(&many, 1, 20, 99).unwrap();
    assert!(finish == Finish::TokensMax || finish == Finish::Stop, "{finish:?}");
    assert!(text.chars().all(|c| "ab".contains(c)), "{text}");
}

#[test]
fn a_header_is_skipped_as_far_as_the_prompt_has_it() {
    let folder = folder("header");
    let checkpoint = load(&folder);
    for (prompt, expected) in [
        ("", 0),
        ("hi", 0),
        ("hi<|im_start|>", 1),
        ("hi<|im_start|>x", 2),
        ("hi<|im_start|>x\n", 3),
        ("<|im_start|>x\n<|im_start|>", 1),
        ("<|im_start|>y\n", 0),
        ("x\n", 0),
    ] {
        let mut matcher = matcher(&outline(), &checkpoint);
        let vocabulary = checkpoint.tokenizer().vocabulary();
        let prompt_tokens = tokens(&checkpoint, prompt);
        let skipped = skip_header(&mut matcher, vocabulary, &prompt_tokens).unwrap();
        assert_eq!(skipped, expected, "{prompt}");
        assert_eq!(matcher.mask().unwrap().contains(TokenId(258)), expected == 0, "{prompt}");
    }
    // The same spelling in bytes is no special token.
    let mut spelled = matcher(&outline(), &checkpoint);
    let bytes: Vec<TokenId> = "<|im_start|>x\n".bytes().map(|b| TokenId(u32::from(b))).collect();
    let vocabulary = checkpoint.tokenizer().vocabulary();
    assert_eq!(skip_header(&mut spelled, vocabulary, &bytes).unwrap(), 0);
}

/// `get_weather`, `send_email` or `set_timer`, with flexible arguments.
fn calls() -> Ir {
    let string = || Ir::regex(r#""[^"\\\x00-\x1F]*""#).unwrap();
    let optional = |key: &str, value: Ir| {
        Ir::optional(Ir::sequence([Ir::value(&format!(", \"{key}\": ")), value]))
    };
    let call = |name: &str, arguments: Vec<Ir>| {
        let head = Ir::value(&format!("{{\"name\": \"{name}\", \"arguments\": {{"));
        Ir::sequence([head, Ir::sequence(arguments), Ir::value("}}")])
    };
    let unit = Ir::choice(["\"celsius\"", "\"fahrenheit\""].map(Ir::value));
    let weather = vec![Ir::value("\"city\": "), string(), optional("unit", unit)];
    let email = vec![Ir::value("\"to\": "), string(), Ir::value(", \"subject\": "), string()];
    let minutes = Ir::regex("[1-9][0-9]{0,3}").unwrap();
    let timer = vec![Ir::value("\"minutes\": "), minutes, optional("label", string())];
    Ir::sequence([
        Ir::text("<|im_start|>assistant\n<tool_call>\n"),
        Ir::choice([
            call("get_weather", weather),
            call("send_email", email),
            call("set_timer", timer),
        ]),
        Ir::text("\n</tool_call><|im_end|>"),
    ])
}

#[test]
fn the_embedded_checkpoint_answers_under_a_mask() {
    let tools = include_str!("../../../examples/tools.json");
    let tools: Vec<Value> = serde_json::from_str(tools).unwrap();
    let checkpoint = Checkpoint::embedded().unwrap();
    for (request, expected) in [
        (
            "What is the weather in Paris?",
            r#"{"name": "get_weather", "arguments": {"city": "Paris"}}"#,
        ),
        ("Set a timer for 25 minutes", r#"{"name": "set_timer", "arguments": {"minutes": 25}}"#),
    ] {
        let messages = [json!({ "role": "user", "content": request })];
        let ending = Ending::GenerationPrompt;
        let chat = Chat { messages: &messages, tools: &tools, ending };
        let prompt = checkpoint.prompt(&chat).unwrap();
        let block = ForcedText::Block(checkpoint.tokenizer());
        let (generated, _) = run(&checkpoint, &calls(), &prompt, Sampling::greedy(), block);
        assert_eq!(generated.text, format!("<tool_call>\n{expected}\n</tool_call>"));
        assert_eq!(generated.finish, Finish::Stop);
    }
}
