//! The build tool's passes, which make WebAssembly modules small. `main.rs` decides which modules exist. It
//! is behind the feature `glue`, because its libraries compile for a minute.

pub mod cargo;
mod counters;
mod data;
pub mod names;
pub mod order;
mod outline;
pub mod panics;
pub mod parts;
mod sections;
pub mod shrink;
mod split;
pub mod stamp;
mod whole;

/// A failure.
#[derive(Debug)]
pub struct Trouble {
    /// One sentence.
    pub sentence: String,
    /// Another program's output.
    pub printed: String,
}

impl Trouble {
    /// A failure without such output.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), printed: String::new() }
    }

    /// Another program's failure.
    pub fn of(sentence: impl Into<String>, printed: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), printed: printed.into() }
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string())
    }
}
