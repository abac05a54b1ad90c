//! How many characters may follow a state: for each state a set of lengths, in the end periodic.

use super::{Automaton, Map, TooLarge};

/// The most bits that are kept to find where lengths begin to repeat.
const HISTORY_BITS_MAX: usize = 1 << 26;

/// A set of lengths that repeats itself from some length on; equal sets are equal values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LengthSet {
    /// Whether each length is in it, up to where it repeats.
    before: Vec<bool>,
    /// Whether each further length is, again and again; at least one.
    again: Vec<bool>,
}

impl LengthSet {
    /// Whether `length` is in the set.
    pub(crate) fn contains(&self, length: u64) -> bool {
        match usize::try_from(length).ok().and_then(|at| self.before.get(at)) {
            Some(&is) => is,
            None => {
                let beyond = length - self.before.len() as u64;
                self.again[(beyond % self.again.len() as u64) as usize]
            }
        }
    }

    /// Whether a length from `min` to `max` is in the set.
    ///
    /// # Complexity
    /// O(size of the set).
    pub(crate) fn meets(&self, min: u64, max: Option<u64>) -> bool {
        let settled = min.max(self.before.len() as u64) + self.again.len() as u64;
        let last = max.unwrap_or(u64::MAX).min(settled);
        (min..=last).any(|length| self.contains(length))
    }

    /// Whether there are lengths above all bounds.
    pub(crate) fn is_infinite(&self) -> bool {
        self.again.contains(&true)
    }

    /// The greatest length, if the set is finite.
    pub(crate) fn longest(&self) -> Option<u64> {
        if self.is_infinite() {
            return None;
        }
        self.before.iter().rposition(|&is| is).map(|at| at as u64)
    }

    /// From which length on it repeats, and after how many more.
    pub(crate) fn repeats(&self) -> (u64, u64) {
        (self.before.len() as u64, self.again.len() as u64)
    }

    /// The set in its shortest form.
    fn new(mut before: Vec<bool>, mut again: Vec<bool>) -> Self {
        let period = (1..=again.len())
            .find(|&period| {
                again.len().is_multiple_of(period)
                    && (period..again.len()).all(|at| again[at] == again[at - period])
            })
            .unwrap_or(again.len());
        again.truncate(period);
        while before.last().is_some_and(|last| again.last() == Some(last)) {
            before.pop();
            again.rotate_right(1);
        }
        Self { before, again }
    }
}

impl Automaton {
    /// For each state whether endlessly many texts lead from it to an output other than 0.
    ///
    /// # Complexity
    /// O(states and edges).
    pub(crate) fn endless(&self) -> Vec<bool> {
        let count = self.states();
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut after = vec![0_u32; count];
        let mut live = vec![false; count];
        let mut stack: Vec<u32> = (0..count as u32).filter(|at| self.output(*at) != 0).collect();
        for (from, row) in self.rows.iter().enumerate() {
            row.targets().for_each(|to| sources[to as usize].push(from as u32));
        }
        stack.iter().for_each(|at| live[*at as usize] = true);
        while let Some(at) = stack.pop() {
            for &from in &sources[at as usize] {
                if !std::mem::replace(&mut live[from as usize], true) {
                    stack.push(from);
                }
            }
        }
        // What is left when states without live ones after them are taken away, again and again,
        // leads to a circle.
        for (from, row) in self.rows.iter().enumerate() {
            after[from] = row.targets().filter(|to| live[*to as usize]).count() as u32;
        }
        let mut endless = live.clone();
        let mut ends: Vec<u32> =
            (0..count as u32).filter(|at| live[*at as usize] && after[*at as usize] == 0).collect();
        while let Some(at) = ends.pop() {
            endless[at as usize] = false;
            for &from in &sources[at as usize] {
                after[from as usize] -= 1;
                if after[from as usize] == 0 && live[from as usize] {
                    ends.push(from);
                }
            }
        }
        endless
    }

    /// For each state the lengths of the texts that lead from it to an output other than 0.
    ///
    /// # Errors
    /// [`TooLarge`] if more than `HISTORY_BITS_MAX` bits are needed.
    pub(crate) fn lengths(&self) -> Result<Vec<LengthSet>, TooLarge> {
        let (history, from) = self.history()?;
        let states = 0..self.states();
        let has = |layer: &Vec<u64>, state: usize| layer[state / 64] >> (state % 64) & 1 == 1;
        Ok(states
            .map(|state| {
                let bits: Vec<bool> = history.iter().map(|layer| has(layer, state)).collect();
                LengthSet::new(bits[..from].to_vec(), bits[from..].to_vec())
            })
            .collect())
    }

    /// Which states accept some text of each length, and the length to which that returns.
    fn history(&self) -> Result<(Vec<Vec<u64>>, usize), TooLarge> {
        let words = self.states().div_ceil(64);
        let targets: Vec<Vec<u32>> = (0..self.states())
            .map(|state| {
                let mut targets: Vec<u32> = self.rows[state].targets().collect();
                targets.sort_unstable();
                targets.dedup();
                targets
            })
            .collect();
        let mut layer = vec![0_u64; words];
        for (state, &output) in self.outputs.iter().enumerate() {
            layer[state / 64] |= u64::from(output != 0) << (state % 64);
        }
        let mut seen: Map<Vec<u64>, usize> = Map::default();
        let mut history: Vec<Vec<u64>> = Vec::new();
        loop {
            if let Some(&from) = seen.get(&layer) {
                return Ok((history, from));
            }
            if (history.len() + 1) * self.states() > HISTORY_BITS_MAX {
                return Err(TooLarge("the lengths of its texts take too many steps to find"));
            }
            seen.insert(layer.clone(), history.len());
            let mut longer = vec![0_u64; words];
            for (state, targets) in targets.iter().enumerate() {
                let leads = |to: &u32| layer[*to as usize / 64] >> (to % 64) & 1 == 1;
                longer[state / 64] |= u64::from(targets.iter().any(leads)) << (state % 64);
            }
            history.push(std::mem::replace(&mut layer, longer));
        }
    }
}
