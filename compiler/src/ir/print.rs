//! Prints an [`Ir`] in a form that reads back.
//!
//! The form is an EBNF: `"text"` of the author and `'text'` of data, `[a-z]`, juxtaposition, `|`,
//! `? * +`, `{2,3 sep ","}`, and a word for every other kind. Patterns and schemas print as they
//! were written, not as what they mean: reading builds that again.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write};

use regex_syntax::hir::ClassUnicode;

use super::layout::Doc;
use super::{
    Automaton, Capture, Grammar, Ir, Joined, Kind, Origin, Repeat, RuleId, Schema, Text, Triggers,
    words,
};

/// Words with a meaning of their own: a rule of such a name is called by its number.
pub(super) const RESERVED: [&str; 32] = [
    "act",
    "any",
    "anything",
    "as",
    "automaton",
    "before",
    "by",
    "capture",
    "chars",
    "dispatch",
    "empty",
    "end",
    "except",
    "excluding",
    "grammar",
    "joined",
    "may",
    "needed",
    "never",
    "once",
    "observed",
    "regex",
    "rule",
    "schema",
    "sep",
    "special",
    "stop",
    "token",
    "tokens",
    "tracked",
    "until",
    "with",
];

impl Display for Ir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doc = Printer { names: Vec::new() }.doc(self, Place::Open);
        f.write_str(&Doc::group(vec![doc]).render())
    }
}

/// What stands around a part, and so whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Between delimiters: nothing does.
    Open,
    /// An arm of a choice: a choice does.
    Arm,
    /// A part of a sequence: sequences do too.
    Part,
    /// Under a suffix: all but texts, classes and calls do.
    Operand,
}

struct Printer<'a> {
    /// The rules of the nearest enclosing grammar: the names that stand for one rule alone.
    names: Vec<Option<&'a str>>,
}

