//! Plans as other programs draw and write them: out as Mermaid and DOT, in from Mermaid and Serverless Workflow.
//!
//! Decides what of a plan has an equal there, and says so of what has none. Names and conditions are a stranger's text: ids are made
//! here, and labels can't end themselves or become markup.
//!
//! Source: Mermaid's flowchart syntax, the DOT language, Serverless Workflow 1.0.

mod break_loops;
mod diagram;
pub mod dot;
mod import_report;
pub mod mermaid;
mod node_keys;
mod node_label;
pub mod serverless;

pub use diagram::NodeStyle;
pub use import_report::{Fidelity, ImportFinding, ImportResult};

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
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "TD" | "TB" => Some(Self::Down),
            "LR" => Some(Self::Right),
            "BT" => Some(Self::Up),
            "RL" => Some(Self::Left),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Down => "TD",
            Self::Right => "LR",
            Self::Up => "BT",
            Self::Left => "RL",
        }
    }
}

/// What plans can be taken over from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// A flowchart of Mermaid.
    Mermaid,
    /// A workflow of Serverless Workflow 1.0.
    Serverless,
}

impl Source {
    /// The source that a word means.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "mermaid" => Some(Self::Mermaid),
            "serverless" => Some(Self::Serverless),
            _ => None,
        }
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mermaid => "mermaid",
            Self::Serverless => "serverless",
        }
    }

    /// What a text looks like: a flowchart says so in its first line that is neither comment nor front matter.
    pub fn detect(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let body =
            text.strip_prefix("---").and_then(|rest| rest.split_once("\n---")).map_or(text, |(_, body)| body);
        let mut lines =
            body.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("%%"));
        let word = lines.next().unwrap_or_default().split(|c: char| !c.is_alphanumeric()).next();
        if matches!(word, Some("graph" | "flowchart")) { Self::Mermaid } else { Self::Serverless }
    }
}

/// Takes over a plan of another program.
pub fn import(text: &str, source: Source) -> ImportResult {
    match source {
        Source::Mermaid => mermaid::import(text),
        Source::Serverless => serverless::import(text),
    }
}
