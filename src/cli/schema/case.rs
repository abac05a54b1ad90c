//! One schema with its instances: compiled, driven, and told about.

use std::collections::BTreeMap;
use std::sync::Arc;

use blueprints::{
    CompileError, Ir, Limits, Outline, Program, Recogniser, Rejected, SchemaOptions, Tokenizer,
    Verdict,
};
use serde_json::{Map, Value, json};

use super::super::failure::Failure;
use super::spelled::spelled;
use super::timing::{Times, rounded, timed};
use super::variants::{Expected, Kind, variants};

/// How cases are run.
pub(super) struct Run<'a> {
    pub(super) options: SchemaOptions,
    pub(super) tokenizer: super::SomeTokenizer<'a>,
    pub(super) spaces: bool,
    /// Whether texts beside the instances are asked about, too.
    pub(super) variants: bool,
}

/// Why a schema is not compiled.
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pointer: String,
    message: String,
}

/// An instance that is answered wrong.
pub(super) struct Wrong {
    test: usize,
    /// Whether it is valid.
    pub(super) expected: bool,
    /// What the answer was, or what went wrong.
    got: Value,
    at: usize,
    /// The JSON pointer there and what could have come, where the text is refused.
    place: Option<(String, String)>,
    /// What the text has instead of what the instance gives, if it is not the instance.
    variant: Option<Kind>,
}

/// What one case comes to.
#[derive(Default)]
pub(super) struct Report {
    id: Value,
    pub(super) error: Option<Refusal>,
    pub(super) right: usize,
    pub(super) wrong: Vec<Wrong>,
    pub(super) tokens: usize,
    pub(super) compile_us: f64,
    pub(super) first_us: Option<f64>,
    pub(super) masks: Times,
    pub(super) accepts: Times,
    /// What was left out, and what was read as an older spelling.
    notes: Vec<Value>,
    /// How many texts beside the instances were answered right, by what they are.
    pub(super) beside: BTreeMap<&'static str, usize>,
}

/// The answer to one instance: whether it is let in, and where it is not.
struct Answer {
    accepted: Result<bool, String>,
    at: usize,
    place: Option<(String, String)>,
}

impl Answer {
    fn new(accepted: Result<bool, String>, at: usize) -> Self {
        Self { accepted, at, place: None }
    }

    fn wrong(self, test: usize, expected: bool, variant: Option<Kind>) -> Wrong {
        let got = self.accepted.map_or_else(Value::from, Value::from);
        Wrong { test, expected, got, at: self.at, place: self.place, variant }
    }
}

enum Compiled {
    ByBytes(Box<Recogniser>),
    ByTokens(Program),
}

