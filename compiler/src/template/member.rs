//! Whether one short text is in a language, as far as that is cheap to say.

use std::collections::{BTreeSet, HashMap};

use crate::ir::{Ir, Kind, Repeat};

/// Longer texts are not judged.
const BYTES_MAX: usize = 200;
/// The steps that one answer may take.
const STEPS_MAX: usize = 20_000;
/// How deep parts may nest.
const DEPTH_MAX: usize = 200;

/// Whether `text` is in the language of `ir`; `None` if that is not cheap to say. Text that may
/// spell a special token is taken for characters.
pub(crate) fn is_member(ir: &Ir, text: &str) -> Option<bool> {
    if text.len() > BYTES_MAX {
        return None;
    }
    Some(Reader::new(text).ends(ir, 0, 0)?.contains(&text.len()))
}

/// Finds where texts of languages end in one text.
pub(crate) struct Reader<'a> {
    text: &'a str,
    steps: usize,
    /// The ends of a part from a place, by the part's address.
    known: HashMap<(*const Kind, usize), BTreeSet<usize>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, steps: 0, known: HashMap::new() }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Where a text of `ir` that begins at `at` may end.
    pub(crate) fn ends(&mut self, ir: &Ir, at: usize, depth: usize) -> Option<BTreeSet<usize>> {
        self.steps += 1;
        if self.steps > STEPS_MAX || depth > DEPTH_MAX {
            return None;
        }
        let key = (std::ptr::from_ref(ir.kind()), at);
        if let Some(ends) = self.known.get(&key) {
            return Some(ends.clone());
        }
        let ends = self.compute(ir, at, depth + 1)?;
        self.known.insert(key, ends.clone());
        Some(ends)
    }

    pub(crate) fn all(
        &mut self,
        ir: &Ir,
        from: &BTreeSet<usize>,
        depth: usize,
    ) -> Option<BTreeSet<usize>> {
        let mut all = BTreeSet::new();
        for &at in from {
            all.extend(self.ends(ir, at, depth)?);
        }
        Some(all)
    }

    fn compute(&mut self, ir: &Ir, at: usize, depth: usize) -> Option<BTreeSet<usize>> {
        let rest = &self.text[at..];
        let start = BTreeSet::from([at]);
        Some(match ir.kind() {
            Kind::Text(text) => match rest.starts_with(&*text.string) {
                true => BTreeSet::from([at + text.string.len()]),
                false => BTreeSet::new(),
            },
            Kind::Class(set) => {
                let next = rest.chars().next();
                let next = next.filter(|c| {
                    let ranges = set.ranges();
                    let after = ranges.partition_point(|range| range.start() <= *c);
                    after > 0 && *c <= ranges[after - 1].end()
                });
                next.map(|c| at + c.len_utf8()).into_iter().collect()
            }
            Kind::Sequence(parts) => {
                let mut from = start;
                for part in parts {
                    from = self.all(part, &from, depth)?;
                }
                from
            }
            Kind::Choice(arms) => {
                let mut ends = BTreeSet::new();
                for arm in arms {
                    ends.extend(self.ends(arm, at, depth)?);
                }
                ends
            }
            Kind::Repeat(repeat) => self.repeat(repeat, start, depth)?,
            Kind::Automaton(automaton) => {
                let (mut seen, mut ends) = (BTreeSet::new(), BTreeSet::new());
                let mut queue = vec![(0, at)];
                while let Some((state, at)) = queue.pop() {
                    if seen.insert((state, at)) {
                        let state = &automaton.states[state];
                        if state.accepting {
                            ends.insert(at);
                        }
                        for (label, to) in &state.edges {
                            let next = self.ends(label, at, depth)?;
                            queue.extend(next.into_iter().map(|end| (*to, end)));
                        }
                    }
                }
                ends
            }
            Kind::Regex(regex) => self.ends(&regex.body, at, depth)?,
            Kind::Anything(anything) => self.ends(&anything.body, at, depth)?,
            Kind::Dispatch(dispatch) => self.ends(&dispatch.body, at, depth)?,
            Kind::Capture(capture) => self.ends(&capture.body, at, depth)?,
            // Rules, machines and tokens are not cheap to judge.
            _ => return None,
        })
    }

    fn repeat(
        &mut self,
        repeat: &Repeat,
        start: BTreeSet<usize>,
        depth: usize,
    ) -> Option<BTreeSet<usize>> {
        let mut ends = if repeat.min == 0 { start.clone() } else { BTreeSet::new() };
        let (mut now, mut count) = (start, 0_u32);
        while repeat.max.is_none_or(|max| count < max) && !now.is_empty() {
            let from = match &repeat.separator {
                Some(separator) if count > 0 => self.all(separator, &now, depth)?,
                _ => now,
            };
            let next = self.all(&repeat.body, &from, depth)?;
            count += 1;
            let settled = count > repeat.min && next.iter().all(|end| ends.contains(end));
            if count >= repeat.min {
                ends.extend(&next);
            }
            if settled {
                break;
            }
            now = next;
        }
        Some(ends)
    }
}
