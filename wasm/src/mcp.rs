//! The Model Context Protocol over Streamable HTTP, from the side of the client.
//!
//! Decides what is sent to a server, when, and what its answers mean, in both eras of the protocol: *modern*
//! (2026-07-28, stateless) and *legacy* (2025-11-25 and before, with a handshake and a session). Knows no `fetch` and
//! no clock: an [`Exchange`] says what to send and is told what came back.
//!
//! Files: [`message`] JSON-RPC · [`answer`] one answer, as JSON or as an event stream · [`mirror`] arguments repeated in
//! headers · [`content`] what results mean · [`session`] the connection · `shared` what its operations share · `opening` how
//! it begins · [`goal`] what an operation is for · [`exchange`] one operation, [`step`] by step · [`news`] what a server says beside its
//! answers · `stream` an answer that comes in pieces · `refusal` what may be tried after one · `fault` what went wrong · [`auth`] getting a token.
//!
//! Source: revisions 2024-11-05 to 2026-07-28 of the specification.

pub mod answer;
pub mod auth;
pub mod content;
pub mod exchange;
mod fault;
pub mod goal;
pub mod message;
pub mod mirror;
pub mod news;
mod opening;
mod refusal;
pub mod session;
mod shared;
pub mod step;
mod stream;

pub use exchange::Exchange;
pub use news::News;
pub use session::{Limits, Options, Session};
pub use step::Step;

/// The stateless revision.
pub const MODERN: &str = "2026-07-28";
/// The revisions with a handshake that are understood, newest first.
pub const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

#[cfg(test)]
mod tests;
