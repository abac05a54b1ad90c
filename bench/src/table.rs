//! The table: our figures beside another engine's, over the texts that both accept, and the rest.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::record::Record;
use crate::statistics::{COLUMNS, Statistics, ratio, short};

/// All records of a run.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// By engine, in the order in which they came.
    engines: Vec<(String, Vec<Record>)>,
}

/// The figures of an engine over some of its texts.
struct Figures {
    pairs: usize,
    figures: Vec<(&'static str, Statistics)>,
    /// Nanoseconds of a token.
    warm: Option<f64>,
}

/// A text: its grammar and its place there.
type Key<'a> = (&'a str, usize);

impl Run {
    pub(crate) fn add(&mut self, record: Record) {
        match self.engines.iter_mut().find(|(name, _)| *name == record.engine) {
            Some((_, records)) => records.push(record),
            None => self.engines.push((record.engine.clone(), vec![record])),
        }
    }

    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.engines.iter().flat_map(|(_, records)| records)
    }

    /// Ours is the first engine; a section for each other one, then, if there are several, one
    /// over what all of them accept.
    pub(crate) fn sections(&self) -> Vec<Value> {
        let Some((ours, others)) = self.engines.split_first() else { return Vec::new() };
        let mut sections: Vec<Value> = others.iter().map(|other| section(&[ours, other])).collect();
        if others.is_empty() {
            sections.push(section(&[ours]));
        }
        if others.len() > 1 {
            sections.push(section(&self.engines.iter().collect::<Vec<_>>()));
        }
        sections
    }

    /// What each engine says of the cases: grammars compiled, texts judged as the cases say.
    pub(crate) fn verdicts(&self) -> Vec<Value> {
        let mut verdicts = Vec::new();
        for (name, records) in &self.engines {
            let mut compiled: BTreeMap<&str, bool> = BTreeMap::new();
            for record in records {
                let works = record.compile.is_none() || !record.masks.is_empty();
                *compiled.entry(&record.id).or_default() |= works;
            }
            let of = |valid: bool| {
                let all = records.iter().filter(|record| {
                    record.valid == valid && compiled.get(&*record.id) == Some(&true)
                });
                let right = all.clone().filter(|record| record.accepted == valid).count();
                json!({ "right": right, "of": all.count() })
            };
            let failed = compiled.values().filter(|&&works| !works).count();
            verdicts.push(json!({
                "engine": name, "grammars": compiled.len(), "refused": failed,
                "valid": of(true), "invalid": of(false), "memory": memory(records),
            }));
        }
        verdicts
    }
}

/// Bytes of a program after its texts, over grammars.
fn memory(records: &[Record]) -> Value {
    let mut last: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for record in records {
        if let Some(memory) = record.memory {
            last.insert(&record.id, memory);
        }
    }
    let of = |part: fn(&(usize, usize)) -> usize| {
        let mut bytes: Vec<usize> = last.values().map(part).collect();
        bytes.sort_unstable();
        let top = bytes.len().checked_sub(1)?;
        let at = |share: f64| bytes[(top as f64 * share).round() as usize];
        Some(json!({ "p50": at(0.5), "p99": at(0.99), "max": at(1.0) }))
    };
    json!({ "states": of(|memory| memory.0), "masks": of(|memory| memory.1) })
}

/// One section: two rows, of which the first is over the texts that all engines accept.
fn section(engines: &[&(String, Vec<Record>)]) -> Value {
    let mut accepted: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    for (_, records) in engines {
        for record in records.iter().filter(|record| record.accepted) {
            *accepted.entry((&record.id, record.test)).or_default() += 1;
        }
    }
    let mut object = serde_json::Map::new();
    for (row, in_row) in [("all accept", true), ("the rest", false)] {
        let rows: Vec<Value> = engines
            .iter()
            .map(|(name, records)| {
                let chosen = records.iter().filter(|record| {
                    let agreed = accepted.get(&(&*record.id, record.test)) == Some(&engines.len());
                    agreed == in_row
                });
                figures(chosen).json(name)
            })
            .collect();
        object.insert(row.to_owned(), Value::Array(rows));
    }
    Value::Object(object)
}

