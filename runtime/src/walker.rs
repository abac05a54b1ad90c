//! Parts of an outline read one by one, each from its own beginning, with shared states.
//!
//! Where a [`Matcher`](crate::Matcher) follows a whole outline by tokens, a walker follows its
//! parts by bytes and special tokens, for whoever decides by other means which part comes next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use blueprints_compiler::Ir;
use blueprints_compiler::ir::ByteSet;

use crate::bind::{ToBytes, ToVocabulary, marker_of, token_of};
use crate::engine::{Engine, Scope, StateId};
use crate::limits::{LimitError, Limits};
use crate::program::CompileError;
use crate::text::{forced, ranges};
use crate::vocabulary::{TokenId, Vocabulary};

/// Reads parts of an outline.
pub struct Walker {
    engine: Engine,
    vocabulary: Option<Vocabulary>,
    /// Whether a token that has bytes is read by its id somewhere.
    named: Arc<AtomicBool>,
}

/// How far a part was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place(StateId);

impl Walker {
    /// A walker of texts, in which special tokens are their spelling.
    ///
    /// # Errors
    /// [`CompileError::Limit`] if a limit is crossed.
    pub fn of_texts(limits: Limits) -> Result<Self, CompileError> {
        let engine = Engine::new(&Ir::empty(), Box::new(ToBytes), limits, 0, None)?;
        Ok(Self { engine, vocabulary: None, named: Arc::default() })
    }

    /// A walker of tokens: special ones are read by [`Walker::step_token`] alone.
    ///
    /// # Errors
    /// [`CompileError::Limit`] if a limit is crossed.
    pub fn of_tokens(vocabulary: &Vocabulary, limits: Limits) -> Result<Self, CompileError> {
        let named: Arc<AtomicBool> = Arc::default();
        let binding = Box::new(ToVocabulary::new(vocabulary.clone(), named.clone()));
        let engine = Engine::new(&Ir::empty(), binding, limits, 0, None)?;
        Ok(Self { engine, vocabulary: Some(vocabulary.clone()), named })
    }

    /// The vocabulary, if tokens are read.
    #[must_use]
    pub fn vocabulary(&self) -> Option<&Vocabulary> {
        self.vocabulary.as_ref()
    }

    /// Whether a token that has bytes is read by its id somewhere, as far as parts were entered.
    #[must_use]
    pub fn names_tokens(&self) -> bool {
        self.named.load(Ordering::Relaxed)
    }

    /// The place before `part`, whose calls are rules of `scope`. It reads the texts of `part`
    /// that are not empty.
    ///
    /// # Errors
    /// [`CompileError`] if a limit is crossed, or with this vocabulary delimiters overlap.
    pub fn enter(&self, part: &Ir, scope: Option<&Scope>) -> Result<Place, CompileError> {
        Ok(Place(self.engine.enter(part, scope.cloned())?))
    }

    /// The place after `byte`; `None` if it does not fit.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed.
    ///
    /// # Complexity
    /// O(1) where it was asked before.
    #[inline]
    pub fn step(&self, place: Place, byte: u8) -> Result<Option<Place>, LimitError> {
        let next = self.engine.step(place.0, byte)?;
        Ok((next != StateId::DEAD).then_some(Place(next)))
    }

    /// The place after the special token `token`; `None` if it does not fit.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed.
    pub fn step_token(&self, place: Place, token: TokenId) -> Result<Option<Place>, LimitError> {
        let next = self.engine.step_marker(place.0, marker_of(token))?;
        Ok((next != StateId::DEAD).then_some(Place(next)))
    }

    /// Whether the part may end at `place`.
    #[must_use]
    #[inline]
    pub fn may_end(&self, place: Place) -> bool {
        self.engine.is_accepting(place.0)
    }

    /// The bytes that lead on from `place`.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed.
    pub fn bytes(&self, place: Place) -> Result<ByteSet, LimitError> {
        self.engine.live(place.0)
    }

    /// The special tokens that lead on from `place`.
    #[must_use]
    pub fn tokens(&self, place: Place) -> Vec<TokenId> {
        self.engine.markers(place.0).into_iter().map(token_of).collect()
    }

    /// What may stand at any of `places`, in words; `ends` says whether the text may end too.
    ///
    /// # Errors
    /// [`LimitError`] if a limit is crossed.
    pub fn expected(&self, places: &[Place], ends: bool) -> Result<String, LimitError> {
        const SHOWN_MAX: usize = 12;
        let mut shown: Vec<String> = Vec::new();
        let mut live = ByteSet::default();
        for place in places {
            match forced(&self.engine, place.0)? {
                Some(text) if !shown.contains(&text) => shown.push(text),
                Some(_) => {}
                None => self.engine.live(place.0)?.iter().for_each(|byte| live.insert(byte)),
            }
            if let Some(vocabulary) = &self.vocabulary {
                for token in self.tokens(*place) {
                    let spelling = vocabulary.special_tokens().find(|(_, id)| *id == token);
                    let spelling = spelling.map(|(spelling, _)| format!("the token `{spelling}`"));
                    shown.extend(spelling.filter(|spelling| !shown.contains(spelling)));
                }
            }
        }
        shown.extend(ranges(&live));
        if shown.len() > SHOWN_MAX {
            let more = shown.len() - SHOWN_MAX;
            shown.truncate(SHOWN_MAX);
            shown.push(format!("{more} others"));
        }
        if ends {
            shown.push("the end".to_owned());
        }
        match shown.is_empty() {
            true => Ok("nothing".to_owned()),
            false => Ok(shown.join(", ")),
        }
    }
}

impl std::fmt::Debug for Walker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walker").field("vocabulary", &self.vocabulary).finish_non_exhaustive()
    }
}
