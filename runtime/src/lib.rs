//! Token masks from a blueprint's outline, and a decoder that follows them.
//!
//! An outline and a [`Vocabulary`] compile to a [`Program`]; its [`Matcher`] says which tokens may
//! come next. The engine below it knows bytes and no token ids; candle is named below `decode`
//! only.

mod batch;
mod bind;
#[cfg(feature = "decode")]
pub mod decode;
mod ending;
mod engine;
mod forced;
mod limits;
mod mask;
mod masks;
mod matcher;
mod pointer;
mod program;
mod text;
mod vocabulary;
mod walker;

pub use batch::{Row, fill_batch};
pub use ending::Completion;
pub use engine::Scope;
pub use forced::{Forced, ForcedError};
pub use limits::{LimitError, Limits};
pub use mask::TokenMask;
pub use matcher::{Matcher, Rejected, RollbackError};
pub use program::{CompileError, Memory, Program};
pub use text::{MatchText, Mismatch, Recogniser, Verdict, stop_tokens};
pub use vocabulary::{
    EncodeError, SavedError, StopPolicy, StoreWarning, Stored, Token, TokenId, Tokenizer,
    Vocabulary, VocabularyError, VocabularyStore,
};
pub use walker::{Place, Walker};
