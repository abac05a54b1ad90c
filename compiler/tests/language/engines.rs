//! Every target, on a corpus of all constructs and on random languages, accepts what it should.
//!
//! Regular expressions run here, in the crate `regex`. What real engines are asked is written to
//! `engines.jsonl` in Cargo's folder for temporary files of tests, for the scripts under
//! `tests/engines`: one line for each target and text, and whether it belongs.

use std::fmt::Write;

use blueprints_compiler::emit::{Dialect, Emitted, Exactness, RegexLimits};
use blueprints_compiler::grammars::{self, Syntax};
use blueprints_compiler::{Blueprint, Ir};
use serde_json::json;

use crate::corpus::{FOREIGN, FORMS, TEMPLATES, context, texts_for};
use crate::matcher::matches;
use crate::random::{Random, Shape};

#[derive(Default)]
struct Asked {
    lines: String,
    accepted: u32,
    rejected: u32,
    regexes: u32,
    /// Languages without 20 accepted and 20 rejected texts.
    few: u32,
}

impl Asked {
    fn add(&mut self, id: &str, ir: &Ir, texts: &[(String, bool)]) {
        let dialect = |dialect| ir.to_ebnf(dialect, Exactness::Exact).expect("nothing is lost");
        let ebnf = dialect(Dialect::XGrammar);
        let gbnf = dialect(Dialect::Gbnf);
        let lark = dialect(Dialect::Lark);
        let tag = ir.to_structural_tag(Exactness::Exact).expect("nothing is lost");
        // Recursion and the largest counts are no regular expressions.
        let regex = ir.to_regex(Exactness::Exact, RegexLimits::default()).ok();
        let mut targets =
            vec![("ebnf", &ebnf), ("structural_tag", &tag), ("gbnf", &gbnf), ("lark", &lark)];
        targets.extend(regex.iter().map(|regex| ("regex", regex)));
        let count = |wanted| texts.iter().filter(|(_, expected)| *expected == wanted).count();
        self.accepted += count(true) as u32;
        self.rejected += count(false) as u32;
        // What has few texts, or refuses few, has no more of them to show.
        self.few +=
            u32::from(count(true) < 20 && ir.facts().is_none_or(|f| f.length_max.is_none()));
        self.few += u32::from(count(false) < 20);
        for (kind, emitted) in targets {
            self.ask(id, kind, &emitted.text, texts);
        }
        if let Some(regex) = regex {
            self.regexes += 1;
            run(id, &regex, texts);
        }
        for (syntax, grammar) in [(Syntax::Ebnf, &ebnf), (Syntax::Gbnf, &gbnf)] {
            read_back(id, syntax, grammar, texts);
        }
    }
}

impl Asked {
    fn ask(&mut self, id: &str, kind: &str, grammar: &str, texts: &[(String, bool)]) {
        for (text, expected) in texts {
            let line = json!({
                "id": id, "kind": kind, "grammar": grammar, "text": text, "expected": expected,
            });
            writeln!(self.lines, "{line}").expect("a string takes all that is written");
        }
    }
}

fn run(id: &str, emitted: &Emitted, texts: &[(String, bool)]) {
    let regex = regex::Regex::new(&format!(r"\A(?:{})\z", emitted.text))
        .unwrap_or_else(|error| panic!("{error}: {id}"));
    for (text, expected) in texts {
        assert_eq!(regex.is_match(text), *expected, "{text:?}: {id}\n{}", emitted.text);
    }
}

/// Our own reader takes what was written for the same language, and it is written the same again.
fn read_back(id: &str, syntax: Syntax, emitted: &Emitted, texts: &[(String, bool)]) {
    let ir = grammars::read(syntax, &emitted.text)
        .unwrap_or_else(|fault| panic!("{fault}: {id}\n{}", emitted.text));
    for (text, expected) in texts {
        assert_eq!(matches(&ir, text), *expected, "{text:?}: {id}\n{}\n{ir}", emitted.text);
    }
}

#[test]
fn engines_have_cases() {
    let mut random = Random::new(3);
    let mut asked = Asked::default();
    for (form, alphabet) in FORMS {
        let ir = Ir::read(form).unwrap_or_else(|error| panic!("{error}: {form}"));
        let alphabet: Vec<char> = alphabet.chars().collect();
        asked.add(form, &ir, &texts_for(&mut random, &ir, &alphabet));
    }
    for (template, alphabet) in TEMPLATES {
        let outline = Blueprint::from_str(template)
            .and_then(|blueprint| blueprint.outline(context()))
            .unwrap_or_else(|faults| panic!("{template}\n{faults}"));
        let alphabet: Vec<char> = alphabet.chars().collect();
        asked.add(template, outline.ir(), &texts_for(&mut random, outline.ir(), &alphabet));
    }
    assert!(FORMS.len() + TEMPLATES.len() > 150);
    for (syntax, grammar, alphabet) in FOREIGN {
        let ir = grammars::read(*syntax, grammar)
            .unwrap_or_else(|fault| panic!("{fault} at {:?}: {grammar}", fault.range));
        let alphabet: Vec<char> = alphabet.chars().collect();
        let texts = texts_for(&mut random, &ir, &alphabet);
        asked.add(&format!("read {grammar}"), &ir, &texts);
        let kind = if *syntax == Syntax::Lark { "lark" } else { "ebnf" };
        asked.ask(&format!("original {grammar}"), kind, grammar, &texts);
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
        asked.add(&format!("random {round}: {ir}"), &ir, &texts);
    }
    let Asked { accepted, rejected, regexes, few, .. } = asked;
    assert!(accepted > 5000 && rejected > 8000, "{accepted} accepted, {rejected} rejected");
    assert!(regexes > 300 && few < 150, "{regexes} regular, {few} with few texts");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines.jsonl");
    std::fs::write(path, asked.lines).expect("Cargo's folder for temporary files takes files");
}
