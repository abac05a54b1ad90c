//! Every target, on a corpus of all constructs and on random languages, accepts what it should.
//!
//! Regular expressions run here, in the crate `regex`. What real engines are asked is written to
//! `engines.jsonl` in Cargo's folder for temporary files of tests, for the scripts under
//! `tests/engines`: one line for each target and text, and whether it belongs.

use std::fmt::Write;

use blueprints_compiler::emit::{Dialect, Emitted, Exactness, RegexLimits, TagFormats};
use blueprints_compiler::grammars::{self, Syntax};
use blueprints_compiler::{Blueprint, Ir};
use serde_json::json;

use crate::corpus::{FORMS, TEMPLATES, context, texts_for};
use crate::corpus_foreign::{FOREIGN, TAGS};
use crate::engine;
use crate::matcher::matches;
use crate::random::{Random, Shape};

#[derive(Default)]
struct Asked {
    lines: String,
    accepted: u32,
    rejected: u32,
    regexes: u32,
    /// Languages that some target cannot say.
    lossy: u32,
    /// Languages that have less than 20 texts, all of which are asked about.
    small: u32,
    /// Languages that refuse less than 20 of the texts that were tried, by id.
    lenient: Vec<String>,
}

impl Asked {
    fn add(&mut self, id: &str, ir: &Ir, texts: &[(String, bool)]) {
        let mut texts = texts.to_vec();
        let known = |texts: &[(String, bool)]| texts.iter().filter(|text| text.1).count();
        if known(&texts) < 20 {
            let (some, all) = engine::some(ir, 20);
            for text in some {
                assert!(matches(ir, &text), "{text:?}: {id}\n{ir}");
                if texts.iter().all(|(known, _)| *known != text) {
                    texts.push((text, true));
                }
            }
            self.small += u32::from(all);
            assert!(all || known(&texts) >= 20, "{id} has more texts");
        }
        let texts = &texts[..];
        let lossy = Exactness::Lossy;
        let dialect = |dialect| ir.to_ebnf(dialect, lossy).expect("it can be said");
        let ebnf = dialect(Dialect::XGrammar);
        let gbnf = dialect(Dialect::Gbnf);
        let lark = dialect(Dialect::Lark);
        let tag = |formats| ir.to_structural_tag_of(formats, lossy).expect("it can be said");
        let (tag, legacy) = (tag(TagFormats::Current), tag(TagFormats::Legacy));
        if [&ebnf, &gbnf, &lark, &tag, &legacy].iter().any(|emitted| loses_texts(emitted)) {
            self.lossy += 1;
            return;
        }
        // Recursion and the largest counts are no regular expressions.
        let regex = ir.to_regex(lossy, RegexLimits::default()).ok();
        let regex = regex.filter(|regex| !loses_texts(regex));
        let mut targets = vec![
            ("ebnf", &ebnf),
            ("structural_tag", &tag),
            ("structural_tag", &legacy),
            ("gbnf", &gbnf),
            ("lark", &lark),
        ];
        targets.extend(regex.iter().map(|regex| ("regex", regex)));
        let count = |wanted| texts.iter().filter(|(_, expected)| *expected == wanted).count();
        self.accepted += count(true) as u32;
        self.rejected += count(false) as u32;
        if count(false) < 20 {
            self.lenient.push(id.to_owned());
        }
        engine::run(id, ir, texts);
        // A token by its spelling needs a vocabulary, which nobody has here.
        targets.retain(|(_, emitted)| !emitted.text.contains("\"type\": \"token\""));
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

/// The tags that XGrammar's own builders make, if the script that asks them has run.
fn builtin(asked: &mut Asked, random: &mut Random) {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("builtin_tags.jsonl");
    let Ok(lines) = std::fs::read_to_string(path) else {
        println!("skipped: nobody asked XGrammar's builders");
        return;
    };
    let (mut read, mut lossy) = (0, 0);
    for line in lines.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let ir = grammars::read_structural_tag(&line["tag"])
            .unwrap_or_else(|fault| panic!("{fault}: {line}"));
        read += 1;
        let id = format!("builtin {}", line["id"]);
        let texts = match line["texts"].as_array() {
            Some(texts) => texts
                .iter()
                .filter_map(|text| Some((text.as_str()?.to_owned(), matches(&ir, text.as_str()?))))
                .collect(),
            None => {
                let alphabet: Vec<char> = "<>{}\"/aetoln:, 1\n|".chars().collect();
                texts_for(random, &ir, &alphabet)
            }
        };
        // XGrammar's schemas know a key by one spelling alone, here every escape is legal.
        let mut plain = texts.clone();
        plain.retain(|(text, _)| !text.contains("\\u00"));
        asked.ask(&id, "structural_tag", &line["tag"].to_string(), &plain);
        // A key that is repeated needs a register.
        let emitted = ir.to_structural_tag(Exactness::Lossy).ok();
        let Some(written) = emitted.filter(|one| !loses_texts(one)).map(|one| one.text) else {
            lossy += 1;
            continue;
        };
        let again = serde_json::from_str(&written).expect("JSON");
        let again = grammars::read_structural_tag(&again).expect(&written);
        // Rules have other names in a grammar that was read.
        for (text, expected) in &texts {
            assert_eq!(matches(&again, text), *expected, "{text:?}: {line}\n{written}");
        }
        asked.ask(&id, "structural_tag", &written, &texts);
    }
    println!("{read} builtin tags read, {lossy} not written without loss");
    assert!(read >= 400 && lossy * 10 < read, "{read} read, {lossy} lossy");
}

fn loses_texts(emitted: &Emitted) -> bool {
    emitted.losses.iter().any(|loss| loss.lost.changes_texts())
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
    for (format, alphabet) in TAGS {
        let tag: serde_json::Value = serde_json::from_str(format).expect(format);
        let tag = json!({ "type": "structural_tag", "format": tag });
        let ir = grammars::read_structural_tag(&tag).unwrap_or_else(|fault| panic!("{fault}"));
        let alphabet: Vec<char> = alphabet.chars().collect();
        let texts = texts_for(&mut random, &ir, &alphabet);
        asked.add(&format!("read {format}"), &ir, &texts);
        asked.ask(&format!("original {format}"), "structural_tag", &tag.to_string(), &texts);
    }
    builtin(&mut asked, &mut random);
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
    let Asked { accepted, rejected, regexes, small, lenient, lossy, .. } = asked;
    assert!(lossy < 60, "{lossy} are not said");
    assert!(accepted > 5000 && rejected > 8000, "{accepted} accepted, {rejected} rejected");
    println!("{accepted} accepted, {rejected} rejected, {regexes} regular, {small} of few texts");
    println!("{} refuse few: {lenient:#?}", lenient.len());
    assert!(regexes > 300 && small < 300, "{regexes} regular, {small} of few texts");
    assert!(lenient.len() < 60, "{lenient:#?}");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("engines.jsonl");
    std::fs::write(path, asked.lines).expect("Cargo's folder for temporary files takes files");
}
