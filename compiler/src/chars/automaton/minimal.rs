//! Merges the states and the letters that no text tells apart, and numbers what is left.

use std::collections::VecDeque;

use super::{Automaton, Letters, Map, Row};

/// The canonical automaton of one whose states are all reached from state 0.
///
/// States are first told apart by their output and by the lengths of the shortest texts from
/// them to an output that is 0 and to one that is not, and then refined.
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
///
/// Of the parts that a class falls into the largest keeps its number, so only states that lead to
/// one of the others are looked at again (Hopcroft 1971).
fn classes(rows: &[Row], outputs: &[u32], letters: u32) -> Vec<u32> {
    let sources = sources(rows, letters);
    let to_some = distances(&sources, |state| outputs[state] != 0);
    let to_none = distances(&sources, |state| outputs[state] == 0);
    let mut index = Map::default();
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut class: Vec<u32> = Vec::with_capacity(rows.len());
    for at in 0..rows.len() {
        let fresh = members.len() as u32;
        let own = *index.entry((outputs[at], to_some[at], to_none[at])).or_insert(fresh);
        if own == fresh {
            members.push(Vec::new());
        }
        members[own as usize].push(at as u32);
        class.push(own);
    }
    let mut pending: Vec<u32> = (0..rows.len() as u32).collect();
    let mut is_pending = vec![true; rows.len()];
    while !pending.is_empty() {
        let (mut apart, mut torn): (Vec<Vec<u32>>, Vec<usize>) = (Vec::new(), Vec::new());
        pending.sort_unstable_by_key(|&at| (class[at as usize], at));
        for same in pending.chunk_by(|&one, &other| class[one as usize] == class[other as usize]) {
            let own = class[same[0] as usize] as usize;
            let row = |at: u32| mapped(&rows[at as usize], letters, |to| class[to as usize]);
            let mut parts = parts(same, &members[own], &is_pending, row);
            let largest = (0..parts.len()).rev().max_by_key(|&at| parts[at].len());
            parts.swap_remove(largest.unwrap_or_default());
            if !parts.is_empty() {
                torn.push(own);
            }
            apart.append(&mut parts);
        }
        std::mem::take(&mut pending).into_iter().for_each(|at| is_pending[at as usize] = false);
        for part in apart {
            let fresh = members.len() as u32;
            part.iter().for_each(|&at| class[at as usize] = fresh);
            for &from in part.iter().flat_map(|&at| &sources[at as usize]) {
                if !std::mem::replace(&mut is_pending[from as usize], true) {
                    pending.push(from);
                }
            }
            members.push(part);
        }
        torn.iter().for_each(|&old| members[old].retain(|&at| class[at as usize] == old as u32));
    }
    class
}

/// The states `all` of one class by what their `row` is. Those that are not `pending` are alike.
fn parts(
    pending: &[u32],
    all: &[u32],
    is_pending: &[bool],
    row: impl Fn(u32) -> Row,
) -> Vec<Vec<u32>> {
    let alike = all.iter().copied().filter(|&at| !is_pending[at as usize]);
    let alike: Vec<u32> = alike.collect();
    let mut index: Map<Row, usize> = Map::default();
    let mut parts: Vec<Vec<u32>> = Vec::new();
    if let Some(&first) = alike.first() {
        index.insert(row(first), 0);
        parts.push(alike);
    }
    for &at in pending {
        let fresh = parts.len();
        let part = *index.entry(row(at)).or_insert(fresh);
        if part == fresh {
            parts.push(Vec::new());
        }
        parts[part].push(at);
    }
    parts
}

/// The states that lead to each state.
fn sources(rows: &[Row], letters: u32) -> Vec<Vec<u32>> {
    let mut sources: Vec<Vec<u32>> = vec![Vec::new(); rows.len()];
    for (from, row) in rows.iter().enumerate() {
        // A row that is not normal yet may name every letter.
        let skipped = usize::from(row.others.len() == letters as usize);
        for to in row.targets().skip(skipped) {
            let from = from as u32;
            if sources[to as usize].last() != Some(&from) {
                sources[to as usize].push(from);
            }
        }
    }
    sources
}

/// The length of the shortest text from each state to a state that is `wanted`.
fn distances(sources: &[Vec<u32>], wanted: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut distance = vec![u32::MAX; sources.len()];
    let mut queue: VecDeque<u32> =
        (0..sources.len()).filter(|&at| wanted(at)).map(|at| at as u32).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The classes by telling all pairs apart that some text tells apart.
    fn by_pairs(rows: &[Row], outputs: &[u32], letters: u32) -> Vec<Vec<bool>> {
        let count = rows.len();
        let mut apart: Vec<Vec<bool>> = (0..count)
            .map(|one| (0..count).map(|other| outputs[one] != outputs[other]).collect())
            .collect();
        loop {
            let mut changed = false;
            for (one, other) in (0..count).flat_map(|one| (0..one).map(move |other| (one, other))) {
                let tells = |letter: u32| {
                    let (to, two) = (rows[one].to(letter), rows[other].to(letter));
                    apart[to as usize][two as usize]
                };
                if !apart[one][other] && (0..letters).any(tells) {
                    (apart[one][other], apart[other][one]) = (true, true);
                    changed = true;
                }
            }
            if !changed {
                return apart;
            }
        }
    }

    #[test]
    fn classes_are_those_that_pairs_fall_into() {
        let mut seed = 7_u64;
        let mut below = |limit: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as u32 % limit
        };
        for _ in 0..400 {
            let (count, letters) = (1 + below(24), 1 + below(4));
            // Few targets, so that many states are alike, and chains, so that it takes rounds.
            let targets = 1 + below(count);
            let rows: Vec<Row> = (0..count)
                .map(|at| {
                    let default = if below(3) == 0 { (at + 1) % count } else { below(targets) };
                    let others = (0..letters).filter_map(|letter| {
                        let to = below(targets);
                        (below(2) == 0 && to != default).then_some((letter, to))
                    });
                    Row { default, others: others.collect() }
                })
                .collect();
            let outputs: Vec<u32> = (0..count).map(|_| u32::from(below(6) == 0)).collect();
            let (class, apart) =
                (classes(&rows, &outputs, letters), by_pairs(&rows, &outputs, letters));
            for (one, other) in (0..count as usize).flat_map(|a| (0..a).map(move |b| (a, b))) {
                assert_eq!(class[one] != class[other], apart[one][other], "{one} and {other}");
            }
        }
    }
}
