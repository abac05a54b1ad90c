//! Structural tags mean here what they mean to XGrammar, and come back as they were read.

use blueprints_compiler::Ir;
use blueprints_compiler::emit::{Exactness, TagFormats};
use blueprints_compiler::grammars::read_structural_tag;
use serde_json::{Value, json};

use crate::corpus_foreign::TAGS;
use crate::matcher::check;

fn tag(format: &Value) -> Value {
    json!({ "type": "structural_tag", "format": format })
}

#[track_caller]
fn holds(format: &Value, accepted: &[&str], rejected: &[&str]) {
    let ir = read_structural_tag(&tag(format)).unwrap_or_else(|fault| panic!("{fault}: {format}"));
    check(&ir, &format.to_string(), accepted, rejected);
}

fn constant(value: &str) -> Value {
    json!({ "type": "const_string", "value": value })
}

fn tagged(begin: &str, content: &Value, end: impl Into<Value>) -> Value {
    json!({ "type": "tag", "begin": begin, "content": content, "end": end.into() })
}

#[test]
fn free_text_in_a_tag_holds_no_end_of_it() {
    let any = json!({ "type": "any_text" });
    let or = |elements: Value| json!({ "type": "or", "elements": elements });
    let sequence = |elements: Value| json!({ "type": "sequence", "elements": elements });
    holds(&tagged("<", &any, ">"), &["<a>", "<>"], &["<a>b>", "<>>"]);
    holds(&tagged("<", &any, json!([">", "]"])), &["<a>", "<a]"], &["<a>b]", "<a"]);
    holds(&tagged("<", &any, json!(["", "]"])), &["<a", "<a]"], &["<a]b"]);
    holds(&tagged("<", &any, "\n\n"), &["<a\n\n", "<a\n\n\n"], &["<a\n\nb\n\n", "<a\n"]);
    holds(&tagged("<", &sequence(json!([any, constant("x")])), ">"), &["<ax>"], &["<a>bx>"]);
    holds(&tagged("<", &or(json!([constant("x"), any])), ">"), &["<x>", "<xa>"], &["<a>b>"]);
    let inner = tagged("(", &any, ")");
    holds(&tagged("<", &inner, ">"), &["<(a>)>"], &["<(a)b)>"]);
    let star = json!({ "type": "star", "content": any });
    holds(&tagged("<", &star, ">"), &["<>", "<ab>"], &["<a>b>"]);
    let short = json!({ "type": "any_text", "max_chars": 2, "excludes": ["z"] });
    holds(&tagged("<", &short, ">"), &["<>", "<aé>"], &["<abc>", "<z>", "<>>"]);
    holds(&sequence(json!([any, constant("END")])), &["aEND", "ENDEND"], &["EN", ""]);
}

#[test]
fn triggers_force_their_tags() {
    let format = |more: Value| {
        let tags = [tagged("(x", &constant("y"), ")"), tagged("[", &constant("q"), "]")];
        let mut format = json!({ "type": "triggered_tags", "triggers": ["(", "["], "tags": tags });
        format.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        format
    };
    holds(&format(json!({})), &["", "hi", "a(xy)b", "(xy)[q]"], &["(", "a(z", "(xy)("]);
    holds(&format(json!({ "at_least_one": true })), &["(xy)", "(xy)b"], &["", "a(xy)", "a"]);
    let once = json!({ "stop_after_first": true });
    holds(&format(once), &["", "a", "a(xy)", "[q]"], &["(xy)b", "[q][q]"]);
    let exactly = json!({ "stop_after_first": true, "at_least_one": true });
    holds(&format(exactly), &["(xy)", "[q]"], &["", "a(xy)", "[q]a"]);
    holds(&format(json!({ "excludes": ["z"] })), &["a", "[q]b(xy)"], &["z", "[q]z"]);
    holds(&tagged("<", &format(json!({})), ">"), &["<a(xy)>", "<>"], &["<a>b>", "<(>"]);
    let separated = |more: Value| {
        let mut format = format(more);
        let fields = format.as_object_mut().expect("an object");
        fields.remove("triggers");
        fields.insert("type".into(), "tags_with_separator".into());
        fields.insert("separator".into(), ",".into());
        format
    };
    holds(&separated(json!({})), &["", "(xy)", "(xy),[q]"], &["(xy),", "(xy)[q]", ","]);
    holds(&separated(json!({ "at_least_one": true })), &["[q]"], &["", "[q],"]);
    holds(&separated(json!({ "stop_after_first": true })), &["", "[q]"], &["[q],[q]"]);
    let rules = json!([["<f>", constant("1")], ["<g>", constant("2")]]);
    let dispatch = json!({ "type": "dispatch", "rules": rules });
    holds(&dispatch, &["", "a<f>1b", "<g>2<f>1"], &["<f>", "<f>2"]);
    let once = json!({ "type": "dispatch", "rules": rules, "loop": false, "excludes": ["no"] });
    holds(&once, &["", "a<f>1"], &["a<f>1b", "no"]);
    holds(
        &tagged("<", &json!({ "rules": [["f", constant("1")]] }), ">"),
        &["<a>b>", "<f1>"],
        &["<f>"],
    );
}

