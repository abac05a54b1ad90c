//! Brings a text to its end before the tokens run out.

use super::generate::DecodeError;
use super::sampling::Sampler;
use crate::limits::LimitError;
use crate::matcher::Matcher;
use crate::vocabulary::TokenId;

/// What happens when the tokens run out, or the model's context is full, before the text fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnBudget {
    /// It breaks off there.
    BreakOff,
    /// A token stands only if the text can still be completed in those that are left. Where none
    /// of the model's first choices does, the shortest completion goes on. Without effect if the
    /// tokens are too few from the start.
    Complete,
}

/// So many of the model's choices are tried before the shortest completion takes over.
const CHOICES_MAX: usize = 8;

/// The token that a choice under a budget came to.
pub(super) enum Chosen {
    /// The model's own choice.
    Own(TokenId),
    /// One of the shortest completion.
    Completing(TokenId),
    /// The text is complete, and no token that fits may follow.
    Nothing,
}

/// Whether the text can be completed within `room` tokens; no where that takes too long to tell.
pub(super) fn fits(matcher: &Matcher, room: usize) -> Result<bool, LimitError> {
    match matcher.can_end_within(room) {
        Err(LimitError::EndingSteps(_)) => Ok(false),
        answer => answer,
    }
}

/// Moves `matcher` past the model's choice, or past what completes the text if after it more
/// than `room` tokens would be needed. Before it, `room + 1` are enough.
pub(super) fn choose(
    matcher: &mut Matcher,
    sampler: &mut Sampler,
    logits: &mut [f32],
    room: usize,
) -> Result<Chosen, DecodeError> {
    for _ in 0..CHOICES_MAX {
        let Some(token) = sampler.pick(logits) else { break };
        matcher.accept(token)?;
        if fits(matcher, room)? {
            return Ok(Chosen::Own(token));
        }
        matcher.rollback(1)?;
        logits[token.0 as usize] = f32::NEG_INFINITY;
    }
    let completion = matcher.shortest_end()?;
    let stops = matcher.program().vocabulary().stop_tokens().to_vec();
    let tokens = match matcher.is_accepting() {
        true => stops,
        false => completion.tokens,
    };
    for token in tokens {
        if matcher.allows(token)? {
            matcher.accept(token)?;
            return Ok(Chosen::Completing(token));
        }
    }
    Ok(Chosen::Nothing)
}
