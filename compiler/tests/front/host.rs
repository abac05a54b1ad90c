//! What a host adds to templates, and blueprints that are called like functions.

use std::collections::BTreeMap;

use blueprints_compiler::{Blueprint, Code, Extensions, HostCall, Ir, Made, TemplateLimits};
use serde_json::json;

fn extensions() -> Extensions {
    let twice = |call: &HostCall| {
        let text = call.value.as_ref().and_then(|value| value.as_str()).ok_or("a text, please")?;
        Ok(Made::Part(Ir::repeat(Ir::value(text), 2, Some(2), None)))
    };
    let bold = |call: &HostCall| {
        let [text] = call.positional.as_slice() else { return Err("one argument".into()) };
        let mark = call.named.get("mark").and_then(|mark| mark.as_str()).unwrap_or("*");
        let text = text.as_str().ok_or("a text")?;
        Ok(Made::Value(format!("{mark}{text}{mark}").into()))
    };
    Extensions::default()
        .filter("twice", twice)
        .function("bold", bold)
        .global("digits", Made::Part(Ir::regex("[0-9]+").unwrap()))
        .global("settings", Made::Value(json!({ "unit": "cm" })))
        .clock(|| 951_868_799)
}

fn printed(template: &str) -> Result<String, Vec<(Code, usize, usize)>> {
    Blueprint::extended(template, extensions())
        .and_then(|blueprint| blueprint.outline(()))
        .map(|outline| outline.to_string())
        .map_err(|faults| faults.iter().map(|f| (f.code, f.line, f.column)).collect())
}

#[test]
fn what_a_host_adds_is_part_of_the_language() {
    let cases = [
        ("{{ 'a' | twice }}", "'a'{2}"),
        ("{{ bold('x') }}{{ bold('y', mark='_') }}", "'*x*_y_'"),
        ("{{ digits }}.{{ digits }}", "regex /[0-9]+/ \".\" regex /[0-9]+/"),
        ("{{ settings.unit }}{{ strftime_now('%d %B %Y') }}", "'cm29 February 2000'"),
        (
            "{% macro m() %}{{ digits }}{{ 'b' | twice }}{% endmacro %}{{ m() }}",
            "regex /[0-9]+/ 'b'{2}",
        ),
        (
            "{% set d = digits %}{% repeat sep=digits %}a{% endrepeat %}",
            "\"a\"{0, sep regex /[0-9]+/}",
        ),
    ];
    for (template, expected) in cases {
        assert_eq!(printed(template).as_deref(), Ok(expected), "{template}");
    }
}

#[test]
fn what_a_host_refuses_has_its_place() {
    let cases = [
        ("a {{ 1 | twice }}", Code::HostFailed, 10),
        ("{{ bold() }}", Code::HostFailed, 4),
        ("{{ digits | twice }}", Code::PartAsText, 13),
        ("{{ 'a' | twise }}", Code::UnknownFilter, 10),
        ("{{ strftime_now('%Q') }}", Code::FailedExpression, 4),
    ];
    for (template, code, column) in cases {
        let faults = printed(template).expect_err(template);
        assert!(faults.contains(&(code, 1, column)), "{template} {faults:?}");
    }
    for name in ["regex", "anything", "bp_x", "two words", ""] {
        let extensions = Extensions::default().global(name, Made::Value(json!(1)));
        assert!(Blueprint::extended("a", extensions).is_err(), "{name}");
    }
    // Without a clock the same template means the same every time.
    let found = Blueprint::from_str("{{ strftime_now('%Y') }}").and_then(|b| b.outline(()));
    assert!(found.is_err());
}

#[test]
fn a_blueprint_of_one_variable_is_a_function() {
    let outline = |template: &str| Blueprint::from_str(template).unwrap().call("Hello");
    assert_eq!(outline("{{ name }}!").unwrap().to_string(), "'Hello' \"!\"");
    assert_eq!(outline("{% set a = 1 %}{{ a }}{{ name }}").unwrap().to_string(), "'1Hello'");
    for template in ["a", "{{ a }}{{ b }}"] {
        let faults = outline(template).map(|outline| outline.to_string()).expect_err(template);
        let fault = faults.iter().next().unwrap();
        assert_eq!(fault.code, Code::BadCall);
        assert!(!template.contains('b') || fault.message.contains("`a`, `b`"), "{fault}");
    }
}

#[test]
fn calls_of_macros_lead_to_a_fault() {
    let files = BTreeMap::from([
        (
            "main".to_owned(),
            "{% import 'lib' as lib %}\n{% for x in ['a', '('] %}\n{{ lib.outer(x) }}\n{% endfor %}"
                .to_owned(),
        ),
        (
            "lib".to_owned(),
            "{% macro inner(p) %}\n{{ p | regex }}\n{% endmacro %}\n{% macro outer(p) %}\n\
             {% optional %}{{ inner(p) }}{% endoptional %}\n{% endmacro %}"
                .to_owned(),
        ),
        ("other".to_owned(), "x\n{% include 'main' %}".to_owned()),
    ]);
    let limits = TemplateLimits::default();
    for (name, expected) in [
        ("main", vec![("lib", 5, 18), ("main", 3, 4)]),
        ("other", vec![("lib", 5, 18), ("main", 3, 4), ("other", 2, 1)]),
    ] {
        let blueprint = Blueprint::with_limits(name, files.clone(), limits.clone()).unwrap();
        let faults = blueprint.outline(()).map(|outline| outline.to_string()).expect_err(name);
        let fault = faults.iter().next().unwrap();
        assert_eq!((fault.code, fault.file.as_str(), fault.line), (Code::BadPattern, "lib", 2));
        let related: Vec<_> =
            fault.related.iter().map(|r| (r.file.as_str(), r.line, r.column)).collect();
        assert_eq!(related, expected, "{faults}");
    }
}
