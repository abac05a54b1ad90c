//! The constructs together with Jinja's own: what a template means, as a table.

use std::collections::BTreeMap;

use blueprints_compiler::Blueprint;
use serde_json::json;

use crate::{lowered, short};

#[test]
fn constructs_and_jinja() {
    let cases = [
        ("{% repeat times=3 %}a{% endrepeat %}", r#"("a"){3,3}"#),
        ("{% repeat min=2, max = 3 sep=', ' %}a{% endrepeat %}", r#"("a"){2,3};", ""#),
        ("{% repeat %}a{% endrepeat %}", r#"("a")*"#),
        ("{% repeat max=schemas|length min=1+0 %}a{% endrepeat %}", r#"("a"){1,2}"#),
        ("{% repeat times=2 %}{% endrepeat %}", ""),
        ("{{ var }}{{ 1 }}{{ 1.5 }}{{ 'x' ~ var }}", "'V11.5xV'"),
        ("<|x|>{{ '<|x|>' }}", r#""<|x|>" '<|x|>'"#),
        ("{% if f %}a{% else %}b{% endif %}", r#""a""#),
        ("{% if not f %}a{% elif var == 'V' %}b{% endif %}", r#""b""#),
        (
            "{% for s in schemas %}{{ s|regex }}{% if not loop.last %},{% endif %}{% endfor %}",
            r#"/p/ "," /q/"#,
        ),
        ("{% set x = 'a' %}{{ x }}", "'a'"),
        (
            "{% set x %}{% optional %}a{% endoptional %}{% endset %}{{ x }}{{ x }}",
            r#"("a")? ("a")?"#,
        ),
        (
            "{% set x %}{{ var }}{% endset %}{% if x == 'V' %}ok{% endif %}{{ x|lower }}",
            r#""ok" 'v'"#,
        ),
        (
            "{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(var) }}{{ m('<|x|>') }}",
            r#""<" 'V' "><" '<|x|>' ">""#,
        ),
        (
            "{% macro m() %}<{{ var }}{% endmacro %}{% if m() == '<V' %}a{% endif %}\
             {% if 'V' in m()|trim and m() != '' %}b{% endif %}",
            r#""ab""#,
        ),
        (
            "{% set x %}<{{ var }}>{% endset %}{{ 'a' if x == '<V>' else 'b' }}\
             {% for s in schemas if s == 'p' and x in ['<V>'] %}{{ s }}{% endfor %}",
            "'ap'",
        ),
        ("{% macro m() %}\na \n{% endmacro %}{{ m()|trim }}", r#""a""#),
        ("{% macro m() %} {{ ' x ' }} {% endmacro %}{{ m()|trim }}", "'x'"),
        (
            "{% macro opts() %}{% option %}a{% endoption %} {% option %}b{% endoption %}\
                {% endmacro %}{% choice %}{{ opts() }}{% endchoice %}",
            r#"("a"|"b")"#,
        ),
        (
            "{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}{% optional %}a\
                {% endoptional %}{% endcall %}",
            r#""[" ("a")? "]""#,
        ),
        ("{% with y = 'b' %}{{ y }}{% endwith %}", "'b'"),
        (
            "{% set y = 'a' %}{% optional %}{% set y = 'b' %}{{ y }}{% endoptional %}{{ y }}",
            "('b')? 'a'",
        ),
        ("{% filter upper %}abc{% endfilter %}", r#""ABC""#),
        ("{{ [schemas[0]|regex, var]|join(', ') }}", "/p/ ', V'"),
        ("{{ schemas|map('regex')|join('|') }}", "/p/ '|' /q/"),
        ("{{ {'b': 1, 'a': [1.50, none]}|tojson }}", r#"'{"b": 1, "a": [1.5, null]}'"#),
        ("{{ {'a': [1]}|tojson(indent=2) }}", "'{\n  \"a\": [\n    1\n  ]\n}'"),
        ("{{ { 'a': {'b': '}}' }}['a']['b'] }}", "'}}'"),
        ("{% set a = \"%}\" %}{{ a }}", "'%}'"),
        (
            "{% choice %}{% if f %}{% option %}a{% endoption %}{% endif %}{% option %}b\
                {% endoption %}{% endchoice %}",
            r#"("a"|"b")"#,
        ),
        (
            "{% choice %}{% option %}no{% endoption %}{% option %}not sure{% endoption %}\
                {% endchoice %}",
            r#"("no"|"not sure")"#,
        ),
        (
            "{% choice %}{% option %}{% endoption %}{% option %}a{% endoption %}{% endchoice %}",
            r#"(|"a")"#,
        ),
        ("{{ var|replace('V', '<') }}", "'<'"),
        ("{% repeat sep='<|s|>' %}{{ var }}{% endrepeat %}", r#"('V')*;"<|s|>""#),
    ];
    for (template, expected) in cases {
        assert_eq!(lowered(template), expected, "{template}");
    }
}

#[test]
fn templates_from_a_loader() {
    let files = [
        (
            "main",
            "{% extends 'base' %}{% block body %}{% include 'a' %}{{ super() }}{% endblock %}",
        ),
        ("base", "<{% block body %}{% repeat %}b{% endrepeat %}{% endblock %}>\n"),
        ("a", "{% from 'lib' import twice %}{{ twice('x') }}"),
        ("lib", "{% macro twice(s) %}{% repeat times=2 %}{{ s }}{% endrepeat %}{% endmacro %}"),
    ];
    let files: BTreeMap<String, String> =
        files.into_iter().map(|(name, text)| (name.into(), text.into())).collect();
    let blueprint = Blueprint::with_loader("main", files).unwrap();
    let outline = blueprint.outline(()).unwrap();
    assert_eq!(short(outline.ir()), r#""<" ('x'){2,2} ("b")* ">\n""#);
}

#[test]
fn a_schema_arrives_as_it_is() {
    let text = r#"{"type":"string","title":"z","minLength":1,"examples":[{"b":1.50,"a":1}]}"#;
    let schema: serde_json::Value = serde_json::from_str(text).unwrap();
    let blueprint = Blueprint::from_str("{{ s | json_schema }}").unwrap();
    let outline = blueprint.outline(json!({ "s": schema })).unwrap();
    assert_eq!(short(outline.ir()), format!("<{text}>"));
    // The text of a schema and one written in the template are read just so.
    let outline = blueprint.outline(json!({ "s": text })).unwrap();
    assert_eq!(short(outline.ir()), format!("<{text}>"));
    assert_eq!(lowered("{{ {'type': 'null'} | json_schema }}"), r#"<{"type":"null"}>"#);
    assert_eq!(lowered("{{ true | json_schema(whitespace='compact') }}"), "<true>");
}

#[test]
fn a_refused_schema_has_its_pointer() {
    let blueprint = Blueprint::from_str("x\n{{ s | json_schema }}").unwrap();
    let schema = json!({"properties": {"a": {"minimum": "1"}}});
    let faults = blueprint.outline(json!({ "s": schema })).map(|o| o.to_string()).unwrap_err();
    let fault = faults.iter().next().unwrap();
    let pointer = fault.pointer.as_deref().unwrap_or_default();
    assert!(pointer.starts_with("/properties/a"), "{faults}");
    assert_eq!((fault.line, fault.column), (2, 8), "{faults}");
}

#[test]
fn undeclared_variables_are_named() {
    let template = "{{ a }}{% for b in c %}{{ b.x }}{{ anything() }}{{ d }}{% endfor %}";
    let blueprint = Blueprint::from_str(template).unwrap();
    assert_eq!(blueprint.undeclared_variables(), ["a", "c", "d"]);
}

#[test]
fn an_indented_value_on_its_own_line_is_warned_of() {
    let template = "a\n  {% choice %}\n{% option %}a{% endoption %}\n  {% endchoice %}\n";
    let blueprint = Blueprint::from_str(template).unwrap();
    let outline = blueprint.outline(()).unwrap();
    let found: Vec<_> = outline.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("<template>:2:3: BP033"), "{found:?}");
    assert_eq!(short(outline.ir()), r#""a\na""#);
}
