//! What the build tool does to WebAssembly modules, without the libraries that make glue and split.
//!
//! Decides how a module is made small: which words it loses, and in which order its functions stand. The program beside it says which
//! modules there are.
//!
//! Source: design section 15.

pub mod cargo;
pub mod order;
pub mod panics;
mod sections;
pub mod shrink;
pub mod stamp;

/// What went wrong: one sentence, and what the failed program printed.
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

    /// A failure of another program, with what it printed.
    pub fn of(sentence: impl Into<String>, printed: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), printed: printed.into() }
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}
