//! The command `blueprint generate`: a model writes what the blueprint says.

use serde_json::Value;

use super::command::{Folder, project};

const PROMPT: &str = "What is the weather in Paris?";

fn tools() -> String {
    project("examples/tools.json")
}

/// The arguments of the README, and more.
fn hermes<'a>(tools: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let must_call = ["--set", "tool_choice=required"];
    [&["generate", "hermes", "--tools", tools, "--prompt", PROMPT], &must_call[..], more].concat()
}

#[test]
fn the_embedded_model_writes_a_call_that_fits() {
    let folder = Folder::new("generate");
    let tools = tools();
    for more in [&[][..], &["--temperature", "1", "--seed", "3", "--top-k", "40", "--top-p", "0.9"]]
    {
        let run = folder.run(&hermes(&tools, more));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
        let judged = folder.run(&["match", "hermes", "--tools", &tools, &run.stdout]);
        assert_eq!(judged.code, 0, "{run:?}: {judged:?}");
        let call = run.stdout.strip_prefix("<tool_call>\n").unwrap();
        let call: Value =
            serde_json::from_str(call.split("\n</tool_call>").next().unwrap()).unwrap();
        assert!(call["arguments"].is_object());
        // The same seed writes the same text.
        assert_eq!(folder.run(&hermes(&tools, more)).stdout, run.stdout);
    }
}

#[test]
fn prompts_come_from_every_option() {
    let folder = Folder::new("generate_prompt");
    let tools = tools();
    folder.write("messages.json", format!("[{{\"role\": \"user\", \"content\": \"{PROMPT}\"}}]"));
    let plain = folder.run(&hermes(&tools, &[])).stdout;
    let base = ["generate", "hermes", "--tools", &tools, "--set", "tool_choice=required"];
    let messages = folder.run(&[&base[..], &["--messages", "messages.json"]].concat());
    assert_eq!(messages.stdout, plain);
    let variable = folder.run(&[&base[..], &["--json", "messages=@messages.json"]].concat());
    assert_eq!(variable.stdout, plain);
    let stdin = folder.run_with(&[&base[..], &["--prompt", "-"]].concat(), PROMPT.as_bytes());
    assert_eq!(stdin.stdout, plain);
    // The blueprint's own header is skipped, as the prompt ends with it.
    folder.write("headed.jinja", "<|im_start|>assistant\n{% include \"hermes\" %}");
    let headed = ["generate", "headed.jinja", "--tools", &tools, "--set", "tool_choice=required"];
    assert_eq!(folder.run(&[&headed[..], &["--prompt", PROMPT]].concat()).stdout, plain);
}

#[test]
fn stats_go_to_standard_error() {
    let folder = Folder::new("generate_stats");
    let tools = tools();
    let plain = folder.run(&hermes(&tools, &[]));
    let run = folder.run(&hermes(&tools, &["--stats"]));
    assert_eq!((run.code, run.stdout), (0, plain.stdout));
    for part in ["prompt ", " forced, in ", " passes and ", "tokens/s"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

#[test]
fn a_text_that_breaks_off_is_a_fault() {
    let folder = Folder::new("generate_short");
    let run = folder.run(&hermes(&tools(), &["--max-tokens", "5"]));
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("not complete: --max-tokens ended it after 5 tokens"), "{run:?}");
    let free = ["generate", "-e", "{{ anything() }}", "--prompt", PROMPT, "--max-tokens", "5"];
    assert_eq!(folder.run(&free).code, 0);
}

#[test]
fn a_text_is_brought_to_its_end_where_that_is_asked_for() {
    let folder = Folder::new("generate_finish");
    let template = "[{% repeat min=1 sep=', ' %}{{ \"[a-z]{1,9}\" | regex }}{% endrepeat %}]";
    for room in ["6", "9", "14"] {
        let base = ["generate", "-e", template, "--prompt", PROMPT, "--max-tokens", room];
        let run = folder.run(&[&base[..], &["--finish"]].concat());
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stdout.starts_with('[') && run.stdout.ends_with(']'), "{run:?}");
    }
}

#[test]
fn bad_input_is_refused_before_anything_is_written() {
    let folder = Folder::new("generate_bad");
    folder.write("object.json", "{}").write("torn.json", "[");
    folder.write("config/config.json", "{\"model_type\": ").write("none/other", "");
    folder.write("config/tokenizer.json", "{}").write("config/model.safetensors", "");
    let base = ["generate", "-e", "a", "--prompt", "b"];
    let cases: &[(&[&str], &str)] = &[
        (&["--model", "nowhere"], "nowhere/config.json: No such file"),
        (&["--model", "none"], "none/config.json: No such file"),
        (&["--model", "config"], "config: `config.json`"),
        (&["--model", "object.json"], "object.json/config.json: "),
        (&["--temperature", "-1"], "temperature"),
        (&["--top-k", "0"], "top_k"),
        (&["--top-p", "1.5"], "top_p"),
        (&["--seed", "x"], "--seed"),
        (&["--messages", "object.json"], "--messages"),
        (&["--json", "add_generation_prompt=3"], "add_generation_prompt"),
        (&["--json", "tools={}"], "`tools` must be a JSON array"),
    ];
    for (more, part) in cases {
        folder.check(&[&base[..], more].concat(), 2, &[], &["error: ", part]);
    }
    let messages = ["generate", "-e", "a", "--messages"];
    for (file, part) in [("object.json", "must be a JSON array"), ("torn.json", "torn.json:1:1")] {
        folder.check(&[&messages[..], &[file]].concat(), 2, &[], &[part]);
    }
    folder.check(&["generate", "-e", "a"], 2, &[], &["nothing to answer"]);
    folder.check(&["generate", "-e", "{{ x }}", "--prompt", "b"], 2, &[], &["BP013"]);
}
