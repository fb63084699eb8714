//! The passes of the build tool over WebAssembly modules.
//!
//! The passes make a module small: they remove panic messages, order functions and call wasm-opt. The program in
//! `main.rs` decides which modules exist. It is behind the feature `glue`, because its libraries compile for a minute.

pub mod cargo;
mod counters;
mod data;
pub mod order;
pub mod panics;
pub mod parts;
mod sections;
pub mod shrink;
mod split;
pub mod stamp;
mod whole;

/// A failure: one sentence, and the output of the program that failed.
#[derive(Debug)]
pub struct Trouble {
    /// One sentence.
    pub sentence: String,
    /// What another program printed.
    pub printed: String,
}

impl Trouble {
    /// A failure without output of another program.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), printed: String::new() }
    }

    /// Creates the error of another program, with its output.
    pub fn of(sentence: impl Into<String>, printed: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), printed: printed.into() }
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}
