//! Grammars that were written for other engines mean here what they mean there.

use std::collections::BTreeSet;
use std::fmt::Write;

use blueprints_compiler::Ir;
use blueprints_compiler::grammars::{GrammarFault, Syntax, read};
use blueprints_compiler::ir::{CaptureKind, GrammarError, Rule, RuleId};

use crate::matcher::{check, matches};
use crate::random::Random;

#[track_caller]
fn holds(syntax: Syntax, grammar: &str, accepted: &[&str], rejected: &[&str]) -> Ir {
    let ir = read(syntax, grammar).unwrap_or_else(|fault| panic!("{fault}: {grammar}"));
    check(&ir, grammar, accepted, rejected);
    assert_eq!(Ir::read(&ir.to_string()).as_ref(), Ok(&ir), "{grammar}");
    ir
}

#[test]
fn ebnf_is_read() {
    let holds = |grammar, accepted: &[&str], rejected: &[&str]| {
        holds(Syntax::Ebnf, grammar, accepted, rejected);
    };
    holds("root ::= \"a\\x41\\u00e9\\U0001F980\\n\\e\\?\"", &["aAé🦀\n\u{1b}?"], &["a", ""]);
    holds("root ::= \"\\x41BC\"", &["\u{41bc}"], &["ABC"]);
    holds("# note\nroot ::= a-b # more\n  \"x\"?\na-b ::= [a-c-]{2}", &["ab", "a-x"], &["a", "a]"]);
    holds("root ::= [^\\^\\-\\]]+ | [^]", &["a", "ab", "^"], &["", "^^", "a]"]);
    holds("root ::= ([] | \"a\") (\"\" | \"b\"){2,3}", &["a", "ab", "abbb"], &["", "abbbb"]);
    holds("root ::= () | \"a\"{2,-1}", &["", "aa", "aaa"], &["a"]);
    holds("root ::= \"a\" * \"b\" {2} (= \"c\")", &["bb", "aabb"], &["bbc", "b"]);
    holds("root ::= Regex(\"a+\\\\d\", flags=\"i\") \"x\"", &["aA1x"], &["ax", "a1", "a٣x"]);
    holds("root ::= Substring(\"ab\", \"c\", \"d\")", &["", "abc", "cd", "c"], &["b", "abd", "bc"]);
    holds("root ::= root \"+\" n | n\nn ::= [0-9]", &["1", "1+2+3"], &["", "+1", "1+"]);
    holds("root ::= root", &[], &["", "a"]);
    holds("root ::= \"a\" dead | \"b\"\ndead ::= \"c\" dead", &["b"], &["a", "ac"]);
    let dispatch = "root ::= TagDispatch((\"<a\", x), (\"<ab\", y)EXTRA)\nx ::= \"1\"\ny ::= \"2\"";
    let once = dispatch.replace("EXTRA", ", loop_after_dispatch=false");
    let without = dispatch.replace("EXTRA", ", excludes=(\"no\",)");
    let dispatch = dispatch.replace("EXTRA", "");
    holds(&dispatch, &["", "<", "z<a1", "<ab2", "<a1q<a1", "no"], &["<a", "<az", "<ab1", "<a<ab2"]);
    holds(&once, &["", "<", "z<a1"], &["<a1q", "<a1<a1"]);
    holds(&without, &["n", "<a1o"], &["no", "<a1no"]);
}

#[test]
fn gbnf_is_read() {
    let holds = |grammar, accepted: &[&str], rejected: &[&str]| {
        holds(Syntax::Gbnf, grammar, accepted, rejected);
    };
    holds("root ::= \"\\x41BC\" . [\\]a-]", &["ABCé]", "ABC\n-"], &["ABC]", "䆼a]"]);
    holds("root ::= | \"a\" |\n \"b\"", &["", "a", "b"], &["ab"]);
    holds(
        "root ::= (expr \"=\" ws term \"\\n\")+\nexpr ::= term ([-+*/] term)*\n\
         term ::= ident | num | \"(\" ws expr \")\" ws\nident ::= [a-z] [a-z0-9_]* ws\n\
         num ::= [0-9]+ ws\nws ::= [ \\t\\n]*",
        &["x=1\n", "x+(y*2)=z\nq=1\n"],
        &["x=1", "x+=1\n", ""],
    );
    holds("root ::= a{2,3} a{1,}\na ::= \"x\" | \"y\"?", &["", "xy", "xxxx"], &["z"]);
}

