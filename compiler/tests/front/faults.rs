//! What is wrong with a template, and where.

use std::collections::BTreeMap;

use blueprints_compiler::{Blueprint, Code, Diagnostics};
use serde_json::json;

use crate::context;

fn faults(template: &str) -> Diagnostics {
    let found = Blueprint::from_str(template).and_then(|b| b.outline(context()));
    found.map(|outline| outline.to_string()).expect_err(template)
}

/// A template, and a problem it has at a line and a column.
const CASES: &[(&str, Code, usize, usize)] = &[
    ("a \u{F0001}", Code::ReservedCharacter, 1, 3),
    ("a {{ b", Code::UnclosedDelimiter, 1, 3),
    ("\n\n{% repeet min=1 %}", Code::UnknownTag, 3, 4),
    ("{% for i in [1] %}{% break %}{% endfor %}", Code::RefusedTag, 1, 19),
    ("{% autoescape true %}{% endautoescape %}", Code::RefusedTag, 1, 1),
    ("{% if f %}{% endrepeat %}{% endif %}", Code::UnexpectedTag, 1, 11),
    ("{% repeat %}{% if f %}{% endrepeat %}{% endif %}", Code::UnexpectedTag, 1, 23),
    ("{% repeat %}{% else %}{% endrepeat %}", Code::UnexpectedTag, 1, 13),
    ("x {% optional %}", Code::UnclosedBlock, 1, 3),
    ("x {% raw %} y", Code::UnclosedBlock, 1, 3),
    ("{% choice %}{{ var }}{% endchoice %}", Code::TextInChoice, 1, 1),
    ("{% choice %}{% anything %}{% endchoice %}", Code::TextInChoice, 1, 13),
    ("{% choice %}{{ 'p'|regex }}{% endchoice %}", Code::TextInChoice, 1, 1),
    ("{% choice %}{% for s in schemas %}x{% endfor %}{% endchoice %}", Code::TextInChoice, 1, 35),
    ("a {% option %}{% endoption %}", Code::OptionOutsideChoice, 1, 3),
    ("{% repeat %}{% option %}{% endoption %}{% endrepeat %}", Code::OptionOutsideChoice, 1, 13),
    ("{% repeat mim=1 %}{% endrepeat %}", Code::UnknownArgument, 1, 11),
    ("{% repeat 3 %}{% endrepeat %}", Code::MalformedArgument, 1, 11),
    ("{% repeat min=1 min=2 %}{% endrepeat %}", Code::MalformedArgument, 1, 17),
    ("{% repeat min= %}{% endrepeat %}", Code::MalformedArgument, 1, 11),
    ("{% optional x=1 %}{% endoptional %}", Code::UnknownArgument, 1, 13),
    ("é{{ 1 + }}", Code::Syntax, 1, 9),
    ("{{ a) }}", Code::Syntax, 1, 5),
    ("{% %}", Code::Syntax, 1, 1),
    ("{{ bp_place }}", Code::Syntax, 1, 4),
    ("é\n{{ s1 | jsn_schema }}", Code::UnknownFilter, 2, 9),
    ("{{ s1 | safe }}", Code::UnknownFilter, 1, 9),
    ("{% for s in schemas %}\n  {{ nope }}\n{% endfor %}", Code::Undefined, 2, 6),
    ("{{ var.x.y }}", Code::Undefined, 1, 4),
    ("{% repeat sep=nope %}a{% endrepeat %}", Code::Undefined, 1, 15),
    ("{% repeat min=nope %}a{% endrepeat %}", Code::Undefined, 1, 15),
    ("{{ 1 / 'a' }}", Code::FailedExpression, 1, 4),
    ("{{ nope() }}", Code::FailedExpression, 1, 4),
    ("{{ range(1, 2, 3, 4) }}", Code::FailedExpression, 1, 4),
    ("{{ anything }}", Code::FailedExpression, 1, 4),
    ("{% macro m() %}{% endmacro %}{{ m }}", Code::FailedExpression, 1, 33),
    ("{% repeat min='a' %}a{% endrepeat %}", Code::BadCount, 1, 15),
    ("{% repeat min=-1 %}a{% endrepeat %}", Code::BadCount, 1, 15),
    ("{% repeat min=1.0 %}a{% endrepeat %}", Code::BadCount, 1, 15),
    ("{% repeat min=f %}a{% endrepeat %}", Code::BadCount, 1, 15),
    ("{% repeat max=4294967296 %}a{% endrepeat %}", Code::BadCount, 1, 15),
    ("{% repeat min='a' %}a{% endrepeat %}", Code::BadCount, 1, 15),
    ("{% repeat min=5 max=2 %}a{% endrepeat %}", Code::EmptyRepeat, 1, 21),
    (
        "{% for i in [1, 3] %}\n  {% repeat min=i max=2 %}a{% endrepeat %}\n{% endfor %}",
        Code::EmptyRepeat,
        2,
        23,
    ),
    ("{% repeat times=3 max=5 %}a{% endrepeat %}", Code::ConflictingCounts, 1, 19),
    ("{% choice %}{% endchoice %}", Code::EmptyChoice, 1, 1),
    ("{% choice %}{% for s in [] %}{% endfor %}{% endchoice %}", Code::EmptyChoice, 1, 1),
    ("{{ '(' | regex }}", Code::BadPattern, 1, 10),
    ("{{ 'a(?=b)' | regex }}", Code::BadPattern, 1, 15),
    ("{{ 1 | regex }}", Code::BadPattern, 1, 8),
    ("{{ '{' | json_schema }}", Code::BadSchema, 1, 10),
    ("{{ {'type': 1} | json_schema }}", Code::BadSchema, 1, 18),
    ("{{ true | json_schema(colour='red') }}", Code::BadSchemaOption, 1, 11),
    ("{{ ('p'|regex)[0:2] }}", Code::TornPart, 1, 4),
    ("{{ ('p'|regex)|list|join }}", Code::TornPart, 1, 4),
    ("{{ '\\u{F0000}' }}", Code::Syntax, 1, 4),
    ("{{ '\\udb80\\udc00' }}", Code::TornPart, 1, 4),
    ("{{ 'p'|regex|upper }}", Code::PartAsText, 1, 14),
    ("{% filter upper %}a{{ 'p'|regex }}{% endfilter %}", Code::PartAsText, 1, 11),
    ("{% if 'p'|regex == 'p' %}{% endif %}", Code::PartAsText, 1, 7),
    ("{{ 'p'|regex|tojson }}", Code::PartAsText, 1, 14),
    ("{{ ['b', 'p'|regex]|sort|join }}", Code::PartAsText, 1, 21),
    ("{% include 'nope' %}", Code::NotFound, 1, 4),
    ("{% macro m(x) %}\n{{ x.y.z }}\n{% endmacro %}\n{{ m(1) }}", Code::Undefined, 2, 4),
];

