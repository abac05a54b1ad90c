//! What each construct accepts and rejects, as tables.

use blueprints_compiler::{Blueprint, Ir};
use serde_json::json;

use crate::matcher::check;

fn ir(template: &str) -> Ir {
    let context = json!({
        "list": ["no", "not sure", 3, true, null],
        "texts": ["a<b", "c\"d"],
        "empty": [],
        "eos_token": "<|im_end|>",
    });
    match Blueprint::from_str(template).and_then(|blueprint| blueprint.outline(context)) {
        Ok(outline) => {
            let printed = outline.to_string();
            assert_eq!(Ir::read(&printed).as_ref(), Ok(outline.ir()), "{printed}");
            outline.ir().clone()
        }
        Err(faults) => panic!("{template}\n{faults}"),
    }
}

type Row<'a> = (&'a str, &'a [&'a str], &'a [&'a str]);

#[track_caller]
fn table(rows: &[Row<'_>]) {
    for (template, accepted, rejected) in rows {
        check(&ir(template), template, accepted, rejected);
    }
}

#[test]
fn values_and_texts() {
    table(&[
        ("{{ list | choice }}", &["no", "not sure", "3", "true", "null"], &["", "not", "no "]),
        ("{{ list[:1] | choice }}!", &["no!"], &["!", "not sure!"]),
        ("{{ ['p+' | regex, 'q'] | choice }}", &["p", "ppp", "q"], &["", "qq", "p+"]),
        ("{{ 'a' | literal }}", &["a"], &["A", ""]),
        (
            "{{ 'Straße k' | literal(ignore_case=true) }}",
            &["Straße k", "STRAẞE K", "strasse K".replace("ss", "ß").as_str(), "straße \u{212a}"],
            &["strasse k", "Straße", "Straße k "],
        ),
        ("{{ 'abcbc' | substring }}", &["", "a", "bc", "bcbc", "abcbc", "c"], &["ac", "bb", "cc"]),
        ("<{{ 'é🦀é' | substring }}>", &["<é🦀>", "<>", "<🦀é>"], &["<éé>"]),
        ("{{ texts[0] | xml_attr }}{{ texts[1] | xml_attr }}", &["a&lt;bc&quot;d"], &["a<bc\"d"]),
        ("{{ texts[0] | xml_text }}{{ texts[1] | xml_text }}", &["a&lt;bc\"d"], &["a<bc\"d"]),
        (
            "{{ \"it's\" | py_str }}{{ texts[1] | py_str }}",
            &["\"it's\"'c\"d'"],
            &["'it\\'s''c\"d'"],
        ),
        ("\"{{ texts[1] | json_str }}\"", &["\"c\\\"d\""], &["\"c\"d\""]),
    ]);
}

#[test]
fn grammars_of_other_engines() {
    table(&[
        (
            "<{{ 'root ::= \"(\" root \")\" | \"x\"' | grammar }}>",
            &["<x>", "<((x))>"],
            &["x", "<(x>", "<>"],
        ),
        ("{{ 'root ::= [a-c]{2,3}' | grammar(syntax='gbnf', name='g') }}", &["ab", "abc"], &["a"]),
        ("{{ 'start: A+\nA: \"a\" | \"bb\"' | grammar(syntax='lark') }}", &["a", "abb"], &["b"]),
    ]);
}

#[test]
fn numbers_and_forms() {
    table(&[
        ("{{ integer() }}", &["0", "-7", "120"], &["", "-0", "007", "1.0", "+1"]),
        ("{{ integer(min=1, max=12) }}", &["1", "9", "10", "12"], &["0", "13", "01", "-1", "120"]),
        ("{{ integer(min=-12, max=3) }}", &["-12", "-1", "0", "3"], &["-13", "4", "-0", "12"]),
        ("{{ integer(max=-5) }}", &["-5", "-999"], &["-4", "0", "5", "-"]),
        ("{{ integer(min=99) }}", &["99", "100", "123456"], &["98", "9", "0990"]),
        ("{{ number() }}", &["1", "-1.5", "2e10", "0.0"], &["01", ".5", "1.", "NaN"]),
        ("{{ string(max_length=2) }}", &["\"\"", "\"ab\"", "\"\\n\\u00e9\""], &["ab", "\"abc\""]),
        ("{{ boolean() }}{{ null() }}", &["truenull", "falsenull"], &["Truenull", "true"]),
        ("{{ date() }}", &["2024-02-29", "1999-12-31"], &["2023-02-29", "2024-04-31", "24-1-1"]),
        ("{{ time() }}", &["23:59:59Z", "00:00:00.5+02:00"], &["24:00:00Z", "10:00:00"]),
        ("{{ datetime() }}", &["2024-02-29T00:00:00Z"], &["2024-02-29 00:00:00Z", "2024-02-29"]),
        ("{{ duration() }}", &["P1D", "PT5M", "P1Y2M3DT4H5M6S", "P3W"], &["P", "PT", "1D", "P1H"]),
        (
            "{{ uuid() }}",
            &["123e4567-e89b-12d3-a456-426614174000"],
            &["123e4567e89b12d3a456426614174000"],
        ),
        ("{{ email() }}", &["a.b+c@example.org"], &["a..b@example.org", "a@-x", "@x", "a b@x"]),
        ("{{ ipv4() }}", &["0.0.0.0", "255.199.99.9"], &["256.0.0.0", "1.1.1", "01.1.1.1"]),
        (
            "{{ ipv6() }}",
            &[
                "::",
                "::1",
                "1::",
                "fe80::1:2",
                "1:2:3:4:5:6:7:8",
                "::ffff:1.2.3.4",
                "1:2:3:4:5:6:7::",
            ],
            &["", ":", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "g::"],
        ),
        ("{{ uri() }}", &["http://a/b?c=%20#d", "urn:x"], &["/a", "http://a b", "a:%2"]),
        ("{{ hostname() }}", &["a.b-c", "x"], &["-a", "a-", "a..b", ""]),
    ]);
}

#[test]
fn free_text() {
    table(&[
        (
            "{{ anything(until=['.', '!'], include=true) }}",
            &["a.", "!", "a, b!"],
            &["", "a", "a.b!", "a.."],
        ),
        // Which delimiter follows decides where the text ends.
        (
            "{{ anything(until=['ab', 'ba'], include=true) }}",
            &["ab", "ba", "cab", "bba", "aab"],
            &["aba", "a", "abab"],
        ),
        (
            "{{ anything() }}{% choice %}{% option %}ab{% endoption %}{% option %}ba!\
             {% endoption %}{% endchoice %}",
            &["ab", "ba!", "cab", "cba!", "bba!"],
            &["aba!", "ba", "abba!"],
        ),
        ("{{ anything(max_chars=3) }}", &["", "é🦀x"], &["abcd"]),
        ("{{ anything(min_chars=2, until='\\n') }}\n!", &["ab\n!", "abc\n!"], &["a\n!", "a\nb\n!"]),
        ("{% anything excludes=['<', 'no'] max_chars=4 %}>", &["a>", "n>", ">"], &["<>", "no>"]),
        (
            "{{ anything() }}{{ token('<|im_end|>') }}",
            &["a<|im_end|>"],
            &["a", "<|im_end|>a<|im_end|>"],
        ),
        ("{{ anything() }}{{ token(eos_token) }}", &["a<|im_end|>"], &["a"]),
    ]);
    assert_eq!(ir("{{ anything() }}{{ token(eos) }}").to_string(), "anything token stop");
    let counted = ir("{{ anything(max_tokens=7, special=true) }}");
    assert_eq!(counted.to_string(), "anything tokens 7 special");
}

#[test]
fn triggers() {
    let calls = "{% free %}{% on '<n>' %}{{ '[0-9]+' | regex }}</n>{% endon %}\
        {% on '<w>' %}x</w>{% endon %}{% endfree %}";
    let begun = calls.replace("free %}", "free at_least_one=true %}").replacen(
        "endfree at_least_one=true",
        "endfree",
        1,
    );
    let once = calls.replacen("{% free %}", "{% free stop_after_first=true excludes='no' %}", 1);
    let both =
        calls.replacen("{% free %}", "{% free stop_after_first=true at_least_one=true %}", 1);
    let ended = format!("{calls}END");
    table(&[
        (
            calls,
            &["", "hi", "<n>1</n>", "hi <n>12</n> yo", "<n>1</n><w>x</w>", "a < b"],
            &["a <n>", "<n>x</n>", "<n>1</n> <w>"],
        ),
        (&begun, &["<n>1</n>", "<w>x</w> yo", "<n>1</n>a<n>2</n>"], &["", "hi", "hi <n>1</n>"]),
        (&once, &["", "hi", "hi <n>1</n>"], &["<n>1</n> ", "no", "<n>1</n><n>1</n>"]),
        (&both, &["<n>1</n>"], &["", "<n>1</n> ", " <n>1</n>"]),
        (&ended, &["END", "a<n>1</n>bEND", "<w>x</w>END"], &["", "aENDbEND", "<n>1</n>"]),
        (
            "say: {{ anything() }}\n{% free at_least_one=true %}{% on ['A', 'B'] %}!{% endon %}{% endfree %}",
            &["say: x\nA!", "say: \nB!", "say: x\nA!B!yes"],
            &["say: x", "say: x\nC", "say: x\nA"],
        ),
    ]);
}

#[test]
fn any_order() {
    let keys = "{ {% anyorder sep=', ' %}\n{% part %}a{% endpart %}\n{% part optional=true %}\nb\n\
        {% endpart %}\n{% part %}c{% endpart %}\n{% endanyorder %}\n }";
    table(&[
        (
            keys,
            &["{ a, c\n }", "{ c, a\n }", "{ b, c, a\n }", "{ a, b, c\n }"],
            &["{ a\n }", "{ a, b\n }", "{ a, a, c\n }", "{ a, c,\n }", "{ \n }"],
        ),
        (
            "{% anyorder %}{% part optional=true %}a{% endpart %}{% part optional=true %}b\
             {% endpart %}{% endanyorder %}",
            &["", "a", "ab", "ba"],
            &["aa", "aba"],
        ),
        (
            "{% anyorder %}{% part %}{{ anything() }};{% endpart %}{% part %}b:{% endpart %}\
             {% endanyorder %}.",
            &["x;b:.", "b:x;.", "b:;."],
            &["x;.", "b:.", "x;b:;b:."],
        ),
    ]);
}

#[test]
fn numbered_iterations() {
    table(&[
        (
            "{% repeat min=1 max=3 sep=',' %}call_{{ iteration() }}{% endrepeat %}",
            &["call_0", "call_0,call_1", "call_0,call_1,call_2"],
            &["", "call_1", "call_0,call_0", "call_0,call_1,call_2,call_3"],
        ),
        (
            "{% repeat max=2 %}[{{ iteration(start=9) }}{% repeat %}x{% endrepeat %}]{% endrepeat %}",
            &["", "[9]", "[9x][10xx]"],
            &["[10]", "[9][9]"],
        ),
        (
            "{% repeat times=2 %}{% repeat times=2 %}{{ iteration() }}{% endrepeat %};{% endrepeat %}",
            &["01;01;"],
            &["01;", "00;11;"],
        ),
    ]);
}

#[test]
fn captures_change_no_language() {
    table(&[
        ("{% capture city %}{{ 'a+' | regex }}{% endcapture %}!", &["a!", "aa!"], &["!"]),
        (
            "{% repeat min=1 name='calls' %}<{% capture n type='integer' %}{{ integer(min=0) }}\
             {% endcapture %}>{% endrepeat %}",
            &["<1>", "<1><22>"],
            &["", "<>"],
        ),
        ("{{ '[ab]' | regex(name='x') }}{{ boolean(name='y') }}", &["atrue"], &["true"]),
        (
            "{% choice name='c' %}{% option name='o' %}a{% endoption %}{% option %}b{% endoption %}\
             {% endchoice %}",
            &["a", "b"],
            &["", "ab"],
        ),
    ]);
    let printed =
        ir("{% repeat min=1 name='calls' %}<{% capture n type='integer' %}1{% endcapture %}>\
        {% endrepeat %}{{ {'type': 'null'} | json_schema(name='s') }}")
        .to_string();
    assert_eq!(
        printed,
        "(capture calls (\"<\" capture n as integer \"1\" \">\"))+ capture s as json \
         (schema {\"type\":\"null\"})"
    );
    // What a capture holds still tells the text before it where to end.
    let ir = ir("{{ anything() }}{% capture a %}END{% endcapture %}");
    assert_eq!(ir.to_string(), "anything until \"END\" capture a \"END\"");
}

#[test]
fn choices_of_one_and_of_none() {
    table(&[
        ("{% choice %}{% option %}a{% endoption %}{% endchoice %}", &["a"], &[""]),
        ("x{% optional %}<{{ empty | choice }}>{% endoptional %}", &["x"], &["x<>"]),
        (
            "{% choice %}{% option %}a{% endoption %}{% for e in empty %}{% option %}{{ e }}\
             {% endoption %}{% endfor %}{% endchoice %}",
            &["a"],
            &[""],
        ),
    ]);
}

#[test]
fn chat_template_idioms() {
    table(&[
        ("{{ ' x '.strip() }}{{ 'a,b'.split(',')[1] }}{{ 'Ab'.upper() }}", &["xbAB"], &["x"]),
        (
            "{% for k, v in {'items': 1, 'b': 2}.items() %}{{ k }}={{ v }};{% endfor %}",
            &["items=1;b=2;"],
            &[""],
        ),
        (
            "{{ {'a': 'é', 'B': 1} | tojson(ensure_ascii=true, sort_keys=true) }}",
            &["{\"B\": 1, \"a\": \"\\u00e9\"}"],
            &[""],
        ),
        ("{{ {'a': [1]} | tojson(separators=[',', ':']) }}", &["{\"a\":[1]}"], &[""]),
        ("{% if 'abc'.startswith('a') and 'x' in 'xyz' %}y{% endif %}", &["y"], &[""]),
        ("{% if list is defined and list[0] is string %}y{% endif %}", &["y"], &[""]),
        (
            "{%- set ns = namespace(n=0) -%}{% for x in list %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
            &["5"],
            &["0"],
        ),
        (
            "{% for x in [[1, [2]], 3] recursive %}{% if x is sequence %}({{ loop(x) }}){% else %}\
             {{ x }}{% endif %}{% endfor %}",
            &["(1(2))3"],
            &["123"],
        ),
        (
            "{% macro tree(s) %}{% if s.items is defined %}[{{ tree(s.items) }}]{% else %}\
             {{ s.type }}{% endif %}{% endmacro %}{{ tree({'items': {'items': {'type': 'x'}}}) }}",
            &["[[x]]"],
            &["x"],
        ),
        (
            "{% macro box() %}<{{ caller() }}>{% endmacro %}\
             {% call box() %}{% optional %}a{% endoptional %}{% endcall %}",
            &["<a>", "<>"],
            &["a"],
        ),
        (
            "{% for x in [1, 2] %}{{ loop.index }}{{ loop.first }}{{ loop.cycle('a', 'b') }}{% else %}n{% endfor %}\
             {% for x in empty %}{% else %}none{% endfor %}",
            &["1Truea2Falsebnone"],
            &["1truea2falsebnone"],
        ),
    ]);
}
