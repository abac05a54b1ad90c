//! Chats whose answers are of a form, over the embedded decoder or a provider's API.
//!
//! A [`Session`] keeps the messages and a response format; a [`Backend`] answers. A backend that
//! cannot hold a form asks for it in the prompt, which is told once: a session never fails only
//! because nothing holds the model to the form.
//!
//! ```
//! use blueprints_sessions::{Answered, Ask, Backend, BackendError, Held, Session};
//!
//! struct Echo;
//! impl Backend for Echo {
//!     fn name(&self) -> &str {
//!         "echo"
//!     }
//!     fn answer(&mut self, ask: &Ask<'_>) -> Result<Answered, BackendError> {
//!         let said = ask.messages.last().map(|last| last.content.clone()).unwrap_or_default();
//!         Ok(Answered::text(said, Held::Prompted))
//!     }
//! }
//!
//! let mut session = Session::new(Echo);
//! assert_eq!(session.choose("I would go north", &["north", "south"])?, "north");
//! # Ok::<(), blueprints_sessions::SessionError>(())
//! ```

mod api;
mod backend;
mod choose;
mod conversation;
#[cfg(feature = "decode")]
mod embedded;
mod format;
#[cfg(feature = "http")]
mod http;
mod pairs;
mod response_format;
mod session;

pub use api::{Api, ApiOptions, Response, Transport, TransportError};
pub use backend::{Answered, Ask, Backend, BackendError, Degraded, Held, Message, Role};
pub use choose::{NoMatch, matched};
#[cfg(feature = "decode")]
pub use embedded::{Embedded, EmbeddedOptions};
pub use format::Format;
#[cfg(feature = "http")]
pub use http::Http;
pub use pairs::{GetError, Item, get, pairs};
pub use response_format::{ResponseFormat, ResponseFormatError};
pub use session::{Answer, Session, SessionError};