#[test]
fn faults_have_their_places() {
    for &(template, code, line, column) in CASES {
        let faults = faults(template);
        let found: Vec<_> = faults.iter().map(|f| (f.code, f.line, f.column)).collect();
        assert!(
            found.contains(&(code, line, column)),
            "{template}\n{code} {line}:{column}\n{faults}"
        );
        let ours = ["bp_repeat", "bp_any", "endwith", "bp_settled"];
        assert!(!ours.iter().any(|name| faults.to_string().contains(name)), "{faults}");
    }
}

#[test]
fn all_faults_of_a_template_are_found_at_once() {
    let template = "{% repeet %}\n{% if a %}\n{{ a | jsn }}\n{% repeat min=5 max=1 x=1 %}";
    let codes: Vec<_> = faults(template).iter().map(|f| (f.code, f.line)).collect();
    let expected = [
        (Code::UnknownTag, 1),
        (Code::UnclosedBlock, 2),
        (Code::UnknownFilter, 3),
        (Code::UnclosedBlock, 4),
        (Code::UnknownArgument, 4),
    ];
    assert_eq!(codes, expected);
}

#[test]
fn a_crossing_is_one_fault() {
    let template = "{% repeat %}{% if f %}{% endrepeat %}{% endif %}";
    let faults = faults(template);
    assert_eq!(faults.len(), 1, "{faults}");
    assert_eq!(faults.iter().next().map(|fault| fault.related.len()), Some(1));
}

