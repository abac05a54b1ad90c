//! One sequence in progress under a model: feed tokens, read logits, take tokens back.

use std::sync::Arc;

use super::cache::LayerCache;
use super::model::{Llama, ModelError};
use crate::vocabulary::TokenId;

/// Tokens are fed this many at a time, since attention's memory grows with the square.
const BLOCK: usize = 256;

/// Something that continues a sequence of tokens.
pub trait Model {
    /// Appends `tokens`, and answers the logits of what may follow the last of them.
    ///
    /// # Errors
    /// [`ModelError`] if they cannot be fed; the sequence is then as it was.
    fn feed(&mut self, tokens: &[TokenId]) -> Result<Vec<f32>, ModelError>;

    /// Keeps the first `length` tokens; what is shorter stays as it is.
    fn truncate(&mut self, length: usize);

    /// How many tokens were fed.
    fn length(&self) -> usize;

    /// How many tokens a sequence may hold.
    fn context_length(&self) -> usize;
}

/// A sequence under a [`Llama`], which remembers keys and values.
#[derive(Debug)]
pub struct Session {
    model: Arc<Llama>,
    caches: Vec<LayerCache>,
    length: usize,
}

impl Session {
    /// An empty sequence.
    #[must_use]
    pub fn new(model: Arc<Llama>) -> Self {
        let caches = (0..model.config().layers).map(|_| LayerCache::new()).collect();
        Self { model, caches, length: 0 }
    }
}

impl Model for Session {
    fn feed(&mut self, tokens: &[TokenId]) -> Result<Vec<f32>, ModelError> {
        let ids: Vec<u32> = tokens.iter().map(|token| token.0).collect();
        let before = self.length;
        let (length, context_length) = (before + ids.len(), self.context_length());
        if length > context_length {
            return Err(ModelError::ContextFull { length, context_length });
        }
        let mut logits = Err(ModelError::NothingFed);
        for block in ids.chunks(BLOCK) {
            logits = self.model.step(block, self.length, &mut self.caches);
            if logits.is_err() {
                // A block that failed may have reached some layers and not others.
                self.truncate(before);
                break;
            }
            self.length += block.len();
        }
        logits
    }

    fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
        self.caches.iter_mut().for_each(|cache| cache.truncate(length));
    }

    fn length(&self) -> usize {
        self.length
    }

    fn context_length(&self) -> usize {
        self.model.config().context_length()
    }
}
