//! Rule R: which blanks and line breaks of a template are text, as a table of named cases.

use std::collections::BTreeMap;

use blueprints_compiler::{Blueprint, Code};

use crate::{lowered, short};

const HERMES: &str = "<|im_start|>assistant
{% repeat min=1 %}
<tool_call>
{% choice %}
    {% option %}{{ s1|regex }}{% endoption %}
    {% option %}{{ s2|regex }}{% endoption %}
    {% option %}{{ s3|regex }}{% endoption %}
{% endchoice %}
</tool_call>
{% endrepeat %}
<|im_end|>
";

const HERMES_OUTLINE: &str =
    r#""<|im_start|>assistant\n" ("<tool_call>\n" (/p/|/q/|/r/) "\n</tool_call>\n")+ "<|im_end|>""#;

const DEEPSEEK_OUTLINE: &str = concat!(
    r#""<|im_start|>assistant\n<think>\n" any["\n</think>\n"] "\n</think>\n" "#,
    r#"/p/ "\n<|im_end|>""#
);

#[test]
fn the_worked_examples() {
    let cases = [
        ("01_hermes", HERMES, HERMES_OUTLINE),
        (
            "02_deepseek",
            "<|im_start|>assistant\n<think>\n{{ anything() }}\n</think>\n{{ s1|regex }}\n\
                <|im_end|>\n",
            DEEPSEEK_OUTLINE,
        ),
        ("03_repeat", "{% repeat min=1 max=5 %}...{% endrepeat %}", r#"("..."){1,5}"#),
        (
            "04_choice",
            "{% choice %}\n    {% option %}option1{% endoption %}\n    {% option %}option2\
                {% endoption %}\n{% endchoice %}\n",
            r#"("option1"|"option2")"#,
        ),
        (
            "05_optional",
            "A\n{% optional %}\n  This may or may not appear\n{% endoptional %}\nB",
            r#""A\n" ("  This may or may not appear\n")? "B""#,
        ),
        ("06_variable", "{{ var }}{% anything %}", "'V' any[]"),
        (
            "07_anything",
            "<think>\n{% anything %}\n</think>",
            r#""<think>\n" any["\n</think>"] "\n</think>""#,
        ),
        (
            "08_long_options",
            "x\n{% choice %}\n{% option %}\nline A\n{% endoption %}\n{% option %}\nB1\nB2\n\
                {% endoption %}\n{% endchoice %}\ny",
            r#""x\n" ("line A"|"B1\nB2") "\ny""#,
        ),
        (
            "09_inline",
            "Answer: {% choice %}{% option %}yes{% endoption %}{% option %}no{% endoption %}\
                {% endchoice %}\nDone{% optional %}!{% endoptional %}\nend",
            r#""Answer: " ("yes"|"no") "\nDone" ("!")? "\nend""#,
        ),
        (
            "10_several_tags_on_a_line",
            "a\n{% optional %}{% repeat min=1 %}\n- item\n{% endrepeat %}{% endoptional %}\nb",
            r#""a\n" (("- item\n")+)? "b""#,
        ),
        (
            "11_loop_over_options",
            "{% choice %}\n{% for s in schemas %}\n  {% option %}{{ s|regex }}{% endoption %}\n\
                {% endfor %}\n{% endchoice %}\n</tool_call>",
            r#"(/p/|/q/) "\n</tool_call>""#,
        ),
        (
            "12_comment_set_if",
            "a\n{# note #}\n{% set q=1 %}\n{% if f %}\nb\n{% endif %}\nc",
            r#""a\nb\nc""#,
        ),
        ("13_plus", "a\n  {%+ if f +%}\nb\n{% endif %}\nc", r#""a\n  \nb\nc""#),
        (
            "15_inline_choice_keeps_indentation",
            "<a>\n  {% choice %}{% option %}x{% endoption %}{% option %}y{% endoption %}\
                {% endchoice %}\n</a>",
            r#""<a>\n  " ("x"|"y") "\n</a>""#,
        ),
    ];
    for (name, template, expected) in cases {
        assert_eq!(lowered(template), expected, "{name}");
        let crlf = template.replace('\n', "\r\n");
        assert_eq!(lowered(&crlf), expected, "{name} with CRLF");
        assert_eq!(lowered(&format!("\n{template}")), expected, "{name} after a line break");
    }
}

#[test]
fn example_14_text_in_a_choice_is_an_error() {
    let template = "{% choice %}\n  oops\n{% option %}a{% endoption %}{% endchoice %}";
    let faults = Blueprint::from_str(template).unwrap_err();
    let found: Vec<_> =
        faults.iter().map(|f| (f.code, f.line, f.column, f.range.clone())).collect();
    assert_eq!(found, [(Code::TextInChoice, 2, 3, 15..19)]);
}

#[test]
fn an_included_file_keeps_its_line_break() {
    let files = BTreeMap::from([
        ("main".to_owned(), "a\n{% include 'part' %}\nb\n".to_owned()),
        ("part".to_owned(), "X\n".to_owned()),
    ]);
    let blueprint = Blueprint::with_loader("main", files).unwrap();
    assert_eq!(short(blueprint.outline(()).unwrap().ir()), r#""a\nX\nb""#);
}

#[test]
fn a_separated_repeat_follows_the_option_rule() {
    let cases = [
        ("{% repeat sep=', ' %}\na\n{% endrepeat %}\n.", r#"("a")*;", " ".""#),
        ("{% repeat %}\na\n{% endrepeat %}\n.", r#"("a\n")* ".""#),
        ("{% repeat sep=', ' %}a\n{% endrepeat %}\n.", r#"("a\n")*;", " ".""#),
        ("{% repeat sep=var %}\n{{ var }}\n{% endrepeat %}", r#"('V')*;'V'"#),
    ];
    for (template, expected) in cases {
        assert_eq!(lowered(template), expected, "{template}");
    }
}

#[test]
fn marks_and_raw_blocks() {
    let cases = [
        ("a \n {%- if f -%} \n b{% endif %}", r#""ab""#),
        ("a {{- var -}} b", r#""a" 'V' "b""#),
        ("a {#- note -#} b", r#""ab""#),
        ("{% raw %}\n {{ x }}\n{% endraw %}\n", r#""\n {{ x }}\n""#),
        ("a {%- raw -%} {% b {%- endraw -%} c", r#""a{% bc""#),
        ("{ {#- -#} { x", r#""{{ x""#),
        ("{% raw %}{{% endraw %}{# #}{ x {", r#""{{ x {""#),
        ("\n\na\n\n", r#""\na\n""#),
        ("{{ var }}\n{{ var }}\n", r#"'V' "\n" 'V'"#),
        ("{% if f %}\na\n{% endif %}\n", r#""a\n""#),
        ("x{% if f %}\na\n{% endif %}y\n", r#""x\na\ny""#),
    ];
    for (template, expected) in cases {
        assert_eq!(lowered(template), expected, "{template}");
    }
}
