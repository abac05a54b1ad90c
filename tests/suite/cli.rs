//! The command `blueprint` without tokens: exit codes, and what goes to which stream.

use std::io::Write;

use serde_json::Value;

use super::command::{Folder, project};

const SCHEMA: &str = r#"{"type": "object", "properties": {"n": {"type": "integer"}},
    "required": ["n"], "additionalProperties": false}"#;

#[test]
fn check_finds_nothing_in_sound_templates() {
    let folder = Folder::new("check_sound");
    folder.write("schema.json", SCHEMA).write("sub/part.jinja", "part\n");
    folder.write("sub/main.jinja", "{% include \"part.jinja\" %}{% include \"hermes\" %}");
    let cases: &[(&[&str], &[&str])] = &[
        (&["check", "-e", "{% repeat min=1 max=2 %}ab{% endrepeat %}"], &[]),
        (&["check", "-e", "{{ name }}"], &["<template>", "without values for `name`"]),
        (&["check", "hermes"], &[]),
        (&["check", "hermes", "--json", "tools=[{\"name\": \"a\"}]"], &[]),
        (&["check", "sub/main.jinja", "--json", "tools=[{\"name\": \"a\"}]"], &[]),
        (&["check", "-e", "{{ schema | json_schema }}", "--schema", "schema.json"], &[]),
        (&["check", "-e", "{{ name }}", "--set", "name=x", "--format", "json"], &[]),
    ];
    for (arguments, stderr) in cases {
        folder.check(arguments, 0, &[], stderr);
        let run = folder.run(arguments);
        assert!(run.stdout.is_empty(), "{arguments:?}: {run:?}");
        assert!(!stderr.is_empty() || run.stderr.is_empty(), "{arguments:?}: {run:?}");
    }
}

/// Templates that are faulty, and where.
const FAULTY: &[(&str, &[&str])] = &[
    ("a\n{% repeat %}b", &["<template>:2:1", "{% repeat %}", "^"]),
    ("a\n{% endrepeat %}", &["<template>:2:1", "^"]),
    ("{% repeat %}{% endoptional %}", &["<template>:1:13", "^"]),
    ("a\nb {% loop %}", &["<template>:2:6", "loop", "^"]),
    ("{% repeat min=3 max=2 %}b{% endrepeat %}", &["<template>:1:", "BP016", "^"]),
    ("a\n\n{{ nothing }}", &["<template>:3:", "BP013", "nothing", "^"]),
    ("{{ \"a(?=b)\" | regex }}", &["<template>:1:", "BP019", "look-around", "^"]),
    ("{{ \"(\" | regex }}", &["<template>:1:", "BP019", "^"]),
    ("{{ {\"type\": \"strin\"} | json_schema }}", &["<template>:1:", "BP020", "/type", "^"]),
    ("{{ {\"minLength\": -1} | json_schema }}", &["<template>:1:", "BP020", "/minLength", "^"]),
    ("{{ \"{\" | json_schema }}", &["<template>:1:", "BP020", "^"]),
    ("{{ 3 | nonsense }}", &["<template>:1:", "BP012", "^"]),
    ("{% include \"nowhere\" %}", &["<template>:1:", "BP028", "nowhere", "^"]),
    ("{{ anything() }}{{ \"b*\" | regex }}c", &["<template>:1:", "BP022", "^"]),
];

#[test]
fn every_command_reports_a_faulty_template_with_its_place() {
    let folder = Folder::new("faulty");
    folder.write("tokenizer.json", super::cli_tokens::tokenizer());
    for (template, parts) in FAULTY {
        let commands: &[&[&str]] = &[
            &["check", "-e", template, "--json", "unused=1"],
            &["compile", "-e", template, "--to", "ir"],
            &["match", "-e", template, "b"],
            &["parse", "-e", template, "b"],
            &["match", "-e", template, "b", "--tokenizer", "tokenizer.json"],
            &["mask", "-e", template, "b", "--tokenizer", "tokenizer.json"],
        ];
        for arguments in commands {
            folder.check(arguments, 2, &[], parts);
        }
    }
}

