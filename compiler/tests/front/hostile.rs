//! Templates made to exhaust the stack, the memory or the clock end in a diagnostic.

use std::collections::BTreeMap;

use blueprints_compiler::{Blueprint, Code};
use serde_json::json;

fn code(template: &str) -> Option<Code> {
    let found = Blueprint::from_str(template).and_then(|b| b.outline(json!({"a": 1})));
    found.err().and_then(|faults| faults.iter().next().map(|fault| fault.code))
}

#[test]
fn limits_end_what_does_not_end() {
    let n = 20_000;
    let doubling =
        "{% set a %}{% optional %}{{ a }}{{ a }}{% endoptional %}{% endset %}".repeat(40);
    let deep = "{% set a %}{% optional %}{{ a }}x{% endoptional %}{% endset %}".repeat(5000);
    let cases = [
        ("if", "{% if a %}".repeat(n) + &"{% endif %}".repeat(n)),
        ("repeat", "{% repeat %}".repeat(n / 4) + &"{% endrepeat %}".repeat(n / 4)),
        ("elif", "{% if a %}".to_owned() + &"{% elif a %}".repeat(n / 2) + "{% endif %}"),
        ("brackets", format!("{{{{ {}a{} }}}}", "(".repeat(n), ")".repeat(n))),
        ("lists", format!("{{{{ {}{} }}}}", "[".repeat(n), "]".repeat(n))),
        ("sum", format!("{{{{ a{} }}}}", " + a".repeat(n))),
        ("filters", format!("{{{{ a{} }}}}", "|abs".repeat(n))),
        ("calls", format!("{{{{ a{} }}}}", "()".repeat(n))),
        ("not", format!("{{{{ {}a }}}}", "not ".repeat(n))),
        ("minus", format!("{{{{ {}a }}}}", "- ".repeat(n))),
        ("conditions", format!("{{{{ {}a }}}}", "a if a else ".repeat(n / 2))),
        (
            "loop",
            "{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}\
            {% endfor %}"
                .into(),
        ),
        ("macro", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".into()),
        (
            "mutual",
            "{% macro m() %}{% repeat %}{{ n() }}{% endrepeat %}{% endmacro %}\
            {% macro n() %}{{ m() }}{% endmacro %}{{ m() }}"
                .into(),
        ),
        (
            "doubling text",
            "{% set a = 'xxxxxxxxxxxxxxxx' %}".to_owned()
                + &"\
            {% set a = a ~ a %}"
                    .repeat(60),
        ),
        ("doubling parts", "{% set a %}x{% endset %}".to_owned() + &doubling + "{{ a }}"),
        ("deep parts", "{% set a %}x{% endset %}".to_owned() + &deep + "{{ a }}"),
        ("bytes", "x".repeat((1 << 20) + 1)),
        ("long delimiter", "{{ anything() }}".to_owned() + &"x".repeat(5000)),
        (
            "many delimiters",
            "{{ anything() }}".to_owned()
                + &"{% optional %}a{% endoptional %}{% optional %}b{% endoptional %}".repeat(200)
                + "c",
        ),
        ("long delimiters", format!("{{{{ anything() }}}}{}", "x".repeat(4000)).repeat(20)),
        (
            "wide choices",
            "{% repeat %}{{ anything() }}{% choice %}".to_owned()
                + "{% for i in range(1000) %}{% option %}<{{ i }}>"
                + &"y".repeat(1000)
                + "{% endoption %}{% endfor %}{% endchoice %}{% endrepeat %}",
        ),
    ];
    for (name, template) in cases {
        assert_eq!(code(&template), Some(Code::LimitExceeded), "{name}");
    }
}

#[test]
fn many_faults_are_cut_short() {
    let template = "{% nope %}".repeat(5_000);
    let faults = Blueprint::from_str(&template).map(|b| b.warnings()).expect_err("faults");
    assert_eq!(faults.len(), 101);
    assert_eq!(faults.iter().last().map(|fault| fault.code), Some(Code::LimitExceeded));
    assert!(faults.to_string().len() < 100_000);
}

#[test]
fn what_is_large_but_flat_is_accepted() {
    let list = format!("{{% for i in [{}1] %}}{{% endfor %}}x", "'a', ".repeat(1500));
    let texts = "{{ 'a' }}{% optional %}b{% endoptional %}".repeat(5000);
    let ifs = "{% if a %}x{% endif %}".repeat(5000);
    let nested = "{% optional %}".repeat(40) + "x" + &"{% endoptional %}".repeat(40);
    let chain = format!("{{{{ a{} }}}}", " ~ a".repeat(90));
    let ends = "{% optional %}x{{ anything() }}{% endoptional %}".repeat(300) + "END";
    let spaces = format!("{{{{ a{} }}}}", " ".repeat(500_000));
    let openings = "{".to_owned() + &"{ ".repeat(100);
    for template in [list, texts, ifs, nested, chain, ends, spaces] {
        assert_eq!(code(&template), None, "{}", &template[..40]);
    }
    assert_eq!(code(&openings), Some(Code::UnclosedDelimiter));
}

#[test]
fn templates_that_include_themselves_end() {
    let files = BTreeMap::from([
        ("main".to_owned(), "{% include 'main' %}".to_owned()),
        ("a".to_owned(), "{% repeat %}{% include 'b' %}{% endrepeat %}".to_owned()),
        ("b".to_owned(), "{% include 'a' %}".to_owned()),
        ("c".to_owned(), "{% extends 'c' %}".to_owned()),
    ]);
    for name in ["main", "a", "c"] {
        let blueprint = Blueprint::with_loader(name, files.clone()).unwrap();
        let faults = blueprint.outline(()).map(|o| o.to_string()).expect_err(name);
        assert!(!faults.is_empty(), "{name}");
    }
}