fn figures<'a>(records: impl Iterator<Item = &'a Record>) -> Figures {
    let records: Vec<&Record> = records.collect();
    let all = |times: fn(&Record) -> Vec<f64>| records.iter().flat_map(move |one| times(one));
    // The texts of one program, of which the first says what compiling took.
    let mut totals: BTreeMap<&str, f64> = BTreeMap::new();
    for record in &records {
        let times = record.masks.iter().chain(&record.accepts).sum::<f64>();
        *totals.entry(&record.id).or_default() += times + record.compile.unwrap_or(0.0);
    }
    let named = [
        ("first mask", Statistics::of(records.iter().filter_map(|record| record.first()))),
        ("mask", Statistics::of(all(|record| record.masks.clone()))),
        ("accept", Statistics::of(all(|record| record.accepts.clone()))),
        ("mask+accept", Statistics::of(all(|record| record.both().collect()))),
        ("total", Statistics::of(totals.into_values())),
    ];
    let figures = named.into_iter().filter_map(|(name, found)| Some((name, found?))).collect();
    let warm = records.iter().filter_map(|record| Some((record.warm?, record.accepts.len())));
    let (spent, tokens) = warm.fold((0.0, 0), |(spent, tokens), (each, count)| {
        (spent + each * count as f64, tokens + count)
    });
    let warm = (tokens > 0).then(|| spent / tokens as f64);
    Figures { pairs: records.len(), figures, warm }
}

impl Figures {
    fn json(&self, engine: &str) -> Value {
        let mut object = serde_json::Map::new();
        object.insert("engine".into(), json!(engine));
        object.insert("texts".into(), json!(self.pairs));
        for (name, statistics) in &self.figures {
            object.insert((*name).into(), statistics.json());
        }
        object.insert("warm ns".into(), json!(self.warm));
        Value::Object(object)
    }
}

/// A section as lines of text.
pub(crate) fn print(section: &Value) -> String {
    let mut text = String::new();
    for row in ["all accept", "the rest"] {
        let Some(engines) = section[row].as_array() else { continue };
        let texts: Vec<String> = engines
            .iter()
            .map(|one| {
                let masks = &one["mask"]["count"];
                format!("{}: {} texts, {masks} masks", string(&one["engine"]), one["texts"])
            })
            .collect();
        let _ = writeln!(text, "\n{row} ({})", texts.join("; "));
        let _ = write!(text, "{:12} {:28}", "µs", "");
        COLUMNS.iter().for_each(|column| {
            let _ = write!(text, " {column:>9}");
        });
        text.push('\n');
        for figure in ["first mask", "mask", "accept", "mask+accept", "total"] {
            print_figure(&mut text, engines, figure, row == "all accept");
        }
        for one in engines {
            if let Some(warm) = one["warm ns"].as_f64() {
                let _ = writeln!(
                    text,
                    "{:12} {:28} {warm:>9.1} ns a token, many between two readings of the clock",
                    "warm",
                    string(&one["engine"]),
                );
            }
        }
    }
    text
}

fn print_figure(text: &mut String, engines: &[Value], figure: &str, compared: bool) {
    let value = |one: &Value, column: &str| one[figure][column].as_f64();
    for (at, one) in engines.iter().enumerate() {
        if one[figure].is_null() {
            continue;
        }
        let label = if at == 0 { figure } else { "" };
        let _ = write!(text, "{label:12} {:28}", string(&one["engine"]));
        for column in COLUMNS {
            let shown = value(one, column).map_or_else(|| "-".to_owned(), short);
            let _ = write!(text, " {shown:>9}");
        }
        text.push('\n');
        if at > 0 && compared {
            let _ = write!(text, "{:12} {:28}", "", "  ours of theirs");
            for column in COLUMNS {
                let both = value(&engines[0], column).zip(value(one, column));
                let shown = both.map_or_else(|| "-".to_owned(), |(a, b)| ratio(a, b));
                let _ = write!(text, " {shown:>9}");
            }
            text.push('\n');
        }
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}
