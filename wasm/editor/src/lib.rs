//! JavaScript bindings of the language service: open documents, plan edits, comparison, interop.
//!
//! This is a separate module, compiled for speed, because every keystroke waits for it. Programs that only run plans do
//! not load it.
//!
//! Invariants:
//! 1. A binding converts, calls one function of the core, and converts back.
//! 2. The exchanged data is small: a keystroke arrives as an edit, never as the whole text.
//! 3. Offsets in JavaScript are UTF-16 units.

pub mod compare;
pub mod document;
pub mod edits;
pub mod features;
pub mod interop;
pub mod language;
mod outline;
mod patterns;
