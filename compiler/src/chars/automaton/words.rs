//! The least automaton of a sorted list of words, in one pass (Daciuk and others 2000).

use super::minimal::canonical;
use super::{Automaton, Letters, Map, Row, TooLarge};

/// The most states of the automaton of a list of words.
const WORD_STATES_MAX: usize = 1 << 19;

/// A state with its output and its edges, which are final once it is in the register.
type State = (u32, Box<[(u32, u32)]>);

/// A state that may still grow: its output, its edges, and the letter of the word that is read.
type Open = (u32, Vec<(u32, u32)>, u32);

/// The states that no longer change, each once.
#[derive(Default)]
struct Register {
    index: Map<State, u32>,
    states: Vec<State>,
}

impl Register {
    fn add(&mut self, state: State) -> u32 {
        if let Some(&at) = self.index.get(&state) {
            return at;
        }
        let at = self.states.len() as u32;
        self.states.push(state.clone());
        self.index.insert(state, at);
        at
    }
}

impl Automaton {
    /// The automaton that gives each of `words`, which are sorted and different, the output
    /// beside it, and all other texts the output 0.
    ///
    /// # Errors
    /// [`TooLarge`] above `WORD_STATES_MAX` states.
    ///
    /// # Complexity
    /// O(n) in the characters of the words.
    pub(crate) fn of_words<'a>(
        words: impl Iterator<Item = (&'a str, u32)> + Clone,
    ) -> Result<Self, TooLarge> {
        let letters = letters_of(words.clone().map(|word| word.0));
        let mut register = Register::default();
        let dead = register.add((0, Box::new([])));
        // The states along the last word, which may still grow: output, edges, last letter.
        let mut open: Vec<Open> = vec![(0, Vec::new(), 0)];
        let mut path: Vec<u32> = Vec::new();
        for (word, output) in words {
            let next: Vec<u32> = word.chars().map(|character| letters.of(character)).collect();
            let shared = path.iter().zip(&next).take_while(|(one, other)| one == other).count();
            close(&mut open, shared + 1, &mut register);
            for &letter in &next[shared..] {
                if let Some(last) = open.last_mut() {
                    last.2 = letter;
                }
                open.push((0, Vec::new(), 0));
            }
            if let Some(last) = open.last_mut() {
                last.0 = output;
            }
            path = next;
            if register.states.len() > WORD_STATES_MAX {
                return Err(TooLarge("the list of words is too long"));
            }
        }
        close(&mut open, 1, &mut register);
        let start = match open.pop() {
            Some((output, edges, _)) => register.add((output, edges.into())),
            None => dead,
        };
        let (outputs, rows) = register
            .states
            .into_iter()
            .map(|(output, others)| (output, Row { default: dead, others }))
            .unzip();
        Ok(canonical(letters, rows, outputs, start))
    }
}

/// Puts the open states beyond the first `keep` into the register, last ones first.
fn close(open: &mut Vec<Open>, keep: usize, register: &mut Register) {
    while open.len() > keep.max(1) {
        let Some((output, edges, _)) = open.pop() else { return };
        let at = register.add((output, edges.into()));
        if let Some(parent) = open.last_mut() {
            parent.1.push((parent.2, at));
        }
    }
}

fn letters_of<'a>(words: impl Iterator<Item = &'a str>) -> Letters {
    let mut ascii = [false; 128];
    let mut others = Vec::new();
    for character in words.flat_map(str::chars) {
        match ascii.get_mut(character as usize) {
            Some(seen) => *seen = true,
            None => others.push(character),
        }
    }
    others.sort_unstable();
    others.dedup();
    let ascii = (0..128u8).filter(|&at| ascii[usize::from(at)]).map(char::from);
    Letters::singles(&ascii.chain(others).collect::<Vec<_>>())
}
