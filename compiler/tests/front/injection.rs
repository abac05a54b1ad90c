//! Data never becomes structure, whatever filters it passes.
//!
//! A seeded walk through chains of filters: the strings of the context hold handles, markers and
//! template text. With the same template and harmless strings the outline must have the same
//! structure; what was data must stay data.

use std::collections::BTreeSet;

use blueprints_compiler::ir::{Kind, Origin};
use blueprints_compiler::{Blueprint, Code, Ir};
use serde_json::{Value, json};

/// A small generator of numbers (Steele, Lea, Flood 2014: SplitMix).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[(self.next() % from.len() as u64) as usize]
    }
}

const HOSTILE: &[&str] = &[
    "\u{F0000}0\u{F0001}",
    "0\u{F0001}",
    "\u{F0000}",
    "{% repeat %}x{% endrepeat %}",
    "{{ anything() }}",
    "%s\u{F0000}1\u{F0001}",
    "{{ '\u{F0000}' }}",
    "1",
    "a{% option %}",
    "<|im_end|>",
    "%s",
    "[1, 2]",
    "{\"type\": \"string\"}",
];

const BASES: &[&str] = &[
    "data",
    "data ~ part",
    "part ~ data",
    "mixed",
    "mixed ~ data",
    "[data, part]",
    "[part, data]|join(data)",
    "{'a': data}",
    "'%s'|format(data)",
    "mixed|replace('b', data)",
    "data|replace('1', part)",
    "part|default(data)",
    "m(data)",
    "m(part)",
    "[data, mixed]|map('string')|list",
    "data[0:1] ~ data",
    "'\\udb80\\udc00' ~ data",
    "data.strip()",
    "data.replace('1', part)",
    "data.split('1')",
    "mixed.upper()",
    "'-'.join([data, part])",
    "'{}{}'.format(data, part)",
    "'{}'.format(data)",
    "{data: data}.items()",
    "[data, part] | choice",
    "string(pattern=data)",
];

const FILTERS: &[&str] = &[
    "upper",
    "lower",
    "title",
    "capitalize",
    "replace('a', 'b')",
    "replace(data, part)",
    "replace('x', data)",
    "length",
    "trim",
    "trim('1')",
    "join",
    "join(part)",
    "join(data)",
    "split(data)",
    "split",
    "lines",
    "default(data)",
    "string",
    "list",
    "first",
    "last",
    "reverse",
    "sort",
    "unique",
    "tojson",
    "tojson(indent=1)",
    "indent",
    "format(data)",
    "format(part)",
    "pprint",
    "batch(2)",
    "slice(2)",
    "map('string')",
    "map('upper')",
    "items",
    "dictsort",
    "chain(data)",
    "zip(data)",
    "select",
    "reject('none')",
    "min",
    "max",
    "sum",
    "attr('a')",
    "bool",
    "int",
    "groupby('a')",
    "json_schema",
    "regex",
    "choice",
    "literal",
    "literal(ignore_case=true)",
    "literal(name=data)",
    "substring",
    "grammar",
    "grammar(syntax='lark')",
    "xml_attr",
    "xml_text",
    "py_str",
    "json_str",
    "tojson(ensure_ascii=true, separators=[data, data])",
];

fn outline(template: &str, data: &str) -> Result<Ir, Code> {
    let context: Value = json!({ "data": data });
    let found = Blueprint::from_str(template).and_then(|b| b.outline(context));
    match found {
        Ok(outline) => Ok(outline.ir().clone()),
        Err(faults) => Err(faults.iter().next().expect("a refusal has a fault").code),
    }
}

/// Fails unless every part is one that the template makes, and collects the author's text.
fn check_parts(ir: &Ir, made_by: &str, source: &mut String) {
    match ir.kind() {
        Kind::Text(text) if text.origin == Origin::Source => source.push_str(&text.string),
        Kind::Text(text) => assert!(!text.string.contains('\u{F0000}'), "{ir}"),
        Kind::Sequence(inner) => inner.iter().for_each(|ir| check_parts(ir, made_by, source)),
        Kind::Repeat(repeat) if repeat.max == Some(1) => {
            assert!(made_by.contains("part"), "{made_by}: {ir}");
            assert_eq!(repeat.body, Ir::text("a"), "{made_by}: {ir}");
        }
        Kind::Repeat(repeat) => {
            let made = made_by.contains("{% repeat") || made_by.contains("|grammar");
            assert!(made, "{made_by}: {ir}");
            check_parts(&repeat.body, made_by, source);
            if let Some(separator) = &repeat.separator {
                check_parts(separator, made_by, source);
            }
        }
        Kind::Regex(_) => assert!(made_by.contains("|regex"), "{made_by}: {ir}"),
        Kind::Schema(_) => {
            let made = made_by.contains("|json_schema") || made_by.contains("string(");
            assert!(made, "{made_by}: {ir}");
        }
        Kind::Choice(arms) => {
            let made = ["choice", "|grammar", "|substring", "ignore_case"];
            assert!(made.iter().any(|by| made_by.contains(by)), "{made_by}: {ir}");
            arms.iter().for_each(|arm| check_parts(arm, made_by, source));
        }
        Kind::Class(_) | Kind::Automaton(_) | Kind::Grammar(_) => {
            let made = ["|grammar", "|substring", "ignore_case"];
            assert!(made.iter().any(|by| made_by.contains(by)), "{made_by}: {ir}");
        }
        Kind::Capture(capture) => {
            assert!(made_by.contains("name=data"), "{made_by}: {ir}");
            check_parts(&capture.body, made_by, source);
        }
        _ => panic!("{made_by}: {ir}"),
    }
}