impl Run<'_> {
    /// Answers `case`; `name` is its place.
    ///
    /// # Errors
    /// If it is no case.
    pub(super) fn case(&self, mut case: Value, name: &str) -> Result<Report, Failure> {
        let bad = |what: &str| Failure::Input(format!("{name}: the case has no {what}"));
        // A long schema is held once: as text until it is compiled, then as the compiler reads it.
        let source = case.as_object_mut().and_then(|case| case.shift_remove("schema"));
        let text = source.ok_or_else(|| bad("`schema`"))?.to_string();
        let none = Vec::new();
        let tests = match case.get("tests") {
            None | Some(Value::Null) => &none,
            Some(tests) => tests.as_array().ok_or_else(|| bad("list of `tests`"))?,
        };
        let id = case.get("id").cloned().unwrap_or(Value::Null);
        let mut report = Report { id, ..Report::default() };
        // In draft 4 an integer is what is spelled as one.
        let plain = text.contains("draft-04");
        let (compiled, took) = timed(|| self.compiled(text));
        report.compile_us = took;
        let (mut compiled, notes) = match compiled {
            Ok(compiled) => compiled,
            Err(refusal) => {
                // That nothing is valid is an answer, the same for each instance.
                if refusal.code == "unsatisfiable" {
                    for (number, test) in tests.iter().enumerate() {
                        match test.get("valid").and_then(Value::as_bool) {
                            Some(true) => {
                                let answer = Answer::new(Ok(false), 0);
                                report.wrong.push(answer.wrong(number, true, None));
                            }
                            _ => report.right += 1,
                        }
                    }
                }
                report.error = Some(refusal);
                return Ok(report);
            }
        };
        report.notes = notes;
        if let Compiled::ByTokens(program) = &compiled {
            let ((), took) = timed(|| {
                // An error shows again with each instance.
                let _ = program.matcher().mask().map(|mask| mask.count());
            });
            report.first_us = Some(report.compile_us + took);
        }
        for (number, test) in tests.iter().enumerate() {
            let data = test.get("data").ok_or_else(|| bad("`data` in a test"))?;
            let expected = test.get("valid").and_then(Value::as_bool);
            let expected = expected.ok_or_else(|| bad("`valid` in a test"))?;
            let instance = spelled(data, self.spaces);
            let answer = self.answer(&mut compiled, &instance, &mut report)?;
            if answer.accepted == Ok(expected) {
                report.right += 1;
            } else {
                report.wrong.push(answer.wrong(number, expected, None));
            }
            if self.variants {
                let texts = (data, instance.as_str(), plain);
                self.beside(&mut compiled, texts, (number, expected), &mut report)?;
            }
        }
        Ok(report)
    }

    /// Asks about the texts beside an instance.
    fn beside(
        &self,
        compiled: &mut Compiled,
        (data, instance, plain): (&Value, &str, bool),
        (number, valid): (usize, bool),
        report: &mut Report,
    ) -> Result<(), Failure> {
        for variant in variants(data, instance, plain) {
            let answer = self.answer(compiled, &variant.text, report)?;
            let right = match (variant.expected, &answer.accepted) {
                (Expected::Same, accepted) => *accepted == Ok(valid),
                (Expected::AtMostSame, Ok(accepted)) => !accepted || valid,
                (Expected::Refused, accepted) => *accepted == Ok(false),
                (Expected::AtMostSame, Err(_)) => false,
            };
            if right {
                *report.beside.entry(variant.kind.name()).or_default() += 1;
            } else {
                let expected = variant.expected == Expected::Same && valid;
                report.wrong.push(answer.wrong(number, expected, Some(variant.kind)));
            }
        }
        Ok(())
    }

    fn compiled(&self, text: String) -> Result<(Compiled, Vec<Value>), Refusal> {
        let source: Value = serde_json::from_str(&text)
            .map_err(|error| Refusal::plain("not_json", error.to_string()))?;
        drop(text);
        let ir = Ir::schema(Arc::new(source), self.options.clone()).map_err(|error| Refusal {
            code: error.code.code(),
            pointer: error.pointer.clone(),
            message: error.to_string(),
        })?;
        let mut notes = Vec::new();
        if let blueprints::ir::Kind::Schema(schema) = ir.kind() {
            let all = schema.relaxed.iter().chain(schema.repaired.iter());
            notes.extend(all.map(|note| {
                let (code, message) = (note.code.code(), note.to_string());
                json!({ "code": code, "pointer": note.pointer, "message": message })
            }));
        }
        let limit = |error: CompileError| Refusal::plain("limit", error.to_string());
        let compiled = match self.tokenizer {
            None => {
                let recogniser = Recogniser::new(&ir, Limits::default()).map_err(limit)?;
                Compiled::ByBytes(Box::new(recogniser))
            }
            Some(tokenizer) => {
                let outline = Outline::from(ir);
                let vocabulary = tokenizer.vocabulary();
                let program = Program::compile(&outline, vocabulary, Limits::default());
                Compiled::ByTokens(program.map_err(limit)?)
            }
        };
        Ok((compiled, notes))
    }

    fn answer(
        &self,
        compiled: &mut Compiled,
        instance: &str,
        report: &mut Report,
    ) -> Result<Answer, Failure> {
        match (compiled, self.tokenizer) {
            (Compiled::ByTokens(program), Some(tokenizer)) => {
                by_tokens(program, tokenizer, instance, report)
            }
            (Compiled::ByBytes(recogniser), _) => Ok(match recogniser.check(instance) {
                Ok(Verdict::Matches) => Answer::new(Ok(true), instance.len()),
                Ok(Verdict::Fails(found)) => {
                    let place = (found.pointer.unwrap_or_default(), found.expected);
                    Answer { place: Some(place), ..Answer::new(Ok(false), found.at) }
                }
                Err(error) => Answer::new(Err(error.to_string()), 0),
            }),
            (Compiled::ByTokens(_), None) => {
                Ok(Answer::new(Err("there is no tokenizer".into()), 0))
            }
        }
    }
}

