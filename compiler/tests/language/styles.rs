//! Arguments in a style: what each preset and each field of a map writes.

use std::sync::Arc;

use blueprints_compiler::{Ir, SchemaError, SchemaFault, SchemaOptions};
use serde_json::{Value, json};

use crate::matcher;

fn styled(schema: &Value, options: Value) -> Result<Ir, SchemaError> {
    let Value::Object(options) = options else { panic!("a map of options") };
    let options: Vec<_> = options.into_iter().collect();
    let options = SchemaOptions::from_arguments(&options).expect("options");
    Ir::schema(Arc::new(schema.clone()), options)
}

/// Checks a table, for the rules and for the body that targets are made of.
#[track_caller]
fn check(schema: &Value, options: Value, accepted: &[&str], rejected: &[&str]) {
    let ir = styled(schema, options.clone()).unwrap_or_else(|error| panic!("{schema}: {error:?}"));
    let name = format!("{schema} {options}");
    matcher::check(&ir, &name, accepted, rejected);
    let blueprints_compiler::ir::Kind::Schema(made) = ir.kind() else { panic!("a schema") };
    matcher::check(made.body().expect("a body"), &name, accepted, rejected);
    let nullable = ir.facts().expect("closed").nullable;
    assert_eq!(nullable, matcher::matches(&ir, ""), "{name} is nullable");
    let again = Ir::read(&ir.to_string()).expect("what is printed is read");
    assert_eq!(again, ir, "{ir}");
}

fn plain() -> Value {
    json!({
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
        "additionalProperties": false,
    })
}

#[test]
fn qwen() {
    let text = "<parameter=city>\nParis, \"5e\"\n</parameter>\n<parameter=days>\n3\n</parameter>\n";
    check(
        &plain(),
        json!({"style": "qwen_xml"}),
        &[
            text,
            "<parameter=city>\nParis\n</parameter>\n",
            "<parameter=city>\n\n</parameter>\n",
            "<parameter=city>\na\nb</parameter> \n\n</parameter>\n",
        ],
        &[
            "",
            "<parameter=days>\n3\n</parameter>\n",
            "<parameter=city>\nParis\n</parameter>",
            "<parameter=city>Paris</parameter>\n",
            "<parameter=city>\nParis\n</parameter>\n<parameter=days>\nthree\n</parameter>\n",
            "<parameter=city>\nParis\n</parameter>\n<parameter=city>\nRome\n</parameter>\n",
            "<parameter=city>\nParis\n</parameter>\n<parameter=other>\n3\n</parameter>\n",
        ],
    );
    check(
        &json!({"properties": {"on": {"type": "boolean"}}, "additionalProperties": false}),
        json!({"style": "qwen_xml"}),
        &["", "<parameter=on>\nTrue\n</parameter>\n", "<parameter=on>\nfalse\n</parameter>\n"],
        &["<parameter=on>\nTRUE\n</parameter>\n", "<parameter=on>\nnull\n</parameter>\n"],
    );
}

#[test]
fn words_about_the_value() {
    let schema = json!({
        "properties": {"a": {"type": ["string", "integer", "null"]}, "b": {"type": "array"}},
        "required": ["a"], "additionalProperties": false,
    });
    let dsml = |flag: &str, value: &str| {
        format!("<｜DSML｜parameter name=\"a\" string=\"{flag}\">{value}</｜DSML｜parameter>")
    };
    check(
        &schema,
        json!({"style": "deepseek_xml"}),
        &[&dsml("true", "x"), &dsml("true", "1"), &dsml("false", "1"), &dsml("false", "null")],
        &[&dsml("false", "x"), &dsml("true", "x</｜DSML｜parameter>"), &dsml("", "1")],
    );
    let kimi = |word: &str, value: &str| {
        format!(
            "<|open|>argument key=\"a\" type=\"{word}\"<|sep|>{value}<|close|>argument<|sep|>\
             <|open|>argument key=\"b\" type=\"array\"<|sep|>[1, \"<\"]<|close|>argument<|sep|>"
        )
    };
    check(
        &schema,
        json!({"style": "kimi_k3_xml"}),
        &[&kimi("string", "1"), &kimi("number", "1"), &kimi("null", "null")],
        &[&kimi("string", "x<|close|>argument<|sep|>"), &kimi("integer", "1"), &kimi("null", "1")],
    );
    let own = json!({
        "preset": "kimi_k3_xml", "types": {"integer": "int", "number": "float"}, "key": "plain",
    });
    let number = |word: &str, value: &str| {
        format!("<|open|>argument key=\"n\" type=\"{word}\"<|sep|>{value}<|close|>argument<|sep|>")
    };
    check(
        &json!({
            "properties": {"n": {"type": "number", "maximum": 9}}, "additionalProperties": false,
        }),
        json!({"style": own}),
        &[&number("int", "3"), &number("float", "2.5"), ""],
        &[&number("float", "3"), &number("int", "2.5"), &number("int", "10")],
    );
}

