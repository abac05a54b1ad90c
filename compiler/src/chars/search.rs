//! Makes a pattern's automaton, look-around and all.
//!
//! A state of the result is a set of threads. A thread is a place in the pattern with its
//! *obligations*: look-ahead that was passed and must still come true, each as an automaton and
//! the state it is in. So look-ahead is an intersection wherever it stands. Look-behind is an
//! automaton of all that was read, which runs beside. A word boundary is known from the character
//! before, and an obligation for the one after.

use std::sync::Arc;

use super::automaton::{Automaton, Letters, Map, Set, Steps, TooLarge, explore};
use super::ecma_class;
use super::nfa::{FINAL, Guard, Nfa, START};
use super::pattern::Pattern;
use super::until::every_character;
use crate::regex::PatternError;

/// The most threads that are looked at while an automaton is made.
const WORK_MAX: usize = 1 << 23;
/// The deepest nest of look-around.
const NEST_MAX: usize = 8;

/// Why a pattern has no automaton.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum PatternFault {
    /// It is no pattern, or no regular language.
    #[error(transparent)]
    Refused(#[from] PatternError),
    /// Its automaton is above a limit.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// What stands before the place where a pattern begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Before {
    Nothing,
    Word,
    Other,
}

/// Whether any text may stand before the pattern and after it.
#[derive(Clone, Copy)]
struct Ends {
    open_begin: bool,
    open_end: bool,
}

/// The texts in which `pattern` is found somewhere.
///
/// # Errors
/// [`PatternFault`] for look-around that is no regular language by itself, and above a limit.
pub(crate) fn search(pattern: &Pattern) -> Result<Automaton, PatternFault> {
    let ends = Ends { open_begin: true, open_end: true };
    automaton(pattern, Before::Nothing, ends, 0)
}

/// Two numbers: an obligation's automaton, and the state it is in.
type Obligations = Box<[(u32, u32)]>;

/// The threads, and the states of the automata that look behind.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Threads {
    threads: Vec<(u32, Obligations)>,
    behind: Box<[u32]>,
}

/// The threads after a character, before those that follow without one are added.
#[derive(PartialEq, Eq, Hash)]
struct Read {
    threads: Vec<(u32, Obligations)>,
    before: Before,
    behind: Box<[u32]>,
}

struct Maker {
    nfa: Nfa,
    ends: Ends,
    /// The automata that obligations are about, the first of which is for `$`.
    ahead: Vec<Arc<Automaton>>,
    /// For each look-around, its automaton for each thing before it (ahead), or its number
    /// among those behind.
    looks: Vec<[usize; 3]>,
    behind: Vec<Automaton>,
    letters: Letters,
    /// For each set of the nondeterministic automaton, whether each letter is in it.
    inside: Vec<Vec<bool>>,
    /// For each letter, its letter in each automaton ahead, then in each behind.
    beside: Vec<Vec<u32>>,
    word: Vec<bool>,
    /// Whether what stands before a place matters.
    looks_back: bool,
    /// For each place, the last closure in which it was met without obligations.
    met: Vec<u32>,
    closures: u32,
    work: usize,
}

/// The automaton of no further character.
const AHEAD_END: usize = 0;
/// The automata of a next character that is one of a word, and of one that is not.
const AHEAD_WORD: usize = 1;
const AHEAD_OTHER: usize = 2;

fn automaton(
    pattern: &Pattern,
    before: Before,
    ends: Ends,
    nest: usize,
) -> Result<Automaton, PatternFault> {
    if nest > NEST_MAX {
        return Err(TooLarge("look-around nests too deep").into());
    }
    let mut maker = Maker::new(pattern, ends, nest)?;
    let behind = vec![0; maker.behind.len()];
    let start = maker.closure(vec![(START, Box::default())], before, &behind);
    let letters = maker.letters.clone();
    let accepts: Vec<Arc<Automaton>> = maker.ahead.clone();
    let output = |state: &Arc<Threads>| {
        let fulfilled = |obligations: &Obligations| {
            obligations.iter().all(|&(at, state)| accepts[at as usize].output(state) != 0)
        };
        let is = |thread: &(u32, Obligations)| thread.0 == FINAL && fulfilled(&thread.1);
        u32::from(state.threads.iter().any(is))
    };
    Ok(explore(letters, Arc::new(start), |state| maker.steps(state), output)?)
}

