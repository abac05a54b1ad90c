//! Folders: what loads, and how what does not is named.

use super::*;

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