#[test]
fn lark_is_read() {
    let holds = |grammar, accepted: &[&str], rejected: &[&str]| {
        holds(Syntax::Lark, grammar, accepted, rejected);
    };
    holds(
        "start: \"a\"i [B] // note\n  | x~2..3\nB: \"b\"..\"d\"\n?x: \"x\"",
        &["a", "Ad", "xx", "xxx"],
        &["", "x", "ae", "xxxx"],
    );
    holds("start: (\"\\x41\\u00e9\" | /[a-c]\\/\\d/i){1,2}", &["Aé", "B/1Aé"], &["", "b/"]);
    holds("start: T \"x\"*\nT: ~(/.*b.*/) & /[a-d]{2,3}/\n", &["ac", "dddx"], &["ab", "a", "abcx"]);
    holds("start: T+\nT: A | ~A & \"c\"{2}\nA: /[ab]/", &["a", "cc", "acca"], &["c", "", "d"]);
    holds("start: (\"a\"\n\n| \"b\")\n\n\n| start \"c\" -> more\n", &["a", "bcc"], &["c", "ab"]);
    holds(
        "%import common.INT\n%import common (CNAME, WS_INLINE)\n%import common.WORD -> W\n\
           start: CNAME \"=\" INT \";\" W",
        &["a_1=07;x"],
        &["1=1;x", "a=;x"],
    );
    holds("start: %json {\"type\": \"boolean\"} \"!\"", &["true!"], &["!", "1!"]);
    holds("start: %regex {\"substring_chars\": \"abca\"}", &["", "bca", "a"], &["ac", "abcab"]);
    holds(
        "start: e\ne: e \"+\" t | t\nt: N | \"(\" e \")\"\nN: /[0-9]+/\n%ignore / +/\n%ignore \"\\n\"",
        &["1", "12 +3", "( 1\n + 2 )+3", "((1))"],
        &[" 1", "1 ", "1 2", "1+", "\n(1)"],
    );
    holds(
        "%llguidance {\"allow_initial_skip\": true}\nstart: \"a\" \"b\"?\n%ignore \" \"",
        &["a", "  a b", "ab"],
        &["a ", "", " b"],
    );
    holds(
        "start: x* \"b\"?\nx: y?\ny: \"a\"\n%ignore \" \"",
        &["", "a", "b", "a a  b"],
        &[" a", "a "],
    );
}