#[test]
fn keys_that_are_not_declared() {
    let glm =
        |key: &str, value: &str| format!("<arg_key>{key}</arg_key><arg_value>{value}</arg_value>");
    check(
        &json!({"properties": {"a": {"type": "integer"}}, "required": ["a"]}),
        json!({"style": "glm_xml"}),
        &[
            &glm("a", "1"),
            &(glm("a", "1") + &glm("b", "x")),
            &(glm("a", "1") + &glm("b", "[{}]") + &glm("c d</", "")),
        ],
        &[&glm("a", "x"), &glm("b", "x"), &(glm("a", "1") + &glm("a", "2"))],
    );
    check(
        &json!({"patternProperties": {"^n_": {"type": "integer"}}, "additionalProperties": false}),
        json!({"style": "glm_xml", "order": "any"}),
        &["", &glm("n_", "1"), &(glm("n_b", "1") + &glm("n_a", "2"))],
        &[&glm("n", "1"), &glm("n_a", "x")],
    );
    let attribute = |key: &str| {
        format!("<|open|>argument key=\"{key}\" type=\"number\"<|sep|>1<|close|>argument<|sep|>")
    };
    check(
        &json!({"properties": {"a&\"<": {"const": 1}}, "additionalProperties": {"const": 1}}),
        json!({"style": "kimi_k3_xml"}),
        &[&attribute("a&amp;&quot;<"), &attribute("b&amp;"), &attribute("")],
        &[&attribute("a&\"<"), &attribute("b&"), &attribute("b\"")],
    );
}

#[test]
fn raw_strings_are_held() {
    let minimax = |value: &str| format!("<parameter name=\"s\">{value}</parameter>\n");
    let of = |schema: Value| {
        let properties = json!({"s": schema});
        json!({"properties": properties, "required": ["s"], "additionalProperties": false})
    };
    let style = || json!({"style": "minimax_xml"});
    check(
        &of(json!({"enum": ["a b", "\"", "c</parameter", 7]})),
        style(),
        &[&minimax("a b"), &minimax("\""), &minimax("7")],
        &[&minimax("c</parameter>"), &minimax("\"a b\""), &minimax("8"), &minimax("")],
    );
    check(
        &of(json!({"type": "string", "pattern": "^[<a/]*$", "minLength": 2, "maxLength": 3})),
        style(),
        &[&minimax("a<"), &minimax("</a")],
        &[&minimax("a"), &minimax("b<"), &minimax("aaaa")],
    );
    check(
        &of(json!({"type": "string", "format": "date"})),
        style(),
        &[&minimax("2026-12-01")],
        &[&minimax("2026-13-01"), &minimax("\"2026-12-01\"")],
    );
    check(
        &of(json!({"type": "string"})),
        json!({"style": {"preset": "minimax_xml", "excludes": ["<parameter"]}}),
        &[&minimax("<param eter")],
        &[&minimax("<parameter"), &minimax("</parameter")[..10]],
    );
}

