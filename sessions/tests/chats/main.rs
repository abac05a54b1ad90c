//! Sessions over fakes of the APIs, over sockets, and over the embedded decoder.

mod choosing;
#[cfg(feature = "decode")]
mod embedded;
mod fake;
mod formats;
mod response_formats;
#[cfg(feature = "http")]
mod sockets;
mod thinking;