#[test]
fn faults_in_grammars_have_their_place() {
    let cases = [
        (Syntax::Ebnf, "root ::= a", 9..10, "there is no rule `a`"),
        (Syntax::Ebnf, "a ::= \"b\"", 9..9, "the grammar has no rule `root`"),
        (Syntax::Ebnf, "root ::= \"b\"\nroot ::= \"c\"", 13..17, "there are two rules `root`"),
        (Syntax::Ebnf, "root ::= \"b", 9..11, "the string has no closing quote"),
        (Syntax::Ebnf, "root ::= \"\\q\"", 10..12, "there is no such escape"),
        (Syntax::Ebnf, "root ::= [a\\d]", 11..13, "there is no such escape"),
        (Syntax::Ebnf, "root ::= \"\\ud800\"", 10..16, "this is no character"),
        (Syntax::Ebnf, "root ::= [b-a]", 10..13, "the range is reversed"),
        (Syntax::Ebnf, "root ::= \"a\"{3,2}", 12..17, "no count lies between"),
        (Syntax::Ebnf, "root ::= \"a\"++", 13..14, "expected a part of a rule, found `+`"),
        (Syntax::Ebnf, "root ::= ", 9..9, "expected a part of a rule, found the end"),
        (Syntax::Ebnf, "root ::= (\"é\"", 14..14, "expected `)`, found the end"),
        (Syntax::Ebnf, "root ::= Token(3)", 9..14, "`Token` means tokens"),
        (Syntax::Ebnf, "root[capture=\"x\"] ::= \"a\"", 4..17, "the options `[capture"),
        (Syntax::Ebnf, "root ::= Regex(\"(\")", 15..18, "unclosed group"),
        (
            Syntax::Ebnf,
            "root ::= TagDispatch((\"ab\", root), excludes=(\"a\",))",
            9..20,
            "the excluded text `a` begins the trigger `ab`",
        ),
        (Syntax::Gbnf, "root ::= <[3]>", 9..14, "a token has no meaning"),
        (Syntax::Gbnf, "root ::= [^\\d]", 11..13, "there is no such escape"),
        (Syntax::Gbnf, "root ::= \"a\"{99999999999}", 13..24, "the number is too large"),
    ];
    let lark = [
        ("start: a", 7..8, "there is no rule `a`"),
        ("a: \"b\"", 6..6, "the grammar has no rule `start`"),
        ("start: A\nA: B\nB: A", 9..10, "the terminal `A` uses itself"),
        ("start: A\nA: \"a\" b\nb: \"c\"", 16..17, "the rule `b` cannot be part of a terminal"),
        ("start: A\nA: C", 12..13, "there is no terminal `C`"),
        ("start: \"a", 7..9, "the string has no closing quote"),
        ("start: \"\\q\"", 7..11, "the string has an escape"),
        ("start: /(/", 7..10, "unclosed group"),
        ("start: /(?=a)/", 7..14, "look-around"),
        ("start: <tool>", 7..13, "a token has no meaning"),
        ("start[lazy]: \"a\"", 6..10, "attributes steer an engine"),
        ("start: \"a\" & \"b\"", 7..16, "`&` and `~` are for terminals"),
        ("start: \"a\"{3,2}", 10..15, "no count lies between"),
        ("start: %json {", 13..13, "not JSON"),
        ("%import common.NOPE", 15..19, "`common` has no terminal `NOPE`"),
        ("start: \"b\"..\"a\"", 7..10, "a range goes from one character"),
        ("start: ()\n)", 10..11, "expected a rule, a terminal or a statement"),
        ("start: A\nA: ~(/(a|b)*a(a|b){30}/)", 12..33, "the terminal would need too many"),
    ];
    let lark = lark.map(|(grammar, range, message)| (Syntax::Lark, grammar, range, message));
    for (syntax, grammar, range, message) in cases.into_iter().chain(lark) {
        let fault = read(syntax, grammar).expect_err(grammar);
        assert!(fault.message.starts_with(message), "{grammar}: {fault}");
        assert_eq!(fault.range, range, "{grammar}: {fault}");
    }
    let deep = format!("root ::= {}\"a\"{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(read(Syntax::Gbnf, &deep).expect_err("too deep").message.contains("deeper"));
}

/// What a random rule is made of.
enum Part {
    Text(&'static str),
    Call(usize),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeat(Box<Part>, u32, Option<u32>),
}

impl Part {
    fn random(random: &mut Random, depth: usize, rules: usize) -> Self {
        let some = |random: &mut Random| {
            (0..1 + random.below(3)).map(|_| Self::random(random, depth - 1, rules)).collect()
        };
        match random.below(if depth == 0 { 5 } else { 9 }) {
            0 => Self::Text(""),
            1 => Self::Text("a"),
            2 => Self::Text("b"),
            3 | 4 => Self::Call(random.below(rules)),
            5 | 6 => Self::Sequence(some(random)),
            7 => Self::Choice(some(random)),
            _ => {
                let body = Box::new(Self::random(random, depth - 1, rules));
                let min = random.below(3) as u32;
                let more = random.below(3) as u32;
                Self::Repeat(body, min, (random.below(2) == 0).then_some(min + more))
            }
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => write!(out, "\"{text}\""),
            Self::Call(0) => write!(out, "root"),
            Self::Call(rule) => write!(out, "r{rule}"),
            Self::Sequence(parts) => {
                parts.iter().for_each(|part| {
                    part.write(out);
                    out.push(' ');
                });
                Ok(())
            }
            Self::Choice(arms) => {
                for (at, arm) in arms.iter().enumerate() {
                    out.push_str(if at == 0 { "(" } else { " | " });
                    arm.write(out);
                }
                write!(out, ")")
            }
            Self::Repeat(body, min, max) => {
                out.push('(');
                body.write(out);
                let max = max.map_or(String::new(), |max| max.to_string());
                write!(out, "){{{min},{max}}}")
            }
        }
        .expect("a string takes all that is written");
    }

    /// Where a text that begins at one of `from` may end, as far as `rules` knows.
    fn ends(
        &self,
        text: &[u8],
        from: &BTreeSet<usize>,
        rules: &[BTreeSet<(usize, usize)>],
    ) -> BTreeSet<usize> {
        match self {
            Self::Text(own) => from
                .iter()
                .filter(|&&at| text[at..].starts_with(own.as_bytes()))
                .map(|at| at + own.len())
                .collect(),
            Self::Call(rule) => rules[*rule]
                .iter()
                .filter(|(begin, _)| from.contains(begin))
                .map(|(_, end)| *end)
                .collect(),
            Self::Sequence(parts) => {
                parts.iter().fold(from.clone(), |from, part| part.ends(text, &from, rules))
            }
            Self::Choice(arms) => arms.iter().flat_map(|arm| arm.ends(text, from, rules)).collect(),
            Self::Repeat(body, min, max) => {
                let mut ends = BTreeSet::new();
                let mut now = from.clone();
                for count in 0..=max.unwrap_or(min + text.len() as u32 + 1) {
                    if count >= *min {
                        ends.extend(&now);
                    }
                    now = body.ends(text, &now, rules);
                }
                ends
            }
        }
    }
}

/// All spans of each rule, as a least fixed point: slow, and without any rewriting.
fn spans(bodies: &[Part], text: &str) -> Vec<BTreeSet<(usize, usize)>> {
    let mut rules = vec![BTreeSet::new(); bodies.len()];
    loop {
        let next: Vec<BTreeSet<(usize, usize)>> = bodies
            .iter()
            .map(|body| {
                let begins = 0..=text.len();
                let spans = begins.flat_map(|begin| {
                    let ends = body.ends(text.as_bytes(), &BTreeSet::from([begin]), &rules);
                    ends.into_iter().map(move |end| (begin, end))
                });
                spans.collect()
            })
            .collect();
        if next == rules {
            return rules;
        }
        rules = next;
    }
}

#[test]
fn left_recursion_of_every_kind_is_rewritten() {
    let mut random = Random::new(7);
    let texts: Vec<String> = (0..7)
        .flat_map(|length: usize| {
            (0..1_usize << length).map(move |bits| {
                (0..length).map(|at| if bits >> at & 1 == 0 { 'a' } else { 'b' }).collect()
            })
        })
        .collect();
    let (mut rewritten, mut accepted, mut rejected) = (0, 0, 0);
    for round in 0..3000 {
        let count = 1 + random.below(4);
        let bodies: Vec<Part> =
            (0..count).map(|_| Part::random(&mut random, 1 + round % 3, count)).collect();
        let mut grammar = String::new();
        for (at, body) in bodies.iter().enumerate() {
            grammar.push_str(if at == 0 { "root" } else { "" });
            if at > 0 {
                write!(grammar, "r{at}").expect("a string takes all that is written");
            }
            grammar.push_str(" ::= ");
            body.write(&mut grammar);
            grammar.push('\n');
        }
        let ir = read(Syntax::Ebnf, &grammar).unwrap_or_else(|fault| panic!("{fault}: {grammar}"));
        rewritten += u32::from(ir.to_string().contains(".some"));
        for text in texts.iter().filter(|text| text.len() < 4 || round % 32 == 0) {
            let expected = spans(&bodies, text)[0].contains(&(0, text.len()));
            *(if expected { &mut accepted } else { &mut rejected }) += 1;
            assert_eq!(matches(&ir, text), expected, "{text:?}:\n{grammar}\n{ir}");
        }
    }
    assert!(rewritten > 20, "{rewritten}");
    assert!(accepted > 500 && rejected > 500, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn faults_of_limits_end_soon() {
    // Every rule begins with every other, and may be empty.
    let calls: Vec<String> = (0..150).map(|at| format!("r{at}?")).collect();
    let calls = calls.join(" ");
    let mut grammar = format!("root ::= {calls}\n");
    for at in 0..150 {
        writeln!(grammar, "r{at} ::= \"{at}\" | {calls}").expect("a string");
    }
    let fault: GrammarFault = read(Syntax::Ebnf, &grammar).expect_err("it is too large");
    assert!(fault.message.contains("begin with each other"), "{fault}");
    let wide: String = (0..20_000).fold("root ::= r0\n".into(), |mut text, at| {
        writeln!(text, "r{at} ::= \"x\" r{} | \"y\"", (at + 1) % 20_000).expect("a string");
        text
    });
    assert!(read(Syntax::Gbnf, &wide).is_ok());
}

#[test]
fn rules_that_begin_with_themselves_are_rewritten_unless_they_hold_captures() {
    let rule = |name: &str, body: Ir| Rule { name: name.into(), body };
    let (sum, term) = (RuleId(0), RuleId(1));
    let rules = |operand: Ir| {
        let more = Ir::sequence([Ir::call(sum), Ir::text("+"), Ir::call(term)]);
        let nested = Ir::sequence([Ir::text("("), Ir::call(sum), Ir::text(")")]);
        vec![
            rule("sum", Ir::choice([more, Ir::call(term)])),
            rule("term", Ir::choice([operand, nested])),
        ]
    };
    let ir = Ir::grammar(rules(Ir::text("1")), sum).unwrap();
    check(&ir, "sums", &["1", "1+1+1", "(1+(1))+1"], &["", "+1", "1+", "(1", "1)"]);
    assert_eq!(Ir::read(&ir.to_string()).as_ref(), Ok(&ir));
    let cycle = || vec!["sum".to_owned(), "sum".to_owned()];
    let held = Ir::capture("n", CaptureKind::Text, Ir::text("1"));
    for operand in [held, Ir::token("<|end|>")] {
        let refused = Ir::grammar(rules(operand), sum);
        assert_eq!(refused, Err(GrammarError::LeftRecursive { cycle: cycle() }));
    }
}