fn by_tokens(
    program: &Program,
    tokenizer: &Tokenizer,
    instance: &str,
    report: &mut Report,
) -> Result<Answer, Failure> {
    let ids = tokenizer
        .encode_continuation(instance)
        .map_err(|error| Failure::of("an instance", &error))?;
    let mut matcher = program.matcher();
    let mut at = 0;
    for token in ids {
        report.tokens += 1;
        let (allowed, took) = timed(|| matcher.mask().map(|mask| mask.contains(token)));
        report.masks.push(took);
        let allowed = match allowed {
            Ok(allowed) => allowed,
            Err(error) => return Ok(Answer::new(Err(error.to_string()), at)),
        };
        let (taken, took) = timed(|| matcher.accept(token));
        report.accepts.push(took);
        let accepted = match (allowed, taken) {
            (true, Ok(())) => None,
            (false, Err(Rejected::Token(_))) => Some(Ok(false)),
            (_, Err(Rejected::Limit(error))) => Some(Err(error.to_string())),
            (true, Err(_)) => Some(Err("the mask allows what the matcher refuses".into())),
            (false, _) => Some(Err("the mask excludes what the matcher accepts".into())),
        };
        if let Some(accepted) = accepted {
            return Ok(Answer::new(accepted, at));
        }
        at += tokenizer.vocabulary().spelling(token).len();
    }
    Ok(Answer::new(Ok(matcher.is_accepting()), at))
}

impl Refusal {
    fn plain(code: &'static str, message: String) -> Self {
        Self { code, pointer: String::new(), message }
    }
}

impl Report {
    /// The case's line of JSON.
    pub(super) fn line(&self) -> Value {
        let mut line = Map::new();
        line.insert("id".into(), self.id.clone());
        line.insert("compiled".into(), self.error.is_none().into());
        if let Some(Refusal { code, pointer, message }) = &self.error {
            let error = json!({ "code": code, "pointer": pointer, "message": message });
            line.insert("error".into(), error);
        }
        if !self.notes.is_empty() {
            line.insert("notes".into(), self.notes.clone().into());
        }
        line.insert("right".into(), self.right.into());
        let wrong = self.wrong.iter().map(|wrong| {
            let Wrong { test, expected, got, at, place, variant } = wrong;
            let mut shown = json!({ "test": test, "expected": expected, "got": got, "at": at });
            if let Some((pointer, could)) = place {
                shown["pointer"] = pointer.as_str().into();
                shown["could_be"] = could.as_str().into();
            }
            if let Some(kind) = variant {
                shown["variant"] = kind.name().into();
            }
            shown
        });
        line.insert("wrong".into(), wrong.collect());
        if !self.beside.is_empty() {
            line.insert("variants".into(), json!(self.beside));
        }
        line.insert("tokens".into(), self.tokens.into());
        line.insert("compile_us".into(), rounded(self.compile_us).into());
        line.insert("ttfm_us".into(), self.first_us.map(rounded).into());
        let mut statistics = |name: &str, times: &Times| {
            line.insert(name.into(), times.statistics_of());
        };
        statistics("mask_us", &self.masks);
        statistics("accept_us", &self.accepts);
        Value::Object(line)
    }
}
