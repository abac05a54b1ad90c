//! Drives an engine through texts, token by token, under the clock.

use crate::cases::{Case, Test};
use crate::clock::Clock;
use crate::engine::{Engine, Fault, Grammar, Session};
use crate::record::Record;

/// What a text finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Mode {
    /// A fresh program for each schema, its texts in turn.
    Cold,
    /// A fresh program for each text.
    Strict,
}

/// Tokens of a warm pass between two readings of the clock, at least.
const WARM_TOKENS: usize = 4_000;

/// How to drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive {
    pub(crate) mode: Mode,
    /// Whether each accepted text is walked again, many tokens between two readings of the clock.
    pub(crate) warm: bool,
}

impl Drive {
    /// All texts of a case.
    pub(crate) fn case(self, engine: &dyn Engine, case: &Case) -> Vec<Record> {
        let grammar = Grammar::Schema(&case.schema);
        self.texts(engine, grammar, &case.id, &case.tests)
    }

    /// Texts under one grammar.
    pub(crate) fn texts(
        self,
        engine: &dyn Engine,
        grammar: Grammar<'_>,
        id: &str,
        tests: &[Test],
    ) -> Vec<Record> {
        let name = engine.name();
        let clock = Clock::calibrated();
        let mut records = Vec::new();
        let mut session: Option<Box<dyn Session>> = None;
        for (at, test) in tests.iter().enumerate() {
            let mut record = Record::new(&name, id, at, test.valid);
            if self.mode == Mode::Strict {
                session = None;
            }
            let restarted = match &mut session {
                Some(session) => session.restart(),
                None => {
                    let (compiled, took) = clock.time(|| engine.compile(grammar));
                    record.compile = Some(took);
                    compiled.map(|compiled| session = Some(compiled))
                }
            };
            let driven = match (restarted, &mut session) {
                (Ok(()), Some(session)) => self.text(clock, &mut **session, test, &mut record),
                (Err(fault), _) => Err(fault),
                (Ok(()), None) => Ok(()),
            };
            record.error = driven.err().map(|fault| shown(&*fault));
            records.push(record);
            if session.is_none() {
                // What cannot be compiled for one text cannot be for the next.
                break;
            }
        }
        records
    }

    fn text(
        self,
        clock: Clock,
        session: &mut dyn Session,
        test: &Test,
        record: &mut Record,
    ) -> Result<(), Fault> {
        for &token in &test.tokens {
            let (mask, took) = clock.time(|| session.mask());
            mask?;
            record.masks.push(took);
            if !session.allows(token)? {
                record.memory = session.memory();
                return Ok(());
            }
            let (accept, took) = clock.time(|| session.accept(token));
            accept?;
            record.accepts.push(took);
        }
        let (mask, took) = clock.time(|| session.mask());
        mask?;
        record.masks.push(took);
        record.accepted = session.is_accepting()?;
        record.memory = session.memory();
        if self.warm && record.accepted && !test.tokens.is_empty() {
            record.warm = Some(warm(clock, session, &test.tokens)?);
        }
        Ok(())
    }
}

/// Nanoseconds of a token, all being known.
fn warm(clock: Clock, session: &mut dyn Session, tokens: &[u32]) -> Result<f64, Fault> {
    let passes = WARM_TOKENS.div_ceil(tokens.len());
    let mut total = 0.0;
    for _ in 0..passes {
        session.restart()?;
        let (walked, took) = clock.time(|| session.walk(tokens));
        walked?;
        total += took;
    }
    Ok(total / (passes * tokens.len()) as f64)
}

fn shown(fault: &dyn std::error::Error) -> String {
    fault.to_string().lines().next().unwrap_or_default().chars().take(200).collect()
}
