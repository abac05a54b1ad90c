//! Writes what real engines are asked: emitted grammars with texts, and whether each belongs.
//!
//! The lines go to `engines.jsonl` in Cargo's folder for temporary files of tests, and from there
//! to the scripts under `tests/engines`.

use std::fmt::Write;

use blueprints_compiler::Ir;
use blueprints_compiler::emit::{Dialect, Exactness, RegexLimits};
use serde_json::json;

use crate::matcher::matches;
use crate::random::{Random, Shape, mutate, sample};

/// All constructs, alone and nested, in the printed form, with an alphabet for their texts.
const FORMS: &[(&str, &str)] = &[
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
];

#[test]
fn engines_have_cases() {
    let mut random = Random::new(3);
    let mut lines = String::new();
    let (mut accepted, mut rejected) = (0, 0);
    let mut add = |id: &str, ir: &Ir, texts: &[String]| {
        let ebnf = ir.to_ebnf(Dialect::XGrammar, Exactness::Exact).expect("nothing is lost");
        let tag = ir.to_structural_tag(Exactness::Exact).expect("nothing is lost");
        let regex = ir.to_regex(Exactness::Exact, RegexLimits::default());
        let mut targets = vec![("ebnf", &ebnf), ("structural_tag", &tag)];
        // Recursion and the largest counts are no regular expressions.
        targets.extend(regex.iter().map(|regex| ("regex", regex)));
        for text in texts {
            let expected = matches(ir, text);
            *(if expected { &mut accepted } else { &mut rejected }) += 1;
            for (kind, emitted) in &targets {
                let line = json!({
                    "id": id, "kind": kind, "grammar": emitted.text, "text": text,
                    "expected": expected,
                });
                writeln!(lines, "{line}").expect("a string takes all that is written");
            }
        }
    };
    for (form, alphabet) in FORMS {
        let ir = Ir::read(form).unwrap_or_else(|error| panic!("{error}: {form}"));
        let alphabet: Vec<char> = alphabet.chars().collect();
        add(form, &ir, &texts_for(&mut random, &ir, &alphabet));
    }
    let shape = Shape {
        alphabet: &['a', 'b', '"', '\n', 'é'],
        patterns: &["a+b?", "(?:ab|b){1,2}", "[^a]", ".a", "\"|\\n"],
        count_max: 3,
        recursion: true,
    };
    for round in 0..300 {
        let depth = 1 + round % 4;
        let ir = match round % 3 {
            0 => shape.grammar(&mut random, depth),
            _ => shape.ir(&mut random, depth, 0),
        };
        let texts = texts_for(&mut random, &ir, shape.alphabet);
        add(&format!("random {round}: {ir}"), &ir, &texts);
    }
    assert!(accepted > 2000 && rejected > 2000, "{accepted} accepted, {rejected} rejected");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines.jsonl");
    std::fs::write(path, lines).expect("Cargo's folder for temporary files takes files");
}

/// Sampled texts, near misses of them, and all texts of up to two characters.
fn texts_for(random: &mut Random, ir: &Ir, alphabet: &[char]) -> Vec<String> {
    let mut texts = vec![String::new()];
    for one in alphabet {
        texts.push(one.to_string());
        texts.extend(alphabet.iter().map(|other| format!("{one}{other}")));
    }
    for _ in 0..20 {
        let text = sample(random, ir);
        if text.len() < 1000 {
            texts.push(mutate(random, &text, alphabet));
            texts.push(text);
        }
    }
    texts.sort();
    texts.dedup();
    texts
}
