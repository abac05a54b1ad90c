//! The embedded decoder as a backend: every form is held by masks.

use std::ops::ControlFlow;
use std::sync::Arc;

use blueprints_compiler::grammars::{GrammarFault, Syntax, TagFault, read, read_structural_tag};
use blueprints_compiler::ir::Literal;
use blueprints_compiler::{Ir, Outline, Overlap, PatternError, SchemaError, SchemaOptions};
use blueprints_providers::{AnswerError, json_in};
use blueprints_runtime::decode::{
    Chat, Checkpoint, Ending, Finish, ForcedText, GenerateOptions, OnBudget, Sampling, generate,
    skip_header,
};
use blueprints_runtime::{Limits, Program};
use serde_json::{Value, json};
use thiserror::Error;

use crate::backend::{Answered, Ask, Backend, BackendError, Degraded, Held, Message};
use crate::format::Format;

/// How the decoder answers.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedOptions {
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// The most tokens of an answer.
    pub tokens_max: usize,
    /// What happens when they run out before the answer fits its form.
    pub on_budget: OnBudget,
    /// The limits of programs and matchers.
    pub limits: Limits,
}

/// The embedded decoder as a backend.
#[derive(Debug)]
pub struct Embedded {
    name: String,
    checkpoint: Checkpoint,
    options: EmbeddedOptions,
}

impl Embedded {
    /// A backend over a checkpoint, under a name for warnings.
    #[must_use]
    pub fn new(name: impl Into<String>, checkpoint: Checkpoint, options: EmbeddedOptions) -> Self {
        Self { name: name.into(), checkpoint, options }
    }

    fn other(&self, source: impl std::error::Error + Send + Sync + 'static) -> BackendError {
        BackendError::Other { name: self.name.clone(), source: Box::new(source) }
    }

    /// Writes a text of the language, after the messages.
    fn write(&self, messages: &[Message], outline: &Outline) -> Result<String, BackendError> {
        let messages: Vec<Value> = messages
            .iter()
            .map(|message| json!({ "role": message.role.name(), "content": message.content }))
            .collect();
        let chat = Chat { messages: &messages, tools: &[], ending: Ending::GenerationPrompt };
        let prompt = self.checkpoint.prompt(&chat).map_err(|error| self.other(error))?;
        let tokenizer = self.checkpoint.tokenizer();
        let prompt = tokenizer.encode(&prompt).map_err(|error| self.other(error))?;
        let vocabulary = tokenizer.vocabulary();
        let program = Program::compile(outline, vocabulary, self.options.limits)
            .map_err(|error| self.other(error))?;
        let mut matcher = program.matcher();
        skip_header(&mut matcher, vocabulary, &prompt).map_err(|error| self.other(error))?;
        let options = GenerateOptions {
            sampling: self.options.sampling,
            tokens_max: self.options.tokens_max,
            forced: ForcedText::Block(tokenizer),
            on_budget: self.options.on_budget,
        };
        let mut session = self.checkpoint.session();
        let generated = generate(&mut session, &mut matcher, &prompt, options, &mut |_| {
            ControlFlow::Continue(())
        })
        .map_err(|error| self.other(error))?;
        let whole = matches!(generated.finish, Finish::Stop | Finish::Complete)
            || matcher.is_accepting()
            || matcher.lacks_only_stop().map_err(|error| self.other(error))?;
        if whole {
            return Ok(generated.text);
        }
        let why = format!("{:?} after {} tokens", generated.finish, generated.tokens.len());
        Err(AnswerError::Truncated { why }.into())
    }
}

impl Backend for Embedded {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answered, BackendError> {
        let (outline, fault) = match outline(ask.format) {
            Ok(outline) => (outline, None),
            Err(reason) => (free().map_err(|error| self.other(error))?, Some(reason.to_string())),
        };
        let mut messages = ask.messages.to_vec();
        let held = if fault.is_some() { Held::Prompted } else { Held::Constrained };
        if let (Some(_), Some(last), Some(words)) =
            (&fault, messages.last_mut(), ask.format.words())
        {
            last.content = format!("{}\n\n{words}", last.content);
        }
        let text = self.write(&messages, &outline)?;
        let value = match (ask.format.is_json(), held) {
            (false, _) => None,
            (true, Held::Prompted) => json_in(&text),
            (true, Held::Constrained) => Some(serde_json::from_str(&text).map_err(|error| {
                AnswerError::NotJson { message: error.to_string(), text: text.clone() }
            })?),
        };
        let feature = ask.format.feature().to_owned();
        let degraded = fault.map(|reason| Degraded { feature, reason }).into_iter().collect();
        Ok(Answered { text, value, held, degraded })
    }
}

/// Why a form is no language that masks can hold.
#[derive(Debug, Error)]
enum FormError {
    /// The schema.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The regular expression.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Free text.
    #[error(transparent)]
    Text(#[from] Overlap),
    /// A grammar.
    #[error(transparent)]
    Grammar(#[from] GrammarFault),
    /// A structural tag.
    #[error(transparent)]
    Tag(#[from] TagFault),
    /// A grammar in a syntax that is not known.
    #[error("nothing here reads {0}")]
    Unread(String),
}

fn free() -> Result<Outline, Overlap> {
    Ok(Ir::anything(std::iter::empty::<Literal>())?.into())
}

/// The language of a form.
fn outline(format: &Format) -> Result<Outline, FormError> {
    let schema = |schema: &Value| Ir::schema(Arc::new(schema.clone()), SchemaOptions::default());
    Ok(match format {
        Format::Text => free()?,
        Format::JsonObject => schema(&json!({ "type": "object" }))?.into(),
        Format::JsonSchema(source) => schema(source)?.into(),
        Format::Choice(choices) => {
            Ir::choice(choices.iter().map(|choice| Ir::text(choice.as_str()))).into()
        }
        Format::Regex(pattern) => Ir::regex(pattern)?.into(),
        Format::Grammar { syntax, text } => {
            let known = Syntax::named(syntax);
            let syntax = known.ok_or_else(|| FormError::Unread(format!("grammars in {syntax}")))?;
            read(syntax, text)?.into()
        }
        Format::StructuralTag(tag) => read_structural_tag(tag)?.into(),
        Format::Blueprint(outline) => (**outline).clone(),
    })
}
