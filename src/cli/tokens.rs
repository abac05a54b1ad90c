//! Splits texts by a tokenizer, and drives a matcher over the tokens.

use std::path::Path;

use blueprints::{
    Limits, Matcher, Outline, Program, Rejected, Token, TokenId, Tokenizer, Vocabulary,
};

use super::failure::Failure;
use super::input::{self, Inputs};
use super::text::{escaped, place};

/// The tokenizer of the file `path`.
pub(crate) fn tokenizer(path: &Path, inputs: &mut Inputs) -> Result<Tokenizer, Failure> {
    let bytes = inputs.bytes(path)?;
    Tokenizer::from_json(&bytes).map_err(|error| Failure::of(&input::shown(path), &error))
}

/// A matcher of `outline` at its beginning; `name` is that of the template.
pub(crate) fn matcher(
    outline: &Outline,
    name: &str,
    vocabulary: &Vocabulary,
) -> Result<Matcher, Failure> {
    let program = Program::compile(outline, vocabulary, Limits::default());
    Ok(program.map_err(|error| Failure::of(name, &error))?.matcher())
}

/// The tokens of a text that a matcher reads from its beginning.
pub(crate) struct Tokens {
    pub(crate) ids: Vec<TokenId>,
    vocabulary: Vocabulary,
}

/// A token and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) token: TokenId,
    /// Its place among the tokens, from 0.
    pub(crate) index: usize,
    /// Its first byte in the text.
    at: usize,
}

impl Tokens {
    /// The tokens of `text`.
    pub(crate) fn new(tokenizer: &Tokenizer, text: &str) -> Result<Self, Failure> {
        let ids =
            tokenizer.encode_continuation(text).map_err(|error| Failure::of("the text", &error))?;
        Ok(Self { ids, vocabulary: tokenizer.vocabulary().clone() })
    }

    /// The tokens with their places.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Step> {
        let mut at = 0;
        self.ids.iter().enumerate().map(move |(index, &token)| {
            let step = Step { token, index, at };
            at += self.vocabulary.spelling(token).len();
            step
        })
    }

    /// How messages name a token of `text`.
    pub(crate) fn describe(&self, text: &str, step: Step) -> String {
        let Step { token, index, at } = step;
        let spelling = escaped(self.vocabulary.spelling(token));
        let kind = match self.vocabulary.token(token) {
            Token::Special(_) => "special token",
            _ => "token",
        };
        let place = place(text.as_bytes(), at);
        format!("{place}: {kind} {} of {} (id {token}, `{spelling}`)", index + 1, self.ids.len())
    }
}

/// What became of one token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Advance {
    Accepted,
    Refused,
}

/// Moves `matcher` past `token`. Its mask and what it accepts are one claim made twice, so both
/// are asked.
pub(crate) fn advance(matcher: &mut Matcher, token: TokenId) -> Result<Advance, Failure> {
    let limit = |error: &dyn std::error::Error| Failure::of("the text", error);
    let allowed = matcher.mask().map_err(|error| limit(&error))?.contains(token);
    match (allowed, matcher.accept(token)) {
        (true, Ok(())) => Ok(Advance::Accepted),
        (false, Err(Rejected::Token(_))) => Ok(Advance::Refused),
        (_, Err(Rejected::Limit(error))) => Err(limit(&error)),
        (true, Err(_)) => Err(disagreement(token, "allows", "refuses")),
        (false, Ok(())) => Err(disagreement(token, "excludes", "accepts")),
        (false, Err(error)) => Err(limit(&error)),
    }
}

fn disagreement(token: TokenId, mask: &str, matcher: &str) -> Failure {
    let fault = format!("the mask {mask} token {token}, which the matcher {matcher}");
    Failure::Input(format!("{fault}; this is a bug in blueprint, please report it"))
}