#[test]
fn check_names_the_file_and_the_line() {
    let folder = Folder::new("check_file");
    folder.write("sub/main.jinja", "a\n{% include \"part.jinja\" %}\n");
    folder.write("sub/part.jinja", "b\nc {% optional %}\n");
    folder.write("latin.jinja", b"caf\xe9");
    folder.check(&["check", "sub/main.jinja"], 2, &[], &["part.jinja:2:3", "sub/main.jinja:2"]);
    folder.check(&["check", "latin.jinja"], 2, &[], &["latin.jinja: byte 3 is not UTF-8"]);
    folder.check(&["check", "nowhere.jinja"], 2, &[], &["nowhere.jinja: No such file"]);
    folder.check(&["check", "nowhere"], 2, &[], &["nowhere: ", "the catalog has apertus, "]);
    folder.check(&["check", "sub"], 2, &[], &["sub: Is a directory"]);
    folder.check(&["check"], 2, &[], &["no template"]);
    folder.check(&["check", "hermes", "-e", "a"], 2, &[], &["cannot be used with"]);
}

#[test]
fn check_prints_json_lines() {
    let folder = Folder::new("check_json");
    let template = "a\n{% repeat min=3 max=2 %}b{% endrepeat %}\n{{ \"(\" | regex }}";
    let run = folder.run(&["check", "-e", template, "--format", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (2, ""), "{run:?}");
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty());
    assert_eq!(lines[0]["code"], "BP016");
    assert_eq!(lines[0]["severity"], "error");
    assert_eq!(lines[0]["file"], "<template>");
    assert_eq!(lines[0]["line"], 2);
    let range: Vec<usize> = serde_json::from_value(lines[0]["range"].clone()).unwrap();
    assert_eq!(&template[range[0]..range[1]], "2");
    assert_eq!(lines[0]["column"], 21);
}

#[test]
fn variables_come_from_every_option() {
    let folder = Folder::new("context");
    folder.write("all.json", "{\"a\": \"1\", \"b\": \"2\"}").write("b.json", "\"3\"");
    let template = "{{ a }}{{ b }}";
    for (arguments, text) in [
        (&["--context", "all.json"][..], "12"),
        (&["--context", "all.json", "--set", "a=x=y"], "x=y2"),
        (&["--set", "a=", "--json", "b=@b.json"], "3"),
        (&["--json", "a=\"\\u00e9\"", "--set", "b=-"], "é-"),
    ] {
        let arguments = [&["match", "-e", template, text], arguments].concat();
        folder.check(&arguments, 0, &[], &[]);
    }
    let schema = "{{ schema | json_schema }}";
    folder.write("schema.json", SCHEMA);
    folder.check(&["match", "-e", schema, "{\"n\": 1}", "--schema", "schema.json"], 0, &[], &[]);
    folder.check(&["match", "-e", schema, "{\"n\": 1.5}", "--schema", "schema.json"], 1, &[], &[]);
}

#[test]
fn bad_variables_are_refused_with_their_place() {
    let folder = Folder::new("bad_context");
    folder.write("list.json", "[]").write("torn.json", "{\n  \"a\": }").write("object.json", "{}");
    let cases: &[(&[&str], &str)] = &[
        (&["--context", "list.json"], "list.json: the context must be a JSON object"),
        (&["--context", "torn.json"], "torn.json:2:8: not JSON"),
        (&["--context", "nowhere.json"], "nowhere.json: No such file"),
        (&["--tools", "object.json"], "object.json: the tools must be a JSON array"),
        (&["--schema", "torn.json"], "torn.json:2:8: not JSON"),
        (&["--json", "a=nonsense"], "--json a:1:"),
        (&["--json", "a=@torn.json"], "torn.json:2:8: not JSON"),
        (&["--set", "a=1", "--set", "a=2"], "the variable `a` is given twice"),
        (&["--set", "a"], "expected a name"),
        (&["--set", "=a"], "expected a name"),
        (&["--context", "-", "--schema", "-"], "<stdin>:1:0: not JSON"),
        (&["--nonsense"], "--nonsense"),
    ];
    for (arguments, part) in cases {
        for command in [&["check", "-e", "a"][..], &["match", "-e", "a", "a"]] {
            folder.check(&[command, arguments].concat(), 2, &[], &[part]);
        }
    }
    let twice = folder.run_with(&["check", "-", "--context", "-"], b"a");
    assert_eq!(twice.code, 2);
    assert!(twice.stderr.contains("only once"), "{twice:?}");
}

