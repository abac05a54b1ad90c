//! Requests for every provider, their answers, and schemas made to fit.

mod answers;
mod cases;
mod oracle;
mod schemas;
mod shared;
