//! Mean and percentiles of many times.

use serde_json::{Value, json};

/// The statistics that each figure has.
pub(crate) const COLUMNS: [&str; 6] = ["mean", "p50", "p99", "p99.9", "p99.99", "max"];

/// Statistics of a list of nanoseconds, in microseconds, in the order of [`COLUMNS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Statistics {
    pub(crate) count: usize,
    pub(crate) values: [f64; 6],
}

impl Statistics {
    /// None if there are none.
    pub(crate) fn of(times: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut times: Vec<f64> = times.into_iter().collect();
        times.sort_by(f64::total_cmp);
        let last = times.len().checked_sub(1)?;
        let at = |part: f64| times[(last as f64 * part).round() as usize] / 1e3;
        let mean = times.iter().sum::<f64>() / times.len() as f64 / 1e3;
        let values = [mean, at(0.5), at(0.99), at(0.999), at(0.9999), at(1.0)];
        Some(Self { count: times.len(), values })
    }

    pub(crate) fn json(&self) -> Value {
        let mut object = serde_json::Map::new();
        object.insert("count".into(), json!(self.count));
        for (name, value) in COLUMNS.iter().zip(self.values) {
            object.insert((*name).into(), json!((value * 1e3).round() / 1e3));
        }
        Value::Object(object)
    }
}

/// Three or four digits of a number of microseconds.
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        0.0..10.0 => format!("{value:.2}"),
        10.0..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// `ours` of `theirs` as `1/n` or `n`.
pub(crate) fn ratio(ours: f64, theirs: f64) -> String {
    if ours <= 0.0 || theirs <= 0.0 {
        return "-".to_owned();
    }
    if ours <= theirs { format!("1/{}", short(theirs / ours)) } else { short(ours / theirs) }
}

#[cfg(test)]
mod tests {
    use super::{Statistics, ratio};

    #[test]
    fn percentiles_are_those_of_the_sorted_list() {
        let statistics = Statistics::of((0..=1_000).rev().map(|at| f64::from(at) * 1e3));
        let expected = [500.0, 500.0, 990.0, 999.0, 1_000.0, 1_000.0];
        assert_eq!(statistics.map(|statistics| statistics.values), Some(expected));
        assert_eq!(Statistics::of([]), None);
    }

    #[test]
    fn ratios_say_who_is_faster() {
        assert_eq!(ratio(1.0, 12.0), "1/12.0");
        assert_eq!(ratio(3.0, 1.0), "3.00");
        assert_eq!(ratio(-0.1, 1.0), "-");
    }
}