#[test]
fn orders_and_what_members_ask_of_one_another() {
    let entry = |key: &str| format!("{key}=1;");
    let all = |keys: &str| keys.chars().map(|key| entry(&key.to_string())).collect::<String>();
    let style = |order: &str| json!({"style": {"entry": "{key}={value};"}, "order": order});
    let schema = json!({
        "properties": {"b": {"const": 1}, "A": {"const": 1}, "c": {"const": 1}},
        "required": ["c"], "additionalProperties": false,
    });
    check(&schema, style("declared"), &[&all("bAc"), &all("c")], &[&all("Abc"), &all("b"), ""]);
    check(&schema, style("required_first"), &[&all("cbA"), &all("cA")], &[&all("bc")]);
    check(&schema, style("any"), &[&all("cAb"), &all("bc")], &[&all("bb"), &all("b"), ""]);
    check(&schema, style("sorted"), &[&all("Abc"), &all("bc")], &[&all("bAc")]);
    let tied = json!({
        "properties": {"a": {"const": 1}, "b": {"const": 1}}, "additionalProperties": false,
        "dependentRequired": {"a": ["b"]},
    });
    check(&tied, style("declared"), &["", &all("b"), &all("ab")], &[&all("a")]);
    let surrounded = json!({"style": {
        "entry": "{key}={value}", "strings": "json", "separator": ", ", "before": "(", "after": ")",
    }});
    let counted = json!({
        "properties": {"a": {"type": "string"}}, "additionalProperties": {"const": 1},
        "minProperties": 1, "maxProperties": 2,
    });
    check(
        &counted,
        surrounded,
        &["(a=\"x\")", "(b=1)", "(a=\"\", b=1)", "(b=1, c=1)"],
        &["", "()", "(a=x)", "a=\"x\"", "(a=\"\", b=1, c=1)"],
    );
}

#[test]
fn no_parameters_at_all() {
    check(&Value::Null, json!({"style": "qwen_xml"}), &[""], &["<parameter=a>\n1\n</parameter>\n"]);
    check(&json!(true), json!({"style": "glm_xml"}), &[""], &["{}"]);
}

#[test]
fn what_a_style_cannot_write() {
    let refused = |schema: Value, style: Value| {
        let error = styled(&schema, json!({"style": style}));
        let error = error.err().unwrap_or_else(|| panic!("{schema} must be refused"));
        (error.code, error.pointer)
    };
    let string = refused(json!({"type": "string"}), json!("qwen_xml"));
    assert_eq!(string, (SchemaFault::Unsatisfiable, String::new()));
    let with = |key: &str, value: Value| json!({ "properties": { key: value } });
    let cases = [
        (with("s", json!({ "const": "a</parameter>" })), "minimax_xml", "/properties/s"),
        // One of several, in whichever way it is listed.
        (with("s", json!({ "enum": ["a", "b</parameter>"] })), "minimax_xml", "/properties/s"),
        (with("s", json!({ "enum": ["a", "<|\"|>"] })), "gemma", "/properties/s"),
        // Keys that would end early, or that nothing reads back.
        (with("a\">", json!({ "minimum": 1 })), "minimax_xml", "/properties/a\">"),
        (with("a:b", json!({ "minimum": 1 })), "gemma", "/properties/a:b"),
        (with("", json!({})), "gemma", ""),
        (with("n", with(" a", json!({}))), "gemma", "/properties/n"),
        (with("{", json!({})), "gemma", ""),
        (with("<escape>", json!({})), "gemma", ""),
        (json!({ "properties": { "a,b": {} }, "minProperties": 2 }), "gemma", ""),
        (json!({ "propertyNames": { "enum": ["a", "b}"] } }), "gemma", ""),
        (json!({ "propertyNames": { "enum": ["a", "b>\n"] } }), "qwen_xml", ""),
    ];
    for (schema, style, pointer) in cases {
        let found = refused(schema.clone(), json!(style));
        assert_eq!(found, (SchemaFault::Unsupported, pointer.to_owned()), "{schema} {style}");
    }
    // A text of any kind merely has to end where it ends.
    let cdata = json!({ "entry": "<p={key}>{value}</p>", "cdata": true });
    let both = json!({ "properties": { "s": { "enum": ["a</p>", "]]>"] } } });
    assert!(styled(&both, json!({ "style": cdata })).is_ok(), "one way or the other");
}

