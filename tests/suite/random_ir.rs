//! Random languages, small enough for the reference.

use std::sync::Arc;

use blueprints::ir::{CaptureKind, FreeText, Literal, Part, Rule, RuleId, Special, Triggers};
use blueprints::{Ir, SchemaOptions};

use crate::toy::Random;

const TEXTS: &[&str] =
    &["a", "b", "ab", "no", "not sure", "\n", "\n\n", ",", "é", "日本", "<", "</think>"];
const SPECIAL: &[&str] = &["<|im_end|>", "\n<|im_end|>", "<|x|>a"];
const PATTERNS: &[&str] = &[
    "a*b?",
    "[a-c]{2,4}",
    "(a|ab)(c|)",
    "no|not sure",
    "\\d+(\\.\\d+)?",
    "[^a]",
    "\\w{1,3}",
    ".*",
];
const UNTIL: &[&[&str]] =
    &[&["</think>"], &["\n\n"], &["<"], &["aa"], &["aab"], &["b", "</"], &["<|im_end|>"], &[]];
const SCHEMAS: &[&str] = &[
    r#"{"type":"string","maxLength":3}"#,
    r#"{"type":"integer"}"#,
    r#"{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"null"}},"required":["b"],"additionalProperties":false}"#,
    r#"{"type":"array","items":{"enum":["a",1,null]},"minItems":1,"maxItems":2}"#,
    r##"{"$ref":"#/$defs/t","$defs":{"t":{"anyOf":[{"type":"boolean"},{"type":"array","items":{"$ref":"#/$defs/t"}}]}}}"##,
    r#"{"type":"string","pattern":"^a+b"}"#,
];

/// A language of at most `depth` levels that holds some text.
pub(crate) fn any(random: &mut Random, depth: usize) -> Ir {
    if depth == 0 || random.below(4) == 0 {
        return leaf(random);
    }
    let inner = |random: &mut Random| any(random, depth - 1);
    match random.below(7) {
        0 | 1 => {
            let parts: Vec<Ir> = (0..2 + random.below(2)).map(|_| inner(random)).collect();
            Ir::sequence(parts)
        }
        2 => {
            let arms: Vec<Ir> = (0..2 + random.below(3)).map(|_| inner(random)).collect();
            Ir::choice(arms)
        }
        3 => Ir::optional(inner(random)),
        4 => {
            let min = random.below(4) as u32;
            let max = (random.below(3) > 0).then(|| min + random.below(4) as u32);
            let separator = (random.below(2) == 0).then(|| leaf(random));
            Ir::repeat(inner(random), min, max, separator)
        }
        5 => {
            let parts = (0..1 + random.below(3))
                .map(|_| Part { body: inner(random), required: random.below(2) == 0 })
                .collect();
            Ir::joined(leaf(random), parts)
        }
        _ => {
            // Nested brackets around something.
            let body = inner(random);
            let nested = Ir::sequence([Ir::text("["), Ir::call(RuleId(0)), Ir::text("]")]);
            let rule = Rule { name: "r".into(), body: Ir::choice([body, nested]) };
            Ir::grammar(vec![rule], RuleId(0)).expect("not left-recursive")
        }
    }
}

fn leaf(random: &mut Random) -> Ir {
    match random.below(13) {
        9 => Ir::token(random.pick(&["<|im_end|>", "<|none|>"])),
        10 => {
            let any = Special::Any { except: vec!["<|im_end|>".into()] };
            // Two that have bytes too, and one that is unknown.
            let spelled = random.pick(&["ab", "</think>", "<|unknown|>"]);
            Ir::special(match random.below(3) {
                0 => any,
                1 => Special::Stop,
                _ => Special::Spelled(spelled.into()),
            })
        }
        11 => limited(random),
        12 => triggered(random),
        0..=3 => Ir::text(random.pick(TEXTS)),
        4 => Ir::value(random.pick(TEXTS)),
        5 => Ir::text(random.pick(SPECIAL)),
        6 => Ir::regex(random.pick(PATTERNS)).expect("a pattern"),
        7 => {
            let until = random.pick(UNTIL);
            Ir::anything(until.iter().map(|&text| Literal::from(text))).expect("no overlap")
        }
        _ => {
            let schema = serde_json::from_str(random.pick(SCHEMAS)).expect("JSON");
            Ir::schema(Arc::new(schema), SchemaOptions::default()).expect("a schema")
        }
    }
}

fn limited(random: &mut Random) -> Ir {
    let until = UNTIL[random.below(UNTIL.len())].iter().map(|&text| Literal::from(text));
    let min_chars = random.below(2) as u32;
    let limits = FreeText {
        min_chars,
        max_chars: (random.below(2) == 0).then(|| min_chars + random.below(4) as u32),
        excludes: if random.below(2) == 0 { vec!["b<".into()] } else { Vec::new() },
        special: random.below(2) == 0,
        ..FreeText::default()
    };
    let text = Ir::free_text(until, limits).expect("it can be built");
    Ir::capture("x", CaptureKind::Text, text)
}

fn triggered(random: &mut Random) -> Ir {
    let rules: &[&[(&str, &str)]] = &[
        &[("<a>", "x</a>")],
        &[("<|x|>", "a"), ("<|im_end|>", "b<|x|>")],
        &[("b<|x|>a", "a"), ("ab", "")],
    ];
    let rule = |(trigger, body): &(&str, &str)| (Literal::from(*trigger), Ir::text(body));
    let until: &[Literal] = &[Literal::from("</"), Literal::from("\n<|y|>")];
    let triggers = Triggers {
        rules: rules[random.below(rules.len())].iter().map(rule).collect(),
        at_least_one: random.below(2) == 0,
        stop_after_first: random.below(2) == 0,
        excludes: if random.below(3) == 0 { vec!["cc".into()] } else { Vec::new() },
        until: until.get(random.below(3)).cloned().into_iter().collect(),
        text: (random.below(2) == 0).then(|| "free text".into()),
    };
    Ir::dispatch(triggers).expect("it can be built")
}
