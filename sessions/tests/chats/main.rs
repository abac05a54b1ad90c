//! Sessions over fakes of the APIs, over sockets, and over the embedded decoder.

mod choosing;
#[cfg(feature = "decode")]
mod embedded;
mod fake;
mod formats;
#[cfg(feature = "http")]
mod sockets;
mod thinking;