#[test]
fn styles_that_are_none() {
    let refused = |style: Value, part: &str| {
        let arguments = [("style".to_owned(), style.clone())];
        let error = SchemaOptions::from_arguments(&arguments).expect_err("no style").to_string();
        assert!(error.contains(part), "{style}: {error}");
    };
    refused(json!("xml"), "there is no style `xml`; there are qwen_xml,");
    refused(json!(7), "a style is a name or a map");
    refused(json!({}), "a style needs `entry`");
    refused(json!({"entry": "{value};"}), "no `{key}`");
    refused(json!({"entry": "{key}"}), "`{value}` must stand once");
    refused(json!({"entry": "{key}{value};"}), "text must follow `{key}`");
    refused(json!({"entry": "{key}={value}"}), "text must follow `{value}`");
    refused(json!({"entry": "{key}={value};", "color": 1}), "a style has no `color`");
    refused(json!({"entry": "{name}={value};"}), "`{name}` is no place");
    refused(json!({"entry": "{key}={value};}"}), "`}` stands alone");
    refused(json!({"entry": "{key}={value};", "strings": "yaml"}), "takes `raw`, `json`");
    refused(json!({"entry": "{key}={value};", "types": {"int": "n"}}), "is no JSON type");
    refused(json!({"entry": "{key}={value};", "excludes": [""]}), "an empty text");
}

#[test]
fn python_literals() {
    let schema = json!({
        "properties": {
            "s": {"type": "string"}, "n": {"type": ["number", "null"]}, "l": {"type": "array"},
            "o": {"properties": {"on": {"type": "boolean"}}, "additionalProperties": false,
                  "type": "object"},
        },
        "additionalProperties": false,
    });
    check(
        &schema,
        json!({"style": "python", "whitespace": "spaced"}),
        &[
            "{}",
            "{'s': 'it\\'s \"so\"\\n\\x41\\u00e9\\U0001f319', 'n': None}",
            "{\"s\": \"it's\"}",
            "{'n': 1e5, 'l': [True, 'x', {'k': [None]}], 'o': {'on': False}}",
        ],
        &[
            "{'s': 'it's'}",
            "{'s': 'a\nb'}",
            "{'s': '\\q'}",
            "{'s': '\\ud800'}",
            "{'s': '\\U00110000'}",
            "{'n': null}",
            "{'o': {'on': true}}",
            "{'s': 'x\"}",
        ],
    );
    check(
        &json!({"enum": ["a'b", true, null, 2]}),
        json!({"style": {"values": "python", "booleans": "both"}, "escapes": "minimal"}),
        &["'a\\'b'", "\"a'b\"", "True", "true", "None", "null", "2"],
        &["'a'b'", "'a\\x27b'", "False", "\"\\x61'b\""],
    );
    check(
        &plain(),
        json!({"style": "python_arguments"}),
        &["city='Paris', days=3", "city=\"\""],
        &["", "city='Paris',days=3", "city=Paris", "days=3", "city='x', "],
    );
    let options = || json!({"style": "python_arguments", "order": "any"});
    check(
        &json!({"additionalProperties": {"type": "boolean"}}),
        options(),
        &["", "a=True", "a1=True, _b=False"],
        &["1a=True", "a-b=True", "=True", "a=true"],
    );
    let error =
        styled(&json!({"properties": {"a-b": {"type": "null"}}}), options()).expect_err("refused");
    assert_eq!((error.code, &*error.pointer), (SchemaFault::Unsupported, "/properties/a-b"));
}

#[test]
fn gemma() {
    let schema = json!({
        "properties": {
            "b": {"type": "string", "maxLength": 3},
            "a": {"type": "array", "items": {"type": "string"}},
            "c": {"type": ["null", "object"]},
        },
        "required": ["b"], "additionalProperties": false,
    });
    check(
        &schema,
        json!({"style": "gemma"}),
        &[
            "{b:<|\"|>x\"\n<|\"|>}",
            "{a:[<|\"|><|\"|>,<|\"|>:}<|\"|>],b:<|\"|><|\"|>,c:{k v:[1,true],é:null}}",
            "{b:<|\"|>x<|\"|>,c:null}",
        ],
        &[
            "{}",
            "{b:\"x\"}",
            "{b:<|\"|>abcd<|\"|>}",
            "{b:<|\"|>x<|\"|>, c:null}",
            "{b:<|\"|>x<|\"|>,a:[]}",
            // Keys that cannot be read back.
            "{b:<|\"|>x<|\"|>,c:{:null}}",
            "{b:<|\"|>x<|\"|>,c:{ k:null}}",
            "{b:<|\"|>x<|\"|>,c:{a,b:null}}",
            "{b:<|\"|>x<|\"|>,c:{a[0]:null}}",
            "{b:<|\"|>x<|\"|>,c:{<escape>a:null}}",
            "{b:<|\"|><|\"|><|\"|>}",
        ],
    );
    check(
        &schema,
        json!({"style": {"preset": "gemma", "quote": "<escape>"}, "order": "declared",
               "whitespace": "any", "max": 2}),
        &["{b:<escape>x<escape>}", "{ b : <escape><|<escape>,\n\na:[] }"],
        &["{b:<|\"|>x<|\"|>}", "{a:[],b:<escape>x<escape>}", "{   b:<escape>x<escape>}"],
    );
}

