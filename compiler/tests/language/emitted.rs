//! Every target says the language of the Ir.

use std::sync::Arc;

use blueprints_compiler::Ir;
use blueprints_compiler::emit::{
    Dialect, EmitError, Emitted, Exactness, Lost, Place, RegexLimits, Step,
};
use blueprints_compiler::grammars::{self, Syntax};
use blueprints_compiler::ir::{RuleId, State};
use blueprints_compiler::{SchemaOptions, Whitespace};
use serde_json::Value;

use crate::matcher::matches;
use crate::random::{Random, Shape};

/// All texts over `alphabet` up to `length` characters.
fn texts(alphabet: &[char], length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut begin = 0;
    for _ in 0..length {
        let end = all.len();
        for at in begin..end {
            all.extend(alphabet.iter().map(|&c| format!("{}{c}", all[at])).collect::<Vec<_>>());
        }
        begin = end;
    }
    all
}

#[test]
fn regexes_agree_on_all_short_texts() {
    let alphabet = ['a', 'b', 'é'];
    let shape = Shape {
        alphabet: &alphabet,
        patterns: &["a+b?", "(?:ab|b){1,2}", "[^a]", ".a"],
        count_max: 3,
        recursion: true,
    };
    let (short, long) = (texts(&alphabet[..2], 6), texts(&alphabet, 4));
    let mut random = Random::new(2);
    let (mut compared, mut accepted, mut recursive) = (0, 0, 0);
    for round in 0..600 {
        let depth = 1 + round % 4;
        let ir = match round % 5 {
            0 => shape.grammar(&mut random, depth),
            _ => shape.ir(&mut random, depth, 0),
        };
        let emitted = match ir.to_regex(Exactness::Lossy, RegexLimits::default()) {
            Ok(emitted) if emitted.losses.iter().any(|loss| loss.lost.changes_texts()) => continue,
            Ok(emitted) => emitted,
            Err(EmitError::Recursive { .. }) => {
                recursive += 1;
                continue;
            }
            Err(error) => panic!("{error}: {ir}"),
        };
        let regex = regex::Regex::new(&format!(r"\A(?:{})\z", emitted.text))
            .unwrap_or_else(|error| panic!("{error}: {ir}"));
        for text in short.iter().chain(&long) {
            let expected = matches(&ir, text);
            assert_eq!(regex.is_match(text), expected, "{text:?}: {ir}\n{}", emitted.text);
            compared += 1;
            accepted += u32::from(expected);
        }
    }
    assert!(accepted > compared / 100 && recursive > 10, "{accepted} of {compared}, {recursive}");
}

fn read(form: &str) -> Ir {
    Ir::read(form).unwrap_or_else(|error| panic!("{error}: {form}"))
}

fn to_regex(form: &str, exactness: Exactness) -> Result<Emitted, EmitError> {
    read(form).to_regex(exactness, RegexLimits::default())
}

