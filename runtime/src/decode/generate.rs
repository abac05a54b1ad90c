//! The loop that decodes: mask, choose, move on, and say so.
//!
//! Text that the mask leaves no choice about costs no forward pass: it waits, and is fed as one
//! block when the next choice needs logits.

use std::ops::ControlFlow;

use super::budget::{self, Chosen, OnBudget};
use super::forced::accept_forced;
use super::model::ModelError;
use super::sampling::{Sampler, Sampling, SamplingError};
use super::session::Model;
use crate::limits::LimitError;
use crate::matcher::{Matcher, Rejected, RollbackError};
use crate::vocabulary::{EncodeError, TokenId, Tokenizer};

/// How to generate.
#[derive(Clone, Copy, Debug)]
pub struct GenerateOptions<'a> {
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// The most tokens that are generated, forced ones included.
    pub tokens_max: usize,
    /// What happens where text is forced.
    pub forced: ForcedText<'a>,
    /// What happens when the tokens run out.
    pub on_budget: OnBudget,
}

/// What happens where only one text can follow.
#[derive(Clone, Copy, Debug)]
pub enum ForcedText<'a> {
    /// It is split by this tokenizer and taken as a block.
    Block(&'a Tokenizer),
    /// The model chooses its tokens under the mask.
    Choose,
}

/// A token that was generated.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The token.
    pub token: TokenId,
    /// The text that is complete with it: whole characters only, so it may be empty.
    pub text: &'a str,
    /// Why it stands there.
    pub origin: Origin,
}

/// Why a token stands where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The model preferred it to others.
    Chosen,
    /// Nothing else could stand there.
    Forced,
    /// What the model preferred would have left too few tokens to complete the text.
    Completing,
}

/// What was generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// All tokens, the one that ended the turn included.
    pub tokens: Vec<TokenId>,
    /// Their text, special tokens as they are spelled; without the one that ended the turn.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// How many of the tokens were forced.
    pub forced: usize,
    /// How many of the tokens stand there to complete the text in time.
    pub completing: usize,
    /// How many times the model was run, the prompt included.
    pub passes: usize,
}

/// Why a generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// A stop token ended the turn.
    Stop,
    /// Nothing more can follow.
    Complete,
    /// There were as many tokens as allowed.
    TokensMax,
    /// The model's context is full.
    ContextFull,
    /// The caller broke off.
    Cancelled,
}

