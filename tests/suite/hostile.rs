//! Templates and schemas from anywhere: each ends with an answer or a limit, in a process of its
//! own whose memory and time are bounded.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// What one template may take; the aim is 2 s for a release build, and tests are none.
const TIME_MAX: Duration = Duration::from_secs(10);
const KIBIBYTES_MAX: u64 = 256 << 10;

fn templates() -> Vec<(&'static str, String)> {
    let n = 1_000_000;
    let nested = |open: &str, close: &str, count: usize| open.repeat(count) + &close.repeat(count);
    vec![
        ("nested_ifs", nested("{% if a %}", "{% endif %}", n)),
        ("nested_repeats", nested("{% repeat %}", "{% endrepeat %}", 40_000)),
        ("ifs_that_fit", nested("{% if a %}", "{% endif %}", 40_000)),
        ("brackets", format!("{{{{ {}a{} }}}}", "(".repeat(400_000), ")".repeat(400_000))),
        ("recursion", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".into()),
        (
            "loops",
            "{% for i in range(100000) %}{% for j in range(100000) %}{{ i }}{% endfor %}\
             {% endfor %}"
                .into(),
        ),
        (
            "growing_text",
            "{% set ns = namespace(t='x') %}{% for i in range(100) %}{% set ns.t = ns.t ~ ns.t %}\
             {% endfor %}{{ ns.t }}"
                .into(),
        ),
        (
            "growing_parts",
            "{% set ns = namespace(t=('a' | regex)) %}{% for i in range(100) %}\
             {% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t }}"
                .into(),
        ),
        ("regex_nest", format!("{{{{ '{}a{}' | regex }}}}", "(".repeat(5000), ")".repeat(5000))),
        ("numbered", "{% repeat max=1073741824 %}{{ iteration() }}{% endrepeat %}".into()),
        (
            "any_orders",
            "{% anyorder %}".to_owned()
                + &"{% part %}a{% endpart %}".repeat(30)
                + "{% endanyorder %}",
        ),
        ("substring", "{{ ('ab' * 100000) | substring }}".into()),
        ("long_grammar", format!("{{{{ 'root ::= {}' | grammar }}}}", "(".repeat(100_000))),
        ("schema", format!("{{{{ '{}' | json_schema }}}}", "[".repeat(100_000))),
        ("triggers", {
            let on = |at: usize| format!("{{% on '{}{at:05}' %}}{{% endon %}}", "x".repeat(50));
            format!("{{% free %}}{}{{% endfree %}}", (0..3000).map(on).collect::<String>())
        }),
    ]
}

/// Templates that are large but mean something: they end well.
fn sound() -> Vec<(&'static str, String)> {
    vec![
        // Counts stay numbers.
        ("regex_counts", "{{ '((((a{1000}){1000}){1000}){1000}){1000}' | regex }}!".into()),
        ("regex_classes", format!("{{{{ '{}' | regex }}}}!", "\\\\w{60000}".repeat(500))),
        ("anchors", format!("{{{{ '{}' | regex }}}}", "(^|a)($|b)".repeat(3000))),
        ("huge_counts", "{% repeat min=1073741824 max=1073741825 %}a{% endrepeat %}".into()),
        ("long_text", "{{ anything(max_chars=1000000000, until='</x>') }}</x>".into()),
        ("many_options", {
            let option = |at: usize| format!("{{% option %}}o{at}{{% endoption %}}");
            format!("{{% choice %}}{}{{% endchoice %}}", (0..5000).map(option).collect::<String>())
        }),
    ]
}

/// Runs `blueprint check` under a limit on memory; the exit code, what it says, and the time.
fn check(name: &str, template: &str) -> (Option<i32>, String, Duration) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile_{name}.jinja"));
    fs::write(&path, template).expect("writable");
    limited(KIBIBYTES_MAX, &["check", path.to_str().expect("UTF-8"), "--json", "a=1"])
}

/// Runs the command with so much memory: its exit code, what it says, and how long it takes.
fn limited(kibibytes_max: u64, arguments: &[&str]) -> (Option<i32>, String, Duration) {
    let script = format!("ulimit -v {kibibytes_max}; exec \"$0\" \"$@\"");
    let start = Instant::now();
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_blueprint")])
        .args(arguments)
        .output()
        .expect("sh runs");
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), shown, start.elapsed())
}

#[test]
fn hostile_templates_end_soon_and_small() {
    if !cfg!(target_os = "linux") {
        println!("skipped: there is no `ulimit -v` here");
        return;
    }
    for (name, template) in templates() {
        let (code, shown, time) = check(name, &template);
        println!("{name}: {time:?}");
        let begin: String = shown.chars().take(300).collect();
        assert_eq!(code, Some(2), "{name}: {begin}");
        let limits = ["BP030", "BP019", "BP014", "BP020", "BP040"];
        assert!(limits.iter().any(|code| shown.contains(code)), "{name}: {begin}");
        assert!(time < TIME_MAX, "{name}: {time:?}");
    }
    for (name, template) in sound() {
        let (code, shown, time) = check(name, &template);
        println!("{name}: {time:?}");
        assert_eq!(code, Some(0), "{name}: {shown}");
        assert!(time < TIME_MAX, "{name}: {time:?}");
    }
}

