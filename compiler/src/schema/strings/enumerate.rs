//! The strings of a set one by one, and whether there is an end to them.

use super::StringLanguage;
use super::pieces::ranges;
use crate::chars::automaton::{Automaton, LengthSet, TooLarge};

impl StringLanguage {
    /// Whether the lengths of its strings are bounded.
    ///
    /// # Errors
    /// [`TooLarge`] if the lengths take too many steps to find.
    pub(crate) fn is_finite(&self) -> Result<bool, TooLarge> {
        if let Some(outside) = &self.outside {
            return Ok(self.inside().is_finite()? && outside.is_finite()?);
        }
        if self.base.is_never() || self.base.is_all() {
            return Ok(self.base.is_never());
        }
        let pieces = self.base.pieces()?;
        match pieces.last() {
            Some(piece) if !piece.automaton.is_never() => {
                Ok(!piece.automaton.lengths()?[0].is_infinite())
            }
            _ => Ok(true),
        }
    }

    /// Those of its strings that it lists one by one.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter(|word| word.1).map(|word| &*word.0)
    }

    /// All its strings, sorted, if there are at most `most`.
    ///
    /// # Complexity
    /// O(characters of the strings, and the size of the automata).
    pub(crate) fn words(&self, most: usize) -> Option<Vec<String>> {
        if let Some(outside) = &self.outside {
            let mut words = self.inside().words(most)?;
            words.extend(outside.words(most)?);
            words.retain(|word| self.contains(word));
            words.sort_unstable();
            words.dedup();
            return (words.len() <= most).then_some(words);
        }
        let mut words: Vec<String> = self.listed().map(str::to_owned).collect();
        if words.len() > most {
            return None;
        }
        // Those that are taken out are listed first, too.
        let room = most.saturating_add(self.words.len() - words.len());
        let pieces = self.base.pieces().ok()?;
        for (first, piece) in ranges(&pieces) {
            let automaton = &piece.automaton;
            if automaton.is_never() {
                continue;
            }
            if automaton.is_all() && room < 0x11_0000 && piece.last != Some(0) {
                return None;
            }
            let lengths = automaton.lengths().ok()?;
            if piece.last.is_none() && lengths[0].is_infinite() {
                return None;
            }
            list(automaton, &lengths, (first, piece.last), room, &mut words)?;
        }
        words.retain(|word| self.contains(word));
        words.sort_unstable();
        (words.len() <= most).then_some(words)
    }
}

/// Adds the texts of `automaton` whose length is within `bounds`; `None` if there are more than
/// `most` in all.
fn list(
    automaton: &Automaton,
    lengths: &[LengthSet],
    (first, last): (u64, Option<u64>),
    most: usize,
    words: &mut Vec<String>,
) -> Option<()> {
    let sets = automaton.letters().sets();
    // Whether a word within the bounds goes on from `state` after `length` characters.
    let alive = |state: u32, length: u64| {
        let longest = last.map(|last| last.checked_sub(length));
        let least = first.saturating_sub(length);
        match longest {
            Some(None) => false,
            Some(longest) => lengths[state as usize].meets(least, longest),
            None => lengths[state as usize].meets(least, None),
        }
    };
    let mut queue = vec![(0_u32, String::new(), 0_u64)];
    queue.retain(|(state, _, length)| alive(*state, *length));
    while let Some((state, text, length)) = queue.pop() {
        for (to, set) in automaton.edges(state, &sets) {
            if !alive(to, length + 1) {
                continue;
            }
            for character in set.ranges().iter().flat_map(|range| range.start()..=range.end()) {
                // No text in the queue begins another, so each leads to a word of its own.
                if words.len() + queue.len() >= most {
                    return None;
                }
                queue.push((to, format!("{text}{character}"), length + 1));
            }
        }
        if automaton.output(state) != 0 && length >= first {
            words.push(text);
        }
        if words.len() > most {
            return None;
        }
    }
    Some(())
}