impl Maker {
    fn new(pattern: &Pattern, ends: Ends, nest: usize) -> Result<Self, PatternFault> {
        let nfa = Nfa::new(pattern)?;
        let word = ecma_class::word();
        let mut ahead = vec![Automaton::all().difference(&one_of(&every_character())?)?];
        let next_word = one_of(&word)?;
        ahead.extend([next_word.clone(), next_word.complement()]);
        let (mut looks, mut behind) = (Vec::new(), Vec::new());
        for look in &nfa.looks {
            let signed = |found: Automaton| if look.negated { found.complement() } else { found };
            if look.behind {
                behind.push(signed(look_behind(&look.body, nest)?));
                looks.push([behind.len() - 1; 3]);
                continue;
            }
            let mut numbers = [0; 3];
            let sees = look
                .body
                .any(&|part| matches!(part, Pattern::Start | Pattern::WordBoundary { .. }));
            for (at, before) in [Before::Nothing, Before::Word, Before::Other].iter().enumerate() {
                if at == 0 || sees {
                    let ends = Ends { open_begin: false, open_end: true };
                    ahead.push(signed(automaton(&look.body, *before, ends, nest + 1)?));
                }
                numbers[at] = ahead.len() - 1;
            }
            if look.body.any(&|part| matches!(part, Pattern::Look { behind: true, .. })) {
                let message = "look-behind inside look-ahead is not supported";
                return Err(PatternError::new(message, 0..0).into());
            }
            looks.push(numbers);
        }
        let uses_word = nfa
            .silent
            .iter()
            .flatten()
            .any(|edge| matches!(edge.0, Guard::WordBoundary { .. } | Guard::Look(_)));
        let places = nfa.silent.len();
        let mut sets = nfa.sets.clone();
        if uses_word {
            sets.push(word.clone());
        }
        let (letters, _) = Letters::of_sets(&sets);
        let mut maker = Self {
            nfa,
            ends,
            ahead: ahead.into_iter().map(Arc::new).collect(),
            looks,
            behind,
            letters,
            inside: Vec::new(),
            beside: Vec::new(),
            word: Vec::new(),
            looks_back: uses_word,
            met: vec![0; places],
            closures: 0,
            work: 0,
        };
        maker.cut_letters(uses_word);
        Ok(maker)
    }

    /// Cuts the letters as the automata ahead and behind do, and notes what each letter is.
    fn cut_letters(&mut self, uses_word: bool) {
        let used = if uses_word { self.ahead.len() } else { 1 };
        let automata = self.ahead[..used].iter().map(|ahead| ahead.letters());
        let others: Vec<Letters> =
            automata.chain(self.behind.iter().map(Automaton::letters)).cloned().collect();
        for other in &others {
            self.letters = self.letters.refined(other).0;
        }
        let samples: Vec<char> =
            self.letters.sets().iter().map(|set| set.ranges()[0].start()).collect();
        self.beside = samples
            .iter()
            .map(|&sample| {
                let ahead = self.ahead.iter().map(|ahead| ahead.letters().of(sample));
                let behind = self.behind.iter().map(|behind| behind.letters().of(sample));
                ahead.chain(behind).collect()
            })
            .collect();
        let contains = |set: &regex_syntax::hir::ClassUnicode, sample: char| {
            let ranges = set.ranges();
            let after = ranges.partition_point(|range| range.start() <= sample);
            after > 0 && sample <= ranges[after - 1].end()
        };
        let within = |set| samples.iter().map(|&sample| contains(set, sample)).collect();
        self.inside = self.nfa.sets.iter().map(within).collect();
        self.word = within(&ecma_class::word());
    }

