//! The language service's JavaScript bindings, compiled for speed: every keystroke waits for it.
//!
//! Invariants:
//! 1. A binding converts, calls one function of the core, and converts back.
//! 2. A keystroke arrives as an edit, never as the whole text.
//! 3. Offsets in JavaScript are UTF-16 units.

pub mod compare;
pub mod document;
pub mod edits;
pub mod features;
pub mod interop;
pub mod language;
mod outline;
mod patterns;
