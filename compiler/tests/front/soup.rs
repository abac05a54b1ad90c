//! Templates of random words: whatever they are, the answer is an outline or a diagnostic with a
//! place in the text.

use blueprints_compiler::Blueprint;

use crate::context;
use crate::injection::Numbers;

const WORDS: &[&str] = &[
    "{%",
    "%}",
    "{{",
    "}}",
    "{#",
    "#}",
    "{%-",
    "-%}",
    "{%+",
    "+%}",
    "{",
    "}",
    "%",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    "|",
    "=",
    "==",
    "'",
    "\"",
    "\\",
    "\n",
    "\r\n",
    " ",
    "\t",
    "é",
    "\u{F0000}",
    "a",
    "1",
    "repeat",
    "endrepeat",
    "choice",
    "endchoice",
    "option",
    "endoption",
    "optional",
    "endoptional",
    "anything",
    "anything()",
    "until",
    "min=",
    "max=",
    "times=",
    "sep=",
    "if",
    "else",
    "elif",
    "endif",
    "for",
    "in",
    "endfor",
    "set",
    "endset",
    "macro",
    "m()",
    "endmacro",
    "raw",
    "endraw",
    "var",
    "schemas",
    "regex",
    "json_schema",
    "trim",
    "not",
    "is",
    "with",
    "endwith",
    "block",
    "endblock",
    "include",
    "call",
    "endcall",
    "filter",
    "endfilter",
    "do",
];

const BLOCKS: &[&str] = &[
    "{% repeat min=1 %}",
    "{% repeat sep=var %}",
    "{% endrepeat %}",
    "{% choice %}",
    "{% endchoice %}",
    "{% option %}",
    "{% endoption %}",
    "{% optional %}",
    "{% endoptional %}",
    "{% anything %}",
    "{{ anything() }}",
    "{{ var }}",
    "{{ var|regex }}",
    "{% if f %}",
    "{% else %}",
    "{% endif %}",
    "{% for s in schemas %}",
    "{% endfor %}",
    "{% set x %}",
    "{% endset %}",
    "{{ x }}",
    "{% raw %}",
    "{% endraw %}",
    "\n",
    "  ",
    "text",
    "{",
    "{{ x == var }}",
    "{# c #}",
    "{%- if f -%}",
];

#[test]
fn every_answer_has_a_place() {
    let mut numbers = Numbers(7);
    for round in 0..2500 {
        let words = if round % 2 == 0 { WORDS } else { BLOCKS };
        let count = numbers.next() % 24;
        let template: String = (0..count).map(|_| numbers.pick(words)).collect();
        let found = Blueprint::from_str(&template).and_then(|b| b.outline(context()));
        let Err(faults) = found else { continue };
        assert!(!faults.is_empty(), "{template:?}");
        for fault in &faults {
            let text = template.get(fault.range.clone());
            assert!(text.is_some() && fault.line > 0, "{template:?}: {fault}");
        }
        assert!(faults.to_string().contains(" --> "), "{template:?}");
    }
}