    fn steps(&mut self, state: &Arc<Threads>) -> Result<Steps<Arc<Threads>>, TooLarge> {
        let mut steps = Vec::with_capacity(self.letters.count() as usize);
        // Most letters lead to the same places as another.
        let mut known: Map<Read, Arc<Threads>> = Map::default();
        for letter in 0..self.letters.count() {
            let read = self.read(state, letter);
            let next = match known.get(&read) {
                Some(next) => next.clone(),
                None => {
                    self.work += state.threads.len() + read.threads.len() + 1;
                    let next = self.closure(read.threads.clone(), read.before, &read.behind);
                    self.work += next.threads.len();
                    let next = Arc::new(next);
                    known.insert(read, next.clone());
                    next
                }
            };
            if self.work > WORK_MAX {
                return Err(TooLarge("the pattern is too large an automaton"));
            }
            steps.push((letter, next));
        }
        let default = steps.pop().map(|(_, state)| state);
        let default = default.unwrap_or_else(|| state.clone());
        steps.retain(|(_, state)| *state != default);
        Ok(Steps { default, others: steps })
    }

    /// Where the threads are right after `letter`.
    fn read(&self, state: &Threads, letter: u32) -> Read {
        let at = letter as usize;
        let ahead = self.ahead.len();
        let behind = state.behind.iter().enumerate().map(|(number, &state)| {
            self.behind[number].row(state).to(self.beside[at][ahead + number])
        });
        let mut threads = Vec::new();
        for (place, obligations) in &state.threads {
            let stays = (*place == START && self.ends.open_begin)
                || (*place == FINAL && self.ends.open_end);
            let edges = self.nfa.edges[*place as usize].iter();
            let mut taken = edges.filter(|(set, _)| self.inside[*set as usize][at]).peekable();
            if !stays && taken.peek().is_none() {
                continue;
            }
            let Some(obligations) = self.advance(obligations, at) else { continue };
            threads.extend(taken.map(|edge| (edge.1, obligations.clone())));
            if stays {
                threads.push((*place, obligations));
            }
        }
        let before = match self.word[at] && self.looks_back {
            true => Before::Word,
            false => Before::Other,
        };
        Read { threads, before, behind: behind.collect() }
    }

    /// The obligations after a letter; `None` if one of them is broken.
    fn advance(&self, obligations: &Obligations, letter: usize) -> Option<Obligations> {
        let mut left = Vec::with_capacity(obligations.len());
        for &(at, state) in obligations {
            let automaton = &self.ahead[at as usize];
            let to = automaton.row(state).to(self.beside[letter][at as usize]);
            match automaton.settled(to) {
                Some(0) => return None,
                Some(_) => {}
                None => left.push((at, to)),
            }
        }
        left.dedup();
        Some(left.into())
    }

    /// All threads that `threads` become without a further character.
    fn closure(
        &mut self,
        threads: Vec<(u32, Obligations)>,
        before: Before,
        behind: &[u32],
    ) -> Threads {
        self.closures += 1;
        let mut reached: Vec<(u32, Obligations)> = Vec::new();
        let mut obliged: Set<(u32, Obligations)> = Set::default();
        let mut queue = threads;
        while let Some(thread) = queue.pop() {
            let fresh = match thread.1.is_empty() {
                true => {
                    let met = &mut self.met[thread.0 as usize];
                    std::mem::replace(met, self.closures) != self.closures
                }
                false => obliged.insert(thread.clone()),
            };
            if !fresh {
                continue;
            }
            if thread.0 == FINAL && thread.1.is_empty() && self.ends.open_end {
                // Whatever follows, the pattern is found.
                let threads = vec![thread];
                return Threads { threads, behind: behind.iter().map(|_| 0).collect() };
            }
            for &(guard, to) in &self.nfa.silent[thread.0 as usize] {
                if let Some(obligations) = self.passed(guard, &thread.1, before, behind) {
                    queue.push((to, obligations));
                }
            }
            reached.push(thread);
        }
        let threads = self.strongest(reached);
        let dead = threads.is_empty();
        let behind = behind.iter().map(|&state| if dead { 0 } else { state }).collect();
        Threads { threads, behind }
    }