#[test]
fn patterns_are_those_of_xgrammar() {
    let regex = |pattern: &str| json!({ "type": "regex", "pattern": pattern });
    holds(&regex("a.b"), &["a\nb", "axb"], &["ab"]);
    holds(&regex("\\d[\\w-]"), &["1a", "1-"], &["٣a", "1é"]);
    holds(&regex("\\s\\D"), &["\u{2028}é", " a"], &["\u{85}é", " 1"]);
    holds(&regex("[.]\\."), &[".."], &["a.", ".a"]);
}

#[test]
fn schemas_are_closed_as_there() {
    let schema = |schema: Value| json!({ "type": "json_schema", "json_schema": schema });
    let listed = json!({ "type": "object", "properties": { "a": { "type": "integer" } },
        "required": ["a"] });
    holds(&schema(listed), &["{\"a\":1}", "{\"a\": 1}"], &["{\"a\":1,\"b\":2}", "{}"]);
    holds(&schema(json!({ "type": "object" })), &["{\"a\":1}", "{}"], &["[]"]);
    holds(&schema(json!(true)), &["{\"a\":1}", "[{}]", "null"], &["", "nul"]);
    let mut any_order = schema(json!({ "properties": { "a": true, "b": true } }));
    any_order["any_order"] = true.into();
    match read_structural_tag(&tag(&any_order)) {
        Ok(ir) => check(&ir, "any order", &["{\"b\":1,\"a\":2}"], &["{\"c\":1}"]),
        Err(fault) => assert_eq!(fault.pointer, "/format/any_order", "{fault}"),
    }
}

#[test]
fn faults_in_tags_have_their_pointer() {
    let wrong = |format: Value| tag(&format);
    let cases = [
        (json!([]), "", "this is no object"),
        (json!({ "type": "x", "format": {} }), "/type", "the type of a structural tag"),
        (json!({ "type": "structural_tag" }), "", "the field `format` is missing"),
        (wrong(json!({ "type": "nope" })), "/format/type", "there is no format `nope`"),
        (wrong(json!({ "type": "const_string" })), "/format", "the field `value` is missing"),
        (wrong(json!({ "nothing": 1 })), "/format", "the format has no type"),
        (
            wrong(json!({ "type": "sequence", "elements": [constant("a"), { "type": "regex",
                "pattern": "(" }] })),
            "/format/elements/1/pattern",
            "unclosed group",
        ),
        (
            wrong(json!({ "type": "grammar", "grammar": "root ::= a" })),
            "/format/grammar",
            "there is no rule `a` (bytes 9 to 10)",
        ),
        (wrong(json!({ "type": "or", "elements": [] })), "/format/elements", "there are no"),
        (
            wrong(json!({ "type": "repeat", "min": 3, "max": 2, "content": constant("a") })),
            "/format/max",
            "no count lies",
        ),
        (wrong(json!({ "type": "any_tokens" })), "/format/type", "`any_tokens` is about tokens"),
        (wrong(json!({ "type": "token", "token": 5 })), "/format/token", "a token is named by"),
        (
            wrong(json!({ "type": "triggered_tags", "triggers": ["<"],
                "tags": [tagged("(", &constant("a"), ")")] })),
            "/format/tags/0",
            "the tag begins with no trigger",
        ),
        (
            wrong(json!({ "type": "triggered_tags", "triggers": ["<", "<a"],
                "tags": [tagged("<a", &constant("a"), ")")] })),
            "/format/tags/0",
            "the tag begins with more than one trigger",
        ),
        (
            wrong(json!({ "type": "json_schema", "json_schema": { "type": "nope" } })),
            "/format/json_schema",
            "",
        ),
        (
            wrong(json!({ "type": "json_schema", "json_schema": true, "style": "no_such" })),
            "/format/style",
            "",
        ),
        (
            wrong(json!({ "type": "any_text", "max_chars": -1 })),
            "/format/max_chars",
            "this is no count",
        ),
    ];
    for (tag, pointer, message) in cases {
        let fault = read_structural_tag(&tag).expect_err(&tag.to_string());
        assert_eq!(fault.pointer, pointer, "{fault}: {tag}");
        assert!(fault.message.starts_with(message), "{fault}: {tag}");
    }
    let deep = (0..1000).fold(constant("a"), |format, _| json!({ "content": format }));
    let fault = read_structural_tag(&tag(&deep)).expect_err("too deep");
    assert!(fault.message.contains("deeper"), "{fault}");
}

