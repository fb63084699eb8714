//! What JavaScript sees of the language service: documents under edit, edits of plans, comparison, exchange.
//!
//! Decides how they cross the border, nothing else. A module of its own, compiled for speed: every key that is pressed waits for it,
//! and who only runs plans does not load it.
//!
//! Invariants: 1. a binding converts, calls one function of the core, and converts back; 2. what crosses is small: a key that is
//! pressed crosses as the edit it makes, never as the whole text; 3. places are UTF-16 units on the other side.

pub mod compare;
pub mod document;
pub mod edits;
pub mod features;
pub mod interop;
pub mod language;
mod outline;
mod patterns;
