//! What real engines are asked about: all constructs, alone and nested.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use blueprints_compiler::Ir;

use super::matcher::matches;
use super::random::{Random, mutate, sample};

/// All constructs, alone and nested, in the printed form, with an alphabet for their texts.
pub(crate) const FORMS: &[(&str, &str)] = &[
    (r#""text""#, "tex"),
    (r#""a\n\t\r\"\\\u{0}\u{7f}é\u{2028}🦀""#, "aé🦀\n"),
    (r#"'it\'s' "]^-[{}()|*+?.$#/""#, "'s"),
    ("empty", "a"),
    ("never", "a"),
    (r#""a" | never"#, "a"),
    (r#"("no" | "not sure" | "nothing") ".""#, "not sure."),
    (r#"("a" | "ab") ("b" | empty) "c""#, "abc"),
    (r#""a"?"#, "ab"),
    (r#"("a" "b"?)*"#, "ab"),
    (r#"("a"? "b"?){3}"#, "ab"),
    (r#""ab"+ "a""#, "ab"),
    (r#"("a" | "b"){2,4}"#, "ab"),
    (r#""a"{3,}"#, "a"),
    (r#""a"{0,130}"#, "a"),
    (r#"("a" | "bb"){129,200} "c""#, "abc"),
    (r#"("a"{2,3}){2}"#, "a"),
    (r#"("a"?){0,3 sep ","}"#, "a,"),
    (r#""a"{0,2 sep ", "}"#, "a, "),
    (r#""a"{2, sep "," | ";"} ".""#, "a,;."),
    (r#"("a" | "b"){1,3 sep "+"?}"#, "ab+"),
    (r#""a"{0,4294967295} "b""#, "ab"),
    (r#""a"{0,2147483648 sep ","}"#, "a,"),
    ("[a-c]", "abcd"),
    (r"[\[\]\^\-\\]{2}", r"[]^-\a"),
    (r"[^\[\]\^\-\\]{2}", r"[]^-\a"),
    ("[^<]*", "a<\n"),
    ("[^]{2}", "aé🦀\n"),
    ("[^🦀]", "aé🦀\n"),
    (r"[à-ü一-龥\u{10000}-\u{10ffff}]{1,2}", "aàé一🦀"),
    (r"[\u{0}-\u{1f}\u{7f}]", "\n\u{7f}\u{0} a"),
    (r#"joined by "," { "a"; "b"; "c" }"#, "abc,"),
    (r#"joined by "," { may "a"; "b"; may "c" }"#, "abc,"),
    (r#"joined by "," { may "a"; may "b"; may "c"; may "d" }"#, "abcd,"),
    (r#"joined by "," { may "a"; may "b"; "c"; "d"; may "e" } ".""#, "abcde,."),
    (r#"joined by ("," | ";") { may "a"?; may "b"+; may "a" "b" }"#, "ab,;"),
    (r#"joined by ", and then " { may "a long first part"; may "another long part" }"#, "a, "),
    (r#"(joined by "" { may "a"; may "b" })*"#, "ab"),
    (r#"automaton { 0: "a" -> 0, "b" -> 1; 1 end: "a" -> 1, "b" -> 0 }"#, "ab"),
    (r#"automaton { 0 end: "ab" -> 1; 1: "c" -> 0, "d" -> 1 } "e""#, "abcde"),
    (r#"automaton { 0: [a-b]* -> 1; 1 end }"#, "abc"),
    ("anything", "a<\n🦀"),
    (r#"anything until "</think>" "</think>" "x""#, "<</think>x"),
    (r#"anything until "\n\n" "\n\n""#, "a\n"),
    (r#"anything until "aba" "aba""#, "abc"),
    (r#"anything until "aab" "aab""#, "abc"),
    (r#"anything until "x""#, "axb"),
    (r#"(anything until ("</a>" | "<b>") ("</a>" | "<b>"))*"#, "</ab>"),
    (r#""<t>" (anything until "," ","){1,2} "</t>""#, "<t>/,"),
    (r#"regex /[a-z]+@[a-z]+\.com/"#, "ab@.com"),
    (r#"regex /(?:ab|c){1,2}d?/"#, "abcd"),
    (r#"regex /a{2,}/ regex /b*/"#, "ab"),
    (r#"regex /\d{2}-\w+/"#, "0٣-aé_"),
    ("regex /.+/", "a\n🦀"),
    (r#"regex /(?i)straße|k/"#, "straßeSK\u{212a}ẞ"),
    (r#"regex /[^a-c"]x\\/"#, "abdx\"\\"),
    (r#"regex "a/b\"""#, "a/b\""),
    (r#"regex /\(\)\[\]\{\}\.\*\+\?\|\^\$\\/"#, r"()[]{}.*+?|^$\"),
    (r#"regex /[\-\]\[\^\\]+/"#, r"[]^-\a"),
    (r#"regex /[ -~]+,?[!-#]/"#, "a,!\"# é"),
    (r#"grammar list { list = "[" item{0, sep ","} "]"; item = "a" | list }"#, "[]a,"),
    (r#"grammar s { s = "a" s "b" | empty }"#, "ab"),
    (r#"grammar s { s = "(" s ")" s | "" }"#, "()"),
    (r#"grammar sum { sum = product{1, sep "+"}; product = "a" | "(" sum ")" }"#, "a+()"),
    (r#"grammar true { true = "a" Token?; Token = "b" rule 0; root = "c" }"#, "ab"),
    (r#"grammar a { a = "x" (grammar a { a = "y" a? }) a? }"#, "xy"),
    (r#"grammar rule 0 { "two words" = "a" rule 1; "1st" = "b" }"#, "ab"),
    (r#"grammar a { a = "x" (automaton { 0: a -> 1; 1 end: "y" -> 0 } | "z") }"#, "xyz"),
    (r#"grammar a { a = joined by "," { may "(" a ")"; may "x" } }"#, "(),x"),
    (r#"grammar a { a = "x" (rule 0 | never)? ; b = b2 "c"; b2 = "d" }"#, "xcd"),
    (
        r#""<|im_start|>assistant\n"
        ("<tool_call>\n" (regex /\{"a":[0-9]\}/ | "{}") "\n</tool_call>\n")+
        "<|im_end|>""#,
        "<{}1",
    ),
    (r#"schema {"type":"boolean"} | schema {"enum":[null,true]}"#, "true"),
    (r#"schema {"type":["null","boolean"]} schema {"const":false}"#, "nul"),
    (r#"schema {"type":"string"}"#, "\"\\nu0a"),
    (r#"schema {"type":"string","minLength":1,"maxLength":2}"#, "\"\\na"),
    (r#"schema {"type":"string","pattern":"^[a-z]+$"}"#, "\"\\u0061a"),
    (r#"schema {"type":"integer"} ";" schema {"type":"number"}"#, "-0.1e;"),
    (r#"schema {"enum":["a",1,[null],{"b":"é"}]}"#, "\"ab1[]{}:é"),
    (r#"schema {"type":"array","items":{"type":"null"}} with {"whitespace":"compact"}"#, "[nul],"),
    (r#"schema {"type":"array","items":{"type":"integer"},"maxItems":2}"#, "[1, ]\n"),
    (
        r#"schema {"type":"object","properties":{"city":{"type":"string"},
        "days":{"type":"integer"}},"required":["city"],"additionalProperties":false}"#,
        "{\"cityda:, 1}",
    ),
    (r#"schema {"type":"object","properties":{"a":{"type":"null"}}}"#, "{\"a:nul, }"),
    (
        r##"schema {"$defs":{"t":{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}},
        "additionalProperties":false}},"$ref":"#/$defs/t"}"##,
        "{\"t: }",
    ),
    (
        r#"schema {"anyOf":[{"type":"null"},{"items":true}]} with {"whitespace":"spaced"}"#,
        "[nul, ]",
    ),
    (r#""<think>" anything until "</think>" "</think>" "\n"? ("yes" | "no")"#, "<think>/yno"),
    (r#""ab" "é🦀"{2} [à-ü]"#, "abé🦀à"),
    (r#"(("a" | "b")* "c")+"#, "abc"),
    (r#"("a" "b"){0,2 sep ("," | ";"){1,2}}"#, "ab,;"),
    (r#"(("a"?){2 sep ","} | "x"){1, sep ";"}"#, "a,x;"),
    (r#"("a"* "b"?){0, sep ","?}"#, "ab,"),
    (r#"automaton { 0: "a"? -> 1; 1 end: "b"* -> 0, "c" -> 1 }"#, "abc"),
    (r#"automaton { 0 end: "ab" -> 1, "a" -> 2; 1 end: "c" -> 1; 2: "d" -> 0 }"#, "abcd"),
    (r#"grammar e { e = t ("+" e)?; t = "n" | "(" e ")" | "-" t }"#, "n+()-"),
    (r#"grammar p { p = "a" p "a" | "b" p "b" | "c" }"#, "abc"),
    (r#"grammar l { l = "[" (v{0, sep "," "\n"?}) "]"; v = "1" | "12" | l }"#, "[]12,\n"),
    (r#"grammar s { s = ("a" | "ab" | "abc") s? ("d" | empty) }"#, "abcd"),
    (r#"grammar s { s = "list" "ed"? s? | "listen" "er"? s? }"#, "listned r"),
    (r#"grammar s { s = [a-c]+ s? "ab" | [^a]{2} }"#, "abcx"),
    (r#"grammar s { s = "<p>" (anything until "</p>") "</p>" s? | "(" s ")" }"#, "<p>/x()"),
    (r#"grammar s { s = "(" (s | regex /[a-z]+x?/) ")" }"#, "()azx"),
    (r#"grammar s { s = "x"{1,3 sep ","} ("(" s ")"){0,2} }"#, "x,()"),
    (r#"grammar s { s = joined by "," { may "a"; may "(" s ")"; may "b" } }"#, "(),ab"),
    (r#""x" anything until "yx" "yx" "z""#, "xyz"),
    (r#"anything until ("ab" | "cd") ("ab" | "cd")"#, "abcd"),
    (r#"(regex /[^,]*/){2 sep ","}"#, "a,b"),
    (r#"regex /(?s).*/ "end""#, "end\n"),
    (r#"regex /[ab]*a[ab]{3}/"#, "ab"),
    (r#"regex /(?:a|b|ab)*c?/"#, "abc"),
    (r#"regex /[\x00-\x7f]{2,3}/"#, "a\u{0}\u{7f}é"),
    (r#"tracked "counters 1; not(0>=3) 0+1; 0>=1" { ("a" act 0 | "b" act 0)* act 1 "." }"#, "ab."),
    (
        r#"tracked "counters 3; not(0>=1) 0+1; not(1>=1) 1+1; not(2>=1) 2+1; any(not(0>=1) not(1>=1) not(2>=1)); 0>=1"
        { "{" ("a" act 0 | "bc" act 1 | "b" act 2){1, sep act 3 ","} act 4 "}" }"#,
        "{abc,}",
    ),
    (
        r#"grammar t { t = tracked "counters 1; not(0>=2) 0+1; 0>=1"
        { "[" ((t | "x") act 0){1, sep ","} act 1 "]" } }"#,
        "[x,]",
    ),
];

/// Templates, with characters for their texts.
pub(crate) const TEMPLATES: &[(&str, &str)] = &[
    ("plain text\n", "plain tex"),
    ("{{ name }}", "a.*{% if}"),
    ("{{ name }}{{ name }}!", "a.*{% if}!"),
    ("{% repeat min=1 max=2 %}ab{% endrepeat %}", "ab"),
    ("{% repeat times=3 %}a{% endrepeat %}", "ab"),
    ("{% repeat max=0 %}a{% endrepeat %}b", "ab"),
    ("{% repeat %}a{% endrepeat %}b", "ab"),
    ("{% repeat min=2 sep=', ' %}a{% endrepeat %}", "a, "),
    ("{% repeat sep='' %}ab{% endrepeat %}", "ab"),
    ("{% repeat min=1 max=300 sep=';' %}a{% endrepeat %}", "a;"),
    ("{% repeat max=5000 %}a{% endrepeat %}b", "ab"),
    ("{% repeat min=1 %}- {{ '[a-z]+' | regex }}\n{% endrepeat %}", "- az\n"),
    ("{% repeat max=2 %}({% repeat max=2 sep=',' %}a{% endrepeat %}){% endrepeat %}", "(a,)"),
    (
        "{% repeat min=1 max=3 sep='|' %}{% choice %}{% option %}a{% endoption %}{% option %}ab{% endoption %}{% endchoice %}{% endrepeat %}",
        "ab|",
    ),
    (
        "{% choice %}{% option %}no{% endoption %}{% option %}not sure{% endoption %}{% endchoice %}",
        "not sure",
    ),
    ("{% choice %}{% option %}a{% endoption %}{% endchoice %}", "ab"),
    ("{% choice %}{% option %}{% endoption %}{% option %}b{% endoption %}{% endchoice %}c", "abc"),
    (
        "{% choice %}{% for x in list %}{% option %}{{ x }}{% endoption %}{% endfor %}{% endchoice %}.",
        "redgn.",
    ),
    (
        "{% choice %}{% option %}a{% choice %}{% option %}b{% endoption %}{% option %}c{% endoption %}{% endchoice %}{% endoption %}{% option %}d{% endoption %}{% endchoice %}",
        "abcd",
    ),
    ("a{% optional %}b{% endoptional %}c", "abc"),
    ("{% optional %}a{% optional %}b{% endoptional %}{% endoptional %}", "ab"),
    ("{% optional %}{% repeat %}a{% endrepeat %}{% endoptional %}b", "ab"),
    ("{% repeat %}{% optional %}a{% endoptional %}{% endrepeat %}b", "ab"),
    (
        "{% repeat %}{% optional %}a{% endoptional %}{% optional %}b{% endoptional %}{% endrepeat %}",
        "ab",
    ),
    ("{% repeat sep=',' %}{% optional %}a{% endoptional %}{% endrepeat %}", "a,"),
    ("{{ '[0-9]{2}' | regex }}.", "012."),
    ("{{ pattern | regex }}", "AZ-09"),
    ("{{ 'a|b|cd' | regex }}{{ '(?:x|y)?' | regex }}", "abcdxy"),
    ("{{ '(?i)yes|no' | regex }}", "yesNOno"),
    ("{{ '\\\\w+@\\\\w+' | regex }}", "aé@_"),
    ("{{ '[^\"]*' | regex }}\"", "ab\""),
    ("{{ anything() }}", "ab\n"),
    ("{{ anything() }}END", "END a"),
    ("<think>{{ anything() }}</think>x", "<think>/ax"),
    ("<think>{{ anything(until='</think>') }}</think>", "<think>/"),
    ("{{ anything() }}\n\n{{ '[a-z]' | regex }}", "a\n1"),
    (
        "{{ anything(until='<a') }}{% choice %}{% option %}<a>{% endoption %}{% option %}<ab>{% endoption %}{% endchoice %}",
        "<ab>",
    ),
    ("{% repeat min=1 %}- {{ anything() }}\n{% endrepeat %}end", "-a\nend "),
    ("{{ anything() }}{% optional %}STOP{% endoptional %}", "STOPa"),
    ("{% repeat %}<p>{{ anything(until='</p>') }}</p>{% endrepeat %}", "<p>/a"),
    (
        "{{ anything() }}{% choice %}{% option %}yes{% endoption %}{% option %}no{% endoption %}{% endchoice %}",
        "yesno",
    ),
    ("{{ {'enum': ['a', 1]} | json_schema }};", "a\"1;"),
    ("{{ {'type': 'boolean'} | json_schema }}", "true"),
    ("{{ {'type': 'null'} | json_schema }}{{ name }}", "nul"),
    ("{{ {'type': 'integer'} | json_schema }}", "-01e"),
    ("{{ {'type': 'integer', 'enum': [3, 120, -7]} | json_schema }}", "0123"),
    ("{{ {'type': 'number'} | json_schema }}", "-01.e+"),
    ("{{ {'type': 'string'} | json_schema }}", "\"\\nu0"),
    ("{{ {'type': 'string', 'maxLength': 3} | json_schema }}", "\"\\nab"),
    ("{{ {'type': 'string', 'pattern': '^a+$'} | json_schema }}", "\"\\ua"),
    ("{{ {'type': 'array', 'items': {'type': 'boolean'}} | json_schema }}", "[true, ]"),
    (
        "{{ {'type': 'array', 'items': {'type': 'null'}, 'minItems': 1, 'maxItems': 2} | json_schema(whitespace='compact') }}",
        "[nul,]",
    ),
    ("{{ {'const': {'a': [1, none]}} | json_schema(whitespace='compact') }}", "{\"a:[1,nul]}"),
    (
        "{{ {'type': 'object', 'properties': {'a': {'type': 'null'}, 'b': {'type': 'boolean'}}, 'required': ['b'], 'additionalProperties': false} | json_schema(whitespace='compact') }}",
        "{\"ab:nultre,}",
    ),
    (
        "{{ {'type': 'object', 'properties': {'a': {'type': 'null'}}, 'additionalProperties': false} | json_schema(whitespace='spaced') }}",
        "{\"a: nul}",
    ),
    ("{{ {'anyOf': [{'type': 'null'}, {'type': 'boolean'}]} | json_schema }}", "nultrefas"),
    ("{{ {'type': ['null', 'integer']} | json_schema }}", "nul1"),
    ("{{ tools[0].parameters | json_schema }}", "{\"id: 1}"),
    ("{{ tools[1].parameters | json_schema(whitespace='compact') }}", "{\"dep:tru}"),
    (
        "<tool_call>\n{% choice %}{% for tool in tools %}{% option %}{\"name\": \"{{ tool.name }}\", \"arguments\": {{ tool.parameters | json_schema(whitespace='compact') }}}{% endoption %}{% endfor %}{% endchoice %}\n</tool_call>",
        "<>{\"namegt: }/",
    ),
    (
        "{% repeat min=1 %}<tool_call>{% choice %}{% for tool in tools %}{% option %}{{ tool.name }}({{ tool.parameters | json_schema(whitespace='compact') }}){% endoption %}{% endfor %}{% endchoice %}</tool_call>{% endrepeat %}",
        "<>({\"get_all: })/",
    ),
    (
        "{{ anything(until='<tool_call>') }}<tool_call>{{ tools[0].name }}</tool_call>{{ anything() }}",
        "<tool_ca>get/",
    ),
    ("{% if flag %}yes{% else %}no{% endif %}", "yesno"),
    ("{% for x in list %}{% optional %}{{ x }};{% endoptional %}{% endfor %}", "redgn;"),
    (
        "{% macro item(x) %}[{{ x }}{% optional %}!{% endoptional %}]{% endmacro %}{{ item('a') }}{{ item('b') }}",
        "ab[]!",
    ),
    (
        "{% macro nest(n) %}({% if n > 0 %}{% optional %}{{ nest(n - 1) }}{% endoptional %}{% endif %}){% endmacro %}{{ nest(3) }}",
        "()",
    ),
    (
        "{% set greeting = 'hi' %}{% choice %}{% option %}{{ greeting }}{% endoption %}{% option %}{{ greeting }}!{% endoption %}{% endchoice %}",
        "hi!",
    ),
    (
        "{% for x in [1, 2, 3] %}{{ x }}{% if not loop.last %}{% choice %}{% option %},{% endoption %}{% option %};{% endoption %}{% endchoice %}{% endif %}{% endfor %}",
        "123,;",
    ),
    (
        "{% choice %}{% option %}{{ anything(until='x') }}x{% endoption %}{% option %}{{ '[0-9]+' | regex }}{% endoption %}{% endchoice %}",
        "ax01",
    ),
    (
        "{% optional %}<think>{{ anything() }}</think>\n{% endoptional %}{{ {'type': 'boolean'} | json_schema }}",
        "<think>/\nru",
    ),
    (
        "Q: {{ '[a-z ]+' | regex }}?\nA: {% choice %}{% option %}yes{% endoption %}{% option %}no{% endoption %}{% endchoice %}",
        "Q: ab?\nAyesno",
    ),
    (
        "{% repeat min=1 max=3 %}{{ '[01]' | regex }}{% endrepeat %}{% repeat max=2 %}.{{ '[01]{2}' | regex }}{% endrepeat %}",
        "01.",
    ),
    (
        "{% choice %}{% option %}list{% endoption %}{% option %}listen{% endoption %}{% endchoice %}ed",
        "listend",
    ),
    ("{{ '.*' | regex }}\n{{ '(?s).' | regex }}", "a\n"),
    ("é🦀{% optional %}é{% endoptional %}", "é🦀"),
    ("{% repeat times=2 sep='\n' %}{{ '[^\\n]*' | regex }}{% endrepeat %}", "a\n"),
    ("a\tb\\c{% optional %}/*]]^-{% endoptional %}", "ab\t\\c/*]^-"),
    (
        "{{ {'type': 'array', 'items': {'enum': [1, none]}, 'minItems': 2} | json_schema(whitespace='compact') }}",
        "[1,nul]",
    ),
    ("{{ {'type': 'string', 'pattern': '[0-2]{2}-[0-2]'} | json_schema }}", "\"012-"),
    ("{{ {'type': 'string', 'enum': ['ab', 'a/b', 'x']} | json_schema }}", "\"ab/x\\"),
    (
        "{{ {'$defs': {'n': {'type': 'object', 'properties': {'n': {'$ref': '#/$defs/n'}}, 'additionalProperties': false}}, '$ref': '#/$defs/n'} | json_schema(whitespace='compact') }}",
        "{\"n:}",
    ),
];

/// The context of the templates.
pub(crate) fn context() -> serde_json::Value {
    serde_json::json!({
        "name": "a.*{% if %}",
        "list": ["red", "green", "re", "blue, light"],
        "tools": [
            { "name": "get", "parameters": {
                "type": "object", "properties": { "id": { "type": "integer" } },
                "required": ["id"], "additionalProperties": false } },
            { "name": "get_all", "parameters": {
                "type": "object", "properties": { "deep": { "type": "boolean" } },
                "additionalProperties": false } },
        ],
        "flag": true,
        "pattern": "[A-Z]{2}-\\d+",
    })
}

/// Texts for `ir`: all of up to two characters, sampled ones and near misses, until there are at
/// least 25 accepted and 25 rejected ones or no more are found. Each with whether it belongs.
pub(crate) fn texts_for(random: &mut Random, ir: &Ir, alphabet: &[char]) -> Vec<(String, bool)> {
    let mut texts = BTreeMap::new();
    let mut counts = [0; 2];
    let mut add = |text: String, counts: &mut [u32; 2]| {
        if let Entry::Vacant(place) = texts.entry(text) {
            let expected = matches(ir, place.key());
            counts[usize::from(expected)] += 1;
            place.insert(expected);
        }
    };
    add(String::new(), &mut counts);
    for one in alphabet {
        add(one.to_string(), &mut counts);
        alphabet.iter().for_each(|other| add(format!("{one}{other}"), &mut counts));
    }
    for tries in 0..300 {
        if tries >= 20 && counts.iter().all(|&count| count >= 25) {
            break;
        }
        let text = sample(random, ir);
        if text.len() < 500 {
            let other = mutate(random, &text, alphabet);
            if counts[0] < 25 {
                add(mutate(random, &other, alphabet), &mut counts);
            }
            if counts[0] < 60 {
                add(other, &mut counts);
            }
            add(text, &mut counts);
        }
    }
    texts.into_iter().collect()
}
