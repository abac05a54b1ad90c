//! The known name nearest to an unknown one.

use std::cmp::Reverse;

/// The name of `known` that `name` is most likely a misspelling of, if any is near enough.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let bound = (name.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate, bound), Reverse(candidate.len()), candidate))
        .filter(|(distance, _, _)| *distance <= bound)
        .min()
        .map(|(_, _, candidate)| candidate)
}

/// The number of insertions, deletions, substitutions and swaps of neighbours between two names;
/// anything above `bound` may be any number above it.
fn distance(a: &str, b: &str, bound: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > bound {
        return bound + 1;
    }
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_the_nearest_name() {
        let known = ["repeat", "choice", "option", "optional", "if"];
        let cases = [
            ("repeet", Some("repeat")),
            ("chioce", Some("choice")),
            ("optoin", Some("option")),
            ("optionl", Some("optional")),
            ("xyz", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
