//! Plans as other programs draw and write them: out as Mermaid and DOT, in from Mermaid and Serverless Workflow.
//!
//! Decides what of a plan has an equal there, and says so of what has none. Names and conditions are a stranger's text: ids are made
//! here, and labels can't end themselves or become markup.
//!
//! Source: Mermaid's flowchart syntax, the DOT language, Serverless Workflow 1.0.

pub mod dot;
mod drawing;
mod label;
pub mod mermaid;
mod report;
pub mod serverless;
mod slug;

pub use report::{Fidelity, Finding, Imported};

/// Which way a drawing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// From top to bottom.
    #[default]
    Down,
    /// From left to right.
    Right,
    /// From bottom to top.
    Up,
    /// From right to left.
    Left,
}

impl Direction {
    /// The direction that a word means: `TD` or `TB`, `LR`, `BT`, `RL`.
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "TD" | "TB" => Some(Self::Down),
            "LR" => Some(Self::Right),
            "BT" => Some(Self::Up),
            "RL" => Some(Self::Left),
            _ => None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Down => "TD",
            Self::Right => "LR",
            Self::Up => "BT",
            Self::Left => "RL",
        }
    }
}
