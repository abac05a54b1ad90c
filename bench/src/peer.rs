//! llguidance, to be measured.

use std::hint::black_box;
use std::path::Path;

use llguidance::api::{GrammarWithLexer, TopLevelGrammar};
use llguidance::earley::SlicedBiasComputer;
use llguidance::{Matcher, ParserFactory, TokenParser};
use toktrie::{InferenceCapabilities, SimpleVob};
use toktrie_hf_tokenizers::ByteTokenizer;

use crate::engine::{Engine, Fault, Grammar, Session};

pub(crate) struct Peer {
    factory: ParserFactory,
    clones: Clones,
}

/// How a new text gets its parser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clones {
    /// A deep clone of the parser as it was compiled, as its matchers make one for each request.
    Deep,
    /// The same parser set back, so that what its lexer has found out is kept.
    Reset,
}

impl Peer {
    pub(crate) fn new(tokenizer: &Path, clones: Clones) -> Result<Self, Fault> {
        let tokenizer = ByteTokenizer::from_file(tokenizer)?.into_tok_env(None)?;
        let slices = SlicedBiasComputer::general_slices();
        let capabilities = InferenceCapabilities::default();
        let mut factory = ParserFactory::new(&tokenizer, capabilities, &slices)?;
        factory.quiet();
        Ok(Self { factory, clones })
    }
}

impl Engine for Peer {
    fn name(&self) -> String {
        let kept = if self.clones == Clones::Reset { " (reset)" } else { "" };
        format!("llguidance 1.9.1{kept}")
    }

    fn compile(&self, grammar: Grammar<'_>) -> Result<Box<dyn Session>, Fault> {
        let grammar = match grammar {
            Grammar::Schema(text) => TopLevelGrammar::from_json_schema(serde_json::from_str(text)?),
            Grammar::Probe { lark: "", .. } => return Err("not written for this engine".into()),
            Grammar::Probe { lark, .. } => {
                TopLevelGrammar::from_grammar(GrammarWithLexer::from_lark(lark.to_owned()))
            }
        };
        let parser = self.factory.create_parser(grammar)?;
        Ok(match self.clones {
            Clones::Deep => {
                // The clone stands for the parser of the first request and is not timed apart.
                let matcher = Matcher::new(Ok(parser.deep_clone()));
                Box::new(Open { fresh: Some(parser), matcher, mask: None })
            }
            Clones::Reset => {
                Box::new(Open { fresh: None, matcher: Matcher::new(Ok(parser)), mask: None })
            }
        })
    }
}

struct Open {
    /// The parser as it was compiled, if each text gets a clone of it.
    fresh: Option<TokenParser>,
    matcher: Matcher,
    mask: Option<SimpleVob>,
}

impl Session for Open {
    fn restart(&mut self) -> Result<(), Fault> {
        match &self.fresh {
            Some(fresh) => self.matcher = Matcher::new(Ok(fresh.deep_clone())),
            None => self.matcher.reset()?,
        }
        Ok(())
    }

    fn mask(&mut self) -> Result<(), Fault> {
        self.mask = Some(self.matcher.compute_mask_or_eos()?);
        Ok(())
    }

    fn allows(&mut self, token: u32) -> Result<bool, Fault> {
        Ok(self.mask.as_ref().is_some_and(|mask| mask.is_allowed(token)))
    }

    fn accept(&mut self, token: u32) -> Result<(), Fault> {
        Ok(self.matcher.consume_token(token)?)
    }

    fn is_accepting(&mut self) -> Result<bool, Fault> {
        Ok(self.matcher.is_accepting()?)
    }

    fn walk(&mut self, tokens: &[u32]) -> Result<(), Fault> {
        for &token in tokens {
            black_box(self.matcher.compute_mask_or_eos()?);
            self.matcher.consume_token(token)?;
        }
        Ok(())
    }
}
