//! The slowest masks of an engine, with where they were, so that their causes can be found.

use std::fmt::Write as _;

use blueprints_runtime::{TokenId, Vocabulary};
use serde_json::{Value, json};

use crate::cases::Case;
use crate::record::Record;

/// The `count` slowest masks of the first engine.
pub(crate) fn worst<'a>(
    records: impl Iterator<Item = &'a Record>,
    cases: &[Case],
    vocabulary: &Vocabulary,
    count: usize,
) -> Vec<Value> {
    let mut masks: Vec<(f64, &Record, usize)> = records
        .flat_map(|record| {
            record.masks.iter().enumerate().map(move |(at, &took)| (took, record, at))
        })
        .collect();
    masks.sort_by(|a, b| b.0.total_cmp(&a.0));
    masks.truncate(count);
    let tests = |record: &Record| {
        let case = cases.iter().find(|case| case.id == record.id);
        case.and_then(|case| case.tests.get(record.test))
    };
    let shown = masks.into_iter().map(|(took, record, at)| {
        let tokens = tests(record).map(|test| &*test.tokens).unwrap_or_default();
        let before = &tokens[at.saturating_sub(10).min(tokens.len())..at.min(tokens.len())];
        let bytes: Vec<u8> =
            before.iter().flat_map(|&token| vocabulary.spelling(TokenId(token))).copied().collect();
        json!({
            "us": (took / 1e2).round() / 10.0, "id": record.id, "test": record.test, "token": at,
            "after": String::from_utf8_lossy(&bytes),
        })
    });
    shown.collect()
}

/// The list as lines of text.
pub(crate) fn print(worst: &[Value]) -> String {
    let mut text = String::from(
        "\nthe slowest masks of ours: µs, schema, test, token, what stood before it\n",
    );
    for one in worst {
        let (us, after) = (one["us"].as_f64().unwrap_or(0.0), one["after"].to_string());
        let id = one["id"].as_str().unwrap_or("?");
        let _ = writeln!(text, "{us:>9.1} {id:30} {:>3} {:>6}  {after}", one["test"], one["token"]);
    }
    text
}
