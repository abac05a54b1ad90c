//! One text in progress: which tokens may come next, and moving past one.
//!
//! A matcher is a list of states, one for each token so far, so going back is truncation and a
//! fork is a copy.

use crate::bind::marker_of;
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

/// Where a text stands after some of its tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) state: StateId,
    /// Whether a stop token has ended the turn here.
    pub(crate) stopped: bool,
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
        let state = program.start();
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
        let may_stop = place.stopped || self.program.may_stop(place.state)?;
        let mut allowed = Vec::new();
        for id in (0..vocabulary.width() as u32).map(TokenId) {
            let leads_on = match vocabulary.token(id) {
                _ if place.stopped => false,
                Token::Bytes(bytes) => {
                    !bytes.is_empty()
                        && (walk(engine, place.state, bytes)?.is_ok()
                            || engine.step_marker(place.state, marker_of(id))? != StateId::DEAD)
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

    /// Sets the logits of all tokens that may not come next to negative infinity.
    ///
    /// # Errors
    /// As [`Matcher::mask`]; the logits are then as they were.
    ///
    /// # Complexity
    /// O(width) beside the mask.
    pub fn apply(&mut self, logits: &mut [f32]) -> Result<(), LimitError> {
        self.mask()?.apply(logits);
        Ok(())
    }

    /// Whether `token` may come next, without the mask.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed; the matcher is as it was.
    ///
    /// # Complexity
    /// O(bytes of the token).
    pub fn allows(&self, token: TokenId) -> Result<bool, LimitError> {
        Ok(after(&self.program, self.place(), token)?.is_some())
    }

    /// Moves past `token`.
    ///
    /// # Errors
    /// [`Rejected`] if the mask excludes `token`; the matcher is then exactly as it was.
    ///
    /// # Complexity
    /// O(bytes of the token).
    pub fn accept(&mut self, token: TokenId) -> Result<(), Rejected> {
        let next = after(&self.program, self.place(), token)?;
        self.push(next.ok_or(Rejected::Token(token))?)
    }

    /// How many of `tokens`, from the first on, may come next one after the other: for drafts of
    /// speculative decoding. The matcher stays where it is.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed.
    ///
    /// # Complexity
    /// O(bytes of the tokens).
    pub fn validate(&self, tokens: &[TokenId]) -> Result<usize, LimitError> {
        let mut place = self.place();
        for (at, &token) in tokens.iter().enumerate() {
            match after(&self.program, place, token)? {
                Some(next) => place = next,
                None => return Ok(at),
            }
        }
        Ok(tokens.len())
    }

    /// Moves past as many of `tokens` as may come next one after the other, each a step of its
    /// own for [`Matcher::rollback`], and returns how many these are.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed; the matcher is then as it was.
    ///
    /// # Complexity
    /// O(bytes of the tokens).
    pub fn accept_prefix(&mut self, tokens: &[TokenId]) -> Result<usize, LimitError> {
        let before = self.places.len();
        for (at, &token) in tokens.iter().enumerate() {
            match after(&self.program, self.place(), token) {
                Ok(Some(next)) => self.places.push(next),
                Ok(None) => return Ok(at),
                Err(limit) => {
                    self.places.truncate(before);
                    return Err(limit);
                }
            }
        }
        Ok(tokens.len())
    }

    /// The masks along a draft: row 0 is the mask here, row `i` the mask after the first `i`
    /// tokens of `draft`, as long as they may come. The rows stand one after the other in `words`,
    /// each `width` words long, in the layout of [`Matcher::fill`]. Returns how many rows were
    /// written: one more than the tokens that may come, at most as many as there is room for. The
    /// matcher stays where it is, and rows that were not written stay as they were.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed; the matcher is then as it was.
    pub fn fill_along(
        &mut self,
        draft: &[TokenId],
        words: &mut [u32],
        width: usize,
    ) -> Result<usize, LimitError> {
        let before = self.places.len();
        let mut rows = words.chunks_exact_mut(width.max(1));
        let filled = self.fill_rows(draft, &mut rows);
        self.places.truncate(before);
        filled
    }

    fn fill_rows(
        &mut self,
        draft: &[TokenId],
        rows: &mut std::slice::ChunksExactMut<'_, u32>,
    ) -> Result<usize, LimitError> {
        let mut filled = 0;
        for at in 0..=draft.len() {
            let Some(row) = rows.next() else { break };
            self.fill(row)?;
            filled += 1;
            let Some(&token) = draft.get(at) else { break };
            match after(&self.program, self.place(), token)? {
                Some(next) => self.places.push(next),
                None => break,
            }
        }
        Ok(filled)
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
            Ok(state) => {
                let state = self.program.engine().at_token(state)?;
                self.push(Place { state, stopped: false })
            }
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
        *self = self.program.matcher();
    }

    /// A matcher at the same place, which goes on by itself.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
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

    /// Whether a stop token has ended the turn.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.place().stopped
    }

    pub(crate) fn place(&self) -> Place {
        // `places` begins with the place before the first token and is never emptied.
        self.places.last().copied().unwrap_or(Place { state: StateId::DEAD, stopped: false })
    }

    fn push(&mut self, place: Place) -> Result<(), Rejected> {
        self.places.push(place);
        Ok(())
    }
}

/// The place after `token`, if it may come next.
fn after(program: &Program, place: Place, token: TokenId) -> Result<Option<Place>, LimitError> {
    let vocabulary = program.vocabulary();
    let stop = vocabulary.stop_tokens().contains(&token);
    if place.stopped {
        return Ok(stop.then_some(place));
    }
    let engine = program.engine();
    let next = match vocabulary.token(token) {
        Token::Bytes(bytes) if bytes.is_empty() => None,
        Token::Bytes(bytes) => {
            let read = walk(engine, place.state, bytes)?.ok();
            match program.names_tokens() {
                true => {
                    let named = engine.step_marker(place.state, marker_of(token))?;
                    let either = engine.either(read.unwrap_or(StateId::DEAD), named)?;
                    Some(either).filter(|&next| next != StateId::DEAD)
                }
                false => read,
            }
        }
        Token::Special(_) => {
            let next = engine.step_marker(place.state, marker_of(token))?;
            Some(next).filter(|&next| next != StateId::DEAD)
        }
        Token::Absent => None,
    };
    match next {
        Some(state) => {
            let state = engine.at_token(state)?;
            Ok(Some(Place { state, stopped: false }))
        }
        None if stop && program.may_stop(place.state)? => {
            Ok(Some(Place { stopped: true, ..place }))
        }
        None => Ok(None),
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
