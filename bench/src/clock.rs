//! The clock: CPU time of this thread, with its own cost taken off.

use cpu_time::ThreadTime;

/// Reads the thread's CPU time, knowing what a pair of readings costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Nanoseconds that a pair of readings with nothing between them shows.
    cost: f64,
}

impl Clock {
    /// Measures the clock itself: the median of many empty pairs. What it costs changes with what
    /// else the machine does, so it is measured again before each grammar.
    pub(crate) fn calibrated() -> Self {
        let mut empty: Vec<f64> = (0..201)
            .map(|_| {
                let begin = ThreadTime::now();
                begin.elapsed().as_nanos() as f64
            })
            .collect();
        empty.sort_by(f64::total_cmp);
        Self { cost: empty[empty.len() / 2] }
    }

    /// Nanoseconds of a pair of readings.
    pub(crate) fn cost(self) -> f64 {
        self.cost
    }

    /// What `work` returns, and the nanoseconds that it took. May be a little below zero where the
    /// work is shorter than the clock's own jitter; means stay true that way.
    pub(crate) fn time<T>(self, work: impl FnOnce() -> T) -> (T, f64) {
        let begin = ThreadTime::now();
        let result = work();
        let took = begin.elapsed().as_nanos() as f64;
        (result, took - self.cost)
    }
}
