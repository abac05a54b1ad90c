//! Our engine, to be measured.

use std::hint::black_box;
use std::sync::Arc;

use blueprints_compiler::{Blueprint, Ir, SchemaOptions};
use blueprints_runtime::{Limits, Matcher, Program, TokenId, Vocabulary};

use crate::engine::{Engine, Fault, Grammar, Session, Written};

pub(crate) struct Ours {
    vocabulary: Vocabulary,
    options: SchemaOptions,
}

impl Ours {
    pub(crate) fn new(vocabulary: Vocabulary, options: SchemaOptions) -> Self {
        vocabulary.prepare();
        Self { vocabulary, options }
    }

    fn program(&self, grammar: Grammar<'_>) -> Result<Program, Fault> {
        let outline = match grammar {
            Grammar::Schema(text) => {
                let schema = serde_json::from_str(text)?;
                let ir = Ir::schema(Arc::new(schema), self.options.clone())?;
                return Ok(Program::compile_ir(&ir, &self.vocabulary, Limits::default())?);
            }
            Grammar::Probe { ours: Written::Template(template), .. } => {
                Blueprint::from_str(template)?.outline(serde_json::json!({}))?
            }
            Grammar::Probe { ours: Written::Printed(printed), .. } => {
                let ir = Ir::read(printed)?;
                return Ok(Program::compile_ir(&ir, &self.vocabulary, Limits::default())?);
            }
            Grammar::Probe { ours: Written::Bound(template, context), .. } => {
                Blueprint::from_str(template)?.outline(context)?
            }
        };
        Ok(Program::compile(&outline, &self.vocabulary, Limits::default())?)
    }
}

impl Engine for Ours {
    fn name(&self) -> String {
        format!("blueprints {}", env!("CARGO_PKG_VERSION"))
    }

    fn compile(&self, grammar: Grammar<'_>) -> Result<Box<dyn Session>, Fault> {
        let program = self.program(grammar)?;
        Ok(Box::new(Open { matcher: program.matcher() }))
    }
}

struct Open {
    matcher: Matcher,
}

impl Session for Open {
    fn memory(&self) -> Option<(usize, usize)> {
        let memory = self.matcher.program().memory();
        Some((memory.states, memory.masks))
    }

    fn restart(&mut self) -> Result<(), Fault> {
        self.matcher.reset();
        Ok(())
    }

    fn mask(&mut self) -> Result<(), Fault> {
        black_box(self.matcher.mask()?);
        Ok(())
    }

    fn allows(&mut self, token: u32) -> Result<bool, Fault> {
        Ok(self.matcher.mask()?.contains(TokenId(token)))
    }

    fn accept(&mut self, token: u32) -> Result<(), Fault> {
        Ok(self.matcher.accept(TokenId(token))?)
    }

    fn is_accepting(&mut self) -> Result<bool, Fault> {
        Ok(self.matcher.is_accepting())
    }

    fn walk(&mut self, tokens: &[u32]) -> Result<(), Fault> {
        for &token in tokens {
            black_box(self.matcher.mask()?);
            self.matcher.accept(TokenId(token))?;
        }
        Ok(())
    }
}