/// Schemas that are large, deep, or ask for much; each with whether it has an answer.
/// What machines remember has no end here: no target can say it without them.
#[test]
fn targets_end_soon_and_small() {
    if !cfg!(target_os = "linux") {
        println!("skipped: there is no `ulimit -v` here");
        return;
    }
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for (name, template) in sound() {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("target_{name}.jinja"));
        fs::write(&path, template).expect("writable");
        all.push((name.to_owned(), vec![path.to_str().expect("UTF-8").to_owned()]));
    }
    let tools = r#"tools=[{"name": "f", "parameters": {"properties": {"a": {"minLength": 1}}}}]"#;
    for family in ["minimax_m3", "command_cofl", "gemma_4", "qwen3_coder"] {
        all.push((family.to_owned(), vec![family.to_owned(), "--json".into(), tools.into()]));
    }
    let targets = ["regex", "xgrammar", "gbnf", "lark", "structural-tag", "json-schema"];
    for (name, arguments) in &all {
        for target in targets {
            let arguments = arguments.iter().map(String::as_str);
            let arguments: Vec<&str> =
                ["compile", "--to", target].into_iter().chain(arguments).collect();
            let (code, shown, time) = limited(KIBIBYTES_MAX, &arguments);
            println!("{name} {target}: {time:?}");
            let begin: String = shown.chars().take(300).collect();
            assert!(matches!(code, Some(0 | 2)), "{name} {target}: {code:?}: {begin}");
            assert_eq!(code == Some(2), shown.starts_with("error"), "{name} {target}: {begin}");
            assert!(time < TIME_MAX, "{name} {target}: {time:?}");
        }
    }
}

fn schemas() -> Vec<(&'static str, String)> {
    let listed = |part: &dyn Fn(usize) -> String, count: usize| {
        (0..count).map(part).collect::<Vec<_>>().join(",")
    };
    let nested = |open: &str, close: &str, count: usize| {
        format!("{}{{}}{}", open.repeat(count), close.repeat(count))
    };
    let long = |at: usize| format!("\"{}{at:05}\":true", "k".repeat(at % 16 + 1).repeat(20));
    let property = |at: usize| format!("\"key{at}\":{{\"type\":\"string\",\"maxLength\":{at}}}");
    vec![
        ("nested_any_of", nested("{\"anyOf\":[", "]}", 100_000)),
        ("nested_any_of_that_fit", nested("{\"anyOf\":[{\"minLength\":3},", "]}", 30)),
        ("circle", r##"{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"$ref":"#"}}}"##.into()),
        ("pattern_counts", r#"{"pattern":"^((a{1000}){1000}b){1000}$"}"#.into()),
        ("pattern_choices", r#"{"pattern":"^(([a-z])+.)+[A-Z]([a-z])+$"}"#.into()),
        ("pattern_far_back", r#"{"pattern":"a.{40}$"}"#.into()),
        ("long", r#"{"maxLength":9007199254740992,"minLength":9007199254740991}"#.into()),
        ("many_numbers", format!("{{\"enum\":[{}]}}", listed(&|at| at.to_string(), 1_000_000))),
        (
            "many_texts",
            format!("{{\"enum\":[{}]}}", listed(&|at| format!("\"text{at}\""), 1_000_000)),
        ),
        ("many_keys", format!("{{\"properties\":{{{}}}}}", listed(&property, 30_000))),
        ("many_constants", {
            let number = |at: usize| format!("{{\"const\":{at}}}");
            format!("{{\"oneOf\":[{}]}}", listed(&number, 200_000))
        }),
        (
            "many_schemas",
            format!("{{\"allOf\":[{}]}}", listed(&|_| "{\"minLength\":1}".into(), 400_000)),
        ),
        ("many_patterns", format!("{{\"patternProperties\":{{{}}}}}", listed(&property, 160_000))),
        ("too_many_keys", format!("{{\"properties\":{{{}}}}}", listed(&property, 160_000))),
        ("long_keys", format!("{{\"properties\":{{{}}}}}", listed(&long, 30_000))),
        (
            "many_alternatives",
            format!("{{\"oneOf\":[{}]}}", listed(&|at| format!("{{{}}}", property(at)), 2_000)),
        ),
    ]
}

/// What one schema may take.
const SCHEMA_KIBIBYTES_MAX: u64 = 512 << 10;
/// The aim is 5 s for a release build, and tests are none.
const SCHEMA_TIME_MAX: Duration = Duration::from_secs(60);

#[test]
fn hostile_schemas_end_soon_and_small() {
    if !cfg!(target_os = "linux") {
        println!("skipped: there is no `ulimit -v` here");
        return;
    }
    for (name, schema) in schemas() {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile_{name}.jsonl"));
        fs::write(&path, format!("{{\"id\":\"{name}\",\"schema\":{schema},\"tests\":[]}}"))
            .expect("writable");
        let path = path.to_str().expect("UTF-8");
        let (code, shown, time) = limited(SCHEMA_KIBIBYTES_MAX, &["schema", path]);
        println!("{name}: {time:?}");
        // Too deep for JSON is an error of input; all else has an answer.
        let expected = if name == "nested_any_of" { 2 } else { 0 };
        assert_eq!(code, Some(expected), "{name}: {shown}");
        assert!(time < SCHEMA_TIME_MAX, "{name}: {time:?}");
    }
}