#[test]
fn tags_come_back_as_they_were_read() {
    for (format, _) in TAGS {
        let format: Value = serde_json::from_str(format).expect(format);
        let ir = read_structural_tag(&tag(&format)).unwrap_or_else(|f| panic!("{f}: {format}"));
        assert_eq!(Ir::read(&ir.to_string()).as_ref(), Ok(&ir), "{format}");
        let written = ir.to_structural_tag(Exactness::Exact).expect("nothing is lost").text;
        let again = read_structural_tag(&serde_json::from_str(&written).expect("JSON"))
            .unwrap_or_else(|fault| panic!("{fault}: {written}"));
        // A pattern that XGrammar reads otherwise is said as what it means.
        let ir = match format["pattern"].as_str() {
            Some("a.?") => Ir::read("'a' [^]?").expect("a form"),
            _ => ir,
        };
        // XGrammar's grammars begin with `root`, whatever other ones begin with.
        let ir = if format["syntax"] == "lark" { renamed(&ir) } else { ir };
        assert!(again == ir, "{format}\n{written}\n{ir}\n{again}");
    }
}

fn renamed(ir: &Ir) -> Ir {
    Ir::read(&ir.to_string().replace("start", "root")).expect("a form")
}

#[test]
fn older_formats_are_enough() {
    let known = [
        "const_string",
        "json_schema",
        "regex",
        "grammar",
        "any_text",
        "sequence",
        "or",
        "tag",
        "triggered_tags",
        "tags_with_separator",
    ];
    for (format, _) in TAGS {
        let format: Value = serde_json::from_str(format).expect(format);
        let ir = read_structural_tag(&tag(&format)).unwrap_or_else(|f| panic!("{f}: {format}"));
        let written = ir.to_structural_tag_of(TagFormats::Legacy, Exactness::Lossy);
        let written: Value = serde_json::from_str(&written.expect("said").text).expect("JSON");
        let mut queue = vec![&written["format"]];
        while let Some(value) = queue.pop() {
            let Some(fields) = value.as_object() else { continue };
            let kind = fields["type"].as_str().expect("a type");
            assert!(known.contains(&kind), "{kind}: {written:#}");
            let excludes = fields.get("excludes").is_some() || fields.contains_key("max_chars");
            assert!(!excludes, "{written:#}");
            queue.extend(fields.get("content"));
            for list in ["elements", "tags"] {
                queue.extend(fields.get(list).and_then(Value::as_array).into_iter().flatten());
            }
        }
    }
    let think = "\"<think>\" (anything until \"</think>\") \"</think>\\n\\n\" \"x\"?";
    let ir = Ir::read(think).expect(think);
    let written = ir.to_structural_tag_of(TagFormats::Legacy, Exactness::Exact).expect("said");
    let format = json!({ "type": "sequence", "elements": [
        { "type": "sequence", "elements": [
            { "type": "tag", "begin": "<think>", "content": { "type": "any_text" },
              "end": "</think>" },
            constant("\n\n"),
        ] },
        { "type": "or", "elements": [constant("x"), constant("")] },
    ] });
    let written: Value = serde_json::from_str(&written.text).expect("JSON");
    assert_eq!(written, tag(&format), "{written:#}");
}
