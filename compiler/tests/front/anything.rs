//! How free text finds its delimiter.

use blueprints_compiler::{Blueprint, Code};

use crate::{context, lowered};

#[test]
fn delimiters_are_found() {
    let option = |text: &str| format!("{{% option %}}{text}{{% endoption %}}");
    let choice = format!("{{% choice %}}{}{}{{% endchoice %}}", option("<a>x"), option("</b>"));
    let loops = "{% repeat min=1 %}- {{ anything() }}\n{% endrepeat %}end";
    let cases = [
        ("{{ anything() }}".to_owned(), "any[]"),
        ("{% anything %}".to_owned(), "any[]"),
        ("{{ anything() }}abc{{ 'p'|regex }}".to_owned(), r#"any["abc"] "abc" /p/"#),
        ("{{ anything() }}ab{{ var }}c".to_owned(), r#"any["abVc"] "ab" 'V' "c""#),
        ("{{ anything(until='b') }}bcd".to_owned(), r#"any["b"] "bcd""#),
        ("{% anything until='b' %}bcd".to_owned(), r#"any["b"] "bcd""#),
        ("{% optional %}{{ anything() }}{% endoptional %}x".to_owned(), r#"(any["x"])? "x""#),
        (format!("{{{{ anything() }}}}{choice}"), r#"any["</b>", "<a>x"] ("<a>x"|"</b>")"#),
        (
            "{{ anything() }}{% optional %}a{% endoptional %}b".to_owned(),
            r#"any["ab", "b"] ("a")? "b""#,
        ),
        (
            "{{ anything() }}{% repeat min=1 %}x{% endrepeat %}y".to_owned(),
            r#"any["xx", "xy"] ("x")+ "y""#,
        ),
        (
            "{{ anything() }}{% repeat times=3 %}x{% endrepeat %}y".to_owned(),
            r#"any["xxxy"] ("x"){3,3} "y""#,
        ),
        (
            "{{ anything() }}{% repeat min=2 sep=', ' %}x{% endrepeat %}y".to_owned(),
            r#"any["x, x, x", "x, xy"] ("x"){2,};", " "y""#,
        ),
        (loops.to_owned(), r#"("- " any["\n- ", "\nend"] "\n")+ "end""#),
        (
            "{% repeat sep=';' %}{{ anything() }}{% endrepeat %}.".to_owned(),
            r#"(any[".", ";"])*;";" ".""#,
        ),
        (
            "{% macro m() %}{{ anything() }}{% endmacro %}{{ m() }}]{{ m() }}".to_owned(),
            r#"any["]"] "]" any[]"#,
        ),
        (
            "{{ anything(until=['</a>', '<b>']) }}{% choice %}{% option %}</a>{% endoption %}\
                {% option %}<b>x{% endoption %}{% endchoice %}"
                .to_owned(),
            r#"any["</a>", "<b>"] ("</a>"|"<b>x")"#,
        ),
        ("{{ anything() }}{% optional %}ab{% endoptional %}".to_owned(), r#"any["ab"] ("ab")?"#),
        ("{% set f = anything %}{{ f(until='a') }}a".to_owned(), r#"any["a"] "a""#),
        ("{{ anything() }}\n\n{{ 'p'|regex }}".to_owned(), r#"any["\n\n"] "\n\n" /p/"#),
    ];
    for (template, expected) in cases {
        assert_eq!(lowered(&template), expected, "{template}");
    }
}

#[test]
fn delimiters_that_cannot_be_are_refused_at_their_place() {
    let cases = [
        ("a{{ anything() }}{{ 'p'|regex }}", Code::UnnamedDelimiter, 1, 5),
        ("a\n{% anything %}{% anything %}", Code::UnnamedDelimiter, 2, 1),
        (
            "{{ anything() }}{% optional %}{{ 'p'|regex }}{% endoptional %}x",
            Code::UnnamedDelimiter,
            1,
            4,
        ),
        ("{% repeat %}{{ anything() }}{% endrepeat %}x", Code::UnnamedDelimiter, 1, 16),
        ("é {{ anything(until='a') }}b", Code::MissingDelimiter, 1, 6),
        ("{{ anything(until='a') }}", Code::MissingDelimiter, 1, 4),
        ("{{ anything(until='ab') }}a{{ 'p'|regex }}", Code::MissingDelimiter, 1, 4),
        ("{{ anything(until='a') }}{% optional %}a{% endoptional %}", Code::MissingDelimiter, 1, 4),
        ("{{ anything(until=['a', 'b']) }}a", Code::MissingDelimiter, 1, 4),
        (
            "{{ anything() }}{% optional %}{% optional %}ab{% endoptional %}{% endoptional %}ba",
            Code::OverlappingDelimiters,
            1,
            4,
        ),
        ("{{ anything() }}{% optional %}\n\n{% endoptional %}", Code::OverlappingDelimiters, 1, 4),
        ("{% anything until=1 %}a", Code::BadDelimiter, 1, 19),
        ("{% anything until='' %}a", Code::BadDelimiter, 1, 19),
        ("{% anything until=[] %}a", Code::BadDelimiter, 1, 19),
        ("{% anything until=none %}a", Code::BadDelimiter, 1, 19),
        ("{{ anything(until=1) }}a", Code::BadDelimiter, 1, 4),
        ("{{ anything('a') }}a", Code::MalformedArgument, 1, 4),
        ("{{ anything(untl='a') }}a", Code::UnknownArgument, 1, 4),
        ("{% anything untl='a' %}a", Code::UnknownArgument, 1, 13),
    ];
    for (template, code, line, column) in cases {
        let found = Blueprint::from_str(template).and_then(|b| b.outline(context()));
        let faults = found.map(|outline| outline.to_string()).expect_err(template);
        let found: Vec<_> = faults.iter().map(|f| (f.code, f.line, f.column)).collect();
        assert_eq!(found[0], (code, line, column), "{template}\n{faults}");
    }
}
