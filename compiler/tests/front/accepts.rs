//! Which texts a blueprint accepts and which it rejects.

use blueprints_compiler::{Blueprint, Ir};
use serde_json::json;

use crate::matcher::{check, matches};

/// A template, texts it accepts, texts it rejects.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

const TABLE: &[Row] = &[
    ("{% repeat min=1 max=2 %}ab{% endrepeat %}", &["ab", "abab"], &["", "a", "ababab"]),
    ("{% repeat times=3 %}a{% endrepeat %}", &["aaa"], &["", "aa", "aaaa"]),
    ("{% repeat max=0 %}a{% endrepeat %}", &[""], &["a"]),
    ("{% repeat min=2 sep=', ' %}a{% endrepeat %}", &["a, a", "a, a, a"], &["a", "aa", "a, a, "]),
    ("{% repeat sep='' %}a{% endrepeat %}", &["", "aaa"], &["b"]),
    (
        "{% choice %}{% option %}no{% endoption %}{% option %}not sure{% endoption %}\
         {% endchoice %}",
        &["no", "not sure"],
        &["not", "nonot sure", ""],
    ),
    ("a{% optional %}b{% endoptional %}c", &["ac", "abc"], &["a", "abbc"]),
    ("{{ '[0-9]{2}' | regex }}.", &["12.", "00."], &["1.", "123.", "12"]),
    (
        "{{ {'enum': ['a', 1]} | json_schema }};",
        &["\"a\";", "1;", "\"\\u0061\";"],
        &["a;", "\"b\";", "2;", "1"],
    ),
    ("{{ value }}", &["a.*{% if %}"], &["a", "ab", ""]),
    ("{{ anything() }}", &["", "a\nb", "</think>"], &[]),
    (
        "<think>{{ anything() }}</think>x",
        &["<think></think>x", "<think>a<</think>x", "<think>a</thin</think>x", "<think><</think>x"],
        &["<think>a</think>x</think>x", "<think>a</think>", "<think>x"],
    ),
    (
        "{{ anything() }}\n\n{{ '[a-z]' | regex }}",
        &["a\n\nb", "\n\nb", "a\nb\n\nc"],
        &["a\n\n\nb", "\n\n\nb", "a\nb", "a\n\n1"],
    ),
    (
        "{{ anything(until='<a') }}{% choice %}{% option %}<a>{% endoption %}\
         {% option %}<ab>{% endoption %}{% endchoice %}",
        &["x<a>", "<ab>", "<<a>"],
        &["<a<a>", "<ab><a>", "x"],
    ),
    (
        "{% repeat min=1 %}- {{ anything() }}\n{% endrepeat %}end",
        &["- a\nend", "- a\n- b\nend", "- a\nb\nend", "- \nend"],
        &["end", "- a\nend\nend", "- a\n-b"],
    ),
    ("{{ anything() }}{% optional %}STOP{% endoptional %}", &["", "a", "aSTOP"], &["STOPa"]),
];

fn lowered(template: &str) -> Ir {
    let context = json!({"value": "a.*{% if %}"});
    match Blueprint::from_str(template).and_then(|blueprint| blueprint.outline(context)) {
        Ok(outline) => outline.ir().clone(),
        Err(faults) => panic!("{template}\n{faults}"),
    }
}

#[test]
fn accepted_and_rejected_texts() {
    for (template, accepted, rejected) in TABLE {
        let ir = lowered(template);
        match rejected.is_empty() {
            // Only free text to the end of the turn has nothing to reject.
            true => assert!(accepted.iter().all(|text| matches(&ir, text)), "{template}"),
            false => check(&ir, template, accepted, rejected),
        }
    }
}

/// Every text over `alphabet` with at most `length` characters.
fn texts(alphabet: &[char], length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..length {
        let longer = |text: &String| {
            let text = text.clone();
            alphabet.iter().map(move |c| format!("{text}{c}"))
        };
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all
}

#[test]
fn free_text_ends_at_the_first_delimiter() {
    let delimiters = ["a", "aa", "ab", "aba", "abab", "baa", "abb"];
    for delimiter in delimiters {
        let ir = lowered(&format!("{{{{ anything() }}}}{delimiter}{{{{ 'c?' | regex }}}}"));
        for text in texts(&['a', 'b', 'c'], 6) {
            // The first occurrence must end the text, but for what the pattern takes.
            let ends = |rest: &str| rest.is_empty() || rest == "c";
            let expected =
                text.find(delimiter).is_some_and(|at| ends(&text[at + delimiter.len()..]));
            assert_eq!(matches(&ir, &text), expected, "{delimiter}: {text}");
        }
    }
}

#[test]
fn several_delimiters_end_at_the_first_of_them() {
    let template = "{{ anything() }}{% choice %}{% option %}ab{% endoption %}\
        {% option %}cb{% endoption %}{% endchoice %}";
    let ir = lowered(template);
    for text in texts(&['a', 'b', 'c'], 6) {
        let found = ["ab", "cb"].iter().filter_map(|delimiter| text.find(delimiter)).min();
        let expected = found.is_some_and(|at| at + 2 == text.len());
        assert_eq!(matches(&ir, &text), expected, "{text}");
    }
}
