//! Runs in WebAssembly.
//!
//! Decides how a run's values and commands cross the border to JavaScript, as numbers. A crate of its own because it, and
//! the machine that is compiled into it for its kind of values, are the only part that must be fast: the rest of the module
//! is compiled for size.
//!
//! Invariants: a binding converts, calls one function of the core, and converts back.

pub mod bound_plan;
pub mod run;
pub mod step_output;
pub mod value;
pub mod word_writer;
