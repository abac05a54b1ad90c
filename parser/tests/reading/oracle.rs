//! Readings by exhaustive search in the order of preference: slow, and said in a few lines.

use std::collections::HashMap;

use blueprints_compiler::Ir;
use blueprints_compiler::ir::{self, Grammar, Kind, RuleId, Triggers};
use blueprints_parser::{Captured, ParseError, ParseOptions, Parser};
use blueprints_runtime::{Limits, Recogniser, Verdict};

use crate::random::{self, Random};

/// Captures as marks: a name and where it begins, or where it ends.
type Marks = Vec<(Option<String>, usize)>;

struct Search<'a> {
    text: &'a str,
    marks: Marks,
    /// Questions that are still allowed.
    steps: usize,
    pieces: &'a mut Pieces,
}

/// Recognisers by the printed form of what they recognise.
#[derive(Default)]
struct Pieces(HashMap<String, Recogniser>);

impl Pieces {
    fn matches(&mut self, ir: &Ir, text: &str) -> bool {
        let known = self.0.entry(ir.to_string());
        let recogniser = known
            .or_insert_with(|| Recogniser::new(ir, Limits::default()).expect("it can be built"));
        recogniser.check(text) == Ok(Verdict::Matches)
    }
}

/// What comes after a part: whether the text can be read on from a byte.
type Then<'t, 's, 'a> = &'t mut dyn FnMut(&mut Search<'a>, usize) -> bool;

fn captures(ir: &Ir, grammar: Option<&Grammar>) -> bool {
    fn look(ir: &Ir, grammar: Option<&Grammar>, seen: &mut Vec<RuleId>) -> bool {
        match ir.kind() {
            Kind::Capture(_) => true,
            Kind::Sequence(parts) | Kind::Choice(parts) => {
                parts.iter().any(|part| look(part, grammar, seen))
            }
            Kind::Repeat(repeat) => {
                look(&repeat.body, grammar, seen)
                    || repeat.separator.iter().any(|part| look(part, grammar, seen))
            }
            Kind::Joined(joined) => {
                look(&joined.separator, grammar, seen)
                    || joined.parts.iter().any(|part| look(&part.body, grammar, seen))
            }
            Kind::Dispatch(dispatch) => {
                dispatch.triggers.text.is_some()
                    || dispatch.triggers.rules.iter().any(|rule| look(&rule.1, grammar, seen))
            }
            Kind::Call(rule) if !seen.contains(rule) => {
                seen.push(*rule);
                let grammar = grammar.expect("calls have a grammar");
                look(&grammar.rules()[rule.0 as usize].body, Some(grammar), seen)
            }
            Kind::Grammar(inner) => {
                look(&inner.rules()[inner.start().0 as usize].body, Some(inner), &mut Vec::new())
            }
            _ => false,
        }
    }
    look(ir, grammar, &mut Vec::new())
}

impl<'a> Search<'a> {
    fn read(
        &mut self,
        ir: &Ir,
        grammar: Option<&Grammar>,
        at: usize,
        then: Then<'_, '_, 'a>,
    ) -> bool {
        let Some(steps) = self.steps.checked_sub(1) else { return false };
        self.steps = steps;
        if !captures(ir, grammar) {
            return self.piece(ir, grammar, at, then);
        }
        match ir.kind() {
            Kind::Sequence(parts) => {
                let row = row(parts, grammar);
                self.row(&row, grammar, at, then)
            }
            Kind::Choice(arms) => arms.iter().any(|arm| self.read(arm, grammar, at, then)),
            Kind::Capture(capture) => {
                let before = self.marks.len();
                self.marks.push((Some(capture.name.to_string()), at));
                let read = self.read(&capture.body, grammar, at, &mut |search, end| {
                    search.marks.push((None, end));
                    then(search, end) || {
                        search.marks.pop();
                        false
                    }
                });
                if !read {
                    self.marks.truncate(before);
                }
                read
            }
            Kind::Repeat(repeat) if repeat.max == Some(1) => {
                self.read(&repeat.body, grammar, at, then) || (repeat.min == 0 && then(self, at))
            }
            Kind::Repeat(repeat) => self.turn(repeat, 0, grammar, at, then),
            Kind::Joined(joined) => self.joined(joined, 0, false, grammar, at, then),
            Kind::Dispatch(dispatch) => {
                self.dispatch(&dispatch.triggers, dispatch.triggers.at_least_one, grammar, at, then)
            }
            Kind::Call(rule) => {
                let grammar = grammar.expect("calls have a grammar");
                self.read(&grammar.rules()[rule.0 as usize].body, Some(grammar), at, then)
            }
            Kind::Grammar(inner) => {
                self.read(&inner.rules()[inner.start().0 as usize].body, Some(inner), at, then)
            }
            other => panic!("{other:?} is not made here"),
        }
    }

    /// The longest texts first, of free text the shortest.
    fn piece(
        &mut self,
        ir: &Ir,
        grammar: Option<&Grammar>,
        at: usize,
        then: Then<'_, '_, 'a>,
    ) -> bool {
        let whole = match grammar {
            Some(grammar) => closed(ir, grammar),
            None => ir.clone(),
        };
        let text = self.text;
        let mut ends: Vec<usize> =
            (at..=text.len()).filter(|&end| self.pieces.matches(&whole, &text[at..end])).collect();
        if !matches!(ir.kind(), Kind::Anything(_)) {
            ends.reverse();
        }
        ends.into_iter().any(|end| then(self, end))
    }

    fn row(
        &mut self,
        parts: &[Ir],
        grammar: Option<&Grammar>,
        at: usize,
        then: Then<'_, '_, 'a>,
    ) -> bool {
        match parts.split_first() {
            None => then(self, at),
            Some((first, rest)) => self
                .read(first, grammar, at, &mut |search, end| search.row(rest, grammar, end, then)),
        }
    }

    /// After `count` iterations: rather another one, which reads something, than the end.
    fn turn(
        &mut self,
        repeat: &ir::Repeat,
        count: u32,
        grammar: Option<&Grammar>,
        at: usize,
        then: Then<'_, '_, 'a>,
    ) -> bool {
        if repeat.max.is_none_or(|max| count < max) {
            let mut one: Vec<Ir> = repeat.separator.iter().filter(|_| count > 0).cloned().collect();
            one.push(repeat.body.clone());
            let reads = repeat.separator.is_none();
            let again = self.row(&one, grammar, at, &mut |search, end| {
                !(reads && end == at) && search.turn(repeat, count + 1, grammar, end, then)
            });
            if again {
                return true;
            }
        }
        count >= repeat.min && then(self, at)
    }

    fn joined(
        &mut self,
        joined: &ir::Joined,
        number: usize,
        something: bool,
        grammar: Option<&Grammar>,
        at: usize,
        then: Then<'_, '_, 'a>,
    ) -> bool {
        let Some(part) = joined.parts.get(number) else { return then(self, at) };
        let mut one: Vec<Ir> = something.then(|| joined.separator.clone()).into_iter().collect();
        one.push(part.body.clone());
        let present = self.row(&one, grammar, at, &mut |search, end| {
            search.joined(joined, number + 1, true, grammar, end, then)
        });
        present || (!part.required && self.joined(joined, number + 1, something, grammar, at, then))
    }

    /// After a trigger: its structure, and free text again.
    fn after(
        &mut self,
        triggers: &Triggers,
        body: &Ir,
        grammar: Option<&Grammar>,
        at: usize,
        then: Then<'_, '_, 'a>,
    ) -> bool {
        self.read(body, grammar, at, &mut |search, end| match triggers.stop_after_first {
            true => then(search, end),
            false => search.dispatch(triggers, false, grammar, end, then),
        })
    }

    fn dispatch(
        &mut self,
        triggers: &Triggers,
        needed: bool,
        grammar: Option<&Grammar>,
        at: usize,
        then: Then<'_, '_, 'a>,
    ) -> bool {
        let text = self.text;
        if needed {
            return triggers.rules.iter().any(|(trigger, body)| {
                text[at..].starts_with(trigger.as_str())
                    && self.after(triggers, body, grammar, at + trigger.as_str().len(), then)
            });
        }
        let fires =
            |end: usize| triggers.rules.iter().any(|rule| text[at..end].ends_with(rule.0.as_str()));
        for end in at..=text.len() {
            let run = &text[at..end];
            let marks = self.marks.len();
            let name = |search: &mut Self, to: usize| {
                if let Some(name) = triggers.text.as_ref().filter(|_| to > at) {
                    search.marks.push((Some(name.to_string()), at));
                    search.marks.push((None, to));
                }
            };
            if fires(end) {
                return triggers.rules.iter().any(|(trigger, body)| {
                    self.marks.truncate(marks);
                    let fired = run.ends_with(trigger.as_str());
                    if fired {
                        name(self, end - trigger.as_str().len());
                    }
                    fired && self.after(triggers, body, grammar, end, then)
                }) || {
                    self.marks.truncate(marks);
                    false
                };
            }
            if triggers.excludes.iter().any(|barred| run.contains(barred.as_str())) {
                return false;
            }
            name(self, end);
            if then(self, end) {
                return true;
            }
            self.marks.truncate(marks);
        }
        false
    }
}

/// The parts of a sequence, those without captures joined.
fn row(parts: &[Ir], grammar: Option<&Grammar>) -> Vec<Ir> {
    let mut row: Vec<Ir> = Vec::new();
    let mut joins = false;
    for part in parts {
        let piece = !captures(part, grammar) && !matches!(part.kind(), Kind::Anything(_));
        match row.pop() {
            Some(last) if joins && piece => row.push(Ir::sequence([last, part.clone()])),
            last => row.extend(last.into_iter().chain([part.clone()])),
        }
        joins = piece;
    }
    row
}

/// `ir` with the rules that it calls.
fn closed(ir: &Ir, grammar: &Grammar) -> Ir {
    let mut rules = grammar.rules().to_vec();
    let start = RuleId(rules.len() as u32);
    rules.push(ir::Rule { name: "piece".into(), body: ir.clone() });
    Ir::grammar(rules, start).expect("its rules are those of a grammar")
}

fn marks_of(captures: &[Captured], marks: &mut Marks) {
    for captured in captures {
        marks.push((Some(captured.name().to_owned()), captured.span().start));
        marks_of(captured.parts(), marks);
        marks.push((None, captured.span().end));
    }
}

/// The marks that the exhaustive parser finds; `None` if it gave up.
fn searched(ir: &Ir, text: &str, pieces: &mut Pieces) -> Option<Option<Marks>> {
    let mut search = Search { text, marks: Vec::new(), steps: 20_000, pieces };
    let read = search.read(ir, None, 0, &mut |search, end| end == search.text.len());
    let gave_up = search.steps == 0;
    (!gave_up).then_some(read.then_some(search.marks))
}

#[test]
fn the_preferred_reading_is_found() {
    let mut random = Random(7);
    let texts = random::texts(5);
    let (mut read, mut refused, mut captured) = (0, 0, 0);
    for _ in 0..400 {
        let ir = random::outline(&mut random);
        if ir.is_never() || !captures(&ir, None) {
            continue;
        }
        let mut parser = Parser::new(&ir, ParseOptions::default()).expect("it can be built");
        let mut pieces = Pieces::default();
        for _ in 0..60 {
            let text = &texts[random.below(texts.len())];
            let Some(expected) = searched(&ir, text, &mut pieces) else { continue };
            let found = match parser.parse(text) {
                Ok(parsed) => {
                    let mut marks = Marks::new();
                    marks_of(parsed.captures(), &mut marks);
                    Some(marks)
                }
                Err(ParseError::Mismatch { .. }) => None,
                Err(error) => panic!("{ir}\n{text:?}: {error}"),
            };
            assert_eq!(found, expected, "{ir}\n{text:?}");
            match found {
                Some(marks) => {
                    read += 1;
                    captured += marks.len();
                }
                None => refused += 1,
            }
        }
    }
    assert!(read > 2_000 && refused > 2_000 && captured > 5_000, "{read} {refused} {captured}");
}