#[test]
fn compile_prints_every_target() {
    let folder = Folder::new("compile");
    folder.write("schema.json", SCHEMA);
    let template = "{% repeat min=1 %}a{% endrepeat %}";
    for (target, part) in [
        ("ir", "a"),
        ("regex", "a"),
        ("xgrammar", "root ::= "),
        ("structural-tag", "\"structural_tag\""),
    ] {
        folder.check(&["compile", "-e", template, "--to", target], 0, &[part], &[]);
        let run =
            folder.run(&["compile", "hermes", "--to", target, "--set", "tool_choice=required"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run:?}");
    }
    folder.check(&["compile", "-e", "a", "--to", "nonsense"], 2, &[], &["nonsense", "xgrammar"]);
    folder.check(&["compile", "-e", "a"], 2, &[], &["--to"]);
}

#[test]
fn compile_tells_losses_and_refuses_them_where_asked() {
    let folder = Folder::new("losses");
    let template = "{% repeat max=4000000000 %}{{ \"a+b\" | regex }}{% endrepeat %}";
    let lossy = ["compile", "-e", template, "--to", "regex"];
    folder.check(&lossy, 0, &["(?:a+b)*"], &["loss: the bounds 0 to 4000000000"]);
    folder.check(&[&lossy[..], &["--exact"]].concat(), 2, &[], &["the bounds 0 to 4000000000"]);
    folder.write("tree.json", r##"{"type": "array", "items": {"$ref": "#"}}"##);
    let tree = ["-e", "{{ schema | json_schema }}", "--schema", "tree.json"];
    let regex = [&["compile", "--to", "regex"], &tree[..]].concat();
    folder.check(&regex, 2, &[], &["<template>: a regular expression has no recursion"]);
    let grammar = [&["compile", "--to", "xgrammar", "--exact"], &tree[..]].concat();
    folder.check(&grammar, 0, &["root ::= "], &[]);
}

#[test]
fn match_says_where_a_text_fails() {
    let folder = Folder::new("match");
    let choice = "{% choice %}{% option %}no{% endoption %}{% option %}not sure{% endoption %}\
                  {% endchoice %}";
    let free = "<think>{{ anything(until='</think>') }}</think>!<|im_end|>";
    let cases: &[(&str, &str, i32, &[&str])] = &[
        (choice, "no", 0, &[]),
        (choice, "not sure", 0, &[]),
        (choice, "not", 1, &["byte 3, 1:4: expected ` sure`"]),
        (choice, "yes", 1, &["byte 0, 1:1: expected `no`"]),
        (choice, "", 1, &["byte 0, 1:1"]),
        (free, "<think><, a</thin</think>!<|im_end|>", 0, &[]),
        (free, "<think>a<</think>!", 0, &[]),
        (free, "<think>a</think>\n</think>!", 1, &["byte 16, 1:17: expected `!<|im_end|>`"]),
        (free, "<think>é\n\u{1F600}</think>?", 1, &["byte 22, 2:10: expected `!"]),
        (
            "{% repeat min=2 max=3 %}ab{% endrepeat %}",
            "abababab",
            1,
            &["byte 6, 1:7: expected the end"],
        ),
        ("-5", "-5", 0, &[]),
    ];
    for (template, text, code, stderr) in cases {
        folder.check(&["match", "-e", template, text], *code, &[], stderr);
    }
    folder.check(&["match", "-e", "a"], 2, &[], &["TEXT"]);
    folder.check(&["match", "hermes"], 2, &[], &["one of T and TEXT is missing"]);
    folder.check(&["match", "hermes", "-e", "a", "a"], 2, &[], &["with -e there is no T"]);
    folder.check(&["match", "hermes", "--set", "a=b", "c", "d"], 2, &[], &["one T and one TEXT"]);
    // Options may stand anywhere.
    folder.write("a.jinja", "a{{ b }}");
    folder.check(&["match", "a.jinja", "--set", "b=c", "ac"], 0, &[], &[]);
    folder.check(&["match", "--set", "b=c", "a.jinja", "ac"], 0, &[], &[]);
    folder.check(&["match", "a.jinja", "ac", "--set", "b=d"], 1, &[], &["expected `d`"]);
}

#[test]
fn standard_input_is_read_exactly() {
    let folder = Folder::new("stdin");
    let cases: &[(&[&str], &[u8], i32)] = &[
        (&["match", "-e", "a", "-"], b"a", 0),
        (&["match", "-e", "a", "-"], b"a\n", 1),
        (&["match", "-e", "a\n\n", "-"], b"a\n", 0),
        (&["match", "-e", "a\n\n", "-"], b"a\r\n", 1),
        (&["match", "-e", "a", "-"], b"", 1),
        (&["match", "-e", "a", "-"], b"\xff", 2),
        (&["match", "-", "ab"], b"{% repeat %}ab{% endrepeat %}\n", 0),
        (
            &["match", "-e", "{{ schema | json_schema }}", "7", "--schema", "-"],
            b"{\"const\": 7}",
            0,
        ),
    ];
    for (arguments, stdin, code) in cases {
        let run = folder.run_with(arguments, stdin);
        assert_eq!(run.code, *code, "{arguments:?}, {stdin:?}: {run:?}");
    }
}

#[test]
fn parse_prints_the_captures() {
    let folder = Folder::new("parse");
    let template = "{{ anything(name='x') }}";
    let run = folder.run(&["parse", "-e", template, "a\n\"é\""]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "{\"x\":\"a\\n\\\"é\\\"\"}\n"));
    let run = folder.run(&["parse", "--stream", "-e", template, "ab"]);
    let opened = "{\"opened\":\"/x\",\"at\":0}\n{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
    let closed = "{\"closed\":\"/x\",\"at\":2,\"value\":\"ab\"}\n";
    assert_eq!((run.code, run.stdout), (0, format!("{opened}{closed}")));
    let call = "{% capture tool_calls %}{{ '[a-z]+' | regex(name='name') }}{% endcapture %}!";
    let run = folder.run(&["parse", "--calls", "-e", call, "now!"]);
    let shape = "{\"reasoning\":null,\"content\":null,\"tool_calls\":[{\"name\":\"now\",\"arguments\":{}}]}\n";
    assert_eq!((run.code, run.stdout.as_str()), (0, shape));
    folder.check(&["parse", "--lenient", "-e", call, "now"], 0, &["{}"], &["byte 3, 1:4"]);
    folder.check(&["parse", "-e", "ab", "ac"], 1, &[], &["byte 1, 1:2: expected `b`"]);
}

#[test]
fn catalog_lists_and_shows() {
    let folder = Folder::new("catalog");
    let run = folder.run(&["catalog", "list", "--names"]);
    let names: Vec<&str> = run.stdout.lines().collect();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(names.is_sorted() && names.contains(&"hermes"), "{names:?}");
    for name in names {
        let source =
            std::fs::read_to_string(project(&format!("blueprints/{name}.blueprint.jinja")));
        assert_eq!(folder.run(&["catalog", "show", name]).stdout, source.unwrap());
    }
    folder.check(&["catalog", "show", "nowhere"], 2, &[], &["`nowhere`", "hermes"]);
    folder.check(&["catalog", "list"], 0, &["qwen3  ", "Qwen3-Next"], &[]);
    let run = folder.run(&["catalog", "list", "--names", "--model", "Qwen/Qwen3-8B"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "qwen3\n"));
}

#[test]
fn help_and_usage_have_their_codes() {
    let folder = Folder::new("help");
    folder.check(&["--help"], 0, &["generate", "Exit code"], &[]);
    folder.check(&["--version"], 0, &[env!("CARGO_PKG_VERSION")], &[]);
    folder.check(&["match", "--help"], 0, &["Tell whether", "TEXT", "--tokenizer"], &[]);
    for command in ["check", "compile", "parse", "generate", "mask", "catalog"] {
        folder.check(&[command, "--help"], 0, &["Usage: blueprint "], &[]);
    }
    folder.check(&["nonsense"], 2, &[], &["nonsense"]);
    folder.check(&[], 2, &[], &["Usage"]);
}

#[test]
fn a_closed_pipe_is_no_fault() {
    let folder = Folder::new("pipe");
    for arguments in [&["compile", "-", "--to", "ir"][..], &["parse", "-e", "a", "-"]] {
        let mut child = folder.command(arguments).spawn().unwrap();
        drop(child.stdout.take());
        child.stdin.take().unwrap().write_all(b"a").unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