impl Printer<'_> {
    fn doc(&self, ir: &Ir, place: Place) -> Doc {
        let (doc, widest) = match ir.kind() {
            Kind::Text(text) => (Doc::text(quoted(text)), Place::Operand),
            Kind::Class(set) => (Doc::text(class(set)), Place::Operand),
            Kind::Call(rule) => (Doc::text(self.call(*rule)), Place::Operand),
            Kind::Sequence(parts) if parts.is_empty() => (Doc::text("empty"), Place::Part),
            Kind::Choice(arms) if arms.is_empty() => (Doc::text("never"), Place::Part),
            Kind::Sequence(parts) => (self.sequence(parts), Place::Arm),
            Kind::Choice(arms) => (self.choice(arms), Place::Open),
            Kind::Repeat(repeat) => (self.repeat(repeat), Place::Part),
            Kind::Joined(joined) => (self.joined(joined), Place::Part),
            Kind::Automaton(automaton) => (self.automaton(automaton), Place::Part),
            Kind::Grammar(grammar) => (self::grammar(grammar), Place::Part),
            Kind::Regex(regex) => (Doc::text(pattern(&regex.pattern)), Place::Part),
            Kind::Schema(schema) => (Doc::text(self::schema(schema)), Place::Part),
            Kind::Anything(anything) => (Doc::text(words::anything(anything)), Place::Part),
            Kind::Dispatch(dispatch) => (self.dispatch(&dispatch.triggers), Place::Part),
            Kind::Capture(capture) => (self.capture(capture), Place::Part),
            Kind::Special(special) => (Doc::text(words::special(special)), Place::Part),
            Kind::Tracked(tracked) => {
                let head = format!("tracked {:?}", tracked.machine.to_string());
                (braced(Doc::text(head), self.open(&tracked.body)), Place::Part)
            }
            Kind::Act(action) => (Doc::text(format!("act {action}")), Place::Part),
            Kind::Observed(part) => (braced(Doc::text("observed"), self.open(part)), Place::Part),
        };
        if place <= widest {
            return doc;
        }
        Doc::group(vec![
            Doc::text("("),
            Doc::indent(vec![Doc::seam(), doc]),
            Doc::seam(),
            Doc::text(")"),
        ])
    }

    /// `ir` between delimiters, on one line if it fits.
    fn open(&self, ir: &Ir) -> Doc {
        Doc::indent(vec![Doc::group(vec![self.doc(ir, Place::Open)])])
    }

    fn sequence(&self, parts: &[Ir]) -> Doc {
        separated(parts.iter().map(|part| self.doc(part, Place::Part)), &|| vec![Doc::space()])
    }

    fn choice(&self, arms: &[Ir]) -> Doc {
        let arm = |arm| Doc::indent(vec![Doc::group(vec![self.doc(arm, Place::Arm)])]);
        separated(arms.iter().map(arm), &|| vec![Doc::space(), Doc::text("| ")])
    }

    fn repeat(&self, repeat: &Repeat) -> Doc {
        let body = self.doc(&repeat.body, Place::Operand);
        let count = match (repeat.min, repeat.max) {
            (min, Some(max)) if min == max => format!("{min}"),
            (min, Some(max)) => format!("{min},{max}"),
            (min, None) => format!("{min},"),
        };
        let suffix = match (&repeat.separator, repeat.min, repeat.max) {
            (Some(separator), _, _) => {
                let separator = self.open(separator);
                let head = Doc::text(format!("{{{count} sep "));
                return Doc::row(vec![body, head, separator, Doc::text("}")]);
            }
            (None, 0, Some(1)) => "?".into(),
            (None, 0, None) => "*".into(),
            (None, 1, None) => "+".into(),
            (None, _, _) => format!("{{{count}}}"),
        };
        Doc::row(vec![body, Doc::text(suffix)])
    }

    fn joined(&self, joined: &Joined) -> Doc {
        let separator = self.doc(&joined.separator, Place::Operand);
        let parts = joined.parts.iter().map(|part| {
            let mark = if part.required { "" } else { "may " };
            Doc::row(vec![Doc::text(mark), self.open(&part.body)])
        });
        let head = Doc::row(vec![Doc::text("joined by "), separator]);
        braced(head, separated(parts, &|| vec![Doc::text(";"), Doc::space()]))
    }

    fn automaton(&self, automaton: &Automaton) -> Doc {
        let states = automaton.states.iter().enumerate().map(|(at, state)| {
            let end = if state.accepting { " end" } else { "" };
            let edges = state.edges.iter().map(|(label, to)| {
                Doc::row(vec![self.open(label), Doc::text(format!(" -> {to}"))])
            });
            let edges = separated(edges, &|| vec![Doc::text(","), Doc::space()]);
            let colon = if state.edges.is_empty() { "" } else { ": " };
            Doc::row(vec![
                Doc::text(format!("{at}{end}{colon}")),
                Doc::group(vec![Doc::indent(vec![edges])]),
            ])
        });
        let states = separated(states, &|| vec![Doc::text(";"), Doc::space()]);
        braced(Doc::text("automaton"), states)
    }

    fn capture(&self, capture: &Capture) -> Doc {
        let body = self.doc(&capture.body, Place::Operand);
        Doc::row(vec![Doc::text(words::capture(capture)), body])
    }

    fn dispatch(&self, triggers: &Triggers) -> Doc {
        let rules = triggers.rules.iter().map(|(trigger, body)| {
            Doc::row(vec![Doc::text(format!("{}: ", words::literal(trigger))), self.open(body)])
        });
        let head = Doc::text(words::dispatch(triggers));
        braced(head, separated(rules, &|| vec![Doc::text(";"), Doc::space()]))
    }

    fn call(&self, rule: RuleId) -> String {
        match self.names.get(rule.0 as usize) {
            Some(Some(name)) => (*name).into(),
            _ => format!("rule {}", rule.0),
        }
    }
}

fn grammar(grammar: &Grammar) -> Doc {
    let mut count: BTreeMap<&str, u32> = BTreeMap::new();
    grammar.rules().iter().for_each(|rule| *count.entry(&rule.name).or_default() += 1);
    let name = |name| (is_word(name) && count[name] == 1).then_some(name);
    let printer = Printer { names: grammar.rules().iter().map(|rule| name(&rule.name)).collect() };
    let rules = grammar.rules().iter().map(|rule| {
        let name = match is_word(&rule.name) {
            true => rule.name.clone(),
            false => quoted(&Text { string: rule.name.as_str().into(), origin: Origin::Source }),
        };
        Doc::row(vec![Doc::text(format!("{name} = ")), printer.open(&rule.body)])
    });
    let head = Doc::text(format!("grammar {}", printer.call(grammar.start())));
    braced(head, separated(rules, &|| vec![Doc::text(";"), Doc::space()]))
}

/// `head { … }`, with the inside on lines of its own if it does not fit.
fn braced(head: Doc, inside: Doc) -> Doc {
    Doc::group(vec![
        head,
        Doc::text(" {"),
        Doc::indent(vec![Doc::space(), inside]),
        Doc::space(),
        Doc::text("}"),
    ])
}