#[test]
fn regexes_read_well() {
    let cases = [
        (r#""a.b-c\n\u{0}é\u{2028}""#, r"a\.b-c\n\u0000é\u2028"),
        ("empty", ""),
        ("never", r"[^\s\S]"),
        (r#""a" | "b" | "cd""#, "[ab]|cd"),
        (r#"("ab" | empty) "c""#, "(?:ab)?c"),
        (r#"("a"?)* "b"{2,} [^]"#, r"(?:a?)*b{2,}[\s\S]"),
        (r"[\-\]\[\^]", r"[\-\[\]\^]"),
        (r#""a"{2,3 sep ","}"#, "a(?:,a){1,2}"),
        (r#""a"{0, sep ","}"#, "(?:a(?:,a)*)?"),
        (r#"joined by ", " { may "a"; "b"; may "c" }"#, "(?:a, )?b(?:, c)?"),
        (r#"joined by "," { may "a"; may "b"; may "c" }"#, "(?:a(?:,b)?(?:,c)?|b(?:,c)?|c)?"),
        (r#"anything until "\n\n" "\n\n""#, r"(?:[^\n]|\n[^\n])*\n\n"),
        (r#"automaton { 0: "a" -> 0, "b" -> 1; 1 end: "a" -> 1 }"#, "a*ba*"),
        (r#"grammar a { a = "x" b? b; b = "y" | "z" }"#, "x[yz]?[yz]"),
    ];
    for (form, regex) in cases {
        let emitted = to_regex(form, Exactness::Exact).expect(form);
        assert_eq!(emitted, Emitted { text: regex.into(), losses: Vec::new() }, "{form}");
    }
}

#[test]
fn recursion_is_no_regex() {
    let form = r#"grammar list { list = "[" item{0, sep ","} "]"; item = "a" | list }"#;
    for exactness in [Exactness::Exact, Exactness::Lossy] {
        let cycle = vec!["list".into(), "item".into(), "list".into()];
        assert_eq!(to_regex(form, exactness), Err(EmitError::Recursive { cycle }));
    }
}

#[test]
fn counts_beyond_the_engines_are_losses() {
    let form = r#""x" | ("y" [^"]{1,100000})"#;
    let emitted = to_regex(form, Exactness::Lossy).expect("a loss is no error");
    assert_eq!(emitted.text, "x|y[^\"]+");
    let [loss] = emitted.losses.as_slice() else { panic!("one loss: {:?}", emitted.losses) };
    assert_eq!(loss.lost, Lost::Bounds { min: 1, max: Some(100_000) });
    assert_eq!(loss.place, Place(vec![Step::Arm(1), Step::Part(1)]));
    let error = to_regex(form, Exactness::Exact).expect_err("a loss is an error");
    assert_eq!(error, EmitError::Inexact(emitted.losses));
    let large = RegexLimits { compiled_bytes_max: 1 << 40, ..RegexLimits::default() };
    let emitted = read(form).to_regex(Exactness::Exact, large).expect("it fits this limit");
    assert_eq!(emitted.text, "x|y[^\"]{1,100000}");
}

/// Schema, arguments, what is lost, texts that still fit, and those that still do not.
type Lossy<'a> = (&'a str, &'a str, Option<Lost>, &'a [&'a str], &'a [&'a str]);

#[test]
fn schemas_lose_as_little_as_can_be() {
    let unique = r#"{"items": {"type": "string"}, "uniqueItems": true, "maxItems": 2}"#;
    let keys = r#"{"type": "object", "additionalProperties": {"const": null}, "maxProperties": 1}"#;
    let cases: [Lossy<'_>; 5] = [
        // How many there are is held where which is not.
        (unique, "{}", Some(Lost::Register), &[r#"["a","a"]"#], &[r#"["a","b","c"]"#, "[1]"]),
        (
            keys,
            r#"{"unique_keys": true}"#,
            Some(Lost::Register),
            &["{}"],
            &[r#"{"a":null,"b":null}"#],
        ),
        (r#"{"type": "integer"}"#, "{}", Some(Lost::Exponents), &["1", "1e2"], &["1.5", "15e-1"]),
        (r#"{"minimum": 3, "type": "number"}"#, "{}", Some(Lost::Exponents), &["3.5"], &["2.5"]),
        (r#"{"type": "integer"}"#, r#"{"numbers": "plain"}"#, None, &["1.0"], &["1e2", "1.5"]),
    ];
    for (schema, arguments, lost, fit, others) in cases {
        let arguments: serde_json::Map<String, Value> =
            serde_json::from_str(arguments).expect("an object");
        let arguments: Vec<(String, Value)> = arguments.into_iter().collect();
        let mut options = SchemaOptions::from_arguments(&arguments).expect("they are options");
        options.whitespace = Whitespace::Compact;
        let source = Arc::new(serde_json::from_str(schema).expect("JSON"));
        let ir = Ir::schema(source, options).expect("a schema");
        let emitted = ir.to_ebnf(Dialect::XGrammar, Exactness::Lossy).expect(schema);
        let found: Vec<&Lost> = emitted.losses.iter().map(|loss| &loss.lost).collect();
        assert_eq!(found, lost.iter().collect::<Vec<_>>(), "{schema}");
        assert_eq!(ir.to_ebnf(Dialect::XGrammar, Exactness::Exact).is_ok(), lost.is_none());
        let read = grammars::read(Syntax::Ebnf, &emitted.text).expect("our own reads back");
        for (texts, expected) in [(fit, true), (others, false)] {
            for text in texts {
                assert_eq!(matches(&read, text), expected, "{schema}: {text}\n{}", emitted.text);
            }
        }
    }
}

#[test]
fn what_the_estimate_allows_compiles() {
    for body in ["a", "abc", "[a-c]", "[^\"]", "[à-ü一-龥]", "(?:ab|cd)", "(?:a|b|cc)?", "\\d"]
    {
        for (from, to) in [("{", "}"), ("{0,", "}"), ("{", ",}")] {
            // Up to the largest count that is no loss, found by halving.
            let regex = |count: u32| {
                let ir = Ir::regex(&format!("{body}{from}{count}{to}")).expect("a valid pattern");
                ir.to_regex(Exactness::Exact, RegexLimits::default())
            };
            let (mut fits, mut breaks) = (1, 1 << 20);
            while breaks - fits > 1 + fits / 16 {
                let middle = (fits + breaks) / 2;
                if regex(middle).is_ok() { fits = middle } else { breaks = middle }
            }
            let text = regex(fits).expect("it was no loss").text;
            assert!(regex::Regex::new(&format!(r"\A(?:{text})\z")).is_ok(), "{body} {fits}");
            assert!(fits >= 1000 || body == "\\d", "{body} {fits}");
        }
    }
}

#[test]
fn what_grows_too_long_or_deep_is_refused() {
    let limits = RegexLimits { bytes_max: 100, ..RegexLimits::default() };
    let long = format!("\"{}\"", "a".repeat(101));
    let optionals = format!("joined by \",\" {{ {} }}", vec!["may \"abc\""; 20].join("; "));
    let doubling: Vec<String> =
        (1..30).map(|at| format!("r{at} = r{} \"x\" r{0}", at - 1)).collect();
    let doubling = format!("grammar r29 {{ r0 = \"y\"; {} }}", doubling.join("; "));
    for form in [&long, &optionals, &doubling] {
        let error = read(form).to_regex(Exactness::Lossy, limits).expect_err(form);
        assert!(matches!(error, EmitError::TooLong { bytes_max: 100, .. }), "{error}");
    }
    let error = read(&doubling).to_regex(Exactness::Lossy, RegexLimits::default());
    assert!(matches!(error, Err(EmitError::TooLong { .. })), "{error:?}");
    assert!(read(&doubling).to_ebnf(Dialect::XGrammar, Exactness::Exact).is_ok());
    let nested = |depth| {
        (0..depth).fold(Ir::text("a"), |ir, _| Ir::optional(Ir::sequence([ir, Ir::text("b")])))
    };
    let regex = nested(70).to_regex(Exactness::Exact, RegexLimits::default()).expect("not deep");
    assert!(regex::Regex::new(&regex.text).is_ok());
    let error = nested(100).to_regex(Exactness::Exact, RegexLimits::default());
    assert_eq!(error, Err(EmitError::TooDeep { depth_max: 240 }));
    let error = nested(1000).to_ebnf(Dialect::XGrammar, Exactness::Exact);
    assert_eq!(error, Err(EmitError::TooDeep { depth_max: 300 }));
    let error = nested(1000).to_structural_tag(Exactness::Exact);
    assert_eq!(error, Err(EmitError::TooDeep { depth_max: 300 }));
}

#[test]
fn long_automata_take_no_time() {
    let states = (0..4000).map(|at| State {
        edges: vec![(Ir::text("ab"), at + 1), (Ir::text("c"), at)],
        accepting: at == 3999,
    });
    let long = Ir::automaton(states.collect());
    let regex = long.to_regex(Exactness::Exact, RegexLimits::default()).expect("it is a chain");
    assert_eq!(regex.text, format!("c*{}", "abc*".repeat(3999)));
    let dense = |from| State {
        edges: (0..60).map(|to| (Ir::text(&format!("{from},{to};")), to)).collect(),
        accepting: true,
    };
    let dense = Ir::automaton((0..60).map(dense).collect());
    let error = dense.to_regex(Exactness::Exact, RegexLimits::default());
    assert!(matches!(error, Err(EmitError::TooLong { .. } | EmitError::TooDeep { .. })));
    assert!(dense.to_ebnf(Dialect::XGrammar, Exactness::Exact).is_ok());
}

#[test]
fn open_calls_are_refused() {
    let open = Ir::sequence([Ir::text("a"), Ir::call(RuleId(3))]);
    let expected = Err(EmitError::OpenCall(RuleId(3)));
    assert_eq!(open.to_regex(Exactness::Exact, RegexLimits::default()), expected);
    assert_eq!(open.to_ebnf(Dialect::XGrammar, Exactness::Exact), expected);
    assert_eq!(open.to_structural_tag(Exactness::Exact), expected);
}

#[test]
fn grammars_read_well() {
    let cases = [
        (r#""a\"b\\\n\u{0}é\u{2028}""#, "root ::= \"a\\\"b\\\\\\n\\u0000é\\u2028\"\n"),
        ("empty", "root ::= \"\"\n"),
        ("never", "root ::= root\n"),
        (r#"("a" | "b"?) "c""#, "root ::= (\"a\" | \"b\"?) \"c\"\n"),
        (r"[\[\]\^\-\\x-z] [^<] [^] [a]", "root ::= [\\-\\[-\\^x-z] [^<] [^] \"a\"\n"),
        (r#"("a"?){2 sep ","} "b"{2,}"#, "root ::= \"a\"? \",\" \"a\"? \"b\"{2,}\n"),
        (r#""a"{0,4294967295}"#, "root ::= \"a\"{0,2147483647} \"a\"{0,2147483647} \"a\"?\n"),
        (
            r#"joined by ", " { may "a"; may "b"; may "c" }"#,
            "root ::= \"a\" (\", \" \"b\")? (\", \" \"c\")? | part\n\
             part ::= \"b\" (\", \" \"c\")? | \"c\" | \"\"\n",
        ),
        (
            r#"anything until "</a" "</a""#,
            "root ::= anything \"</a\"\n\
             anything ::= [^<]* (\"<\" anything_2 | \"\")\n\
             anything_2 ::= \"<\"* ([^/<] anything | \"/\" anything_3 | \"\")\n\
             anything_3 ::= [^<a] anything | \"<\" anything_2 | \"\"\n",
        ),
        (
            r#"grammar rule 0 { "two words" = "a" true?; true = root "c"; root = "b" rule 0 }"#,
            "root ::= \"a\" true_2?\ntrue_2 ::= root_2 \"c\"\nroot_2 ::= \"b\" root\n",
        ),
    ];
    for (form, grammar) in cases {
        let emitted = read(form).to_ebnf(Dialect::XGrammar, Exactness::Exact).expect(form);
        assert_eq!(emitted, Emitted { text: grammar.into(), losses: Vec::new() }, "{form}");
    }
}

#[test]
fn rules_that_mean_the_same_are_said_once() {
    let list = |name: &str| {
        format!(
            "(grammar {name} {{ {name} = \"[\" pair{{0, sep \",\"}} \"]\"; \
             pair = \"a\" value; value = {name} | \"b\" }})"
        )
    };
    let form = format!("{} \"x\" {} \"y\"", list("list"), list("other"));
    let emitted = read(&form).to_ebnf(Dialect::XGrammar, Exactness::Exact).expect("it is exact");
    let expected = "root ::= list \"x\" list \"y\"\n\
                    list ::= \"[\" (pair (\",\" pair)*)? \"]\"\n\
                    pair ::= \"a\" value\n\
                    value ::= list | \"b\"\n";
    assert_eq!(emitted.text, expected);
}

#[test]
fn structural_tags_take_the_most_readable_exact_format() {
    use serde_json::{Value, json};

    let text = |value: &str| json!({ "type": "const_string", "value": value });
    let grammar = |ebnf: &str| json!({ "type": "grammar", "grammar": ebnf });
    let repeat = |min: i64, max: i64, body: Value| {
        let kind = "repeat";
        json!({ "type": kind, "min": min, "max": max, "content": body })
    };
    let list = |kind: &str, elements: Vec<Value>| json!({ "type": kind, "elements": elements });
    let cases = [
        (r#""a" | empty"#, list("or", vec![text("a"), text("")])),
        (r#""a" "b"*"#, {
            let star = json!({ "type": "star", "content": text("b") });
            list("sequence", vec![text("a"), star])
        }),
        (r#""a"?"#, json!({ "type": "optional", "content": text("a") })),
        (r#""a"{1,3}"#, repeat(1, 3, text("a"))),
        (r#""a"{2,}"#, repeat(2, -1, text("a"))),
        (r#""a"{2,3 sep ","}"#, {
            let more = repeat(1, 2, list("sequence", vec![text(","), text("a")]));
            list("sequence", vec![text("a"), more])
        }),
        ("anything", json!({ "type": "any_text" })),
        (r#"anything until "</think>""#, json!({ "type": "any_text", "excludes": ["</think>"] })),
        (
            r#"anything until "\n\n""#,
            grammar(
                "root ::= [^\\n]* (\"\\n\" anything | \"\")\n\
                 anything ::= [^\\n] root\n",
            ),
        ),
        ("regex /[a-z]+/", json!({ "type": "regex", "pattern": "[a-z]+" })),
        ("regex /a.?/", grammar("root ::= \"a\" [^\\n]?\n")),
        ("never", grammar("root ::= root\n")),
        (
            r#""a"{0,4294967295}"#,
            grammar("root ::= \"a\"{0,2147483647} \"a\"{0,2147483647} \"a\"?\n"),
        ),
    ];
    for (form, format) in cases {
        let emitted = read(form).to_structural_tag(Exactness::Exact).expect(form);
        let tag: Value = serde_json::from_str(&emitted.text).expect(form);
        assert_eq!(tag, json!({ "type": "structural_tag", "format": format }), "{form}");
    }
}
