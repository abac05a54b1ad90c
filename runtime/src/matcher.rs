//! One text in progress: which tokens may come next, and moving past one.
//!
//! A matcher is a list of states, one for each token so far, so going back is truncation and a
//! fork is a copy.

use crate::bind::{marker_of, token_of};
use crate::engine::{Engine, StateId};
use crate::limits::LimitError;
use crate::mask::TokenMask;
use crate::program::{Program, stop_mask};
use crate::vocabulary::{Token, TokenId};

/// One text in progress under a [`Program`].
#[derive(Clone, Debug)]
pub struct Matcher {
    program: Program,
    /// The place before the first token, then the place after each.
    places: Vec<Place>,
    /// The mask after a stop token.
    stop: Option<TokenMask>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    state: StateId,
    /// Whether a stop token has ended the turn here.
    stopped: bool,
}

/// A token or a text was refused; the matcher is as it was.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Rejected {
    /// The mask excludes this token.
    #[error("token {0} may not come next")]
    Token(TokenId),
    /// The text leaves the language at this byte.
    #[error("byte {0} of the text may not come next")]
    Byte(usize),
    /// A limit was crossed, so nothing is known about the token.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// A piece of text that must come next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Forced {
    /// These bytes, in tokens of any kind.
    Bytes(Vec<u8>),
    /// This special token.
    Special(TokenId),
}

/// More tokens to take back than there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot take back {asked} tokens of {present}")]
pub struct RollbackError {
    /// How many were to be taken back.
    pub asked: usize,
    /// How many there are.
    pub present: usize,
}

impl Matcher {
    pub(crate) fn new(program: Program) -> Self {
        let state = program.engine().start();
        Self { program, places: vec![Place { state, stopped: false }], stop: None }
    }