fn separated(docs: impl Iterator<Item = Doc>, between: &dyn Fn() -> Vec<Doc>) -> Doc {
    let mut row = Vec::new();
    for doc in docs {
        if !row.is_empty() {
            row.extend(between());
        }
        row.push(doc);
    }
    Doc::row(row)
}

pub(super) fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !RESERVED.contains(&name)
}

fn pattern(pattern: &str) -> String {
    // Between slashes nothing is escaped, so that a pattern reads as it was written.
    match pattern.contains(|c: char| c == '/' || needs_code(c) || c.is_control()) {
        true => format!("regex {}", quoted_as(pattern, Origin::Source)),
        false => format!("regex /{pattern}/"),
    }
}

fn schema(schema: &Schema) -> String {
    let options: serde_json::Map<_, _> = schema
        .options
        .arguments()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    match options.is_empty() {
        true => format!("schema {}", schema.source),
        false => format!("schema {} with {}", schema.source, serde_json::Value::Object(options)),
    }
}

fn quoted(text: &Text) -> String {
    quoted_as(&text.string, text.origin)
}

pub(super) fn quoted_as(string: &str, origin: Origin) -> String {
    let quote = match origin {
        Origin::Source => '"',
        Origin::Value => '\'',
    };
    let mut out = String::from(quote);
    string.chars().for_each(|c| escape(c, &[quote], &mut out));
    out.push(quote);
    out
}

fn class(set: &ClassUnicode) -> String {
    let mut set = set.clone();
    let mut out = String::from("[");
    // What reaches to the last character is nearly always meant as "all but".
    if set.ranges().last().is_some_and(|range| range.end() == char::MAX) {
        set.negate();
        out.push('^');
    }
    for range in set.ranges() {
        escape(range.start(), &CLASS_MARKS, &mut out);
        if range.start() < range.end() {
            if u32::from(range.end()) > u32::from(range.start()) + 1 {
                out.push('-');
            }
            escape(range.end(), &CLASS_MARKS, &mut out);
        }
    }
    out.push(']');
    out
}

const CLASS_MARKS: [char; 4] = ['[', ']', '^', '-'];

fn escape(c: char, marks: &[char], out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\\' => out.push_str("\\\\"),
        _ if marks.contains(&c) => out.extend(['\\', c]),
        _ if c.is_control() || needs_code(c) => {
            write!(out, "\\u{{{:x}}}", u32::from(c)).expect("a string takes all that is written");
        }
        _ => out.push(c),
    }
}

