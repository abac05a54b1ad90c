//! Merges the states and the letters that no text tells apart, and numbers what is left.

use std::collections::VecDeque;

use super::{Automaton, Letters, Map, Row};

/// The canonical automaton of one whose states are all reached from state 0.
///
/// States are first told apart by their output and by the lengths of the shortest texts from
/// them to an output that is 0 and to one that is not, and then refined (Moore 1956); in all
/// automata met so far that takes few rounds.
pub(super) fn minimal(letters: Letters, rows: Vec<Row>, outputs: Vec<u32>) -> Automaton {
    let letters_count = letters.count();
    let class = classes(&rows, &outputs, letters_count);
    let count = class.iter().max().map_or(0, |max| max + 1) as usize;
    let mut sample = vec![usize::MAX; count];
    for (at, &class) in class.iter().enumerate().rev() {
        sample[class as usize] = at;
    }
    let rows: Vec<Row> = sample
        .iter()
        .map(|&at| mapped(&rows[at], letters_count, |to| class[to as usize]))
        .collect();
    let outputs: Vec<u32> = sample.iter().map(|&at| outputs[at]).collect();
    canonical(letters, rows, outputs, class[0])
}

/// The canonical automaton of one whose states are told apart by some text.
pub(super) fn canonical(
    letters: Letters,
    rows: Vec<Row>,
    outputs: Vec<u32>,
    start: u32,
) -> Automaton {
    let (letters, rows) = merge_letters(letters, rows);
    number(letters, rows, outputs, start)
}

/// The number of each state's class.
fn classes(rows: &[Row], outputs: &[u32], letters: u32) -> Vec<u32> {
    let to_some = distances(rows, letters, |state| outputs[state] != 0);
    let to_none = distances(rows, letters, |state| outputs[state] == 0);
    let mut index = Map::default();
    let mut class: Vec<u32> = (0..rows.len())
        .map(|at| {
            let fresh = index.len() as u32;
            *index.entry((outputs[at], to_some[at], to_none[at])).or_insert(fresh)
        })
        .collect();
    let mut count = index.len();
    loop {
        let mut index = Map::default();
        let refined: Vec<u32> = (0..rows.len())
            .map(|at| {
                let row = mapped(&rows[at], letters, |to| class[to as usize]);
                let fresh = index.len() as u32;
                *index.entry((class[at], row)).or_insert(fresh)
            })
            .collect();
        if index.len() == count {
            return refined;
        }
        count = index.len();
        class = refined;
    }
}

/// The length of the shortest text from each state to a state that is `wanted`.
fn distances(rows: &[Row], letters: u32, wanted: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut sources: Vec<Vec<u32>> = vec![Vec::new(); rows.len()];
    for (from, row) in rows.iter().enumerate() {
        // A row that is not normal yet may name every letter.
        let skipped = usize::from(row.others.len() == letters as usize);
        row.targets().skip(skipped).for_each(|to| sources[to as usize].push(from as u32));
    }
    let mut distance = vec![u32::MAX; rows.len()];
    let mut queue: VecDeque<u32> =
        (0..rows.len()).filter(|&at| wanted(at)).map(|at| at as u32).collect();
    queue.iter().for_each(|&at| distance[at as usize] = 0);
    while let Some(at) = queue.pop_front() {
        for &from in &sources[at as usize] {
            if distance[from as usize] == u32::MAX {
                distance[from as usize] = distance[at as usize] + 1;
                queue.push_back(from);
            }
        }
    }
    distance
}

/// `row` with its targets renamed, in normal form: the default is where most letters lead, of
/// several such that where the least letter leads.
fn mapped(row: &Row, letters: u32, rename: impl Fn(u32) -> u32) -> Row {
    let default = rename(row.default);
    let rest = letters as usize - row.others.len();
    if row.others.is_empty() {
        return Row { default, others: Box::new([]) };
    }
    // For each target, how many letters lead to it, and the least of them.
    let mut tally: Vec<(u32, usize, u32)> = Vec::new();
    let mut count =
        |to: u32, letters: usize, least: u32| match tally.iter_mut().find(|entry| entry.0 == to) {
            Some(entry) => (entry.1, entry.2) = (entry.1 + letters, entry.2.min(least)),
            None => tally.push((to, letters, least)),
        };
    let mut least_unnamed = 0;
    for &(letter, to) in &row.others {
        least_unnamed += u32::from(letter == least_unnamed);
        count(rename(to), 1, letter);
    }
    if rest > 0 {
        count(default, rest, least_unnamed);
    }
    let better = |entry: &&(u32, usize, u32)| (entry.1, std::cmp::Reverse(entry.2));
    let best = tally.iter().max_by_key(better).map_or(default, |entry| entry.0);
    let others = if best == default {
        let named = row.others.iter().map(|&(letter, to)| (letter, rename(to)));
        named.filter(|edge| edge.1 != best).collect()
    } else {
        let all = (0..letters).map(|letter| (letter, rename(row.to(letter))));
        all.filter(|edge| edge.1 != best).collect()
    };
    Row { default: best, others }
}

/// Merges the letters that lead from each state to the same.
fn merge_letters(letters: Letters, rows: Vec<Row>) -> (Letters, Vec<Row>) {
    let mut columns: Vec<Vec<(u32, u32)>> = vec![Vec::new(); letters.count() as usize];
    for (from, row) in rows.iter().enumerate() {
        row.others.iter().for_each(|&(letter, to)| {
            columns[letter as usize].push((from as u32, to));
        });
    }
    let mut index: Map<Vec<(u32, u32)>, u32> = Map::default();
    let names: Vec<u32> = columns
        .into_iter()
        .map(|column| {
            let fresh = index.len() as u32;
            *index.entry(column).or_insert(fresh)
        })
        .collect();
    let (merged, renamed) = letters.merged(&names);
    let count = merged.count();
    let rows = rows.into_iter().map(|row| {
        let mut others: Vec<(u32, u32)> = row
            .others
            .iter()
            .filter_map(|&(letter, to)| Some((*renamed.get(&names[letter as usize])?, to)))
            .collect();
        others.sort_unstable();
        others.dedup();
        mapped(&Row { default: row.default, others: others.into() }, count, |to| to)
    });
    let rows = rows.collect();
    (merged, rows)
}

/// Numbers the states in the order in which a breadth-first search meets them.
fn number(letters: Letters, rows: Vec<Row>, outputs: Vec<u32>, start: u32) -> Automaton {
    let mut renamed = vec![u32::MAX; rows.len()];
    renamed[start as usize] = 0;
    let mut order = vec![start];
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        next += 1;
        for to in rows[at as usize].targets() {
            if renamed[to as usize] == u32::MAX {
                renamed[to as usize] = order.len() as u32;
                order.push(to);
            }
        }
    }
    let rename = |row: &Row| Row {
        default: renamed[row.default as usize],
        others: row.others.iter().map(|&(letter, to)| (letter, renamed[to as usize])).collect(),
    };
    Automaton {
        letters,
        rows: order.iter().map(|&at| rename(&rows[at as usize])).collect(),
        outputs: order.iter().map(|&at| outputs[at as usize]).collect(),
    }
}
