//! What layout leaves alone, and that it is a layout of its own.

use blueprints_compiler::Blueprint;

use crate::context;
use crate::injection::Numbers;

#[test]
fn layout_changes_only_what_is_no_content() {
    let cases = [
        ("{%repeat min=1%}a{%endrepeat%}", "{% repeat min=1 %}a{% endrepeat %}"),
        ("{{x|regex}}{{-y~ 'a  b'-}}", "{{ x | regex }}{{- y~ 'a  b' -}}"),
        (
            "{% repeat   min = 1 ,max=2 %}a{% endrepeat %}",
            "{% repeat min=1, max=2 %}a{% endrepeat %}",
        ),
        ("{%set x=[1,2 ,3]%}{{x}}", "{% set x = [1, 2, 3] %}{{ x }}"),
        (
            "{% choice %}\n{% option %}\n  a\n    {% endoption %}   \n{% endchoice %}\n b ",
            "{% choice %}\n  {% option %}\n  a\n  {% endoption %}\n{% endchoice %}\n b ",
        ),
        (
            "a\n      {%+ if f %}\nb\n    {% else %}\nc\n{% endif %}",
            "a\n      {%+ if f %}\nb\n{% else %}\nc\n{% endif %}",
        ),
        ("  x {% if f %} y {% endif %}", "  x {% if f %} y {% endif %}"),
        ("{% raw %}{%x%}  {% endraw %}", "{% raw %}{%x%}  {% endraw %}"),
        ("{{ f( a, b=1 )[ 0 ] . c }}", "{{ f(a, b=1)[0] . c }}"),
        (
            "{% call(x) m(1) %}{% endcall %}{% macro m(a,b=2) %}{% endmacro %}",
            "{% call(x) m(1) %}{% endcall %}{% macro m(a, b=2) %}{% endmacro %}",
        ),
        ("{{ a\n   | regex }}", "{{ a\n   | regex }}"),
    ];
    for (before, after) in cases {
        let formatted = Blueprint::format("t", before).unwrap();
        assert_eq!(formatted, after);
        assert_eq!(Blueprint::format("t", &formatted).unwrap(), formatted, "once is enough");
    }
    assert!(Blueprint::format("t", "{% repeat %}").is_err());
}

/// Random templates mean the same before and after, byte for byte, and layout is done at once.
#[test]
fn formatted_templates_mean_the_same() {
    const PIECES: &[&str] = &[
        "{%repeat min=1 sep=', '%}",
        "{% endrepeat   %}",
        "{%- optional -%}",
        "{% endoptional %}",
        "{%+ choice %}",
        "{% choice%}",
        "{%option%}",
        "{% endoption +%}",
        "{% endchoice %}",
        "{% if f %}",
        "{%endif%}",
        "{#c#}",
        "{{var}}",
        "{{ 'a  b' | literal(ignore_case = true) }}",
        "a",
        " b ",
        "\n",
        "\n  ",
        "  \n",
        "\t",
        "\r\n",
        "{% raw %} {{ {% endraw %}",
        "{% capture c %}",
        "{%endcapture%}",
    ];
    let mut numbers = Numbers(7);
    let (mut same, mut changed) = (0, 0);
    for _ in 0..40_000 {
        let count = 2 + numbers.next() % 12;
        let template: String = (0..count).map(|_| numbers.pick(PIECES)).collect();
        let Ok(formatted) = Blueprint::format("t", &template) else { continue };
        assert_eq!(Blueprint::format("t", &formatted).as_ref(), Ok(&formatted), "{template:?}");
        let meaning = |template: &str| {
            let outline = Blueprint::from_str(template).and_then(|b| b.outline(context()));
            outline.map(|outline| outline.to_string()).map_err(|faults| faults.len())
        };
        assert_eq!(meaning(&formatted), meaning(&template), "{template:?} {formatted:?}");
        same += 1;
        changed += usize::from(formatted != template);
    }
    assert!(same > 1000 && changed > 500, "{same} {changed}");
}