/// Whether `c` would not be seen for what it is: blanks of other widths, marks that join the
/// character before, private use.
fn needs_code(c: char) -> bool {
    !c.is_ascii() && (c.is_whitespace() || c.escape_debug().count() > 1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
    use serde_json::json;

    use crate::ir::{CaptureKind, Ir, Part, Rule, RuleId, Special, State};
    use crate::schema::{SchemaOptions, Whitespace};

    fn class(ranges: &[(char, char)]) -> Ir {
        Ir::class(ClassUnicode::new(ranges.iter().map(|r| ClassUnicodeRange::new(r.0, r.1))))
    }

    #[test]
    fn every_kind_has_a_form() {
        let (a, b) = (|| Ir::text("a"), || Ir::value("b"));
        let part = |body, required| Part { body, required };
        let rule = |name: &str, body| Rule { name: name.into(), body };
        let until = |all: &[&str]| Ir::anything(all.iter().map(|d| crate::ir::Literal::from(*d)));
        let cases = [
            (Ir::text("say \"hi\"\n"), r#""say \"hi\"\n""#),
            (Ir::value("it's"), r"'it\'s'"),
            (Ir::empty(), "empty"),
            (Ir::never(), "never"),
            (Ir::sequence([a(), b()]), "\"a\" 'b'"),
            (Ir::choice([a(), Ir::sequence([a(), b()]), Ir::empty()]), "\"a\" | \"a\" 'b' | empty"),
            (Ir::sequence([Ir::choice([a(), b()]), a()]), "(\"a\" | 'b') \"a\""),
            (Ir::optional(a()), "\"a\"?"),
            (Ir::repeat(Ir::optional(a()), 0, None, None), "(\"a\"?)*"),
            (Ir::repeat(a(), 1, None, None), "\"a\"+"),
            (Ir::repeat(a(), 2, None, None), "\"a\"{2,}"),
            (Ir::repeat(a(), 2, Some(2), None), "\"a\"{2}"),
            (Ir::repeat(a(), 0, Some(7), Some(b())), "\"a\"{0,7 sep 'b'}"),
            (Ir::repeat(a(), 0, None, Some(Ir::choice([a(), b()]))), "\"a\"{0, sep \"a\" | 'b'}"),
            (class(&[('a', 'a'), ('c', 'd'), ('x', 'z'), ('\n', '\n')]), r"[\nacdx-z]"),
            (class(&[('\0', ';'), ('=', char::MAX)]), "[^<]"),
            (class(&[('\0', char::MAX)]), "[^]"),
            (class(&[('[', '^'), ('-', '-'), ('\u{301}', '\u{301}')]), r"[\-\[-\^\u{301}]"),
            (
                Ir::joined(b(), vec![part(a(), true), part(Ir::optional(a()), false)]),
                "joined by 'b' { \"a\"; may \"a\"? }",
            ),
            (
                Ir::automaton(vec![
                    State { edges: vec![(a(), 0), (b(), 1)], accepting: false },
                    State { edges: vec![], accepting: true },
                ]),
                "automaton { 0: \"a\" -> 0, 'b' -> 1; 1 end }",
            ),
            (until(&[]).unwrap(), "anything"),
            (until(&["</think>"]).unwrap(), "anything until \"</think>\""),
            (until(&["<a", "<b"]).unwrap(), "anything until (\"<a\" | \"<b\")"),
            (Ir::token("<|x|>"), "token \"<|x|>\""),
            (Ir::special(Special::Stop), "token stop"),
            (
                Ir::special(Special::Any { except: vec!["<|x|>".into(), "<|y|>".into()] }),
                "token any except (\"<|x|>\" | \"<|y|>\")",
            ),
            (Ir::capture("a", CaptureKind::Text, a()), "capture a \"a\""),
            (
                Ir::capture("end", CaptureKind::Json, Ir::sequence([a(), b()])),
                "capture \"end\" as json (\"a\" 'b')",
            ),
            (
                Ir::grammar(
                    vec![
                        rule("list", Ir::choice([Ir::call(RuleId(1)), a()])),
                        rule("sep", Ir::sequence([b(), Ir::optional(Ir::call(RuleId(0)))])),
                    ],
                    RuleId(0),
                )
                .unwrap(),
                "grammar list { list = rule 1 | \"a\"; \"sep\" = 'b' list? }",
            ),
        ];
        for (ir, form) in cases {
            assert_eq!(ir.to_string(), form);
            assert_eq!(Ir::read(form), Ok(ir));
        }
    }

    #[test]
    fn patterns_and_schemas_print_as_they_were_written() {
        let schema = |source, options| Ir::schema(Arc::new(source), options).unwrap();
        let compact = SchemaOptions { whitespace: Whitespace::Compact, ..SchemaOptions::default() };
        let cases = [
            (Ir::regex("a|b").unwrap(), "regex /a|b/"),
            (Ir::regex("a/\n").unwrap(), r#"regex "a/\n""#),
            (
                schema(json!({ "type": "integer", "title": "é" }), SchemaOptions::default()),
                r#"schema {"type":"integer","title":"é"}"#,
            ),
            (
                Ir::repeat(schema(json!(true), compact), 1, None, None),
                r#"(schema true with {"whitespace":"compact"})+"#,
            ),
            (
                Ir::repeat(schema(json!(true), SchemaOptions::default()), 1, None, None),
                "(schema true)+",
            ),
        ];
        for (ir, form) in cases {
            assert_eq!(ir.to_string(), form);
            assert_eq!(Ir::read(form), Ok(ir));
        }
    }

    #[test]
    fn long_forms_break_over_lines() {
        let name =
            |at| Ir::sequence([Ir::value(&format!("name {at}, padded well")), Ir::text("!")]);
        let calls = Ir::sequence([
            Ir::text("<tool_call>\n"),
            Ir::choice((0..4).map(name)),
            Ir::text("\n</tool_call>\n"),
        ]);
        let ir = Ir::sequence([
            Ir::text("<|im_start|>assistant\n"),
            Ir::repeat(calls, 1, None, None),
            Ir::text("<|im_end|>"),
        ]);
        let form = r#""<|im_start|>assistant\n"
(
  "<tool_call>\n"
  (
    'name 0, padded well' "!"
    | 'name 1, padded well' "!"
    | 'name 2, padded well' "!"
    | 'name 3, padded well' "!"
  )
  "\n</tool_call>\n"
)+
"<|im_end|>""#;
        assert_eq!(ir.to_string(), form);
        assert_eq!(Ir::read(form), Ok(ir));
    }
}
