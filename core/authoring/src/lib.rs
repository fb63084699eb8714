//! Writes plans: edits, what editors ask, comparison, and plans of other programs. Whoever only runs plans does without it.
//!
//! [`edit`] gestures as changes of a text · [`language`] what editors ask · [`compare`] what differs, and merging ·
//! [`interop`] plans of other programs.

pub mod compare;
pub mod edit;
pub mod interop;
pub mod language;