/// People with children, at every depth.
fn people() -> Value {
    json!({
        "properties": {
            "who": {"$ref": "#/$defs/person"},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        },
        "required": ["who"], "additionalProperties": false,
        "$defs": {"person": {
            "type": "object", "properties": {
                "name": {"type": "string"}, "born": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/person"}},
            },
            "required": ["name"], "additionalProperties": false,
        }},
    })
}

#[test]
fn typed_entries_that_nest() {
    let value = |name: &str, kind: &str, inner: &str| {
        format!("<cofl:value{name} type=\"{kind}\">{inner}</cofl:value>")
    };
    let name = |text: &str| value(" name=\"name\"", "raw", text);
    let who = |inner: &str| value(" name=\"who\"", "dict", inner);
    let child = value("", "dict", &name("B & {}"));
    let children = value(" name=\"children\"", "list", &(child.clone() + &child));
    let tags = |inner: &str| value(" name=\"tags\"", "list", inner);
    let tag = value("", "raw", "x");
    check(
        &people(),
        json!({"style": "cohere_xml"}),
        &[
            &who(&name("A")),
            &who(&(name("A") + &children)),
            &(who(&name("")) + &tags("")),
            &(who(&name("A")) + &tags(&(tag.clone() + &tag))),
        ],
        &[
            "",
            &who(""),
            &value(" name=\"who\"", "json", "{\"name\":\"A\"}"),
            &(who(&name("A")) + &tags(&tag.repeat(3))),
            &(who(&name("A")) + &tags(&value("", "json", "1"))),
            &(who(&name("</cofl:value>"))),
        ],
    );
}

#[test]
fn entries_that_name_their_ends() {
    let m3 = |key: &str, inner: &str| format!("]<]minimax[>[<{key}>{inner}]<]minimax[>[</{key}>");
    check(
        &people(),
        json!({"style": "minimax_m3_xml"}),
        &[
            &m3("who", &m3("name", "A")),
            &m3("who", &(m3("name", "A") + &m3("children", &m3("item", &m3("name", "]<"))))),
            &(m3("who", &m3("name", "A")) + &m3("tags", &m3("item", "").repeat(2))),
        ],
        &[
            &m3("who", ""),
            &m3("who", &m3("name", "]<]minimax[>[")),
            &(m3("who", &m3("name", "A")) + &m3("tags", &m3("item", "").repeat(3))),
            "]<]minimax[>[<who>]<]minimax[>[<name>A]<]minimax[>[</nam>]<]minimax[>[</who>",
        ],
    );
    check(
        &json!({"required": ["a"], "additionalProperties": {"type": "array", "minItems": 1}}),
        json!({"style": "minimax_m3_xml", "order": "any"}),
        &[
            &m3("a", &m3("item", "")),
            &(m3("b c", &m3("item", &m3("é", "7"))) + &m3("a", &m3("item", ""))),
        ],
        &[
            "",
            &m3("a", ""),
            &m3("b", &m3("item", "")),
            &format!(
                "{}]<]minimax[>[<b>{}]<]minimax[>[</c>",
                m3("a", &m3("item", "")),
                m3("item", "")
            ),
        ],
    );
}

#[test]
fn white_space() {
    check(
        &plain(),
        json!({"style": {"preset": "minimax_xml", "separator": "", "after": "", "blanks": "values"},
               "max": 2}),
        &[
            "<parameter name=\"city\"> a</parameter>",
            "\n<parameter name=\"city\"></parameter>\r\n\
             <parameter name=\"days\"> 3\t</parameter>  ",
        ],
        &[
            "",
            "  \n<parameter name=\"city\"></parameter>",
            "<parameter name =\"city\"></parameter>",
        ],
    );
    check(
        &Value::Null,
        json!({"style": {"entry": "<{key}>{blank}{value};", "blanks": "entries"}}),
        &["", "\n  "],
        &["x"],
    );
}