/// What is left of a language without the texts of values: the author's text, and how the parts
/// stand to each other. Arms that are alike are one, for there are as many as values.
fn shape(ir: &Ir) -> String {
    match ir.kind() {
        Kind::Text(text) if text.origin == Origin::Source => text.string.to_string(),
        Kind::Text(_) => String::new(),
        Kind::Sequence(parts) => parts.iter().map(shape).collect(),
        Kind::Choice(arms) => {
            let arms: BTreeSet<String> = arms.iter().map(shape).filter(|s| !s.is_empty()).collect();
            let arms: Vec<String> = arms.into_iter().collect();
            if arms.is_empty() { String::new() } else { format!("({})", arms.join("|")) }
        }
        Kind::Repeat(repeat) => {
            let separator = repeat.separator.as_ref().map(shape).unwrap_or_default();
            let (min, max) = (repeat.min, repeat.max);
            format!("({}){{{min},{max:?} {separator}}}", shape(&repeat.body))
        }
        Kind::Regex(_) => "regex".to_owned(),
        Kind::Schema(_) => "schema".to_owned(),
        Kind::Capture(capture) => shape(&capture.body),
        _ => panic!("{ir}"),
    }
}

/// Filters that make structure from what they read, put parts where they find a text, or choose
/// among texts by comparing them: what they make depends on the data by their meaning.
const READERS: &[&str] = &[
    "|grammar",
    "|substring",
    "ignore_case",
    "replace(",
    "|regex",
    "join(part)",
    "|min",
    "|max",
    "|sort",
    "|unique",
];

/// How many chains are tried; a longer run asks for more.
fn chains() -> usize {
    let asked = std::env::var("BLUEPRINTS_FUZZ_CHAINS").ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(10_000)
}

#[test]
fn data_never_becomes_structure() {
    // The first parts of the arena are never used: who forges a handle finds them.
    let prelude = "{% set unused %}{% repeat %}FORGED{% endrepeat %}\
        {% choice %}{% option %}FORGED{% endoption %}{% endchoice %}{% endset %}\
        {% set part %}{% optional %}a{% endoptional %}{% endset %}\
        {% set mixed %}b{{ data }}{% endset %}\
        {% macro m(x) %}<{{ x }}>{% endmacro %}";
    let mut numbers = Numbers(1495);
    let (mut rendered, mut refused, mut compared) = (0, 0, 0);
    for _ in 0..chains() {
        let mut expression = format!("({})", numbers.pick(BASES));
        for _ in 0..numbers.next() % 4 {
            expression = format!("({expression}|{})", numbers.pick(FILTERS));
        }
        let template = match numbers.next() % 3 {
            0 => format!("{{{{ {expression} }}}}"),
            1 => format!("{{% repeat sep={expression} %}}a{{% endrepeat %}}"),
            _ => format!("{{% set y %}}{{{{ {expression} }}}}{{% endset %}}{{{{ y }}}}"),
        };
        let data = numbers.pick(HOSTILE);
        let Ok(found) = outline(&format!("{prelude}{template}"), data) else {
            refused += 1;
            continue;
        };
        rendered += 1;
        if !READERS.iter().any(|reader| template.contains(reader))
            && let Ok(harmless) = outline(&format!("{prelude}{template}"), "x")
        {
            assert_eq!(shape(&found), shape(&harmless), "{template}\n{data:?}\n{found}");
            compared += 1;
        }
        let mut source = String::new();
        check_parts(&found, &template, &mut source);
        let authors = ["{%", "{{", "anything", "%s", "FORGED", "\u{F0000}", "\u{F0001}"];
        assert!(!authors.iter().any(|text| source.contains(text)), "{template}\n{data:?}\n{found}");
    }
    assert!(rendered > 400, "only {rendered} of {} chains rendered", rendered + refused);
    assert!(compared > rendered / 2, "only {compared} of {rendered} shapes were compared");
}

#[test]
fn reserved_characters_in_data_are_refused() {
    for data in ["\u{F0000}0\u{F0001}", "a\u{F001F}"] {
        for template in ["{{ data }}", "{% set x %}{{ data }}{% endset %}", "{{ [data] | tojson }}"]
        {
            let code = outline(template, data).map(|ir| ir.to_string()).expect_err(template);
            assert!(matches!(code, Code::TornPart | Code::PartAsText), "{template} {code}");
        }
        // What is not printed does no harm.
        assert!(outline("{% if data == 'x' %}a{% endif %}", data).is_ok());
    }
}