/// Why a generation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The model cannot be run.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The matcher crossed a limit.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The matcher refused a token that its mask allows.
    #[error("the mask allows what the matcher refuses")]
    Rejected(#[from] Rejected),
    /// Forced text cannot be split.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// There is nothing to take back.
    #[error(transparent)]
    Rollback(#[from] RollbackError),
    /// The sampling options make no sense.
    #[error(transparent)]
    Sampling(#[from] SamplingError),
    /// No token of the model may come next.
    #[error("none of the model's {logits} tokens may come next")]
    NoToken {
        /// How many logits the model has.
        logits: usize,
    },
}

/// Generates under a matcher, from where it stands, after `prompt`.
///
/// `on_event` hears of each token as soon as it stands, and may break off. The last tokens may not
/// have been fed to the model when this returns.
///
/// # Errors
/// [`DecodeError`] if the prompt does not fit, or the model or the matcher fails.
///
/// # Complexity
/// One forward pass for each choice; forced tokens are fed along with the next.
pub fn generate(
    model: &mut dyn Model,
    matcher: &mut Matcher,
    prompt: &[TokenId],
    options: GenerateOptions<'_>,
    on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
) -> Result<Generated, DecodeError> {
    let sampler = Sampler::new(options.sampling)?;
    let (length, context_length) = (model.length() + prompt.len(), model.context_length());
    if length > context_length {
        return Err(ModelError::ContextFull { length, context_length }.into());
    }
    let mut generation = Generation {
        sampler,
        pending: prompt.to_vec(),
        out: Output::new(on_event),
        passes: 0,
        forced: 0,
        completing: 0,
        kept: options.on_budget == OnBudget::Complete,
    };
    let room = generation.room(model, options.tokens_max);
    generation.kept = generation.kept && budget::fits(matcher, room)?;
    let finish = loop {
        if let Some(finish) = generation.finish(model, matcher, options.tokens_max) {
            break finish;
        }
        if let ControlFlow::Break(finish) = generation.advance(model, matcher, options)? {
            break finish;
        }
    };
    Ok(generation.end(finish))
}

/// A generation in progress.
struct Generation<'a> {
    sampler: Sampler,
    /// Tokens that the model has not seen yet.
    pending: Vec<TokenId>,
    out: Output<'a>,
    passes: usize,
    forced: usize,
    completing: usize,
    /// Whether the text is brought to its end in the tokens that are left.
    kept: bool,
}

impl Generation<'_> {
    /// How many tokens are left.
    fn room(&self, model: &dyn Model, tokens_max: usize) -> usize {
        let context = model.context_length() - model.length() - self.pending.len();
        context.min(tokens_max - self.out.tokens.len())
    }

    /// Why it ends here, if it does.
    fn finish(&self, model: &dyn Model, matcher: &Matcher, tokens_max: usize) -> Option<Finish> {
        if matcher.is_finished() {
            let stop = matcher.program().vocabulary().stop_tokens();
            let stopped = self.out.tokens.last().is_some_and(|token| stop.contains(token));
            return Some(if stopped { Finish::Stop } else { Finish::Complete });
        }
        if self.out.tokens.len() >= tokens_max {
            return Some(Finish::TokensMax);
        }
        let full = model.length() + self.pending.len() >= model.context_length();
        full.then_some(Finish::ContextFull)
    }

    /// Adds the next token, or the next block of forced ones.
    fn advance(
        &mut self,
        model: &mut dyn Model,
        matcher: &mut Matcher,
        options: GenerateOptions<'_>,
    ) -> Result<ControlFlow<Finish>, DecodeError> {
        let room = self.room(model, options.tokens_max);
        if let ForcedText::Block(tokenizer) = options.forced {
            let block = accept_forced(matcher, tokenizer, room)?;
            if !self.kept || budget::fits(matcher, room - block.len())? {
                for &token in &block {
                    if self.push(matcher, token, Origin::Forced).is_break() {
                        return Ok(ControlFlow::Break(Finish::Cancelled));
                    }
                }
                if !block.is_empty() {
                    return Ok(ControlFlow::Continue(()));
                }
            } else {
                // The tokenizer's own split is longer than the shortest one.
                matcher.rollback(block.len())?;
            }
        }
        let (token, origin) = match self.choose(model, matcher, room)? {
            Some(chosen) => chosen,
            None => return Ok(ControlFlow::Break(Finish::Complete)),
        };
        Ok(match self.push(matcher, token, origin) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(Finish::Cancelled),
        })
    }

    /// Moves the matcher past the next token; none if the text is complete and no token that may
    /// follow fits.
    fn choose(
        &mut self,
        model: &mut dyn Model,
        matcher: &mut Matcher,
        room: usize,
    ) -> Result<Option<(TokenId, Origin)>, DecodeError> {
        let mask = matcher.mask()?;
        let none = DecodeError::NoToken { logits: mask.width() };
        if mask.count() == 1 {
            let token = mask.iter().next().ok_or(none)?;
            matcher.accept(token)?;
            return Ok(Some((token, Origin::Forced)));
        }
        let mut logits = model.feed(&self.pending)?;
        self.passes += 1;
        self.pending.clear();
        mask.apply(&mut logits);
        if !self.kept {
            let token = self.sampler.pick(&logits).ok_or(none)?;
            matcher.accept(token)?;
            return Ok(Some((token, Origin::Chosen)));
        }
        Ok(match budget::choose(matcher, &mut self.sampler, &mut logits, room - 1)? {
            Chosen::Own(token) => Some((token, Origin::Chosen)),
            Chosen::Completing(token) => Some((token, Origin::Completing)),
            Chosen::Nothing if matcher.is_accepting() => None,
            Chosen::Nothing => return Err(none),
        })
    }

    fn end(self, finish: Finish) -> Generated {
        let Self { forced, completing, passes, .. } = self;
        let (text, tokens) = self.out.end();
        Generated { tokens, text, finish, forced, completing, passes }
    }

    /// Notes a token that the matcher has moved past.
    fn push(&mut self, matcher: &Matcher, token: TokenId, origin: Origin) -> ControlFlow<()> {
        self.pending.push(token);
        self.forced += usize::from(origin == Origin::Forced);
        self.completing += usize::from(origin == Origin::Completing);
        let vocabulary = matcher.program().vocabulary();
        let ends = matcher.is_finished() && vocabulary.stop_tokens().contains(&token);
        let spelling = if ends { &[] } else { vocabulary.spelling(token) };
        self.out.push(token, spelling, origin)
    }
}

/// What stands so far, and who hears of it.
struct Output<'a> {
    tokens: Vec<TokenId>,
    text: String,
    /// The bytes of a character that is not complete yet.
    rest: Vec<u8>,
    on_event: &'a mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
}

impl<'a> Output<'a> {
    fn new(on_event: &'a mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Self {
        Self { tokens: Vec::new(), text: String::new(), rest: Vec::new(), on_event }
    }

    fn push(&mut self, token: TokenId, spelling: &[u8], origin: Origin) -> ControlFlow<()> {
        self.tokens.push(token);
        self.rest.extend_from_slice(spelling);
        let start = self.text.len();
        self.complete();
        (self.on_event)(Event { token, text: &self.text[start..], origin })
    }

    /// Moves whole characters from `rest` to `text`; what can never be one becomes U+FFFD.
    fn complete(&mut self) {
        let mut used = 0;
        for chunk in self.rest.utf8_chunks() {
            self.text.push_str(chunk.valid());
            used += chunk.valid().len();
            let open = used + chunk.invalid().len() == self.rest.len();
            if chunk.invalid().is_empty() || (open && may_go_on(chunk.invalid())) {
                break;
            }
            self.text.push(char::REPLACEMENT_CHARACTER);
            used += chunk.invalid().len();
        }
        self.rest.drain(..used);
    }

    /// The text and the tokens, once no more come.
    fn end(mut self) -> (String, Vec<TokenId>) {
        if !self.rest.is_empty() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
        (self.text, self.tokens)
    }
}

/// Whether these bytes begin a character that more bytes could complete.
fn may_go_on(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}
