//! Runs in WebAssembly, which exchange values and commands with JavaScript as numbers. Only this crate is
//! compiled for speed, with the machine.
//!
//! Invariant: a binding converts, calls one function of the core, and converts back.

pub mod bound_plan;
pub mod run;
pub mod step_output;
pub mod value;
pub mod word_writer;