    /// The obligations once `guard` is passed; `None` if it does not hold here.
    fn passed(
        &self,
        guard: Guard,
        obligations: &Obligations,
        before: Before,
        behind: &[u32],
    ) -> Option<Obligations> {
        let new = match guard {
            Guard::None => return Some(obligations.clone()),
            Guard::Start if before == Before::Nothing => return Some(obligations.clone()),
            Guard::Start => return None,
            Guard::End => AHEAD_END,
            Guard::WordBoundary { negated } => match (before == Before::Word) == negated {
                true => AHEAD_WORD,
                false => AHEAD_OTHER,
            },
            Guard::Look(look) if self.nfa.looks[look].behind => {
                let number = self.looks[look][0];
                let holds = self.behind[number].output(behind[number]) != 0;
                return holds.then(|| obligations.clone());
            }
            Guard::Look(look) => self.looks[look][before as usize],
        };
        match self.ahead[new].settled(0) {
            Some(0) => None,
            Some(_) => Some(obligations.clone()),
            None => {
                let mut all: Vec<(u32, u32)> = obligations.to_vec();
                all.push((new as u32, 0));
                all.sort_unstable();
                all.dedup();
                Some(all.into())
            }
        }
    }

    /// Drops threads that read nothing further, and those that ask for more than another thread
    /// at the same place does.
    fn strongest(&self, reached: Vec<(u32, Obligations)>) -> Vec<(u32, Obligations)> {
        let mut kept: Vec<(u32, Obligations)> = Vec::with_capacity(reached.len());
        let mut all: Vec<(u32, Obligations)> = reached
            .into_iter()
            .filter(|(at, _)| {
                *at == FINAL
                    || (*at == START && self.ends.open_begin)
                    || !self.nfa.edges[*at as usize].is_empty()
            })
            .collect();
        all.sort_unstable_by(|one, other| {
            let key = |thread: &(u32, Obligations)| (thread.0, thread.1.len());
            key(one).cmp(&key(other)).then_with(|| one.1.cmp(&other.1))
        });
        for (at, obligations) in all {
            let weaker = kept.iter().rev().take_while(|thread| thread.0 == at);
            let implied =
                |thread: &(u32, Obligations)| thread.1.iter().all(|one| obligations.contains(one));
            if !weaker.into_iter().any(implied) {
                kept.push((at, obligations));
            }
        }
        kept
    }
}

/// The texts that end with a text of `body`.
fn look_behind(body: &Pattern, nest: usize) -> Result<Automaton, PatternFault> {
    let sees = |part: &Pattern| {
        matches!(part, Pattern::End | Pattern::WordBoundary { .. } | Pattern::Look { .. })
    };
    if body.any(&sees) {
        let message = "`$`, `\\b` and look-around inside look-behind are not supported";
        return Err(PatternError::new(message, 0..0).into());
    }
    let ends = Ends { open_begin: true, open_end: false };
    automaton(body, Before::Nothing, ends, nest + 1)
}

/// The texts that begin with a character of `set`.
fn one_of(set: &regex_syntax::hir::ClassUnicode) -> Result<Automaton, TooLarge> {
    let (letters, inside) = Letters::of_sets(std::slice::from_ref(set));
    let steps = |state: &u8| {
        let others = match state {
            0 => inside[0].iter().map(|&letter| (letter, 1)).collect(),
            _ => Vec::new(),
        };
        Ok(Steps { default: if *state == 0 { 2 } else { *state }, others })
    };
    explore(letters, 0_u8, steps, |state| u32::from(*state == 1))
}