#[test]
fn faults_of_other_templates_lie_in_them() {
    let files = |main: &str| {
        BTreeMap::from([
            ("main".to_owned(), main.to_owned()),
            ("broken".to_owned(), "a\n{% repeat %}".to_owned()),
            ("undefined".to_owned(), "\n{{ nope }}\n".to_owned()),
            ("lib".to_owned(), "{% macro m(x) %}\n {{ x.y.z }}{% endmacro %}".to_owned()),
        ])
    };
    let cases = [
        ("{% include 'broken' %}", "broken", Code::UnclosedBlock, 2, 1, 1),
        ("x {% include 'undefined' %}", "undefined", Code::Undefined, 2, 4, 1),
        ("{% from 'lib' import m %}{{ m(1) }}", "lib", Code::Undefined, 2, 5, 1),
        ("{% import 'lib' as l %}{{ l.m(1) }}", "lib", Code::Undefined, 2, 5, 1),
        ("{% extends 'broken' %}", "broken", Code::UnclosedBlock, 2, 1, 1),
    ];
    for (main, file, code, line, column, related) in cases {
        let blueprint = Blueprint::with_loader("main", files(main)).unwrap();
        let faults = blueprint.outline(()).map(|o| o.to_string()).expect_err(main);
        let found = faults.iter().next().unwrap();
        let place = (found.file.as_str(), found.code, found.line, found.column);
        assert_eq!(place, (file, code, line, column), "{main}\n{faults}");
        assert_eq!(found.related.len(), related, "{main}\n{faults}");
    }
}

#[test]
fn guesses_are_offered() {
    let cases = [
        ("{% repeet %}", "repeat"),
        ("{{ a | jsonschema }}", "json_schema"),
        ("{% repeat mim=1 %}{% endrepeat %}", "min"),
        ("{{ vra }}", "var"),
        ("{{ anything(untill='a') }}", "until"),
    ];
    for (template, guess) in cases {
        let faults = faults(template);
        let help = faults.iter().find_map(|f| f.help.clone()).unwrap_or_default();
        assert!(help.contains(&format!("`{guess}`")), "{template}\n{faults}");
    }
}

#[test]
fn carets_stand_under_the_place() {
    let shown = faults("é {% repeat min=5 max=2 %}a{% endrepeat %}").to_string();
    let expected = "error[BP016]: max (2) is less than min (5)
  --> <template>:1:23
  |
1 | é {% repeat min=5 max=2 %}a{% endrepeat %}
  |                       ^
  |
  = help: write the smaller bound as `min`
";
    assert_eq!(shown, expected);
}

#[test]
fn contexts_that_are_none() {
    let blueprint = Blueprint::from_str("{{ a }}").unwrap();
    let cases = [json!([1]), json!("a"), json!({"bp_place": 1})];
    for context in cases {
        let faults = blueprint.outline(&context).map(|o| o.to_string()).expect_err("a context");
        assert_eq!(faults.iter().next().unwrap().line, 0, "{context}");
    }
    let number: serde_json::Value =
        serde_json::from_str(r#"{"a": 0.10000000000000000000000001}"#).unwrap();
    let faults = blueprint.outline(number).map(|o| o.to_string()).expect_err("a number");
    assert_eq!(faults.iter().next().unwrap().code, Code::InexactNumber);
    assert!(Blueprint::from_file("no/such/file.jinja").is_err());
}
