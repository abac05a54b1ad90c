//! Processor time of this thread, and what many times come to.

use cpu_time::ThreadTime;
use serde_json::{Value, json};

/// Runs `work` and says how many microseconds of this thread it took.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let done = work();
    (done, start.elapsed().as_nanos() as f64 / 1_000.0)
}

/// Times in microseconds.
#[derive(Default, Debug)]
pub(super) struct Times(Vec<f64>);

impl Times {
    pub(super) fn push(&mut self, time: f64) {
        self.0.push(time);
    }

    pub(super) fn extend(&mut self, time: Option<f64>) {
        self.0.extend(time);
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// As [`Times::statistics`], of a copy.
    pub(super) fn statistics_of(&self) -> Value {
        Self(self.0.clone()).statistics()
    }

    /// Their mean and how they are spread; `null` if there are none.
    pub(super) fn statistics(&mut self) -> Value {
        if self.0.is_empty() {
            return Value::Null;
        }
        self.0.sort_unstable_by(f64::total_cmp);
        let count = self.0.len();
        let at = |part: f64| {
            let place = (part * count as f64).ceil() as usize;
            rounded(self.0[place.clamp(1, count) - 1])
        };
        let mean = rounded(self.0.iter().sum::<f64>() / count as f64);
        json!({
            "mean": mean,
            "p50": at(0.5),
            "p99": at(0.99),
            "p99.9": at(0.999),
            "max": at(1.0),
        })
    }
}

/// To a thousandth of a microsecond.
pub(super) fn rounded(time: f64) -> f64 {
    (time * 1_000.0).round() / 1_000.0
}
