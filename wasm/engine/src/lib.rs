//! Runs in WebAssembly.
//!
//! Exchanges values and commands of a run with JavaScript as numbers. This is a separate crate because only this part
//! must be fast, with the machine compiled into it for its type of values. The rest of the module is compiled for size.
//!
//! Invariant: a binding converts, calls one function of the core, and converts back.

pub mod bound_plan;
pub mod run;
pub mod step_output;
pub mod value;
pub mod word_writer;