    /// The program that it follows.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The number of tokens and texts so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len() - 1
    }

    /// Whether nothing has been accepted yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tokens that may come next. Stop tokens are among them where the text may end. Every
    /// token of the mask leads to a place from where the text can be completed.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed; the matcher is as it was.
    ///
    /// # Complexity
    /// O(1) where the program has seen a like state, else O(vocabulary).
    pub fn mask(&mut self) -> Result<&TokenMask, LimitError> {
        let place = self.place();
        if place.stopped {
            return Ok(self.stop.get_or_insert_with(|| stop_mask(self.program.vocabulary())));
        }
        Ok(self.program.mask(place.state)?)
    }

    /// The same set by trying every token, with no shortcut and nothing kept: for checks.
    ///
    /// # Errors
    /// As [`Matcher::mask`].
    ///
    /// # Complexity
    /// O(bytes of all tokens).
    pub fn mask_by_trial(&self) -> Result<TokenMask, LimitError> {
        let place = self.place();
        let vocabulary = self.program.vocabulary();
        let engine = self.program.engine();
        let may_stop = place.stopped || engine.is_accepting(place.state);
        let mut allowed = Vec::new();
        for id in (0..vocabulary.width() as u32).map(TokenId) {
            let leads_on = match vocabulary.token(id) {
                _ if place.stopped => false,
                Token::Bytes(bytes) => {
                    !bytes.is_empty() && walk(engine, place.state, bytes)?.is_ok()
                }
                Token::Special(_) => {
                    engine.step_marker(place.state, marker_of(id))? != StateId::DEAD
                }
                Token::Absent => false,
            };
            if leads_on || (may_stop && vocabulary.stop_tokens().contains(&id)) {
                allowed.push(id);
            }
        }
        Ok(TokenMask::of(vocabulary.width(), allowed))
    }

    /// Writes the mask in the packed layout: token `i` is bit `i % 32` of word `i / 32`. Words
    /// beyond the vocabulary's width become 0; a slice that is too short gets the first words.
    ///
    /// # Errors
    /// As [`Matcher::mask`].
    pub fn fill(&mut self, words: &mut [u32]) -> Result<(), LimitError> {
        self.mask()?.fill(words);
        Ok(())
    }

    /// Moves past `token`.
    ///
    /// # Errors
    /// [`Rejected`] if the mask excludes `token`; the matcher is then exactly as it was.
    ///
    /// # Complexity
    /// O(bytes of the token).
    pub fn accept(&mut self, token: TokenId) -> Result<(), Rejected> {
        let place = self.place();
        let stop = self.program.vocabulary().stop_tokens().contains(&token);
        if place.stopped {
            return if stop { self.push(place) } else { Err(Rejected::Token(token)) };
        }
        let engine = self.program.engine();
        let next = match self.program.vocabulary().token(token) {
            Token::Bytes(bytes) => walk(engine, place.state, bytes)?.ok(),
            Token::Special(_) => {
                let next = engine.step_marker(place.state, marker_of(token))?;
                Some(next).filter(|&next| next != StateId::DEAD)
            }
            Token::Absent => None,
        };
        let may_stop = stop && engine.is_accepting(place.state);
        match next {
            Some(state) => self.push(Place { state, stopped: false }),
            None if may_stop => self.push(Place { stopped: true, ..place }),
            None => Err(Rejected::Token(token)),
        }
    }

    /// Moves past `bytes`, which count as one step for [`Matcher::rollback`]. They mean text:
    /// never a special token, whatever they spell.
    ///
    /// # Errors
    /// [`Rejected`] with the byte that may not come next; the matcher is then as it was.
    pub fn accept_bytes(&mut self, bytes: &[u8]) -> Result<(), Rejected> {
        let place = self.place();
        if place.stopped {
            return if bytes.is_empty() { self.push(place) } else { Err(Rejected::Byte(0)) };
        }
        let walked = walk(self.program.engine(), place.state, bytes)?;
        match walked {
            Ok(state) => self.push(Place { state, stopped: false }),
            Err(at) => Err(Rejected::Byte(at)),
        }
    }

    /// Takes back the last `count` tokens.
    ///
    /// # Errors
    /// [`RollbackError`] if there are fewer; the matcher is then as it was.
    pub fn rollback(&mut self, count: usize) -> Result<(), RollbackError> {
        if count > self.len() {
            return Err(RollbackError { asked: count, present: self.len() });
        }
        self.places.truncate(self.places.len() - count);
        Ok(())
    }

    /// Goes back to the beginning.
    pub fn reset(&mut self) {
        self.places.truncate(1);
    }

    /// A matcher at the same place, which goes on by itself.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// What must come next, as long as there is only one way on: text in bytes and special
    /// tokens in turn. Empty where the text may end or go on in several ways.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed; the matcher is as it was.
    ///
    /// # Complexity
    /// O(bytes that are returned).
    pub fn forced(&self) -> Result<Vec<Forced>, LimitError> {
        let mut forced = Vec::new();
        let place = self.place();
        if place.stopped {
            return Ok(forced);
        }
        let engine = self.program.engine();
        let (mut state, mut bytes) = (place.state, Vec::new());
        for _ in 0..self.program.limits().forced_bytes_max {
            match only_way(engine, state)? {
                Some((Way::Byte(byte), next)) => {
                    bytes.push(byte);
                    state = next;
                }
                Some((Way::Special(token), next)) => {
                    if !bytes.is_empty() {
                        forced.push(Forced::Bytes(std::mem::take(&mut bytes)));
                    }
                    forced.push(Forced::Special(token));
                    state = next;
                }
                None => break,
            }
        }
        if !bytes.is_empty() {
            forced.push(Forced::Bytes(bytes));
        }
        Ok(forced)
    }

    /// Whether the text so far is complete: it fits the outline as it stands.
    #[must_use]
    pub fn is_accepting(&self) -> bool {
        let place = self.place();
        place.stopped || self.program.engine().is_accepting(place.state)
    }

    /// Whether nothing but a stop token can follow.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        let place = self.place();
        let engine = self.program.engine();
        place.stopped
            || (engine.is_accepting(place.state)
                && engine.live(place.state).is_ok_and(|live| live.is_empty())
                && engine.markers(place.state).is_empty())
    }

    /// Whether the text is complete but for a last special token, which ends the turn. Text that
    /// an engine returns often lacks it.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed.
    pub fn lacks_only_stop(&self) -> Result<bool, LimitError> {
        let place = self.place();
        let engine = self.program.engine();
        for marker in engine.markers(place.state) {
            let next = engine.step_marker(place.state, marker)?;
            if engine.is_accepting(next) && !place.stopped {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn place(&self) -> Place {
        // `places` begins with the place before the first token and is never emptied.
        self.places.last().copied().unwrap_or(Place { state: StateId::DEAD, stopped: false })
    }

    fn push(&mut self, place: Place) -> Result<(), Rejected> {
        self.places.push(place);
        Ok(())
    }
}

/// The state after `bytes`, or the place of the byte that does not lead on.
fn walk(
    engine: &Engine,
    mut state: StateId,
    bytes: &[u8],
) -> Result<Result<StateId, usize>, LimitError> {
    for (at, &byte) in bytes.iter().enumerate() {
        state = engine.step(state, byte)?;
        if state == StateId::DEAD {
            return Ok(Err(at));
        }
    }
    Ok(Ok(state))
}

enum Way {
    Byte(u8),
    Special(TokenId),
}

/// The one symbol that leads on from `state`, if there is just one and the text may not end.
fn only_way(engine: &Engine, state: StateId) -> Result<Option<(Way, StateId)>, LimitError> {
    if engine.is_accepting(state) {
        return Ok(None);
    }
    let live = engine.live(state)?;
    let markers = engine.markers(state);
    let ways = live.len() + markers.len();
    if ways != 1 {
        return Ok(None);
    }
    if let Some(&marker) = markers.first() {
        let next = engine.step_marker(state, marker)?;
        return Ok(Some((Way::Special(token_of(marker)), next)));
    }
    let Some(byte) = live.iter().next() else { return Ok(None) };
    Ok(Some((Way::Byte(byte), engine.step(state, byte)?)))
}
