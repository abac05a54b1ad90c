//! The commands `explain` and `fmt`, and `check` with a tokenizer, as their users run them.

use crate::command::Folder;
use crate::shared;

const TEMPLATE: &str = "{% repeat min=1 max=3 sep=', ' name='items' %}{% choice %}\
    {% option %}no{% endoption %}{% option %}{{ '[0-9]+' | regex }}{% endoption %}{% endchoice %}\
    {% endrepeat %}<|im_end|>";

#[test]
fn a_blueprint_is_said_in_words() {
    let folder = Folder::new("explain_words");
    let words = [
        "1 to 3 times, with `, ` between:\n",
        "  captured as `items`:\n",
        "    one of:\n",
        "    - `no`\n",
        "      text that matches `[0-9]+`\n",
        "the text `<|im_end|>`\n",
    ];
    folder.check(&["explain", "-e", TEMPLATE], 0, &words, &[]);
}

#[test]
fn a_blueprint_is_drawn() {
    let folder = Folder::new("explain_picture");
    folder.check(
        &["explain", "-e", TEMPLATE, "--svg", "-"],
        0,
        &["<svg", "1 to 3 times", "/[0-9]+/", "items", "</svg>"],
        &[],
    );
    folder.check(&["explain", "-e", TEMPLATE, "--svg", "a.svg"], 0, &[], &[]);
    let refused = folder.run(&["explain", "-e", TEMPLATE, "--svg", "no/such/folder.svg"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}

#[test]
fn a_failing_text_is_explained() {
    let folder = Folder::new("explain_text");
    folder.check(
        &["explain", "-e", TEMPLATE, "--text", "no, 4x"],
        1,
        &[],
        &[
            "byte 5, line 1, column 6",
            "  no, 4x\n       ^\n",
            "expected: ",
            "a repeat\n",
            "the capture `items`\n",
            "text that matches `[0-9]+`",
        ],
    );
    folder.check(&["explain", "-e", TEMPLATE, "--text", "no, 4"], 0, &["fits"], &[]);
}

#[test]
fn a_code_is_explained() {
    let folder = Folder::new("explain_code");
    let words = ["BP022 (error)", "For example:", "anything(until="];
    folder.check(&["explain", "bp022"], 0, &words, &[]);
    folder.check(&["explain", "BP042"], 0, &["BP042 (warning)"], &[]);
}

#[test]
fn templates_are_laid_out() {
    let folder = Folder::new("fmt");
    folder.write("a.jinja", "{%repeat min=1%}\nx\n   {%endrepeat%}\n").write("b.jinja", "x\n");
    folder.check(&["fmt", "--check", "a.jinja", "b.jinja"], 1, &[], &["a.jinja"]);
    folder.check(&["fmt", "a.jinja", "b.jinja"], 0, &[], &[]);
    folder.check(&["fmt", "--check", "a.jinja", "b.jinja"], 0, &[], &[]);
    let run = folder.run_with(&["fmt", "-"], b"{{x}}");
    assert_eq!((run.code, run.stdout.as_str()), (0, "{{ x }}"));
    folder.write("c.jinja", "{% repeat %}");
    folder.check(&["fmt", "c.jinja"], 2, &[], &["BP006"]);
}

/// The catalog's own templates are as `fmt` lays them out.
#[test]
fn the_catalog_is_well_laid_out() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("blueprints");
    let folders = [root.clone(), root.join("_shared")];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("readable"));
    for entry in entries {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let formatted = blueprints::Blueprint::format("t", &text).expect("sound");
        // The proposals stand verbatim, and others are their authors' to lay out: what counts is
        // that the layout means the same, which `format` proves, and settles at once.
        let again = blueprints::Blueprint::format("t", &formatted).expect("sound");
        assert_eq!(again, formatted, "{}", path.display());
    }
}

#[test]
fn a_tokenizer_is_asked_for_its_special_tokens() {
    let Some(tokenizer) = shared::path("data/tokenizers/qwen3/tokenizer.json") else { return };
    let folder = Folder::new("check_tokenizer");
    let tokenizer = tokenizer.to_str().expect("UTF-8");
    let template = "a<|im_ned|>{{ token('<|nope|>') }}{{ token('<|im_end|>') }}";
    let run = folder.run(&["check", "-e", template, "--tokenizer", tokenizer]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("BP045") && run.stderr.contains("BP047"), "{run:?}");
    assert!(!run.stderr.contains("no special token `<|im_end|>`"), "{run:?}");
}
